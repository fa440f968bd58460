package hub

import (
	"cmp"
	"fmt"

	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Simulate plays a plan in the model's time and emits what a run of it would have recorded, in the order of time:
// the same plan always gives the same events, and a run on simulated disks gives the same files. A disk of the plan
// that is real is looked up in the profile by its own name. The run line has no wall time: nothing ran.
// It stops at the first error of emit.
func Simulate(plan *scenario.Plan, p *Profile, emit func(*trace.Event) error) error {
	header := plan.Event("")
	for i := range header.Disks { // what is told of the model must not be taken for a real disk's
		header.Disks[i].Profile = cmp.Or(header.Disks[i].Profile, header.Disks[i].Name)
	}
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

// Record plays a phase of the plan as Play does, or all tries of its search, with the lines that begin and end it in a
// trace.
func (s *Sim) Record(plan *scenario.Plan, phase *scenario.Phase, emit func(*trace.Event) error) error {
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

// WorkOf is what a job of the plan does on the hub.
func WorkOf(plan *scenario.Plan, phase *scenario.Phase, job *scenario.Job) Work {
	disk := plan.Disk(job.Disk)
	return Work{
		Profile: cmp.Or(disk.Profile, job.Disk), Op: job.Role, Sizes: job.Sizes, Seed: job.Seed, Policy: policy.Of(phase),
		Direct: trace.OwnPort(cmp.Or(phase.Connections[job.Disk], disk.Connection)),
	}
}

// JoinPhase brings all disks of a phase onto the hub at its release, and takes them away at its limit, if it has one.
func (s *Sim) JoinPhase(plan *scenario.Plan, phase *scenario.Phase) error {
	s.Restart(int64(phase.Cooldown))
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

// Play plays one phase of the plan from its cool-down to its end, on the hub as the phase before has left it, and
// emits its progress and file events.
func (s *Sim) Play(plan *scenario.Plan, phase *scenario.Phase, emit func(*trace.Event) error) error {
	if err := s.JoinPhase(plan, phase); err != nil {
		return err
	}
	players := make(map[string]*player, len(phase.Jobs))
	for i := range phase.Jobs {
		p := newPlayer(phase, &phase.Jobs[i])
		players[phase.Jobs[i].Disk] = p
		if err := s.Ask(phase.Jobs[i].Disk, p.file.Ask()); err != nil {
			return err
		}
	}
	for {
		at, ok := s.Next()
		if !ok {
			break
		}
		for _, g := range s.Advance(at) {
			if err := s.answer(g, players[g.Disk], emit); err != nil {
				return err
			}
		}
	}
	for i := range phase.Jobs {
		p := players[phase.Jobs[i].Disk]
		if e, ok := p.CutShort(p.file.StartNS); ok {
			if err := emit(&e); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer moves a player on by what the hub has granted it, and asks for the next stretch.
func (s *Sim) answer(g Grant, p *player, emit func(*trace.Event) error) error {
	if g.Ended {
		return nil
	}
	if p.granted(g.DoneNS) {
		if err := emit(&p.event); err != nil {
			return err
		}
	}
	if bytes, ok := p.Quota(); ok {
		s.Finish(g.Disk, bytes)
	}
	for window, ok := p.Settled(); ok; window, ok = p.Settled() {
		s.Settle(window)
	}
	if n := p.file.Ask(); n > 0 {
		return s.Ask(g.Disk, n)
	}
	return nil
}

// player is a job under way in a simulation: what the worker process is in a run.
type player struct {
	*policy.Job
	file  policy.Transfer
	event trace.Event // the latest; one for all, so that none is allocated
}

func newPlayer(phase *scenario.Phase, job *scenario.Job) *player {
	p := &player{Job: policy.NewJob(phase.Name, policy.Of(phase), job)}
	p.begin(0)
	return p
}

// begin goes on to the next file; where there is none, an empty one asks for nothing.
func (p *player) begin(tNS int64) {
	size, _ := p.Next()
	p.file = policy.NewTransfer(size, tNS)
}

// granted moves the file on, and reports whether there is an event to tell.
func (p *player) granted(doneNS int64) bool {
	sample := p.file.Granted(doneNS)
	switch {
	case p.file.Ask() == 0:
		p.event = p.File(p.file.Bytes, p.file.StartNS, doneNS)
		p.begin(doneNS)
	case sample:
		p.event = p.Progress(p.file.Bytes, doneNS)
	default:
		return false
	}
	return true
}
