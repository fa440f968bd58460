package coordinator

import (
	"fmt"
	"time"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/hub"
)

// liveHub lets the hub model run beside the clock, `speedup` times as fast. The model keeps its own
// time: however late a worker asks or a timer fires, the instants it grants are exact.
type liveHub struct {
	sim       *hub.Sim
	releaseNS int64
	speedup   float64
	timer     *time.Timer
}

// newLiveHub starts the model's part of a phase: from the release on, every working disk is on it.
func (p *phaseRun) newLiveHub(releaseNS int64) (*liveHub, error) {
	if err := p.sim.JoinPhase(p.opts.Plan, &p.phase); err != nil {
		return nil, fmt.Errorf("simulated hub: %w", err)
	}
	h := &liveHub{sim: p.sim, releaseNS: releaseNS, speedup: p.opts.Plan.Hub.Speedup, timer: time.NewTimer(time.Hour)}
	return h, nil
}

// nowNS is the model's time.
func (h *liveHub) nowNS() int64 {
	return max(0, int64(float64(clock.Now()-h.releaseNS)*h.speedup))
}

// granted returns what is done by now, and sets the timer for what is done next.
func (h *liveHub) granted() []hub.Grant {
	grants := h.sim.Advance(h.nowNS())
	if nextNS, ok := h.sim.Next(); ok {
		h.timer.Reset(max(minRest, time.Duration(float64(nextNS-h.nowNS())/h.speedup)))
	}
	return grants
}

// minRest is the minimum wait before the model looks again by itself: streams have thousands of frames a second
// that no worker needs to hear of at once.
const minRest = time.Millisecond

// due fires when the model has something to hand out; never if there is no model.
func (h *liveHub) due() <-chan time.Time {
	if h == nil {
		return nil
	}
	return h.timer.C
}

// serve hands out what the simulated hub has moved by now, and records its streams. A worker that asks for more than the
// disk moved before it was taken off the hub has caught up with the model, and finishes.
func (p *phaseRun) serve() {
	for _, g := range p.hub.granted() {
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
	if samples := p.hub.sim.Samples(p.phase.Name); len(samples) > 0 {
		p.record(samples...)
	}
}
