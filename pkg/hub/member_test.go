package hub

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Of a file that is read and written, the direction of which nothing was moved has no event.
func TestTell(t *testing.T) {
	for _, tt := range []struct {
		reads float64
		bytes int64
		want  map[trace.Role]int64
	}{
		{0, 9, map[trace.Role]int64{"": 9}},
		{0.25, 8, map[trace.Role]int64{read: 2, write: 6}},
		{0.25, 1, map[trace.Role]int64{write: 1}},
		{1, 8, map[trace.Role]int64{read: 8}},
	} {
		w := &worker{job: &scenario.Job{Reads: tt.reads},
			event: trace.Event{Type: trace.FileType, Bytes: tt.bytes}}
		got := map[trace.Role]int64{}
		check.Must(t, w.report(func(e *trace.Event) error { got[e.Op] += e.Bytes; return nil }))
		check.Same(t, fmt.Sprintf("%g read of %d bytes", tt.reads, tt.bytes), tt.want, got)
	}
}

// finish plays one job alone and returns when it ends, in seconds.
func finish(t *testing.T, s *Sim, disk string, w Work) float64 {
	t.Helper()
	var total int64
	for _, size := range w.Sizes {
		total += size
	}
	joinWork(t, s, 0, disk, w)
	check.Must(t, s.Ask(disk, total))
	for {
		at, ok := s.Next()
		if !ok {
			t.Fatalf("disk %s never ends", disk)
		}
		if grants := s.Advance(at); len(grants) > 0 {
			return float64(grants[0].DoneNS) / 1e9
		}
	}
}

func TestCacheOverPhases(t *testing.T) {
	p := round()
	p.Disks[0].Cache = &Cache{Bytes: 20e9, After: 0.5 * gb, Refill: 0.1 * gb}
	s := NewSim(p)
	for _, phase := range []struct {
		what string
		rest float64
		work Work
		want float64
	}{
		{"20 GB at 2, 5 at 0.5", 0, Work{Op: write, Sizes: files(25)}, 10 + 10},
		{"reads do not use it", 0, Work{Op: read, Sizes: files(30)}, 10},
		{"it refilled while reading: 1 GB at 2, 1 at 0.5", 0, Work{Op: write, Sizes: files(2)},
			0.5 + 2},
		{"a rest of 30 s gives 3 GB", 30, Work{Op: write, Sizes: files(2, 2)}, 1.5 + 2},
		{"no more than it holds", 1e5, Work{Op: write, Sizes: files(21)}, 10 + 2},
		{"a full one lasts out a small write", 200, Work{Op: write, Sizes: files(4)}, 2},
		{"which leaves the rest", 0, Work{Op: write, Sizes: files(17)}, 8 + 2},
	} {
		s.restart(int64(phase.rest * 1e9))
		check.Near(t, phase.what+": took", phase.want, finish(t, s, "A", phase.work), 1e-6)
	}
}

func TestSizes(t *testing.T) {
	p := round()
	p.Disks[0].Write.PerFile = 5 * time.Millisecond
	p.Disks[0].Read.Knee = Knee{AboveBytes: 600e6, Factor: 0.8}
	for _, test := range []struct {
		what string
		work Work
		want float64
	}{
		{"10 MB files take twice as long", Work{Op: write, Sizes: files(0.01, 0.01, 0.01)},
			3 * 0.010},
		{"2 GB files hardly longer", Work{Op: write, Sizes: files(2, 2)}, 2 * 1.005},
		{"up to the knee", Work{Op: read, Sizes: files(0.6, 0.3)}, 0.3},
		{"above it", Work{Op: read, Sizes: files(0.6, 1.2)}, 0.2 + 0.5},
		{"a mix, whose writes take twice as long", Work{Op: read, Sizes: files(0.01), Reads: 0.5},
			0.01 * (0.5/3 + 0.5)},
		{"direct too", Work{Op: read, Sizes: files(0.7), Direct: true}, 0.7 / 3.5 / 0.8},
	} {
		check.Near(t, test.what+": took", test.want, finish(t, NewSim(p), "A", test.work), 1e-6)
	}
}

func TestNoise(t *testing.T) {
	p := round()
	p.Noise = 0.05
	play := func(disk string, seed uint64) (times []float64) {
		s := NewSim(p)
		sizes := slices.Repeat([]int64{1e9}, 2000)
		joinWork(t, s, 0, disk, Work{Op: write, Sizes: sizes, Seed: seed})
		for range sizes {
			ask(t, s, disk, 1)
		}
		last := int64(0)
		for _, g := range s.Advance(1e6 * second) {
			times = append(times, float64(g.DoneNS-last)/1e9)
			last = g.DoneNS
		}
		return times
	}
	a := play("A", 1)
	if diff := cmp.Diff(a, play("A", 1)); diff != "" {
		t.Errorf("the same seed gives other times:\n%s", diff)
	}
	if cmp.Equal(a, play("A", 2)) || cmp.Equal(a, play("B", 1)) {
		t.Error("another seed or disk has the same luck")
	}
	var sum, squares float64
	for _, seconds := range a {
		sum += seconds
	}
	mean := sum / float64(len(a))
	for _, seconds := range a {
		squares += math.Pow(math.Log(seconds/mean), 2)
	}
	// 0.5 s a file; the mean of 2000 is good to 0.11 %, their spread to 1.6 % of itself: four times
	// that.
	check.Near(t, "mean", 0.5, mean, 0.0045*0.5)
	check.Near(t, "spread", 0.05, math.Sqrt(squares/float64(len(a))), 0.064*0.05)
}
