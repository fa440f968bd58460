package compare

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// same reports whether the same disks do the same in both, on the same connections.
func (p *part) same(b *part) bool { return len(p.works) == len(b.works) && p.shared(b) == len(p.works) }

// shared is how many disks do the same in both, on the same connections; 0 if a disk does something else.
func (p *part) shared(b *part) (n int) {
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

// differs are the keys by which a disk's work differs. If only one of the runs recorded its work, they are
// compared by what can be seen in both.
func (p *part) differs(b *part, disk string) []work.Key {
	w, o := p.works[disk], b.works[disk]
	if w.Declared() == o.Declared() {
		return w.Differs(o)
	}
	for side, of := range map[*work.Work]*part{&w: p, &o: b} {
		if !side.Accompanies() {
			side.Sizes, side.Seen = work.Sizes{}, of.traced.Disk(disk).Seen()
		}
	}
	return slices.DeleteFunc(w.Differs(o), func(k work.Key) bool { return k == work.KeyUnknown })
}

// unlike are the differences of a disk's work that keep its rates from being compared, because they would
// differ anyway. How the same files are moved does not: that may be what the runs were meant to compare.
func (p *part) unlike(b *part, disk string) []Difference {
	var list []Difference
	for _, k := range p.differs(b, disk) {
		if k.Limits() || k == work.KeyMix || k == work.KeySizes || k == work.KeyOrder {
			list = append(list, Difference{string(k), disk, p.works[disk].Value(k), b.works[disk].Value(k)})
		}
	}
	return list
}

// match gives the phases of a run the names of those of the base that they match: first those of the same name
// whose disks do the same, though some may be missing; then those of the same work whose names differ only in
// the number at their end, or in the words for who does what; then those of the same name whose work differs.
// Tries of searches are not matched.
func match(r Run, base []*part) *matched {
	m := &matched{r, newParts(r), r.Analysis.Findings}
	phases := func(list []*part) []*part {
		return slices.DeleteFunc(slices.Clone(list), func(p *part) bool { return p.traced.Search != nil })
	}
	taken, done := map[string]bool{}, map[*part]bool{}
	for _, fits := range []func(b, n *part) bool{
		func(b, n *part) bool { return (b.own == n.own || b.traced.Name == n.traced.Name) && b.shared(n) > 0 },
		func(b, n *part) bool {
			return trace.Unnumbered(b.traced.Name) == trace.Unnumbered(n.traced.Name) && b.same(n)
		},
		func(b, n *part) bool { return b.title == n.title && b.same(n) },
		func(b, n *part) bool { return b.own == n.own || b.traced.Name == n.traced.Name },
	} {
		for _, b := range phases(base) {
			for _, n := range phases(m.parts) {
				if !taken[b.name] && !done[n] && fits(b, n) {
					n.name, taken[b.name], done[n] = b.name, true, true
				}
			}
		}
	}
	names := map[string]string{}
	for _, n := range m.parts {
		if n.traced.Search == nil && !done[n] && taken[n.name] {
			n.name += " (other work)"
		}
		for _, q := range n.all {
			names[q.traced.Name] = n.name
		}
	}
	a := *r.Analysis
	a.Findings = slices.Clone(a.Findings)
	for i, f := range a.Findings {
		a.Findings[i].Phase = cmp.Or(names[f.Phase], f.Phase)
	}
	m.Analysis = &a
	return m
}

// newParts are the phases of a run, each with its repeats. Of these the first that was measured completely stands
// for all, by their name without a number if no other phase has it.
func newParts(r Run) (list []*part) {
	for _, t := range r.Trace.Phases {
		p := newPart(r, t)
		if i := slices.IndexFunc(list, func(q *part) bool { return q.repeatedBy(p) }); i >= 0 {
			list[i].all = append(list[i].all, p)
		} else {
			list = append(list, p)
		}
	}
	for i, p := range list {
		if len(p.all) == 1 {
			continue
		}
		name := trace.Unnumbered(p.own)
		if slices.ContainsFunc(r.Trace.Phases, func(t *trace.Phase) bool { return t.Name == name }) {
			name = p.own
		}
		lead := p
		for _, q := range p.all {
			if q.usable() && (!lead.usable() || len(q.works) > len(lead.works)) {
				lead = q
			}
		}
		lead.all, lead.name, lead.own, list[i] = p.all, name, name, lead
	}
	return list
}
