package coordinator

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// In whatever state a disk begins to hang, it is named, and the run ends: by itself, or at one
// interrupt.
func TestHangsInEveryState(t *testing.T) {
	for _, tc := range []struct {
		state  life.State // in which the disk hangs
		kind   string     // of the workers
		rests  bool       // it hangs while it rests
		notice string
		cause  string // when it is given up
	}{
		{life.GettingReady, "quick", true, "disk one: nothing has moved for 8s",
			"nothing has moved for 9s: the disk hangs"},
		{life.GettingReady, "unready", false, "disk one: its worker has given no sign of life for 8s",
			"its worker was killed: it gave no sign of life for 9s"},
		{life.Released, "silent", false, "disk one: its worker has given no sign of life for 8s",
			"its worker was killed: it gave no sign of life for 9s"},
		{life.Measuring, "started", false, "disk one: its worker has given no sign of life for 8s",
			"its worker was killed: it gave no sign of life for 9s"},
		{life.Cleaning, "silent", false, "", "its worker was killed: it did not stop within 4s"},
	} {
		for _, how := range []string{"given up", "interrupted"} {
			t.Run(string(tc.state)+" "+tc.kind+" "+how, func(t *testing.T) {
				t.Parallel()
				ctx, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				p := realPlan(scenario.VerifyOff)
				// A clock that goes fast would give up one that is well, too.
				p.Disks = p.Disks[:1]
				p.Phases[0].Jobs = p.Phases[0].Jobs[:1]
				back := make(chan struct{})
				defer close(back)
				hung := make(chan struct{})
				hangs := sync.OnceFunc(func() { close(hung) })
				var said notices
				out, seen := record(t, ctx, p, func(o *Options) {
					o.Stall = watch.After + time.Second
					o.looks = func() (<-chan time.Time, func()) { return fastLooks(hung) }
					show := o.Life.Show
					o.Life.Show = func(state life.State) {
						show(state)
						if state == tc.state && state != life.GettingReady {
							hangs()
						}
					}
					if tc.kind == "unready" {
						o.WorkerLog = onWrite(hangs)
					}
					o.Notify = func(text string) {
						said.add(text)
						if how == "interrupted" {
							interrupt()
						}
					}
					if how == "interrupted" {
						o.Stall = time.Hour
					}
					if tc.rests {
						p.Phases[0].Cooldown = time.Hour
						o.ask = func(_ context.Context, disk *scenario.Disk, _ bool) (int64, bool) {
							if disk.Name == "one" {
								hangs()
								<-back
							}
							return 0, false
						}
					}
					if tc.state == life.Cleaning {
						released := o.Watcher.(*memory).released
						go func() { <-released; interrupt() }()
					}
				}, tc.kind)
				cause := tc.cause
				switch {
				case tc.state == life.Cleaning:
				case how == "interrupted":
					cause = "interrupted"
				}
				told := false
				for _, f := range out.Failures {
					told = told || strings.HasPrefix(f.Cause, cause)
					if f.Cause != "interrupted" && f.Disk != "one" && f.Disk != "" {
						t.Errorf("disk %s is blamed: %s", f.Disk, f)
					}
				}
				if out.Status != trace.Partial || !told {
					t.Errorf("status %q, failures %v, want one: %s", out.Status, out.Failures, cause)
				}
				if !strings.Contains(said.text(), tc.notice) {
					t.Errorf("told %q, want %q", said.text(), tc.notice)
				}
				before := len(seen.states) - 2 // of life.Cleaning
				if tc.state != life.Cleaning && seen.states[before] != tc.state {
					t.Errorf("states %v, want that it hangs when %s", seen.states, tc.state)
				}
			})
		}
	}
}

// onWrite is a log that calls it when something is written.
type onWrite func()

func (f onWrite) Write(text []byte) (int, error) {
	f()
	return len(text), nil
}

// fastLooks looks fifty times as often as is usual, by a clock that goes as fast, from an event on:
// what comes before takes as long as a busy machine likes.
func fastLooks(from <-chan struct{}) (<-chan time.Time, func()) {
	looks, quit := make(chan time.Time), make(chan struct{})
	go func() {
		select {
		case <-from:
		case <-quit:
			return
		}
		now := time.Now()
		tick := time.NewTicker(watch.Every / 50)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-quit:
				return
			}
			now = now.Add(watch.Every)
			select {
			case looks <- now:
			case <-quit:
				return
			}
		}
	}()
	return looks, func() { close(quit) }
}

// notices is what a person was told, line by line.
type notices struct {
	mu    sync.Mutex
	lines []string
}

func (n *notices) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, text)
}

func (n *notices) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, "\n")
}

// A process that does not start, because a disk holds up its files, is not waited for: not for
// longer than the stall, nor after an interrupt.
func TestStartsThatHang(t *testing.T) {
	for _, how := range []string{"given up", "interrupted", "killed"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			kill := make(chan struct{})
			var told atomic.Int32
			began := make(chan struct{})
			close(began)
			looks := func() (<-chan time.Time, func()) { return fastLooks(began) }
			w := watch.Watch{Stall: time.Hour, Looks: looks, Notify: func(string) {
				told.Add(1)
				switch how {
				case "interrupted":
					interrupt()
				case "killed":
					close(kill)
				}
			}}
			if how == "given up" {
				w.Stall = watch.After + time.Second
			}
			s := newStarter(ctx, w, kill)
			defer s.close()
			back := make(chan struct{})
			defer close(back)
			s.starts <- func() { <-back }
			_, _, err := s.start(process("bystander"))
			if !errors.Is(err, errStartHangs) {
				t.Errorf("start: %v, want %v", err, errStartHangs)
			}
			check.Same(t, "notices", int32(1), told.Load())
		})
	}
}

// Who gets no processor says nothing and moves nothing: that is no sign of a disk that hangs.
func TestStarvedWorkersBlameNoDisk(t *testing.T) {
	const stall = 2 * time.Second
	alive := func(bytes int64) wire.Message {
		return wire.Message{Kind: wire.AliveKind, Bytes: bytes}
	}
	process, err := os.FindProcess(os.Getpid())
	check.Must(t, err)
	check.Must(t, process.Release()) // From here on it can't be killed, on any system.
	for _, tc := range []struct {
		what string
		// says is what the worker says a number of looks after the phase was released.
		says  map[int]wire.Message
		looks int
		want  string
	}{
		{"a disk that hangs", map[int]wire.Message{2: alive(0), 4: alive(0), 6: alive(0)}, 8,
			"nothing moved for 2s; check that the disk is still connected"},
		{"a disk that moves", map[int]wire.Message{2: alive(0), 4: alive(1), 6: alive(1)}, 8, ""},
		{"a starved worker", map[int]wire.Message{2: alive(0), 15: alive(1)}, 20, ""},
		{"one that then says something first", map[int]wire.Message{14: alive(0), 16: alive(1)}, 20,
			""},
		{"one for good", nil, 20, "it gave no sign of life for 5s; check that nothing has stopped " +
			"it, and that the disk is still connected"},
	} {
		seen := &memory{prepared: map[string][]int64{}, moved: map[string][]int64{}}
		p := &phaseRun{session: &session{Options: Options{Stall: stall, Watcher: seen,
			Life: &life.Life{State: life.Measuring}}}}
		c := &child{job: scenario.Job{Disk: "A"}, cmd: &exec.Cmd{Process: process}}
		p.children = []*child{c}
		now := time.Now()
		p.watch(now)
		for look := 1; look <= tc.looks && c.killed == ""; look++ {
			if m, ok := tc.says[look]; ok {
				p.handle(report{from: c, message: m})
			}
			now = now.Add(watch.Every)
			p.watch(now)
		}
		check.Same(t, tc.what, tc.want, c.killed)
	}
}
