package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// releaseDelay is how far ahead the release instant lies: enough for every worker to get the
	// message and to sleep.
	releaseDelay = 30 * time.Millisecond
	// stopTimeout is how long a worker that was asked to stop may take to finish its request and
	// remove its files, before it is killed and its files are removed for it.
	stopTimeout = 4 * time.Second
	// killTimeout is how long a killed worker may take to die. One that the kernel holds in a
	// request to a disk that hangs never dies.
	killTimeout = 2 * time.Second
	// aliveWithin is how long a worker that runs may say nothing: twice as long as it does.
	aliveWithin = time.Second
)

// phaseRun is one phase under way. One goroutine owns it; children report to it through reports.
type phaseRun struct {
	*session
	phase     scenario.Phase
	index     int // index is that in the plan, also for the tries of a search.
	working   policy.WorkingDisks
	settling  policy.Settling
	children  []*child
	reports   chan report
	hub       *liveHub  // hub is the simulation, from the release on.
	stopBy    time.Time // stopBy is when waiting for workers that clean up ends.
	effective map[string]trace.Effective
	failures  []trace.RunFailure
	released  int64 // released is the instant of the release, by clock.Now; zero before.
	gauges    *gauges
	err       error // err is the journal's.
}

// run sees the phase through: start, ready, release, listen, until every child has exited.
func (p *phaseRun) run(ctx context.Context) error {
	p.settling = policy.NewSettling(&p.phase)
	for _, job := range p.phase.Jobs {
		if !job.HasNoFiles() {
			p.working.Begin(job.Disk)
		}
	}
	for _, job := range p.phase.Jobs {
		if err := p.start(job); errors.Is(err, errStartHangs) {
			p.abort("", err.Error())
			break
		} else if err != nil {
			p.abort(job.Disk, err.Error())
			break
		}
	}
	p.gauges = p.findGauges(ctx)
	looks, endLooks := p.Options.watch().Look()
	defer endLooks()
	look := time.NewTicker(suspendCheckEvery)
	defer look.Stop()
	read := p.Clocks
	if read == nil {
		read = func() (int64, time.Duration) { return clock.Now(), clock.Slept() }
	}
	stops, end := detectSuspends(read, look.C)
	defer end()
	interrupted, kill := ctx.Done(), p.Kill
	for p.anyRuns() {
		// due is when the model has something to hand out; never if there is none.
		var due <-chan time.Time
		if p.hub != nil {
			due = p.hub.timer.C
		}
		select {
		case r := <-p.reports:
			p.handle(r)
		case <-due:
			p.serve()
		case p.gauges.sources = <-p.gauges.found:
			p.beginGauges()
		case r := <-p.gauges.taken:
			p.recordGauges(r)
		case now := <-looks:
			p.watch(now)
		case s := <-stops:
			p.recordSuspend(s)
		case <-interrupted:
			interrupted = nil
			p.abort("", whyEnded(ctx).Error())
		case <-kill:
			kill = nil
			for _, c := range p.children {
				if !c.gone {
					c.kill(errKilled.Error())
				}
			}
			if len(p.failures) == 0 { // The first interrupt has not been seen yet.
				interrupted = nil
				p.abort("", errKilled.Error())
			}
		}
	}
	if p.gauges.sampler != nil { // Nothing is moved any more.
		p.gauges.sampler.Stop(p.recordGauges)
	}
	return p.err
}

// anyRuns reports whether a worker of the phase has not exited.
func (p *phaseRun) anyRuns() bool {
	for _, c := range p.children {
		if !c.gone {
			return true
		}
	}
	return false
}

// whyEnded is what has ended a run's context.
func whyEnded(ctx context.Context) error {
	if why := context.Cause(ctx); !errors.Is(why, context.Canceled) {
		return why
	}
	return errInterrupted
}

func (p *phaseRun) start(job scenario.Job) error {
	disk := p.Plan.Disk(job.Disk)
	command := p.Command(append([]string{"worker", p.RunID}, p.folders()...)...)
	if p.janitor != nil {
		inherit(command, p.janitor.pipe)
	}
	stderr := &stderrLog{out: p.WorkerLog, log: p.Log.With(zap.String("disk", job.Disk))}
	c, err := newChild(p.starter, command, stderr, job, p.reports)
	if err != nil {
		return err
	}
	p.children = append(p.children, c)
	p.Log.Info("worker started", zap.String("disk", job.Disk), zap.String("phase", p.phase.Name),
		zap.Int("pid", c.cmd.Process.Pid))
	c.send(wire.Message{Kind: wire.JobKind, Job: &wire.Assignment{
		Simulated: disk.Simulated(),
		Device:    p.Devices[disk.Name],
		Policy:    policy.Of(&p.phase),
		Job: diskio.Job{
			Job: job, RunID: p.RunID, Phase: p.phase.Name, Dir: disk.Path,
			CarryOver: p.Plan.CarryOver(p.index, job.Disk),
			Fill:      p.phase.Precondition,
			KeepFill:  p.phase.Try != nil || p.Plan.KeepsFilling(p.index),
			Space:     p.Plan.Stock(disk.Name)[p.index].Space,
		},
	}})
	return nil
}

// handle acts on what a child reports.
func (p *phaseRun) handle(r report) {
	c := r.from
	if r.exited {
		p.recordExit(c, r.err)
		return
	}
	m := r.message
	c.mute.Moved()
	if !c.greeted {
		c.greeted = true
		if p.Build != "" && m.Build != p.Build && !p.cleaning() {
			p.abort("", fmt.Sprintf("hubbench was replaced while the run went on: it began "+
				"with %s, and a worker is %s, which may measure differently",
				p.Build, cmp.Or(m.Build, "another one")))
			return
		}
	}
	// Signs of life are none of movement: a disk may hang in the middle of a request.
	moved := m.Moved
	switch m.Kind {
	case wire.AliveKind:
		moved = m.Bytes != c.bytes || m.Prepared != c.prepared
	case wire.EventsKind, wire.HelloKind:
	default:
		moved = true // A step is done.
	}
	if moved {
		c.silence.Moved()
	}
	if moved && p.Life.State == life.Released {
		p.recorded(p.Life.Enter(life.Measuring, "phase "+p.phase.Name))
	}
	if m.Effective != nil {
		p.effective[c.job.Disk] = *m.Effective
	}
	switch m.Kind {
	case wire.ReadyKind:
		c.ready = true
		c.prepared = m.Prepared
		p.Watcher.Moves(c.job.Disk, m.Prepared, 0)
		p.protect(c.job.Disk)
		p.releaseWhenReady()
	case wire.EventsKind:
		c.files += m.Files
		p.recorded(p.Journal.AppendLines(m.Lines))
	case wire.AliveKind:
		c.bytes = m.Bytes
		c.prepared = m.Prepared
		p.Watcher.Moves(c.job.Disk, m.Prepared, m.Bytes)
	case wire.AskKind:
		if p.hub != nil {
			if err := p.hub.sim.Ask(c.job.Disk, m.Bytes); err != nil {
				p.abort(c.job.Disk, err.Error())
				return
			}
			p.serve()
		}
	case wire.WorkedKind:
		p.worked(c)
	case wire.QuotaKind:
		if p.hub != nil {
			p.hub.sim.Finish(c.job.Disk, m.Bytes)
			p.serve()
		}
	case wire.SteadyKind:
		p.settle(m.Window)
	case wire.DoneKind:
		c.done = true
		c.send(wire.Message{Kind: wire.LeaveKind})
		p.worked(c)
		if m.Error != "" && !p.cleaning() {
			p.abort(c.job.Disk, m.Error)
		}
	}
}

func (p *phaseRun) record(events ...trace.Event) { p.recorded(p.session.record(events...)) }

// recorded notes whether events were recorded; a run that cannot be stops.
func (p *phaseRun) recorded(err error) {
	if err != nil && p.err == nil {
		p.err = err
		p.stop(err.Error())
	}
}

// releaseWhenReady lets all workers begin at one instant once the last of them is ready.
func (p *phaseRun) releaseWhenReady() {
	if p.cleaning() || len(p.children) < len(p.phase.Jobs) {
		return
	}
	for _, c := range p.children {
		if !c.ready {
			return
		}
	}
	atNS := clock.Now() + int64(releaseDelay)
	if p.sim != nil { // Every working disk is on the model from now on.
		if err := p.sim.JoinPhase(p.Plan, &p.phase); err != nil {
			p.abort("", fmt.Sprintf("simulated hub: %v", err))
			return
		}
		p.hub = &liveHub{
			sim: p.sim, releaseNS: atNS, speedup: p.Plan.Hub.Speedup,
			timer: time.NewTimer(time.Hour),
		}
	}
	p.released = atNS
	for _, c := range p.children {
		c.silence.Moved()
		c.send(wire.Message{Kind: wire.ReleaseKind, AtNS: atNS})
	}
	p.beginGauges()
	p.recorded(p.Life.Enter(life.Released, "phase "+p.phase.Name))
}

// worked notes that a child has moved its files. When all have, those that hold have filled enough,
// and those that accompany them end; on a simulated hub the model says when, to the nanosecond.
func (p *phaseRun) worked(c *child) {
	if c.job.HasNoFiles() {
		return // It has ended at the phase's time, as the others do by themselves.
	}
	p.working.End(c.job.Disk)
	if p.sim == nil && p.working.Over() {
		p.sendAll(wire.FinishKind)
	}
}

// settle notes that one more job was steady at the end of a window. When all are, they end; on a
// simulated hub at a time of the model.
func (p *phaseRun) settle(window int) {
	if p.hub != nil {
		p.hub.sim.Settle(window)
		p.serve()
	} else if _, all := p.settling.Add(window); all {
		p.sendAll(wire.FinishKind)
	}
}

// sendAll sends a message to every worker that is not done.
func (p *phaseRun) sendAll(kind wire.MessageKind) {
	for _, c := range p.children {
		if !c.gone && !c.done {
			c.send(wire.Message{Kind: kind})
		}
	}
}

// stop asks every worker to clean up and end, once. That ends the run, too.
func (p *phaseRun) stop(why string) {
	if !p.cleaning() {
		p.stopBy = time.Now().Add(stopTimeout)
		p.sendAll(wire.StopKind)
		p.recorded(p.Life.Enter(life.Cleaning, why))
	}
}

func (p *phaseRun) cleaning() bool { return p.Life.State == life.Cleaning }

// watch kills workers whose job does not go on, and those that do not stop when asked to. The time
// in which a worker does not run counts against it, and not against its disk.
func (p *phaseRun) watch(now time.Time) {
	for _, c := range p.children {
		silence := &c.mute
		limit := max(p.Stall, clock.LongPause)
		verdict := c.mute.Look(now, 0, limit)
		says := "its worker has given no sign of life for %s: it was stopped, the machine is too " +
			"busy, or the disk hangs"
		why := "it gave no sign of life for %s; check that nothing has stopped it, and that the " +
			"disk is still connected"
		if c.mute.For < aliveWithin {
			silence = &c.silence
			usual := p.usualSilence(c)
			limit = usual + p.Stall
			verdict = c.silence.Look(now, usual, p.Stall)
			says = "nothing has moved for %s: it hangs, or is very slow"
			why = "nothing moved for %s; check that the disk is still connected"
		}
		lasts := silence.For.Round(time.Second)
		switch {
		case c.gone:
		case c.killed != "":
			if time.Since(c.killedAt) > killTimeout {
				c.leave() // Nothing in our power ends it: its exit is not waited for.
				if disk := p.Plan.Disk(c.job.Disk); !disk.Simulated() {
					p.hanging[disk.Path] = true
				}
				p.recordLoss(c, fmt.Sprintf("its worker was killed (%s) and does not exit: the "+
					"disk hangs", c.killed))
			}
		case p.cleaning() && time.Now().After(p.stopBy):
			c.kill(fmt.Sprintf("it did not stop within %s", stopTimeout))
		case p.cleaning() || c.ready && p.Life.State == life.GettingReady:
		case verdict == watch.GiveUp:
			c.kill(fmt.Sprintf(why, lasts))
		case verdict == watch.Tell && p.Notify != nil:
			p.Notify(fmt.Sprintf("disk %s: "+says+"; hubbench gives up on it after %s (--stall)",
				c.job.Disk, lasts, limit))
		}
	}
}

// slowest is the rate of a disk that is slow and not dead, in bytes per second.
const slowest = 5e6

// usualSilence returns how long a child may move nothing before that counts. How far a request has
// got is unknown, and those in flight may all end at once: a slow disk takes that long for them, and
// for a call for a whole file, however far it is.
func (p *phaseRun) usualSilence(c *child) time.Duration {
	if len(c.job.Sizes) == 0 {
		return 0
	}
	largest := slices.Max(c.job.Sizes)
	takes := func(bytes int64) time.Duration {
		return time.Duration(float64(bytes) / slowest * float64(time.Second))
	}
	if c.job.IO.Mode == scenario.ModeApp {
		return takes(largest)
	}
	return max(0, takes(min(largest, c.job.IO.Block*int64(c.job.IO.Depth)))-p.Stall)
}

// recordExit notes a child's exit. If it had not said that it is done, the phase is incomplete; the
// janitor removes its files.
func (p *phaseRun) recordExit(c *child, exit error) {
	c.leave()
	p.Log.Info("worker exited", zap.String("disk", c.job.Disk), zap.String("phase", p.phase.Name),
		zap.Error(exit))
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
	if !p.cleaning() || c.killed != "" && c.killed != errKilled.Error() {
		p.recordLoss(c, cause)
	}
	p.stop(cause)
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
	p.record(trace.Event{
		Type: trace.ErrorType, Phase: p.phase.Name, Disk: c.job.Disk, Seq: c.files, TNS: nowNS,
		Error: cause})
	p.abort(c.job.Disk, cause)
}

func (p *phaseRun) abort(disk, cause string) {
	// The disk is named anyway.
	cause = strings.TrimPrefix(strings.ReplaceAll(cause, "\n", "; "), "disk "+disk+": ")
	f := trace.RunFailure{Phase: p.phase.Name, Disk: disk, Cause: cause}
	p.Log.Error("phase incomplete", zap.String("phase", f.Phase), zap.String("disk", f.Disk),
		zap.String("cause", f.Cause))
	p.failures = append(p.failures, f)
	p.stop(f.String())
}
