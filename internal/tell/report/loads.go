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

// Comparison is a run, or the repeats of one, beside another: each load on both.
type Comparison struct {
	Runs  [2]LegendKey // base and new
	Setup string       // how many disks and phases
	Loads []LoadPair
	Rows  *Rows   // the loads
	More  int     // loads that only the table of all rates has
	Limit float64 // the gate's; 0 without one
	Tests int     // rates that were corrected together
}

// LoadPair is one load on both sides, of several disks or of one.
type LoadPair struct {
	Sides   [2]Load
	Rate    compare.Rate // all disks together, or one of them
	Disk    string       // the one; empty for all
	Several bool
	Lead    bool // the headline is about it
	rank    int  // by importance
}

// Changed reports whether the rate changed significantly.
func (l *LoadPair) Changed() bool {
	return l.Rate.Verdict == compare.Faster || l.Rate.Verdict == compare.Slower
}

// How the axis of changes is laid out.
const (
	minReach   = 0.02 // on either side, as a share of the rate
	limitReach = 1.5  // times the gate's limit
	axisMargin = 0.04 // share of the axis' width
	axisTicks  = 4
)

// rows are the loads with the rates of both sides as bars, and their changes on an axis that holds
// all intervals, no change, and what lies just beyond a gate's limit.
func (c comparison) rows(p *Comparison) *Rows {
	h := &Rows{Head: "Load", Columns: numbers(c.base.Label, c.runs[0].key.Label, "Change",
		"Interval")}
	h.Columns[0].Side, h.Columns[1].Side, h.Columns[3].Drop = 1, 2, 1
	low, high := min(-minReach, -limitReach*p.Limit), minReach
	for i := range p.Loads {
		l := &p.Loads[i]
		r := l.Rate
		row := Row{Label: l.Sides[0].Title, Value: r.Change, Span: r.Interval, Numbers: c.changeCells(r),
			Bars: []RowBar{{To: *r.Base / c.Size, Side: 1}, {To: *r.New / c.Size, Side: 2}}}
		if row.Numbers[2].Strong = true; l.Changed() && *r.Change < 0 {
			row.Numbers[2].Tone = Bad
			row.Tone = Bad
		}
		if l.Disk == "" {
			row.Load = l.Sides[0].ID
		}
		low, high = min(low, *r.Change), max(high, *r.Change)
		if v := r.Interval; v != nil {
			low, high = min(low, v[0]), max(high, v[1])
		}
		h.Axis.High = max(h.Axis.High, *r.Base/c.Size, *r.New/c.Size)
		h.Rows = append(h.Rows, row)
	}
	for _, at := range Steps(0, h.Axis.High, axisTicks) {
		h.Axis.Ticks = append(h.Axis.Ticks, RulerTick{At: at, Text: shortest(at)})
	}
	margin := axisMargin * (high - low)
	h.Changes = &Ruler{Low: low - margin, High: high + margin}
	if p.Limit > 0 {
		h.Changes.Zone = &[2]float64{h.Changes.Low, -p.Limit}
	}
	for _, at := range Steps(h.Changes.Low, h.Changes.High, axisTicks) {
		tick := RulerTick{At: at, Text: strings.Replace(Change(at), ".0", "", 1), Strong: at == 0}
		if h.Changes.High >= 1 {
			tick.Text = fmt.Sprintf("×%g", 1+at)
		}
		h.Changes.Ticks = append(h.Changes.Ticks, tick)
	}
	h.Note = c.Unit + " with all disks of the load busy. Error bars: 95%, corrected for " +
		unit.Plural(p.Tests, "comparison") + "." + pick(p.Limit > 0, " Red: beyond the gate's limit.",
		"") + pick(p.More > 0, " "+unit.Plural(p.More, "more load")+": --all.", "")
	return h
}

// How many loads a comparison shows at first.
const (
	maxSeveral = 8 // maximum number of loads with several disks
	maxAlone   = 6 // maximum number of loads with one disk
)

// fillComparison fills in the answer about one run: its loads, the key numbers, and what else
// differs.
func (c comparison) fillComparison(out *AnswerView) {
	run := c.runs[0]
	p := &Comparison{Runs: [2]LegendKey{c.base, run.key}, Tests: c.Tests}
	p.Setup = c.setup()
	if c.Gate != nil {
		p.Limit = c.limit
	}
	out.Findings = append(nonEmpty(run.Headline), risenLatencies(run.Pair)...)
	loads := c.loads()
	lead := c.headlineChange()
	for _, several := range []bool{true, false} {
		var list []LoadPair
		for _, l := range loads {
			if l.Several == several {
				list = append(list, l)
			}
		}
		if several && lead != nil && lead.Disk != "" && len(list) > 0 && list[0].Lead {
			ofDisk := list[0]
			ofDisk.Disk = lead.Disk
			ofDisk.Rate = *lead.Rate
			ofDisk.Sides[0].Title = analysis.Capital(c.disks, rowName(*lead))
			list = slices.Insert(list, 0, ofDisk)
		}
		shown := min(len(list), pick(several, maxSeveral, maxAlone))
		p.Loads = append(p.Loads, list[:shown]...)
		p.More += len(list) - shown
	}
	if len(p.Loads) == 0 {
		return
	}
	p.Rows = c.rows(p)
	out.Layout = LayoutComparison
	out.Comparison = p
	out.Table = p.Rows.Table()
	out.Facts = c.facts()
}

// headlineChange is the change of the headline; nil without one.
func (c comparison) headlineChange() *compare.Row {
	_, row := c.worstFall()
	if list := c.runs[0].answer.Lead; row == nil && len(list) > 0 {
		row = &list[0]
	}
	return row
}

// loads are what was measured on both sides: first that of the headline, then those of more disks,
// then those in which all do the same, then those that changed more.
func (c comparison) loads() []LoadPair {
	var list []LoadPair
	for i := range c.Pairs[0].Phases {
		l := c.load(&c.Pairs[0].Phases[i])
		if l.Sides[0].ID = phaseID(i); l.Rate.Base != nil {
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(x, y LoadPair) int {
		return cmp.Or(cmp.Compare(y.rank, x.rank),
			cmp.Compare(changeSize(*y.Rate.Change), changeSize(*x.Rate.Change)))
	})
	return list
}

// load is a phase on both sides.
func (c comparison) load(phase *compare.PhasePair) LoadPair {
	disks := phase.Disks()
	title := analysis.Capital(c.disks, shorten(phase.Title, maxTitle))
	l := LoadPair{Sides: [2]Load{{Title: title, All: len(disks) == len(c.disks)}, {Title: title}},
		Several: len(disks) > 1}
	sameWork := l.Several || work.Who(c.disks, phase.Work) == phase.Title
	keys := newKeys(c.disks)
	for _, r := range phase.Rates { // The rate of all together comes last.
		if r.Measure != compare.Window || r.Base == nil {
			continue
		}
		l.Rate = r
		l.Sides[0].Rate = *r.Base
		l.Sides[1].Rate = *r.New
		if r.Disk == "" {
			continue
		}
		does := phase.Work[r.Disk]
		sameWork = sameWork && does.Does() == phase.Work[disks[0]].Does()
		alone := c.ratesAlone(work.Who(c.disks, map[string]work.Work{r.Disk: does}))
		for side, rate := range []*float64{r.Base, r.New} {
			d := LoadDisk{LegendKey: keys[slices.Index(c.disks, r.Disk)], Verb: does.Does().One,
				Rate: *rate}
			d.Baseline = alone[side]
			d.Slowed = r.Verdict == compare.Slower
			l.Sides[side].Disks = append(l.Sides[side].Disks, d)
		}
	}
	if l.rank = 2 * len(disks); sameWork {
		l.rank++
	}
	if lead := c.headlineChange(); lead != nil && lead.Phase == phase {
		l.Lead = true
		l.rank = math.MaxInt
	}
	return l
}

// ratesAlone are the rates on both sides of a disk that does something alone; 0 if that was not
// measured.
func (c comparison) ratesAlone(does string) (rates [2]float64) {
	for _, phase := range c.Pairs[0].Phases {
		if phase.Title == does && len(phase.Rates) > 0 && phase.Rates[0].Base != nil {
			return [2]float64{*phase.Rates[0].Base, *phase.Rates[0].New}
		}
	}
	return rates
}

// facts are the key numbers behind the headline: the most important change the other way, the disk
// that changed most with it, the next load, and what may be hidden.
func (c comparison) facts() (facts []Fact) {
	a := &c.runs[0].answer
	if n := len(a.Same); len(a.Changed) == 0 && n > 0 {
		return []Fact{{Value: "None", Text: "of " + unit.Plural(n+len(a.Unjudged), "speed") +
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
		facts = append(facts, Fact{Value: value, Text: text, Bad: *r.Change < 0})
	}
	if n := len(a.Same); n > 0 {
		what := pick(n > 2, unit.Plural(n, "speed"), unit.List(analysis.Each(a.Same, rowName)))
		text := "could be hidden in " + what + ", which did not change significantly"
		facts = append(facts, Fact{Value: "±" + atMost(hiddenBound(a)), Text: text})
	}
	return facts[:min(len(facts), maxFacts)]
}
