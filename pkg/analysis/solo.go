package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/level"
)

// solos are the disks' rates alone: of phases in which one disk worked by itself.
type solos []solo

// solo is what a disk does alone, and the phases that say so.
type solo struct {
	job
	level.Measured
	phase string
	each  []level.Measured // of the phases
}

// soloRates takes the lowest level of each phase of one disk: a disk never has a rate averaged over a throttle, and one that
// has at least its lowest level beside others was not held back.
func soloRates(phases []*phase) solos {
	var s solos
	for _, p := range phases {
		if len(p.parts) != 1 || p.parts[0].Limited() || p.parts[0].wavers() || p.out.Overlap == nil || p.out.Overlap.Rate <= 0 {
			continue
		}
		part := &p.parts[0]
		lowest, found := level.Measured{}, false
		for _, l := range part.Solid {
			if l.StartNS < part.warmNS-closeNS && len(part.Solid) > 1 {
				continue // it was not warm yet
			}
			if m, ok := part.Measure(part.MovingIn(l.Interval)...); ok && (!found || m.Rate < lowest.Rate) {
				lowest, found = m, true
			}
		}
		if !found {
			continue
		}
		alone := s.find(p.job(part))
		if alone == nil {
			s = append(s, solo{job: p.job(part), phase: p.out.Phase})
			alone = &s[len(s)-1]
		} else {
			alone.phase += ", " + p.out.Phase
		}
		alone.each = append(alone.each, lowest)
		alone.Measured = level.Pooled(alone.each)
	}
	return s
}

// find is what a disk has alone in a job; nil if no phase says it.
func (s solos) find(j job) *solo {
	if i := slices.IndexFunc(s, func(alone solo) bool { return alone.same(j) }); i >= 0 {
		return &s[i]
	}
	return nil
}

// of is what the disk does alone under the phase's conditions, if a phase says it.
func (s solos) of(p *phase, part *part) (solo, bool) {
	if alone := s.find(p.job(part)); alone != nil {
		return *alone, true
	}
	return solo{}, false
}
