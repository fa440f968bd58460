package analysis

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/work"
)

// actor returns the disk at its work, by which its measurements are compared.
func (p *diskPart) actor() effect.Actor {
	return effect.Actor{
		Disk: p.Name(), Op: p.Trace.Op, Connection: p.connection, Work: &p.Work,
	}
}

// actors returns all that some disks do.
func actors(parts []*diskPart) []effect.Actor { return Each(parts, (*diskPart).actor) }

// same reports whether the measurements of both may be compared.
func (p *diskPart) same(o *diskPart) bool { return p.actor().Same(o.actor()) }

// sameParts reports whether the same disks do the same on both sides, except for some keys.
func sameParts(a, b []*diskPart, but ...work.Key) bool {
	return len(a) == len(b) && effect.Among(actors(a), actors(b), but...)
}

// grouped puts what is alike together, in the order in which the first of each group comes.
func grouped[T any](all []T, same func(first, next T) bool) [][]T {
	var groups [][]T
	for _, next := range all {
		i := 0
		for i < len(groups) && !same(groups[i][0], next) {
			i++
		}
		if i == len(groups) {
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], next)
	}
	return groups
}

// originals returns the name of the first phase that each later one repeats.
func originals(phases []*phase) map[*phase]string {
	first := map[*phase]string{}
	sameWork := func(p, q *phase) bool { return sameParts(p.parts, q.parts) }
	for _, group := range grouped(phases, sameWork) {
		for _, again := range group[1:] {
			first[again] = group[0].trace.Name
		}
	}
	return first
}

// unlike warns once of phases that look alike though a disk's work in them is not the same, or not
// known to be.
func (r *run) unlike() []Warning {
	for _, p := range r.phases {
		for _, part := range p.parts {
			q := p.lookalike(part)
			if q == nil {
				continue
			}
			other := q.part(part.Name())
			disk := part.Name()
			var texts []string // "sizes 1 GB in A, 1 MB in WW"
			for _, key := range other.Work.Differs(part.Work) {
				texts = append(texts, fmt.Sprintf("%s %s in %s, %s in %s", key,
					other.Work.Value(key), q.trace.Name, part.Work.Value(key), p.trace.Name))
			}
			differ := strings.Join(texts, "; ")
			w := newWarning(disk, "unlike_work", nil, "phases that look alike differ in its work "+
				"(%s): neither is the other's baseline or repeat; give the disk the same work "+
				"alone and with others", differ)
			w.Other = differ
			return []Warning{w}
		}
	}
	return nil
}

// lookalike returns a phase that looks as if it said what the disk has alone, or, if no work was
// recorded, as if it was a repeat; nil if there is none, or if another phase does say what the disk
// has alone. Repeats say no more.
func (p *phase) lookalike(disk *diskPart) *phase {
	if len(p.parts) < 2 || disk.IsPaced() || p.repeats != "" {
		return nil
	}
	var alone, repeat *phase
	known := false // whether another phase has the disk alone
	for _, q := range p.phases {
		o := q.part(disk.Name())
		switch {
		case o == nil || q.repeats != "":
		case len(q.parts) > 1:
			if repeat == nil && !disk.Work.Declared() && !o.same(disk) &&
				sameParts(p.parts, q.parts, work.KeySizes, work.KeyOrder) {
				repeat = q
			}
		case o.same(disk):
			known = true
		case !o.IsPaced() && o.connection == disk.connection && o.Work.Op == disk.Work.Op &&
			o.Work.Reads == disk.Work.Reads:
			alone = q
		}
	}
	if known || alone == nil {
		return repeat
	}
	return alone
}

// solos returns what the disks have alone: in phases in which one disk worked by itself.
func solos(phases []*phase) effect.Solos {
	var states []*effect.State
	for _, p := range phases {
		if len(p.parts) == 1 && !p.parts[0].IsPaced() {
			states = append(states, p.newStates()...)
		}
	}
	return effect.Alone(states)
}
