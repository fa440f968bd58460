// Package coordinator runs a plan: for each phase it starts a worker process per disk, releases
// them at one instant, serves the simulated hub, records what they report, and makes sure that
// every worker is gone and every test file removed before it goes on. It measures nothing itself
// and knows no disk (see diskio) and no terminal (see progress). Start at Run. How far a run has
// come is its life, whose states and the ways between them are drawn in package life.
package coordinator

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os/exec"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Journal takes the run's events, as the lines of a trace, in the order in which they became known.
// Its calls do not block.
type Journal interface {
	AppendLines(lines []byte) error
}

// record appends events to the journal.
func (s *session) record(events ...trace.Event) error {
	var lines []byte
	for i := range events {
		lines = trace.AppendEvent(lines, &events[i])
	}
	return s.Journal.AppendLines(lines)
}

// Watcher shows people how the run goes. Its calls come from one goroutine and must
// be quick.
type Watcher interface {
	// PhaseBegins comes when a phase's disks begin to cool down, if they do, and when its workers
	// start.
	PhaseBegins(index int, phase scenario.Phase, coolsDown bool)
	// Moves gets the bytes that were written for a disk before the release, and those that its job
	// has moved, so far.
	Moves(disk string, prepared, moved int64)
	// PhaseEnds comes also for a phase that fails before its workers start.
	PhaseEnds(failures []trace.RunFailure)
	// TryEnds gets what the phase that has ended was to a search.
	TryEnds(try trace.Try, o search.TryOutcome, s *search.Finder)
}

// nobody watches.
type nobody struct{}

func (nobody) PhaseBegins(int, scenario.Phase, bool)                {}
func (nobody) Moves(string, int64, int64)                           {}
func (nobody) PhaseEnds([]trace.RunFailure)                         {}
func (nobody) TryEnds(trace.Try, search.TryOutcome, *search.Finder) {}

// Options is all that a run needs.
type Options struct {
	Plan *scenario.Plan
	Life *life.Life // Life is that of a run that has been created; nil if nobody follows it.
	Done int        // Done counts the phases that an earlier session has completed.
	// Until is the phase before which the run is left, to go on in another session; else 0.
	Until   int
	Tries   []search.TryOutcome // Tries are those of the next phase's search that are done.
	RunID   string
	Profile *hub.Profile      // Profile is the simulated hub's; nil if every disk is real.
	Devices map[string]uint64 // Devices are those of the real disks' folders, by disk.
	Build   string            // what workers must say that they are; empty: anything
	// Command is hubbench with these arguments: a worker, or the janitor.
	Command func(args ...string) *exec.Cmd
	Journal Journal
	Watcher Watcher                                      // Watcher is nil if nobody watches.
	Pause   func(ctx context.Context, text string) error // Pause waits for a person.
	// Warn tells a person what makes the results doubtful; nil: no output
	Warn func(text string)
	// Notify tells a person at once of a disk that moves nothing; nil: no output
	Notify func(text string)
	// WorkerLog takes what workers write to stderr.
	WorkerLog io.Writer
	// Modes receives what each job really got, before the run's next state.
	Modes func(phase string, modes map[string]trace.Effective)
	// Gauges finds what to read during a phase; nil: nothing
	Gauges func(ctx context.Context, disks []gauge.Target) []gauge.Source
	// Stall: a worker that moves nothing for that long is killed
	Stall time.Duration
	// Kill is closed to end at once, without waiting for workers
	Kill   <-chan struct{}
	Clocks func() (nowNS int64, slept time.Duration)   // If Clocks is nil, they are the machine's.
	looks  func() (looks <-chan time.Time, end func()) // see watch.Watch
	// ask asks a disk that rests whether it is there, and what it has moved; nil: the machine
	ask func(ctx context.Context, disk *scenario.Disk, count bool) (moved int64, known bool)
	Log *zap.Logger
}

// session is a run under way.
type session struct {
	Options
	starter *starter
	// sim lasts for the run, as caches stay as full as a phase leaves them; nil if every disk is
	// real.
	sim       *hub.Sim
	janitor   *Janitor
	hanging   map[string]bool // hanging are the folders of disks that hang.
	protected map[string]bool // protected disks are kept from hubbench clean.
}

// Ending is how a run ended.
type Ending struct {
	Status   string // Status is trace.Complete or trace.Partial.
	Failures []trace.RunFailure
}

// How a person ends a run: the first interrupt stops it, the second ends it at once.
var (
	errInterrupted = errors.New(trace.Interrupted)
	errKilled      = errors.New("interrupted twice")
)

// Run runs every phase of the plan, or as many as it can: the first failure ends the run, since
// what follows would not be what was asked for. When ctx ends, the workers stop at their next
// request. The error is about the run folder only; what went wrong with the disks is in the
// outcome.
func Run(ctx context.Context, opts Options) (Ending, error) {
	defer watch.Elsewhere(ctx)() // all that it waits for is watched
	if opts.Watcher == nil {
		opts.Watcher = nobody{}
	}
	if opts.Life == nil {
		opts.Life = &life.Life{State: life.Created, Log: opts.Log}
	}
	if err := diskio.Foreground(); err != nil {
		opts.Log.Info("the coordinator may run slowly", zap.Error(err))
	}
	s := &session{Options: opts, hanging: map[string]bool{}, protected: map[string]bool{}}
	s.starter = newStarter(ctx, s.watch(), opts.Kill)
	defer s.starter.close()
	var err error
	s.janitor, err = newJanitor(s.starter, opts.Command, opts.RunID, opts.folders(), opts.Log)
	if err != nil {
		return Ending{Status: trace.Partial}, err
	}
	if opts.Profile != nil {
		s.sim = hub.NewSim(opts.Profile)
	}
	var failures []trace.RunFailure
	for i := 0; i < opts.until() && len(failures) == 0 && err == nil; i++ {
		if i < opts.Done {
			err = s.replay(&opts.Plan.Phases[i])
		} else {
			failures, err = s.runPlanned(ctx, i)
		}
	}
	if s.Life.State != life.Cleaning {
		why := "no phase is left"
		if len(failures) > 0 {
			why = failures[0].String()
		}
		err = cmp.Or(err, s.Life.Enter(life.Cleaning, why))
	}
	for _, complaint := range s.janitor.Finish(opts.Kill, s.hanging) {
		failures = append(failures, trace.RunFailure{Cause: complaint})
	}
	out := Ending{Status: trace.Complete, Failures: failures}
	if len(failures) > 0 || err != nil {
		out.Status = trace.Partial
	}
	if err == nil && (out.Status == trace.Partial || opts.until() == len(opts.Plan.Phases)) {
		err = s.record(trace.Event{Type: trace.EndType, Status: out.Status})
	}
	return out, err
}

// watch returns how what a run waits for is watched.
func (o *Options) watch() watch.Watch {
	return watch.Watch{Notify: o.Notify, Stall: o.Stall, Option: "--stall", Looks: o.looks}
}

func (o *Options) until() int { return cmp.Or(o.Until, len(o.Plan.Phases)) }

// folders returns those of the real disks that work in this session.
func (o *Options) folders() (folders []string) {
	for _, disk := range o.Plan.Disks {
		works := false
		for i := o.Done; i < o.until() && !works; i++ {
			_, works = o.Plan.Phases[i].Job(disk.Name)
		}
		if works && !disk.Simulated() {
			folders = append(folders, disk.Path)
		}
	}
	return folders
}

// protect keeps hubbench clean from a disk's test folder, which its worker has made, until the run
// is over. This process itself has no file open on a disk under test: it could start no other one
// while that hangs.
func (s *session) protect(name string) {
	disk := s.Plan.Disk(name)
	if disk.Simulated() || s.protected[name] {
		return
	}
	s.protected[name] = true
	s.janitor.Hold(disk.Path)
}

// runPlanned runs a phase of the plan, and says why it is incomplete.
func (s *session) runPlanned(ctx context.Context, index int) ([]trace.RunFailure, error) {
	phase := &s.Plan.Phases[index]
	if phase.Search != nil {
		return s.runSearch(ctx, index)
	}
	failures, err := s.runPhase(ctx, index, *phase)
	if len(failures) > 0 || err != nil {
		return failures, err
	}
	return nil, s.end(phase, trace.Complete)
}

// runPhase waits as the phase asks, runs it, and says why it is incomplete: a phase of the plan by
// its index, or a try of its search. The error is the run folder's.
func (s *session) runPhase(
	ctx context.Context, index int, phase scenario.Phase,
) ([]trace.RunFailure, error) {
	if err := s.Life.Enter(life.GettingReady, "phase "+phase.Name); err != nil {
		return nil, err
	}
	if disk, err := waitBefore(ctx, s.Options, index, phase); err != nil {
		if ctx.Err() != nil {
			err = whyEnded(ctx)
		}
		failed := trace.RunFailure{Phase: phase.Name, Cause: err.Error()}
		if disk != nil {
			s.hanging[disk.Path] = true
			failed.Disk = disk.Name
		}
		failures := []trace.RunFailure{failed}
		s.Watcher.PhaseEnds(failures)
		return failures, nil
	}
	s.Watcher.PhaseBegins(index, phase, false)
	if err := s.record(phase.Event()); err != nil {
		return nil, err
	}
	p := &phaseRun{
		session: s, phase: phase, index: index,
		reports: make(chan report, 256), effective: map[string]trace.Effective{},
	}
	err := p.run(ctx)
	s.Modes(phase.Name, p.effective)
	shown := p.failures
	if err != nil {
		shown = append(shown, trace.RunFailure{Phase: phase.Name, Cause: err.Error()})
	}
	s.Watcher.PhaseEnds(shown)
	if err == nil && len(p.failures) > 0 {
		err = s.end(&phase, trace.Partial)
	}
	return p.failures, err
}

// end records how a phase has ended.
func (s *session) end(phase *scenario.Phase, status string) error {
	return s.record(trace.Event{Type: trace.PhaseEndType, Phase: phase.Name, Status: status})
}

// replay brings the simulated hub to where a phase of an earlier session has left it.
func (s *session) replay(phase *scenario.Phase) error {
	if s.sim == nil {
		return nil
	}
	return s.sim.Record(s.Plan, phase, func(*trace.Event) error { return nil })
}

// runSearch runs the tries of a phase's search that are not done yet, up to the first that is
// incomplete.
func (s *session) runSearch(ctx context.Context, index int) ([]trace.RunFailure, error) {
	sought := search.New(&s.Plan.Phases[index])
	var done []search.TryOutcome
	if index == s.Done {
		done = s.Tries
	}
	for {
		try, ok := sought.Next()
		if !ok {
			return nil, nil
		}
		if sought.Tries() < len(done) {
			if err := s.replay(&try); err != nil {
				return nil, err
			}
			sought.Add(done[sought.Tries()])
			continue
		}
		judge := search.NewJudge(&try)
		judged := *s
		judged.Journal = judgedJournal{s.Journal, judge}
		failures, err := judged.runPhase(ctx, index, try)
		if len(failures) > 0 || err != nil {
			return failures, err
		}
		outcome, err := judge.Outcome()
		if err != nil {
			return []trace.RunFailure{{Phase: try.Name, Cause: err.Error()}},
				s.end(&try, trace.Partial)
		}
		if err := s.end(&try, trace.Complete); err != nil {
			return nil, err
		}
		sought.Add(outcome)
		s.Watcher.TryEnds(*try.Try, outcome, sought)
	}
}

// judgedJournal is a Journal whose events are judged.
type judgedJournal struct {
	Journal
	judge *search.Judge
}

func (j judgedJournal) AppendLines(lines []byte) error {
	events := trace.NewReader(bytes.NewReader(lines), "events")
	for events.Next() {
		j.judge.Add(events.Event())
	}
	return cmp.Or(events.Err(), j.Journal.AppendLines(lines))
}
