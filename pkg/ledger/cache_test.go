package ledger

import (
	"fmt"
	"math"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// threeLevels is a cache of 100 bytes, 60 at 10 a second and 40 at 5, beyond which the disk writes
// 2 a second.
func threeLevels() Cache {
	return Cache{Bytes: 100, Levels: []CacheRate{
		{Measured{Rate: 10, Error: 0.05}, 60, 6},
		{Measured{Rate: 5, Error: 0.1}, 40, 8},
		{Measured{Rate: 2, Error: 0.02}, math.Inf(1), 20},
	}}
}

func TestCacheWrite(t *testing.T) {
	// The error of that many bytes at a level, written in a time.
	first := func(bytes, s float64) float64 { return bytes * 0.05 * math.Sqrt(1+6/s) }
	second := func(bytes, s float64) float64 { return bytes * 0.1 * math.Sqrt(1+8/s) }
	third := func(bytes, s float64) float64 { return bytes * 0.02 * math.Sqrt(1+20/s) }
	for _, tt := range []struct {
		name         string
		left, length float64
		want         burst
	}{
		{"within the first level", 100, 3, burst{30, first(30, 3), 0, 0}},
		{"into the second", 100, 10, burst{80, math.Hypot(first(60, 6), second(20, 4)), 0, 1}},
		{
			"to the last", 100, 20,
			burst{112, math.Hypot(math.Hypot(first(60, 6), second(40, 8)), third(12, 6)), 0, 2},
		},
		{"from amid the first", 70, 2, burst{20, first(20, 2), 0, 0}},
		{"from the edge of the second", 40, 3, burst{15, second(15, 3), 1, 1}},
		{"from amid the second", 10, 3, burst{12, math.Hypot(second(10, 2), third(2, 1)), 1, 2}},
		{"with nothing left", 0, 5, burst{10, third(10, 5), 2, 2}},
		{"in no time", 100, 0, burst{0, 0, 0, 0}},
		{"to the very end of a level", 100, 6, burst{60, first(60, 6), 0, 0}},
	} {
		got := threeLevels().predict(tt.left, tt.length)
		check.Near(t, tt.name+": bytes", tt.want.bytes, got.bytes, 1e-9)
		check.Near(t, tt.name+": error", tt.want.error, got.error, 1e-9)
		if got.first != tt.want.first || got.last != tt.want.last {
			t.Errorf("%s: from level %d to %d, want %d to %d", tt.name, got.first, got.last,
				tt.want.first, tt.want.last)
		}
	}
}

func TestCacheRegained(t *testing.T) {
	c := threeLevels()
	for _, tt := range []struct {
		name                string
		bytes, length       float64
		fast                float64
		slower              float64 // rate after the cache's over that with it
		atLeast, throughout bool
	}{
		{"all that it could", 80, 10, 100, 0.5, false, true},
		{"more", 90, 10, 100, 0.5, false, true},
		{"nearly", 79, 10, 98, 0.5, false, true},  // 5.8 s of 10 and 4.2 of 5
		{"some", 50, 10, 47.5, 0.2, false, false}, // 0.75 s of 10, 8 of 5 and 1.25 of 2
		{"none", 5, 10, 0, 0.4, false, false},
		{"the burst ends first", 15, 3, 15, 0.4, true, false},
	} {
		got := c.EstimateRemaining(tt.bytes, tt.length)
		check.Near(t, tt.name+": of the cache", tt.fast, got.FastBytes, 1e-6)
		check.Near(t, tt.name+": error", c.predict(tt.fast, tt.length).error/(1-tt.slower),
			got.SEBytes, 1e-4)
		if got.AtLeast != tt.atLeast || got.Throughout != tt.throughout {
			t.Errorf("%s: at least %v, throughout %v", tt.name, got.AtLeast, got.Throughout)
		}
	}
}

func TestCacheIsBack(t *testing.T) {
	for _, tt := range []struct {
		b    Burst
		want bool
	}{
		{Burst{FastBytes: 10, Throughout: true}, true},
		{Burst{FastBytes: 95}, true},
		{Burst{FastBytes: 94.9, SEBytes: 2.5}, false}, // two errors more are 99.9
		{Burst{FastBytes: 94.9, SEBytes: 2.6}, true},
		{Burst{FastBytes: 90, SEBytes: 5}, true},
		{Burst{FastBytes: 89.9, SEBytes: 20}, false},
	} {
		check.Same(t, fmt.Sprint(tt.b), tt.want, threeLevels().HasRecovered(tt.b))
	}
}

// Bursts of 10, 20 and 45 bytes after 1, 2 and 4 s, with errors of 1, 1 and 2: weights 1,
// 1 and 1/4, so that the line rises by (10 + 40 + 45) / (1 + 4 + 4) a second, known to 1/3.
func TestCacheRefill(t *testing.T) {
	c := threeLevels()
	after := func(s, bytes, se float64) Burst {
		return Burst{RestS: s, FastBytes: bytes, SEBytes: se}
	}
	line := []Burst{after(1, 10, 1), after(2, 20, 1), after(4, 45, 2)}
	const slope, se = 95. / 9, 1. / 3
	back := func(afterS, withinS float64) [2]float64 { return [2]float64{afterS, withinS} }
	for _, tt := range []struct {
		name   string
		bursts []Burst
		back   [2]float64
		want   bool
	}{
		{"three points", line, back(4, 12), true},
		{
			"others do not count",
			append(line, after(6, 90, 1), after(3, 80, 0),
				Burst{RestS: 3, FastBytes: 5, SEBytes: 1, AtLeast: true}),
			back(4, 12), true,
		},
		{"one point", line[:1], back(4, 12), false},
		{"no line", append(line, after(5, 10, 1)), back(4, 12), false},
		{"not back when the line says so", line, back(100/(slope-2*se)+0.01, 20), false},
		{"just so long", line, back(100/(slope-2*se)-0.01, 20), true},
		{"back before", line, back(4, 100/(slope+2*se)-0.01), false},
		{"just before", line, back(4, 100/(slope+2*se)+0.01), true},
		{"nothing comes back", []Burst{after(1, 0, 1), after(2, 0, 1)}, back(4, 12), false},
	} {
		got, ci := c.Refill(tt.bursts, tt.back[0], tt.back[1])
		if (got != nil) != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
		if got != nil {
			check.Near(t, tt.name+": rest", 100/slope, *got, 1e-9)
			check.Near(t, tt.name+": low", 100/(slope+2*se), ci[0], 1e-9)
			check.Near(t, tt.name+": high", 100/(slope-2*se), ci[1], 1e-9)
		}
	}
	// The cache was seen to be back just at either end of the interval.
	_, ends := c.Refill(line, 4, 12)
	if got, _ := c.Refill(line, ends[1], ends[0]); got == nil {
		t.Error("nothing at the interval's ends")
	}
	// The line is known so badly that its lower bound is a tenth of it.
	if got, ci := c.Refill([]Burst{after(1, 10, 11), after(2, 20, 11)}, 4, 99); got == nil ||
		math.Abs(*got-10) > 1e-9 || math.Abs(ci[1]-100) > 1e-9 {
		t.Errorf("%v, %v", got, ci)
	}
	// Of five points four lie off the line by twice their errors: just what noise may make.
	just := []Burst{
		after(1, 8, 1), after(1, 12, 1), after(1, 8, 1), after(1, 12, 1), after(1, 10, 1),
	}
	if got, _ := c.Refill(just, 4, 99); got == nil {
		t.Error("points that are just near enough make no line")
	}
	// Two points lie off a line by up to twice their errors: (z² + z²) / 1 <= 4.
	for off, want := range map[float64]bool{1.4: true, 1.42: false} {
		// One second apart alike, the line goes through the middle.
		if got, _ := c.Refill([]Burst{after(1, 10+off, 1), after(1, 10-off, 1)}, 4,
			99); (got != nil) != want {
			t.Errorf("two points %v off: %v", off, got)
		}
	}
}
