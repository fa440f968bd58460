package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// groupTotal is what a set of disks moved together in one direction.
type groupTotal struct {
	op         trace.Role
	connection string
	disks      []string // They are in alphabetical order.
	phases     []*phase // There are several if the set was measured again.
	total      float64
	halfCI     float64     // halfCI is half of the total's 95 % interval.
	alone      float64     // alone is what the disks reach one by one.
	subset     *groupTotal // subset is the largest set of some of the disks that moved as much.
}

func (r *groupTotal) hasHeadroom() bool { return r.alone >= headroom*r.total }

// tolerance is how far two totals may lie apart that are alike, by their intervals.
func (r *groupTotal) tolerance(o *groupTotal) float64 {
	return ceilingMargin * math.Hypot(r.halfCI, o.halfCI)
}

// comparable reports whether two sets were measured under the same conditions, beside the same
// disks that went the other way, and what disks they have in common, or else the first ones, do the
// same in both.
func (r *groupTotal) comparable(s *groupTotal) bool {
	p := r.phases[0]
	q := s.phases[0]
	shared := false
	if r.op != s.op || r.connection != s.connection ||
		len(p.parts)-len(r.disks) != len(q.parts)-len(s.disks) {
		return false
	}
	for _, part := range p.parts {
		other := q.part(part.Name())
		if other == nil && part.Trace.Op != r.op || other != nil && !part.same(other) {
			return false
		}
		shared = shared || other != nil
	}
	return shared || p.part(r.disks[0]).Work.Same(q.part(s.disks[0]).Work)
}

// comparableToAll reports whether the set is comparable to each of a group.
func (r *groupTotal) comparableToAll(group []*groupTotal) bool {
	for _, s := range group {
		if !r.comparable(s) {
			return false
		}
	}
	return true
}

// ceilings looks for limits that disks have in common. No link is known by a rate alone: the
// evidence is a set of disks to which another was added without raising the total, though one by
// one they reach a fifth more, and that no other set passed that total either. Totals that lie
// alike by chance must be ruled out: the more sets that had more to give, the more of them must
// have reached it.
func (r *run) ceilings() {
	var groups [][]*groupTotal // All sets of a group are comparable.
	for _, set := range r.settings {
		for _, op := range []trace.Role{trace.Read, trace.Write} {
			total := total(set, op)
			if total == nil {
				continue
			}
			i := 0
			for i < len(groups) && !total.comparableToAll(groups[i]) {
				i++
			}
			if i == len(groups) {
				groups = append(groups, nil)
			}
			groups[i] = append(groups[i], total)
		}
	}
	comparisons := 0.0
	for _, g := range groups {
		if slices.ContainsFunc(g, (*groupTotal).hasHeadroom) {
			comparisons++
		}
	}
	for _, g := range groups {
		ceiling(g, ceilingRate/max(1, comparisons))
	}
}

// total is what the disks moved together in one direction; nil if that or what each has alone is
// not known, if they are not connected to the same port, or if one of the disks does not go as fast
// as it can in one direction.
func total(s []*phase, op trace.Role) *groupTotal {
	if !s[0].allContend() {
		return nil
	}
	r := &groupTotal{op: op}
	for _, part := range s[0].parts {
		if part.Trace.Op != op {
			continue
		}
		alone := s[0].solos.Of(part.actor())
		if alone == nil || len(r.disks) > 0 && part.connection != r.connection {
			return nil
		}
		r.connection = part.connection
		r.disks = append(r.disks, part.Name())
		r.alone += alone.Mean
	}
	slices.Sort(r.disks)
	var totals []stats.Estimate
	for _, p := range s {
		if total, ok := p.out.Overlap.oneWay(op); ok {
			r.phases = append(r.phases, p)
			totals = append(totals, total)
		}
	}
	if len(totals) == 0 {
		return nil
	}
	pooled := s[0].table.Pool(totals)
	r.total = pooled.Mean
	r.halfCI = max(pooled.Interval().Half(), minRelativeError*r.total)
	return r
}

// ceiling looks for a limit that sets of disks have in common, and adds it to the phases that
// reached it: those whose totals are alike the highest, unless with a chance of p that many of
// those that had more to give ended on it by chance.
func ceiling(sets []*groupTotal, p float64) {
	top := slices.MaxFunc(sets, func(a, b *groupTotal) int { return cmp.Compare(a.total, b.total) })
	atLimit := []*groupTotal{top}
	could, did := 0, 0
	var sumOfChances float64
	for _, s := range sets {
		atTop := math.Abs(s.total-top.total) <= s.tolerance(top)
		switch {
		case s == top:
			continue
		case atTop:
			atLimit = append(atLimit, s)
		}
		if s.hasHeadroom() {
			could++
			sumOfChances += min(1, 2*s.tolerance(top)/(s.alone/2))
			if atTop {
				did++
			}
		}
	}
	if did == 0 || stats.BinomialTail(could, did, sumOfChances/float64(could)) > p {
		return
	}
	var sum, weight float64
	var names []string
	shown := false
	for _, s := range atLimit {
		if s.hasHeadroom() {
			s.subset = largestWithin(atLimit, s)
			shown = shown || s.subset != nil
		}
		w := 1 / (s.halfCI * s.halfCI)
		sum += w * s.total
		weight += w
		for _, p := range s.phases {
			names = append(names, p.out.Name)
		}
	}
	if !shown {
		return
	}
	for _, s := range atLimit {
		c := &Ceiling{Rate: sum / weight, Phases: names}
		if s.subset != nil {
			c.Without = s.subset.phases[0].out.Name
			c.WithoutRate = s.subset.total
			c.AloneRate = s.alone
			c.Added = only(s.disks, func(disk string) bool {
				return !slices.Contains(s.subset.disks, disk)
			})
		}
		for _, p := range s.phases {
			if p.out.Contention != nil {
				p.out.Contention.Ceiling = c
			}
		}
	}
}

// largestWithin is the largest of the sets that lies within s, nil if none does.
func largestWithin(sets []*groupTotal, s *groupTotal) (found *groupTotal) {
	for _, r := range sets {
		outside := func(d string) bool { return !slices.Contains(s.disks, d) }
		if len(r.disks) < len(s.disks) && !slices.ContainsFunc(r.disks, outside) &&
			(found == nil || len(r.disks) > len(found.disks)) {
			found = r
		}
	}
	return found
}

// duplexGains compares every phase of reads and writes mixed with the best phase of the same disks
// one way, that do the same except for their direction.
func duplexGains(phases []*phase) {
	mixed := func(o *Overlap) bool { return o.ReadRate > 0 && o.WriteRate > 0 }
	for _, p := range phases {
		if p.out.Contention == nil || !mixed(p.out.Overlap) || p.hasPacedDisk() {
			continue
		}
		var best *Overlap
		for _, q := range phases {
			o := q.out.Overlap
			if o != nil && !q.hasPacedDisk() && !mixed(o) && (best == nil || o.Rate > best.Rate) &&
				sameParts(p.parts, q.parts, work.KeyOp, work.KeyMix) {
				best = o
			}
		}
		if best == nil {
			continue
		}
		p.out.Contention.DuplexGain = number(p.out.Overlap.Rate / best.Rate)
		if m, b := p.out.Overlap.Estimate, best.Estimate; m.Known() && b.Known() {
			p.out.Contention.DuplexCI95 = effect.Ratio(stats.Difference(b.Log(), m.Log()))
		}
	}
}
