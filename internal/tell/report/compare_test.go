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
		if got := strings.TrimSuffix(doc.Answer.Headline+": "+doc.Answer.Sentence,
			": "); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
		if want := []string{"Not measured, or not completely: a of new; b of new; c of new; and 1 more.", "new: WW: the host was 99% busy."}; tt.pair.Lost != nil && !slices.Equal(doc.Answer.Doubts, want) {
			t.Errorf("doubts %q, want %q", doc.Answer.Doubts, want)
		}
		said := doc.Answer.Sure
		for _, action := range doc.Answer.Actions {
			said += action.Detail
		}
		if !strings.Contains(said, "One run each, so run-to-run variation is not included") {
			t.Errorf("%s: it says %q of what varies between runs", tt.want, said)
		}
		for _, fact := range doc.Answer.Facts {
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
		{"several", compare.Comparison{Pairs: []compare.Pair{pair, other}},
			"No run is shown to differ from base"},
		{"several, gate below", compare.Comparison{Pairs: []compare.Pair{pair, other},
			Gate: &compare.Gate{Limit: 0.01}},
			"No run is shown to differ from base, but changes up to 1.9% could be hidden"},
	} {
		tt.c.Base = compare.Side{Label: "base"}
		check.Same(t, tt.name, tt.want, OfComparison(&tt.c).Answer.Headline)
	}
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
		doc.Answer.Headline)
}
