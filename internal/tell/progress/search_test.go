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

// A search has a line for each try, below that of its phase. What it says of a try alone is tested
// with the command.
func TestSearch(t *testing.T) {
	p := searchPlan(trace.SearchPace, "B", 0)
	r := show(Options{Plan: p})
	s := search.New(&p.Phases[0])
	for try, ok := s.Next(); ok; try, ok = s.Next() {
		r.begins(0, try)
		r.Enter(life.Released)
		r.Enter(life.Measuring)
		r.now = r.now.Add(29 * time.Second)
		text := r.state.stateText()
		if want := fmt.Sprintf(", try %d of at most %d", s.Tries()+1,
			s.MaxTries()); !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
		r.now = r.now.Add(time.Second)
		r.PhaseEnds(nil)
		o := search.TryOutcome{Verdict: stream.Clean}
		s.Add(o)
		r.TryEnds(*try.Try, o, s)
	}
	check.Same(t, "lines", `
[1/2] edit no limit: A plays 2 streams, B writes   A 0  B 0  together 0 MB/s   30 s
      try 1 of at most 24: no limit: clean
[1/2] edit no limit 2: A plays 2 streams, B writes   A 0  B 0  together 0 MB/s   30 s
      try 2 of at most 2: no limit: clean
`, "\n"+r.out.String())
}
