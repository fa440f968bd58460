package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// What the tries of a search say by themselves is what the search has found, however much verdicts
// change from try to try; and before it is over they say nothing else.
func TestSearchesSayWhatTheSearchDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for run := range 200 {
		sought := &scenario.Search{Kind: trace.SearchStreams, Disk: "A", Hold: time.Second, Max: 24}
		if run%2 == 0 {
			sought = &scenario.Search{Kind: trace.SearchPace, Disk: "B", Hold: time.Second}
		}
		limit, noise := max(0, 60*rng.Float64()-3), rng.Float64()*float64(rng.IntN(2))
		s := search.New(&scenario.Phase{
			Name: "p", Search: sought,
			Jobs: []scenario.Job{{Disk: "A", Streams: make([]stream.Spec, 1)}, {Disk: "B"}},
		})
		told := SearchSummary{Kind: sought.Kind, Disk: sought.Disk}
		var before []SearchSummary
		for p, ok := s.Next(); ok; p, ok = s.Next() {
			value := p.Try.Value
			if p.Try.Unlimited {
				value = 50
			} else if p.Try.Alone {
				value /= 2
			}
			o := search.TryOutcome{Verdict: stream.Drops, Rate: 50}
			if value+noise*rng.NormFloat64() <= limit {
				o.Verdict = stream.Clean
			}
			cut := told
			cut.answer()
			before = append(before, cut)
			s.Add(o)
			told.Tries = append(told.Tries, SearchTry{
				Value: p.Try.Value, Unlimited: p.Try.Unlimited, Alone: p.Try.Alone,
				Verdict: o.Verdict, Step: p.Try.Step, Steps: p.Try.Steps,
			})
		}
		rng.Shuffle(len(told.Tries), func(i, j int) {
			told.Tries[i], told.Tries[j] = told.Tries[j], told.Tries[i]
		})
		told.answer()
		want := s.Result()
		if diff := cmp.Diff(want, told.SearchResult); diff != "" {
			t.Fatalf("limit %.2f, noise %.2f (-search +tries):\n%s\n%+v", limit, noise, diff,
				told.Tries)
		}
		for i, cut := range before {
			if cut.Unlimited || cut.Found != nil || cut.FoundBetween != nil || cut.Alone != nil &&
				!cmp.Equal(cut.Alone, want.Alone) {
				t.Fatalf("after %d of %d tries, found %+v at the end: %+v", i, len(told.Tries),
					want, cut)
			}
		}
	}
}

// A try is not clean if a disk beside the streams stopped early; one at a pace may rest.
func TestTryWhoseOthersStopEarly(t *testing.T) {
	for _, tt := range []struct {
		untilS float64
		work   work.Work
		want   stream.Verdict
	}{
		{30, work.Work{}, stream.Clean}, {27.5, work.Work{}, stream.Clean}, {26, work.Work{}, ""},
		{26, work.Work{Pace: 1e9}, stream.Clean},
	} {
		p := playing(30, plenty(0, 0),
			(&script{name: "C", op: trace.Write, paces: []pace{{tt.untilS, 1e9}},
				sizes: tracetest.Fixed(1e8)}).play(seed(1), noise{samples: true}))
		p.Search = &trace.Try{Search: "p", Kind: trace.SearchStreams, Disk: "A", Value: 4}
		p.Work["C"] = tt.work
		check.Same(t, fmt.Sprintf("C until %g s, %+v", tt.untilS, tt.work), tt.want,
			Analyze(tracetest.Run(p), Options{}).Searches[0].Tries[0].Verdict)
	}
}
