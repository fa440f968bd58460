package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Summary is what the phases of several disks come to.
type Summary struct {
	// Contests has one for writing, reading and both: that in which a disk keeps least.
	Contests []Contest `json:"contests"`
	// Removals have what the others gain without a disk, the greatest first.
	Removals []Removal `json:"removals"`
}

// Contest is disks working together, repeats of the phase pooled.
type Contest struct {
	Phases []string `json:"phases"`
	Even   bool     `json:"even"` // Even holds in all of the phases.
	// Spans are the stretch that the numbers are of, if rates changed in the only phase: start_s,
	// end_s.
	Spans [][2]float64           `json:"spans,omitempty"`
	Disks map[string]ContestDisk `json:"disks"`
}

// ContestDisk is one disk's part in a contest: the mean of the repeats.
type ContestDisk struct {
	Op   trace.Role `json:"op"`
	Rate float64    `json:"rate"` // Rate is with all disks busy.
	// CI95 is from all repeats; null if their errors are not known.
	CI95 *stats.Interval `json:"ci95"`
	// Reference is without others, or with fewer.
	Reference *float64 `json:"reference_rate"`
	// Solo says that the disk was alone in the reference's phase.
	Solo bool `json:"solo"`
	// Kept is what it keeps of the reference; 0 if unknown.
	Kept   float64         `json:"kept"`
	KeptCI *stats.Interval `json:"kept_ci95,omitempty"`
	// The kind of change, if its rate changed or swings by itself meanwhile: nothing is said of
	// what it lost.
	Changed string `json:"changed,omitempty"`
	Keeps   bool   `json:"keeps"` // Keeps says that it keeps its rate, as far as noise shows.
	// It has less than its baseline, or than without a neighbour, beyond noise in most repeats, and
	// crowds out none.
	Lost bool     `json:"lost"`
	Won  bool     `json:"won"`          // Won says that it crowds out others in most repeats.
	By   []string `json:"by,omitempty"` // By are the disks that crowd it out.
}

// Removal is what the others have when one disk does not work, and so what they would have if it
// were plugged in elsewhere: measured, in another phase or in the same after the disk ended.
type Removal struct {
	Disk string `json:"disk"`
	// Gain is that of the others together, the mean of the cases: 1 is twice as much.
	Gain float64 `json:"gain"`
	// Error is half of the gain's 95 % confidence interval, over the cases that have one.
	Error float64       `json:"gain_error"`
	Cases []RemovalCase `json:"cases"`
	// Own are its rates alone on its own port, if measured.
	Own map[trace.Role]float64 `json:"own,omitempty"`
}

// RemovalCase is the others' rates with the disk and without it.
type RemovalCase struct {
	Phase string `json:"phase"` // Phase is with it.
	// Without is the phase without it; empty if it had ended.
	Without string                `json:"without,omitempty"`
	Disks   map[string]RemovalFor `json:"disks"` // Disks gain, beyond noise.
	// Gain is that of all the others together.
	Gain float64 `json:"gain"`
	// Error is half of its 95 % confidence interval; 0 if unknown.
	Error float64 `json:"gain_error"`
}

// RemovalFor is one of the others.
type RemovalFor struct {
	Op   trace.Role `json:"op"`
	From float64    `json:"from"`
	To   float64    `json:"to"`
}

// mixedOps stands for disks that do not all do the same.
const mixedOps trace.Role = ""

// contests finds for each kind of traffic, among the settings of the most disks, the one in which a
// disk keeps least. It looks at phases of several disks with an overlap, all of which go as fast as
// they can in one direction and none has a cache to fill.
func contests(settings [][]*phase) []Contest {
	best := map[trace.Role]*Contest{}
	leastOf := map[trace.Role]float64{}
	for _, set := range settings {
		set = only(set, func(p *phase) bool {
			return len(p.parts) > 1 && p.allContend() && p.trace.Saturation == nil
		})
		if len(set) == 0 {
			continue
		}
		c := Contest{Disks: map[string]ContestDisk{}, Even: true}
		if len(set) == 1 {
			c.Spans = set[0].contention.Spans
		}
		for _, s := range set {
			c.Even = c.Even && s.contention.Even
			c.Phases = append(c.Phases, s.trace.Name)
		}
		op := set[0].parts[0].Trace.Op
		least := math.Inf(1)
		for _, part := range set[0].parts {
			d := contestDisk(set, part.Name())
			c.Disks[part.Name()] = d
			if part.Trace.Op != op {
				op = mixedOps
			}
			if d.Kept > 0 {
				least = min(least, d.Kept)
			}
		}
		if b := best[op]; b == nil || len(c.Disks) > len(b.Disks) ||
			len(c.Disks) == len(b.Disks) && least < leastOf[op] {
			best[op] = &c
			leastOf[op] = least
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
func contestDisk(set []*phase, name string) ContestDisk {
	out := ContestDisk{Op: set[0].trace.Roles[name], Solo: true}
	n := float64(len(set))
	var lost, won, keeps float64
	by := map[string]float64{}
	var rates []stats.Estimate
	var against *effect.Effect
	for _, p := range set {
		contention := p.contention
		part := p.contender(name)
		rate := part.rate.Estimate()
		if contention.Spans == nil {
			rate = p.overlap.Disks[name].Estimate
		}
		rates = append(rates, rate)
		out.Changed = cmp.Or(p.ownChange(part.diskPart), out.Changed)
		took := false
		slowed := part.kept.Slowed
		for _, steal := range contention.Steals {
			if steal.From == name {
				by[steal.By]++
				slowed = true
			}
			took = took || steal.By == name
		}
		switch {
		case took:
			won++
		case slowed:
			lost++
		case part.kept.Kept:
			keeps++
		}
		if part.against != nil {
			against = part.against
			out.Solo = out.Solo && part.kept.Reference == ReferenceSolo
		}
	}
	rate := set[0].table.Pool(rates)
	out.Rate = rate.Mean
	out.CI95 = interval(rate)
	out.Solo = out.Solo && against != nil
	if against != nil {
		out.Reference = number(against.Without)
		out.Kept = against.Pair().Kept()
		out.KeptCI = against.Pair().KeptCI()
	}
	out.Lost, out.Won, out.Keeps = 2*lost > n, 2*won > n, 2*keeps > n
	for _, part := range set[0].parts {
		if 2*by[part.Name()] > n {
			out.By = append(out.By, part.Name())
		}
	}
	return out
}

// ownChange returns the kind of change of the disk's own in the window: what makes its mean there
// one of several levels.
func (p *phase) ownChange(disk *diskPart) string {
	switch {
	case disk.Swing != nil:
		return KindSwing
	case len(disk.Drifts) > 0:
		return KindDrift
	case p.fallsForGood(disk):
		return KindOwnFall
	}
	return ""
}

// removals add the effects of each disk up, in the phases of the most disks of which some is known,
// for those are the ones that a layout must serve. A disk on a port of its own is there already.
func removals(r *run) []Removal {
	cases := map[string][]RemovalCase{}
	most := 0
	sets := slices.Clone(r.settings)
	slices.SortStableFunc(sets, func(a, b []*phase) int {
		return len(b[0].parts) - len(a[0].parts)
	})
	out := []Removal{}
	for _, set := range sets {
		s := set[0]
		if len(s.parts) < max(2, most) || s.trace.Search != nil {
			continue
		}
		for _, disk := range s.parts {
			c, known := s.removal(disk)
			if !known || trace.OwnPort(disk.connection) {
				continue
			}
			most = len(s.parts)
			if cases[disk.Name()] == nil {
				out = append(out, Removal{Disk: disk.Name(), Own: ownRates(r.phases, disk.Name())})
			}
			cases[disk.Name()] = append(cases[disk.Name()], c)
		}
	}
	for i := range out {
		r := &out[i]
		r.Cases = cases[r.Disk]
		n := float64(len(r.Cases))
		for _, c := range r.Cases {
			r.Gain += c.Gain / n
			r.Error = math.Hypot(r.Error, c.Error/n)
		}
	}
	slices.SortStableFunc(out, func(a, b Removal) int { return cmp.Compare(b.Gain, a.Gain) })
	return out
}

// removal adds up what the others have without the disk; a disk of which that is not known counts
// as unchanged.
func (p *phase) removal(disk *diskPart) (c RemovalCase, known bool) {
	c = RemovalCase{Phase: p.trace.Name, Disks: map[string]RemovalFor{}}
	var from, gained, off float64
	for _, part := range p.others(disk) {
		e := p.table.Of(disk.actor(), part.actor(), actors(p.parts))
		if e == nil || len(e.Actors()) < len(p.parts) {
			from += p.contender(part.Name()).rate.Mean
			continue
		}
		known = true
		from = from + e.Rate
		gained = gained + e.Without - e.Rate
		if e.From == effect.FromPhases {
			c.Without = e.WithoutPhases[0]
		}
		if e.CI != nil {
			off = math.Hypot(off, e.CI.Half()*e.Without)
		}
		if e.Sure {
			c.Disks[part.Name()] = RemovalFor{e.VictimOp, e.Rate, e.Without}
		}
	}
	c.Gain = gained / from
	c.Error = off / from
	return c, known
}

// ownRates returns the disk's rates alone in phases that give it a port of its own.
func ownRates(phases []*phase, disk string) map[trace.Role]float64 {
	out := map[trace.Role]float64{}
	for _, p := range phases {
		part := p.part(disk)
		if part != nil && len(p.parts) == 1 && part.WantsAll() && p.overlap != nil &&
			trace.OwnPort(part.connection) {
			out[part.Trace.Op] = p.overlap.Rate
		}
	}
	return out
}
