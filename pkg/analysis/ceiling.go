package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// When sets of disks have a limit in common.
const (
	headroom = 1.2   // what the disks reach one by one over their total together, from which something held them
	ceilingP = 0.10  // chance of totals as alike in the whole run, if they were spread over half of what the disks reach
	spare    = 1.7   // times the intervals of two totals, within which they count as one
	minSE    = 0.005 // of a total: no interval is taken to be narrower
)

// reach is what a set of disks moved together in one direction.
type reach struct {
	disks  []string // in alphabetical order
	phases []*phase // more than one if the set was measured again
	total  float64
	half   float64 // of the total's 95 % interval
	alone  float64 // what the disks reach one by one
}

func (r *reach) held() bool { return r.alone >= headroom*r.total }

// alike reports whether the totals lie as close as their intervals allow.
func (r *reach) alike(o *reach) bool { return math.Abs(r.total-o.total) <= r.tolerance(o) }

func (r *reach) tolerance(o *reach) float64 { return spare * math.Hypot(r.half, o.half) }

// conditions are what must be the same for totals to be comparable.
type conditions struct {
	op               trace.Role
	connection, rest string // rest: the disks that went the other way
}

// group is sets of disks under the same conditions, each of which does the same in all of them.
type group struct {
	conditions
	sets []*reach
}

// fits reports whether a set's disks do what they do in the group's other sets; of sets without a disk in common the
// first ones stand for all.
func (g *group) fits(r *reach) bool {
	return !slices.ContainsFunc(g.sets, func(s *reach) bool {
		p, q, shared := r.phases[0], s.phases[0], 0
		for i := range p.parts {
			if disk := p.parts[i].Name(); q.part(disk) != nil {
				if shared++; !p.sameWork(q, disk) {
					return true
				}
			}
		}
		return shared == 0 && !p.job(p.part(r.disks[0])).work.Same(q.job(q.part(s.disks[0])).work)
	})
}

// ceilings looks for limits that disks have in common. No link is known by a rate alone: the evidence is a set of disks
// to which another was added without raising the total, though one by one they reach a fifth more, and that no other
// set passed that total either. Totals that lie alike by chance must be ruled out: the more sets that had more to
// give, the more of them must have reached it.
func ceilings(phases []*phase, solos solos) {
	var groups []*group
	for _, p := range phases {
		for _, op := range []trace.Role{trace.Read, trace.Write} {
			key, r, ok := p.reach(op, solos)
			if !ok {
				continue
			}
			i := slices.IndexFunc(groups, func(g *group) bool { return g.conditions == key && g.fits(r) })
			if i < 0 {
				i = len(groups)
				groups = append(groups, &group{conditions: key})
			}
			groups[i].sets = gather(groups[i].sets, r)
		}
	}
	looks := 0
	for _, g := range groups {
		if slices.ContainsFunc(g.sets, (*reach).held) {
			looks++
		}
	}
	for _, g := range groups {
		ceiling(g.sets, ceilingP/float64(max(1, looks)))
	}
}

// reach is what the phase's disks moved together in one direction; false if that or what each has alone is not
// known, if they are not connected to the same port, or if one of the disks does not go as fast as it can in one
// direction.
func (p *phase) reach(op trace.Role, solos solos) (key conditions, r *reach, ok bool) {
	o := p.out.Overlap
	if !p.allContend() {
		return key, nil, false
	}
	key, r = conditions{op: op}, &reach{phases: []*phase{p}}
	if o == nil {
		return key, r, false
	}
	r.total, r.half, ok = o.oneWay(op)
	if !ok {
		return key, r, false
	}
	var rest []string
	for i := range p.parts {
		part := &p.parts[i]
		if part.Trace.Op != op {
			rest = append(rest, part.Name())
			continue
		}
		alone, known := solos.of(p, part)
		connection := p.connections[part.Name()]
		if !known || len(r.disks) > 0 && connection != key.connection {
			return key, r, false
		}
		key.connection = connection
		r.disks = append(r.disks, part.Name())
		r.alone += alone.Rate
	}
	r.half = max(r.half, minSE*r.total)
	slices.Sort(r.disks)
	slices.Sort(rest)
	key.rest = strings.Join(rest, "\x00")
	return key, r, true
}

// gather adds a set, to itself if it was measured before.
func gather(sets []*reach, r *reach) []*reach {
	for _, s := range sets {
		if slices.Equal(s.disks, r.disks) {
			n := float64(len(s.phases))
			s.total, s.half = (s.total*n+r.total)/(n+1), (s.half*n+r.half)/(n+1)
			s.phases = append(s.phases, r.phases...)
			return sets
		}
	}
	return append(sets, r)
}

// ceiling looks for a limit that sets of disks have in common, and adds it to the phases that reached it.
func ceiling(sets []*reach, p float64) {
	reached := reachedTop(sets, p)
	shows := func(s *reach) bool { return s.held() && largestWithin(reached, s) != nil }
	if !slices.ContainsFunc(reached, shows) {
		return
	}
	var sum, weight float64
	var names []string
	for _, s := range reached {
		w := 1 / (s.half * s.half)
		sum, weight = sum+w*s.total, weight+w
		for _, p := range s.phases {
			names = append(names, p.out.Phase)
		}
	}
	for _, s := range reached {
		c := &Ceiling{Rate: sum / weight, Phases: names}
		if shows(s) {
			less := largestWithin(reached, s)
			c.Without, c.WithoutRate, c.AloneRate = less.phases[0].out.Phase, less.total, s.alone
			c.Added = slices.DeleteFunc(slices.Clone(s.disks), func(d string) bool { return slices.Contains(less.disks, d) })
		}
		for _, p := range s.phases {
			if p.out.Contention != nil {
				p.out.Contention.Ceiling = c
			}
		}
	}
}

// reachedTop are the sets whose totals are alike the highest; none if that many of those that had more to give may
// have ended on it by chance.
func reachedTop(sets []*reach, p float64) []*reach {
	if len(sets) == 0 {
		return nil
	}
	top := slices.MaxFunc(sets, func(a, b *reach) int { return cmp.Compare(a.total, b.total) })
	reached := []*reach{top}
	could, did := 0, 0
	var chance float64
	for _, s := range sets {
		if s == top {
			continue
		}
		if s.held() {
			could++
			chance += min(1, 2*s.tolerance(top)/(s.alone/2))
			if s.alike(top) {
				did++
			}
		}
		if s.alike(top) {
			reached = append(reached, s)
		}
	}
	if did == 0 || stats.BinomialTail(could, did, chance/float64(could)) > p {
		return nil
	}
	return reached
}

// largestWithin is the largest of the sets that lies within s, nil if none does.
func largestWithin(sets []*reach, s *reach) *reach {
	var found *reach
	for _, r := range sets {
		within := len(r.disks) < len(s.disks)
		for _, d := range r.disks {
			within = within && slices.Contains(s.disks, d)
		}
		if within && (found == nil || len(r.disks) > len(found.disks)) {
			found = r
		}
	}
	return found
}

// ceiling reports a limit if adding a disk moved no more.
func (f *finder) ceiling() {
	c, o := f.phase.Contention.Ceiling, f.phase.Overlap
	if c == nil || c.Without == "" {
		return
	}
	var less []string
	op := o.Disks[c.Added[0]].Op
	total := 0.0
	for _, name := range f.order {
		if d, ok := o.Disks[name]; ok && d.Op == op {
			total += d.Rate
			if !slices.Contains(c.Added, name) {
				less = append(less, name)
			}
		}
	}
	f.add(Finding{
		Code: "ceiling", Disks: less, Added: c.Added, Other: c.Without, Weight: 0.1,
		Values: CeilingValues{Without: c.WithoutRate, Rate: total, Alone: c.AloneRate},
	})
}
