package coordinator

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// lines are the measured events as they stand in a trace, in an order that does not depend on who was heard first.
func lines(events []trace.Event) []string {
	var all []string
	for _, e := range events {
		if e.Type != trace.RunType && e.Type != trace.StartType {
			all = append(all, string(trace.AppendEvent(nil, &e)))
		}
	}
	slices.Sort(all)
	return all
}

// probe makes the first disk's job one of single requests.
func probe(p *scenario.Phase) {
	p.Jobs[0].Role, p.Jobs[0].Sizes, p.Jobs[0].Probe = trace.Read, []int64{4096 * 50}, 20*time.Millisecond
	p.Jobs[0].IO.Block = 4096
}

// streams makes the first disk's job one of that many streams of 100 MB/s.
func streams(count int) func(p *scenario.Phase) {
	return func(p *scenario.Phase) {
		spec := stream.Spec{Kind: "test", Rate: 100e6, Frame: 40 * time.Millisecond, Count: count, Buffer: 500 * time.Millisecond}
		p.Jobs[0].Role, p.Jobs[0].Sizes, p.Jobs[0].Streams = trace.Read, []int64{int64(spec.TotalRate())}, []stream.Spec{spec}
	}
}

// A run on the simulated hub is what the model says, to the nanosecond, whatever ends its phases.
func TestRunEqualsSimulation(t *testing.T) {
	for name, change := range map[string]func(*scenario.Phase){
		"race":            func(*scenario.Phase) {},
		"hold":            func(p *scenario.Phase) { p.Stop = scenario.StopHold },
		"time":            func(p *scenario.Phase) { p.Stop, p.Limit = scenario.StopTime, 21*time.Second },
		"target":          func(p *scenario.Phase) { p.Target = 30 * time.Second },
		"target and hold": func(p *scenario.Phase) { p.Target, p.Stop = 30*time.Second, scenario.StopHold },
		"steady":          func(p *scenario.Phase) { p.Stop, p.Limit, p.Steady = scenario.StopTime, 2*time.Minute, 5*time.Second },
		"pace":            func(p *scenario.Phase) { p.Jobs[0].Pace, p.Jobs[1].Pace = 0.3e9, 0.7e9 },
		"pace and target": func(p *scenario.Phase) { p.Jobs[1].Pace, p.Target = 0.4e9, 15*time.Second },
		"think and hold": func(p *scenario.Phase) {
			p.Jobs[0].IO.Think, p.Jobs[1].IO.Think, p.Stop = 300*time.Millisecond, 50*time.Millisecond, scenario.StopHold
		},
		"think and target": func(p *scenario.Phase) { p.Jobs[0].IO.Think, p.Target = 300*time.Millisecond, 30*time.Second },
		"mix":              func(p *scenario.Phase) { p.Jobs[1].Reads = 0.3 },
		"probe":            probe,
		"streams":          streams(4),
		"late streams":     streams(12),
		"streams for a time": func(p *scenario.Phase) {
			streams(6)(p)
			p.Stop, p.Limit = scenario.StopTime, 4*time.Second
		},
		"streams alone": func(p *scenario.Phase) {
			streams(24)(p)
			p.Jobs = p.Jobs[:1]
			p.Stop, p.Limit = scenario.StopTime, 4*time.Second
		},
		"streams and hold": func(p *scenario.Phase) {
			streams(6)(p)
			p.Stop = scenario.StopHold
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plan(2, 3e9, 5e8, 2e9, 1e9)
			p.Hub.Speedup = 50
			if name == "steady" {
				p.Hub.Speedup = 10 // half a window is what the workers have to hear of the end
			}
			for i := range p.Phases {
				p.Phases[i].Jobs[1].Sizes = []int64{2e9, 4e9, 1e9}
				change(&p.Phases[i])
			}
			var want []trace.Event
			if err := hub.Simulate(p, profile(), func(e *trace.Event) error { want = append(want, *e); return nil }); err != nil {
				t.Fatal(err)
			}
			out, seen := record(t, context.Background(), p, nil, "good")
			if out.Status != trace.Complete {
				t.Fatalf("failures: %v", out.Failures)
			}
			if diff := cmp.Diff(lines(want), lines(seen.events)); diff != "" {
				t.Errorf("(-simulated +run):\n%s", diff)
			}
		})
	}
}

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
		out, seen := record(t, t.Context(), p, nil, kind)
		if out.Status != trace.Partial || len(out.Failures) != 1 || !strings.HasPrefix(out.Failures[0].String(), want) {
			t.Errorf("%s: got status %q, failures %v; want %q", kind, out.Status, out.Failures, want)
		}
		last := seen.events[len(seen.events)-2]
		if seen.count(trace.PhaseType) != 1 || last.Type != trace.PhaseEndType || last.Status != trace.Partial {
			t.Errorf("%s: %d phases began, the last event is %+v", kind, seen.count(trace.PhaseType), last)
		}
	}
}
