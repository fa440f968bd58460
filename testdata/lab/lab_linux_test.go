// Package lab holds hubbench's numbers against a truth that it does not make: three XFS partitions
// of one block device in memory, of which the kernel lets a control group read and write that many
// bytes a second and no more. They share it as disks share a hub. hubbench and fio measure it in
// turns. make lab starts it. It needs Linux, root's rights, fio and mkfs.xfs; with -artifacts the
// runs of hubbench are kept.
package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/analysis"
	plans "github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/testdata/fio"
)

const (
	// The limits differ, so that reads mistaken for writes would show. Any computer made in this
	// century moves them.
	readLimit  = 80e6 // bytes per second
	writeLimit = 120e6

	partition = 1280 << 20 // bytes of each; memory is taken as it is written

	// What the disks move, by hubbench and by fio: several blocks at a time, past the system's
	// cache.
	block = 1 << 20
	depth = 8

	fileSize = 32 << 20 // the mean of sizes, in bytes
	names    = "ABC"    // of the disks

	// The kernel grants a control group that was idle more than its limit at first: what is moved
	// in this time is left out.
	warmUp = time.Second
)

// sizes are the files' in MiB, each disk's in an order of its own. The kernel lets bytes pass in
// bursts, one in a tenth of a second: of disks whose files were alike, all would begin and end in
// the same burst, and one burst would be missing from what they do together.
var sizes = []int64{22, 26, 30, 34, 38, 42}

// pattern is what the disks do at once.
type pattern struct {
	name    string
	letters string // W or R for each, as in a scenario
	// How many each moves, warm-up included: the first is done long before the last burst of the
	// others.
	files [3]int
	alone bool // C goes on for seconds when the others are done
}

// patterns are all, or the short set, which is held to less. All read files are those of the first.
func patterns(short bool) []pattern {
	if short {
		return []pattern{
			{"RRR", "RRR", [3]int{5, 6, 7}, false}, {"WRR", "WRR", [3]int{16, 6, 7}, false},
			{"RWW", "RWW", [3]int{13, 9, 10}, false}, {"WWW", "WWW", [3]int{7, 8, 9}, false},
		}
	}
	return []pattern{
		{"RRR", "RRR", [3]int{9, 10, 11}, false}, {"WRR", "WRR", [3]int{22, 10, 11}, false},
		{"RWW", "RWW", [3]int{16, 13, 14}, false}, {"WWW", "WWW", [3]int{12, 13, 14}, false},
		{"WWW, C longer", "WWW", [3]int{12, 13, 28}, true},
	}
}

// limit is how many bytes a second those of the letters pass together: each direction has a limit
// of its own.
func limit(letters string) (sum float64) {
	if strings.Contains(letters, "R") {
		sum += readLimit
	}
	if strings.Contains(letters, "W") {
		sum += writeLimit
	}
	return sum
}

// share is the rate of a disk: those that do the same share alike.
func (p pattern) share(disk int) float64 {
	letter := p.letters[disk : disk+1]
	return limit(letter) / float64(strings.Count(p.letters, letter))
}

// scenario is the patterns as a user would write them, with a folder for each disk.
func scenario(all []pattern, roots []string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "version: 1\nname: lab\ndisks:\n")
	for i, root := range roots {
		fmt.Fprintf(&s, "  - {name: %c, path: %q}\n", names[i], root)
	}
	fmt.Fprintf(&s, "workload: {order: random, block: %d, depth: %d, sizes: [", block, depth)
	for _, mib := range sizes {
		fmt.Fprintf(&s, "%d MiB, ", mib)
	}
	fmt.Fprintf(&s, "]}\nphases:\n")
	for _, p := range all {
		// So many files of each disk warm up that on the slowest even the smallest take longer than
		// that.
		slowest := min(p.share(0), p.share(1), p.share(2))
		n := int(math.Ceil(1.05 * warmUp.Seconds() * slowest / float64(sizes[0]<<20)))
		fmt.Fprintf(&s, "  - {name: %q, pattern: %s, warm_up: %d, files: {A: %d, B: %d, C: %d}}\n",
			p.name, p.letters, n, p.files[0]-n, p.files[1]-n, p.files[2]-n)
	}
	return s.String()
}

// The disks of each phase are busy together for seconds after a warm-up that takes longer than the
// kernel's grant on one of them at least, and end one by one. What is read is there already.
func TestScenario(t *testing.T) {
	for _, short := range []bool{false, true} {
		all := patterns(short)
		s, err := plans.Load("lab.yaml", []byte(scenario(all, []string{"/a", "/b", "/c"})))
		check.Must(t, err)
		plan, err := s.Plan()
		check.Must(t, err)
		for i, p := range all {
			var warm float64
			var ends []float64
			for j, job := range plan.Phases[i].Jobs {
				var bytes int64
				for _, size := range job.Sizes[:job.IO.Discard] {
					bytes += size
				}
				warm = max(warm, float64(bytes)/p.share(j))
				ends = append(ends, float64(job.Bytes())/p.share(j))
			}
			want := 3.5
			switch {
			case short:
				want = 2
			case limit(p.letters) <= writeLimit:
				want = 7.5
			}
			first, last := slices.Min(ends), slices.Max(ends)
			if warm < 1.05*warmUp.Seconds() || first-warm < want || last-first < 0.2 {
				t.Errorf("%s: together from %.2f to %.2f s, the last ends after %.2f s: want a warm-up of a second and %g s together",
					p.name, warm, first, last, want)
			}
			for _, disk := range plan.Disks {
				if before := plan.Stock(disk.Name)[i].Before; p.letters == "WRR" && before > 0 {
					t.Errorf("disk %s writes %d bytes before WRR: they were there", disk.Name,
						before)
				}
			}
		}
	}
}

// result is what was measured of a pattern, or of what is left of it when its first disks are done.
type result struct {
	name         string
	truth        float64   // bytes per second
	ours, theirs []float64 // each run's rate by hubbench; by fio, if it says one
}

// finding holds the median to the truth. Held to most is what has one limit and time enough to meet
// it. Of the bytes that the kernel lets pass in a tenth of a second, half at most are missing or
// too many at either end of an overlap: 1 % of eight seconds, and 4 % of the two or three of a
// single short run.
func (r *result) finding(long bool) (f evidence.Finding, within float64) {
	of, runs := "limit", "one run"
	if within = 0.02; long {
		within = 0.01
	}
	if r.truth > max(readLimit, writeLimit) {
		of, within = "two limits' sum", 0.02
	}
	if n := len(r.ours); n > 1 {
		runs = fmt.Sprintf("median of %d", n)
	} else {
		within = 0.05
	}
	f = evidence.Within("lab-limit", r.name+", three partitions of one device, "+runs, "B/s",
		r.truth,
		stats.Median(r.ours), within)
	f.Low, f.High, f.Limit = slices.Min(r.ours), slices.Max(r.ours),
		fmt.Sprintf("within %s of the %s",
			unit.FormatPercent(within), of)
	return f, within
}

// needs skips the test, or fails it in CI, for what this machine lacks or a container may not do.
func needs(t *testing.T, err error) {
	for _, lack := range []error{unix.EPERM, unix.EACCES, os.ErrNotExist, exec.ErrNotFound,
		testdisk.ErrNoLimits} {
		if errors.Is(err, lack) && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
	}
	check.Must(t, err)
}

func TestLab(t *testing.T) {
	for _, program := range []string{"fio", "mkfs.xfs"} {
		_, err := exec.LookPath(program)
		needs(t, err)
	}
	hubbench := filepath.Join(t.TempDir(), "hubbench")
	if out, err := exec.Command("go", "build", "-o", hubbench,
		"../../cmd/hubbench").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	options := testdisk.Options{Bytes: int64(len(names)) * partition, Partitions: len(names)}
	disk := testdisk.Make(t, options, os.Getenv("CI") == "true")
	var roots []string
	for part := range len(names) {
		check.Must(t, disk.Format(part+1, "mkfs.xfs", "-q", "-f"))
		root, err := disk.Mount(part+1, "")
		check.Must(t, err)
		roots = append(roots, root)
	}
	needs(t, disk.Limit(readLimit, writeLimit))
	all, times := patterns(testing.Short()), 5
	if testing.Short() {
		times = 1
	}
	together, alone := make([]result, len(all)), result{name: "C after that", truth: writeLimit}
	// One after the other, so that both programs meet what a busy machine does.
	for i := range times {
		phases := runHubbench(t, disk, hubbench, i, scenario(all, roots))
		for k, p := range all {
			r := &together[k]
			r.name, r.truth = p.name, limit(p.letters)
			overlap := phases[k].Overlap
			if overlap == nil || overlap.StartS < warmUp.Seconds() {
				t.Fatalf("%s: the overlap is %+v, and in the first second the limit does not hold",
					p.name, overlap)
			}
			r.ours = append(r.ours, overlap.Rate)
			if p.alone {
				last := slices.IndexFunc(phases[k].Stages, func(s analysis.Stage) bool {
					return slices.Equal(s.Active, []string{"C"}) && s.StartS > overlap.StartS
				})
				if last < 0 {
					t.Fatalf("%s: no stage of C alone", p.name)
				}
				alone.ours = append(alone.ours, phases[k].Stages[last].Rate)
			}
			if i%2 == 0 { // fio is not what is judged, and need not be measured as often
				r.theirs = append(r.theirs, runFio(t, disk, p, roots))
			}
		}
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nMB/s\ttruth\thubbench\toff\trange\theld to\tfio\toff")
	show := func(r *result, long bool) {
		f, within := r.finding(long)
		evidence.Report(t, f)
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%+.2f %%\t%.1f to %.1f\t%s", r.name, r.truth/1e6,
			f.Measured/1e6,
			100*(f.Measured/r.truth-1), f.Low/1e6, f.High/1e6, unit.FormatPercent(within))
		if len(r.theirs) > 0 { // far below the truth too: the machine was busy, or is too slow
			fmt.Fprintf(w, "\t%.1f\t%+.2f %%", stats.Median(r.theirs)/1e6,
				100*(stats.Median(r.theirs)/r.truth-1))
		}
		fmt.Fprintln(w)
	}
	for k := range all {
		show(&together[k], true)
	}
	if len(alone.ours) > 0 {
		show(&alone, false)
	}
	check.Must(t, w.Flush())
	t.Log("hubbench in the overlap, fio all bytes over the longest job's time, both without the first second:", table.String())
}

// output runs a program within the disk's limit.
func output(t *testing.T, disk *testdisk.Disk, name string, args ...string) []byte {
	t.Helper()
	cmd := disk.Command(t.Context(), name, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", filepath.Base(name), err, stderr.String(), out)
	}
	return out
}

// runHubbench measures all patterns in one run, as a user does, and returns its phases.
func runHubbench(t *testing.T, disk *testdisk.Disk, hubbench string, run int,
	scenario string) []analysis.Phase {
	t.Helper()
	file, out := filepath.Join(disk.Dir, "lab.yaml"),
		filepath.Join(t.ArtifactDir(), fmt.Sprint("run-", run+1))
	check.Must(t, os.WriteFile(file, []byte(scenario), 0o600))
	output(t, disk, hubbench, "run", file, "--out", out, "--yes", "--quiet", "--allow", "same_disk")
	data, err := os.ReadFile(filepath.Join(out, "analysis.json"))
	check.Must(t, err)
	var a analysis.Analysis
	check.Must(t, json.Unmarshal(data, &a))
	return a.Phases
}

// runFio measures a pattern with a job for each disk.
func runFio(t *testing.T, disk *testdisk.Disk, p pattern, roots []string) float64 {
	t.Helper()
	args := []string{
		"--output-format=json", "--name=global", "--group_reporting",
		"--ioengine=libaio", "--direct=1", "--filename_format=fio",
		fmt.Sprint("--bs=", block), fmt.Sprint("--iodepth=", depth),
		fmt.Sprint("--size=", 2*fileSize),
		fmt.Sprintf("--ramp_time=%dms", warmUp.Milliseconds()),
	}
	if !p.alone {
		seconds := map[bool]int{true: 2, false: 4}[testing.Short()]
		args = append(args, "--time_based", fmt.Sprint("--runtime=", seconds))
	}
	for i, root := range roots {
		rw := map[byte]string{'R': "read", 'W': "write"}[p.letters[i]]
		args = append(args, "--name="+names[i:i+1], "--directory="+root, "--rw="+rw)
		if p.alone {
			args = append(args, fmt.Sprint("--io_size=", p.files[i]*fileSize/2))
		}
	}
	total, groups, err := fio.Total(output(t, disk, "fio", args...))
	if err != nil || groups != 1 {
		t.Fatalf("fio, %s: %d groups instead of one (%v)", p.name, groups, err)
	}
	return total.Rate
}
