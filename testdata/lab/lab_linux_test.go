// Package lab holds hubbench's numbers against a truth that it does not make: three XFS partitions
// of one block device in memory, of which the kernel lets a control group read and write that many
// bytes a second and no more. They share it as disks share a hub. make lab starts it. It needs
// Linux, root's rights and mkfs.xfs; with -artifacts the runs are kept.
package lab

import (
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
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	// The limits differ, so that reads mistaken for writes would show. Any computer made in this
	// century moves them.
	readLimit  = 80e6 // bytes per second
	writeLimit = 120e6

	partition = 1280 << 20 // bytes of each; memory is taken as it is written

	// The disks move several blocks at a time, past the system's cache.
	block = 1 << 20
	depth = 8

	names = "ABC"

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

// result is what was measured of a pattern, or of what is left of it when its first disks are done.
type result struct {
	name  string
	truth float64   // truth is in bytes per second.
	rates []float64 // rates are each run's.
}

// finding holds the median to the truth. Held to most is what has one limit and time enough to meet
// it. Of the bytes that the kernel lets pass in a tenth of a second, half at most are missing or
// too many at either end of an overlap: 1 % of eight seconds, and 4 % of the two or three of a
// single short run.
func (r *result) finding(long bool) evidence.Finding {
	of, runs, within := "limit", "one run", 0.02
	if long {
		within = 0.01
	}
	if r.truth > max(readLimit, writeLimit) {
		of, within = "two limits' sum", 0.02
	}
	if n := len(r.rates); n > 1 {
		runs = fmt.Sprintf("median of %d", n)
	} else {
		within = 0.05
	}
	f := evidence.Within("lab-limit", r.name+", three partitions of one device, "+runs, "B/s",
		r.truth, stats.Median(r.rates), within)
	f.Low, f.High = slices.Min(r.rates), slices.Max(r.rates)
	f.Limit = fmt.Sprintf("within %s of the %s", unit.FormatPercent(within), of)
	return f
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
	_, err := exec.LookPath("mkfs.xfs")
	needs(t, err)
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
			r.rates = append(r.rates, overlap.Rate)
			if p.alone {
				for _, s := range phases[k].Stages {
					if slices.Equal(s.Active, []string{"C"}) && s.StartS > overlap.StartS {
						alone.rates = append(alone.rates, s.Rate)
						break
					}
				}
			}
		}
		if !testing.Short() && len(alone.rates) <= i {
			t.Fatal("C is not alone at the end")
		}
	}
	for k := range all {
		evidence.Report(t, together[k].finding(true))
	}
	if len(alone.rates) > 0 {
		evidence.Report(t, alone.finding(false))
	}
}

// runHubbench measures all patterns in one run, as a user does, and returns its phases.
func runHubbench(t *testing.T, disk *testdisk.Disk, hubbench string, run int,
	scenario string) []analysis.PhaseResult {
	t.Helper()
	file, out := filepath.Join(disk.Dir, "lab.yaml"),
		filepath.Join(t.ArtifactDir(), fmt.Sprint("run-", run+1))
	check.Must(t, os.WriteFile(file, []byte(scenario), 0o600))
	cmd := disk.Command(t.Context(), hubbench, "run", file, "--out", out, "--yes", "--quiet",
		"--allow", "same_disk")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	data, err := os.ReadFile(filepath.Join(out, "analysis.json"))
	check.Must(t, err)
	var a analysis.Analysis
	check.Must(t, json.Unmarshal(data, &a))
	return a.Phases
}
