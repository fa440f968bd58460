package analysis

import (
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/work"
)

// job is what a disk does in a phase, and its connection: with both the same, two of its measurements may be compared with one
// another. A disk on the hub is not to be judged by its speed on a port of its own.
type job struct {
	disk, connection string
	work             work.Work
}

func (p *phase) job(part *part) job {
	w := part.Work
	w.Op, w.Test = part.Trace.Op, p.trace.Test
	return job{part.Name(), p.connections[part.Name()], w}
}

// same reports whether both are one disk's, at the same work except for some keys, and connected alike.
func (j job) same(o job, but ...work.Key) bool {
	return j.disk == o.disk && j.connection == o.connection && j.work.SameBut(o.work, but...)
}

// part is the part of a disk; nil if it is idle.
func (p *phase) part(disk string) *part {
	if i := slices.IndexFunc(p.parts, func(part part) bool { return part.Name() == disk }); i >= 0 {
		return &p.parts[i]
	}
	return nil
}

// sameWork reports whether a disk does the same in both phases, by the same connection, except for some keys of its work.
func (p *phase) sameWork(q *phase, disk string, but ...work.Key) bool {
	a, b := p.part(disk), q.part(disk)
	return a != nil && b != nil && p.job(a).same(q.job(b), but...)
}

// among reports whether all that p's disks do, except for some keys, is done in q as well.
func among(p, q *phase, but ...work.Key) bool {
	return !slices.ContainsFunc(p.parts, func(part part) bool { return !p.sameWork(q, part.Name(), but...) })
}

// sameJobs reports whether the same disks do the same in both phases, except for some keys.
func sameJobs(p, q *phase, but ...work.Key) bool {
	return len(p.parts) == len(q.parts) && among(p, q, but...)
}

// markRepeats notes of each phase which earlier one it repeats.
func markRepeats(phases []*phase) {
	for i, p := range phases {
		if k := slices.IndexFunc(phases[:i], func(q *phase) bool { return q.out.Repeats == "" && sameJobs(q, p) }); k >= 0 {
			p.out.Repeats = phases[k].out.Phase
		}
	}
}

// unlike warns once of phases that look as if one said what a disk of the other has alone, or, if no work was
// recorded, as if they were repeats, though the work in them is not the same, or not known to be.
func unlike(phases []*phase) []Warning {
	phases = slices.DeleteFunc(slices.Clone(phases), func(p *phase) bool { return p.out.Repeats != "" }) // they say no more
	for _, p := range phases {
		for i := range p.parts {
			here := p.job(&p.parts[i])
			if len(p.parts) < 2 || here.work.Limited() {
				continue
			}
			other, in := unlikeAlone(phases, here)
			for _, q := range phases {
				if other == nil && !here.work.Declared() && sameJobs(p, q, work.KeySizes, work.KeyOrder) && !p.sameWork(q, here.disk) {
					alike := q.job(q.part(here.disk))
					other, in = &alike, q.out.Phase
				}
			}
			if other != nil {
				return []Warning{{Code: "unlike_work", Disk: here.disk, Other: difference(other.work, in, here.work, p.out.Phase)}}
			}
		}
	}
	return nil
}

// unlikeAlone is what a disk does alone in a phase of the same direction and connection, if no phase has it alone at the same work.
func unlikeAlone(phases []*phase, here job) (other *job, in string) {
	for _, q := range phases {
		if len(q.parts) != 1 || q.parts[0].Name() != here.disk || q.parts[0].Trace.Op != here.work.Op || q.parts[0].Limited() {
			continue
		}
		alone := q.job(&q.parts[0])
		if alone.connection != here.connection || alone.work.Reads != here.work.Reads {
			continue
		}
		if alone.same(here) {
			return nil, ""
		}
		other, in = &alone, q.out.Phase
	}
	return other, in
}

// difference says in what two works differ: "sizes 1 GB in A, 1 MB in WW".
func difference(a work.Work, in string, b work.Work, out string) string {
	var texts []string
	for _, key := range a.Differs(b) {
		texts = append(texts, string(key)+" "+a.Value(key)+" in "+in+", "+b.Value(key)+" in "+out)
	}
	return strings.Join(texts, "; ")
}

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

// find returns what a disk has alone in a job; nil if no phase has it.
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
