package analysis

import "github.com/hubbench/hubbench/pkg/trace"

// solos are the disks' rates alone: of phases in which one disk worked by itself.
type solos map[soloKey]solo

// soloKey is what must be the same for a rate alone to be comparable.
type soloKey struct {
	disk       string
	op         trace.Role
	connection string // a disk on the hub is not to be judged by its speed on a port of its own
	test       string
	reads      float64 // of a disk that reads and writes at once: the share of reads
}

// solo is what a disk does alone, and the phases that say so.
type solo struct {
	measured
	phase string
}

// soloRates takes of each phase of one disk its lowest level: a rate averaged over a throttle is none that the disk
// has, and whoever has no less than the lowest level beside others was not held back.
func soloRates(phases []*phase) solos {
	lists := map[soloKey][]measured{}
	s := solos{}
	for _, p := range phases {
		if len(p.parts) != 1 || p.parts[0].limited() || p.out.Overlap == nil || p.out.Overlap.Rate <= 0 {
			continue
		}
		part := &p.parts[0]
		lowest, found := measured{}, false
		for _, l := range part.solid {
			if m, ok := part.measure(part.activeIn(l.Interval)...); ok && (!found || m.rate < lowest.rate) {
				lowest, found = m, true
			}
		}
		if !found {
			continue
		}
		key := p.soloKey(part)
		alone := s[key]
		if alone.phase != "" {
			alone.phase += ", "
		}
		alone.phase += p.out.Phase
		lists[key] = append(lists[key], lowest)
		alone.measured = pooled(lists[key])
		s[key] = alone
	}
	return s
}

// of is what the disk does alone under the phase's conditions, if a phase says it.
func (s solos) of(p *phase, part *part) (solo, bool) {
	alone, ok := s[p.soloKey(part)]
	return alone, ok
}

func (p *phase) soloKey(part *part) soloKey {
	return soloKey{part.name(), part.trace.Op, p.hangs[part.name()], p.trace.Test, part.paced.Reads}
}
