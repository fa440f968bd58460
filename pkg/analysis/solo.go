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
}

// solo is what a disk moved alone, and the phases that say so.
type solo struct {
	bytes, seconds float64
	phase          string
}

func (s solo) rate() float64 { return s.bytes / s.seconds }

func soloRates(phases []*phase) solos {
	s := solos{}
	for _, p := range phases {
		if len(p.parts) != 1 || p.out.Overlap == nil || p.out.Overlap.Rate <= 0 {
			continue
		}
		key := p.soloKey(&p.parts[0])
		alone := s[key]
		if alone.phase != "" {
			alone.phase += ", "
		}
		alone.phase += p.out.Phase
		alone.bytes += float64(p.out.Overlap.Bytes)
		alone.seconds += p.out.Overlap.DurationS
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
	return soloKey{part.name(), part.trace.Op, p.hangs[part.name()], p.trace.Test}
}
