package compare

import (
	"cmp"
	"math"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// sameWork reports whether the same disks do the same in both, on the same connections.
func (p *matchedPhase) sameWork(
	b *matchedPhase,
) bool {
	return len(p.works) == len(b.works) && p.disksInCommon(b) == len(p.works)
}

// disksInCommon returns how many disks do the same in both, on the same connections; 0 if a disk
// does something else.
func (p *matchedPhase) disksInCommon(b *matchedPhase) (n int) {
	for disk := range p.works {
		if _, ok := b.works[disk]; !ok {
			continue
		}
		if n++; p.connections[disk] != b.connections[disk] || len(p.differs(b, disk)) > 0 {
			return 0
		}
	}
	return n
}

// differs returns the keys by which a disk's work differs. If only one of the runs recorded its
// work, they are compared by what can be seen in both.
func (p *matchedPhase) differs(b *matchedPhase, disk string) []work.Key {
	w := p.works[disk]
	o := b.works[disk]
	if w.Declared() == o.Declared() {
		return w.Differs(o)
	}
	for side, of := range map[*work.Work]*matchedPhase{&w: p, &o: b} {
		if !side.HasNoFiles() {
			side.Sizes = work.Sizes{}
			side.Seen = of.traced.Disk(disk).Seen()
		}
	}
	var keys []work.Key
	for _, k := range w.Differs(o) {
		if k != work.KeyUnknown {
			keys = append(keys, k)
		}
	}
	return keys
}

// unlike returns the differences of a disk's work that keep its rates from being compared, because
// they would differ anyway. How the same files are moved does not: that may be what the runs were
// meant to compare.
func (p *matchedPhase) unlike(b *matchedPhase, disk string) []Difference {
	var list []Difference
	for _, k := range p.differs(b, disk) {
		if k.Limits() || k == work.KeyMix || k == work.KeySizes || k == work.KeyOrder {
			list = append(list, Difference{
				What: string(k), Where: disk, Base: p.works[disk].Value(k),
				New: b.works[disk].Value(k),
			})
		}
	}
	return list
}

// matchedRun is a run whose phases are matched to those of the base.
type matchedRun struct {
	Input
	parts []*matchedPhase
}

// matchedPhase is a phase of one run.
type matchedPhase struct {
	name        string          // name of the base's phase that it matches
	ownName     string          // in its own run: without a number if it has repeats
	repeats     []*matchedPhase // itself and its repeats in the same run, in order
	result      *analysis.PhaseResult
	traced      *trace.Phase
	works       map[string]work.Work // work of each disk
	connections map[string]string
	window      []overlap.Span // the time in which all disks of the phase were active
}

func newPart(r Input, t *trace.Phase) *matchedPhase {
	p := &matchedPhase{name: t.Name, ownName: t.Name, traced: t, works: map[string]work.Work{},
		connections: map[string]string{}}
	for _, d := range r.Trace.Disks {
		p.connections[d.Name] = d.Connection
	}
	for _, d := range t.Disks {
		p.works[d.Name] = t.WorkOf(d)
		p.connections[d.Name] = cmp.Or(t.Connections[d.Name], p.connections[d.Name])
	}
	for i := range r.Analysis.Phases {
		if r.Analysis.Phases[i].Name == t.Name {
			p.result = &r.Analysis.Phases[i]
		}
	}
	p.repeats = []*matchedPhase{p}
	if p.result.Overlap != nil {
		for _, span := range p.result.Overlap.Spans {
			p.window = append(p.window, overlap.Span{StartNS: ns(span[0]), EndNS: ns(span[1])})
		}
	}
	return p
}

func ns(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

// part finds a phase by the base's name for it; nil if there is none.
func (r *matchedRun) part(name string) *matchedPhase {
	for _, p := range r.parts {
		if p.name == name {
			return p
		}
	}
	return nil
}

// repeatedBy reports whether q repeats p, which is the first of its entry in the scenario (WW-1,
// then WW-2). A disk that failed may be missing in either.
func (p *matchedPhase) repeatedBy(q *matchedPhase) bool {
	a, b := p.traced, q.traced
	first := trace.Unnumbered(b.Name) + "-1"
	return p.repeats[0].traced.Name == first && b.Name != first && a.Search == nil &&
		b.Search == nil &&
		a.Stop == b.Stop &&
		a.Test == b.Test &&
		p.disksInCommon(q) > 0
}

// usable reports whether a phase was measured to its end.
func (p *matchedPhase) usable() bool {
	return p.traced.Status != trace.Partial && len(p.window) > 0
}

// comparable returns those of a phase and its repeats that are compared; p stands for all of them.
func (p *matchedPhase) comparable() (pool []*matchedPhase) {
	for _, q := range p.repeats {
		if q.usable() && len(q.works) == len(p.works) {
			pool = append(pool, q)
		}
	}
	if pool == nil {
		pool = []*matchedPhase{p}
	}
	return pool
}

// title returns what people call the phase, with all its repeats.
func (p *matchedPhase) title() string {
	if len(p.repeats) > 1 {
		return trace.Unnumbered(p.result.Title)
	}
	return p.result.Title
}

// match gives the phases of a run the names of those of the base that they match: first those of
// the same name whose disks do the same, though some may be missing; then those of the same work
// whose names differ only in the number at their end; then those of the same name whose work
// differs. Tries of searches are not matched.
func match(r Input, base []*matchedPhase) *matchedRun {
	m := &matchedRun{r, newParts(r)}
	taken := map[string]bool{}
	done := map[*matchedPhase]bool{}
	for _, fits := range []func(b, n *matchedPhase) bool{
		func(b, n *matchedPhase) bool {
			return (b.ownName == n.ownName || b.traced.Name == n.traced.Name) &&
				b.disksInCommon(n) > 0
		},
		func(b, n *matchedPhase) bool {
			return trace.Unnumbered(b.traced.Name) == trace.Unnumbered(n.traced.Name) &&
				b.sameWork(n)
		},
		func(b, n *matchedPhase) bool {
			return b.ownName == n.ownName || b.traced.Name == n.traced.Name
		},
	} {
		for _, b := range base {
			for _, n := range m.parts {
				isTry := b.traced.Search != nil || n.traced.Search != nil
				if !isTry && !taken[b.name] && !done[n] && fits(b, n) {
					n.name = b.name
					taken[b.name] = true
					done[n] = true
				}
			}
		}
	}
	for _, n := range m.parts {
		if n.traced.Search == nil && !done[n] && taken[n.name] {
			n.name += " (other work)"
		}
	}
	return m
}

// newParts returns the phases of a run, each with its repeats. Of these the first that was measured
// completely stands for all, by their name without a number if no other phase has it.
func newParts(r Input) (list []*matchedPhase) {
	for _, t := range r.Trace.Phases {
		p := newPart(r, t)
		first := repeatedIn(list, p)
		if first == nil {
			list = append(list, p)
		} else {
			first.repeats = append(first.repeats, p)
		}
	}
	for i, p := range list {
		if len(p.repeats) == 1 {
			continue
		}
		name := trace.Unnumbered(p.ownName)
		for _, t := range r.Trace.Phases {
			if t.Name == name {
				name = p.ownName
				break
			}
		}
		lead := p
		for _, q := range p.repeats {
			if q.usable() && (!lead.usable() || len(q.works) > len(lead.works)) {
				lead = q
			}
		}
		lead.repeats = p.repeats
		lead.name = name
		lead.ownName = name
		list[i] = lead
	}
	return list
}

// repeatedIn finds the phase that p repeats; nil if there is none.
func repeatedIn(list []*matchedPhase, p *matchedPhase) *matchedPhase {
	for _, first := range list {
		if first.repeatedBy(p) {
			return first
		}
	}
	return nil
}
