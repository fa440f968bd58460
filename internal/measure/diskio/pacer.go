package diskio

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/hubbench/hubbench/pkg/trace"
)

// pacer says when a request of a job with a pace or a probe is due. It goes on from file to file,
// and a request that waits for the disk is late: its time counts from when it was due (coordinated
// omission, as wrk2 and HdrHistogram correct for it).
//
// A request of a paced job is due when all bytes up to its end are at its rate, so that each file
// takes its size at that rate. What the job loses by waiting for the disk it catches up, up to a
// second's bytes (the generic cell rate algorithm of ITU-T I.371), at no more than one and a half
// times its rate: the disk never gets twice as much in a tenth of a second as the rate asks for. A
// probe's requests are due at fixed times; those that are past when the one before has ended follow
// at once.
type pacer struct {
	timing  timing
	rate    float64 // bytes per second; 0: a probe
	stepNS  int64   // time from one request of a probe to the next
	release int64
	// Up to when all has been handed out, and when the latest request began, in picoseconds since
	// the release, so that no rate suffers from rounding.
	nextPS, beganPS atomic.Int64
	givenUpPS       atomic.Int64 // part of a paced job's delay that it does not make up for
}

const (
	// catchUpPS is how far a paced job may be behind its rate and still make up for it.
	catchUpPS = 1_000_000_000_000
	// catchUpRate is how fast it does, as a multiple of its rate.
	catchUpRate = 1.5
	// oversleptNS is more than a lane oversleeps on a computer that is not busy.
	oversleptNS = 10_000_000
)

// newPacer returns the pacer of a job, from the release on; nil if it needs none.
func newPacer(e *mover) *pacer {
	if e.job.Pace == 0 && e.job.Probe == 0 {
		return nil
	}
	return &pacer{timing: e.timing, rate: e.job.Pace, stepNS: e.job.Probe.Nanoseconds(),
		release: e.release}
}

// reserve returns when a request of n bytes that is ready at nowNS is due, and when it may begin,
// by the clock. Any lane may call it.
func (p *pacer) reserve(n, nowNS int64) (dueNS, beginNS int64) {
	if p.stepNS > 0 {
		due := p.release + (p.nextPS.Add(p.stepNS*1000)-p.stepNS*1000)/1000
		return due, due
	}
	for {
		last := p.nextPS.Load()
		from := max(last, (nowNS-p.release)*1000-catchUpPS)
		due := from + int64(math.Round(float64(n)*1e12/p.rate))
		if p.nextPS.CompareAndSwap(last, due) {
			p.givenUpPS.Add(from - last)
			dueNS = p.release + (due+999)/1000
			return dueNS, p.begin(n, max(dueNS, nowNS))
		}
	}
}

// begin returns when a request of n bytes of a paced job may begin, at the earliest at a time:
// apart from the one before.
func (p *pacer) begin(n, earliestNS int64) int64 {
	for {
		last := p.beganPS.Load()
		begin := max((earliestNS-p.release)*1000, last+int64(float64(n)*1e12/p.rate/catchUpRate))
		if p.beganPS.CompareAndSwap(last, begin) {
			return p.release + (begin+999)/1000
		}
	}
}

// leftOut returns how many requests of n bytes were due by nowNS and will never begin.
func (p *pacer) leftOut(n, nowNS int64) int64 {
	if p.stepNS > 0 {
		behindNS := nowNS - p.release - p.nextPS.Load()/1000
		return max(0, behindNS+p.stepNS) / p.stepNS
	}
	return int64(float64(p.givenUpPS.Load()) * p.rate / 1e12 / float64(n))
}

// await waits until a request of n bytes may begin, and returns when it was due; false if the
// transfer ends before. One lane notes the progress meanwhile.
func (t *transfer) await(ctx context.Context, n int64, progress bool) (dueNS int64, ok bool) {
	now := t.now()
	dueNS, beginNS := t.pacer.reserve(n, now)
	for again := t.pacer.stepNS == 0; now < beginNS; now = t.now() {
		if progress {
			t.progress(now)
		}
		if ctx.Err() != nil || t.failure.Load() != nil || t.expired(now) {
			return 0, false
		}
		t.pacer.timing.sleepUntil(min(beginNS, now+t.sampleNS))
		// Lanes that all wake late would begin at once.
		if woke := t.now(); again && woke-beginNS > oversleptNS {
			again, beginNS = false, t.pacer.begin(n, woke)
		}
	}
	return dueNS, true
}

// opOf returns what request i of a transfer that reads and writes does: of any hundred that follow
// one another, as many read as the share says, in an order of its own for each seed.
func (t *transfer) opOf(i int64) trace.Role {
	if t.reads == 0 {
		return t.op
	}
	const window = 100
	i += t.first
	w := i / window
	share := func(w int64) int64 { return int64(math.Round(t.reads * window * float64(w))) }
	order := newShuffle(window, t.mixKey+uint64(w))
	if order.at(i%window) < share(w+1)-share(w) {
		return trace.Read
	}
	return trace.Write
}
