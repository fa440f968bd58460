package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/search"
)

// What searches found is set side by side in a line each.
func TestSearchAnswers(t *testing.T) {
	n := func(v float64) *float64 { return &v }
	answers := func(list ...search.Result) []search.Result { return list }
	pair := &compare.Pair{Searches: []compare.Search{
		{Name: "edit", Kind: "streams", Disk: "A", Base: answers(search.Result{Alone: n(12), Found: n(9)}), New: answers(search.Result{Alone: n(12), Found: n(7)})},
		{Name: "open", Kind: "streams", Disk: "A", Base: answers(search.Result{Found: n(16), FoundOpen: true}), New: answers(search.Result{})},
		{Name: "pace", Kind: "pace", Disk: "C", Base: answers(search.Result{Found: n(210e6)}), New: answers(search.Result{Unlimited: true})},
		{Name: "repeated", Kind: "streams", Disk: "A", Base: answers(search.Result{Found: n(3)}, search.Result{Found: n(4)}), New: answers(search.Result{Found: n(3)}), Work: &[2]string{"A plays hq", "A plays raw"}},
		{Name: "unsure", Kind: "streams", Disk: "A", Base: answers(search.Result{Alone: n(9), Found: n(4)}), New: answers(search.Result{AloneBetween: &search.Between{Low: 3, High: n(5)}, FoundBetween: &search.Between{Low: 2}})},
	}}
	want := []string{
		"edit: clean streams of A: alone 12 as before, with the others 9 → 7",
		"open: clean streams of A: at least 16 → not found",
		"pace: pace of C that leaves the streams clean: 210 MB/s → no limit",
		"repeated: clean streams of A: 3, 4 → 3 (not the same was searched: A plays hq → A plays raw)",
		"unsure: clean streams of A: alone 9 → 3 to 5, with the others 4 → 2 or more",
	}
	doc := OfComparison(&compare.Comparison{Pairs: []compare.Pair{*pair}})
	if diff := cmp.Diff(want, Collect[List](doc.Phases()[0].Blocks)[0].Items); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := (comparison{}).outcome(&compare.Pair{Searches: pair.Searches[:1]}, &compare.Answer{}), "Clean streams of A: alone 12 as before, with the others 9 → 7."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
