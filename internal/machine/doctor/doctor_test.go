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
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/machine/device"
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

// file is one that was moved directly, with nothing left in the cache and the device counting it all.
func file(role trace.Role, change func(*moved)) moved {
	m := moved{Tried: diskio.Tried{Effective: trace.Effective{Cache: "direct"}, Bytes: 256e6, Seconds: 0.1}, role: role, block: 8 << 20, counted: 256e6}
	if change != nil {
		change(&m)
	}
	return m
}

func files(change func(*moved)) []moved {
	return []moved{file(trace.Write, nil), file(trace.Read, change)}
}

// exchanged are readings of a clock that is ahead of ours, over a pipe that takes so long each way.
func exchanged(aheadNS, wayNS int64) (r readings) {
	for i := range int64(exchanges) {
		now := 1e9 + i*1e6
		r.add(now, now+wayNS+aheadNS, now+2*wayNS)
	}
	return r
}

// pacing are a write and a read in large blocks, and both in small ones, that went directly at these rates.
func pacing(rates ...float64) (files []moved) {
	for i, rate := range rates {
		role := []trace.Role{trace.Write, trace.Read}[i%2]
		files = append(files, moved{Tried: diskio.Tried{Effective: trace.Effective{Cache: "direct"}, Bytes: int64(rate), Seconds: 1}, role: role})
	}
	return files
}

func flushing(ns float64, change func(*flushed)) flushed {
	f := flushed{fsync: slices.Repeat([]float64{ns}, flushes), full: slices.Repeat([]float64{ns}, flushes)}
	if change != nil {
		change(&f)
	}
	return f
}

// Every check can fail, and says why: here from numbers that a machine with the fault would give.
func TestJudges(t *testing.T) {
	refused := errors.New("inappropriate ioctl for device")
	same := func(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }
	for _, tt := range []struct {
		name string
		got  trace.Check
		want trace.Verdict
		says string
	}{
		{"one clock", judgeClocks(exchanged(0, 20_000)), trace.Pass, "agree within 20 µs"},
		{"another clock", judgeClocks(exchanged(5e9, 20_000)), trace.Fail, "different clocks"},
		{"a clock behind", judgeClocks(exchanged(-2e6, 20_000)), trace.Fail, "different clocks"},
		{"a clock a little ahead", judgeClocks(exchanged(300_000, 20_000)), trace.Warn, "by a little"},
		{"a clock that jumps", judgeClocks(readings{low: 50, high: -50, n: 2}), trace.Fail, "different clocks"},
		{"late answers", judgeClocks(exchanged(0, 3e6)), trace.Warn, "busy"},
		{"no answer", judgeClocks(readings{}), trace.Fail, "no exchange"},

		{"true seconds", judgeDrift(drift{10 * time.Second, 10 * time.Second, 10 * time.Second}), trace.Pass, "+0 ppm"},
		{"slewed wall clock", judgeDrift(drift{10 * time.Second, 10 * time.Second, 9996 * time.Millisecond}), trace.Pass, "+400 ppm"},
		{"fast stopwatch", judgeDrift(drift{10100 * time.Millisecond, 10100 * time.Millisecond, 10 * time.Second}), trace.Warn, "+10000 ppm"},
		{"far too fast stopwatch", judgeDrift(drift{11 * time.Second, 11 * time.Second, 10 * time.Second}), trace.Fail, "This machine's seconds are wrong"},
		{"two stopwatches", judgeDrift(drift{10 * time.Second, 9 * time.Second, 10 * time.Second}), trace.Fail, "runs apart"},
		{"a clock set back", judgeDrift(drift{time.Second, time.Second, -time.Hour}), trace.Warn, "set back"},

		{"sharp timers", judgeTimers(lateness{same(20e3, sleeps), same(200e3, sleeps)}), trace.Pass, "20 µs late"},
		{"dull timers", judgeTimers(lateness{same(2e6, sleeps), same(2e6, sleeps)}), trace.Warn, "Disks start late"},
		{"no timers", judgeTimers(lateness{same(15.6e6, sleeps), same(15.6e6, sleeps)}), trace.Fail, "cannot be started together"},
		{"late sleeps", judgeTimers(lateness{same(20e3, sleeps), same(50e6, sleeps)}), trace.Warn, "Pauses"},

		{"one start", judgeStart(same(40e3, releases)), trace.Pass, "40 µs"},
		{"one bad start", judgeStart(append(same(40e3, releases-1), 100e6)), trace.Pass, "at most 100 ms"},
		{"ragged starts", judgeStart(same(3e6, releases)), trace.Warn, "a millisecond apart"},
		{"no common start", judgeStart(same(80e6, releases)), trace.Fail, "do not begin together"},
		{"lost starts", judgeStart(same(40e3, 3)), trace.Fail, "3 of 20"},

		{"awake", judgeAwake(nil), trace.Pass, "kept awake"},
		{"asleep", judgeAwake(errors.New("systemd-inhibit: not found")), trace.Warn, "not found"},
		{"usual priority", judgePriority(priority{how: "nice 0"}), trace.Pass, "nice 0"},
		{"nice", judgePriority(priority{nice: 10, how: "nice 10"}), trace.Warn, "nice 10"},
		{"in the background", judgePriority(priority{background: true, how: "in the background"}), trace.Fail, "holds this program back"},
		{"mains", judgePower(power{known: true}), trace.Pass, "on mains"},
		{"battery", judgePower(power{known: true, battery: true}), trace.Warn, "on battery"},
		{"saving", judgePower(power{saving: "governor powersave"}), trace.Warn, "governor powersave"},

		{"a place", judgePlace(device.Place{Free: 1e9, Size: 1e9}), trace.Pass, "1 GB free"},
		{"read-only", judgePlace(device.Place{Free: 1e9, Writable: refused}), trace.Fail, "not writable"},
		{"full", judgePlace(device.Place{Free: 1e6, Size: 1e9}), trace.Fail, "1 MB free"},
		{"a place of no size", judgePlace(device.Place{}), trace.Pass, "free space not known"},
		{"a folder", judgeFolder(nil), trace.Pass, "locked"},
		{"no locks", judgeFolder(errors.New("a second process could take the test folder")), trace.Fail, "second process"},

		{"direct", judgeDirect(files(nil)), trace.Pass, "0.0 % cached"},
		{"refused", judgeDirect(files(func(m *moved) {
			m.Effective = trace.Effective{Cache: "buffered", Warnings: []string{"direct I/O is not available here"}}
		})), trace.Fail, "not available here"},
		{"small blocks on macOS", judgeDirect(files(func(m *moved) {
			m.Effective = trace.Effective{Cache: "cached writes", Warnings: []string{"those of 4096 bytes go through it"}}
		})), trace.Warn, "those of 4096 bytes"},
		{"believed", judgeDirect(files(func(m *moved) { m.Cached = 200e6 })), trace.Fail, "78 % of 256 MB are in the system's cache after a direct read"},
		{"no residency, not counted", judgeDirect(files(func(m *moved) { m.Cached, m.counted = -1, 10e6 })), trace.Fail, "the disk moved 4 % of the 256 MB"},
		{"no residency, counted", judgeDirect(files(func(m *moved) { m.Cached = -1 })), trace.Pass, "100 % moved by the disk"},
		{"nothing known", judgeDirect(files(func(m *moved) { m.Cached, m.counted = -1, -1 })), trace.Skip, "neither"},

		{"counted", judgeCounters(files(nil)), trace.Pass, "100.0 %"},
		{"not counted", judgeCounters(files(func(m *moved) { m.counted = 1e6 })), trace.Fail, "read of 256 MB, but the disk moved 1 MB"},
		{"a backup", judgeCounters(files(func(m *moved) { m.counted = 400e6 })), trace.Warn, "More moves on this disk"},
		{"no counter", judgeCounters(files(func(m *moved) { m.counted = -1 })), trace.Skip, "nothing counts"},

		{"free", judgeLimits(pacing(2e9, 2.5e9, 100e6, 150e6), nil), trace.Pass, "2.00 GB/s in large requests"},
		{"so many bytes a second", judgeLimits(pacing(2e9, 20e6, 100e6, 19e6), nil), trace.Fail, "Small requests (read) move as many bytes as large ones"},
		{"so many requests a second", judgeLimits(pacing(2e9, 2.5e9, 400e3, 150e6), nil), trace.Fail, "A small write takes longer than on any SSD"},
		{"a group's limit", judgeLimits(pacing(2e9, 2.5e9, 100e6, 150e6), []string{"control group /x limits reading on this disk to 20 MB/s"}), trace.Fail, "limits reading"},
		{"small ones in memory", judgeLimits([]moved{
			{Tried: diskio.Tried{Bytes: 300e6, Seconds: 1}}, {Tried: diskio.Tried{Bytes: 300e6, Seconds: 1}},
			{Tried: diskio.Tried{Bytes: 600e6, Seconds: 1, Effective: trace.Effective{Cache: "cached writes"}}}, {Tried: diskio.Tried{Bytes: 600e6, Seconds: 1}},
		}, nil), trace.Pass, "300 MB/s in large requests; "},
		{"USB 2", judgeLimits(pacing(40e6, 40e6, 10e6, 10e6), nil), trace.Warn, "USB 2"},
		{"slow to write only", judgeLimits(pacing(40e6, 728e6, 10e6, 50e6), nil), trace.Pass, "read 728 MB/s"},
		{"memory", judgeLimits(pacing(3e9, 3e9, 3e9, 3e9), nil), trace.Pass, ""},

		{"flushed", judgeFlush(flushing(800e3, nil)), trace.Pass, "fsync 800 µs, full 800 µs"},
		{"ignored", judgeFlush(flushing(2e3, nil)), trace.Fail, "ignores flushes"},
		{"ignored by a cache", judgeFlush(flushing(2e3, func(f *flushed) { f.known, f.volatile = true, true })), trace.Fail, "volatile cache, and yet"},
		{"quick, and nobody knows why", judgeFlush(flushing(50e3, nil)), trace.Warn, "unless the disk's memory survives"},
		{"quick, of a cache", judgeFlush(flushing(50e3, func(f *flushed) { f.known, f.volatile = true, true })), trace.Warn, "ignores flushes"},
		{"quick, of a virtual disk", judgeFlush(flushing(50e3, func(f *flushed) { f.known, f.volatile, f.virtual = true, true, true })), trace.Pass, "it is a virtual disk"},
		{"needless", judgeFlush(flushing(2e3, func(f *flushed) { f.known = true })), trace.Pass, "loses nothing without power"},
		{"no full", judgeFlush(flushing(800e3, func(f *flushed) { f.refused, f.full = refused, nil })), trace.Warn, "full not known here (inappropriate"},
		{"slow", judgeFlush(flushing(400e6, nil)), trace.Warn, "long wait"},

		{"lanes", judgeLanes(laneRates{same(1e9, 3), same(2e9, 3)}), trace.Pass, "with four 2.00 GB/s"},
		{"zero filling", judgeLanes(laneRates{same(1e9, 3), same(0.3e9, 3)}), trace.Warn, "slows down several requests"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.got
			if c.Verdict != tt.want {
				t.Errorf("got %s, want %s: %+v", c.Verdict, tt.want, c)
			}
			if all := c.Measured + " | " + c.Text; !strings.Contains(all, tt.says) {
				t.Errorf("got %q, want it to say %q", all, tt.says)
			}
			if bad := c.Verdict == trace.Fail || c.Verdict == trace.Warn; bad && c.Advice == "" {
				t.Errorf("%+v: no advice", c)
			}
		})
	}
}
