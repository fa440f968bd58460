package analysis

import (
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// quietNS is how long frames must have been due without a disk, or for their buffer's length where that is longer, for
// it to count that none of them was late: what a disk leaves behind shows only once the buffer is used up.
const quietNS = 1_000_000_000

// lateness is what else was going on when a stream's frames were late. A line of the trace stands for the time since
// the one before: a disk was at work then if it was at any moment of it.
type lateness struct {
	late   bool
	always []bool // by disk: it was at work whenever frames were late
	quiet  []bool // by disk: frames were due for long enough while it was not at work
}

// lateness looks at what the other disks did along one of a disk's streams.
func (p *phase) lateness(disk int, t *trace.Stream, spec stream.Spec) lateness {
	l := lateness{always: make([]bool, len(p.parts)), quiet: make([]bool, len(p.parts))}
	enough := max(quietNS, spec.Buffer.Nanoseconds())
	for other := range p.parts {
		if other == disk {
			continue
		}
		var without int64
		l.always[other] = true
		before := trace.StreamSample{}
		for _, s := range t.Samples {
			v := overlap.Interval{StartNS: min(before.TNS, s.TNS-1), EndNS: s.TNS}
			if late := s.Late > before.Late; late || s.Due > before.Due {
				works := p.parts[other].worksIn(v)
				l.late = l.late || late
				l.always[other] = l.always[other] && (works || !late)
				if !works {
					without += v.EndNS - v.StartNS
				}
			}
			before = s
		}
		l.quiet[other] = without >= enough
	}
	return l
}

// with is what holds of the late frames of both.
func (l lateness) with(other lateness) lateness {
	switch {
	case !other.late:
		return l
	case !l.late:
		return other
	}
	sum := lateness{late: true, always: make([]bool, len(l.always)), quiet: make([]bool, len(l.always))}
	for i := range l.always {
		sum.always[i] = l.always[i] && other.always[i]
		sum.quiet[i] = l.quiet[i] && other.quiet[i]
	}
	return sum
}

// while names the disks that were at work whenever frames were late, and those of them without which none was.
func (l lateness) while(p *phase) (always, only []string) {
	if !l.late {
		return nil, nil
	}
	for i := range l.always {
		if !l.always[i] {
			continue
		}
		always = append(always, p.parts[i].name())
		if l.quiet[i] {
			only = append(only, p.parts[i].name())
		}
	}
	return always, only
}

// worksIn reports whether the disk is active at any moment of v.
func (p *part) worksIn(v overlap.Interval) bool {
	i := sort.Search(len(p.active), func(i int) bool { return p.active[i].EndNS > v.StartNS })
	return i < len(p.active) && p.active[i].StartNS < v.EndNS
}
