package doctor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/internal/measure/worker"
	"github.com/hubbench/hubbench/pkg/trace"
)

// childOf, in the environment, makes this test binary one of hubbench's other processes; a broken one if it says so.
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
		engine := func(job wire.Job, hub diskio.Hub) (diskio.Engine, error) {
			return diskio.NewSimulated(job.Job, hub), nil
		}
		return worker.Run(context.Background(), wire.NewConn(os.Stdin, os.Stdout), engine, zap.NewNop())
	case kind == "fuse":
		return serveFUSE(os.Args[2], os.Args[3], os.Args[4])
	case kind == "janitor":
		coordinator.Clean(os.Stdin, io.Discard, os.NewFile(coordinator.LeashFile, "leash"), os.Args[3], os.Args[4:])
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
		Count: func(ctx context.Context, path string) (int64, error) {
			c, err := gauge.Count(ctx, path)
			return c.Read + c.Written, err
		},
		Awake:   func(context.Context) error { return nil },
		Saving:  func(context.Context) string { return "" },
		Battery: func(context.Context) (on, known bool) { return false, false },
		Say:     func(string) {},
		OnHang:  func(text string) { t.Error(text) },
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
	list, err := Run(t.Context(), opts)
	must(t, err)
	found := map[string]trace.Check{}
	for _, c := range list {
		found[c.Name] = c
	}
	return found
}

func hold(t *testing.T, found map[string]trace.Check, name string, want trace.Verdict, says ...string) {
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
	for _, name := range []string{"clock", "stopwatch", "awake", "priority", "power"} {
		if v := found[name].Verdict; v == trace.Fail || v == "" {
			t.Errorf("%s: %q", name, v)
		}
	}
	hold(t, found, "disks", trace.Skip, "hubbench doctor /Volumes/A")

	// The manual says what each check asks, of the machine and of disks.
	want := append(slices.Collect(maps.Keys(found)), diskChecks[:]...)
	want = slices.DeleteFunc(want, func(name string) bool { return name == "disks" })
	var got []string
	for _, q := range Questions() {
		got = append(got, q.Check)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the checks are %q, the questions those of %q", want, got)
	}
}

// What is broken on the machine is found by the check of it.
func TestBrokenMachine(t *testing.T) {
	t.Parallel()
	opts := options(t, ClockCommand, "worker")
	opts.Awake = func(context.Context) error { return errors.New("no such tool") }
	opts.Saving = func(context.Context) string { return "governor powersave" }
	opts.Battery = func(context.Context) (on, known bool) { return true, true }
	found := examine(t, opts)
	hold(t, found, "clock", trace.Fail, "different clocks")
	hold(t, found, "start", trace.Fail, "no memory")
	hold(t, found, "awake", trace.Warn, "no such tool")
	hold(t, found, "power", trace.Warn, "on battery", "governor powersave", "plug the computer in")
}

// A disk that nothing can be written to is asked nothing more.
func TestNoFolder(t *testing.T) {
	opts := options(t)
	opts.Paths = []string{"/no/such/folder"}
	var names []string
	opts.checkDisk(t.Context(), opts.Paths[0], func() {}, func(name string, c trace.Check) {
		names = append(names, name)
		if want := map[bool]trace.Verdict{true: trace.Fail, false: trace.Skip}[name == "permissions"]; c.Verdict != want {
			t.Errorf("%s: %s, want %s", name, c.Verdict, want)
		}
	})
	if want := append([]string{"permissions"}, diskChecks[2:]...); !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

// An interrupt ends the checks, and removes the test files.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	opts := options(t)
	opts.Paths = []string{t.TempDir()}
	opts.Count = func(context.Context, string) (int64, error) { cancel(); return 0, nil } // as the first file begins
	if _, err := Run(ctx, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if entries, _ := os.ReadDir(opts.Paths[0]); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}
