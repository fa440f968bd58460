package hub

import (
	"cmp"
	"fmt"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// Stretch is the bytes that a simulated disk asks the hub for at a time, in a run as in a simulation: so that the
	// two agree to the nanosecond.
	Stretch = 32_000_000
	// SampleNS is the time after which a disk's progress is noted, for the same reason.
	SampleNS = 50_000_000
)

// ownPort tells whether a disk of this connection, as scenarios label it, contends with nobody on the hub.
func ownPort(connection string) bool { return connection == "direct" || connection == "internal" }

// Simulate plays a plan in the model's time and emits what a run of it would have recorded, in the order of time:
// the same plan always gives the same events, and a run on simulated disks gives the same files. A disk of the plan
// that is real is looked up in the profile by its own name. The run line has no wall time: nothing ran.
// It stops at the first error of emit.
func Simulate(plan *scenario.Plan, p *Profile, emit func(*trace.Event) error) error {
	header := plan.Event("")
	if err := emit(&header); err != nil {
		return err
	}
	s := NewSim(p)
	for i := range plan.Phases {
		phase := &plan.Phases[i]
		begins := phase.Event()
		if err := emit(&begins); err != nil {
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
func WorkOf(plan *scenario.Plan, phase *scenario.Phase, job *scenario.Job) Work {
	w := Work{
		Profile: job.Disk, Op: job.Role, Sizes: job.Sizes, Seed: job.Seed,
		Hold:    phase.Stop == scenario.StopHold,
		Endless: phase.Stop == scenario.StopTime || phase.Target > 0,
	}
	for _, d := range plan.Disks {
		if d.Name == job.Disk {
			w.Profile = cmp.Or(d.Profile, job.Disk)
			w.Direct = ownPort(cmp.Or(phase.Connections[d.Name], d.Connection))
		}
	}
	return w
}

// JoinPhase brings all disks of a phase onto the hub at its release, and takes them away at its limit, if it has one.
func (s *Sim) JoinPhase(plan *scenario.Plan, phase *scenario.Phase) error {
	s.Restart(int64(phase.Cooldown))
	for i := range phase.Jobs {
		job := &phase.Jobs[i]
		if err := s.Join(job.Disk, WorkOf(plan, phase, job), 0); err != nil {
			return err
		}
		if phase.Stop == scenario.StopTime {
			s.Leave(job.Disk, int64(phase.Limit))
		}
	}
	return nil
}

// Play plays one phase of the plan from its cool-down to its end, on the hub as the phase before has left it, and
// emits its progress and file events.
func (s *Sim) Play(plan *scenario.Plan, phase *scenario.Phase, emit func(*trace.Event) error) error {
	if err := s.JoinPhase(plan, phase); err != nil {
		return err
	}
	workers := make(map[string]*worker, len(phase.Jobs))
	for i := range phase.Jobs {
		job := &phase.Jobs[i]
		w := newWorker(phase, job)
		workers[job.Disk] = w
		if err := s.Ask(job.Disk, w.next()); err != nil {
			return err
		}
	}
	event := &trace.Event{Phase: phase.Name} // one for all: emit may not keep it
	for {
		at, ok := s.Next()
		if !ok {
			return cutShort(phase, workers, event, emit)
		}
		for _, g := range s.Advance(at) {
			w := workers[g.Disk]
			if w.granted(g, event) {
				if err := emit(event); err != nil {
					return err
				}
			}
			if bytes, ok := w.decided(event); ok {
				s.Finish(g.Disk, bytes)
			}
			if n := w.next(); n > 0 {
				if err := s.Ask(g.Disk, n); err != nil {
					return err
				}
			}
		}
	}
}

// cutShort emits what is known of the fillers that the end of the phase has cut short.
func cutShort(phase *scenario.Phase, workers map[string]*worker, event *trace.Event, emit func(*trace.Event) error) error {
	for i := range phase.Jobs {
		w := workers[phase.Jobs[i].Disk]
		if w.filling() && w.sampled > 0 {
			w.tell(event)
			event.Type, event.Op, event.Bytes, event.StartNS, event.EndNS = trace.FileType, w.job.Role, w.sampled, w.startNS, w.sampleNS
			if err := emit(event); err != nil {
				return err
			}
		}
	}
	return nil
}
