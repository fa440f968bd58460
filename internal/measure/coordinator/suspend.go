package coordinator

import (
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// suspendCheckEvery is how often the clocks are looked at.
	suspendCheckEvery = 250 * time.Millisecond
	// minSuspend is the minimum that counts as a sleep: the clocks are not read at one instant.
	minSuspend = 200 * time.Millisecond
)

// stop is a time in which the machine slept or the process was stopped.
type stop struct {
	atNS int64 // by the clock, when it went on
	took time.Duration
}

// clocks are what a suspendDetector looks at, at each tick.
type clocks struct {
	read  func() (nowNS int64, slept time.Duration) // clock.Now and clock.Slept
	ticks <-chan time.Time
}

// suspendDetector notices when the machine has slept or the process was stopped. It looks from a goroutine that does nothing else,
// so that a slow disk under the results does not look the same.
type suspendDetector struct {
	stops chan stop
	quit  chan struct{}
	gone  sync.WaitGroup
}

// detectSuspends starts a detector, which runs until end.
func detectSuspends(c clocks) *suspendDetector {
	v := &suspendDetector{stops: make(chan stop, 64), quit: make(chan struct{})}
	now, slept := c.read()
	v.gone.Go(func() {
		for {
			select {
			case <-v.quit:
				return
			case <-c.ticks:
			}
			nextNow, nextSlept := c.read()
			if took := missed(time.Duration(nextNow-now), nextSlept-slept); took > 0 {
				select {
				case v.stops <- stop{atNS: nextNow, took: took}:
				default: // dozens are waiting already: they say enough
				}
			}
			now, slept = nextNow, nextSlept
		}
	})
	return v
}

// missed is how long nothing ran, by the time between two looks and the growth of the time asleep between them.
// The clock of some systems runs during sleep.
func missed(passed, asleep time.Duration) time.Duration {
	if asleep < minSuspend {
		asleep = 0
	}
	if passed < clock.LongPause {
		return asleep
	}
	return max(asleep, passed)
}

func (v *suspendDetector) end() {
	close(v.quit)
	v.gone.Wait()
}

func machineClocks() (nowNS int64, slept time.Duration) { return clock.Now(), clock.Slept() }

// stoodStill records a suspension. Before the release it does not matter, nor to a model's time.
func (p *phaseRun) stoodStill(s stop) {
	p.opts.Log.Warn("the machine slept, or hubbench was stopped", zap.String("phase", p.phase.Name), zap.Duration("for", s.took))
	if p.sim == nil && p.released > 0 && s.atNS > p.released {
		p.record(trace.Event{Type: trace.GaugeType, Phase: p.phase.Name, TNS: s.atNS - p.released, Name: trace.Stopped, Value: s.took.Seconds()})
	}
}
