package coordinator

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// liveHub lets the hub model follow the clock, `speedup` times as fast. The model keeps its own
// time: however late a worker asks or a timer fires, the instants it grants are exact.
type liveHub struct {
	sim       *hub.Sim
	releaseNS int64
	speedup   float64
	timer     *time.Timer
}

// nowNS returns the model's time.
func (h *liveHub) nowNS() int64 {
	return max(0, int64(float64(clock.Now()-h.releaseNS)*h.speedup))
}

// minRest is the minimum wait before the model looks again by itself: streams have thousands of
// frames a second that no worker needs to hear of at once.
const minRest = time.Millisecond

// serve hands out what the simulated hub has moved by now, sets the timer for what is done next,
// and records its streams. A worker that asks for more than the disk moved before it was taken off
// the hub has caught up with the model, and finishes.
func (p *phaseRun) serve() {
	h := p.hub
	grants := h.sim.Advance(h.nowNS())
	if nextNS, ok := h.sim.Next(); ok {
		h.timer.Reset(max(minRest, time.Duration(float64(nextNS-h.nowNS())/h.speedup)))
	}
	for _, g := range grants {
		m := wire.Message{Kind: wire.GrantKind, DoneNS: g.DoneNS}
		if g.Ended {
			m = wire.Message{Kind: wire.FinishKind}
		}
		for _, c := range p.children {
			if c.job.Disk == g.Disk && !c.gone {
				c.send(m)
			}
		}
	}
	if samples := h.sim.Samples(p.phase.Name); len(samples) > 0 {
		p.record(samples...)
	}
}

// gauges are what is read during a phase, from just before its release until its workers have gone.
// Nothing waits for them except the phase's end, and that not for long.
type gauges struct {
	found   chan []gauge.Source // found gets one value.
	sources []gauge.Source
	sampler *gauge.Sampler        // sampler is from the release on.
	taken   <-chan gauge.Readings // taken are its readings.
}

// findGauges looks for what can be read of the phase's disks, while the workers get ready. Of
// a simulated disk that is nothing, and then nothing of the host either: its time is the model's.
func (p *phaseRun) findGauges(ctx context.Context) *gauges {
	g := &gauges{found: make(chan []gauge.Source, 1)}
	var disks []gauge.Target
	for _, job := range p.phase.Jobs {
		disk := p.Plan.Disk(job.Disk)
		if disk.Simulated() || p.Gauges == nil {
			return g
		}
		disks = append(disks, gauge.Target{Name: disk.Name, Path: disk.Path})
	}
	go func() { g.found <- p.Gauges(ctx, disks) }()
	return g
}

// beginGauges reads for the first time, once there is something to read and a release to count
// from.
func (p *phaseRun) beginGauges() {
	g := p.gauges
	releaseNS := p.released
	if releaseNS == 0 || len(g.sources) == 0 || g.sampler != nil {
		return
	}
	g.sampler = gauge.Start(g.sources, gauge.Options{
		Now: func() int64 { return clock.Now() - releaseNS },
		Fail: func(source string, err error) {
			p.Log.Warn("gauge stopped: it keeps failing",
				zap.String("source", source), zap.String("phase", p.phase.Name), zap.Error(err))
		},
	})
	g.taken = g.sampler.Readings
}

// recordGauges records what was read.
func (p *phaseRun) recordGauges(r gauge.Readings) {
	var events []trace.Event
	for _, v := range r.Reads {
		events = append(events, trace.Event{
			Type: trace.GaugeType, Phase: p.phase.Name, Disk: v.Disk, TNS: r.AtNS, Name: v.Name,
			Value: v.Value,
		})
	}
	p.record(events...)
}

const (
	// suspendCheckEvery is how often the clocks are looked at.
	suspendCheckEvery = 250 * time.Millisecond
	// minSuspend is the minimum that counts as a sleep: the clocks are not read at one instant.
	minSuspend = 200 * time.Millisecond
)

// suspend is a time in which the machine slept or the process was stopped.
type suspend struct {
	atNS int64 // atNS is when it went on, by the clock.
	took time.Duration
}

// detectSuspends notices when the machine has slept or the process was stopped, by what it reads at
// each tick (clock.Now and clock.Slept), until end. It looks from a goroutine that does nothing
// else, so that a slow disk under the results does not look the same.
func detectSuspends(
	read func() (nowNS int64, slept time.Duration), ticks <-chan time.Time,
) (stops chan suspend, end func()) {
	stops, quit := make(chan suspend, 64), make(chan struct{})
	now, slept := read()
	var gone sync.WaitGroup
	gone.Go(func() {
		for {
			select {
			case <-quit:
				return
			case <-ticks:
			}
			nextNow, nextSlept := read()
			// The clock of some systems runs during sleep.
			took := nextSlept - slept
			if took < minSuspend {
				took = 0
			}
			if passed := time.Duration(nextNow - now); passed >= clock.LongPause {
				took = max(took, passed)
			}
			if took > 0 {
				select {
				case stops <- suspend{atNS: nextNow, took: took}:
				default: // Dozens are waiting already: they say enough.
				}
			}
			now = nextNow
			slept = nextSlept
		}
	})
	return stops, func() { close(quit); gone.Wait() }
}

// recordSuspend records a suspension. Before the release it does not matter, nor to a model's time.
func (p *phaseRun) recordSuspend(s suspend) {
	p.Log.Warn("the machine slept, or hubbench was stopped", zap.String("phase", p.phase.Name),
		zap.Duration("for", s.took))
	if p.sim == nil && p.released > 0 && s.atNS > p.released {
		p.record(trace.Event{Type: trace.GaugeType, Phase: p.phase.Name, TNS: s.atNS - p.released,
			Name: trace.Stopped, Value: s.took.Seconds()})
	}
}
