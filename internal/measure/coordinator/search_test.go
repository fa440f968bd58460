package coordinator

import (
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A try that is no whole phase ends the run. What a search finds, and goes on with, is tested with the command.
func TestSearchEndsWithItsTry(t *testing.T) {
	for kind, want := range map[string]string{
		"failing": "disk one, phase edit alone 1 stream: no space left on device",
		"quick":   "phase edit alone 1 stream: disk one: no frame of stream 1 was due within 10s",
	} {
		p := realPlan(scenario.VerifyOff)
		p.Phases[0] = scenario.Phase{
			Name: "edit", Search: &scenario.Search{Kind: trace.SearchStreams, Disk: "one", Hold: 10 * time.Second, Max: 8},
			Roles: map[string]trace.Role{"one": trace.Read, "two": trace.Write},
			Jobs: []scenario.Job{
				{Disk: "one", Role: trace.Read, Sizes: []int64{1e6},
					Streams: []stream.Spec{{Rate: 1e6, Frame: 40 * time.Millisecond, Count: 1, Buffer: time.Second}}},
				{Disk: "two", Role: trace.Write, Sizes: []int64{1e6}},
			},
		}
		out, seen := record(t, t.Context(), p, func(o *Options) { o.Profile, o.Janitor = nil, bystander }, kind)
		if out.Status != trace.Partial || len(out.Failures) != 1 || !strings.HasPrefix(out.Failures[0].String(), want) {
			t.Errorf("%s: got status %q, failures %v; want %q", kind, out.Status, out.Failures, want)
		}
		last := seen.events[len(seen.events)-2]
		if seen.count(trace.PhaseType) != 1 || last.Type != trace.PhaseEndType || last.Status != trace.Partial {
			t.Errorf("%s: %d phases began, the last event is %+v", kind, seen.count(trace.PhaseType), last)
		}
	}
}
