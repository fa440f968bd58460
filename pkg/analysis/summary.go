package analysis

import (
	"cmp"
	"math"
	"slices"

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
	Phases []string `json:"phases"`
	Even   bool     `json:"even"` // in all of the phases
	// Spans are the stretch that the numbers are of, if rates changed in the only phase: start_s, end_s.
	Spans [][2]float64           `json:"spans,omitempty"`
	Disks map[string]ContestDisk `json:"disks"`
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
	Keeps   bool   `json:"keeps"` // it keeps its rate, as far as noise lets see
	// It has less than its baseline, or than without a neighbour, beyond noise in most repeats, and crowds out none.
	Lost bool     `json:"lost"`
	Won  bool     `json:"won"`          // it crowds out others, in most repeats
	By   []string `json:"by,omitempty"` // who crowd it out
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
		if len(group) == 1 {
			c.Spans = group[0].out.Contention.Spans
		}
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

// contestDisk pools a disk's rates and baselines.
func contestDisk(group []*phase, name string) ContestDisk {
	out := ContestDisk{Op: group[0].out.Roles[name], Solo: true}
	lost, won, keeps, reference, known := 0, 0, 0, 0.0, 0.0
	by := map[string]int{}
	var rates, kept []*stats.Interval
	for _, p := range group {
		contention, part := p.out.Contention, p.part(name)
		d, all := contention.Disks[name], p.out.Overlap.Disks[name]
		rate, ci := all.Rate, all.CI95
		if len(contention.Spans) > 0 {
			rate, ci = d.Rate, part.window.interval()
		}
		took, slowed := false, d.Held
		for _, s := range contention.Steals {
			if s.From == name {
				by[s.By]++
			}
			took, slowed = took || s.By == name, slowed || s.From == name
		}
		switch {
		case took:
			won++
		case slowed:
			lost++
		case d.Kept:
			keeps++
		}
		out.Rate += rate / float64(len(group))
		out.Changed = cmp.Or(p.ownChange(part), out.Changed)
		rates = append(rates, ci)
		if d.ReferenceRate != nil {
			kept = append(kept, d.RetentionCI)
			reference += *d.ReferenceRate
			out.Kept += *d.Retention
			known++
			out.Solo = out.Solo && d.Reference == ReferenceSolo
		}
	}
	if known > 0 {
		out.Reference, out.Kept = number(reference/known), out.Kept/known
	}
	out.CI95, out.KeptCI = hull(rates), hull(kept)
	out.Solo = out.Solo && known > 0
	out.Lost, out.Won, out.Keeps = 2*lost > len(group), 2*won > len(group), 2*keeps > len(group)
	for _, part := range group[0].parts {
		if 2*by[part.Name()] > len(group) {
			out.By = append(out.By, part.Name())
		}
	}
	return out
}

// ownChange is the kind of change of the disk's own in the window: what makes its mean there one of several levels.
func (p *phase) ownChange(disk *part) string {
	switch {
	case disk.Turns != nil:
		return KindSwing
	case len(disk.Drifts) > 0:
		return KindDrift
	case p.fallsForGood(disk):
		return KindOwnFall
	}
	return ""
}

// hull covers all intervals; nil if one is missing.
func hull(all []*stats.Interval) (out *stats.Interval) {
	for i, v := range all {
		switch {
		case v == nil:
			return nil
		case i == 0:
			out = v
		default:
			out = &stats.Interval{min(out[0], v[0]), max(out[1], v[1])}
		}
	}
	return out
}

// removals add the effects of each disk up, in the phases of the most disks of which some is known, for those are the
// ones that a layout must serve. A disk on a port of its own is there already.
func removals(r *run) []Removal {
	out := []Removal{}
	most := 0
	sets := slices.Clone(r.settings)
	slices.SortStableFunc(sets, func(a, b setting) int { return len(b[0].parts) - len(a[0].parts) })
	for _, set := range sets {
		s := set[0]
		if !s.whole || len(s.parts) < max(2, most) || s.trace.Search != nil {
			continue
		}
		for _, disk := range s.parts {
			c, known := s.removal(disk)
			if !known || trace.OwnPort(disk.connection) {
				continue
			}
			most = len(s.parts)
			i := slices.IndexFunc(out, func(r Removal) bool { return r.Disk == disk.Name() })
			if i < 0 {
				i, out = len(out), append(out, Removal{Disk: disk.Name(), Own: ownRates(r.phases, disk.Name())})
			}
			out[i].Cases = append(out[i].Cases, c)
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

// removal adds up what the others have without the disk; a disk of which that is not known counts as unchanged.
func (p *phase) removal(disk *part) (c RemovalCase, known bool) {
	c = RemovalCase{Phase: p.out.Name, Disks: map[string]RemovalFor{}}
	var from, gained, off float64
	for _, part := range p.others(disk) {
		e := p.effectOf(disk, part)
		if e == nil || len(e.setting[0].parts) < len(p.parts) {
			from += part.window.Rate
			continue
		}
		known = true
		from, gained = from+e.Rate, gained+e.Without-e.Rate
		if e.From == FromPhases {
			c.Without = e.WithoutPhases[0]
		}
		if e.CI != nil {
			off = math.Hypot(off, e.CI.Half()*e.Without)
		}
		if e.Sure {
			c.Disks[part.Name()] = RemovalFor{e.VictimOp, e.Rate, e.Without}
		}
	}
	c.Gain, c.Error = gained/from, off/from
	return c, known
}

// ownRates are the disk's rates alone in phases that give it a port of its own.
func ownRates(phases []*phase, disk string) map[trace.Role]float64 {
	out := map[trace.Role]float64{}
	for _, p := range phases {
		if len(p.parts) == 1 && p.parts[0].Name() == disk && p.allContend() && p.out.Overlap != nil &&
			trace.OwnPort(p.parts[0].connection) {
			out[p.parts[0].Trace.Op] = p.out.Overlap.Rate
		}
	}
	return out
}
