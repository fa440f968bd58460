package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What goes wrong with disks, processes and the machine while hubbench runs, a file of tests for
// each kind. Each of them holds a run to the same: its exit code; a message that names disk, phase
// and cause; what was recorded before the fault is kept, read and analysed, of all disks; and no
// test file is left, or hubbench clean removes it.

// ci reports whether this is a machine that has all that the tests need: nothing is skipped there.
func ci() bool { return os.Getenv("CI") == "true" }

// faultClass is a kind of fault, of which each case holds or does not.
type faultClass struct {
	t    *testing.T
	name string

	mu          sync.Mutex
	cases, held int
	left        string // why a case was left out
}

// faults begins a class; how many of its cases held is reported when the test ends.
func faults(t *testing.T, name string) *faultClass {
	c := &faultClass{t: t, name: name}
	t.Cleanup(c.report)
	return c
}

// try tries a case, beside others: most of the time it waits.
func (c *faultClass) try(name string, test func(t *testing.T)) {
	c.t.Run(name, func(t *testing.T) {
		t.Parallel()
		t.Cleanup(func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			switch {
			case t.Skipped():
				if c.left == "" {
					c.left = "cannot be tried here"
				}
				return
			case !t.Failed():
				c.held++
			}
			c.cases++
		})
		test(t)
	})
}

func (c *faultClass) report() {
	f := evidence.Finding{Claim: "faults", Case: c.name, Unit: fmt.Sprintf("of %d", c.cases),
		Limit: "all of them",
		Truth: float64(c.cases), Measured: float64(c.held), Low: float64(c.held),
		High: float64(c.held), Pass: c.cases > 0 && c.held == c.cases}
	if c.cases == 0 {
		f.Left = c.left
	}
	evidence.Report(c.t, f)
}

func newDisk(t *testing.T, opts testdisk.Options) *testdisk.Disk {
	t.Helper()
	if opts.Bytes == 0 {
		opts.Bytes = 128 << 20 // a run wants some 90 MB of it to be free
	}
	return testdisk.Make(t, opts, ci())
}

// newVolume makes a disk in memory with an ext4 on it, and returns its root.
func newVolume(t *testing.T, opts testdisk.Options, options string) (d *testdisk.Disk,
	root string) {
	t.Helper()
	d = newDisk(t, opts)
	return d, format(t, d, options)
}

func format(t *testing.T, d *testdisk.Disk, options string) (root string) {
	t.Helper()
	must(t, d.Format(0, "mkfs.ext4", "-q", "-m", "0", "-E",
		"lazy_itable_init=0,lazy_journal_init=0"))
	root, err := d.Mount(0, options)
	must(t, err)
	return root
}

// Two disks move files of which eight at a time fit on them, for longer than any test.
const (
	writing = "- {name: WW, pattern: WW, pace: 20 MB/s, stop: 60 s}"
	reading = "- {name: RR, pattern: RR, pace: 20 MB/s, stop: 60 s}"
)

// endless is a scenario of two disks, A at the first root and B at the second.
func endless(a, b, phases string) string {
	return fmt.Sprintf(`version: 1
name: fault
disks: [{name: A, path: %s}, {name: B, path: %s}]
allow_system_disk: true
workload: {sizes: [2 MB], files: 7, footprint: 16 MB, block: 256 KiB}
phases:
%s
`, a, b, phases)
}

// twoVolumes are two disks in memory, of which something happens to the first.
func twoVolumes(t *testing.T, options string) (d *testdisk.Disk, root, well string) {
	t.Helper()
	d, root = newVolume(t, testdisk.Options{}, options)
	_, well = newVolume(t, testdisk.Options{}, "")
	return d, root, well
}

// faultRun is a run that something goes wrong in.
type faultRun struct {
	t   *testing.T
	out string
	*process
	before string        // its events just before the fault
	full   chan struct{} // closed when fill has ended
}

// beginRun begins a run, which is killed when the test ends.
func beginRun(t *testing.T, text string, args ...string) *faultRun {
	t.Helper()
	dir := t.TempDir()
	r := &faultRun{t: t, out: filepath.Join(dir, "out")}
	if i := slices.Index(args, "--out"); i >= 0 {
		r.out = args[i+1]
	}
	scenario := write(t, filepath.Join(dir, "s.yaml"), text)
	r.begin(append([]string{"run", scenario, "--out", r.out, "--yes", "--allow",
		"same_disk,busy,background"}, args...)...)
	return r
}

func (r *faultRun) begin(args ...string) {
	r.process = start(r.t, exec.Command("hubbench", args...))
}

// inject does what goes wrong, once each of two disks has recorded files in a phase.
func (r *faultRun) inject(phase string, fault func() error) {
	r.t.Helper()
	r.injectAt(fault, func(events string) bool {
		return min(filesOf(events, phase, "A"), filesOf(events, phase, "B")) >= 3
	})
}

// filesOf is how many of a disk's files a phase has recorded.
func filesOf(events, phase, disk string) int {
	return strings.Count(events, `{"type":"file","phase":"`+phase+`","disk":"`+disk+`"`)
}

// injectAt does what goes wrong once the events are so far.
func (r *faultRun) injectAt(fault func() error, far func(events string) bool) {
	r.t.Helper()
	r.until(r.t, "not far enough for the fault", func() bool {
		data, _ := os.ReadFile(filepath.Join(r.out, rundir.EventsFile))
		r.before = string(data[:bytes.LastIndexByte(data, '\n')+1])
		return far(r.before)
	})
	must(r.t, fault())
}

// ends waits for the run's end, and holds it to an exit code and to what it says, in one line that
// matches.
func (r *faultRun) ends(code int, says string) {
	r.t.Helper()
	got, said := r.wait()
	r.t.Logf("exit code %d; it said\n%s", got, said)
	if got != code {
		r.t.Errorf("exit code %d, want %d", got, code)
	}
	if !regexp.MustCompile(says).MatchString(said) {
		r.t.Errorf("it did not say %s", says)
	}
}

// holds is ends, keeps and leaves.
func (r *faultRun) holds(code int, says string, roots ...string) {
	r.t.Helper()
	r.ends(code, says)
	r.keeps()
	r.leaves(roots...)
}

// keeps holds the run to what was recorded before the fault: it is still there, and analysed, of
// every disk.
func (r *faultRun) keeps() *analysis.Analysis {
	r.t.Helper()
	if after := readEvents(r.t, r.out); !strings.HasPrefix(after, r.before) {
		r.t.Error("its events do not begin with those before the fault")
	}
	recorded, err := trace.Load(strings.NewReader(r.before), "before")
	must(r.t, err)
	var a analysis.Analysis
	must(r.t, json.Unmarshal([]byte(prints(r.t, "analyze", r.out, "--json")), &a))
	for _, phase := range recorded.Phases {
		for _, disk := range phase.Disks {
			got := 0
			for _, p := range a.Phases {
				if p.Name == phase.Name {
					got = p.Disks[disk.Name].Files
				}
			}
			if want := len(disk.Files); want == 0 || got < want {
				r.t.Errorf("disk %s, phase %s: %d files were recorded before the fault, "+
					"%d are analysed", disk.Name, phase.Name, want, got)
			}
		}
	}
	return &a
}

// leaves holds the run to have left no test file in the folders.
func (r *faultRun) leaves(roots ...string) {
	r.t.Helper()
	var left []string
	if !check.Within(timeout,
		func() bool { left = testFolders(r.t, roots...); return len(left) == 0 }) {
		r.t.Errorf("left: %q; it said\n%s", left, r.said)
	}
}

// cleanedLater holds what a run has left on a disk that failed to what clean removes once the disk
// is well: mounted anew, as a person would.
func (r *faultRun) cleanedLater(d *testdisk.Disk, root string) {
	r.t.Helper()
	var err error
	check.Within(timeout, func() bool {
		err = unix.Unmount(root, 0)
		return !errors.Is(err, unix.EBUSY) // of a process that is still ending
	})
	must(r.t, err)
	r.cleanedAt(d, root)
}

// cleanedAt is cleanedLater of a disk that is not mounted.
func (r *faultRun) cleanedAt(d *testdisk.Disk, root string) {
	r.t.Helper()
	_, err := d.Mount(0, "")
	must(r.t, err)
	hubbench(r.t, "clean", root)
	r.leaves(root)
}

func testFolders(t *testing.T, roots ...string) (found []string) {
	t.Helper()
	for _, root := range roots {
		all, err := filepath.Glob(filepath.Join(root, ".hubbench-*"))
		must(t, err)
		found = append(found, all...)
	}
	return found
}

func (r *faultRun) interrupt() {
	r.t.Helper()
	must(r.t, r.send("INT"))
}

// goesOn waits until a disk has moved more files after the fault.
func (r *faultRun) goesOn(phase, disk string) {
	r.t.Helper()
	r.until(r.t, "no more files of "+disk, func() bool {
		return filesOf(readEvents(r.t, r.out), phase, disk) >= filesOf(r.before, phase, disk)+4
	})
}

// fill has a file take all the space of its volume, and what becomes free of it, until the run
// ends.
func (r *faultRun) fill(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	zeros := make([]byte, 64<<10)
	ended, over := r.ended, make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-ended:
				_ = file.Close() // its data are nobody's
				return
			default:
			}
			if _, err := file.Write(zeros); err != nil {
				// If the space is too small for so much at once, ext4 takes none of it.
				zeros = zeros[:512]
				time.Sleep(time.Millisecond)
			}
		}
	}()
	r.t.Cleanup(func() { r.kill(); <-over })
	r.full = over
	return nil
}
