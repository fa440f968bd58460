package coordinator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
)

func TestIdleWatch(t *testing.T) {
	var c idleWatch
	start := time.Unix(0, 0)
	for i, step := range []struct {
		count int64
		known bool
		want  time.Duration
	}{
		{5, true, 0}, {5, true, time.Second}, {6, true, 0}, {6, true, time.Second}, {6, true, 2 * time.Second},
		{6, false, 0}, {6, true, time.Second}, {7, true, 0},
	} {
		if got := c.since(step.count, step.known, start.Add(time.Duration(i)*time.Second)); got != step.want {
			t.Errorf("step %d: still for %s, want %s", i, got, step.want)
		}
	}
}

func TestWaitBefore(t *testing.T) {
	opts := Options{Plan: &scenario.Plan{Disks: []scenario.Disk{{Name: "A", Profile: "A"}}}}
	var asked string
	opts.Pause = func(_ context.Context, text string) error { asked = text; return nil }
	if err := waitBefore(t.Context(), opts, scenario.Phase{Pause: "plug it in", Cooldown: time.Millisecond, UntilIdle: true}); err != nil {
		t.Error(err)
	}
	if asked != "plug it in" {
		t.Errorf("asked for %q", asked)
	}
	opts.Plan.Hub = &scenario.Hub{Profile: "goshen-ridge", Speedup: 1e9} // an hour of the model's time
	if err := waitBefore(t.Context(), opts, scenario.Phase{Cooldown: time.Hour}); err != nil {
		t.Error(err)
	}
	opts.Plan.Hub = nil
	var said []string
	opts.Say = func(text string) { said = append(said, text) }
	opts.Plan.Disks = []scenario.Disk{{Name: "A", Path: "no such folder"}} // nor its traffic
	if err := waitBefore(t.Context(), opts, scenario.Phase{Name: "RR", Cooldown: time.Millisecond, UntilIdle: true}); err != nil {
		t.Error(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "phase RR waits until the disks are idle, but") {
		t.Errorf("said %q, want once that idle is unknown", said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := waitBefore(ctx, opts, scenario.Phase{Cooldown: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

// A disk that is slow is not declared dead before its requests in flight, which may all end at once, can be done.
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
		{"large requests", 2 * time.Second, io(scenario.ModeDirect, 8e6, 5), []int64{1e9}, 8 * time.Second},
		{"large requests, and patience", time.Minute, io(scenario.ModeDirect, 8e6, 5), []int64{1e9}, time.Minute},
		{"a file of one request", 2 * time.Second, io(scenario.ModeDirect, 8e6, 4), []int64{1e6}, 2 * time.Second},
		{"small requests", 2 * time.Second, io(scenario.ModeDirect, 1e6, 1), []int64{1e9}, 2 * time.Second},
		{"whole files", 2 * time.Second, io(scenario.ModeApp, 0, 1), []int64{1e6, 1e9}, 202 * time.Second},
		{"no files", 2 * time.Second, io(scenario.ModeDirect, 8e6, 4), nil, 2 * time.Second},
	} {
		p := &phaseRun{session: &session{Options: Options{Stall: tc.stall}}}
		c := &child{job: scenario.Job{IO: tc.io, Sizes: tc.sizes}}
		if got := p.stallTimeout(c); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.what, got, tc.want)
		}
	}
}

func TestSuspendDetector(t *testing.T) {
	type look struct{ passed, asleep time.Duration } // since the look before
	for _, tt := range []struct {
		name  string
		looks []look
		want  []stop
	}{
		{"all goes on", []look{{250 * time.Millisecond, 0}, {3 * time.Second, time.Millisecond}, {250 * time.Millisecond, -time.Millisecond}}, nil},
		{"a sleep in which the clock stands", []look{{250 * time.Millisecond, 0}, {250 * time.Millisecond, 90 * time.Second}},
			[]stop{{500e6, 90 * time.Second}}},
		{"a sleep in which it goes on", []look{{90 * time.Second, 89 * time.Second}}, []stop{{90e9, 90 * time.Second}}},
		{"stopped by Ctrl-Z", []look{{7 * time.Second, 0}, {250 * time.Millisecond, 0}}, []stop{{7e9, 7 * time.Second}}},
		{"twice", []look{{0, time.Second}, {0, time.Second}}, []stop{{0, time.Second}, {0, time.Second}}},
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
			var got []stop
			for s := range stops {
				got = append(got, s)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("noticed %v, want %v", got, tt.want)
			}
		})
	}
}
