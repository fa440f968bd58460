package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// What a finding needs beyond what its number needs to be there at all.
const (
	evenJain   = 0.98 // fairness from which a sharing is even
	duplexGain = 1.10 // mixed traffic must carry a tenth more than one way
	hubCost    = 0.10 // of its rate on a port of its own
)

// findings are the plain sentences of all phases, the weightiest first.
func findings(phases []Phase, order []string, solos solos, alpha float64) []Finding {
	f := finder{order: order, alpha: alpha, found: []Finding{}}
	f.connections(solos)
	for i := range phases {
		f.phase = &phases[i]
		f.failures()
		f.contention()
		f.recoveries()
		f.totals()
		for _, disk := range f.order {
			if d, ok := f.phase.Disks[disk]; ok {
				f.disk(disk, d)
			}
		}
	}
	slices.SortStableFunc(f.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.Disk, b.Disk))
	})
	return fold(f.found)
}

// fold keeps the weightiest of the findings that say the same of phase after phase, and how many more there were.
func fold(found []Finding) []Finding {
	more := map[string]int{}
	kept := found[:0]
	for _, f := range found {
		switch f.Code {
		case "others", "ceiling", "duplex":
			more[f.Code]++
			if more[f.Code] > 1 {
				continue
			}
		}
		kept = append(kept, f)
	}
	for i := range kept {
		if n := more[kept[i].Code] - 1; n > 0 {
			kept[i].Text = strings.TrimSuffix(kept[i].Text, ".") + "; likewise in " + plural(n, "more phase") + "."
		}
	}
	return kept
}

// finder gathers findings, of one phase at a time.
type finder struct {
	order []string
	alpha float64 // chance of one claim by noise alone
	phase *Phase
	found []Finding
}

// add tells something of the phase in hand.
func (f *finder) add(code, disk string, weight float64, format string, args ...any) {
	f.found = append(f.found, Finding{
		Code: code, Phase: f.phase.Phase, Disk: disk, Weight: weight,
		Text: f.phase.Phase + ": " + fmt.Sprintf(format, args...),
	})
}

// connections tells what a disk alone loses by hanging on the hub, where phases show both.
func (f *finder) connections(solos solos) {
	for key, hub := range solos {
		if key.connection != onHub {
			continue
		}
		key.connection = onItsOwn
		direct, ok := solos[key]
		if !ok || hub.rate > (1-hubCost)*direct.rate || direct.chanceAbove(hub.measured) > f.alpha {
			continue
		}
		lost := 1 - hub.rate/direct.rate
		f.found = append(f.found, Finding{
			Code: "hub_cost", Phase: hub.phase, Disk: key.disk, Weight: lost,
			Text: fmt.Sprintf("%s: %s alone on the hub %ss at %s, %.0f %% less than the %s it has on a port of its own (%s).",
				hub.phase, key.disk, key.op, rate(hub.rate), 100*lost, rate(direct.rate), direct.phase),
		})
	}
}

// The connections that connections compares, as scenarios name them.
const (
	onHub    = "hub"
	onItsOwn = "direct"
)

func (f *finder) failures() {
	for _, w := range f.phase.Warnings {
		if w.Code == "partial" {
			f.add("partial", w.Disk, 2, "%s.", w.Text)
		}
	}
}

func (f *finder) contention() {
	c, o := f.phase.Contention, f.phase.Overlap
	if c == nil {
		return
	}
	f.steals()
	f.uneven()
	var held []string
	for _, name := range f.order {
		if c.Disks[name].Held {
			held = append(held, name)
		}
	}
	if even := len(held) == len(c.Disks) && o.Jain >= evenJain; even {
		low, high := f.retentions(held)
		f.add("even", "", (1-high)/2, "the disks shared evenly (Jain's index %.2f): each kept %s of what it has without the others.", o.Jain, percentRange(low, high))
	} else {
		f.held(held)
	}
	if g, ci := c.DuplexGain, c.DuplexCI95; g != nil && *g >= duplexGain && ci != nil && ci[0] > 1 {
		f.add("duplex", "", *g-1, "reads and writes mixed moved %s together, %.0f %% more than the best these disks did one way.",
			rate(o.Rate), 100*(*g-1))
	}
	f.ceiling()
}

// retentions are the lowest and the highest of the disks'.
func (f *finder) retentions(names []string) (low, high float64) {
	low = math.Inf(1)
	for _, name := range names {
		r := *f.phase.Contention.Disks[name].Retention
		low, high = min(low, r), max(high, r)
	}
	return low, high
}

// steps tells a fall: "from 2.0 GB/s to 1.66 GB/s after 12 GB and to 0.50 GB/s after 52 GB".
func steps(t *Throttle) string {
	text := "from " + rate(t.Steps[0].FromRate)
	for i, s := range t.Steps {
		if i > 0 {
			text += " and"
		}
		text += fmt.Sprintf(" to %s after %s", rate(s.ToRate), unit.FormatBytes(int64(s.AtBytes)))
	}
	return text
}

// uneven tells of a disk that got more than an even share, where nothing says from whom.
func (f *finder) uneven() {
	c := f.phase.Contention
	for _, name := range f.order {
		took := slices.ContainsFunc(c.Steals, func(s Steal) bool { return s.By == name })
		if d, ok := c.Disks[name]; ok && d.AboveEven > 0 && !took {
			f.add("uneven", name, d.AboveEven/f.phase.Overlap.Rate/2, "%s got %s more than an even share.", name, rate(d.AboveEven))
		}
	}
}

// steals tells of each disk that took from others, and from whom.
func (f *finder) steals() {
	c, window := f.phase.Contention, f.phase.Overlap.Disks
	for _, by := range f.order {
		var from []string
		var taken, had, fair float64
		for _, s := range c.Steals {
			if s.By == by {
				from = append(from, s.From)
				taken += s.Rate
				had += window[s.From].Rate
				fair += c.Disks[s.From].FairRate
			}
		}
		if n := float64(len(from)); n > 0 {
			f.add("steal", by, taken/fair, "%s took %s of the fair share of %s, which had %s where an even split would have given %s.",
				by, rate(taken), list(from), meanEach(had, n), rate(fair/n))
		}
	}
}

// meanEach is a sum as a mean: "0.70 GB/s each".
func meanEach(sum, n float64) string {
	text := rate(sum / n)
	if n > 1 {
		text += " each"
	}
	return text
}

// held tells of disks that had less than alone and were robbed by none.
func (f *finder) held(names []string) {
	c := f.phase.Contention
	for _, name := range names {
		if slices.ContainsFunc(c.Steals, func(s Steal) bool { return s.From == name }) {
			continue
		}
		d := c.Disks[name]
		when := "alone (" + d.ReferenceFrom + ")"
		if d.Reference == ReferenceLater {
			when = "without " + d.ReferenceFrom
		}
		f.add("held", name, (1-*d.Retention)/2, "%s had %s, %.0f %% of the %s it has %s.",
			name, rate(f.phase.Overlap.Disks[name].Rate), 100**d.Retention, rate(*d.ReferenceRate), when)
	}
}

func percentRange(low, high float64) string {
	if high-low < 0.02 {
		return fmt.Sprintf("%.0f %%", 100*(low+high)/2)
	}
	return fmt.Sprintf("%.0f to %.0f %%", 100*low, 100*high)
}

// recoveries tells what the disks gained after each that ended, those alike in one sentence.
func (f *finder) recoveries() {
	type key struct {
		after string
		atS   float64
	}
	byEnd := map[key]map[string]Recovery{}
	var ends []key
	for _, r := range f.phase.Recoveries {
		if r.LagS == nil {
			continue
		}
		k := key{r.After, r.AtS}
		if byEnd[k] == nil {
			byEnd[k] = map[string]Recovery{}
			ends = append(ends, k)
		}
		byEnd[k][r.Disk] = r
	}
	for _, k := range ends {
		var names []string
		for _, name := range f.order {
			if _, ok := byEnd[k][name]; ok {
				names = append(names, name)
			}
		}
		for _, group := range alike(names, func(n string) float64 { return *byEnd[k][n].ToRate }) {
			f.recovery(k.after, group, byEnd[k])
		}
	}
}

func (f *finder) recovery(after string, group []string, recovered map[string]Recovery) {
	n := float64(len(group))
	var from, to, longest float64
	shortest := math.Inf(1)
	for _, name := range group {
		r := recovered[name]
		from += r.FromRate
		to += *r.ToRate
		shortest, longest = min(shortest, *r.LagS), max(longest, *r.LagS)
	}
	disk := group[0]
	if n > 1 {
		disk = ""
	}
	f.add("recovery", disk, (1-from/to)*min(1, longest/10), "after %s ended, %s went from %s to %s, and took %s to get there.",
		after, list(group), rate(from/n), meanEach(to, n), secondsRange(shortest, longest))
}

func (f *finder) disk(name string, d Disk) {
	if t := d.Throttle; t != nil {
		end := "to its end"
		if t.Recovered != nil {
			end = fmt.Sprintf("until a pause of %s, after which it was back at %s", unit.FormatSeconds(t.Recovered.PauseS), rate(t.Recovered.Rate))
		}
		f.add("throttle", name, 1+(1-t.ToRate/t.FromRate), "%s fell %s and stayed there %s, with no other disk involved: a full cache or heat.", name, steps(t), end)
	}
	if k := d.SizeKnee; k != nil {
		change := k.AboveRate/k.BelowRate - 1
		f.add("size_knee", name, min(1, max(change, -change))/2, "%s moves files above %s at %s, smaller ones at %s, the fixed cost of a file taken out (p = %.2g).",
			name, unit.FormatBytes(int64(k.AtBytes)), rate(k.AboveRate), rate(k.BelowRate), k.P)
	}
	if d.Modes != nil && d.Throttle == nil && len(f.phase.Disks) == 1 {
		f.add("bimodal", name, 0.3*(1-d.Modes[0]/d.Modes[1]), "%s's files fall into two groups, near %s and %s: do not quote the mean.",
			name, rate(d.Modes[0]), rate(d.Modes[1]))
	}
}
