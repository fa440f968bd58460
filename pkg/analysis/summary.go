package analysis

import (
	"maps"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Summary is what the phases of several disks come to.
type Summary struct {
	Contests []Contest `json:"contests"` // of writing, of reading and of both: the one in which a disk keeps least
	Removals []Removal `json:"removals"` // what the others have without one disk: the more they gain, the earlier
}

// Contest is disks working together, repeats of the phase pooled.
type Contest struct {
	Phases []string               `json:"phases"`
	Even   bool                   `json:"even"` // in all of the phases
	Disks  map[string]ContestDisk `json:"disks"`
}

// ContestDisk is one disk's part in a contest: the mean of the repeats.
type ContestDisk struct {
	Op        trace.Role `json:"op"`
	Rate      float64    `json:"rate"`
	CI95      *Interval  `json:"ci95"`                // covers those of all repeats; null if one has none
	Reference *float64   `json:"reference_rate"`      // without others, or with fewer
	Solo      bool       `json:"solo"`                // the reference is of the disk alone in a phase
	KeptCI    *Interval  `json:"kept_ci95,omitempty"` // of the rate over the reference: covers those of all repeats
	Changed   string     `json:"changed,omitempty"`   // the kind of change, if its rate changed or swings by itself meanwhile: nothing is said of what it lost
	Lost      bool       `json:"lost"`                // has less than the reference beyond noise in most repeats, and took from none
	Won       bool       `json:"won"`                 // took from others, or kept its rate or got more than an even share while others lost
}

// Kept is the rate over the reference; 0 if that is not known.
func (d ContestDisk) Kept() float64 {
	if d.Reference == nil || *d.Reference <= 0 {
		return 0
	}
	return d.Rate / *d.Reference
}

func summarize(phases []*phase) Summary {
	return Summary{Contests: contests(phases), Removals: removals(phases)}
}

// contests finds for each kind of traffic, among the phases of the most disks, the one in which a disk keeps least.
func contests(phases []*phase) []Contest {
	kinds := map[trace.Role][]Contest{}
	for _, group := range repeats(phases) {
		c := newContest(group)
		kinds[c.op()] = append(kinds[c.op()], c)
	}
	out := []Contest{}
	for _, kind := range []trace.Role{trace.Write, trace.Read, mixedOps} {
		var best *Contest
		for i := range kinds[kind] {
			c := &kinds[kind][i]
			if best == nil || len(c.Disks) > len(best.Disks) || len(c.Disks) == len(best.Disks) && c.minKept() < best.minKept() {
				best = c
			}
		}
		if best != nil {
			out = append(out, *best)
		}
	}
	return out
}

// mixedOps stands for disks that do not all do the same.
const mixedOps trace.Role = ""

// op is what all disks do.
func (c *Contest) op() trace.Role {
	ops := map[trace.Role]bool{}
	last := mixedOps
	for _, d := range c.Disks {
		last = d.Op
		ops[last] = true
	}
	if len(ops) > 1 {
		return mixedOps
	}
	return last
}

// repeats are the phases of several disks with an overlap, all of which go as fast as they can in one direction and none
// has a cache to fill, those of the same jobs together.
func repeats(phases []*phase) [][]*phase {
	var groups [][]*phase
	for _, p := range phases {
		if p.out.Contention == nil || !p.allContend() || p.trace.Saturation != nil {
			continue
		}
		i := slices.IndexFunc(groups, func(g []*phase) bool { return sameJobs(g[0], p) })
		if i < 0 {
			groups = append(groups, []*phase{p})
			continue
		}
		groups[i] = append(groups[i], p)
	}
	return groups
}

func newContest(group []*phase) Contest {
	c := Contest{Disks: map[string]ContestDisk{}, Even: true}
	for _, p := range group {
		c.Even = c.Even && p.out.Contention.Even
		c.Phases = append(c.Phases, p.out.Phase)
	}
	lost, won := map[string]int{}, map[string]int{}
	for _, p := range group {
		held := slices.ContainsFunc(slices.Collect(maps.Values(p.out.Contention.Disks)), func(d DiskContention) bool { return d.Held })
		for name, d := range p.out.Contention.Disks {
			took := slices.ContainsFunc(p.out.Contention.Steals, func(s Steal) bool { return s.By == name })
			switch {
			case took || held && !d.Held && (d.AboveEven > 0 || d.Kept):
				won[name]++
			case d.Held:
				lost[name]++
			}
		}
	}
	for name := range group[0].out.Contention.Disks {
		c.Disks[name] = contestDisk(group, name)
	}
	for name, d := range c.Disks {
		d.Lost, d.Won = 2*lost[name] > len(group), 2*won[name] > len(group)
		c.Disks[name] = d
	}
	return c
}

// contestDisk pools a disk's rates and references.
func contestDisk(group []*phase, name string) ContestDisk {
	out := ContestDisk{Op: group[0].out.Roles[name], CI95: &Interval{}, Solo: true}
	reference, known := 0.0, 0.0
	for i, p := range group {
		d, c := p.out.Overlap.Disks[name], p.out.Contention.Disks[name]
		out.Rate += c.Rate / float64(len(group))
		if kind := p.ownChange(name); kind != "" {
			out.Changed = kind
		}
		out.CI95 = hull(out.CI95, d.CI95, i == 0)
		if c.ReferenceRate != nil {
			if known == 0 {
				out.KeptCI = c.RetentionCI
			} else {
				out.KeptCI = hull(out.KeptCI, c.RetentionCI, false)
			}
			reference, known = reference+*c.ReferenceRate, known+1
			out.Solo = out.Solo && c.Reference == ReferenceSolo
		}
	}
	if known > 0 {
		out.Reference = number(reference / known)
	}
	out.Solo = out.Solo && known > 0
	return out
}

// ownChange is the kind of change of the disk's own in the window: what makes its mean there one of several levels.
func (p *phase) ownChange(disk string) string {
	for i := range p.parts {
		part := &p.parts[i]
		switch {
		case part.Name() != disk:
		case part.Swing != nil:
			return KindSwing
		case part.Drift != nil:
			return KindDrift
		case p.fellInside(part):
			return KindOwnFall
		}
	}
	return ""
}

// hull covers both intervals; nil if one is missing.
func hull(a, b *Interval, first bool) *Interval {
	switch {
	case a == nil || b == nil:
		return nil
	case first:
		return &Interval{b[0], b[1]}
	default:
		return &Interval{min(a[0], b[0]), max(a[1], b[1])}
	}
}

// minKept is the smallest part of its reference that a disk keeps; above any if none is known.
func (c *Contest) minKept() float64 {
	minKept := 1e9
	for _, d := range c.Disks {
		if kept := d.Kept(); kept > 0 {
			minKept = min(minKept, kept)
		}
	}
	return minKept
}
