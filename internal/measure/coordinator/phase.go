package coordinator

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// releaseDelay is how far ahead the release instant lies: enough for every worker to get the message and to sleep.
	releaseDelay = 30 * time.Millisecond
	// stopTimeout is how long a worker that was asked to stop may take to finish its request and remove its
	// files, before it is killed and its files are removed for it.
	stopTimeout = 4 * time.Second
	// killTimeout is how long a killed worker may take to die. One that the kernel holds in a request to a disk
	// that hangs never dies.
	killTimeout = 2 * time.Second
	// watchEvery is how often workers are checked for progress.
	watchEvery = 250 * time.Millisecond
)

// phaseRun is one phase under way. One goroutine owns it; children report to it through reports.
type phaseRun struct {
	opts      Options
	phase     scenario.Phase
	index     int // of the phase in the plan, or of the one whose search tries it
	working   policy.Phase
	settling  policy.Settling
	sim       *hub.Sim // of the run; nil if no disk is simulated
	children  []*child
	reports   chan report
	hub       *liveHub // that simulation, from the release on
	stopping  bool
	stopBy    time.Time // when waiting for stopping workers ends
	effective map[string]trace.Effective
	failures  []trace.RunFailure
	released  int64 // the instant of the release, by clock.Now; zero before
	gauges    *gauges
	watched   time.Time // when it was last looked for silence
	err       error     // the journal's
}

func newPhaseRun(opts Options, index int, phase scenario.Phase, sim *hub.Sim) *phaseRun {
	p := &phaseRun{opts: opts, phase: phase, index: index, sim: sim, reports: make(chan report, 256), effective: map[string]trace.Effective{}}
	p.settling = policy.NewSettling(&p.phase)
	for _, job := range phase.Jobs {
		if !job.Accompanies() {
			p.working.Begin(job.Disk)
		}
	}
	return p
}

// run sees the phase through: start, ready, release, listen, until every child has exited.
func (p *phaseRun) run(ctx context.Context, starter *starter) error {
	for _, job := range p.phase.Jobs {
		if err := p.start(starter, job); err != nil {
			p.abort(job.Disk, err.Error())
			break
		}
	}
	p.gauges = p.findGauges(ctx)
	defer p.gauges.end()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	look := time.NewTicker(suspendCheckEvery)
	defer look.Stop()
	read := p.opts.Clocks
	if read == nil {
		read = machineClocks
	}
	suspends := detectSuspends(clocks{read: read, ticks: look.C})
	defer suspends.end()
	interrupted, kill := ctx.Done(), p.opts.Kill
	for p.running() {
		select {
		case r := <-p.reports:
			p.handle(r)
		case <-p.hub.due():
			p.serve()
		case found := <-p.gauges.found:
			p.gauges.sources = found
			p.gauges.begin(p.released)
		case events := <-p.gauges.events:
			p.record(events...)
		case now := <-tick.C:
			p.watch(now)
		case s := <-suspends.stops:
			p.stoodStill(s)
		case <-interrupted:
			interrupted = nil
			p.abort("", whyEnded(ctx).Error())
		case <-kill:
			kill = nil
			p.killAll(errKilled.Error())
		}
	}
	p.recordLastGauges()
	return p.err
}

// whyEnded is what has ended a run's context.
func whyEnded(ctx context.Context) error {
	if why := context.Cause(ctx); !errors.Is(why, context.Canceled) {
		return why
	}
	return errInterrupted
}

func (p *phaseRun) start(starter *starter, job scenario.Job) error {
	disk := p.opts.Plan.Disk(job.Disk)
	command := p.opts.Command()
	Inherit(command, p.opts.leash)
	stderr := &stderrLog{out: p.opts.WorkerLog, log: p.opts.Log.With(zap.String("disk", job.Disk))}
	c, err := newChild(starter, command, stderr, job, p.reports)
	if err != nil {
		return err
	}
	p.children = append(p.children, c)
	p.opts.Log.Info("worker started", zap.String("disk", job.Disk), zap.String("phase", p.phase.Name), zap.Int("pid", c.cmd.Process.Pid))
	c.send(wire.Message{Kind: wire.JobKind, Job: &wire.Job{
		Simulated: disk.Simulated(),
		Device:    p.opts.Devices[disk.Name],
		Folders:   realFolders(p.opts.Plan),
		Policy:    policy.Of(&p.phase),
		Job: diskio.Job{Job: job, RunID: p.opts.RunID, Phase: p.phase.Name, Dir: disk.Path, CarryOver: p.opts.Plan.CarryOver(p.index, job.Disk),
			Fill: p.phase.Precondition, KeepFill: p.phase.Try != nil || p.opts.Plan.KeepsFilling(p.index), Space: p.opts.Plan.Stock(disk.Name)[p.index].Space},
	}})
	return nil
}

func (p *phaseRun) running() bool {
	return slices.ContainsFunc(p.children, func(c *child) bool { return !c.gone })
}

// handle acts on what a child reports.
func (p *phaseRun) handle(r report) {
	c := r.from
	if r.exited {
		p.recordExit(c, r.err)
		return
	}
	m := r.message
	if c.moves(m) {
		c.silent, c.warned = 0, false
	}
	if m.Effective != nil {
		p.effective[c.job.Disk] = *m.Effective
	}
	switch m.Kind {
	case wire.ReadyKind:
		c.ready = true
		p.releaseWhenReady()
	case wire.EventsKind:
		c.files += m.Files
		p.recorded(p.opts.Journal.AppendLines(m.Lines))
	case wire.AliveKind:
		c.bytes, c.beside = m.Bytes, m.Beside
		p.opts.Watcher.Moved(c.job.Disk, c.files, m.Bytes)
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
		p.worked(c)
		if m.Error != "" && !p.stopping {
			p.abort(c.job.Disk, m.Error)
		}
	}
}

func (p *phaseRun) record(events ...trace.Event) { p.recorded(appendTo(p.opts.Journal, events...)) }

// recorded notes whether events were recorded; a run that cannot be stops.
func (p *phaseRun) recorded(err error) {
	if err != nil && p.err == nil {
		p.err = err
		p.stop()
	}
}

// releaseWhenReady lets all workers begin at one instant once the last of them is ready.
func (p *phaseRun) releaseWhenReady() {
	if p.stopping || len(p.children) < len(p.phase.Jobs) || slices.ContainsFunc(p.children, func(c *child) bool { return !c.ready }) {
		return
	}
	atNS := clock.Now() + int64(releaseDelay)
	if p.sim != nil {
		live, err := p.newLiveHub(atNS)
		if err != nil {
			p.abort("", err.Error())
			return
		}
		p.hub = live
	}
	p.released = atNS
	for _, c := range p.children {
		c.silent, c.warned = 0, false
		c.send(wire.Message{Kind: wire.ReleaseKind, AtNS: atNS})
	}
	p.gauges.begin(p.released)
	p.opts.Watcher.Released()
}

// worked notes that a child has moved its files. When all have, those that hold have filled enough, and those that accompany
// them end; on a simulated hub the model says when, to the nanosecond.
func (p *phaseRun) worked(c *child) {
	if c.job.Accompanies() {
		return // it has ended at the phase's time, as the others do by themselves
	}
	p.working.End(c.job.Disk)
	if p.sim == nil && p.working.Over() {
		p.sendAll(wire.FinishKind)
	}
}

// settle notes that one more job was steady at the end of a window. When all are, they end; on a simulated hub at a time
// of the model.
func (p *phaseRun) settle(window int) {
	if p.hub != nil {
		p.hub.sim.Settle(window)
		p.serve()
	} else if _, all := p.settling.Add(window); all {
		p.sendAll(wire.FinishKind)
	}
}

// sendAll sends a message to every worker that is not done.
func (p *phaseRun) sendAll(kind wire.Kind) {
	for _, c := range p.children {
		if !c.gone && !c.done {
			c.send(wire.Message{Kind: kind})
		}
	}
}

// stop asks every worker to end, once.
func (p *phaseRun) stop() {
	if p.stopping {
		return
	}
	p.stopping = true
	p.stopBy = time.Now().Add(stopTimeout)
	p.sendAll(wire.StopKind)
}
