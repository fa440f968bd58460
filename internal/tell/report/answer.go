package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Layout says how an answer is shown: which picture its page begins with.
type Layout string

// The layouts. Without one, the answer is a headline and sentences.
const (
	LayoutPlain   Layout = ""
	LayoutStudy   Layout = "study"   // what disks do, to choose from, in the hub diagram
	LayoutRace    Layout = "race"    // one phase, to play back in the hub diagram
	LayoutStreams Layout = "streams" // how many streams stay clean
	LayoutCost    Layout = "cost"    // what the hub costs a disk
)

// AnswerView is what a document comes to, as values: the first screen of its page and what a
// terminal prints. The document's blocks hold what is behind it.
type AnswerView struct {
	Layout   Layout
	Headline string
	Sentence string   // one more idea
	Doubts   []string // why the numbers cannot be trusted: shown before the headline
	Scale    Scale    // the loads' scale
	Loads    []Load   // what the disks did; the first is the one that the headline is about
	Facts    []Fact   // three at most
	Actions  []Action
	Findings []string // what else is worth a sentence, three at most
	Sure     string   // how large the margin of error is
	Chart    *Chart   // the one among the document's blocks that shows it; nil if none does
	Big      *Big     // the one number of an answer without loads; nil for none
	Hero     Hero     // what its page shows; nil for an answer without one yet
}

// Big is a number to be shown large.
type Big struct {
	Number, Unit string
	Text, Detail string
	Tone         Sign
}

// Load is what some disks did at the same time, repeats pooled.
type Load struct {
	Title string
	ID    string // ID of the phase's details
	Work  string // who reads and who writes
	Disks []LoadDisk
	Rate  float64 // together, bytes per second; the answer has no loads without an overlap
	Chart *Chart  // the phase over time; nil without its files
	All   bool    // as many disks as in any load

	first *analysis.PhaseResult // first of the repeats
}

// LoadDisk is one disk's part in a load.
type LoadDisk struct {
	LegendKey
	Verb     string // what it does: "writes"
	Rate     float64
	Baseline float64 // its rate without the others; 0 if that is unknown
	Kept     float64 // the part of the baseline that it keeps; 0 if that is unknown
	NotAlone bool    // the baseline is without one other disk only
	Between  bool    // what it keeps is of the time between changes, its rate of all the time
	Slowed   bool    // the answer says so
	Remark   string  // why there is no baseline
}

// ofCache is the remark on a disk whose small writes went through this computer's cache.
const ofCache = "the cache's"

// Cached reports whether the rate is this computer's cache's: it is never shown as a result.
func (d LoadDisk) Cached() bool { return d.Remark == ofCache }

// Cached reports whether that is so of one of the disks.
func (l *Load) Cached() bool { return slices.ContainsFunc(l.Disks, LoadDisk.Cached) }

// Percent is the part that the disk keeps in words; empty if that is unknown.
func (d LoadDisk) Percent() string {
	if d.Kept == 0 {
		return ""
	}
	return percent(d.Kept) + pick(d.NotAlone, notAlone, "")
}

// minKept is the part of its baseline below which a disk's share is marked as a loss.
const minKept = 0.9

// Low reports whether the disk keeps so little that it is marked.
func (d LoadDisk) Low() bool { return d.Kept > 0 && d.Kept < minKept }

// Least are the load's disks, those first that keep least; disks without a baseline come last.
func (l *Load) Least() []LoadDisk {
	disks := slices.Clone(l.Disks)
	share := func(d LoadDisk) float64 { return cmp.Or(d.Kept, math.Inf(1)) }
	slices.SortStableFunc(disks, func(x, y LoadDisk) int { return cmp.Compare(share(x), share(y)) })
	return disks
}

// Fact is a key number and what it is.
type Fact struct {
	Value, Text string
	Bad         bool
	InLoads     bool // what the loads' disks keep says it as well
}

// Action is something to do, and what comes of it; and both in one sentence.
type Action struct {
	Title, Detail, Text string
	Command             string // does it in a shell; empty for none
}

// newAction joins the two into a sentence as well.
func newAction(title, detail string) Action {
	return Action{Title: title, Detail: detail, Text: title + ". " + detail}
}

// How much an answer holds.
const (
	maxFindings = 3
	maxFacts    = maxFindings
	maxDoubts   = 2
	// A finding of less weight is not shown.
	minWeight = 0.05
	// A shorter recovery is no news.
	minWaitS float64 = 1
)

// answer is what the run comes to.
func (r *runDoc) answer() {
	a := r.a
	out := &AnswerView{
		Headline: strings.TrimSuffix(a.Answer.Headline, "."), Sentence: a.Answer.Sentence,
		Sure: a.Answer.Sure.Text, Scale: r.Scale,
		Layout: r.layout(),
	}
	r.Answer = out
	if out.Headline == "" {
		switch {
		case len(a.Phases) == 0:
			out.Headline = "Nothing was measured"
		case len(a.Phases) == 1:
			out.Headline = strings.TrimSuffix(a.Phases[0].Verdict, ".")
		default:
			out.Headline = unit.Plural(len(a.Phases), "phase") + " measured"
		}
	}
	trusted := len(a.Answer.Caveats) == 0 || a.Answer.Stands
	out.Doubts = r.doubts(trusted)
	mostDisks := 0
	for _, line := range r.headlinePhases() {
		if l := r.load(line); l.Rate > 0 {
			out.Loads = append(out.Loads, l)
			mostDisks = max(mostDisks, len(l.Disks))
		}
	}
	for i := range out.Loads {
		out.Loads[i].All = len(out.Loads[i].Disks) == mostDisks
	}
	switch out.Layout {
	case LayoutStreams:
		r.showStreams(r.streams(), trusted)
	case LayoutCost:
		r.costs(trusted)
	}
	if trusted {
		for _, advice := range a.Answer.Advice {
			out.Actions = append(out.Actions, Action{Title: advice.Title,
				Detail: advice.Detail, Text: advice.Text})
		}
		out.Facts = append(out.Facts, r.facts()...)
	}
	r.answerFindings()
	switch {
	case !trusted && r.endedEarly():
		r.Page = r.faultPage()
		r.Page.Status = statusOf(out.Doubts)
		r.Add(r.known())
	case out.Hero != nil:
		r.Page = out.Page()
	case r.ofCaches():
		r.Page = out.Page()
		r.cachePage(r.Page, trusted)
	}
}

// statusOf returns the line for some doubts: the first, and how many follow below.
func statusOf(doubts []string) string {
	switch n := len(doubts); n {
	case 0:
		return ""
	case 1:
		return doubts[0]
	default:
		return doubts[0] + fmt.Sprintf(" And %d more below.", n-1)
	}
}

// Page returns the answer in the shape of a page.
func (a *AnswerView) Page() *Page {
	p := &Page{Headline: a.Headline, Sub: a.Sentence, Hero: a.Hero, Big: a.Big, Actions: a.Actions,
		More: a.Findings, Sure: a.Sure}
	p.Status = statusOf(a.Doubts)
	p.Numbers = a.numbers()
	return p
}

// numbers returns the facts as a page's numbers.
func (a *AnswerView) numbers() []Number {
	return analysis.Each(a.Facts, func(f Fact) Number {
		return Number{f.Value, f.Text, pick(f.Bad, Bad, Unsigned), f.InLoads}
	})
}

// doubts are what to know before the answer: what is missing, and why its numbers may be off. One
// that is not trusted says the first in its headline.
func (r *runDoc) doubts(trusted bool) (list []string) {
	ended := r.endedEarly()
	saysFailed := false
	if ended && trusted {
		list = append(list, r.missingText())
	}
	for i, caveat := range r.a.Answer.Caveats {
		ofEnd := caveat.Code == analysis.CaveatFailed || caveat.Code == analysis.CaveatPartial
		saysFailed = saysFailed || caveat.Code == analysis.CaveatFailed
		switch {
		case trusted && caveat.Code == analysis.CaveatPartial:
		case !trusted && (ended && ofEnd || !ended && i == 0): // the headline says it
		default:
			list = append(list, caveat.Text)
		}
	}
	for _, f := range r.run.About.Failures {
		if trusted && !saysFailed && !isInterrupt(f) {
			list = append(list, "Failed: "+f.String())
		}
	}
	if n := len(list) - maxDoubts; n > 1 {
		list = append(list[:maxDoubts], fmt.Sprintf("And %d more doubts: --all.", n))
	}
	before := r.run.About.Warnings
	if n := len(before); n > maxDoubts {
		before = []string{unit.Plural(n, "warning") + " from before the run; --all shows them."}
	}
	return append(list, before...)
}

// RankOf returns 0 for the phase that the headline is about, and 1 for all others.
func (a *AnswerView) RankOf(phase *Details) int {
	if a != nil && len(a.Loads) > 0 && a.Loads[0].ID == phase.ID {
		return 0
	}
	return 1
}

// Rest is what the first screen of the answer's page has no room for.
func (a *AnswerView) Rest() []Block { return shown([]Block{List{Items: a.Findings}}) }

// Blocks are the answer as blocks, in the order in which they are read.
func (a *AnswerView) Blocks() []Block {
	blocks := warnings(a.Doubts)
	blocks = append(blocks, Sentence{Text: a.Headline + ".", Lead: true})
	blocks = append(blocks, Sentence{Text: a.Sentence})
	blocks = append(blocks, a.loadTable())
	facts := List{}
	for _, f := range a.Facts {
		facts.Items = append(facts.Items, f.Value+" "+f.Text+".")
	}
	actions := List{}
	for _, action := range a.Actions {
		actions.Items = append(actions.Items, action.Text)
	}
	return shown(append(blocks, facts, List{Items: a.Findings}, actions,
		Sentence{Text: a.Sure}))
}

// maxLoads is how many loads the answer's table has.
const maxLoads = 8

// loadTable is a row for each disk of the first loads.
func (a *AnswerView) loadTable() *Table {
	t := table("Loads", words("Load", "Disk"), numbers(a.Scale.Unit, "Baseline", "Keeps"))
	t.ID = "answer"
	t.Note = "Speed with all disks of the load busy. Baseline: the same disk without the others."
	for _, l := range a.Loads[:min(len(a.Loads), maxLoads)] {
		for i, d := range l.Disks {
			baseline := Cell{Text: d.Remark}
			if d.Baseline > 0 {
				baseline = a.Scale.rateCell(d.Baseline)
			}
			rate := a.Scale.rateCell(d.Rate)
			rate.Strong = !d.Cached()
			kept := Cell{}
			if d.Kept > 0 {
				kept = shareCell(d.Kept)
				kept.Text = d.Percent()
				kept.Heat = d.Kept
			}
			t.add(pick(i == 0, l.Title, ""), &d.LegendKey, rate, baseline, kept)
		}
	}
	return t
}

// KeptNote says what the shares that the loads' disks keep are of, where that is not plain.
func (a *AnswerView) KeptNote() string {
	var notAlone, between string
	for _, l := range a.Loads {
		for _, d := range l.Disks {
			if d.NotAlone {
				notAlone = notAloneNote
			}
			if d.Between {
				between = "Shares of the baseline are of the time between changes."
			}
		}
	}
	return joined(" ", notAlone, between)
}

// layout is the one that shows what the run was made to show.
func (r *runDoc) layout() Layout {
	switch {
	case r.hasStreams():
		return LayoutStreams
	case len(r.a.HubCosts) > 0 && len(r.a.Answer.Loses) == 0:
		return LayoutCost
	case len(r.a.Phases) == 1:
		return LayoutRace
	case len(r.a.Phases) == 0:
		return LayoutPlain
	}
	return LayoutStudy
}

// hasStreams reports whether the run was made to see how many streams stay clean.
func (r *runDoc) hasStreams() bool {
	for i := range r.a.Phases {
		p := &r.a.Phases[i]
		if len(p.StreamTotals) > 0 && (p.Search == nil || len(r.a.Searches) > 0) {
			return true
		}
	}
	return false
}

// inTables are the findings that repeat the pairs, or another table: they are values, no sentences.
func inTables() []string {
	return []string{"steal", "held", "even", "hub_cost", "recovery"}
}

// answerFindings are those that neither the headline nor the facts hold, each code once.
func (r *runDoc) answerFindings() {
	out := r.Answer
	for _, text := range r.a.Answer.More {
		r.more = append(r.more, text+".")
	}
	shown := append([]string{
		"saturation", "drops", "latency", "host_bound", "cached", "duplex",
	}, inTables()...)
	if len(r.a.Phases) == 1 {
		out.Findings = nonEmpty(analysis.SteadySince(r.a, &r.a.Phases[0]))
	}
	for _, f := range r.findings {
		if f.Weight >= minWeight && !slices.Contains(shown, f.Code) &&
			len(out.Findings) < maxFindings {
			shown, out.Findings = append(shown, f.Code), append(out.Findings, f.Text)
		}
	}
}
