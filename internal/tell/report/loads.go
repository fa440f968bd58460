package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Comparison is a run, or the repeats of one, beside another: each load on both.
type Comparison struct {
	Runs  [2]LegendKey // base and new
	Setup string       // how many disks and phases
	Loads []LoadPair
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

// ChangeAxis is an axis of changes. Places on it are in per cent.
type ChangeAxis struct {
	low, high float64
	Ticks     []ChangeTick
	Limit     float64 // where the gate's limit is; 0 without one
}

// ChangeTick is a change that the axis names.
type ChangeTick struct {
	At   float64
	Text string
	None bool // no change
}

// At is the place of a change.
func (a *ChangeAxis) At(change float64) float64 {
	return math.Round(1000*(change-a.low)/(a.high-a.low)) / 10
}

// How the axis of changes is laid out.
const (
	minReach   = 0.02 // on either side, as a share of the rate
	limitReach = 1.5  // times the gate's limit
	axisMargin = 0.04 // share of the axis' width
	axisTicks  = 4
)

// Axis holds the intervals of all loads, no change, and what lies just beyond the gate's limit.
func (c *Comparison) Axis() *ChangeAxis {
	a := &ChangeAxis{low: min(-minReach, -limitReach*c.Limit), high: minReach}
	for _, l := range c.Loads {
		v := l.Rate.Interval
		if v == nil {
			v = &stats.Interval{*l.Rate.Change, *l.Rate.Change}
		}
		a.low, a.high = min(a.low, v[0]), max(a.high, v[1])
	}
	margin := axisMargin * (a.high - a.low)
	a.low, a.high = a.low-margin, a.high+margin
	if c.Limit > 0 {
		a.Limit = a.At(-c.Limit)
	}
	for _, v := range Steps(a.low, a.high, axisTicks) {
		tick := ChangeTick{a.At(v), strings.Replace(Change(v), ".0", "", 1), v == 0}
		if a.high >= 1 {
			tick.Text = fmt.Sprintf("×%g", 1+v)
		}
		a.Ticks = append(a.Ticks, tick)
	}
	return a
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
	p.Setup = unit.Plural(len(c.disks), "disk") + ", " + unit.Plural(len(run.Phases), "phase")
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
	t := table("Loads", words("Load"),
		numbers(c.base.Label, run.key.Label, "Change", "Interval"))
	t.Note = c.Unit + " with all disks of the load busy."
	for _, l := range p.Loads {
		t.add(append([]any{l.Sides[0].Title}, c.changeCells(l.Rate)...)...)
	}
	out.Layout = LayoutComparison
	out.Comparison = p
	out.Table = t
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
