package coordinator

import (
	"time"

	"github.com/hubbench/hubbench/internal/clock"
	"github.com/hubbench/hubbench/internal/wire"
)

// limit fires when a phase that stops by time is over; never in others. The model of a simulated hub has its own.
func (p *phaseRun) limit(releaseNS int64) <-chan time.Time {
	if p.policy.Limit == 0 || p.sim != nil {
		return nil
	}
	return time.After(time.Duration(releaseNS-clock.Now()) + p.policy.Limit)
}

// finishAll ends every job that goes on by the phase's policy, as whole.
func (p *phaseRun) finishAll() {
	for _, c := range p.children {
		p.finish(c)
	}
}

func (p *phaseRun) finish(c *child) {
	if !c.gone && !c.done && !c.finishing {
		c.finishing = true
		_ = c.conn.Send(wire.Message{Kind: wire.FinishKind}) // a worker that cannot be told is about to exit
	}
}

// worked notes that a child has moved what it was to. When all have, those who hold have filled enough; those of a
// simulated hub when the model says so, which is exact.
func (p *phaseRun) worked(c *child) {
	p.working.End(c.job.Disk)
	if p.sim == nil && p.working.Over() {
		p.finishAll()
	}
}

// finishSpent ends the jobs that the model has taken off the hub (by its limit, or all together after the last of those
// who hold has moved what it was to), each when it has caught up with the model.
func (p *phaseRun) finishSpent() {
	for _, c := range p.children {
		if p.hub.sim.Spent(c.job.Disk) {
			p.finish(c)
		}
	}
}
