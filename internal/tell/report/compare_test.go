package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// A comparison's answer is its most important change; what did not change has a bound, what is not
// known comes first.
func TestComparisonAnswer(t *testing.T) {
	rate := func(disk string, base, change, margin float64, v compare.TestResult) compare.Rate {
		now := base * (1 + change)
		return compare.Rate{Disk: disk, Op: trace.Write, Measure: compare.Window, Base: &base,
			New: &now,
			Test: compare.Test{Change: &change,
				Interval: &stats.Interval{change - margin, change + margin}, Verdict: v}}
	}
	unjudged := compare.Rate{Disk: "C", Op: trace.Write, Measure: compare.Window,
		Test: compare.Test{Verdict: compare.TooLittle, Reason: "only 0.3 s were measured"}}
	pair := func(rates ...compare.Rate) compare.Pair {
		all := map[string]work.Work{}
		for _, r := range rates {
			if r.Disk != "" {
				all[r.Disk] = work.Work{Op: trace.Write}
			}
		}
		return compare.Pair{Side: compare.Side{Label: "runs/new"},
			Phases: []compare.PhasePair{{Name: "WW", Title: "WW", Rates: rates, Work: all}}}
	}
	partial := pair(rate("A", 1e9, 0, 0.02, compare.NotShown))
	partial.Lost, partial.Doubts = []string{"a of new", "b of new", "c of new", "d of new"},
		[]string{"new: WW: the host was 99% busy."}
	for _, tt := range []struct {
		pair compare.Pair
		want string
		fact string
	}{
		{
			pair(rate("A", 1.5e9, -0.01, 0.02, compare.NotShown),
				rate("B", 2e9, 0.8, 0.05, compare.Faster),
				rate("", 3.53e9, 0.898, 0.017, compare.Faster)),
			"new moves 90% more when both write (WW): 6.70 instead of 3.53 GB/s (+90%, +88 to +92%). Of 3 speeds, 2 rose and 1 did not change significantly.",
			"±3.0% could be hidden in A (WW), which did not change significantly",
		},
		{pair(rate("A", 0.742e9, -0.0497, 0.0121, compare.Slower)),
			"A alone writes 5.0% slower: 705 instead of 742 MB/s (−5.0%, −6.2 to −3.8%).", ""},
		{
			pair(rate("A", 2e9, -0.5, 0.01, compare.Slower),
				rate("B", 1e9, 0.2, 0.01, compare.Faster)),
			"A writes 50% slower when both write (WW): 1.00 instead of 2.00 GB/s (−50%, −51 to −49%). Of 2 speeds, 1 rose and 1 fell.",
			"+20% B (WW): 1.20 instead of 1.00 GB/s",
		},
		{
			pair(rate("A", 1e9, 0.001, 0.011, compare.NotShown),
				rate("B", 1e9, 0, 0.004, compare.NotShown)),
			"No change is shown: every rate is within ±1.2%",
			"None of 2 speeds changed significantly",
		},
		{pair(rate("A", 1e9, 0.001, 0.5, compare.NotShown)),
			"Cannot tell: changes up to 51% could be hidden", ""},
		{
			pair(rate("A", 1e9, 0.001, 0.011, compare.NotShown), unjudged),
			"Cannot tell: 1 of 2 rates cannot be judged, the others are within ±1.2%",
			"None of 2 speeds changed significantly",
		},
		{pair(unjudged), "Too little was measured to compare any rate: Only 0.3 s were measured.",
			""},
		{compare.Pair{}, "There are no rates to compare", ""},
		{partial, "No change is shown: every rate is within ±2.0%", ""},
	} {
		texts := []string{}
		doc := OfComparison(&compare.Comparison{Level: 0.05, Base: compare.Side{Label: "runs/old"},
			Pairs: []compare.Pair{tt.pair}})
		if got := strings.TrimSuffix(doc.Page.Headline+": "+doc.Page.Sub,
			": "); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
		doubts := append([]Block{Warning{doc.Page.Status}}, doc.Blocks...)
		for _, want := range []string{"Not measured, or not completely: a of new; b of new; c of new; and 1 more. And 1 more below.", "new: WW: the host was 99% busy."} {
			if tt.pair.Lost != nil && !slices.Contains(Collect[Warning](doubts), Warning{want}) {
				t.Errorf("doubts %q, want %q among them", Collect[Warning](doubts), want)
			}
		}
		said := doc.Page.Sure
		for _, action := range doc.Page.Actions {
			said += action.Detail
		}
		if !strings.Contains(said, "One run each, so run-to-run variation is not included") {
			t.Errorf("%s: it says %q of what varies between runs", tt.want, said)
		}
		for _, fact := range doc.Page.Numbers {
			texts = append(texts, fact.Value+" "+fact.Text)
		}
		if tt.fact != "" && !slices.Contains(texts, tt.fact) {
			t.Errorf("%s: facts %q, want %q among them", tt.want, texts, tt.fact)
		}
	}
}

// Nothing changed only if repeated runs leave no room for a change that matters: to the gate, or 5
// % without one.
func TestNothingChanged(t *testing.T) {
	change, margin, speed := 0.001, 0.019, 1e9
	same := compare.Rate{Disk: "A", Op: trace.Write, Measure: compare.Window, Base: &speed,
		New: &speed,
		Test: compare.Test{Change: &change, Interval: &stats.Interval{-margin, margin},
			Verdict: compare.NotShown}}
	pair := compare.Pair{Phases: []compare.PhasePair{{Name: "W", Title: "W",
		Rates: []compare.Rate{same}}}}
	repeated, other := pair, pair
	repeated.Variation = &compare.Variation{Source: compare.FromRuns}
	lost := repeated
	lost.Lost = []string{"W of new"}
	other.Label = "other"
	repeats := &compare.Repeats{Base: 5, New: 5}
	for _, tt := range []struct {
		name string
		c    compare.Comparison
		want string
	}{
		{"repeated", compare.Comparison{Repeats: repeats, Pairs: []compare.Pair{repeated}},
			"No rate changed: every rate is within ±1.9%"},
		{"gate above", compare.Comparison{Repeats: repeats, Pairs: []compare.Pair{repeated},
			Gate: &compare.Gate{Limit: 0.02}},
			"No rate changed: every rate is within ±1.9%"},
		{"gate below", compare.Comparison{Repeats: repeats, Pairs: []compare.Pair{repeated},
			Gate: &compare.Gate{Limit: 0.01}},
			"Cannot tell: changes up to 1.9% could be hidden"},
		{"lost phase", compare.Comparison{Repeats: repeats, Pairs: []compare.Pair{lost}},
			"No rate changed: every rate is within ±1.9%"},
		{"several without a load in common", compare.Comparison{Pairs: []compare.Pair{pair, other}},
			"No load is the same in all 3 runs"},
	} {
		tt.c.Base = compare.Side{Label: "base"}
		check.Same(t, tt.name, tt.want, OfComparison(&tt.c).Page.Headline)
	}
}

// A ranking says which run is the best and by how much, or which are equal as far as is known.
func TestRankingAnswers(t *testing.T) {
	equal := func(half float64) func(p *compare.Place) {
		return func(p *compare.Place) {
			p.Rank = 1
			p.Behind.Verdict = compare.NotShown
			p.Behind.Interval = &stats.Interval{-half, half}
		}
	}
	tooLittle := func(p *compare.Place) {
		p.Rank = 1
		p.Behind = &compare.Test{Verdict: compare.TooLittle, Reason: "it was too short"}
	}
	slow := func(p *compare.Place) { p.Behind.Change = new(-0.6) }
	for _, tt := range []struct {
		runs     int
		change   func(p *compare.Place) // changes the places from the second one on
		of       int                    // so many of them
		headline string
		sentence string
	}{
		{3, nil, 0, "dock 1 is the fastest: 2.0% more than dock 2",
			"dock 1 against dock 2: 3.00 instead of 2.94 GB/s (+2.0%, +1.0 to +3.1%)."},
		{3, slow, 1, "dock 1 is the fastest: 2.5 times as much as dock 2", ""},
		{3, equal(0.01), 1, "dock 1 and dock 2 lead, equal within ±1.0%",
			"dock 1 against dock 3: 3.00 instead of 2.88 GB/s (+4.2%, +3.1 to +5.3%)."},
		{3, equal(0.08), 1, "dock 1 and dock 2 lead: differences up to 8.0% between them could be hidden", ""},
		{8, equal(0.01), 4, "5 of 8 runs lead, equal within ±1.0%", ""},
		{4, equal(0.01), 3, "All 4 runs are equally fast: differences are below 1.0%", ""},
		{4, equal(0.09), 3, "No run is shown to be the fastest, but differences up to 9.0% could be hidden", ""},
		{3, tooLittle, 1, "Cannot tell which run is the fastest: too little was measured of dock 2", ""},
		{3, tooLittle, 2, "Too little was measured to say which run is the fastest", "It was too short."},
	} {
		c := fixture.Ranking(tt.runs)
		for i := range tt.of {
			tt.change(&c.Ranking.Places[1+i])
		}
		doc := OfComparison(c)
		check.Same(t, "headline", tt.headline, doc.Page.Headline)
		if tt.sentence != "" {
			check.Same(t, "sentence", tt.sentence, doc.Page.Sub)
		}
		if rows := len(doc.Page.Hero.(*Rows).Rows); rows != tt.runs {
			t.Errorf("%d rows, want one for each of %d runs", rows, tt.runs)
		}
	}
	c := fixture.Ranking(3)
	c.Ranking.Loads[0].Runs[2].Behind.Verdict = compare.Faster
	c.Ranking.Loads[0].Runs[2].Behind.Change = new(0.2)
	c.Ranking.Loads[0].Runs[2].Behind.Interval = &stats.Interval{0.1, 0.3}
	check.Same(t, "another is faster in a load",
		"But in “all write”, dock 3 moves 20% more (+10 to +30%).",
		OfComparison(c).Page.Hero.(*Rows).Caption)
}

// What searches found is set side by side in a line each.
func TestSearchAnswers(t *testing.T) {
	n := func(v float64) *float64 { return &v }
	answers := func(list ...search.Result) []search.Result { return list }
	pair := &compare.Pair{Searches: []compare.SearchPair{
		{Name: "edit", Kind: "streams", Disk: "A",
			Base: answers(search.Result{Alone: n(12), Found: n(9)}),
			New:  answers(search.Result{Alone: n(12), Found: n(7)})},
		{Name: "open", Kind: "streams", Disk: "A",
			Base: answers(search.Result{Found: n(16), FoundOpen: true}),
			New:  answers(search.Result{})},
		{Name: "pace", Kind: "pace", Disk: "C", Base: answers(search.Result{Found: n(210e6)}),
			New: answers(search.Result{Unlimited: true})},
		{Name: "repeated", Kind: "streams", Disk: "A",
			Base: answers(search.Result{Found: n(3)}, search.Result{Found: n(4)}),
			New:  answers(search.Result{Found: n(3)}),
			Work: &[2]string{"A plays hq", "A plays raw"}},
		{Name: "unsure", Kind: "streams", Disk: "A",
			Base: answers(search.Result{Alone: n(9), Found: n(4)}),
			New: answers(search.Result{AloneBetween: &search.Between{Low: 3, High: n(5)},
				FoundBetween: &search.Between{Low: 2}})},
	}}
	want := []string{
		"edit: clean streams of A: alone 12 as before, with the others 9 → 7",
		"open: clean streams of A: at least 16 → not found",
		"pace: pace of C that leaves the streams clean: 210 MB/s → no limit",
		"repeated: clean streams of A: 3, 4 → 3 (not the same was searched: A plays hq → A plays raw)",
		"unsure: clean streams of A: alone 9 → 3 to 5, with the others 4 → 2 or more",
	}
	doc := OfComparison(&compare.Comparison{Pairs: []compare.Pair{*pair}})
	lists := Collect[List](doc.Blocks)
	at := slices.IndexFunc(lists, func(l List) bool { return l.Title == "Searches" })
	check.Same(t, "searches", want, lists[at].Items)
	check.Same(t, "headline", "Clean streams of A: alone 12 as before, with the others 9 → 7",
		doc.Page.Headline)
}
