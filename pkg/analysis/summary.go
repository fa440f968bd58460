package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
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
	Op        trace.Role      `json:"op"`
	Rate      float64         `json:"rate"`                // while all worked
	CI95      *stats.Interval `json:"ci95"`                // covers those of all repeats; null if one has none
	Reference *float64        `json:"reference_rate"`      // without others, or with fewer
	Solo      bool            `json:"solo"`                // the reference is of the disk alone in a phase
	Kept      float64         `json:"kept"`                // the phases' retention; 0 if it is not known
	KeptCI    *stats.Interval `json:"kept_ci95,omitempty"` // covers those of all repeats
	// The kind of change, if its rate changed or swings by itself meanwhile: nothing is said of what it lost.
	Changed string `json:"changed,omitempty"`
	// Has less than the reference beyond noise in most repeats, and took from none.
	Lost bool `json:"lost"`
	// Took from others, or kept its rate or got more than an even share while others lost.
	Won bool `json:"won"`
}

// Removal is what the others have when one disk does not work, and so what they would have if it were plugged in
// elsewhere: measured, in another phase or in the same after the disk ended.
type Removal struct {
	Disk string  `json:"disk"`
	Gain float64 `json:"gain"` // of the others together: 1 is twice as much; the mean of the cases
	// Half of the gain's 95 % confidence interval, of the cases that have one.
	Error float64                `json:"gain_error"`
	Cases []RemovalCase          `json:"cases"`
	Own   map[trace.Role]float64 `json:"own,omitempty"` // the disk's rates alone on a port of its own, if measured
}

// RemovalCase is the others' rates with the disk and without it.
type RemovalCase struct {
	Phase   string                `json:"phase"`             // with it
	Without string                `json:"without,omitempty"` // the phase without it; empty: after it ended
	Disks   map[string]RemovalFor `json:"disks"`             // those that gain, beyond noise
	Gain    float64               `json:"gain"`              // of all the others together
	Error   float64               `json:"gain_error"`        // half of its 95 % confidence interval; 0 if none is known
}

// RemovalFor is one of the others.
type RemovalFor struct {
	Op   trace.Role `json:"op"`
	From float64    `json:"from"`
	To   float64    `json:"to"`
}

// mixedOps stands for disks that do not all do the same.
const mixedOps trace.Role = ""

// contests finds for each kind of traffic, among the phases of the most disks, the one in which a disk keeps least.
// It looks at phases of several disks with an overlap, all of which go as fast as they can in one direction and none
// has a cache to fill, those of the same jobs together.
func contests(phases []*phase) []Contest {
	contended := slices.DeleteFunc(slices.Clone(phases), func(p *phase) bool {
		return p.out.Contention == nil || !p.allContend() || p.trace.Saturation != nil
	})
	best, leastOf := map[trace.Role]*Contest{}, map[trace.Role]float64{}
	for _, group := range grouped(contended, func(p, q *phase) bool { return sameJobs(p, q) }) {
		c := Contest{Disks: map[string]ContestDisk{}, Even: true}
		for _, p := range group {
			c.Even = c.Even && p.out.Contention.Even
			c.Phases = append(c.Phases, p.out.Name)
		}
		op, least := group[0].parts[0].Trace.Op, 1e9 // above any part of a reference that a disk keeps
		for _, part := range group[0].parts {
			c.Disks[part.Name()] = contestDisk(group, part.Name())
			if part.Trace.Op != op {
				op = mixedOps
			}
			if kept := c.Disks[part.Name()].Kept; kept > 0 {
				least = min(least, kept)
			}
		}
		if b := best[op]; b == nil || len(c.Disks) > len(b.Disks) || len(c.Disks) == len(b.Disks) && least < leastOf[op] {
			best[op], leastOf[op] = &c, least
		}
	}
	out := []Contest{}
	for _, op := range []trace.Role{trace.Write, trace.Read, mixedOps} {
		if best[op] != nil {
			out = append(out, *best[op])
		}
	}
	return out
}

// contestDisk pools a disk's rates and references.
func contestDisk(group []*phase, name string) ContestDisk {
	out := ContestDisk{Op: group[0].out.Roles[name], Solo: true}
	lost, won, reference, kept, known := 0, 0, 0.0, 0.0, 0.0
	for i, p := range group {
		contention := p.out.Contention
		all, d := p.out.Overlap.Disks[name], contention.Disks[name]
		held := slices.ContainsFunc(p.parts, func(part *part) bool { return part.kept.Held })
		took := slices.ContainsFunc(contention.Steals, func(s Steal) bool { return s.By == name })
		switch {
		case took || held && !d.Held && (d.AboveEven > 0 || d.Kept):
			won++
		case d.Held:
			lost++
		}
		out.Rate += all.Rate / float64(len(group))
		out.Changed = cmp.Or(p.ownChange(p.part(name)), out.Changed)
		if i == 0 {
			out.CI95 = all.CI95
		}
		out.CI95 = hull(out.CI95, all.CI95)
		if d.ReferenceRate != nil {
			if known == 0 {
				out.KeptCI = d.RetentionCI
			}
			out.KeptCI = hull(out.KeptCI, d.RetentionCI)
			reference, kept, known = reference+*d.ReferenceRate, kept+*d.Retention, known+1
			out.Solo = out.Solo && d.Reference == ReferenceSolo
		}
	}
	if known > 0 {
		out.Reference, out.Kept = number(reference/known), kept/known
	}
	out.Solo = out.Solo && known > 0
	out.Lost, out.Won = 2*lost > len(group), 2*won > len(group)
	return out
}

// ownChange is the kind of change of the disk's own in the window: what makes its mean there one of several levels.
func (p *phase) ownChange(part *part) string {
	switch {
	case part.Swing != nil:
		return KindSwing
	case part.Drift != nil:
		return KindDrift
	case p.fellInside(part):
		return KindOwnFall
	}
	return ""
}

// hull covers both intervals; nil if one is missing.
func hull(a, b *stats.Interval) *stats.Interval {
	if a == nil || b == nil {
		return nil
	}
	return &stats.Interval{min(a[0], b[0]), max(a[1], b[1])}
}

// maxCases is how many cases show what a disk's absence is worth: each phase with it goes with each one without it,
// and of a thousand repeats there would be a million.
const maxCases = 1000

// removals look at the phases of the most disks, for those are the ones that a layout must serve. A disk on a port of
// its own is there already.
func removals(phases []*phase) []Removal {
	maxDisks := 0
	for _, p := range phases {
		if p.out.Contention != nil && p.allContend() {
			maxDisks = max(maxDisks, len(p.parts))
		}
	}
	fewer := slices.DeleteFunc(slices.Clone(phases), func(p *phase) bool { return len(p.parts) != maxDisks-1 })
	out := []Removal{}
	for _, p := range phases {
		if p.out.Contention == nil || len(p.parts) < maxDisks || !p.allContend() {
			continue
		}
		for _, part := range p.parts {
			i := slices.IndexFunc(out, func(r Removal) bool { return r.Disk == part.Name() })
			if trace.OwnPort(part.job.connection) || i >= 0 && len(out[i].Cases) >= maxCases {
				continue
			}
			cases := append(idleElsewhere(p, part.Name(), fewer), endedFirst(p, part)...)
			if len(cases) == 0 {
				continue
			}
			if i < 0 {
				i, out = len(out), append(out, Removal{Disk: part.Name(), Own: ownRates(phases, part.Name())})
			}
			out[i].Cases = append(out[i].Cases, cases...)
		}
	}
	for i := range out {
		r := &out[i]
		for _, c := range r.Cases {
			r.Gain += c.Gain / float64(len(r.Cases))
			r.Error = math.Hypot(r.Error, c.Error/float64(len(r.Cases)))
		}
	}
	slices.SortStableFunc(out, func(a, b Removal) int { return cmp.Compare(b.Gain, a.Gain) })
	return out
}

// idleElsewhere compares the phase with those in which only the disk is missing.
func idleElsewhere(p *phase, disk string, phases []*phase) []RemovalCase {
	changed := func(q *phase, name string) bool { return q.ownChange(q.part(name)) != "" }
	var out []RemovalCase
	for _, q := range phases {
		if q.out.Overlap == nil || len(q.parts) != len(p.parts)-1 || !q.allContend() || !among(q, p) || q.part(disk) != nil {
			continue
		}
		if p.out.Contention.Spans != nil || q.out.Contention != nil && q.out.Contention.Spans != nil ||
			slices.ContainsFunc(q.parts, func(part *part) bool { return changed(p, part.Name()) || changed(q, part.Name()) }) {
			continue // the gain is not due to the disk's absence alone
		}
		c := RemovalCase{Phase: p.out.Name, Without: q.out.Name, Disks: map[string]RemovalFor{}}
		from, to, errFrom, errTo := 0.0, 0.0, 0.0, 0.0
		for _, part := range q.parts {
			name := part.Name()
			before, after := p.out.Overlap.Disks[name], q.out.Overlap.Disks[name]
			from, to = from+before.Rate, to+after.Rate
			if before.CI95 == nil || after.CI95 == nil {
				continue
			}
			errFrom, errTo = math.Hypot(errFrom, before.CI95.Half()), math.Hypot(errTo, after.CI95.Half())
			if before.CI95[1] < after.CI95[0] && p.part(name).kept.Held {
				c.Disks[name] = RemovalFor{before.Op, before.Rate, after.Rate}
			}
		}
		if from > 0 && to > 0 {
			c.Gain, c.Error = to/from-1, to/from*math.Hypot(errFrom/from, errTo/to)
			out = append(out, c)
		}
	}
	return out
}

// endedFirst takes what the others gained when the disk ended while all of them went on.
func endedFirst(p *phase, disk *part) []RemovalCase {
	c := RemovalCase{Phase: p.out.Name, Disks: map[string]RemovalFor{}}
	var atS float64
	for _, r := range p.out.Recoveries {
		if r.After == disk.Name() && r.ToRate != nil && r.LagS != nil {
			c.Disks[r.Disk], atS = RemovalFor{r.Op, r.FromRate, *r.ToRate}, r.AtS+*r.LagS
		}
	}
	i := slices.IndexFunc(p.stages, func(s overlap.Stage) bool {
		return seconds(s.StartNS) <= atS && atS < seconds(s.EndNS)
	})
	if len(c.Disks) == 0 || i < 0 || len(p.stages[i].Active) != len(p.parts)-1 ||
		slices.Contains(p.stages[i].Active, slices.Index(p.parts, disk)) {
		return nil
	}
	from, gained := 0.0, 0.0
	for _, part := range p.parts {
		if d := c.Disks[part.Name()]; part != disk {
			from, gained = from+p.out.Overlap.Disks[part.Name()].Rate, gained+d.To-d.From
		}
	}
	c.Gain = gained / from
	return []RemovalCase{c}
}

// ownRates are the disk's rates alone in phases that give it a port of its own.
func ownRates(phases []*phase, disk string) map[trace.Role]float64 {
	out := map[trace.Role]float64{}
	for _, p := range phases {
		if len(p.parts) == 1 && p.parts[0].Name() == disk && p.allContend() && p.out.Overlap != nil &&
			trace.OwnPort(p.parts[0].job.connection) {
			out[p.parts[0].Trace.Op] = p.out.Overlap.Rate
		}
	}
	return out
}
