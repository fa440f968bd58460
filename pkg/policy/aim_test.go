package policy

import (
	"math"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// work runs an aimed job at a rate (bytes per second, by time) and returns when it ends.
func work(job *scenario.Job, target time.Duration, rate func(s float64) float64) float64 {
	const step = 0.05
	aim := newAim(job, target)
	files := math.MaxInt
	var s, bytes float64
	for {
		if files < math.MaxInt {
			if left := float64(bytesOf(job, files)) - bytes; left <= 0 {
				return s
			}
		}
		s += step
		bytes += step * rate(s)
		if n, ok := aim.moved(int64(bytes), int64(s*1e9)); ok {
			files = n
		}
	}
}

func TestAim(t *testing.T) {
	job := &scenario.Job{Sizes: []int64{1e9, 3e8, 2e9, 5e8, 7e8}}
	for _, tt := range []struct {
		name string
		rate func(s float64) float64
		off  float64 // of the target, at most
	}{
		{"slow", func(float64) float64 { return 0.7e9 }, 0.05},
		{"fast", func(float64) float64 { return 2.1e9 }, 0.02},
		{"a slow start", func(s float64) float64 { return 2e9 * min(1, s/8) }, 0.05},
		{"throttled in the middle", func(s float64) float64 {
			if s > 22 {
				return 0.65e9
			}
			return 2.3e9
		}, 0.05},
		{"wavy", func(s float64) float64 { return 1e9 * (1 + 0.2*math.Sin(s)) }, 0.05},
	} {
		got := work(job, 40*time.Second, tt.rate)
		if math.Abs(got-40)/40 > tt.off {
			t.Errorf("%s: ended after %.1f s, want 40 s within %.0f %%", tt.name, got, 100*tt.off)
		}
	}
}

// The decision depends on what was moved when, not on when it is heard of.
func TestAimIgnoresHowOftenItIsTold(t *testing.T) {
	job := &scenario.Job{Sizes: []int64{1e9, 2e9}}
	decide := func(stepNS int64) []int {
		aim := newAim(job, 40*time.Second)
		var all []int
		for ns := stepNS; ns <= 40e9; ns += stepNS {
			if n, ok := aim.moved(ns*2, ns); ok {
				all = append(all, n)
			}
		}
		return all
	}
	often, seldom := decide(1e7), decide(2e9)
	for i := range often {
		if often[i] != seldom[i] {
			t.Fatalf("told every 10 ms: %v, every 2 s: %v", often, seldom)
		}
	}
}

// A job that has moved more than it should have keeps the file it is in.
func TestAimNeverTakesBack(t *testing.T) {
	aim := newAim(&scenario.Job{Sizes: []int64{1e9}}, time.Second)
	if n, ok := aim.moved(5_500_000_000, 3e9); !ok || n < 6 {
		t.Errorf("got %d files, %v; want at least the 6 that it is in", n, ok)
	}
}

func TestBytesOf(t *testing.T) {
	job := &scenario.Job{Sizes: []int64{1, 20, 300}}
	for n, want := range map[int]int64{0: 0, 1: 1, 3: 321, 4: 322, 8: 663} {
		if got := bytesOf(job, n); got != want {
			t.Errorf("bytesOf(%d) = %d, want %d", n, got, want)
		}
	}
}
