package progress

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

func searchPlan(kind, disk string, most float64) *scenario.Plan {
	spec := stream.Spec{Rate: 92e6, Frame: 40 * time.Millisecond, Count: 2, Buffer: time.Second}
	disks := []scenario.Disk{{Name: "A"}, {Name: "B"}}
	return &scenario.Plan{Disks: disks, Phases: []scenario.Phase{
		{
			Name: "edit", Cooldown: 5 * time.Second, Search: &scenario.Search{
				Kind: kind, Disk: disk, Hold: 30 * time.Second, Max: most,
			},
			Roles: map[string]trace.Role{"A": trace.Read, "B": trace.Write},
			Jobs: []scenario.Job{
				{Disk: "A", Role: trace.Read, Sizes: []int64{184e6}, Streams: []stream.Spec{spec}},
				{Disk: "B", Role: trace.Write, Sizes: []int64{1e9}},
			},
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
		{"streams", trace.SearchStreams, "A", 2,
			func(try trace.Try) bool { return try.Alone || try.Value < 2 }, `
[1/2] edit alone 1 stream: A plays 1 stream   A 0 MB/s   30 s
      try 1 of at most 24: 1 stream, alone: clean
[1/2] edit alone 2 streams: A plays 2 streams   A 0 MB/s   30 s
      try 2 of at most 24: 2 streams, alone: clean
[1/2] edit alone 2 streams 2: A plays 2 streams   A 0 MB/s   30 s
      try 3 of at most 15: 2 streams, alone: clean
[1/2] edit 1 stream: A plays 1 stream, B writes   A 0  B 0  together 0 MB/s   30 s
      try 4 of at most 15: 1 stream: clean
[1/2] edit 2 streams: A plays 2 streams, B writes   A 0  B 0  together 0 MB/s   30 s
      try 5 of at most 15: 2 streams: drops
[1/2] edit 2 streams 2: A plays 2 streams, B writes   A 0  B 0  together 0 MB/s   30 s
      try 6 of at most 15: 2 streams: drops
[1/2] edit 2 streams 3: A plays 2 streams, B writes   A 0  B 0  together 0 MB/s   30 s
      try 7 of at most 15: 2 streams: drops
[1/2] edit 1 stream 2: A plays 1 stream, B writes   A 0  B 0  together 0 MB/s   30 s
      try 8 of at most 8: 1 stream: clean
`},
		{"no limit", trace.SearchPace, "B", 0, func(trace.Try) bool { return true }, `
[1/2] edit no limit: A plays 2 streams, B writes   A 0  B 0  together 0 MB/s   30 s
      try 1 of at most 24: no limit: clean
[1/2] edit no limit 2: A plays 2 streams, B writes   A 0  B 0  together 0 MB/s   30 s
      try 2 of at most 2: no limit: clean
`},
	} {
		p := searchPlan(tt.kind, tt.disk, tt.most)
		r := show(Options{Plan: p})
		s := search.New(&p.Phases[0])
		for try, ok := s.Next(); ok; try, ok = s.Next() {
			r.begins(0, try)
			r.Enter(life.Released)
			r.Enter(life.Measuring)
			r.now = r.now.Add(29 * time.Second)
			doing := r.state.stateText()
			if want := fmt.Sprintf(", try %d of at most %d", s.Tries()+1,
				s.MaxTries()); !strings.Contains(doing, want) {
				t.Errorf("%q is not in %q", want, doing)
			}
			r.now = r.now.Add(time.Second)
			r.PhaseEnds(nil)
			o := search.TryOutcome{Verdict: stream.Drops}
			if tt.clean(*try.Try) {
				o.Verdict = stream.Clean
			}
			s.Add(o)
			r.TryEnds(*try.Try, o, s)
		}
		check.Same(t, tt.name, tt.want, "\n"+r.out.String())
	}
}
