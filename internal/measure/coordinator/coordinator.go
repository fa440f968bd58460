// Package coordinator runs a plan: for each phase it starts a worker process per disk, releases them
// at one instant, serves the simulated hub, records what they report, and makes sure that every worker
// is gone and every test file removed before it goes on. It measures nothing itself and knows no
// disk (see diskio) and no terminal (see progress). Start at Run.
package coordinator

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Journal takes the run's events, as the lines of a trace, in the order in which they became known. Its calls do not
// block.
type Journal interface {
	AppendLines(lines []byte) error
}

func appendTo(journal Journal, events ...trace.Event) error {
	var lines []byte
	for i := range events {
		lines = trace.AppendEvent(lines, &events[i])
	}
	return journal.AppendLines(lines)
}

// Watcher shows people how the run goes. Its calls come from one goroutine and must
// be quick.
type Watcher interface {
	PhaseBegins(index int, phase scenario.Phase)
	Released()
	Moved(disk string, files int, bytes int64) // of the job, so far
	PhaseEnds(failures []trace.RunFailure)
	Tried(try trace.Try, o search.Outcome, s *search.Search) // what the phase that has ended was to a search
}

// Options is all that a run needs.
type Options struct {
	Plan    *scenario.Plan
	Done    int              // phases that an earlier session has completed
	Tried   []search.Outcome // and tries of the next one's search
	RunID   string
	Profile *hub.Profile                   // of the simulated hub; nil if every disk is real
	Devices map[string]uint64              // that each real disk's folder is on, by disk
	Command func() *exec.Cmd               // a worker
	Janitor func(args ...string) *exec.Cmd // what calls Clean with a run's ID and folders
	Journal Journal
	Watcher Watcher
	Pause   func(ctx context.Context, text string) error // waits for a person
	// Say shows a person a doubt between phases; nil: no output
	Say func(text string)
	// OnHang warns a person at once of a disk that moves nothing; nil: no output
	OnHang    func(text string)
	WorkerLog io.Writer                                                  // takes what workers write to stderr
	Modes     func(phase string, modes map[string]trace.Effective) error // receives what each job really got
	// Gauges finds what to read beside a phase; nil: nothing
	Gauges func(ctx context.Context, disks []gauge.Disk) []gauge.Source
	// Stall: a worker that moves nothing for that long is killed
	Stall time.Duration
	// Kill is closed to end at once, without waiting for workers
	Kill   <-chan struct{}
	Clocks func() (nowNS int64, slept time.Duration) // nil: the machine's
	Log    *zap.Logger

	leash   *os.File        // see janitor
	hanging map[string]bool // the folders of disks whose workers do not exit
}

// Outcome is how a run ended.
type Outcome struct {
	Status   string // trace.Complete or trace.Partial
	Failures []trace.RunFailure
}

// How a person ends a run: the first interrupt stops it, the second ends it at once.
var (
	errInterrupted = errors.New("interrupted")
	errKilled      = errors.New("interrupted twice")
)

// Run runs every phase of the plan, or as many as it can: the first failure ends the run, since what
// follows would not be what was asked for. When ctx ends, the workers stop at their next request.
// The error is about the run folder only; what went wrong with the disks is in the outcome.
func Run(ctx context.Context, opts Options) (Outcome, error) {
	starter := newStarter(ctx, opts.Kill)
	defer starter.close()
	if len(realFolders(opts.Plan)) > 0 {
		release, err := diskio.HoldRun(opts.RunID)
		if err != nil {
			opts.Log.Warn("hubbench clean could take this run for one that was killed", zap.Error(err))
		} else {
			defer release()
		}
	}
	janitor, err := newJanitor(starter, opts)
	if err != nil {
		return Outcome{Status: trace.Partial}, err
	}
	opts.hanging = map[string]bool{}
	if janitor != nil {
		opts.leash = janitor.leash
	}
	var sim *hub.Sim // one for the run: caches stay as full as a phase leaves them
	if opts.Profile != nil {
		sim = hub.NewSim(opts.Profile)
	}
	var failures []trace.RunFailure
	for i := 0; i < len(opts.Plan.Phases) && len(failures) == 0 && err == nil; i++ {
		failures, err = runPlanned(ctx, opts, i, starter, sim)
	}
	for _, complaint := range janitor.finish(opts.Kill, opts.hanging) {
		failures = append(failures, trace.RunFailure{Cause: complaint})
	}
	out := Outcome{Status: trace.Complete, Failures: failures}
	if len(failures) > 0 || err != nil {
		out.Status = trace.Partial
	}
	if err == nil {
		err = appendTo(opts.Journal, trace.Event{Type: trace.EndType, Status: out.Status})
	}
	return out, err
}

// runPlanned runs a phase of the plan, unless it is done, and says why it is incomplete.
func runPlanned(ctx context.Context, opts Options, index int, starter *starter,
	sim *hub.Sim) ([]trace.RunFailure, error) {
	phase := &opts.Plan.Phases[index]
	switch {
	case index < opts.Done:
		return nil, replay(sim, opts.Plan, phase)
	case phase.Search != nil:
		return runSearch(ctx, opts, index, starter, sim)
	}
	failures, err := runPhase(ctx, opts, index, *phase, starter, sim)
	if len(failures) > 0 || err != nil {
		return failures, err
	}
	return nil, appendTo(opts.Journal, ended(*phase, trace.Complete))
}

// runPhase waits as the phase asks, runs it, and says why it is incomplete: a phase of the plan by its index, or a
// try of its search. The error is the run folder's.
func runPhase(ctx context.Context, opts Options, index int, phase scenario.Phase, starter *starter,
	sim *hub.Sim) ([]trace.RunFailure, error) {
	if err := waitBefore(ctx, opts, phase); err != nil {
		if ctx.Err() != nil {
			err = whyEnded(ctx)
		}
		return []trace.RunFailure{{Phase: phase.Name, Cause: err.Error()}}, nil
	}
	opts.Watcher.PhaseBegins(index, phase)
	if err := appendTo(opts.Journal, phase.Event()); err != nil {
		return nil, err
	}
	p := newPhaseRun(opts, index, phase, sim)
	err := p.run(ctx, starter)
	if err == nil {
		err = opts.Modes(phase.Name, p.effective)
	}
	shown := p.failures
	if err != nil {
		shown = append(shown, trace.RunFailure{Phase: phase.Name, Cause: err.Error()})
	}
	opts.Watcher.PhaseEnds(shown)
	if err == nil && len(p.failures) > 0 {
		err = appendTo(opts.Journal, ended(phase, trace.Partial))
	}
	return p.failures, err
}

func ended(phase scenario.Phase, status string) trace.Event {
	return trace.Event{Type: trace.PhaseEndType, Phase: phase.Name, Status: status}
}

// replay brings the simulated hub to where a phase of an earlier session has left it.
func replay(sim *hub.Sim, plan *scenario.Plan, phase *scenario.Phase) error {
	if sim == nil {
		return nil
	}
	return sim.Record(plan, phase, func(*trace.Event) error { return nil })
}

// starter starts processes from one thread that lives as long as the run. On Linux a child is
// signalled when the thread that started it ends, and Go ends threads at any time.
type starter struct {
	commands chan starting
	giveUp   <-chan struct{} // closed: whatever hangs is not waited for
}

type starting struct {
	cmd  *exec.Cmd
	done chan error // gets one
}

// newStarter starts processes until it is closed. A process that is being started closes what files this one has
// open, which a disk that hangs may hold up (FUSE flushes them): it is not waited for after kill, nor long after ctx
// has ended.
func newStarter(ctx context.Context, kill <-chan struct{}) *starter {
	giveUp := make(chan struct{})
	s := &starter{commands: make(chan starting, 1), giveUp: giveUp}
	over := make(chan struct{})
	go func() {
		defer close(over)
		runtime.LockOSThread()
		for c := range s.commands {
			c.done <- c.cmd.Start()
		}
	}()
	go func() {
		select {
		case <-over:
			return
		case <-kill:
		case <-ctx.Done():
			select {
			case <-over:
				return
			case <-kill:
			case <-time.After(stopTimeout):
			}
		}
		close(giveUp)
	}()
	return s
}

// start starts a process with a pipe to its stdin and one from its stdout.
func (s *starter) start(cmd *exec.Cmd) (stdin io.WriteCloser, stdout io.Reader, err error) {
	if stdin, err = cmd.StdinPipe(); err != nil {
		return nil, nil, err
	}
	if stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, nil, err
	}
	c := starting{cmd, make(chan error, 1)}
	select {
	case s.commands <- c:
	case <-s.giveUp:
		return nil, nil, errStartHangs
	}
	select {
	case err = <-c.done:
	case <-s.giveUp:
		err = errStartHangs
	}
	return stdin, stdout, err
}

var errStartHangs = errors.New("it does not start while a disk hangs")

func (s *starter) close() { close(s.commands) }
