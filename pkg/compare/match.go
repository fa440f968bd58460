package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// asked is the work of each disk in a phase of a run, and how it is connected.
type asked struct {
	phase       *trace.Phase
	title       string
	works       map[string]work.Work
	connections map[string]string
}

func (r Run) asked(p *trace.Phase) asked {
	a := asked{p, r.Trace.Title(p), map[string]work.Work{}, map[string]string{}}
	for _, d := range p.Disks {
		a.works[d.Name] = p.WorkOf(d)
		i := slices.IndexFunc(r.Trace.Disks, func(known trace.Disk) bool { return known.Name == d.Name })
		if i >= 0 {
			a.connections[d.Name] = r.Trace.Disks[i].Connection
		}
		a.connections[d.Name] = cmp.Or(p.Connections[d.Name], a.connections[d.Name])
	}
	return a
}

// same reports whether the same disks do the same in both, on the same connections.
func (a asked) same(b asked) bool { return len(a.works) == len(b.works) && a.shared(b) == len(a.works) }

// shared is how many disks do the same in both, on the same connections; 0 if a disk does something else.
func (a asked) shared(b asked) (n int) {
	for disk := range a.works {
		if _, ok := b.works[disk]; !ok {
			continue
		}
		if n++; a.connections[disk] != b.connections[disk] || len(a.differs(b, disk)) > 0 {
			return 0
		}
	}
	return n
}

// differs are the keys by which a disk's work differs. If only one of the runs recorded its work, they are
// compared by what can be seen in both.
func (a asked) differs(b asked, disk string) []work.Key {
	w, o := a.works[disk], b.works[disk]
	if w.Declared() == o.Declared() {
		return w.Differs(o)
	}
	for _, side := range []struct {
		work *work.Work
		of   asked
	}{{&w, a}, {&o, b}} {
		if !side.work.Accompanies() {
			side.work.Sizes, side.work.Seen = work.Sizes{}, side.of.phase.Disk(disk).Seen()
		}
	}
	return slices.DeleteFunc(w.Differs(o), func(k work.Key) bool { return k == work.KeyUnknown })
}

// unlike are the differences of a disk's work that keep its rates from being compared, because they would
// differ anyway. How the same files are moved does not: that may be what the runs were meant to compare.
func (a asked) unlike(b asked, disk string) []Difference {
	var list []Difference
	for _, k := range a.differs(b, disk) {
		switch k {
		case work.KeyMix, work.KeyStreams, work.KeyProbe, work.KeyPace, work.KeySizes, work.KeyOrder:
			list = append(list, Difference{string(k), disk, a.works[disk].Value(k), b.works[disk].Value(k)})
		}
	}
	return list
}

// as is the run with its phases named like those of the base that they match: first those of the same name
// whose disks do the same, though some may be missing; then those of the same work whose names differ only in
// the number at their end, or in the words for who does what; then those of the same name whose work differs.
// Tries of searches are not matched.
func (r Run) as(base Run) Run {
	list := func(r Run) (all []asked) {
		for _, p := range r.Trace.Phases {
			if p.Search == nil {
				all = append(all, r.asked(p))
			}
		}
		return all
	}
	before, after := list(base), list(r)
	names, taken := map[string]string{}, map[string]bool{} // this run's name to the base's
	for _, fits := range []func(b, n asked) bool{
		func(b, n asked) bool { return b.phase.Name == n.phase.Name && b.shared(n) > 0 },
		func(b, n asked) bool {
			return trace.Unnumbered(b.phase.Name) == trace.Unnumbered(n.phase.Name) && b.same(n)
		},
		func(b, n asked) bool { return b.title == n.title && b.same(n) },
		func(b, n asked) bool { return b.phase.Name == n.phase.Name },
	} {
		for _, b := range before {
			for _, n := range after {
				if !taken[b.phase.Name] && names[n.phase.Name] == "" && fits(b, n) {
					names[n.phase.Name], taken[b.phase.Name] = b.phase.Name, true
				}
			}
		}
	}
	for _, n := range after {
		if name := n.phase.Name; names[name] == "" && taken[name] {
			names[name] = name + " (other work)"
		}
	}
	maps.DeleteFunc(names, func(from, to string) bool { return from == to })
	if len(names) == 0 {
		return r
	}
	return r.renamed(names)
}

// renamed is the run with new names for some of its phases.
func (r Run) renamed(names map[string]string) Run {
	name := func(old string) string { return cmp.Or(names[old], old) }
	t, a := *r.Trace, *r.Analysis
	t.Phases, a.Phases, a.Findings = slices.Clone(t.Phases), slices.Clone(a.Phases), slices.Clone(a.Findings)
	for i, p := range t.Phases {
		renamed := *p
		renamed.Name = name(p.Name)
		t.Phases[i] = &renamed
	}
	for i := range a.Phases {
		a.Phases[i].Phase = name(a.Phases[i].Phase)
	}
	for i := range a.Findings {
		a.Findings[i].Phase = name(a.Findings[i].Phase)
	}
	r.called = map[string]string{}
	for old, now := range names {
		r.called[now] = old
	}
	r.Trace, r.Analysis = &t, &a
	if r.Method != nil {
		m, plan := *r.Method, *r.Method.Plan
		plan.Phases = slices.Clone(plan.Phases)
		for i := range plan.Phases {
			plan.Phases[i].Name = name(plan.Phases[i].Name)
		}
		m.Plan, m.Effective = &plan, map[string]map[string]trace.Effective{}
		for phase, modes := range r.Method.Effective {
			m.Effective[name(phase)] = modes
		}
		r.Method = &m
	}
	return r
}

// who says which disks do what: "A and B write, C reads".
func who(run *trace.Run, p *trace.Phase) string {
	var disks []string
	works := map[string]work.Work{}
	for _, d := range run.Disks {
		disks = append(disks, d.Name)
	}
	for _, d := range p.Disks {
		works[d.Name] = work.Work{Op: d.Op}
	}
	return work.Who(disks, works)
}
