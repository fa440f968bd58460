package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/internal/measure/worker"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
)

// childOf, in the environment, makes this test binary one of hubbench's other processes; a broken
// one if it says so.
const childOf = "HUBBENCH_TEST_DOCTOR"

func TestMain(m *testing.M) {
	kind, broken := strings.CutPrefix(os.Getenv(childOf), "broken ")
	if kind == "" {
		goleak.VerifyTestMain(m) // which exits
	}
	if err := child(kind, broken); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(kind string, broken bool) error {
	switch {
	case kind == ClockCommand && broken: // its clock is an hour ahead
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			fmt.Println(clock.Now() + 3600e9)
		}
	case kind == ClockCommand:
		return AnswerClock(os.Stdin, os.Stdout)
	case kind == "worker" && broken:
		return errors.New("panic: no memory")
	case kind == "worker":
		engine := func(job wire.Assignment, hub worker.Mover) (diskio.Engine, error) {
			return worker.NewSimulated(job.Job, hub), nil
		}
		return worker.Run(context.Background(), wire.NewConn(os.Stdin, os.Stdout), "", nil, engine,
			zap.NewNop())
	case kind == "fuse":
		return serveFUSE(os.Args[2], os.Args[3])
	case kind == "janitor":
		coordinator.Clean(os.Stdin, io.Discard, os.NewFile(coordinator.JanitorPipeFile, "pipe"),
			os.Args[3], os.Args[4:])
	}
	return nil
}

// options run the checks with this binary for the other processes; those named are broken.
func options(t *testing.T, broken ...string) Options {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	return Options{
		RunID: "20260102-030405-abcd",
		Command: func(args ...string) *exec.Cmd {
			cmd := exec.Command(self, args...)
			kind := args[0]
			if slices.Contains(broken, kind) {
				kind = "broken " + kind
			}
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", childOf+"="+kind)
			return cmd
		},
		Look:   look,
		Notify: func(text string) { t.Log(text) },
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// examine makes the checks, and returns them by name.
func examine(t *testing.T, opts Options) map[string]trace.Check {
	t.Helper()
	list, err := Examine(t.Context(), opts)
	must(t, err)
	found := map[string]trace.Check{}
	for _, c := range list {
		found[c.Name] = c
	}
	return found
}

func hold(t *testing.T, found map[string]trace.Check, name string, want trace.Verdict,
	says ...string) {
	t.Helper()
	c, ok := found[name]
	if !ok || c.Verdict != want {
		t.Errorf("%s: got %q, want %s: %s", name, c.Verdict, want, c.Measured)
	}
	for _, text := range says {
		if all := c.Measured + " | " + c.Text + " | " + c.Advice; !strings.Contains(all, text) {
			t.Errorf("%s: got %q, want it to say %q", name, all, text)
		}
	}
}

// Without a disk, the machine is examined.
func TestMachine(t *testing.T) {
	t.Parallel()
	found := examine(t, options(t))
	for _, name := range []string{
		"clock", "stopwatch", "awake", "priority", "battery", "powersave",
	} {
		if v := found[name].Verdict; v == trace.Fail || v == "" {
			t.Errorf("%s: %q", name, v)
		}
	}
	hold(t, found, "disks", trace.Skip, "hubbench doctor /Volumes/A")
}

// What is broken on the machine is found by the check of it.
func TestBrokenMachine(t *testing.T) {
	t.Parallel()
	opts := options(t, ClockCommand, "worker")
	found := examine(t, opts)
	hold(t, found, "clock", trace.Fail, "cannot be compared")
	hold(t, found, "start", trace.Fail, "no memory")
}

// Workers that do not start are not started again for the next check.
func TestReleasedOnce(t *testing.T) {
	opts := options(t, "worker")
	command, started := opts.Command, 0
	opts.Command = func(args ...string) *exec.Cmd { started++; return command(args...) }
	f := newFacts(doctorPlan(nil), opts)
	first := f.releaseWorkers(t.Context())
	once := started
	if again := f.releaseWorkers(t.Context()); first == nil || !errors.Is(again, first) ||
		started != once {
		t.Errorf("got %v, then %v, by %d and %d processes", first, again, once, started)
	}
}

// A file that happens to lie in the current folder says nothing of a disk that the system does not
// list.
func TestCacheOfNoDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("queue", 0o700))
	must(t, os.WriteFile("queue/write_cache", []byte("write through\n"), 0o600))
	f := newFacts(doctorPlan(nil), options(t))
	f.own = &hardware.Drive{Name: "no such disk"}
	if f.readCacheState(); f.cacheKnown {
		t.Error("the disk's cache is known")
	}
}

// Time that has run out is said to be the disk's where it is.
func TestTimeout(t *testing.T) {
	slow := Check{probe: func(*facts, context.Context) error { return context.DeadlineExceeded }}
	limited, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for want, ctx := range map[string]context.Context{
		"error: the checks of the disk took more than 50s in all": limited,
		"error: context deadline exceeded":                        t.Context(),
	} {
		if found, _ := slow.run(ctx,
			newFacts(doctorPlan(nil), options(t))); found.Measured != want {
			t.Errorf("got %q, want %q", found.Measured, want)
		}
	}
}

// A disk that can't be looked at is asked nothing more.
func TestNoFolder(t *testing.T) {
	for code, found := range diagnose(t, options(t), "/no/such/folder") {
		want := trace.Skip
		switch code {
		case "missing":
			want = trace.Fail
		case "not_folder", "closed", "unwritable":
			want = trace.Pass
		}
		if found.Verdict != want {
			t.Errorf("%s: %s, want %s", code, found.Verdict, want)
		}
	}
}

// A folder that fails a check before anything is written is not written to: that would fail for the
// same reason, with other advice. One without locks gets no other test files.
func TestUnfit(t *testing.T) {
	f := oneDisk(t, options(t), t.TempDir())
	f.place.Writable = errors.New("read-only file system")
	found := map[string]trace.Check{}
	f.runChecks(t.Context(), Doctor, func(c trace.Check) { found[c.Name] = c })
	hold(t, found, "unwritable", trace.Fail, "read-only")
	hold(t, found, "folder", trace.Skip)
	hold(t, found, "direct", trace.Skip)

	path := t.TempDir()
	f = oneDisk(t, options(t), path)
	f.place.Free = 1e12
	f.opts.RunID = "of no run" // cannot name a folder
	f.runChecks(t.Context(), Doctor, func(c trace.Check) { found[c.Name] = c })
	hold(t, found, "folder", trace.Fail, "cannot name a folder")
	hold(t, found, "direct", trace.Skip)
}

// Nothing is said to be left in a folder that nobody may look into.
func TestNothingLeft(t *testing.T) {
	if os.Getuid() <= 0 { // -1 on Windows
		t.Skip("root may look into every folder, and Windows goes by no mode")
	}
	opts := options(t)
	opts.Paths = []string{t.TempDir()}
	must(t, os.Chmod(opts.Paths[0], 0))
	opts.Notify = func(text string) {
		if strings.Contains(text, "left") {
			t.Error(text)
		}
	}
	hold(t, examine(t, opts), "folder", trace.Skip)
}

// A process that does not answer with its clock is not waited for after an interrupt.
func TestNoClock(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if newFacts(doctorPlan(nil), options(t)).readClocks(ctx) == nil {
		t.Error("got a clock after an interrupt")
	}
}

func look(ctx context.Context) (*hardware.Inventory, error) { return device.Look(ctx, false) }

// oneDisk is what is known of a folder before its disk is measured.
func oneDisk(t *testing.T, opts Options, path string) *facts {
	t.Helper()
	f := newFacts(doctorPlan(nil), opts)
	f.observeMachine(t.Context())
	return f.folderFacts(t.Context(), path, func() {})
}

// diagnose makes doctor's checks of one disk.
func diagnose(t *testing.T, opts Options, path string) map[string]trace.Check {
	t.Helper()
	return diagnoseBy(t, oneDisk(t, opts, path), path)
}

// diagnoseBy does the same by facts, which then hold what was measured.
func diagnoseBy(t *testing.T, f *facts, path string) map[string]trace.Check {
	t.Helper()
	found := map[string]trace.Check{}
	f.runChecks(t.Context(), Doctor, func(c trace.Check) {
		t.Logf("%-11s %-4s %s", c.Name, c.Verdict, c.Sentence())
		found[c.Name] = c
	})
	if left, _ := filepath.Glob(filepath.Join(path, ".hubbench-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	return found
}

// An interrupt ends the checks, and removes the test files.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	opts := options(t)
	opts.Paths = []string{t.TempDir()}
	file := filepath.Join(opts.Paths[0], ".hubbench-"+opts.RunID, "data-000000.bin")
	go func() {
		for _, missing := os.Lstat(file); missing != nil && ctx.Err() == nil; {
			_, missing = os.Lstat(file)
		}
		cancel()
	}()
	if checks, err := Examine(ctx, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled: %+v", err, checks)
	}
	if entries, _ := os.ReadDir(opts.Paths[0]); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}
