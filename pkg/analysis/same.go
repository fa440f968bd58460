package analysis

import (
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/work"
)

// job is what a disk does in a phase, and its connection: with both the same, two of its measurements may be compared
// with one another. A disk on the hub is not to be judged by its speed on a port of its own.
type job struct {
	disk, connection string
	work             work.Work
}

// same reports whether both are one disk's, at the same work except for some keys, and connected alike.
func (j job) same(o job, but ...work.Key) bool {
	return j.disk == o.disk && j.connection == o.connection && j.work.SameBut(o.work, but...)
}

// sameWork reports whether a disk does the same in both phases, by the same connection, except for some keys of its
// work.
func (p *phase) sameWork(q *phase, disk string, but ...work.Key) bool {
	a, b := p.part(disk), q.part(disk)
	return a != nil && b != nil && a.job.same(b.job, but...)
}

// among reports whether all that some disks do, except for some keys, the others do as well.
func among(some, all []*part, but ...work.Key) bool {
	for _, one := range some {
		same := func(o *part) bool { return o.job.same(one.job, but...) }
		if !slices.ContainsFunc(all, same) {
			return false
		}
	}
	return true
}

// sameParts reports whether the same disks do the same on both sides, except for some keys.
func sameParts(a, b []*part, but ...work.Key) bool { return len(a) == len(b) && among(a, b, but...) }

// sameJobs is the same of phases.
func sameJobs(p, q *phase, but ...work.Key) bool { return sameParts(p.parts, q.parts, but...) }

// grouped puts what is alike together, in the order in which the first of each group comes.
func grouped[T any](all []T, alike func(first, next T) bool) [][]T {
	var groups [][]T
	for _, next := range all {
		i := slices.IndexFunc(groups, func(g []T) bool { return alike(g[0], next) })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], next)
	}
	return groups
}

// markRepeats notes of each phase which earlier one it repeats.
func markRepeats(phases []*phase) {
	for _, group := range grouped(phases, func(p, q *phase) bool { return sameJobs(p, q) }) {
		for _, again := range group[1:] {
			again.out.Repeats = group[0].out.Name
		}
	}
}

// unlike warns once of phases that look as if one said what a disk of the other has alone, or, if no work was
// recorded, as if they were repeats, though the work in them is not the same, or not known to be.
func unlike(phases []*phase) []Warning {
	// They say no more.
	phases = slices.DeleteFunc(slices.Clone(phases), func(p *phase) bool { return p.out.Repeats != "" })
	for _, p := range phases {
		for _, part := range p.parts {
			here := part.job
			if len(p.parts) < 2 || here.work.Limited() {
				continue
			}
			other, in := unlikeAlone(phases, here)
			for _, q := range phases {
				if other == nil && !here.work.Declared() && sameJobs(p, q, work.KeySizes, work.KeyOrder) &&
					!p.sameWork(q, here.disk) {
					other, in = &q.part(here.disk).job, q.out.Name
				}
			}
			if other == nil {
				continue
			}
			var texts []string // "sizes 1 GB in A, 1 MB in WW"
			for _, key := range other.work.Differs(here.work) {
				texts = append(texts, string(key)+" "+other.work.Value(key)+" in "+in+", "+here.work.Value(key)+" in "+p.out.Name)
			}
			differ := strings.Join(texts, "; ")
			return []Warning{{Code: "unlike_work", Disk: here.disk, Other: differ,
				Text: "disk " + here.disk + ": phases that look alike differ in its work (" + differ + "): neither is the " +
					"other's baseline or repeat; give the disk the same work alone and with others"}}
		}
	}
	return nil
}

// unlikeAlone is what a disk does alone in a phase of the same direction and connection, if no phase has it alone at
// the same work.
func unlikeAlone(phases []*phase, here job) (other *job, in string) {
	for _, q := range phases {
		if len(q.parts) != 1 || q.parts[0].Limited() {
			continue
		}
		alone := &q.parts[0].job
		if alone.disk != here.disk || alone.connection != here.connection || alone.work.Op != here.work.Op ||
			alone.work.Reads != here.work.Reads {
			continue
		}
		if alone.same(here) {
			return nil, ""
		}
		other, in = alone, q.out.Name
	}
	return other, in
}

// solos are what the disks have alone, by their jobs: of phases in which one disk worked by itself.
type solos []*solo

// solo is what a disk has alone in a job, and the phases that say so: its rate, or its latencies.
type solo struct {
	job
	phases []string
	ledger.Measured
	quantile.Figures
	found [3]*quantile.Quantile
}

// from names the phases in a text.
func (s *solo) from() string { return strings.Join(s.phases, ", ") }

// find returns what a disk has alone in a job; nil if no phase has it.
func (s solos) find(j job) *solo {
	if i := slices.IndexFunc(s, func(alone *solo) bool { return alone.same(j) }); i >= 0 {
		return s[i]
	}
	return nil
}

// newSolos gathers phases of one disk each by their jobs.
func newSolos(alone []*phase) (s solos, groups [][]*phase) {
	groups = grouped(alone, func(p, q *phase) bool { return p.parts[0].job.same(q.parts[0].job) })
	for _, group := range groups {
		var names []string
		for _, p := range group {
			names = append(names, p.out.Name)
		}
		s = append(s, &solo{job: group[0].parts[0].job, phases: names})
	}
	return s, groups
}

// soloRates takes the typical rate of each phase of one disk: that of the longest stretch without a change.
func soloRates(phases []*phase) solos {
	rates := map[*phase]ledger.Measured{}
	var alone []*phase
	for _, p := range phases {
		if len(p.parts) != 1 || p.parts[0].Limited() || p.parts[0].wavers() || p.out.Overlap == nil {
			continue
		}
		if m, ok := p.parts[0].Measure(longest(cutAt(p.window, p.cuts("")))...); ok {
			rates[p], alone = m, append(alone, p)
		}
	}
	s, groups := newSolos(alone)
	for i, group := range groups {
		var each []ledger.Measured
		for _, p := range group {
			each = append(each, rates[p])
		}
		s[i].Measured = ledger.Pooled(each)
	}
	return s
}
