package diskio

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// played is what a streams job reported.
type played struct {
	effective trace.Effective
	spans     []Span
	outcomes  tracetest.Outcomes
	last      map[string]trace.Event // of each stream
	late      int                    // frames of the stream that had most
	host      time.Duration          // how late this computer was
	samples   int
	latencies emitted
}

// virtualTime is the clock of a synctest bubble.
func virtualTime() timing {
	began := time.Now()
	now := func() int64 { return int64(time.Since(began)) }
	return timing{now, func(ns int64) { <-time.After(time.Duration(ns - now())) }}
}

// playStreams runs a streams job for that long, and calls hooks when it is released and when it has
// ended.
func playStreams(t *testing.T, s *streams, length time.Duration, hooks ...func()) *played {
	t.Helper()
	p := &played{outcomes: tracetest.Outcomes{}, last: map[string]trace.Event{}}
	var err error
	p.effective, err = s.Prepare(t.Context(), func(int64) {})
	defer closeEngine(t, s)
	check.Must(t, err)
	if len(hooks) > 0 {
		hooks[0]()
	}
	s.Start(s.timing.now(), func(e trace.Event) {
		switch {
		case e.Name == trace.HostLate:
			p.host = time.Duration(math.Round(e.Value * 1e9))
		case e.Type == trace.LatencyType:
			p.latencies.emit(e)
		case e.Type == trace.StreamType:
			if got := e.TNS - p.last[e.Stream].TNS; got <= 0 || got > stream.SampleNS {
				t.Errorf("stream %s: a sample at %d ns, %d after the one before", e.Stream, e.TNS,
					got)
			}
			p.outcomes.Add(&e)
			p.last[e.Stream] = e
			p.late = max(p.late, e.Late)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	for seq := 0; err == nil; seq++ {
		last, size := int64(0), s.job.Sizes[0]
		var span Span
		span, err = s.Transfer(ctx, seq, func(bytes, _, tNS int64) {
			if bytes < last || bytes > size {
				t.Errorf("file %d: %d bytes of %d after %d", seq, bytes, size, last)
			}
			last = bytes
			p.samples++
		})
		if err == nil {
			p.spans = append(p.spans, span)
		} else if ctx.Err() == nil {
			t.Fatal(err)
		}
	}
	if len(hooks) > 1 {
		hooks[1]()
	}
	closeEngine(t, s)
	check.Empty(t, filepath.Join(s.job.Dir, testfolder.Prefix+s.job.RunID))
	return p
}

// virtualStreams is the engine of a streams job in virtual time.
func virtualStreams(job Job, sys system, engine engineMaker) *streams {
	sys.ring = engine
	s := newStreams(job, sys)
	s.timing = virtualTime()
	return s
}

// streamsJob is a job of some small streams of one kind.
func streamsJob(dir string, spec stream.Spec) Job {
	job := newJob(dir, trace.Read, int64(spec.TotalRate()))
	if spec.Record {
		job.Role = trace.Write
	}
	job.Streams = []stream.Spec{spec}
	job.IO.Footprint = int64(spec.Count) << 20
	job.IO.Depth = 1
	return job
}

// stalling is a system whose requests take that long each, and stand still in a time.
func stalling(service time.Duration, stands func() time.Duration) system {
	return wrapping(func(f testFile, _ opening) testFile {
		return hooked{f, func(op trace.Role, _ int, _, _ int64) bool {
			<-time.After(stands() + service)
			return op == trace.Read
		}}
	})
}

// A device that stands still for a while makes those frames late that were due meanwhile and not
// asked for before: no more and no fewer, whatever the frames before and after do.
func TestStreamsOverAStall(t *testing.T) {
	const (
		service = 2 * time.Millisecond
		frame   = 40 * time.Millisecond
		from    = 5 * time.Second
		length  = 12 * time.Second
	)
	stalled := func(t *testing.T, dir string, engine engineMaker, spec stream.Spec,
		stall time.Duration) {
		var began time.Time
		stands := func() time.Duration {
			since := time.Since(began)
			if began.IsZero() || since < from || since >= from+stall {
				return 0
			}
			return from + stall - since
		}
		p := playStreams(t, virtualStreams(streamsJob(dir, spec), stalling(service, stands),
			engine),
			length, func() { began = time.Now() })
		p.checkSpans(t, spec, length)
		for i, player := range stream.Players([]stream.Spec{spec}) {
			want := overStall(spec, i, spec.Count, from, from+stall, length)
			got := p.outcomes[tracetest.StreamOf{Stream: player.Name}]
			check.Same(t, player.Name+": frames due", want.Due, got.Due)
			if diff := got.Late - want.Late; diff < 0 || diff > max(1, want.Late/100) {
				t.Errorf("stream %d: %d late frames, want %d", i+1, got.Late, want.Late)
			}
			check.Same(t, player.Name+": stalled", int64(got.Late)*frame.Nanoseconds(), got.StallNS)
			if diff := got.LowestNS - want.LowestNS; diff < -4*service.Nanoseconds() || diff > 0 {
				t.Errorf("stream %d: the buffer fell to %d ns, want at most a few requests under %d",
					i+1, got.LowestNS, want.LowestNS)
			}
		}
	}
	for _, record := range []bool{false, true} {
		for _, buffer := range []time.Duration{500 * time.Millisecond, 2 * time.Second} {
			for _, stall := range []time.Duration{0, 300 * time.Millisecond, time.Second,
				3 * time.Second} {
				spec := stream.Spec{Record: record, Rate: 1.03e6, Frame: frame, Count: 4,
					Buffer: buffer}
				inVirtualTime(t, fmt.Sprintf("record %v, buffer %s, stall %s", record, buffer,
					stall),
					func(t *testing.T, dir string, engine engineMaker) {
						stalled(t, dir, engine, spec, stall)
					})
			}
		}
	}
}

// However short a phase is, its streams have moved at their rate: a stretch takes as long as its
// frames are shown.
func TestStreamsOfAShortPhase(t *testing.T) {
	inVirtualTime(t, "", func(t *testing.T, dir string, engine engineMaker) {
		spec := stream.Spec{Rate: 1e6, Frame: 40 * time.Millisecond, Count: 1, Buffer: time.Second}
		p := playStreams(t, virtualStreams(streamsJob(dir, spec), serving(time.Millisecond),
			engine),
			2100*time.Millisecond)
		check.Same(t, "stretches of a second in 2.1 s", 2, len(p.spans))
		for _, s := range p.spans {
			rate := float64(s.Bytes) / float64(s.EndNS-s.StartNS) * 1e9
			check.Near(t, "bytes per second", spec.Rate, rate, 0.002*spec.Rate)
		}
	})
}

// overStall is what becomes of a stream's frames, one of several on a disk, when nothing moves for
// a time, and else everything at once.
func overStall(spec stream.Spec, i, of int, from, to, length time.Duration) (want stream.Totals) {
	want.LowestNS = spec.Buffer.Nanoseconds()
	for k := 0; ; k++ {
		ask := spec.Frame*time.Duration(i)/time.Duration(of) + time.Duration(k)*spec.Frame
		if ask+spec.Buffer > length {
			return want
		}
		want.Due++
		if ask >= from {
			want.LowestNS = min(want.LowestNS, max(0, ask+spec.Buffer-to).Nanoseconds())
		}
		if ask >= from && ask+spec.Buffer < to {
			want.Late++
		}
	}
}

// checkSpans checks that the files of a streams job are one after the other, and come to the
// streams' rate if nothing was skipped.
func (p *played) checkSpans(t *testing.T, spec stream.Spec, length time.Duration) {
	t.Helper()
	var sum, end int64
	for i, span := range p.spans {
		if span.StartNS != end || span.EndNS <= span.StartNS {
			t.Errorf("file %d: %+v after %d", i, span, end)
		}
		end = span.EndNS
		sum += span.Bytes
	}
	late := 0
	for _, o := range p.outcomes {
		late += o.Late
	}
	if got := float64(sum) / float64(end) * 1e9; late == 0 &&
		math.Abs(got/spec.TotalRate()-1) > 0.005 {
		t.Errorf("%.0f bytes per second, want %.0f", got, spec.TotalRate())
	}
	if seconds := int(length.Seconds()); late == 0 && len(p.spans) < seconds-1 {
		t.Errorf("%d files in %d s", len(p.spans), seconds)
	}
	if p.samples < 15*len(p.spans) {
		t.Errorf("%d samples of progress of %d files", p.samples, len(p.spans))
	}
}

// engineMaker makes the queue of a system.
type engineMaker = func(ioWork) (ioEngine, error)

// overEngines runs a test over each way to move frames.
func overEngines(t *testing.T, name string, test func(t *testing.T, engine engineMaker)) {
	t.Helper()
	for how, engine := range map[string]engineMaker{"threads": noRing, "io_uring": likeRing(0)} {
		t.Run(how+", "+name, func(t *testing.T) { test(t, engine) })
	}
}

// inVirtualTime runs a test over each way to move frames, in a folder of its own and in virtual
// time.
func inVirtualTime(
	t *testing.T, name string, test func(t *testing.T, dir string, engine engineMaker),
) {
	t.Helper()
	overEngines(t, name, func(t *testing.T, engine engineMaker) {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) { test(t, dir, engine) })
	})
}

// likeRing makes queues whose requests are made by threads, in the test's own time, but which
// behave as an io_uring: each end of a request wakes the caller, and a disk whose own queue is full
// has whoever begins one wait, unless a thread of the kernel's does.
func likeRing(full time.Duration) engineMaker {
	return func(w ioWork) (ioEngine, error) {
		return &ringLike{newThreads(w, false), full, nil,
			make([]int64, w.depth)}, nil
	}
}

type ringLike struct {
	*threads
	full    time.Duration
	added   []*request
	startNS []int64 // of each slot's request
}

func (q *ringLike) add(r *request) { q.added = append(q.added, r) }

func (q *ringLike) submit() error {
	for _, r := range q.added {
		q.startNS[r.number] = q.timing.now()
	}
	for _, r := range q.added {
		if !r.async && q.full > 0 {
			<-time.After(q.full)
		}
		q.threads.add(r)
	}
	q.added = q.added[:0]
	return nil
}

func (q *ringLike) wait(_ context.Context, untilNS int64, _ bool) error {
	if err := q.submit(); err != nil {
		return err
	}
	select {
	case <-q.woken:
	case <-time.After(time.Duration(untilNS - q.timing.now())):
		q.timing.sleepUntil(untilNS) // which may oversleep
	}
	return nil
}

func (q *ringLike) ended(list []*request) ([]*request, int64) {
	list, nowNS := q.threads.ended(list)
	for _, r := range list {
		r.startNS, r.endNS, r.freeNS = q.startNS[r.number], nowNS, nowNS
	}
	return list, nowNS
}

// What was played stays for the next job that needs it, and what was recorded does not.
func TestStreamsCarryOver(t *testing.T) {
	dir := t.TempDir()
	spec := stream.Spec{Rate: 1e6, Frame: 10 * time.Millisecond, Count: 2, Buffer: time.Second}
	written := func(record bool, footprint int64) int64 {
		s := spec
		s.Record = record
		job := streamsJob(dir, s)
		job.Sizes, job.Stretch, job.IO.Footprint = []int64{100_000}, time.Second, footprint
		needs := job
		needs.Streams = []stream.Spec{spec}
		job.CarryOver = needs.Needs()
		engine := newStreams(job, systems["threads"])
		var wrote int64
		_, err := engine.Prepare(t.Context(), func(done int64) { wrote = done &^ (1<<20 - 1) })
		check.Must(t, err)
		started(engine)
		moved(t, engine, 0)
		closeEngine(t, engine)
		return wrote
	}
	for i, tt := range []struct {
		record          bool
		footprint, want int64
	}{{true, 0, 0}, {false, 0, 2 << 20}, {false, 0, 0}, {true, 0, 0}, {false, 0, 0},
		{true, 2 << 20, 0}, {false, 0, 2 << 20}} {
		check.Same(t, fmt.Sprintf("bytes that were written before job %d", i), tt.want,
			written(tt.record, tt.footprint))
	}
	check.Must(t, testfolder.RemoveRun(dir, "r1"))
	check.Empty(t, dir)
}

// What this computer is late by is reported: when it does not wake in time to ask for frames, and
// when it stands still while the disk is at work on all that it may have at once. What a slow disk
// keeps waiting is no part of it, however little the player holds.
func TestStreamsTellHowLateTheHostIs(t *testing.T) {
	const (
		ms = time.Millisecond
		at = 1010 * ms // within a request, but of the fastest disk
	)
	for _, tt := range []struct {
		service, still, oversleeps, want time.Duration
	}{
		{service: ms},
		{service: 43 * ms},
		{service: 47 * ms},
		{service: 60 * ms},
		{service: 130 * ms},
		{service: ms, oversleeps: 50 * ms, want: 50 * ms},
		{service: ms, oversleeps: 300 * ms, want: 300 * ms},
		{service: ms, still: 700 * ms, want: 700 * ms},
		{service: 39 * ms, still: 700 * ms, want: 700 * ms},
		{service: 45 * ms, still: 700 * ms, want: 700 * ms},
	} {
		inVirtualTime(t, fmt.Sprintf("requests of %s, still for %s, oversleeps %s", tt.service,
			tt.still, tt.oversleeps), func(t *testing.T, dir string, engine engineMaker) {
			job := streamsJob(dir,
				stream.Spec{Rate: 1e6, Frame: 40 * ms, Count: 1, Buffer: 200 * ms})
			s := virtualStreams(job, serving(tt.service), engine)
			running, overslept := s.timing, false
			s.timing.now = func() int64 {
				if ns := running.now(); ns < at.Nanoseconds() {
					return ns
				}
				return running.now() + tt.still.Nanoseconds()
			}
			s.timing.sleepUntil = func(ns int64) {
				if ns > at.Nanoseconds() {
					ns = max(at.Nanoseconds(), ns-tt.still.Nanoseconds())
					if !overslept {
						overslept = true
						ns += tt.oversleeps.Nanoseconds()
					}
				}
				running.sleepUntil(ns)
			}
			p := playStreams(t, s, 4*time.Second)
			// Something is due every 50 ms at least, and may go unseen for that long; the
			// histogram has it to a thousandth.
			if over := p.host - tt.want; over > tt.want/1000 || over < -50*ms {
				t.Errorf("late by %s, want %s or up to 50 ms less", p.host, tt.want)
			}
			if slow := tt.service > 40*ms ||
				max(tt.still, tt.oversleeps) > 200*ms; slow != (p.late > 0) {
				t.Errorf("%d late frames", p.late)
			}
		})
	}
}

// serving is a system whose disk takes that long for each request.
func serving(service time.Duration) system {
	return stalling(service, func() time.Duration { return 0 })
}
