package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/stats"
)

var (
	soakTime = flag.Duration("soak", 5*time.Second,
		"how `long` TestSoak runs, on simulated disks and on real ones")
	soakRuns = flag.Int("soak-runs", 5,
		"how `many` runs in a row TestRunsInARow makes; 200 in make proof FULL=1")
	hubbenchProgram = flag.String("hubbench", "hubbench",
		"the `program` that TestSoak and TestRunsInARow run; the test's own unless said")
)

const (
	// growthFrom is how long a run takes at least to tell what grows from what is still finding its
	// size.
	growthFrom = 10 * time.Minute
	// uncollected is the memory that Go fills before it looks for what is still in use: as much may
	// come and go. https://go.dev/doc/gc-guide#GOGC
	uncollected = 4 << 20
	// soakPace is the rate of each real disk: the processor is for others.
	soakPace = 10e6
)

// soakDisk is a disk with two partitions that hold file systems, A and B.
func soakDisk(t *testing.T) (disk *testdisk.Disk, a, b string) {
	t.Helper()
	disk = testdisk.Make(t, testdisk.Options{Bytes: 512 << 20, Partitions: 2}, ci())
	var roots [2]string
	for i := range roots {
		must(t, disk.Format(i+1, "mkfs.ext4", "-q"))
		var err error
		if roots[i], err = disk.Mount(i+1, ""); err != nil {
			t.Fatal(err)
		}
	}
	return disk, roots[0], roots[1]
}

// TestSoak lets hubbench run for long: one phase on simulated disks, in real time, and eight on two
// real disks that are written and read at a slow pace. What it has of the machine must not grow:
// the last quarter of the run is held against the second. Nothing may be left in the end.
func TestSoak(t *testing.T) {
	long := *soakTime
	t.Run("simulated", func(t *testing.T) {
		t.Parallel()
		soak(t, "simulated", nil, fmt.Sprintf(`version: 1
name: soak
hub: {profile: goshen-ridge, speedup: 1}
disks:
  - {name: A, simulate: {profile: A}}
  - {name: B, simulate: {profile: B}}
  - {name: C, simulate: {profile: C}}
workload: {sizes: [1 GB], files: %d}
phases: [{pattern: WRW, stop: %.3f s}]
`, 100+3*int(long.Seconds()), long.Seconds()))
	})
	t.Run("real", func(t *testing.T) {
		t.Parallel()
		disk, a, b := soakDisk(t)
		const phases = 8
		each := long.Seconds() / phases
		var list strings.Builder
		for i := range phases {
			fmt.Fprintf(&list, "  - {pattern: %s, stop: %.3f s, pace: %.0f MB/s%s}\n",
				[]string{"WW", "RW"}[i%2], each, soakPace/1e6,
				[]string{"", ", files: {A: 18}"}[i%2])
		}
		soak(t, "real", disk, fmt.Sprintf(`version: 1
name: soak
disks: [{name: A, path: %s}, {name: B, path: %s}]
workload: {sizes: [4 MB], block: 1 MiB, files: %d, footprint: 80 MB}
phases:
%s`, a, b, 20+int(2*each*soakPace/4e6), list.String()))
	})
}

// TestRunsInARow makes one run after another, on simulated disks and on real ones by turns. After
// each, the machine must be as before: no process, temporary or test file, loop device or mount,
// and as much space on the disks. The last quarter must need no more memory than the second.
func TestRunsInARow(t *testing.T) {
	disk, a, b := soakDisk(t)
	work, tr := t.TempDir(), &tree{temp: t.TempDir(), disk: disk}
	scenarios := []string{"simulated", "real"}
	for name, text := range map[string]string{
		"simulated": "hub: {profile: goshen-ridge, speedup: 500}\nworkload: {files: 10}\n" +
			"disks: [{name: A, simulate: {profile: A}}, {name: C, simulate: {profile: C}}]",
		"real": fmt.Sprintf("disks: [{name: A, path: %s}, {name: B, path: %s}]\n", a, b) +
			"workload: {files: 5, sizes: [2 MB], block: 512 KiB}",
	} {
		text = "version: 1\nname: row\n" + text + "\nphases: [{pattern: WW}, {pattern: RW}]\n"
		write(t, filepath.Join(work, name+".yaml"), text)
	}
	before := tr.look(0)
	used := freeBytes(t, a, b)
	var peaks []use // of each run; its memory is the most that its processes have had
	asBefore := 0
	for i := range *soakRuns {
		name, out := scenarios[i%2], filepath.Join(work, "out")
		cmd, log := tr.command(t, "run", filepath.Join(work, name+".yaml"), "--out", out, "--quiet",
			"--allow", "same_disk,busy,background")
		if err := cmd.Run(); err != nil {
			t.Fatalf("run %d: %v\n%s", i, err, log)
		}
		must(t, os.RemoveAll(out))
		after, free := tr.look(0), freeBytes(t, a, b)
		if after == before && free == used {
			asBefore++
		} else {
			t.Logf("run %d (%s) has left %+v and %d bytes, after %+v and %d", i, name, after, free,
				before, used)
		}
		usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			t.Fatalf("no account of run %d", i)
		}
		if name == "real" {
			peaks = append(peaks, use{at: time.Duration(len(peaks)), own: usage.Maxrss << 10})
		}
	}
	n := float64(asBefore)
	evidence.Report(t, evidence.Finding{
		Claim: "soak",
		Case: "runs in a row after which processes, files, loop devices, mounts and free space " +
			"are as before",
		Unit:  fmt.Sprintf("of %d", *soakRuns),
		Truth: float64(*soakRuns), Measured: n, Low: n, High: n, Limit: "all",
		Pass: asBefore == *soakRuns,
	})
	if len(peaks) >= 4*stats.MinBins {
		f := change(peaks, func(u use) int64 { return u.own }, 1e6, 1)
		f.Unit = "B"
		f.Case = fmt.Sprintf("%d runs in a row: the most memory of one of its processes, "+
			"last quarter less second", *soakRuns)
		evidence.Report(t, f)
	}
}

func freeBytes(t *testing.T, roots ...string) (free uint64) {
	t.Helper()
	for _, root := range roots {
		var st unix.Statfs_t
		must(t, unix.Statfs(root, &st))
		free += st.Bfree * uint64(st.Bsize)
	}
	return free
}

func soak(t *testing.T, name string, disk *testdisk.Disk, scenario string) {
	work, temp := t.TempDir(), t.TempDir()
	file, out := filepath.Join(work, "s.yaml"), filepath.Join(work, "out")
	write(t, file, scenario)
	tr := &tree{temp: temp, disk: disk, log: filepath.Join(out, rundir.LogFile)}
	before := tr.look(0)
	cmd, log := tr.command(t, "run", file, "--out", out, "--yes", "--quiet", "--allow",
		"same_disk,busy,background")
	must(t, cmd.Start())
	began := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(min(10*time.Second, max(*soakTime/50, 50*time.Millisecond)))
	defer tick.Stop()
	var all []use
	for running := true; running; {
		select {
		case <-tick.C:
			u := tr.look(cmd.Process.Pid)
			u.at, u.heap, u.heaps = time.Since(began), heapIn(log.String()), tr.workerHeap()
			all = append(all, u)
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v\n%s", err, log)
			}
			running = false
		}
	}
	if info, err := os.Stat(filepath.Join(out, rundir.ReportFile)); err != nil || info.Size() == 0 {
		t.Errorf("no page of it: %v\n%s", err, log)
	}
	for _, f := range growth(name, working(all)) {
		evidence.Report(t, f)
	}
	evidence.Report(t, leftOver(name, before, tr.look(0)))
}

// working are the samples from the first to the last phase: from the first to the last with a
// worker.
func working(all []use) []use {
	first, last := -1, 0
	for i, u := range all {
		if u.processes >= 3 { // hubbench, and a worker for each disk at least
			first, last = cmp.Or(max(first, 0), i), i
		}
	}
	if first < 0 {
		return nil
	}
	return all[first : last+1]
}

// growth holds the last quarter of a run against the second, in all that a program can pile up.
func growth(name string, all []use) (findings []evidence.Finding) {
	if len(all) == 0 {
		return []evidence.Finding{{Claim: "soak", Case: name + ": nothing was seen of the run",
			Limit: "samples"}}
	}
	long := all[len(all)-1].at - all[0].at
	kinds := []struct {
		what, unit string
		value      func(use) int64
		spare      float64 // more than this is growth
		long       bool    // it finds its size in minutes
	}{
		{"memory of hubbench itself", "B", func(u use) int64 { return u.own }, uncollected, true},
		{"live heap of hubbench itself", "B", func(u use) int64 { return u.heap }, 1 << 20, true},
		{"memory of its other processes", "B", func(u use) int64 {
			return u.others
		}, uncollected, true},
		{"live heap of its workers", "B", func(u use) int64 { return u.heaps }, 1 << 20, true},
		{"processes", "processes", func(u use) int64 { return int64(u.processes) }, 0.5, false},
		{"open files", "files", func(u use) int64 { return int64(u.files) }, 2, false},
		{"threads", "threads", func(u use) int64 { return int64(u.threads) }, 2, true},
		{"temporary files", "files", func(u use) int64 { return int64(u.temporary) }, 0.5, false},
	}
	for _, k := range kinds {
		if k.long && long < growthFrom {
			continue
		}
		f := change(all, k.value, k.spare, len(kinds))
		f.Case, f.Unit = fmt.Sprintf("%s, %s: %s, last quarter less second", name,
			long.Round(time.Second), k.what), k.unit
		findings = append(findings, f)
	}
	return findings
}

// TestGrowth holds the judgement itself to two hours of samples: memory that comes and goes with
// the collector is no growth, but what stays alive, a kilobyte more each second, is, and so is a
// file that stays open every ten minutes.
func TestGrowth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name string
		leak func(u *use, s int64)
		want []string // that grow
	}{
		{"nothing", func(*use, int64) {}, nil},
		{"memory", func(u *use, s int64) { u.heap += 1000 * s >> 20 << 20; u.own += 1000 * s },
			[]string{"live heap of hubbench itself"}},
		{"much of a worker",
			func(u *use, s int64) { u.heaps += 2000 * s >> 20 << 20; u.others += 2000 * s },
			[]string{"memory of its other processes", "live heap of its workers"}},
		{"outside of the heap", func(u *use, s int64) {
			u.own += 2000 * s
		}, []string{"memory of hubbench itself"}},
		{"files", func(u *use, s int64) { u.files += int(s / 600) }, []string{"open files"}},
	} {
		var all []use
		drift := 0.0
		for s := int64(0); s < 7200; s += 10 {
			drift = 0.9*drift + 2e5*random.NormFloat64()
			u := use{at: time.Duration(s) * time.Second, processes: 4, own: 6e6 + int64(drift) +
				s%120*5e3, others: 2e7 + int64(drift), heap: 2 << 20, heaps: 6 << 20, files: 58,
				threads: 40 + int(s/10%7)}
			tt.leak(&u, s)
			all = append(all, u)
		}
		var got []string
		for _, f := range growth("made", all) {
			if !f.Pass {
				_, what, _ := strings.Cut(f.Case, ": ")
				got = append(got, strings.TrimSuffix(what, ", last quarter less second"))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q grow, want %q", tt.name, got, tt.want)
		}
	}
}

// change is by how much a number is larger in the last quarter than in the second. It passes unless
// that is more than spare and, with so many numbers, one in twenty times, told from noise that
// lasts.
func change(all []use, value func(use) int64, spare float64, asked int) evidence.Finding {
	f := evidence.Finding{Claim: "soak",
		Limit: fmt.Sprintf("no growth that is told from noise and above %.3g", spare)}
	var second, last []float64
	for _, u := range all {
		switch quarter := float64(u.at-all[0].at) / float64(all[len(all)-1].at-all[0].at); {
		case quarter >= 0.25 && quarter < 0.5:
			second = append(second, float64(value(u)))
		case quarter >= 0.75:
			last = append(last, float64(value(u)))
		}
	}
	before, known := stats.MeanOf(second, len(second))
	after, ok := stats.MeanOf(last, len(last))
	change := stats.Difference(before, after)
	if known && ok {
		interval := change.Interval()
		f.Measured, f.Low, f.High = change.Mean, interval[0], interval[1]
		f.Pass = change.Mean <= spare || change.Above(0) > 0.05/float64(asked)
	}
	return f
}

// leftOver says what a tree that has ended still has of the machine.
func leftOver(name string, before, after use) evidence.Finding {
	before.at, after.at = 0, 0
	left := after.processes - before.processes + after.temporary - before.temporary + after.loops -
		before.loops + after.mounts - before.mounts
	return evidence.Finding{
		Claim: "soak", Case: name +
			": processes, temporary files, loop devices and mounts more than before",
		Unit:     "things",
		Measured: float64(left), Low: float64(left), High: float64(left), Limit: "as before",
		Pass: after == before,
	}
}

// tree is hubbench and all processes that it has started, known by the folder for temporary files
// that is theirs alone: one that lost its parent still has it.
type tree struct {
	temp string
	log  string         // the run's, to which its workers' collectors write
	disk *testdisk.Disk // nil: simulated disks
}

// use is what a tree has of the machine at one time.
type use struct {
	at        time.Duration
	processes int
	own       int64 // bytes of memory that are its own, of hubbench itself
	others    int64 // and of the processes that it has started
	heap      int64 // what the collector last found alive in hubbench itself, in whole megabytes
	heaps     int64 // and in its workers
	files     int   // descriptors of all processes
	threads   int
	temporary int // files
	loops     int
	mounts    int
}

// command is hubbench as the root of the tree, which says on stderr what its garbage collector
// finds.
func (tr *tree) command(t *testing.T, args ...string) (*exec.Cmd, *said) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), *hubbenchProgram, args...)
	// The collector's account costs nothing and gives the heap of a program as it is delivered.
	cmd.Env = append(os.Environ(), "TMPDIR="+tr.temp, "GODEBUG=gctrace=1",
		"GORACE=atexit_sleep_ms=0")
	log := new(said)
	cmd.Stdout, cmd.Stderr = log, log
	return cmd, log
}

func (tr *tree) pids() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range all {
		env, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(env, []byte("TMPDIR="+tr.temp+"\x00")) {
			continue // it has ended meanwhile, or is another's
		}
		if pid, err := strconv.Atoi(strings.Split(name, "/")[2]); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// look is what the tree has now. Root is hubbench itself, 0 if it has ended.
func (tr *tree) look(root int) use {
	var u use
	for _, pid := range tr.pids() {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		u.processes++
		u.threads += int(statusField(status, "Threads"))
		if own := statusField(status, "RssAnon") << 10; pid == root {
			u.own = own
		} else {
			u.others += own
		}
		// None of a process that has just ended.
		open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		u.files += len(open)
	}
	_ = filepath.WalkDir(tr.temp, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			u.temporary++
		}
		return nil
	})
	if tr.disk != nil {
		u.loops = len(testdisk.LoopsIn(tr.disk.Dir))
		u.mounts = len(testdisk.MountsIn(tr.disk.Dir))
	}
	return u
}

func statusField(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte(name+":"))
	value, _, _ := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte("\n"))
	number, _, _ := bytes.Cut(value, []byte(" "))
	n, _ := strconv.ParseInt(string(number), 10, 64)
	return n
}

var (
	collection       = regexp.MustCompile(`(?m)^gc \d+ @.*->(\d+) MB, `)
	workerCollection = regexp.MustCompile(`"disk":"([^"]*)","text":"gc \d+ @[^"]*->(\d+) MB, `)
)

// heapIn is what the collector last found alive, by its account in what hubbench wrote.
func heapIn(said string) int64 {
	all := collection.FindAllStringSubmatch(said, -1)
	if len(all) == 0 {
		return 0
	}
	mb, _ := strconv.ParseInt(all[len(all)-1][1], 10, 64)
	return mb << 20
}

// workerHeap is what the collectors of the latest workers last found alive.
func (tr *tree) workerHeap() (sum int64) {
	log, _ := os.ReadFile(tr.log) // none yet: none were heard
	alive := map[string]int64{}
	for _, m := range workerCollection.FindAllSubmatch(log, -1) {
		mb, _ := strconv.ParseInt(string(m[2]), 10, 64)
		alive[string(m[1])] = mb << 20
	}
	for _, heap := range alive {
		sum += heap
	}
	return sum
}
