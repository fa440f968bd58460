package analysis

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What the tries of a search say by themselves is what the search has found, however much verdicts change from try to
// try; and before it is over they say nothing else.
func TestSearchesSayWhatTheSearchDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for run := range 2000 {
		sought := &scenario.Search{Kind: trace.SearchStreams, Disk: "A", Hold: time.Second, Most: 24}
		if run%2 == 0 {
			sought = &scenario.Search{Kind: trace.SearchPace, Disk: "B", Hold: time.Second}
		}
		limit, noise := max(0, 60*rng.Float64()-3), rng.Float64()*float64(rng.IntN(2))
		s := search.New(&scenario.Phase{Name: "p", Search: sought, Jobs: []scenario.Job{{Disk: "A", Streams: make([]stream.Spec, 1)}, {Disk: "B"}}})
		told := Search{Kind: sought.Kind, Disk: sought.Disk}
		var before []Search
		for p, ok := s.Next(); ok; p, ok = s.Next() {
			value := p.Try.Value
			if p.Try.Unlimited {
				value = 50
			} else if p.Try.Alone {
				value /= 2
			}
			o := search.Outcome{Verdict: stream.Drops, Rate: 50}
			if value+noise*rng.NormFloat64() <= limit {
				o.Verdict = stream.Clean
			}
			cut := told
			cut.answer(false)
			before = append(before, cut)
			s.Tell(o)
			told.Tries = append(told.Tries, SearchTry{Value: p.Try.Value, Unlimited: p.Try.Unlimited, Alone: p.Try.Alone, Verdict: o.Verdict})
		}
		told.answer(true)
		want := s.Result()
		if noise > 0 && sought.Kind == trace.SearchPace && want.Found != nil && *want.Found == 0 && told.Found == nil {
			continue // the tries do not say that the answers which failed went down to the lowest pace
		}
		if diff := cmp.Diff(want, search.Result{Alone: told.Alone, Found: told.Found, Unlimited: told.Unlimited}); diff != "" {
			t.Fatalf("limit %.2f, noise %.2f (-search +tries):\n%s\n%+v", limit, noise, diff, told.Tries)
		}
		most := func(v *float64) bool { return v != nil && sought.Most > 0 && *v == sought.Most }
		if told.AloneOpen != most(told.Alone) || told.FoundOpen != most(told.Found) {
			t.Fatalf("of at most %g: %+v", sought.Most, told)
		}
		for i, cut := range before {
			if cut.Unlimited || cut.Found != nil && *cut.Found > 0 || cut.Alone != nil && !cmp.Equal(cut.Alone, want.Alone) {
				t.Fatalf("after %d of %d tries, found %+v at the end: %+v", i, len(told.Tries), want, cut)
			}
		}
	}
}
