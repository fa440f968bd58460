package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// loadPair is one load in both runs, or one disk in it.
type loadPair struct {
	compare.Row        // all disks together, or the disk
	title       string // of the load
	rank        int    // by importance
}

// How the axis of changes is laid out.
const (
	minReach   = 0.02 // on either side, as a share of the rate
	limitReach = 1.5  // times the gate's limit
	axisMargin = 0.04 // share of the axis' width
	axisTicks  = 4
)

// rows are the most important loads with the rates of both runs as bars, and their changes on an
// axis that holds all intervals, no change, and what lies just beyond a gate's limit.
func (c comparison) rows() *Rows {
	const most = 8
	list := c.loads()
	if len(list) == 0 {
		return nil
	}
	h := &Rows{Head: "Load", Columns: numbers(c.base.Label, c.runs[0].key.Label, "Change",
		"Interval")}
	h.Columns[0].Side, h.Columns[1].Side, h.Columns[3].Drop = 1, 2, 1
	low, high := -minReach, minReach
	if c.Gate != nil {
		low = min(low, -limitReach*c.limit)
	}
	for _, l := range list[:min(len(list), most)] {
		row := Row{Label: l.title, Value: l.Change, Span: l.Interval,
			Numbers: c.changeCells(*l.Rate),
			Bars:    []RowBar{{To: *l.Base / c.Size, Side: 1}, {To: *l.New / c.Size, Side: 2}}}
		if row.Numbers[2].Strong = true; l.Verdict == compare.Slower {
			row.Numbers[2].Tone = Bad
			row.Tone = Bad
		}
		low, high = min(low, *l.Change), max(high, *l.Change)
		if v := l.Interval; v != nil {
			low, high = min(low, v[0]), max(high, v[1])
		}
		h.Axis.High = max(h.Axis.High, *l.Base/c.Size, *l.New/c.Size)
		h.Rows = append(h.Rows, row)
	}
	h.Axis.name(shortest)
	margin := axisMargin * (high - low)
	h.Changes = &Ruler{Low: low - margin, High: high + margin}
	for _, at := range Steps(h.Changes.Low, h.Changes.High, axisTicks) {
		tick := RulerTick{At: at, Text: strings.Replace(Change(at), ".0", "", 1), Strong: at == 0}
		if h.Changes.High >= 1 {
			tick.Text = fmt.Sprintf("×%g", 1+at)
		}
		h.Changes.Ticks = append(h.Changes.Ticks, tick)
	}
	h.Note = c.Unit + " with all disks of the load busy. Error bars: 95%, corrected for " +
		unit.Plural(c.Tests, "comparison") + "."
	if c.Gate != nil && c.limit > 0 {
		h.Changes.Zone = &[2]float64{h.Changes.Low, -c.limit}
		h.Note += " Red: beyond the gate's limit."
	}
	if more := len(list) - most; more > 0 {
		h.Note += " " + unit.Plural(more, "more load") + " below."
	}
	return h
}

// headlineChange is the change of the headline; nil without one.
func (c comparison) headlineChange() *compare.Row {
	_, row := c.worstFall()
	if list := c.runs[0].answer.Lead; row == nil && len(list) > 0 {
		row = &list[0]
	}
	return row
}

// loads are those of the phases, the headline's with each of its disks.
func (c comparison) loads() []loadPair {
	list := c.phaseLoads()
	lead := c.headlineChange()
	if lead == nil || len(list) == 0 || list[0].Phase != lead.Phase {
		return list
	}
	if disks := len(lead.Phase.Disks()); disks < 2 || disks > maxNamed {
		return list
	}
	shown := []loadPair{list[0]}
	for _, r := range inBoth(lead.Phase) {
		if r.Disk == "" {
			continue
		}
		row := compare.Row{Rate: r, Phase: lead.Phase}
		l := loadPair{Row: row, title: analysis.Capital(c.disks, rowName(row))}
		if row.Disk == lead.Disk {
			shown = slices.Insert(shown, 0, l)
		} else {
			shown = append(shown, l)
		}
	}
	return append(shown, list[1:]...)
}

// phaseLoads are what was measured in both runs: first that of the headline, then those of more
// disks, then those in which all do the same, then those that changed more.
func (c comparison) phaseLoads() []loadPair {
	var list []loadPair
	for i := range c.Pairs[0].Phases {
		if l := c.load(&c.Pairs[0].Phases[i]); l.Rate != nil {
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(x, y loadPair) int {
		return cmp.Or(cmp.Compare(y.rank, x.rank),
			cmp.Compare(changeSize(*y.Change), changeSize(*x.Change)))
	})
	return list
}

// inBoth returns the rates with all disks busy that both runs have: of the disks, and last of all
// together.
func inBoth(phase *compare.PhasePair) (rates []*compare.Rate) {
	for i := range phase.Rates {
		if r := &phase.Rates[i]; r.Measure == compare.Window && r.Base != nil {
			rates = append(rates, r)
		}
	}
	return rates
}

// load is a phase in both runs; without a rate if it has none in one of them.
func (c comparison) load(phase *compare.PhasePair) loadPair {
	disks := phase.Disks()
	l := loadPair{Row: compare.Row{Phase: phase},
		title: analysis.Capital(c.disks, shorten(phase.Title, maxTitle))}
	sameWork := len(disks) > 1 || work.Who(c.disks, phase.Work) == phase.Title
	for _, r := range inBoth(phase) {
		if l.Rate = r; r.Disk != "" {
			sameWork = sameWork && phase.Work[r.Disk].Does() == phase.Work[disks[0]].Does()
		}
	}
	if l.rank = 2 * len(disks); sameWork {
		l.rank++
	}
	if lead := c.headlineChange(); lead != nil && lead.Phase == phase {
		l.rank = math.MaxInt
	}
	return l
}

// facts are the key numbers behind the headline: the most important change the other way, the disk
// that changed most with it, the next load, and what may be hidden.
func (c comparison) facts() (facts []Number) {
	a := &c.runs[0].answer
	if n := len(a.Same); len(a.Changed) == 0 && n > 0 {
		return []Number{{Value: "None", Text: "of " + unit.Plural(n+len(a.Unjudged), "speed") +
			" changed significantly"}}
	}
	lead := c.headlineChange()
	var opposite, sameLoad, nextLoad *compare.Row
	for i := range slices.Backward(a.Changed) {
		r := &a.Changed[i]
		product := *r.Change * *lead.Change
		if product < 0 {
			opposite = r
		}
		if product > 0 && r.Phase == lead.Phase && r.Disk != lead.Disk {
			sameLoad = r
		}
		if r.Phase != lead.Phase && r.Disk == "" && len(r.Phase.Disks()) == len(c.disks) {
			nextLoad = r
		}
	}
	for _, r := range []*compare.Row{opposite, sameLoad, nextLoad} {
		if r == nil {
			continue
		}
		value := pick(*r.Change >= 1, fmt.Sprintf("×%.1f", 1+*r.Change), Change(*r.Change))
		text := rowName(*r) + ": " + c.rateInstead(*r.New, *r.Base)
		tone := pick(*r.Change < 0, Bad, Unsigned)
		facts = append(facts, Number{Value: value, Text: text, Tone: tone})
	}
	if n := len(a.Same); n > 0 {
		what := pick(n > 2, unit.Plural(n, "speed"), unit.List(analysis.Each(a.Same, rowName)))
		text := "could be hidden in " + what + ", which did not change significantly"
		facts = append(facts, Number{Value: "±" + atMost(hiddenBound(a)), Text: text})
	}
	return facts[:min(len(facts), maxFacts)]
}
