package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	releases = 20
	// skewWarn is the skew that a run's own report warns about, in nanoseconds.
	skewWarn = 1e6
	skewFail = 50e6
)

// judgeStart judges the start skews of the releases, in nanoseconds. A busy moment spoils one start, which the run's report
// says; the median shows a machine that usually starts badly.
func judgeStart(skews []float64) trace.Check {
	if len(skews) < releases {
		return fail(fmt.Sprintf("%d of %d releases succeeded", len(skews), releases), "Workers could not be started together.", "look for a program that delays new processes, such as a virus scanner, and try again")
	}
	middle := quantile(skews, 0.5)
	measured := fmt.Sprintf("%d workers start within %s of each other (median of %d releases; at most %s)", workers, span(middle), len(skews), span(slices.Max(skews)))
	switch {
	case middle > skewFail:
		return fail(measured, "Disks do not begin together: the beginning of every phase measures fewer disks than it says.", timersAdvice)
	case middle > skewWarn:
		return warn(measured, "Disks begin more than a millisecond apart, which a report warns about.", timersAdvice)
	}
	return pass(measured, "All disks begin at one instant.")
}

// workers is the number of workers in a dry release: as many as disks on most hubs.
const workers = 3

// dryReleases runs phases on simulated disks that move almost nothing: they start like a run on real ones.
func dryReleases(ctx context.Context, command func(args ...string) *exec.Cmd) ([]float64, error) {
	plan := dryPlan()
	seen := &starts{late: map[string][]float64{}}
	out, err := coordinator.Run(ctx, coordinator.Options{
		Plan: plan, RunID: "doctor", Profile: dryHub(), Journal: seen, Watcher: seen, WorkerLog: io.Discard,
		Stall: time.Minute, Log: zap.NewNop(),
		Command: func() *exec.Cmd { return command("worker") },
		Janitor: func(...string) *exec.Cmd { return nil }, // without real disks there is none
		Pause:   func(context.Context, string) error { return nil },
		Modes:   func(string, map[string]trace.Effective) error { return nil },
	})
	if err == nil && len(out.Failures) > 0 {
		err = errors.New(out.Failures[0].String())
	}
	if err != nil {
		return nil, err
	}
	var skews []float64
	for _, phase := range plan.Phases {
		if late := seen.late[phase.Name]; len(late) == workers {
			skews = append(skews, slices.Max(late)-slices.Min(late))
		}
	}
	return skews, nil
}

// dryHub is a hub without a limit.
func dryHub() *hub.Profile {
	side := hub.Side{Hub: 1e9, Direct: 1e9, Weight: 1}
	total := workers * 1e9
	p := &hub.Profile{Name: "dry", Capacity: hub.Capacity{Read: total, Write: total, Both: total, ReadWeight: 1, WriteWeight: 1}}
	for i := range workers {
		p.Disks = append(p.Disks, hub.Disk{Name: dryName(i), Read: side, Write: side})
	}
	return p
}

func dryPlan() *scenario.Plan {
	plan := &scenario.Plan{Name: "dry", Hub: &scenario.Hub{Profile: "dry", Speedup: 1000}}
	for i := range workers {
		plan.Disks = append(plan.Disks, scenario.Disk{Name: dryName(i), Profile: dryName(i)})
	}
	for i := range releases {
		phase := scenario.Phase{Name: fmt.Sprintf("release %d", i+1), Roles: map[string]trace.Role{}}
		for _, d := range plan.Disks {
			phase.Roles[d.Name] = trace.Write
			phase.Jobs = append(phase.Jobs, scenario.Job{Disk: d.Name, Role: trace.Write, Sizes: []int64{1e6}})
		}
		plan.Phases = append(plan.Phases, phase)
	}
	return plan
}

func dryName(i int) string { return string(rune('A' + i)) }

// starts remembers by how much each worker was late, by phase. It watches and records, from one goroutine.
type starts struct{ late map[string][]float64 }

// Append takes what is to go into a trace.
func (s *starts) Append(events ...trace.Event) error {
	for _, e := range events {
		if e.Type == trace.StartType {
			s.late[e.Phase] = append(s.late[e.Phase], float64(e.LateNS))
		}
	}
	return nil
}

// PhaseBegins does nothing, like the following.
func (s *starts) PhaseBegins(int, scenario.Phase) {}

// Released does nothing.
func (s *starts) Released() {}

// Moved does nothing.
func (s *starts) Moved(string, int, int64) {}

// PhaseEnds does nothing.
func (s *starts) PhaseEnds([]trace.RunFailure) {}

// Tried does nothing.
func (s *starts) Tried(trace.Try, search.Outcome, *search.Search) {}
