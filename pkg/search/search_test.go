package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

var spec = stream.Spec{Kind: "92 MB/s", Rate: 92e6, Frame: 40 * time.Millisecond, Count: 4,
	Buffer: time.Second}

// phase has a disk A that plays streams, and B and C that write.
func phase(s scenario.Search) *scenario.Phase {
	s.Hold = 30 * time.Second
	return &scenario.Phase{
		Name: "edit", Roles: map[string]trace.Role{"A": trace.Read, "B": trace.Write,
			"C": trace.Write}, Pause: "plug in A",
		Connections: map[string]string{"A": "direct", "C": "direct"}, Cooldown: time.Second,
		Target: time.Minute, Search: &s,
		Jobs: []scenario.Job{
			{Disk: "A", Role: trace.Read, Sizes: []int64{368e6}, Streams: []stream.Spec{spec}},
			{Disk: "B", Role: trace.Write, Sizes: []int64{1e9}},
			{Disk: "C", Role: trace.Write, Sizes: []int64{1e9}},
		},
	}
}

// run makes all tries of a search by a verdict on each, and returns their names.
func run(t *testing.T, s *Finder, outcome func(try trace.Try) TryOutcome) (names []string) {
	t.Helper()
	bound := s.MaxTries()
	for {
		p, ok := s.Next()
		if !ok {
			break
		}
		if slices.Contains(names, p.Name) {
			t.Fatalf("%s twice: %v", p.Name, names)
		}
		names = append(names, p.Name)
		s.Add(outcome(*p.Try))
		if s.MaxTries() > bound || s.Tries() != len(names) || s.Tries() > bound {
			t.Fatalf("after %v: %d of at most %d tries, though at most %d were said before", names,
				s.Tries(), s.MaxTries(), bound)
		}
		bound = s.MaxTries()
	}
	if s.Tries() != s.MaxTries() {
		t.Errorf("over after %d tries, at most %d were said", s.Tries(), s.MaxTries())
	}
	return names
}

// limits gives the verdicts of disks that can play so many streams, alone and beside the others.
func limits(alone, with float64) func(trace.Try) TryOutcome {
	return func(try trace.Try) TryOutcome {
		if limit := map[bool]float64{true: alone, false: with}[try.Alone]; try.Value <= limit {
			return TryOutcome{Verdict: stream.Clean}
		}
		return TryOutcome{Verdict: stream.Drops}
	}
}

func TestStreams(t *testing.T) {
	s := New(phase(scenario.Search{Kind: trace.SearchStreams, Disk: "A", Max: 24}))
	got := run(t, s, limits(9, 3))
	want := strings.Split("alone 1 stream,alone 2 streams,alone 4 streams,alone 8 streams,alone 16 streams,alone 12 streams,alone 10 streams,"+
		"alone 9 streams,alone 10 streams 2,alone 10 streams 3,alone 9 streams 2,5 streams,2 streams,3 streams,"+
		"4 streams,4 streams 2,4 streams 3,3 streams 2", ",")
	for i := range want {
		want[i] = "edit " + want[i]
	}
	check.Same(t, "tries", want, got)
	check.Same(t, "Result", Result{Alone: new(9.0), Found: new(3.0)}, s.Result())
}

// A strained stream is not clean.
func TestStrainedIsNotClean(t *testing.T) {
	s := New(phase(scenario.Search{Kind: trace.SearchStreams, Disk: "A", Max: 4}))
	run(t, s, func(try trace.Try) TryOutcome {
		if try.Value > 2 {
			return TryOutcome{Verdict: stream.Strained}
		}
		return TryOutcome{Verdict: stream.Clean}
	})
	check.Same(t, "Result", Result{Alone: new(2.0), Found: new(2.0)}, s.Result())
}

func TestStreamsForEveryLimit(t *testing.T) {
	const limit = 12
	for alone := range limit + 1 {
		for with := range alone + 1 {
			s := New(phase(scenario.Search{Kind: trace.SearchStreams, Disk: "A", Max: limit}))
			run(t, s, limits(float64(alone), float64(with)))
			want := Result{Alone: new(float64(alone)), Found: new(float64(with)),
				AloneOpen: alone == limit, FoundOpen: with == limit}
			check.Same(t, fmt.Sprintf("limits %d and %d", alone, with), want, s.Result())
		}
	}
}

// Nobody else works, or only a probe: there is no alone.
func TestStreamsOfOneDisk(t *testing.T) {
	p := phase(scenario.Search{Kind: trace.SearchStreams, Disk: "A", Max: 24})
	p.Jobs = p.Jobs[:2]
	p.Jobs[1].Probe = 10 * time.Millisecond
	s := New(p)
	names := run(t, s, limits(0, 7))
	if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "alone") }) {
		t.Errorf("tried alone: %v", names)
	}
	check.Same(t, "Result", Result{Found: new(7.0)}, s.Result())
}

// The pace found is clean, and one of 5 % more is not.
func TestPace(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		reached := 1e6 + rng.Float64()*3e9
		limit := reached * (0.01 + 0.99*rng.Float64())
		s := New(phase(scenario.Search{Kind: trace.SearchPace, Disk: "B"}))
		names := run(t, s, func(try trace.Try) TryOutcome {
			if !try.Unlimited && try.Value <= limit {
				return TryOutcome{Verdict: stream.Clean, Rate: try.Value}
			}
			return TryOutcome{Verdict: stream.Drops, Rate: reached}
		})
		r := s.Result()
		if r.Found == nil || *r.Found > limit || *r.Found < limit/1.05 {
			t.Errorf("reached %.4g, limit %.4g: found %s after %v", reached, limit,
				cmp.Diff(Result{}, r), names)
		}
		if len(names) > 15 {
			t.Errorf("%d tries, want one or two without a limit, seven below, and as many again as make sure: %v", len(names), names)
		}
	}
}

func TestPaceOfNoneAndAll(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit float64
		clean func(trace.Try) bool
		rate  float64
		want  Result
		tries []string
	}{
		{"any is clean", 0, func(trace.Try) bool {
			return true
		}, 2e9, Result{Unlimited: true}, []string{"no limit", "no limit 2"}},
		{"any up to the most is clean", 5e8, func(trace.Try) bool {
			return true
		}, 5e8, Result{Found: new(5e8), FoundOpen: true}, []string{"500 MB/s", "500 MB/s 2"}},
		{"none is clean", 0, func(trace.Try) bool { return false }, 2e9, Result{Found: new(0.0)},
			[]string{"no limit", "163 MB/s", "46.3 MB/s", "24.7 MB/s", "18.1 MB/s", "15.4 MB/s",
				"14.3 MB/s", "13.7 MB/s", "13.7 MB/s 2", "13.7 MB/s 3"}},
		{"it is slower than the most", 2e9, func(try trace.Try) bool {
			return try.Value < 9.7e7
		}, 1e8, Result{Found: new(9.62e7)},
			[]string{"2.00 GB/s", "8.13 MB/s", "28.5 MB/s", "53.4 MB/s", "73.1 MB/s", "85.5 MB/s",
				"92.5 MB/s", "96.2 MB/s", "2.00 GB/s 2", "2.00 GB/s 3", "96.2 MB/s 2"}},
	} {
		s := New(phase(scenario.Search{Kind: trace.SearchPace, Disk: "B", Max: tt.limit}))
		names := run(t, s, func(try trace.Try) TryOutcome {
			if tt.clean(try) {
				return TryOutcome{Verdict: stream.Clean, Rate: tt.rate}
			}
			return TryOutcome{Verdict: stream.Drops, Rate: tt.rate}
		})
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], "edit ")
		}
		check.Same(t, tt.name, tt.tries, names)
		check.Same(t, tt.name, tt.want, s.Result())
	}
}

// What is tried is a phase of its own, with what the search changes and nothing else.
func TestTries(t *testing.T) {
	p := phase(scenario.Search{Kind: trace.SearchStreams, Disk: "A", Max: 2})
	before := fmt.Sprintf("%+v", p)
	s := New(p)
	first, _ := s.Next()
	s.Add(TryOutcome{Verdict: stream.Clean})
	second, _ := s.Next()
	for range s.MaxTries() {
		if try, ok := s.Next(); ok {
			s.Add(limits(2, 2)(*try.Try))
		}
	}
	if first.Pause == "" || second.Pause != "" {
		t.Errorf("pauses %q and %q: want one, before the first", first.Pause, second.Pause)
	}
	one, two := spec, spec
	one.Count, two.Count = 1, 2
	want := scenario.Phase{
		Name:        "edit alone 1 stream",
		Roles:       map[string]trace.Role{"A": trace.Read, "B": trace.Idle, "C": trace.Idle},
		Pause:       "plug in A",
		Connections: map[string]string{"A": "direct"}, Cooldown: time.Second,
		Stop: scenario.StopTime, Limit: 30 * time.Second,
		Jobs: []scenario.Job{{Disk: "A", Role: trace.Read, Sizes: []int64{92e6},
			Streams: []stream.Spec{one}}},
		Try: &trace.Try{Search: "edit", Kind: trace.SearchStreams, Disk: "A", Value: 1,
			Alone: true, Step: 1, Steps: 2},
	}
	check.Same(t, "first", want, first)
	if got := first.Event(); got.Search == nil || *got.Search != *first.Try ||
		got.Phase != first.Name || got.Work["A"].Streams[0].Count != 1 {
		t.Errorf("its line in a trace: %+v", got)
	}
	if got := second.Jobs[0]; got.Sizes[0] != 184e6 || !cmp.Equal(got.Streams, []stream.Spec{two}) {
		t.Errorf("two streams: got %+v", got)
	}
	check.Same(t, "the phase was changed:\n"+before, before, fmt.Sprintf("%+v", p))

	s = New(phase(scenario.Search{Kind: trace.SearchPace, Disk: "B", Max: 5e8}))
	paced, _ := s.Next()
	if len(paced.Jobs) != 3 || paced.Jobs[1].Pace != 5e8 || paced.Jobs[2].Pace != 0 ||
		paced.Jobs[0].Streams[0].Count != 4 {
		t.Errorf("a pace: got %+v", paced.Jobs)
	}
}
