package watch

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// A wait is told once in each silence and ends as it should, by a clock of the test's.
func TestDo(t *testing.T) {
	refused, interrupted := errors.New("refused"), errors.New("interrupted")
	moving := func(_ context.Context, moved func()) error {
		for range 4 {
			time.Sleep(After - Every)
			moved()
		}
		return nil
	}
	hang := func(_ context.Context, _ func()) error {
		time.Sleep(time.Hour)
		return nil
	}
	for name, tc := range map[string]struct {
		watch Watch
		do    func(ctx context.Context, moved func()) error
		ends  time.Duration // of the context
		told  []time.Duration
		took  time.Duration
		want  error
	}{
		"quick": {
			do:   func(context.Context, func()) error { return refused },
			want: refused,
		},
		"moving": {watch: Watch{Stall: 9 * time.Second}, do: moving, took: 4 * (After - Every)},
		"slow, and again": {
			do: func(_ context.Context, moved func()) error {
				time.Sleep(After + time.Second)
				moved()
				time.Sleep(After + 5*time.Second)
				return nil
			},
			told: []time.Duration{After, 2*After + time.Second},
			took: 2*After + 6*time.Second,
		},
		"given up": {
			watch: Watch{Stall: 20 * time.Second}, do: hang,
			told: []time.Duration{After}, took: 20 * time.Second,
			want: &HangError{"disk A", 20 * time.Second},
		},
		"given up before it is told": {
			watch: Watch{Stall: 2 * time.Second}, do: hang, took: 2 * time.Second,
			want: &HangError{"disk A", 2 * time.Second},
		},
		"interrupted": {do: hang, ends: time.Second, took: time.Second, want: interrupted},
		"interrupted, with time to end": {
			watch: Watch{Grace: 3 * time.Second}, do: hang, ends: time.Second,
			took: 4 * time.Second, want: interrupted,
		},
		"a wait for a person": {
			watch: Watch{Stall: 20 * time.Second},
			do: func(ctx context.Context, _ func()) error {
				defer Elsewhere(ctx)()
				time.Sleep(time.Hour)
				return nil
			},
			took: time.Hour,
		},
		"what is watched itself": {
			watch: Watch{Stall: 20 * time.Second},
			do: func(ctx context.Context, _ func()) error {
				return Watch{Stall: time.Minute}.Do(ctx, "disk B", hang)
			},
			took: time.Minute,
			want: &HangError{"disk B", time.Minute},
		},
		"computing": {
			watch: Watch{Stall: 20 * time.Second, Used: everMore()},
			do: func(context.Context, func()) error {
				time.Sleep(time.Minute)
				return nil
			},
			took: time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var told []time.Duration
				tc.watch.Notify = func(text string) {
					told = append(told, time.Since(began))
					if want := tc.watch.notice("disk A"); text != want {
						t.Errorf("told %q, want %q", text, want)
					}
				}
				ctx, end := context.WithCancelCause(t.Context())
				defer end(nil)
				if tc.ends > 0 {
					time.AfterFunc(tc.ends, func() { end(interrupted) })
				}
				err := tc.watch.Do(ctx, "disk A", tc.do)
				check.Same(t, "error", fmt.Sprint(tc.want), fmt.Sprint(err))
				check.Same(t, "it took", tc.took, time.Since(began))
				check.Same(t, "told after", tc.told, told)
				time.Sleep(time.Hour) // until what was left behind has ended
			})
		})
	}
}

// everMore is the processor time of a process that computes all the time.
func everMore() func() time.Duration {
	var used time.Duration
	return func() time.Duration {
		used += Every
		return used
	}
}

// A time in which this process itself stood still counts no more than two looks.
func TestOwnStopsDoNotCount(t *testing.T) {
	var s Silence
	now := time.Now()
	for range 3 {
		now = now.Add(time.Hour)
		if got := s.Look(now, 0, After); got != Wait {
			t.Errorf("verdict %d, though only this process stood still", got)
		}
	}
	check.Same(t, "silence", 4*Every, s.For)
}
