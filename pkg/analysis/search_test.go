package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
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

// What tries come to, one condition after another.
func TestSearchAnswers(t *testing.T) {
	tries := func(n int, try SearchTry) (list []SearchTry) {
		for range n {
			list = append(list, try)
		}
		return list
	}
	clean := func(n int, value float64) []SearchTry {
		return tries(n, SearchTry{Value: value, Step: int(value), Verdict: stream.Clean})
	}
	failed := func(n int, value float64) []SearchTry {
		return tries(n, SearchTry{Value: value, Step: int(value), Verdict: stream.Strained})
	}
	alone := func(list []SearchTry) []SearchTry {
		list = slices.Clone(list)
		for i := range list {
			list[i].Alone = true
		}
		return list
	}
	free := func(n int, v stream.Verdict) []SearchTry {
		return tries(n, SearchTry{Unlimited: true, Step: 3, Verdict: v})
	}
	cut := tries(1, SearchTry{Value: 9, Step: 2})
	const streams, pace = trace.SearchStreams, trace.SearchPace
	no := math.NaN() // not found
	for _, tt := range []struct {
		name                 string
		kind                 string
		steps                int
		tries                [][]SearchTry
		alone, found         float64
		aloneOpen, foundOpen bool
		unlimited            bool
	}{
		{"nothing tried", streams, 2, nil, no, no, false, false, false},
		{"cut short", streams, 2, [][]SearchTry{cut}, no, no, false, false, false},
		{"clean three times", streams, 2, [][]SearchTry{clean(3, 2)}, no, 2, false, true, false},
		{"clean once", streams, 2, [][]SearchTry{clean(1, 2)}, no, no, false, false, false},
		{"the larger one", streams, 4, [][]SearchTry{clean(3, 2), clean(3, 4), clean(3, 3)}, no, 4,
			false, true, false},
		{"once not", streams, 4, [][]SearchTry{clean(3, 2), clean(3, 4), failed(1, 4)}, no, 4,
			false, true, false},
		{"as often not", streams, 4, [][]SearchTry{clean(3, 3), clean(3, 4), failed(5, 4)}, no, no,
			false, false, false},
		{"mostly not", streams, 4, [][]SearchTry{clean(3, 3), clean(1, 4), failed(5, 4)}, no, 3,
			false, false, false},
		{"what is more fails", streams, 4, [][]SearchTry{clean(3, 2), failed(3, 3), cut}, no, 2,
			false, false, false},
		{"what is more fails once", streams, 4, [][]SearchTry{clean(3, 2), failed(1, 3)}, no, no,
			false, false, false},
		{
			"one that is not clean below", streams, 5,
			[][]SearchTry{failed(1, 1), clean(2, 2), clean(3, 4), failed(3, 5)}, no, no, false,
			false, false,
		},
		{"one stream fails", streams, 2, [][]SearchTry{failed(3, 1)}, no, 0, false, false, false},
		{"two fail", streams, 4, [][]SearchTry{failed(3, 2)}, no, no, false, false, false},
		{"alone", streams, 5, [][]SearchTry{alone(clean(3, 5))}, 5, no, true, false, false},
		{"none alone", streams, 5, [][]SearchTry{alone(failed(3, 1))}, 0, 0, false, false, false},
		{"with others it fails", streams, 5,
			[][]SearchTry{alone(clean(3, 5)), clean(3, 3), failed(3, 4)}, 5, 3, true, false, false},
		{
			"alone it fails", streams, 6,
			[][]SearchTry{alone(clean(3, 5)), clean(3, 3), alone(failed(3, 6))}, 5, no, false,
			false, false,
		},
		{"the lowest pace fails", pace, 2, [][]SearchTry{failed(3, 2), failed(3, 1)}, no, 0, false,
			false, false},
		{"some pace was clean once", pace, 2, [][]SearchTry{failed(3, 2), clean(1, 1)}, no, no,
			false, false, false},
		{"without a limit it fails", pace, 3, [][]SearchTry{clean(3, 2), free(4, stream.Drops)}, no,
			2, false, false, false},
		{"without a limit it is clean", pace, 3, [][]SearchTry{clean(3, 2), free(3, stream.Clean)},
			no, no, false, false, true},
	} {
		s := SearchSummary{Kind: tt.kind, Tries: slices.Concat(tt.tries...)}
		for i := range s.Tries {
			s.Tries[i].Steps = tt.steps
		}
		s.answer()
		value := func(v *float64) float64 {
			if v == nil {
				return no
			}
			return *v
		}
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !same(value(s.Alone), tt.alone) || !same(value(s.Found), tt.found) ||
			s.AloneOpen != tt.aloneOpen || s.FoundOpen != tt.foundOpen ||
			s.Unlimited != tt.unlimited {
			t.Errorf("%s: alone %v (open %v), found %v (open %v), unlimited %v", tt.name,
				value(s.Alone), s.AloneOpen, value(s.Found), s.FoundOpen, s.Unlimited)
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
