package coordinator

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
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

// A run on the simulated hub is what the model says, to the nanosecond, whatever ends its phases.
func TestRunEqualsSimulation(t *testing.T) {
	for name, change := range map[string]func(*scenario.Phase){
		"race":            func(*scenario.Phase) {},
		"hold":            func(p *scenario.Phase) { p.Stop = scenario.StopHold },
		"time":            func(p *scenario.Phase) { p.Stop, p.Limit = scenario.StopTime, 21*time.Second },
		"target":          func(p *scenario.Phase) { p.Target = 30 * time.Second },
		"target and hold": func(p *scenario.Phase) { p.Target, p.Stop = 30*time.Second, scenario.StopHold },
		"steady":          func(p *scenario.Phase) { p.Stop, p.Limit, p.Steady = scenario.StopTime, 2*time.Minute, 5*time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(2, 3e9, 5e8, 2e9, 1e9)
			p.Hub.Speedup = 50
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
