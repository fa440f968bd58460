package coordinator

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

func (p *phaseRun) killAll(why string) {
	p.stopping = true
	for _, c := range p.children {
		if !c.gone {
			c.kill(why)
		}
	}
}

// watch kills workers whose job does not go on, and those that do not stop when asked to.
func (p *phaseRun) watch(now time.Time) {
	// If no look happened for a while, this process was stopped or the machine slept: the disks are not to blame.
	passed := min(now.Sub(p.watched), 2*watchEvery)
	p.watched = now
	for _, c := range p.children {
		c.silent += passed
		switch {
		case c.gone:
		case c.killed != "":
			if now.Sub(c.killedAt) > killTimeout {
				c.leave() // nothing in our power ends it: its exit is not waited for
				if disk := p.opts.Plan.Disk(c.job.Disk); !disk.Simulated() {
					p.opts.hanging[disk.Path] = true
				}
				p.recordLoss(c, fmt.Sprintf("its worker was killed (%s) and does not exit: the disk hangs", c.killed))
			}
		case p.stopping && now.After(p.stopBy):
			c.kill(fmt.Sprintf("it did not stop within %s", stopTimeout))
		case p.stopping || c.ready && p.released == 0:
		case c.silent > p.stallTimeout(c):
			c.kill(fmt.Sprintf("nothing moved for %s; check that the disk is still connected", c.silent.Round(time.Second)))
		case c.silent > p.stallTimeout(c)-p.opts.Stall+sayAfter && !c.warned && p.opts.OnHang != nil:
			c.warned = true
			p.opts.OnHang(fmt.Sprintf("disk %s: nothing has moved for %s: it hangs, or is very slow; hubbench gives up on it after %s (--stall)",
				c.job.Disk, c.silent.Round(time.Second), p.stallTimeout(c)))
		}
	}
}

// sayAfter is how long nothing may move before a person is warned.
const sayAfter = 8 * time.Second

// slowest is the rate of a disk that is slow and not dead, in bytes per second.
const slowest = 5e6

// stallTimeout is for how long a child may move nothing. How far a request has got is unknown, and those in flight may all end at
// once: they take as long as a slow disk needs for them, and so does a call for a whole file, however far it is.
func (p *phaseRun) stallTimeout(c *child) time.Duration {
	if len(c.job.Sizes) == 0 {
		return p.opts.Stall
	}
	largest := slices.Max(c.job.Sizes)
	takes := func(bytes int64) time.Duration { return time.Duration(float64(bytes) / slowest * float64(time.Second)) }
	if c.job.IO.Mode == scenario.ModeApp {
		return p.opts.Stall + takes(largest)
	}
	return max(p.opts.Stall, takes(min(largest, c.job.IO.Block*int64(c.job.IO.Depth))))
}

// recordExit notes a child's exit. If it had not said that it is done, the phase is incomplete; the janitor removes its
// files.
func (p *phaseRun) recordExit(c *child, exit error) {
	c.leave()
	p.opts.Log.Info("worker exited", zap.String("disk", c.job.Disk), zap.String("phase", p.phase.Name), zap.Error(exit))
	if p.hub != nil {
		p.hub.sim.Leave(c.job.Disk, p.hub.nowNS())
	}
	if c.done && exit == nil {
		return
	}
	cause := fmt.Sprintf("its worker died (%v)", exit)
	switch {
	case c.killed != "":
		cause = "its worker was killed: " + c.killed
	case c.stderr.crash != "":
		cause += ": " + c.stderr.crash
	}
	if !p.stopping || c.killed != "" && c.killed != errKilled.Error() {
		p.recordLoss(c, cause)
	}
	p.stop()
}

// recordLoss notes that a child is gone that could not say so itself, for whoever reads the trace.
func (p *phaseRun) recordLoss(c *child, cause string) {
	var nowNS int64
	switch {
	case p.hub != nil:
		nowNS = p.hub.nowNS()
	case p.released > 0:
		nowNS = clock.Now() - p.released
	}
	p.record(trace.Event{Type: trace.ErrorType, Phase: p.phase.Name, Disk: c.job.Disk, Seq: c.files, TNS: nowNS, Error: cause})
	p.abort(c.job.Disk, cause)
}

func (p *phaseRun) abort(disk, cause string) {
	cause = strings.TrimPrefix(strings.ReplaceAll(cause, "\n", "; "), "disk "+disk+": ") // which is said anyway
	f := trace.RunFailure{Phase: p.phase.Name, Disk: disk, Cause: cause}
	p.opts.Log.Error("phase incomplete", zap.String("phase", f.Phase), zap.String("disk", f.Disk), zap.String("cause", f.Cause))
	p.failures = append(p.failures, f)
	p.stop()
}
