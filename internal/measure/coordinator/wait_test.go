package coordinator

import (
	"context"
	"errors"
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
