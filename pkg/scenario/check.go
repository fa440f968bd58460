package scenario

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Check reports why a plan that was read from a file cannot be run: one made from a scenario always can.
func (p *Plan) Check() error {
	if p.Hub != nil && (p.Hub.Speedup < 0 || math.IsNaN(p.Hub.Speedup) || p.Simulated() && p.Hub.Speedup == 0) {
		return fmt.Errorf("plan: the hub's speedup is %g", p.Hub.Speedup)
	}
	if len(p.Phases) > maxPlanPhases {
		return fmt.Errorf("plan: %d phases, more than %d", len(p.Phases), maxPlanPhases)
	}
	seen := map[string]bool{}
	for i := range p.Phases {
		phase := &p.Phases[i]
		if seen[phase.Name] {
			return fmt.Errorf("plan: two phases %q", phase.Name)
		}
		seen[phase.Name] = true
		if phase.Cooldown < 0 || phase.Limit < 0 || phase.Target < 0 || phase.Steady < 0 || phase.Stop == StopTime && phase.Limit == 0 {
			return fmt.Errorf("plan: phase %q has a time below zero, or none to end at", phase.Name)
		}
		for _, job := range phase.Jobs {
			if err := job.check(p); err != nil {
				return fmt.Errorf("plan: phase %q, disk %q: %w", phase.Name, job.Disk, err)
			}
		}
	}
	return nil
}

func (j Job) check(p *Plan) error {
	switch {
	case p.Disk(j.Disk).Name == "":
		return fmt.Errorf("the plan has no such disk")
	case j.Role != trace.Read && j.Role != trace.Write:
		return fmt.Errorf("role %q: want read or write", j.Role)
	case len(j.Sizes) == 0 || len(j.Sizes) > maxPlanFiles || slices.Min(j.Sizes) <= 0 || slices.Max(j.Sizes) > maxPlanBytes:
		return fmt.Errorf("its files have no size that can be moved")
	case !p.Disk(j.Disk).Simulated() && (j.IO.Block < 1 || j.IO.Block > maxBlock || j.IO.Depth < 1 || j.IO.Depth > maxDepth || j.IO.Block*int64(j.IO.Depth) > maxBuffers):
		return fmt.Errorf("%d requests of %d bytes at a time", j.IO.Depth, j.IO.Block)
	case j.Pace < 0 || math.IsNaN(j.Pace) || !(j.Reads >= 0 && j.Reads < 1) || j.Probe < 0:
		return fmt.Errorf("a pace, mix or probe below zero")
	}
	for _, s := range j.Streams {
		if s.Count < 1 || s.Frame <= 0 || s.Buffer <= 0 || !(s.Rate > 0) || s.Offset(1) < 1 {
			return fmt.Errorf("%s cannot be streamed", s)
		}
	}
	return nil
}
