package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// How much a comparison shows at first.
const (
	maxChanges = 12 // in the chart
	maxLosses  = 3  // parts that were not measured, and doubts about several runs
)

// smallChange is the largest change that may be hidden in runs of which the answer says that
// nothing changed, if no gate has a limit of its own.
const smallChange = 0.05

// halfCommon is the share of the variance between runs from which on the answer says that it is
// common to all rates.
const halfCommon = 0.5

// comparison is what the parts of the document need.
type comparison struct {
	*compare.Comparison
	Scale
	base  LegendKey
	runs  []*comparedRun
	disks []string // disks of all phases
	limit float64
}

// comparedRun is a run beside the base.
type comparedRun struct {
	*compare.Pair
	answer compare.Conclusion
	key    LegendKey
}

// OfComparison says how runs differ from the first: the largest changes in the answer, all rates
// and what was measured differently behind it.
func OfComparison(c *compare.Comparison) *Document {
	all := comparison{Comparison: c, limit: smallChange}
	sides := []compare.Side{c.Base}
	var top float64
	for i := range c.Pairs {
		sides = append(sides, c.Pairs[i].Side)
		top = max(top, all.addDisks(&c.Pairs[i]))
	}
	if c.Gate != nil {
		all.limit = c.Gate.Limit
	}
	labels := analysis.Each(sides, func(s compare.Side) string { return s.Label })
	if c.Repeats == nil { // a group is named as a whole
		labels = shortNames(labels)
	}
	keys := newKeys(labels)
	for i, side := range sides {
		keys[i].Where = joined(", ", side.Name, dateText(side.Started))
		if i > 0 {
			pair := &c.Pairs[i-1]
			all.runs = append(all.runs, &comparedRun{pair, pair.Conclusion(), keys[i]})
		}
	}
	all.Scale = Scale{unit.ScaleFor(top)}
	all.base = keys[0]
	doc := &Document{Kind: "comparison", Title: labels[1] + " against " + labels[0], Keys: keys,
		Data: c, Page: all.page(), Parts: "other runs"}
	switch {
	case len(c.Pairs) > 1:
		doc.Title = unit.Plural(len(labels), "run") + " compared"
	case c.Named:
		doc.Title = labels[0] + " / " + labels[1]
		fallthrough
	default:
		doc.Started = dateText(c.Pairs[0].Started)
	}
	if r := c.Ranking; r != nil {
		loads := &Details{ID: "loads", Title: "Every load in each run", Printed: true}
		if len(r.Places) > maxRuns {
			loads.Add(all.places(len(r.Places)))
		}
		loads.Add(all.loadsTable())
		doc.Add(loads)
	}
	for i, run := range all.runs {
		doc.Add(all.pairDetails(run, phaseID(i))...)
	}
	for i, text := range all.doubts() {
		if i > 0 { // the first is the page's status
			doc.Add(Warning{text})
		}
	}
	sure := &Details{ID: "methods", Title: "How sure is this?", Printed: true}
	sure.Add(warnings(c.Warnings)...)
	sure.Add(Sentence{Text: doc.Page.Sure}, Sentence{Text: fmt.Sprintf("Overlap: bytes over time "+
		"with all disks busy. A span of seconds: the rate before or after a step. The intervals and "+
		"verdicts allow for noise that lasts and are corrected by Holm's method for all %s; "+
		"latencies are corrected separately (%d). The chance of any false alarm is at most %.0f%% "+
		"in each family. What varies from run to run, if it is known, is moderated over all rates "+
		"(Smyth 2004).", unit.Plural(c.Tests, "rate"), c.LatencyTests, perCent*c.Level)})
	doc.Add(sure)
	return doc
}

// addDisks takes over the disks of a run, and returns its fastest rate on either side.
func (c *comparison) addDisks(pair *compare.Pair) (top float64) {
	for _, phase := range pair.Phases {
		for _, disk := range phase.Disks() {
			if !slices.Contains(c.disks, disk) {
				c.disks = append(c.disks, disk)
			}
		}
		for _, r := range phase.Rates {
			if r.Base != nil {
				top = max(top, *r.Base, *r.New)
			}
		}
	}
	return top
}

// changeSize is how large a change is, whichever way it goes.
func changeSize(change float64) float64 { return math.Abs(math.Log1p(change)) }

// lastPart is a path's.
func lastPart(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// shortNames are the last parts of the runs' labels if these differ, else the labels.
func shortNames(labels []string) []string {
	var last []string
	for _, label := range labels {
		name := lastPart(label)
		if name == "" || slices.Contains(last, name) {
			return labels
		}
		last = append(last, name)
	}
	return last
}

// page says what changed most, or that nothing did, and how sure that is. A gate that failed takes
// the headline; so does the second of two states that a person named.
func (c comparison) page() *Page {
	p := &Page{Status: statusOf(c.doubts()), Sure: c.sampleText()}
	if c.LeftOut != "" {
		p.Sure += " Left out of the history: " + c.LeftOut + "."
	}
	single := len(c.Pairs) == 1
	if single {
		p.Kicker = []string{c.setup()}
		p.Headline, p.Sub = c.outcome(c.runs[0])
		p.More = risenLatencies(c.runs[0].Pair)
		differs := c.runs[0].Headline
		if rows := c.rows(); rows != nil {
			rows.Caption = differs
			p.Hero = rows
			if flow := c.flow(rows); flow != nil {
				p.Hero = flow
			}
			p.Numbers = c.facts()
		} else {
			p.More = append(nonEmpty(differs), p.More...)
		}
	} else {
		c.rank(p)
	}
	if c.Gate != nil {
		c.judge(p)
	}
	unclear := single && len(c.runs[0].answer.Lead) == 0
	if !c.betweenRuns() && (unclear || p.Verdict.Sign == Bad) {
		p.Actions = []Action{{Title: "Repeat both to be sure", Detail: p.Sure}}
		p.Sure = ""
	}
	if c.Named && single {
		c.nameStates(p)
	}
	return p
}

// doubts are those of all runs.
func (c comparison) doubts() (list []string) {
	for _, run := range c.runs {
		list = append(list, c.doubtsOf(run)...)
	}
	if more := len(list) - maxLosses; more > 1 && len(c.Pairs) > 1 {
		list = append(list[:maxLosses],
			fmt.Sprintf("And %d more doubts, with the details of the runs: --all.", more))
	}
	return list
}

// judge lets the gate's result begin the headline, and counts the rates that fell.
func (c comparison) judge(p *Page) {
	g := c.Gate
	limit := unit.FormatPercent(c.limit)
	p.Verdict = Verdict{Good, "Gate " + gateOutcome(g)}
	fell := Number{Value: fmt.Sprintf("%d of %d", g.Fell, g.Rates),
		Text: "rates fell " + pick(g.Limit > 0, "by more than "+limit+", the gate's limit",
			"significantly, which the gate forbids")}
	if g.CannotTell > 0 {
		fell.Text += fmt.Sprintf("; %d cannot be told", g.CannotTell)
	}
	if n := len(g.Lost); n > 0 {
		fell.Text += "; " + unit.Plural(n, "part") + " not measured"
	}
	switch g.Outcome {
	case compare.CannotJudge:
		p.Verdict.Sign = Doubt
		if !g.Certain {
			p.Sub = strings.TrimSpace(p.Headline + ". " + p.Sub)
			p.Headline = "a fall by more than " + limit + " can't be ruled out"
		}
	case compare.CrossedIt:
		p.Verdict.Sign, fell.Tone = Bad, Bad
		if run, row := c.worstFall(); row != nil {
			p.Headline = c.changeInWords(run, *row) +
				pick(len(c.Pairs) > 1, " in "+run.key.Label, "")
			p.Sub = c.changeInNumbers(*row) + ", and the limit is −" + limit + "." +
				countSpeeds(&run.answer)
			break
		}
		p.Sub = strings.TrimSpace(p.Headline + ". " + p.Sub)
		p.Headline = "not everything was measured"
	}
	p.Numbers = append([]Number{fell}, p.Numbers[:min(len(p.Numbers), maxFacts-1)]...)
}

// worstFall is the largest proven fall beyond the gate's limit, and its run; nil if there is none.
func (c comparison) worstFall() (in *comparedRun, worst *compare.Row) {
	for _, run := range c.runs {
		for k := range run.answer.Changed {
			row := &run.answer.Changed[k]
			if row.Outcome == compare.Fell && (worst == nil || *row.Change < *worst.Change) {
				in = run
				worst = row
			}
		}
	}
	return in, worst
}

// doubtsOf says what a run did not measure, and why its rates cannot be trusted. Of several runs
// each says less.
func (c comparison) doubtsOf(run *comparedRun) (list []string) {
	shown := pick(len(c.Pairs) > 1, 1, maxLosses)
	if n := len(run.Lost); n > 0 {
		more := pick(n > shown, fmt.Sprintf("; and %d more", n-shown), "")
		lost := strings.Join(run.Lost[:min(n, shown)], "; ")
		list = append(list, "Not measured, or not completely: "+lost+more+".")
	}
	for _, doubt := range run.Doubts {
		list = append(list, strings.TrimSuffix(doubt, ".")+".")
	}
	return list
}

// includeVariation is how to include what varies between runs.
func (c comparison) includeVariation() string {
	repeat := pick(len(c.Pairs) == 1, "repeat both (hubbench compare BASE... -- NEW...) or ", "")
	return "; to include it, " + repeat + "add --history RUNS."
}

// betweenRuns reports whether the intervals include what varies from run to run.
func (c comparison) betweenRuns() bool {
	v := c.Pairs[0].Variation
	return v != nil && v.Source != compare.FromRepeats
}

// sampleText says how many runs, or repeats within a run, the comparison goes by, and how they
// vary.
func (c comparison) sampleText() string {
	var most compare.Repeats // most repeats of any phase within runs
	for _, pair := range c.Pairs {
		for _, phase := range pair.Phases {
			if r := phase.Repeats; r != nil && r.Base+r.New > most.Base+most.New {
				most = *r
			}
		}
	}
	v := c.Pairs[0].Variation
	within := fmt.Sprintf("up to %d against %d", most.Base, most.New)
	var list []string
	switch {
	case c.Repeats != nil:
		list = append(list, fmt.Sprintf("The unit is the run, %d against %d", c.Repeats.Base,
			c.Repeats.New)+
			pick(most.Base > 0, " (repeats within runs, "+within+", are pooled first)", ""))
	case most.Base > 0:
		list = append(list, "Phases that a run repeats are pooled, "+within+" repeats")
	case v != nil:
		list = append(list, "One run each")
	case c.Earlier > 0:
		return "One run each, and one earlier run, which does not show run-to-run variation: " +
			"give more to --history."
	default:
		return "One run each, so run-to-run variation is not included" + c.includeVariation()
	}
	if v == nil {
		return list[0] + ". Run-to-run variation is not included" + c.includeVariation()
	}
	from := pick(v.Source == compare.FromRepeats, "repeat to repeat", "run to run")
	text := fmt.Sprintf("From %s, rates vary by %s", from, unsigned(math.Hypot(v.Common, v.Own)))
	if v.Share() >= halfCommon {
		text += ", mostly all rates of a run together"
	}
	list = append(list, text+pick(c.Earlier > 0, ", by "+unit.Plural(c.Earlier, "earlier run"), ""))
	if !c.betweenRuns() {
		list = append(list, "Run-to-run variation is not included"+c.includeVariation())
		return strings.Join(list, ". ")
	}
	return strings.Join(list, ". ") + "."
}

// outcome is what became of a run's rates, and first of what it searched for: one idea, and a
// sentence more.
func (c comparison) outcome(run *comparedRun) (idea, sentence string) {
	a := &run.answer
	all := len(a.Changed) + len(a.Same) + len(a.Unjudged)
	switch bound := atMost(hiddenBound(a)); {
	case len(a.Lead) > 0:
		idea, sentence = c.changeInWords(run, a.Lead[0]), c.changeInNumbers(a.Lead[0])+"."+
			countSpeeds(a)
	case all == 0 && len(run.Searches) > 0:
	case all == 0:
		idea = "There are no rates to compare"
		if len(run.Phases) > 0 {
			sentence = unit.Capital(run.Phases[0].Reason) + "."
		}
	case len(a.Same) == 0:
		idea, sentence = "Too little was measured to compare any rate",
			unit.Capital(a.Unjudged[0].Reason)+"."
	case hiddenBound(a) > c.limit:
		idea = "Cannot tell: changes up to " + bound + " could be hidden"
	case len(a.Unjudged) > 0:
		idea = fmt.Sprintf("Cannot tell: %d of %s cannot be judged, the others are within ±%s",
			len(a.Unjudged), unit.Plural(all, "rate"), bound)
	case !c.betweenRuns():
		idea = "No change is shown: every rate is within ±" + bound
	default:
		idea = "No rate changed: every rate is within ±" + bound
	}
	// What was searched for is what the run was made for.
	if list := analysis.Each(run.Searches, searchAnswer); list != nil {
		idea, sentence = unit.Capital(list[0]), joined(". ", append(list[1:], idea, sentence)...)
	}
	return idea, sentence
}

// changeInWords is a change in a few words: "hub2 moves 91 % more when all three write".
func (c comparison) changeInWords(run *comparedRun, row compare.Row) string {
	change := *row.Change
	disks := row.Phase.Disks()
	works := row.Phase.Work
	who, does, slower, faster, fast := row.Disk, works[row.Disk].Does().One, "slower", "faster",
		"fast"
	if row.Disk == "" {
		who, does, slower, faster, fast = run.key.Label, "moves", "less", "more", "much"
	}
	switch {
	case row.Disk == "" && c.Named:
		who = "the disks"
		does = "move"
	case row.Disk == "" && c.Repeats != nil:
		who = "The new runs"
		does = "move"
	}
	if len(disks) == 1 {
		who += " alone"
	}
	text := who + " " + does + " " + unsigned(math.Abs(change)) + " " +
		pick(change > 0, faster, slower)
	if change >= 1 {
		text = fmt.Sprintf("%s %s %.1f times as %s", who, does, 1+change, fast)
	}
	if len(disks) == 1 {
		return text
	}
	title := work.Who(c.disks, works)
	load := title
	verb := works[disks[0]].Does().Several
	if title == "all "+verb || len(c.disks) == 2 && title == unit.List(disks)+" "+verb {
		load = allOf(len(disks)) + " " + verb
	}
	return text + " when " + load + pick(row.Phase.Title == title, "", " ("+row.Phase.Title+")")
}

// changeInNumbers are a change's: "6.70 instead of 3.51 GB/s (+91 %, 88 to 93 %)".
func (c comparison) changeInNumbers(row compare.Row) string {
	change := joined(", ", Change(*row.Change), ChangeSpan(row.Interval))
	return c.rateInstead(*row.New, *row.Base) + " (" + change + ")"
}

// countSpeeds says how many speeds changed which way, as one more sentence.
func countSpeeds(a *compare.Conclusion) string {
	all, fell := len(a.Changed)+len(a.Same)+len(a.Unjudged), 0
	for _, row := range a.Changed {
		if row.Verdict == compare.Slower {
			fell++
		}
	}
	var list []string
	for i, n := range []int{len(a.Changed) - fell, fell, len(a.Same), len(a.Unjudged)} {
		does := []string{"rose", "fell", "did not change significantly", "cannot be judged"}[i]
		switch {
		case n == all && all > 1:
			return fmt.Sprintf(" All %d speeds %s.", all, does)
		case n > 0:
			list = append(list, fmt.Sprintf("%d %s", n, does))
		}
	}
	return pick(all > 1, fmt.Sprintf(" Of %d speeds, %s.", all, unit.List(list)), "")
}

// changeCells are the cells of a rate: its values, the change and the interval.
func (c comparison) changeCells(r compare.Rate) []Cell {
	if r.Base == nil {
		return make([]Cell, 4)
	}
	change := changeCell(*r.Change)
	change.Sign = pick(r.Verdict == compare.Slower, Bad, Unsigned)
	return []Cell{c.rateCell(*r.Base), c.rateCell(*r.New), change, changeSpanCell(r.Interval)}
}

// hiddenBound is the largest change, up or down, that may be hidden in rates without a significant
// one.
func hiddenBound(a *compare.Conclusion) float64 {
	if a.Bound == nil {
		return 0
	}
	return max(-a.Bound[0], a.Bound[1])
}

// risenLatencies are what to say after the largest changes: latencies that rose.
func risenLatencies(pair *compare.Pair) (texts []string) {
	for _, phase := range pair.Phases {
		for _, l := range phase.Latencies {
			if l.Verdict == compare.Longer {
				texts = append(texts, fmt.Sprintf("%s of %s (%s) rose from %s to %s (%s).",
					l.Quantile, l.Disk, phase.Title, timeText(l.BaseNS), timeText(l.NewNS),
					Change(*l.Change)))
			}
		}
	}
	return texts[:min(len(texts), maxFindings)]
}

// rowName names a rate in a few words: "A (all write)".
func rowName(row compare.Row) string {
	if row.Disk == "" || len(row.Phase.Disks()) == 1 {
		return row.Phase.Title
	}
	return row.Disk + " (" + row.Phase.Title + ")"
}

// largest are the first of sorted rows, and those of the headline whatever their place.
func largest(rows, lead []compare.Row, n int) []compare.Row {
	var shown []compare.Row
	ahead := len(lead)
	for _, row := range rows {
		leads := slices.Contains(lead, row)
		if leads {
			ahead--
		}
		if leads || len(shown)+ahead < n {
			shown = append(shown, row)
		}
	}
	return shown
}
