package progress

import (
	"bytes"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

func searchPlan(kind, disk string, most float64) *scenario.Plan {
	spec := stream.Spec{Rate: 92e6, Frame: 40 * time.Millisecond, Count: 2, Buffer: time.Second}
	return &scenario.Plan{Phases: []scenario.Phase{
		{
			Name: "edit", Cooldown: 5 * time.Second, Search: &scenario.Search{Kind: kind, Disk: disk, Hold: 30 * time.Second, Max: most},
			Roles: map[string]trace.Role{"A": trace.Read, "B": trace.Write},
			Jobs:  []scenario.Job{{Disk: "A", Role: trace.Read, Sizes: []int64{184e6}, Streams: []stream.Spec{spec}}, {Disk: "B", Role: trace.Write, Sizes: []int64{1e9}}},
		},
		{Name: "last", Cooldown: time.Minute},
	}}
}

func TestSearch(t *testing.T) {
	for _, tt := range []struct {
		name       string
		kind, disk string
		most       float64
		clean      func(try trace.Try) bool
		want       string
	}{
		{"streams", trace.SearchStreams, "A", 2, func(try trace.Try) bool { return try.Alone || try.Value < 2 }, `[1/2] edit alone 1 stream: A plays 1 stream; for 30 s
      done in 30 s
      try 1 of at most 26: 1 stream, alone: clean
      next after a cooldown of 5 s
[1/2] edit alone 2 streams: A plays 2 streams; for 30 s
      done in 30 s
      try 2 of at most 26: 2 streams, alone: clean
      next after a cooldown of 5 s
[1/2] edit alone 2 streams 2: A plays 2 streams; for 30 s
      done in 30 s
      try 3 of at most 15: 2 streams, alone: clean
      next after a cooldown of 5 s
[1/2] edit 1 stream: A plays 1 stream, B writes; for 30 s
      done in 30 s
      try 4 of at most 15: 1 stream: clean
      next after a cooldown of 5 s
[1/2] edit 2 streams: A plays 2 streams, B writes; for 30 s
      done in 30 s
      try 5 of at most 15: 2 streams: drops
      next after a cooldown of 5 s
[1/2] edit 2 streams 2: A plays 2 streams, B writes; for 30 s
      done in 30 s
      try 6 of at most 15: 2 streams: drops
      next after a cooldown of 5 s
[1/2] edit 2 streams 3: A plays 2 streams, B writes; for 30 s
      done in 30 s
      try 7 of at most 15: 2 streams: drops
      next after a cooldown of 5 s
[1/2] edit 1 stream 2: A plays 1 stream, B writes; for 30 s
      done in 30 s
      try 8 of at most 8: 1 stream: clean
      found: 2 streams alone, 1 stream beside the others; nothing higher was tried
      next after a cooldown of 1 min
`},
		{"no limit", trace.SearchPace, "B", 0, func(trace.Try) bool { return true }, `[1/2] edit no limit: A plays 2 streams, B writes; for 30 s
      done in 30 s
      try 1 of at most 30: no limit: clean
      next after a cooldown of 5 s
[1/2] edit no limit 2: A plays 2 streams, B writes; for 30 s
      done in 30 s
      try 2 of at most 30: no limit: clean
      next after a cooldown of 5 s
[1/2] edit no limit 3: A plays 2 streams, B writes; for 30 s
      done in 30 s
      try 3 of at most 3: no limit: clean
      found: B needs no limit
      next after a cooldown of 1 min
`},
	} {
		p := searchPlan(tt.kind, tt.disk, tt.most)
		var out bytes.Buffer
		now := time.Unix(0, 0)
		shown := New(&out, Options{Plan: p})
		shown.clock = func() time.Time { return now }
		s := search.New(&p.Phases[0])
		for try, ok := s.Next(); ok; try, ok = s.Next() {
			shown.PhaseBegins(0, try)
			shown.Released()
			now = now.Add(try.Limit)
			shown.PhaseEnds(nil)
			o := search.Outcome{Verdict: stream.Drops}
			if tt.clean(*try.Try) {
				o.Verdict = stream.Clean
			}
			s.Add(o)
			shown.Tried(*try.Try, o, s)
		}
		check.Same(t, tt.name, tt.want, out.String())
	}
}

func TestFound(t *testing.T) {
	streams, pace := trace.Try{Kind: trace.SearchStreams, Disk: "A"}, trace.Try{Kind: trace.SearchPace, Disk: "B"}
	for _, tt := range []struct {
		try  trace.Try
		r    search.Result
		want string
	}{
		{streams, search.Result{Alone: new(9.0), Found: new(3.0), AloneOpen: true}, "found: 9 streams alone, 3 streams beside the others; nothing higher was tried"},
		{streams, search.Result{Alone: new(1.0), Found: new(0.0)}, "found: 1 stream alone, no stream beside the others"},
		{streams, search.Result{Alone: new(4.0), FoundBetween: &search.Between{High: new(2.0)}}, "found: 4 streams alone, unsure, between no stream and 2 streams beside the others"},
		{streams, search.Result{AloneBetween: &search.Between{Low: 3, High: new(5.0)}, Found: new(2.0)}, "found: unsure, between 3 streams and 5 streams alone, 2 streams beside the others"},
		{streams, search.Result{Found: new(7.0)}, "found: 7 streams"},
		{pace, search.Result{Found: new(2.12e8)}, "found: 212 MB/s"},
		{pace, search.Result{Found: new(0.0)}, "found: the streams are not clean at any pace of B"},
		{pace, search.Result{Unlimited: true}, "found: B needs no limit"},
		{pace, search.Result{FoundBetween: &search.Between{Low: 1.5e8}}, "found: unsure, between 150 MB/s and no limit"},
	} {
		if got := found(tt.try, tt.r); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.r, got, tt.want)
		}
	}
}
