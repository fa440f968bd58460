package diskio

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/fusetest"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// stalls is a file system that stands still from one instant to another, as the kernel sees it.
type stalls struct {
	fromNS, toNS atomic.Int64 // by clock.Now
	// How much longer a request was held up, as the machine woke nobody in time.
	overNS atomic.Int64
}

func (s *stalls) wait(op trace.Role, _ int) syscall.Errno {
	if now := clock.Now(); op != fusetest.Name && now >= s.fromNS.Load() && now < s.toNS.Load() {
		clock.SleepUntil(s.toNS.Load())
		for over := clock.Now() - s.toNS.Load(); ; {
			if longest := s.overNS.Load(); over <= longest ||
				s.overNS.CompareAndSwap(longest, over) {
				break
			}
		}
	}
	return 0
}

// bystander reads from the file system too, every so often, by plain calls on a thread of its own:
// what it waits outside the stall, no stream is to blame for.
type bystander struct {
	reads        int
	sum, slowest time.Duration // from when a read was due, woken late or not, to its end
}

func (b *bystander) watch(ctx context.Context, t *testing.T, dir string, gate *stalls) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	name := filepath.Join(dir, "bystander")
	if err := os.WriteFile(name, make([]byte, 1<<16), 0o600); err != nil {
		t.Error(err)
		return
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_DIRECT, 0)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	for p := make([]byte, 1<<16); ctx.Err() == nil; {
		due := clock.Now() + 5e6
		clock.SleepUntil(due)
		if _, err := f.ReadAt(p, 0); err != nil {
			t.Error(err)
			return
		}
		if now := clock.Now(); now < gate.fromNS.Load() || due >= gate.toNS.Load() {
			b.reads++
			b.sum += time.Duration(now - due)
			b.slowest = max(b.slowest, time.Duration(now-due))
		}
	}
}

// A device that really stands still, in real time, under streams of several kinds, some played and
// some recorded: the late frames are those of TestStreamsOverAStall. What this machine itself is
// late by may move a frame over the stall's edges, and one that other tests keep so busy that its
// device could not carry the streams twice proves nothing: a bystander shows both. Then it is tried
// again.
func TestStreamsOverARealStall(t *testing.T) {
	ways := map[string]engineMaker{"threads": noRing, "io_uring": newRing}
	for _, buffer := range []time.Duration{500 * time.Millisecond, 2 * time.Second} {
		for _, stall := range []time.Duration{300 * time.Millisecond, time.Second,
			3 * time.Second} {
			for how, engine := range ways {
				t.Run(fmt.Sprintf("%s, buffer %s, stall %s", how, buffer, stall),
					func(t *testing.T) {
						t.Parallel()
						var found []evidence.Finding
						counts := false
						for try := 0; try < 3 && !counts; try++ {
							found, counts = overRealStall(t, how, engine, buffer, stall)
						}
						for _, f := range found {
							if !counts {
								f.Left = "other work kept the processors too busy"
							}
							evidence.Report(t, f)
						}
						if !counts {
							t.Skip("this machine is too busy to tell")
						}
					})
			}
		}
	}
}

// overRealStall counts unless frames were late that should not be, on a machine too busy to move
// them in time.
func overRealStall(t *testing.T, how string, engine engineMaker, buffer,
	stall time.Duration) (found []evidence.Finding, counts bool) {
	t.Helper()
	runtime.LockOSThread()
	var gate stalls
	dir := fusetest.Mount(t, &fusetest.Device{Before: gate.wait})
	job := streamsJob(dir, stream.Spec{Rate: 2e6, Frame: 40 * time.Millisecond, Count: 2,
		Buffer: buffer})
	job.Streams = append(job.Streams,
		stream.Spec{Record: true, Rate: 1e6, Frame: time.Second / 60, Count: 2, Buffer: buffer},
		stream.Spec{Rate: 0.5e6, Frame: time.Second / 24, Count: 1, Buffer: buffer})
	job.Sizes, job.IO.Footprint = []int64{6_500_000}, 20<<20
	s := newStreams(job, system{open: openTestFile, ring: engine})
	const from = time.Second
	length := from + stall + buffer + 500*time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	var machine bystander
	var watching sync.WaitGroup
	p := playStreams(t, s, length, func() {
		gate.toNS.Store(clock.Now() + (from + stall).Nanoseconds())
		gate.fromNS.Store(clock.Now() + from.Nanoseconds())
		watching.Go(func() { machine.watch(ctx, t, dir, &gate) })
	}, func() {
		cancel()
		watching.Wait()
	})
	check.Same(t, "engine", how, p.effective.Engine)
	belated := p.host + time.Duration(gate.overNS.Load()) + machine.slowest
	var frames float64 // a second
	for _, p := range s.players {
		frames += float64(time.Second) / float64(p.Spec.Frame)
	}
	// As many requests as are in flight are done in the time that one takes.
	rate := float64(s.job.IO.Depth) * float64(machine.reads) / machine.sum.Seconds()
	var report strings.Builder
	for i, player := range s.players {
		lastNS := p.last[player.Name].TNS
		want := overStall(player.Spec, i, len(s.players), from, from+stall, time.Duration(lastNS))
		got := p.outcomes[tracetest.StreamOf{Stream: player.Name}]
		late := got.Late
		fmt.Fprintf(&report, " %d of %d", late, want.Late)
		check.Same(t, fmt.Sprintf("frames of stream %d due by %d ns", i+1, lastNS),
			want.Due, got.Due)
		may := 1 + int(2*belated/player.Spec.Frame)
		found = append(found, evidence.Finding{
			Claim: "streams-late",
			Case: fmt.Sprintf("the device stands still for %s, buffer %s, by %s, stream %d: "+
				"late frames", stall, buffer, how, i+1),
			Unit: fmt.Sprintf("of %d", want.Due), Truth: float64(want.Late),
			Measured: float64(late), Low: float64(late), High: float64(late),
			Limit: fmt.Sprintf("within %d", may), Pass: max(late-want.Late, want.Late-late) <= may,
		})
	}
	t.Logf("%s: late frames%s; this machine was late by up to %s, and its device could take %.0f "+
		"frames a second of %.0f",
		p.effective.Cache, &report, belated, rate, frames)
	return found, rate >= 2*frames || !slices.ContainsFunc(found, func(f evidence.Finding) bool {
		return !f.Pass
	})
}
