package hub

import (
	"cmp"
	"fmt"

	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Simulate plays a plan in the model's time and emits what a run of it would have recorded, in the
// order of time: the same plan always gives the same events, and a run on simulated disks gives the
// same files. A disk of the plan that is real is looked up in the profile by its own name. The run
// line has no wall time: nothing ran. It stops at the first error of emit.
func Simulate(plan *scenario.Plan, p *Profile, emit func(*trace.Event) error) error {
	header := plan.Event("")
	for i := range header.Disks { // figures of the model must not be mistaken for a real disk's
		header.Disks[i].Profile = cmp.Or(header.Disks[i].Profile, header.Disks[i].Name)
	}
	p.Mark(header.Disks)
	if err := emit(&header); err != nil {
		return err
	}
	s := NewSim(p)
	for i := range plan.Phases {
		if err := s.Record(plan, &plan.Phases[i], emit); err != nil {
			return err
		}
	}
	return emit(&trace.Event{Type: trace.EndType, Status: trace.Complete})
}

// Record plays a phase of the plan as Play does, or all tries of its search, with the lines that
// begin and end it in a trace.
func (s *Sim) Record(plan *scenario.Plan, phase *scenario.Phase,
	emit func(*trace.Event) error) error {
	if phase.Search != nil {
		return s.recordSearch(plan, phase, emit)
	}
	begins := phase.Event()
	if err := emit(&begins); err != nil {
		return err
	}
	if err := s.Play(plan, phase, emit); err != nil {
		return fmt.Errorf("simulate phase %s: %w", phase.Name, err)
	}
	return emit(&trace.Event{Type: trace.PhaseEndType, Phase: phase.Name, Status: trace.Complete})
}

func (s *Sim) recordSearch(plan *scenario.Plan, phase *scenario.Phase,
	emit func(*trace.Event) error) error {
	sought := search.New(phase)
	for {
		try, ok := sought.Next()
		if !ok {
			return nil
		}
		judge := search.NewJudge(&try)
		err := s.Record(plan, &try, func(e *trace.Event) error {
			judge.Add(e)
			return emit(e)
		})
		if err != nil {
			return err
		}
		outcome, err := judge.Outcome()
		if err != nil {
			return fmt.Errorf("simulate phase %s: %w", try.Name, err)
		}
		sought.Add(outcome)
	}
}

// WorkOf returns what a job of the plan does on the hub.
func WorkOf(plan *scenario.Plan, phase *scenario.Phase, job *scenario.Job) Work {
	disk := plan.Disk(job.Disk)
	w := Work{
		Profile: cmp.Or(disk.Profile, job.Disk), Op: job.Role, Sizes: job.Sizes, Seed: job.Seed,
		Policy: policy.Of(phase),
		Direct: trace.OwnPort(cmp.Or(phase.Connections[job.Disk], disk.Connection)),
		Think:  job.IO.ThinkTime(), Pace: job.Pace, Reads: job.Reads, Streams: job.Streams,
	}
	if job.Probe > 0 {
		w.Probe = job.Rate()
	}
	return w
}

// JoinPhase brings all disks of a phase onto the hub at its release, and takes them away at its
// limit, if it has one.
func (s *Sim) JoinPhase(plan *scenario.Plan, phase *scenario.Phase) error {
	s.restart(int64(phase.Cooldown))
	s.settling = policy.NewSettling(phase)
	limit := policy.Of(phase).Limit
	for i := range phase.Jobs {
		job := &phase.Jobs[i]
		if err := s.Join(job.Disk, WorkOf(plan, phase, job), 0); err != nil {
			return err
		}
		if limit > 0 {
			s.Leave(job.Disk, int64(limit))
		}
	}
	return nil
}

// Play plays one phase of the plan from its cool-down to its end, on the hub as the phase before
// has left it, and emits its progress, file and stream events.
func (s *Sim) Play(plan *scenario.Plan, phase *scenario.Phase,
	emit func(*trace.Event) error) error {
	if err := s.JoinPhase(plan, phase); err != nil {
		return err
	}
	workers := make(map[string]*worker, len(phase.Jobs))
	for i := range phase.Jobs {
		job := &phase.Jobs[i]
		w := &worker{JobState: policy.NewJobState(phase.Name, policy.Of(phase), job), job: job}
		w.begin(0)
		workers[job.Disk] = w
		if err := s.Ask(job.Disk, w.file.Ask()); err != nil {
			return err
		}
	}
	for {
		at, ok := s.Next()
		if !ok {
			break
		}
		for _, g := range s.Advance(at) {
			if err := s.answer(g, workers[g.Disk], emit); err != nil {
				return err
			}
		}
		for _, e := range s.Samples(phase.Name) {
			if err := emit(&e); err != nil {
				return err
			}
		}
	}
	for i := range phase.Jobs {
		w := workers[phase.Jobs[i].Disk]
		if e, ok := w.CutShort(w.file.StartNS); ok {
			w.event = e
			if err := w.report(emit); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer moves a worker on by what the hub has granted it, and asks for the next stretch.
func (s *Sim) answer(g Grant, w *worker, emit func(*trace.Event) error) error {
	if g.Ended {
		return nil
	}
	if w.granted(g.DoneNS) {
		if err := w.report(emit); err != nil {
			return err
		}
	}
	if bytes, ok := w.Quota(); ok {
		s.Finish(g.Disk, bytes)
	}
	for window, ok := w.Settled(); ok; window, ok = w.Settled() {
		s.Settle(window)
	}
	if n := w.file.Ask(); n > 0 {
		return s.Ask(g.Disk, n)
	}
	return nil
}

// worker is a job under way in a simulation: what the worker process is in a run.
type worker struct {
	*policy.JobState
	job   *scenario.Job
	file  policy.Transfer
	event trace.Event // the latest; one for all, so that none is allocated
}

// report emits the worker's event, or one of each direction.
func (w *worker) report(emit func(*trace.Event) error) error {
	if w.job.Reads == 0 {
		return emit(&w.event)
	}
	reads, writes := policy.Both(w.event, policy.ReadOf(w.job, w.event.Bytes))
	for _, e := range [...]*trace.Event{&reads, &writes} {
		if e.Bytes == 0 {
			continue
		}
		if err := emit(e); err != nil {
			return err
		}
	}
	return nil
}

// begin goes on to the next file; if there is none, an empty one asks for nothing.
func (w *worker) begin(tNS int64) {
	size, _ := w.Next()
	w.file = policy.NewTransfer(w.job, size, tNS)
}

// granted moves the file on, and reports whether there is an event to tell.
func (w *worker) granted(doneNS int64) bool {
	sample := w.file.Granted(doneNS)
	switch {
	case w.file.Ask() == 0:
		w.event = w.File(w.file.Bytes, w.file.StartNS, doneNS)
		w.begin(doneNS)
	case sample:
		w.event = w.Progress(w.file.Bytes, doneNS)
	default:
		return false
	}
	return true
}
