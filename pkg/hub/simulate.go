package hub

import (
	"cmp"
	"fmt"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// stretch and sampleNS are what a simulated disk asks the hub for at a time, and how often its progress is
	// noted, in a run as well: so a run and its simulation agree to the nanosecond.
	stretch  = 32_000_000
	sampleNS = 50_000_000

	// direct is the connection of a disk on a port of its own, as scenarios name it.
	direct = "direct"
)

// Simulate plays a plan in the model's time and emits what a run of it would have recorded, in the order of time:
// the same plan always gives the same events, and a run on simulated disks gives the same files. A disk of the plan
// that is real is looked up in the profile by its own name. The run line has no wall time: nothing ran.
// It stops at the first error of emit.
func Simulate(plan *scenario.Plan, p *Profile, emit func(*trace.Event) error) error {
	header := &trace.Event{Type: trace.RunType, Version: 1, Name: plan.Name}
	for _, d := range plan.Disks {
		header.Disks = append(header.Disks, trace.Disk{Name: d.Name, Path: d.Path, Connection: d.Connection, Profile: d.Profile})
	}
	if err := emit(header); err != nil {
		return err
	}
	s := NewSim(p)
	for i := range plan.Phases {
		phase := &plan.Phases[i]
		if err := emit(&trace.Event{Type: trace.PhaseType, Phase: phase.Name, Roles: phase.Roles}); err != nil {
			return err
		}
		if err := s.Play(plan, phase, emit); err != nil {
			return fmt.Errorf("simulate phase %s: %w", phase.Name, err)
		}
		if err := emit(&trace.Event{Type: trace.PhaseEndType, Phase: phase.Name, Status: trace.Complete}); err != nil {
			return err
		}
	}
	return emit(&trace.Event{Type: trace.EndType, Status: trace.Complete})
}

// WorkOf is what a job of the plan does on the hub.
func WorkOf(plan *scenario.Plan, job *scenario.Job) Work {
	w := Work{Profile: job.Disk, Op: job.Role, Sizes: job.Sizes, Seed: job.Seed}
	for _, d := range plan.Disks {
		if d.Name == job.Disk {
			w.Profile = cmp.Or(d.Profile, job.Disk)
			w.Direct = d.Connection == direct
		}
	}
	return w
}

// worker is a job under way in a simulation: what the worker process is in a run.
type worker struct {
	job      *scenario.Job
	seq      int   // the file in transfer
	done     int64 // bytes of it
	startNS  int64
	sampleNS int64 // of the last progress line, or the file's start
}

// Play plays one phase of the plan from its cool-down to its end, on the hub as the phase before has left it, and
// emits its progress and file events.
func (s *Sim) Play(plan *scenario.Plan, phase *scenario.Phase, emit func(*trace.Event) error) error {
	s.Restart(int64(phase.Cooldown))
	workers := make(map[string]*worker, len(phase.Jobs))
	for i := range phase.Jobs {
		job := &phase.Jobs[i]
		w := &worker{job: job}
		workers[job.Disk] = w
		if err := s.Join(job.Disk, WorkOf(plan, job), 0); err != nil {
			return err
		}
		if err := s.Ask(job.Disk, w.next()); err != nil {
			return err
		}
	}
	event := &trace.Event{Phase: phase.Name} // one for all: emit may not keep it
	for {
		at, ok := s.Next()
		if !ok {
			return nil
		}
		for _, g := range s.Advance(at) {
			w := workers[g.Disk]
			if w.granted(g, event) {
				if err := emit(event); err != nil {
					return err
				}
			}
			if n := w.next(); n > 0 {
				if err := s.Ask(g.Disk, n); err != nil {
					return err
				}
			}
		}
	}
}

// next is what the worker asks for next: zero when it has moved all its files.
func (w *worker) next() int64 {
	if w.seq == len(w.job.Sizes) {
		return 0
	}
	return min(stretch, w.job.Sizes[w.seq]-w.done)
}

// granted moves the worker on, and fills in the event where there is one to tell.
func (w *worker) granted(g Grant, event *trace.Event) bool {
	w.done += g.Bytes
	event.Disk, event.Op, event.Seq, event.Bytes = g.Disk, w.job.Role, w.seq, w.done
	switch {
	case w.done == w.job.Sizes[w.seq]:
		event.Type, event.StartNS, event.EndNS = trace.FileType, w.startNS, g.DoneNS
		w.seq, w.done, w.startNS, w.sampleNS = w.seq+1, 0, g.DoneNS, g.DoneNS
	case g.DoneNS-w.sampleNS >= sampleNS:
		event.Type, event.TNS = trace.ProgressType, g.DoneNS
		w.sampleNS = g.DoneNS
	default:
		return false
	}
	return true
}
