package ledger

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

func ns(s float64) int64 { return int64(math.Round(s * 1e9)) }

// span is from one second to another.
func span(fromS, toS float64) overlap.Span {
	return overlap.Span{StartNS: ns(fromS), EndNS: ns(toS)}
}

// flatLevel is a level at one rate.
func flatLevel(v overlap.Span, rate float64) Level { return Level{v, rate, rate, rate} }

// levelsOf are levels one after another: how long and how fast.
func levelsOf(each ...[2]float64) (levels []Level) {
	endS := 0.0
	for _, l := range each {
		levels = append(levels, flatLevel(span(endS, endS+l[0]), l[1]))
		endS += l[0]
	}
	return levels
}

// settled is a disk that is sampled finely, with a rate by the second, MB/s; zero is a pause.
func settled(seconds int, rate func(second int) float64) *Disk {
	d := New(tracetest.FilesAt(func(s int) float64 { return 1e6 * rate(s) }, seconds), work.Work{}, 5e8)
	d.Settle(1)
	return &d
}

// A pause of a second is in the middle of what is active.
func TestMovingIn(t *testing.T) {
	p := Disk{Active: []overlap.Span{span(1, 4), span(5, 9), span(11, 12)}}
	for _, tt := range []struct {
		v    overlap.Span
		want []overlap.Span
	}{
		{span(0, 20), p.Active},
		{span(2, 6), []overlap.Span{span(2, 4), span(5, 6)}},
		{span(4, 5), nil},
		{span(0, 1), nil},
		{span(12, 20), nil},
		{span(6, 11), []overlap.Span{span(6, 9)}},
		{span(4, 5.5), []overlap.Span{span(5, 5.5)}},
	} {
		check.Same(t, fmt.Sprintf("in %v", tt.v), tt.want, p.MovingIn(tt.v))
	}
	check.Near(t, "active", 3, overlap.Seconds(p.MovingIn(span(3, 7))), 1e-12)
	for _, tt := range []struct {
		v    overlap.Span
		want bool
	}{{span(4, 5), false}, {span(3, 4.5), true}, {span(4.5, 5.1), true}, {span(9, 11), false}, {span(12, 13), false}, {span(0, 1), false}, {span(0, 1.1), true}} {
		check.Same(t, fmt.Sprintf("works in %v", tt.v), tt.want, p.WorksIn(tt.v))
	}
}

func TestLevelAt(t *testing.T) {
	levels := levelsOf([2]float64{2, 1}, [2]float64{3, 2}, [2]float64{1, 3})
	for s, want := range map[float64]int{-1: 0, 0: 0, 1.9: 0, 2: 1, 4.9: 1, 5: 2, 6: 2, 99: 2} {
		check.Same(t, fmt.Sprintf("at %v s: level", s), want, At(levels, ns(s)))
	}
}

func TestPooled(t *testing.T) {
	got := Pooled([]Measured{{Rate: 100, Error: 0.3, Free: 4}, {Rate: 100, Error: 0.4, Free: 9}})
	check.Near(t, "rate", 100, got.Rate, 1e-12)
	check.Near(t, "error", 0.25, got.Error, 1e-12)
	check.Near(t, "freedom", 9, got.Free, 0)
	// A hundred and e hundreds: logarithms 1 apart, their mean is known to half of that.
	got = Pooled([]Measured{{Rate: 100, Error: 0.1, Free: 4}, {Rate: 100 * math.E, Error: 0.1, Free: 9}})
	check.Near(t, "rate", 50*(1+math.E), got.Rate, 1e-9)
	check.Near(t, "error", 0.5, got.Error, 1e-12)
	check.Near(t, "freedom", 1, got.Free, 0)
	if one := Pooled([]Measured{{Rate: 100, Error: 0.2, Free: 5}}); one != (Measured{Rate: 100, Error: 0.2, Free: 5}) {
		t.Errorf("of one: %+v", one)
	}
}

func TestChanceAbove(t *testing.T) {
	m := Measured{Rate: 100 * math.E, Error: 0.3, Free: 8}
	check.Near(t, "two deviations", stats.StudentTail(2, 8), m.ChanceAbove(Measured{Rate: 100, Error: 0.4, Free: 20}), 1e-12)
	check.Near(t, "below", 1-stats.StudentTail(2, 8), Measured{Rate: 100, Error: 0.4, Free: 20}.ChanceAbove(m), 1e-12)
	for _, other := range []Measured{{}, {Rate: 100, Error: 0.4}, {Error: 0.4, Free: 20}} {
		if m.ChanceAbove(other) != 1 || other.ChanceAbove(m) != 1 {
			t.Errorf("against %+v, which was not measured: %v, %v", other, m.ChanceAbove(other), other.ChanceAbove(m))
		}
	}
}

func TestFileScatter(t *testing.T) {
	e := math.E
	for _, tt := range []struct {
		name  string
		files [][2]float64
		want  float64
	}{
		// Logarithms 0, 0.2, 0.4, 1, 1.4 about 0.4: the middle deviation is 0.4.
		{"five", [][2]float64{{1, 1e9}, {1, 1e9 * math.Pow(e, 0.2)}, {1, 1e9 * math.Pow(e, 0.4)}, {2, 2e9 * e}, {1, 1e9 * math.Pow(e, 1.4)}}, 1.4826 * 0.4},
		{"alike", slices.Repeat([][2]float64{{1, 1e9}}, 6), 0.10},
		{"four, and one too short to count", [][2]float64{{1, 1}, {1, 9}, {1, 1}, {1, 9}, {0.09, 5}}, 0.30},
		{"five, one just long enough", [][2]float64{{1, 1e9}, {1, 1e9}, {1, 1e9}, {1, 1e9}, {0.1, 1e9}}, 0.10},
	} {
		check.Near(t, tt.name, tt.want, (&Disk{Trace: tracetest.FilesOf(tt.files...)}).FileScatter(), 1e-6)
	}
}

func TestScatterVariance(t *testing.T) {
	p := &Disk{Trace: tracetest.FilesOf([2]float64{2, 1}, [2]float64{2, 1}, [2]float64{4, 1}, [2]float64{2, 1})}
	for _, tt := range []struct {
		in   []overlap.Span
		want float64 // sum of the squares of the files' shares
	}{
		{[]overlap.Span{span(0, 10)}, 0.04 + 0.04 + 0.16 + 0.04},
		{[]overlap.Span{span(1, 5)}, 1./16 + 4./16 + 1./16},
		{[]overlap.Span{span(0, 1), span(5, 8)}, 1./16 + 9./16},
		{[]overlap.Span{span(4, 6)}, 1},
		{[]overlap.Span{span(20, 30)}, 0},
	} {
		check.Near(t, "the variance", 0.09*tt.want, p.scatterVariance(tt.in), 1e-9)
	}
	many := &Disk{Trace: tracetest.FilesOf(slices.Repeat([][2]float64{{1, 1}}, 10)...)}
	check.Same(t, "six files alike", 0.0, many.scatterVariance([]overlap.Span{span(0, 6)}))
	check.Near(t, "five files alike", 0.01/5, many.scatterVariance([]overlap.Span{span(0, 5)}), 1e-9)
}

func TestFilesThatALevelRestsOn(t *testing.T) {
	p := &Disk{Trace: tracetest.FilesOf([2]float64{2, 1}, [2]float64{2, 1}, [2]float64{4, 1}, [2]float64{2, 0}, [2]float64{2, 1})}
	for _, tt := range []struct {
		v        overlap.Span
		minFiles int
		maxShare float64
		want     bool
	}{
		{span(0, 8), 3, 0.5, true},
		{span(0, 8), 4, 0.5, false},
		{span(0, 8), 3, 0.49, false},
		{span(0, 7), 3, 0.5, true},   // 3 s of the longest
		{span(2, 6), 2, 0.5, true},   // 2 s of each
		{span(8, 12), 2, 0.9, false}, // one of them moved nothing
		{span(2, 4), 1, 1, true},     // neither the one before nor the one after
		{span(2, 4), 2, 1, false},
	} {
		check.Same(t, fmt.Sprintf("%v, %d files, %v", tt.v, tt.minFiles, tt.maxShare), tt.want, p.RestsOnFiles(tt.v, tt.minFiles, tt.maxShare))
	}
}
