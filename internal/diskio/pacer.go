package diskio

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/hubbench/hubbench/pkg/trace"
)

// pacer says when a request of a job may begin that does not go as fast as it can. It goes on from file to file. A paced
// job begins a request when all bytes up to its end are due at its rate, so that each file takes its size at that rate; what
// it loses by waiting for the disk it catches up, up to a second's bytes: as a leaky bucket does (the generic cell rate
// algorithm of ITU-T I.371). A probe's requests begin at fixed times; those that are past when the one before has ended are
// left out.
type pacer struct {
	timing timing
	rate   float64 // bytes per second; 0: a probe
	stepNS int64   // of a probe: from one begin to the next
	// Up to when all has been handed out, in picoseconds since the release, so that no rate suffers from rounding.
	nextPS  atomic.Int64
	release int64
}

// catchUpPS is how far a paced job may be behind its rate and still make up for it.
const catchUpPS = 1_000_000_000_000

// newPacer is the pacer of a job, from the release on; nil where it needs none.
func newPacer(e *real) *pacer {
	if e.job.Pace == 0 && e.job.Probe == 0 {
		return nil
	}
	return &pacer{timing: e.timing, rate: e.job.Pace, stepNS: e.job.Probe.Nanoseconds(), release: e.release}
}

// reserve is when a request of n bytes may begin, by the clock, that is ready at nowNS. Any lane may call it.
func (p *pacer) reserve(n, nowNS int64) int64 {
	nowPS := (nowNS - p.release) * 1000
	for {
		last := p.nextPS.Load()
		var at, next int64
		if p.stepNS == 0 {
			next = max(last, nowPS-catchUpPS) + int64(math.Round(float64(n)*1e12/p.rate))
			at = next
		} else {
			step := p.stepNS * 1000
			at = last + max(0, nowPS-last+step-1)/step*step
			next = at + step
		}
		if p.nextPS.CompareAndSwap(last, next) {
			return p.release + (at+999)/1000
		}
	}
}

// await waits until a request of n bytes may begin, and reports false where the transfer ends before. One lane notes the
// progress meanwhile.
func (t *transfer) await(ctx context.Context, n int64, progress bool) bool {
	now := t.now()
	beginNS := t.pacer.reserve(n, now)
	for ; now < beginNS; now = t.now() {
		if progress {
			t.progress(now)
		}
		if ctx.Err() != nil || t.failure.Load() != nil || t.expired(now) {
			return false
		}
		t.pacer.timing.sleepUntil(min(beginNS, now+t.sampleNS))
	}
	return true
}

// opOf is what request i of a transfer that reads and writes does: of any hundred that follow one another, as many read as
// the share says, in an order of its own for each seed.
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
