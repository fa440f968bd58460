package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// lines are the measured events as they stand in a trace, in an order that does not depend on who
// was heard first.
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
	p.Jobs[0].Role, p.Jobs[0].Sizes, p.Jobs[0].Probe = trace.Read, []int64{4096 * 50},
		20*time.Millisecond
	p.Jobs[0].IO.Block = 4096
}

// streams makes the first disk's job one of that many streams of 100 MB/s.
func streams(count int) func(p *scenario.Phase) {
	return func(p *scenario.Phase) {
		spec := stream.Spec{
			Kind: "test", Rate: 100e6, Frame: 40 * time.Millisecond, Count: count,
			Buffer: 500 * time.Millisecond,
		}
		p.Jobs[0].Role, p.Jobs[0].Sizes, p.Jobs[0].Streams = trace.Read,
			[]int64{int64(spec.TotalRate())}, []stream.Spec{spec}
	}
}

// A run on the simulated hub is what the model says, to the nanosecond, whatever ends its phases.
func TestRunEqualsSimulation(t *testing.T) {
	for name, change := range map[string]func(*scenario.Phase){
		"race": func(*scenario.Phase) {},
		"hold": func(p *scenario.Phase) { p.Stop = scenario.StopHold },
		"time": func(p *scenario.Phase) {
			p.Stop, p.Limit = scenario.StopTime, 21*time.Second
		},
		"target": func(p *scenario.Phase) { p.Target = 30 * time.Second },
		"target and hold": func(p *scenario.Phase) {
			p.Target, p.Stop = 30*time.Second, scenario.StopHold
		},
		"steady": func(p *scenario.Phase) {
			p.Stop, p.Limit, p.Steady = scenario.StopTime, 2*time.Minute, 5*time.Second
		},
		"pace": func(p *scenario.Phase) {
			p.Jobs[0].Pace, p.Jobs[1].Pace = 0.3e9, 0.7e9
		},
		"pace and target": func(p *scenario.Phase) {
			p.Jobs[1].Pace, p.Target = 0.4e9, 15*time.Second
		},
		"think and hold": func(p *scenario.Phase) {
			p.Jobs[0].IO.Think, p.Jobs[1].IO.Think, p.Stop = 300*time.Millisecond,
				50*time.Millisecond, scenario.StopHold
		},
		"think and target": func(p *scenario.Phase) {
			p.Jobs[0].IO.Think, p.Target = 300*time.Millisecond, 30*time.Second
		},
		"mix":          func(p *scenario.Phase) { p.Jobs[1].Reads = 0.3 },
		"probe":        probe,
		"streams":      streams(4),
		"late streams": streams(12),
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
			for i := range p.Phases {
				p.Phases[i].Jobs[1].Sizes = []int64{2e9, 4e9, 1e9}
				change(&p.Phases[i])
			}
			var want []trace.Event
			check.Must(t, hub.Simulate(p, profile(), func(e *trace.Event) error {
				want = append(want, *e)
				return nil
			}))
			// What a worker decides must be heard of before the model comes there: of the end half
			// a window later, of the last look at a target, when a tenth of it is left, before the
			// files decided by then are moved. A busy machine manages that if time is slow enough.
			for _, speedup := range []float64{50, 10, 2} {
				p.Hub.Speedup = speedup
				out, seen := record(t, context.Background(), p, nil, "good")
				if out.Status != trace.Complete {
					t.Fatalf("failures: %v", out.Failures)
				}
				diff := cmp.Diff(lines(want), lines(seen.events))
				if diff == "" {
					return
				}
				t.Logf("at %g times the speed (-simulated +run):\n%s", speedup, diff)
			}
			t.Error("the run is not what the model says, however slow its time is")
		})
	}
}

// A try that is no whole phase ends the run. What a search finds, and goes on with, is tested with
// the command.
func TestSearchEndsWithItsTry(t *testing.T) {
	for kind, want := range map[string]string{
		"failing": "disk one, phase edit alone 1 stream: no space left on device",
		"quick":   "phase edit alone 1 stream: disk one: no frame of stream 1 was due within 10s",
	} {
		p := realPlan(scenario.VerifyOff)
		p.Phases[0] = scenario.Phase{
			Name: "edit", Search: &scenario.Search{
				Kind: trace.SearchStreams, Disk: "one", Hold: 10 * time.Second, Max: 8,
			},
			Roles: map[string]trace.Role{"one": trace.Read, "two": trace.Write},
			Jobs: []scenario.Job{
				{Disk: "one", Role: trace.Read, Sizes: []int64{1e6},
					Streams: []stream.Spec{
						{Rate: 1e6, Frame: 40 * time.Millisecond, Count: 1, Buffer: time.Second},
					}},
				{Disk: "two", Role: trace.Write, Sizes: []int64{1e6}},
			},
		}
		out, seen := record(t, t.Context(), p, nil, kind)
		if out.Status != trace.Partial || len(out.Failures) != 1 ||
			!strings.HasPrefix(out.Failures[0].String(), want) {
			t.Errorf("%s: got status %q, failures %v; want %q", kind, out.Status, out.Failures,
				want)
		}
		last := seen.events[len(seen.events)-2]
		if seen.count(trace.PhaseType) != 1 || last.Type != trace.PhaseEndType ||
			last.Status != trace.Partial {
			t.Errorf("%s: %d phases began, the last event is %+v", kind,
				seen.count(trace.PhaseType), last)
		}
	}
}

func TestIdleWatch(t *testing.T) {
	var c idleWatch
	start := time.Unix(0, 0)
	for i, step := range []struct {
		count int64
		known bool
		want  time.Duration
	}{
		{5, true, 0}, {5, true, time.Second}, {6, true, 0}, {6, true, time.Second},
		{6, true, 2 * time.Second},
		{6, false, 0}, {6, true, time.Second}, {7, true, 0},
	} {
		got := c.since(step.count, step.known, start.Add(time.Duration(i)*time.Second))
		check.Same(t, fmt.Sprintf("still for, in step %d", i), step.want, got)
	}
}

func TestWaitBefore(t *testing.T) {
	watcher := &memory{}
	opts := Options{
		Plan: &scenario.Plan{Disks: []scenario.Disk{{Name: "A", Profile: "A"}}}, Watcher: watcher,
	}
	var asked string
	opts.Pause = func(_ context.Context, text string) error { asked = text; return nil }
	wait := func(ctx context.Context, phase scenario.Phase) error {
		_, err := waitBefore(ctx, opts, 0, phase)
		return err
	}
	check.Must(t, wait(t.Context(),
		scenario.Phase{Pause: "plug it in", Cooldown: time.Millisecond, UntilIdle: true}))
	check.Same(t, "what was asked for", "plug it in", asked)
	// an hour of the model's time
	opts.Plan.Hub = &scenario.Hub{Profile: "goshen-ridge", Speedup: 1e9}
	check.Must(t, wait(t.Context(), scenario.Phase{Cooldown: time.Hour}))
	opts.Plan.Hub = nil
	var said []string
	opts.Warn = func(text string) { said = append(said, text) }
	opts.Plan.Disks = []scenario.Disk{{Name: "A", Path: "no such folder"}} // nor its traffic
	check.Must(t, wait(t.Context(),
		scenario.Phase{Name: "RR", Cooldown: time.Millisecond, UntilIdle: true}))
	if len(said) != 1 || !strings.Contains(said[0],
		"phase RR waits until the disks are idle, but") {
		t.Errorf("said %q, want once that idle is unknown", said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := wait(ctx, scenario.Phase{Cooldown: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	check.Same(t, "phases that were reported to cool down", 4, watcher.cooled)
}

// A disk that is slow is not declared dead before its requests in flight, which may all end at
// once, can be done.
func TestStallTimeout(t *testing.T) {
	io := func(mode string, block int64, depth int) scenario.IO {
		return scenario.IO{Mode: mode, Block: block, Depth: depth}
	}
	for _, tc := range []struct {
		what  string
		stall time.Duration
		io    scenario.IO
		sizes []int64
		want  time.Duration
	}{
		{"large requests", 2 * time.Second, io(scenario.ModeDirect, 8e6, 5), []int64{1e9},
			8 * time.Second},
		{"large requests, and patience", time.Minute, io(scenario.ModeDirect, 8e6, 5), []int64{1e9},
			time.Minute},
		{"a file of one request", 2 * time.Second, io(scenario.ModeDirect, 8e6, 4), []int64{1e6},
			2 * time.Second},
		{"small requests", 2 * time.Second, io(scenario.ModeDirect, 1e6, 1), []int64{1e9},
			2 * time.Second},
		{"whole files", 2 * time.Second, io(scenario.ModeApp, 0, 1), []int64{1e6, 1e9},
			202 * time.Second},
		{"no files", 2 * time.Second, io(scenario.ModeDirect, 8e6, 4), nil, 2 * time.Second},
	} {
		p := &phaseRun{session: &session{Options: Options{Stall: tc.stall}}}
		c := &child{job: scenario.Job{IO: tc.io, Sizes: tc.sizes}}
		check.Same(t, tc.what, tc.want, p.usualSilence(c)+tc.stall)
	}
}

func TestSuspendDetector(t *testing.T) {
	type look struct{ passed, asleep time.Duration } // since the look before
	for _, tt := range []struct {
		name  string
		looks []look
		want  []suspend
	}{
		{
			"all goes on",
			[]look{
				{250 * time.Millisecond, 0}, {3 * time.Second, time.Millisecond},
				{250 * time.Millisecond, -time.Millisecond},
			},
			nil,
		},
		{"a sleep in which the clock stands",
			[]look{{250 * time.Millisecond, 0}, {250 * time.Millisecond, 90 * time.Second}},
			[]suspend{{500e6, 90 * time.Second}}},
		{"a sleep in which it goes on", []look{{90 * time.Second, 89 * time.Second}},
			[]suspend{{90e9, 90 * time.Second}}},
		{"stopped by Ctrl-Z", []look{{7 * time.Second, 0}, {250 * time.Millisecond, 0}},
			[]suspend{{7e9, 7 * time.Second}}},
		{"twice", []look{{0, time.Second}, {0, time.Second}},
			[]suspend{{0, time.Second}, {0, time.Second}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			type reading struct {
				now   int64
				slept time.Duration
			}
			var at reading
			readings, ticks := make(chan reading, 1), make(chan time.Time)
			readings <- at
			stops, end := detectSuspends(func() (int64, time.Duration) {
				r := <-readings
				return r.now, r.slept
			}, ticks)
			for _, l := range tt.looks {
				at = reading{at.now + int64(l.passed), at.slept + l.asleep}
				ticks <- time.Time{}
				readings <- at
			}
			end()
			close(stops)
			var got []suspend
			for s := range stops {
				got = append(got, s)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("noticed %v, want %v", got, tt.want)
			}
		})
	}
}

// BenchmarkStartSkew releases three worker processes a hundred times and reports how far apart they
// started, by the median and the 99th percentile.
func BenchmarkStartSkew(b *testing.B) {
	p := plan(100, 1e6)
	p.Disks = append(p.Disks, scenario.Disk{Name: "three", Profile: "A"})
	for i := range p.Phases {
		job := p.Phases[i].Jobs[0]
		job.Disk = "three"
		p.Phases[i].Jobs = append(p.Phases[i].Jobs, job)
	}
	var skews []float64 // µs
	for b.Loop() {
		out, seen := record(b, b.Context(), p, nil, "good")
		if out.Status != trace.Complete {
			b.Fatal(out.Failures)
		}
		lates := map[string][]int64{}
		for _, e := range seen.events {
			if e.Type == trace.StartType {
				lates[e.Phase] = append(lates[e.Phase], e.LateNS)
			}
		}
		for _, late := range lates {
			skews = append(skews, float64(slices.Max(late)-slices.Min(late))/1e3)
		}
	}
	slices.Sort(skews)
	b.ReportMetric(skews[len(skews)/2], "p50-µs")
	b.ReportMetric(skews[len(skews)*99/100], "p99-µs")
	b.ReportMetric(0, "ns/op") // how long it all took says nothing
}
