package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/unit"
)

// How many changes the answer shows of few and of many disks: it has 15 lines for three disks, 25 for twelve.
const (
	fewChanges = 4
	maxChanges = 12
	fewDisks   = 4
	maxRuns    = 10 // that the answer lists: with all else at most 40 lines
	maxLosses  = 3  // in a sentence, and doubts about several runs
)

// smallChange is the largest change that may be hidden in runs of which the answer says that nothing changed, if no
// gate has a limit of its own.
const smallChange = 0.05

// OfComparison says how runs differ from the first: the largest changes in the answer, all rates and what was measured
// differently in the details of each run.
func OfComparison(c *compare.Comparison) *Document {
	sides := append([]compare.Side{c.Base}, say.Each(c.Pairs, func(p compare.Pair) compare.Side { return p.Side })...)
	names := say.Each(sides, func(s compare.Side) string { return s.Label })
	if c.Repeats == nil { // a group is named as a whole
		names = distinct(names)
	}
	keys := newKeys(names)
	who, top := unit.Plural(len(c.Pairs), "run"), 0.0
	if len(c.Pairs) == 1 {
		who = c.Pairs[0].Label
	}
	for _, pair := range c.Pairs {
		for _, phase := range pair.Phases {
			for _, r := range phase.Rates {
				if r.Base != nil {
					top = max(top, *r.Base, *r.New)
				}
			}
		}
	}
	all := comparison{c, Scale{unit.ScaleFor(top)}, keys, nil}
	doc := &Document{Kind: "comparison", Title: who + " compared with " + c.Base.Label, Keys: keys, Data: c}
	for i, side := range sides {
		keys[i].Where = strings.Join(nonEmpty(side.Name, when(side.Started)), ", ")
	}
	for i := range c.Pairs {
		all.answers = append(all.answers, c.Pairs[i].Answer())
	}
	doc.Answer = all.answer()
	for i := range c.Pairs {
		part := all.pair(i)
		doc.Add(part)
		if charts := Collect[*Chart](part.Blocks); len(charts) > 0 && doc.Answer.Chart == nil {
			doc.Answer.Chart = charts[0]
		}
	}
	doc.Add(warnings(c.Warnings)...)
	doc.Add(Sentence{Text: fmt.Sprintf("Overlap: bytes over time while all disks were active. "+
		"Typical file: the geometric mean of the rates of the files in the overlap, without the fastest and slowest fifth. "+
		"A span of seconds: the rate before or after a step. The intervals and p values allow for noise that lasts "+
		"and are corrected by Holm's method for all %s; latencies are corrected separately (%d). "+
		"The chance of any false alarm is at most %.0f %% in each family.",
		unit.Plural(c.Tests, "rate"), c.LatencyTests, 100*c.Level)})
	return doc
}

// distinct are short names for the runs: the last part of their labels if these differ, else the labels, numbered
// if one comes twice.
func distinct(labels []string) []string {
	last := say.Each(labels, func(label string) string { return label[strings.LastIndexAny(label, `/\`)+1:] })
	if !slices.Contains(last, "") && len(say.Grouped(last, strings.Clone)) == len(labels) {
		return last
	}
	var whole []string
	for _, label := range labels {
		name := label
		for n := 2; slices.Contains(whole, name); n++ {
			name = fmt.Sprintf("%s (%d)", label, n)
		}
		whole = append(whole, name)
	}
	return whole
}

type comparison struct {
	*compare.Comparison
	scale   Scale
	keys    []Key            // of the runs
	answers []compare.Answer // of each pair
}

// answer says what changed most, or that nothing did, and how sure that is.
func (c comparison) answer() *Answer {
	out := &Answer{}
	changed, most, top := 0, -1, 0.0 // whichever way it goes
	for i, a := range c.answers {
		if len(a.Lead) > 0 {
			changed++
			if size := math.Abs(math.Log1p(*a.Lead[0].Change)); most < 0 || size > top {
				most, top = i, size
			}
		}
	}
	switch {
	case len(c.Pairs) == 1:
		out.Headline = c.outcome(&c.Pairs[0], &c.answers[0])
	case most < 0:
		out.Headline = "No run is shown to differ from " + c.keys[0].Label
		most := 0.0
		for i := range c.answers {
			most = max(most, hidden(&c.answers[i]))
		}
		out.Headline += pick(most > c.limit(), ", but changes up to "+unsigned(most)+" could be hidden.", ".")
	default:
		all := unit.Plural(len(c.Pairs), "run")
		out.Headline = fmt.Sprintf("%d of %s differ from %s, most of all %s: %s", changed, all, c.keys[0].Label,
			c.keys[most+1].Label, c.outcome(&c.Pairs[most], &c.answers[most]))
	}
	for _, pair := range c.Pairs {
		out.Doubts = append(out.Doubts, c.doubts(&pair)...)
	}
	if more := len(out.Doubts) - maxLosses; more > 1 && len(c.Pairs) > 1 {
		out.Doubts = append(out.Doubts[:maxLosses], fmt.Sprintf("And %d more doubts, with the details of the runs: --all.", more))
	}
	if c.Gate != nil {
		out.Findings = append(out.Findings, "Gate of "+unit.FormatPercent(c.Gate.Limit)+" "+Gate(c.Gate)+".")
	}
	if len(c.Pairs) == 1 {
		out.Findings = append(out.Findings, c.others(&c.Pairs[0], &c.answers[0])...)
		out.Table = c.changes(0)
	} else {
		out.Table = c.runs()
	}
	out.Sure = fmt.Sprintf("The chance of any false alarm is at most %.0f %%.", 100*c.Level)
	out.Sure += c.units()
	return out
}

// doubts say what a run did not measure, and why its rates cannot be trusted. Of several runs each says less.
func (c comparison) doubts(pair *compare.Pair) (list []string) {
	shown := pick(len(c.Pairs) > 1, 1, maxLosses)
	if n := len(pair.Lost); n > 0 {
		more := pick(n > shown, fmt.Sprintf("; and %d more", n-shown), "")
		list = append(list, "Not measured, or not completely: "+strings.Join(pair.Lost[:min(n, shown)], "; ")+more+".")
	}
	return append(list, say.Each(pair.Doubts, func(doubt string) string { return strings.TrimSuffix(doubt, ".") + "." })...)
}

// units says how many runs, or repeats within a run, the comparison goes by.
func (c comparison) units() string {
	var most compare.Repeats // of any phase within runs
	for _, pair := range c.Pairs {
		for _, phase := range pair.Phases {
			if r := phase.Repeats; r != nil && r.Base+r.New > most.Base+most.New {
				most = *r
			}
		}
	}
	within := fmt.Sprintf("%d against %d", most.Base, most.New)
	few := func(n int) string { return pick(n <= 4, ": so few can show only large differences", "") }
	const again = "; to include it, repeat both: hubbench compare BASE... -- NEW..."
	switch r := c.Repeats; {
	case r != nil && most.Base > 0:
		return fmt.Sprintf(" The unit is the run, %d against %d%s. Repeats within runs, up to %s, are pooled first.",
			r.Base, r.New, few(r.Base+r.New), within)
	case r != nil:
		return fmt.Sprintf(" The unit is the run, %d against %d%s.", r.Base, r.New, few(r.Base+r.New))
	case most.Base > 0:
		return " Phases that a run repeats are pooled, up to " + within + " repeats" + few(most.Base+most.New) +
			". Run-to-run variation is not included" + again
	}
	return " One run each, so run-to-run variation is not included" + again
}

// outcome says in a sentence or two what became of a run's rates, and first what its searches found.
func (c comparison) outcome(pair *compare.Pair, a *compare.Answer) string {
	texts := say.Each(pair.Searches, func(s compare.Search) string { return unit.Capital(searchAnswer(s)) + "." })
	for _, row := range a.Lead {
		texts = append(texts, c.says(pair, row)+".")
	}
	all := len(a.Changed) + len(a.Same) + len(a.Unjudged)
	rose := func(row compare.Row) bool { return row.Verdict != compare.Slower }
	fell := len(slices.DeleteFunc(slices.Clone(a.Changed), rose))
	switch {
	case len(a.Changed) > 0 && all > 1:
		var counts []string
		for i, n := range []int{fell, len(a.Changed) - fell, len(a.Same), len(a.Unjudged)} {
			does := []string{"fell", "rose", "did not change significantly", "cannot be judged"}[i]
			switch {
			case n == all:
				counts = append(counts, fmt.Sprintf("All %s %s", unit.Plural(all, "rate"), does))
			case n > 0 && counts == nil:
				counts = append(counts, fmt.Sprintf("%d of %s %s", n, unit.Plural(all, "rate"), does))
			case n > 0:
				counts = append(counts, fmt.Sprintf("%d %s", n, does))
			}
		}
		texts = append(texts, unit.List(counts)+".")
	case len(a.Changed) > 0 || all == 0 && len(texts) > 0:
	case all == 0:
		texts = []string{"There are no rates to compare."}
		if len(pair.Phases) > 0 {
			texts = []string{"There are no rates to compare: " + pair.Phases[0].Reason + "."}
		}
	case len(a.Same) == 0:
		texts = append(texts, "Too little was measured to compare any rate: "+a.Unjudged[0].Reason+".")
	case hidden(a) > c.limit():
		texts = append(texts, "Cannot tell: changes up to "+unsigned(hidden(a))+" could be hidden.")
	case len(a.Unjudged) > 0:
		texts = append(texts, fmt.Sprintf("Cannot tell: %d of %s cannot be judged, the others are within ±%s.",
			len(a.Unjudged), unit.Plural(all, "rate"), unsigned(hidden(a))))
	case c.Repeats == nil:
		texts = append(texts, "No change is shown between these two runs: every rate is within ±"+unsigned(hidden(a))+
			". Run-to-run variation is not included.")
	default:
		other := len(texts)+len(pair.Appeared)+len(pair.Went)+len(pair.Lost) > 0
		for _, phase := range pair.Phases {
			for _, l := range phase.Latencies {
				other = other || l.Verdict == compare.Longer || l.Verdict == compare.Shorter
			}
		}
		texts = append(texts, pick(other, "No rate", "Nothing")+" changed: every rate is within ±"+unsigned(hidden(a))+".")
	}
	return strings.Join(texts, " ")
}

// hidden is the largest change, up or down, that may be hidden in rates without a significant one.
func hidden(a *compare.Answer) float64 {
	if a.Bound == nil {
		return 0
	}
	return max(-a.Bound[0], a.Bound[1])
}

// limit is the largest change that may be hidden where the answer says that nothing changed.
func (c comparison) limit() float64 {
	if c.Gate != nil {
		return c.Gate.Limit
	}
	return smallChange
}

// says puts a change into words: "Three disks writing move 6.70 instead of 3.53 GB/s (+90 %, 88 to 92)".
func (c comparison) says(pair *compare.Pair, row compare.Row) string {
	decimals := 0
	if math.Abs(*row.Change) < 0.1 || row.Interval[1]-row.Interval[0] < 0.02 {
		decimals = 1
	}
	percent := func(x float64) string { return strconv.FormatFloat(100*x, 'f', decimals, 64) }
	return fmt.Sprintf("%s %s instead of %s %s (%s%s %%, %s to %s)",
		subjectOf(pair, row), c.scale.Number(*row.New), c.scale.Number(*row.Base), c.scale.Unit,
		pick(*row.Change > 0, "+", ""), percent(*row.Change), percent(row.Interval[0]), percent(row.Interval[1]))
}

// subjectOf is who has the rate and what they do, with the phase if others in it do so as well.
func subjectOf(pair *compare.Pair, row compare.Row) string {
	work, all := row.Phase.Work, row.Phase.Disks()
	others := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == row.Disk })
	text, does := row.Disk+" alone", work[row.Disk].Does().One
	switch {
	case row.Disk == "":
		text, does = say.Doing(others, work), "move"
	case len(others) > 0:
		text = row.Disk + " beside " + unit.List(others)
	}
	if slices.ContainsFunc(pair.Phases, func(p compare.Phase) bool {
		return p.Name != row.Phase.Name && len(p.Rates) > 0 && say.Doing(p.Disks(), p.Work) == say.Doing(all, work)
	}) {
		text += " (" + row.Phase.Name + ")"
	}
	return text + " " + does
}

// others are what to say after the largest changes: what was different, what did not change, latencies and new
// findings.
func (c comparison) others(pair *compare.Pair, a *compare.Answer) []string {
	var texts []string
	if pair.Headline != "" {
		texts = append(texts, pair.Headline)
	}
	if len(a.Changed) > 0 && len(a.Same) > 0 {
		n := len(a.Same)
		what := pick(n > maxLosses, unit.Plural(n, "rate"), unit.List(say.Each(a.Same, rowName)))
		bound := unsigned(max(0, -a.Bound[0]))
		texts = append(texts, "No significant change: "+what+"; falls up to "+bound+" could be hidden.")
	}
	longer, text, worst := 0, "", 0.0
	for _, phase := range pair.Phases {
		for _, l := range phase.Latencies {
			if l.Verdict != compare.Longer {
				continue
			}
			if longer++; longer == 1 || *l.Change > worst {
				worst = *l.Change
				text = fmt.Sprintf("%s of %s (%s) rose from %s to %s (%s)",
					l.Quantile, l.Disk, phase.Title, timeText(l.BaseNS), timeText(l.NewNS), Change(worst))
			}
		}
	}
	if longer > 0 {
		texts = append(texts, text+pick(longer > 1, fmt.Sprintf(", and %d more latencies rose", longer-1), "")+".")
	}
	for k, findings := range [][]analysis.Finding{pair.Appeared, pair.Went} {
		i := slices.IndexFunc(findings, func(f analysis.Finding) bool {
			return slices.Contains([]string{"drops", "throttle", "heat", "cache_full", "cached", "foreign_traffic"}, f.Code)
		})
		if i >= 0 {
			text, _, _ := strings.Cut(findings[i].Text, ";")
			texts = append(texts, pick(k == 0, "New in ", "No longer in ")+strings.TrimSuffix(text, ".")+".")
		}
	}
	return texts
}

// rowName names a rate in a few words: "A (all write)".
func rowName(row compare.Row) string {
	if row.Disk == "" || len(row.Phase.Disks()) == 1 {
		return row.Phase.Title
	}
	return row.Disk + " (" + row.Phase.Title + ")"
}

// changes are the largest changes of a run; nil if nothing changed.
func (c comparison) changes(i int) *Table {
	a := &c.answers[i]
	changed := a.Changed
	if len(changed) == 0 {
		return nil
	}
	disks := slices.Max(say.Each(c.Pairs[i].Phases, func(p compare.Phase) int { return len(p.Disks()) }))
	shown := largest(changed, a.Lead, pick(disks > fewDisks, maxChanges, fewChanges))
	repeated := c.Repeats != nil
	t := table("Largest changes", word("Phase"), word("Disk"), number(pick(repeated, "Base", c.keys[0].Label)),
		number(pick(repeated, "New", c.keys[i+1].Label)), number("Change"), number("Interval"))
	for _, row := range shown {
		disk := rateOf(*row.Rate) + pick(row.Measure == compare.Window, "", " ("+measure(*row.Rate)+")")
		t.add(slices.Concat([]any{row.Phase.Title, disk}, c.numbers(row))...)
	}
	t.Note = c.scale.Unit + " while all disks of the phase worked."
	more := len(changed) - len(shown)
	t.Note += pick(more > 0, fmt.Sprintf(" And %d more changes: --all.", more), "")
	return t
}

// numbers are a changed rate, its change and how far that may be off.
func (c comparison) numbers(row compare.Row) []any {
	change := Cell{Text: Change(*row.Change), Sign: pick(row.Verdict == compare.Slower, Bad, Unsigned)}
	return []any{c.scale.Number(*row.Base), c.scale.Number(*row.New), change, span(row.Interval)}
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

// runs is a line for each run, the most changed first: its most important change, and the bound of all that did not
// change.
func (c comparison) runs() *Table {
	t := table("Runs", word("Run"), word("Most important change"), number("Base"), number("New"), number("Change"),
		number("Interval"), number("Changed"))
	t.Note = "Rates in " + c.scale.Unit + " while all disks of the phase worked."
	changed := func(i int) float64 {
		if lead := c.answers[i].Lead; len(lead) > 0 {
			return math.Abs(math.Log1p(*lead[0].Change))
		}
		return -1
	}
	order := make([]int, len(c.answers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(changed(j), changed(i)) })
	for _, i := range order[:min(len(order), maxRuns)] {
		a := &c.answers[i]
		what, numbers := "none shown", []any{"", "", "", span(a.Bound)}
		if len(a.Lead) > 0 {
			what, numbers = rowName(a.Lead[0]), c.numbers(a.Lead[0])
		}
		count := fmt.Sprintf("%d of %d", len(a.Changed), len(a.Changed)+len(a.Same)+len(a.Unjudged))
		t.add(slices.Concat([]any{&c.keys[i+1], what}, numbers, []any{count})...)
	}
	more := len(c.answers) - maxRuns
	t.Note += pick(more > 0, " And "+unit.Plural(more, "more run")+", which changed less: --all.", "")
	return t
}
