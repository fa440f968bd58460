package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Removal is what the others have when one disk does not work, and so what they would have if it were plugged in
// elsewhere: measured, in another phase or in the same after the disk ended.
type Removal struct {
	Disk  string                 `json:"disk"`
	Gain  float64                `json:"gain"`       // of the others together: 1 is twice as much; the mean of the cases
	Error float64                `json:"gain_error"` // half of the gain's 95 % confidence interval, of the cases that have one
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

// maxCases is how many cases show what a disk's absence is worth: each phase with it goes with each one without it, and of
// a thousand repeats there would be a million.
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
	byDisk := map[string]*Removal{}
	var order []string
	for _, p := range phases {
		if p.out.Contention == nil || len(p.parts) < maxDisks || !p.allContend() {
			continue
		}
		for i := range p.parts {
			name := p.parts[i].Name()
			if trace.OwnPort(p.connections[name]) {
				continue
			}
			if byDisk[name] != nil && len(byDisk[name].Cases) >= maxCases {
				continue
			}
			cases := append(idleElsewhere(p, name, fewer), endedFirst(p, name)...)
			if len(cases) == 0 {
				continue
			}
			if byDisk[name] == nil {
				byDisk[name] = &Removal{Disk: name, Own: ownRates(phases, name)}
				order = append(order, name)
			}
			byDisk[name].Cases = append(byDisk[name].Cases, cases...)
		}
	}
	out := []Removal{}
	for _, name := range order {
		r := byDisk[name]
		for _, c := range r.Cases {
			r.Gain += c.Gain / float64(len(r.Cases))
			r.Error = math.Hypot(r.Error, c.Error/float64(len(r.Cases)))
		}
		out = append(out, *r)
	}
	slices.SortStableFunc(out, func(a, b Removal) int { return cmp.Compare(b.Gain, a.Gain) })
	return out
}

// idleElsewhere compares the phase with those in which only the disk is missing.
func idleElsewhere(p *phase, disk string, phases []*phase) []RemovalCase {
	var out []RemovalCase
	for _, q := range phases {
		if q.out.Overlap == nil || len(q.parts) != len(p.parts)-1 || !q.allContend() || !among(q, p) || q.part(disk) != nil {
			continue
		}
		if p.out.Contention.Spans != nil || q.out.Contention != nil && q.out.Contention.Spans != nil || slices.ContainsFunc(q.parts, func(part part) bool { return p.ownChange(part.Name()) != "" || q.ownChange(part.Name()) != "" }) {
			continue // the gain is not due to the disk's absence alone
		}
		c := RemovalCase{Phase: p.out.Phase, Without: q.out.Phase, Disks: map[string]RemovalFor{}}
		from, to, errFrom, errTo := 0.0, 0.0, 0.0, 0.0
		for name, after := range q.out.Overlap.Disks {
			before := p.out.Overlap.Disks[name]
			from, to = from+before.Rate, to+after.Rate
			if before.CI95 == nil || after.CI95 == nil {
				continue
			}
			errFrom, errTo = math.Hypot(errFrom, before.CI95.half()), math.Hypot(errTo, after.CI95.half())
			if before.CI95[1] < after.CI95[0] && p.out.Contention.Disks[name].Held {
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
func endedFirst(p *phase, disk string) []RemovalCase {
	c := RemovalCase{Phase: p.out.Phase, Disks: map[string]RemovalFor{}}
	var atS float64
	for _, r := range p.out.Recoveries {
		if r.After == disk && r.ToRate != nil && r.LagS != nil {
			c.Disks[r.Disk], atS = RemovalFor{r.Op, r.FromRate, *r.ToRate}, r.AtS+*r.LagS
		}
	}
	if len(c.Disks) == 0 || !p.onlyEnded(disk, atS) {
		return nil
	}
	from, gained := 0.0, 0.0
	for name, d := range p.out.Overlap.Disks {
		if name != disk {
			from += d.Rate
		}
	}
	for _, d := range c.Disks {
		gained += d.To - d.From
	}
	c.Gain = gained / from
	return []RemovalCase{c}
}

// onlyEnded reports whether at that time all disks are active but this one.
func (p *phase) onlyEnded(disk string, atS float64) bool {
	for _, s := range p.stages {
		if seconds(s.StartNS) <= atS && atS < seconds(s.EndNS) {
			return len(s.Active) == len(p.parts)-1 && !slices.ContainsFunc(s.Active, func(i int) bool { return p.parts[i].Name() == disk })
		}
	}
	return false
}

// ownRates are the disk's rates alone in phases that give it a port of its own.
func ownRates(phases []*phase, disk string) map[trace.Role]float64 {
	var out map[trace.Role]float64
	for _, p := range phases {
		if len(p.parts) == 1 && p.parts[0].Name() == disk && p.allContend() && p.out.Overlap != nil && trace.OwnPort(p.connections[disk]) {
			if out == nil {
				out = map[trace.Role]float64{}
			}
			out[p.parts[0].Trace.Op] = p.out.Overlap.Rate
		}
	}
	return out
}

func (i *Interval) half() float64 { return (i[1] - i[0]) / 2 }
