package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

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

// answer makes the page of what the run comes to.
func (r *runDoc) answer() {
	a := r.a
	p := &Page{Headline: r.headline(), Sub: a.Answer.Sentence, Sure: a.Answer.Sure.Text}
	r.outcome = p
	r.Page = p
	trusted := len(a.Answer.Caveats) == 0 || a.Answer.Stands
	for _, line := range r.headlinePhases() {
		if l := r.load(line); l.rate > 0 {
			r.loads = append(r.loads, l)
		}
	}
	switch {
	case r.hasStreams():
		r.showStreams(p, r.streams(), trusted)
	case r.ofHubs():
		r.costs(p, trusted)
	}
	if trusted {
		for _, advice := range a.Answer.Advice {
			p.Actions = append(p.Actions, Action{Title: advice.Title, Detail: advice.Detail,
				Text: advice.Text})
		}
	}
	r.answerFindings()
	switch {
	case !trusted && r.endedEarly():
		r.Page = r.faultPage()
		r.Add(r.known())
	case p.Hero != nil:
	case r.ofCaches():
		r.cachePage(p, trusted)
	case len(r.loads) > 0:
		flow := r.flow(r.loads)
		p.Hero = flow
		flow.Marks = keptNote(r.loads)
		flow.Note = joined(" ", flow.Note, p.Sure, flow.Marks)
		if trusted {
			p.Numbers = r.facts()
		}
	}
	if doubts := r.doubts(trusted); doubts != nil {
		r.Page.Status = doubts[0]
		r.Page.Doubts = doubts[1:]
	}
}

// headline returns what the analysis says of the run, or how much it holds.
func (r *runDoc) headline() string {
	text := strings.TrimSuffix(r.a.Answer.Headline, ".")
	switch phases := r.a.Phases; {
	case text != "":
		return text
	case len(phases) == 0:
		return "Nothing was measured"
	case len(phases) == 1:
		return strings.TrimSuffix(phases[0].Verdict, ".")
	default:
		return unit.Plural(len(phases), "phase") + " measured"
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

// ofHubs reports whether the answer is about what the hub costs.
func (r *runDoc) ofHubs() bool { return len(r.a.HubCosts) > 0 && len(r.a.Answer.Loses) == 0 }

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

// answerFindings adds the findings that neither the headline nor the numbers hold, each code once.
func (r *runDoc) answerFindings() {
	p := r.outcome
	for _, text := range r.a.Answer.More {
		r.more = append(r.more, text+".")
	}
	shown := append([]string{
		"saturation", "drops", "latency", "host_bound", "cached", "duplex",
	}, inTables()...)
	if len(r.a.Phases) == 1 {
		p.More = nonEmpty(analysis.SteadySince(r.a, &r.a.Phases[0]))
	}
	for _, f := range r.findings {
		if f.Weight >= minWeight && !slices.Contains(shown, f.Code) &&
			len(p.More) < maxFindings {
			shown, p.More = append(shown, f.Code), append(p.More, f.Text)
		}
	}
}
