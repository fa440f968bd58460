package ledger

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
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

// A pause of a second is in the middle of what is active.
func TestMovingIn(t *testing.T) {
	p := History{Active: []overlap.Span{span(1, 4), span(5, 9), span(11, 12)}}
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
	}{
		{span(4, 5), false}, {span(3, 4.5), true}, {span(4.5, 5.1), true}, {span(9, 11), false},
		{span(12, 13), false}, {span(0, 1), false}, {span(0, 1.1), true},
	} {
		check.Same(t, fmt.Sprintf("works in %v", tt.v), tt.want, p.IsActiveIn(tt.v))
	}
}

func TestChanceAbove(t *testing.T) {
	m := Measured{Rate: 100 * math.E, Error: 0.3, DegreesOfFreedom: 8}
	check.Near(t, "two deviations", stats.StudentTail(2, 8),
		m.ChanceAbove(Measured{Rate: 100, Error: 0.4, DegreesOfFreedom: 20}), 1e-12)
	check.Near(t, "below", 1-stats.StudentTail(2, 8),
		Measured{Rate: 100, Error: 0.4, DegreesOfFreedom: 20}.ChanceAbove(m), 1e-12)
	for _, other := range []Measured{
		{}, {Rate: 100, Error: 0.4}, {Error: 0.4, DegreesOfFreedom: 20},
	} {
		if m.ChanceAbove(other) != 1 || other.ChanceAbove(m) != 1 {
			t.Errorf("against %+v, which was not measured: %v, %v", other, m.ChanceAbove(other),
				other.ChanceAbove(m))
		}
	}
}

// A mean that rests on few files is as uncertain as files are assumed to differ.
func TestScatterOfFewFiles(t *testing.T) {
	y := slices.Repeat([]float64{20}, 100)
	ten, four := slices.Repeat([]int{10}, 10), []int{20, 20, 40, 20}
	for _, tt := range []struct {
		name  string
		files []int // bins of each
		known float64
		in    [][2]int
		want  float64
	}{
		{"six of ten", ten, 0, [][2]int{{0, 60}}, 0},
		{"four of ten", ten, 0, [][2]int{{0, 40}}, 0.01 / 4},
		{"two apart", ten, 0, [][2]int{{0, 10}, {70, 80}}, 0.01 / 2},
		{"files that are known to differ more", ten, 0.04, [][2]int{{0, 40}}, 0},
		{"all of four", four, 0, [][2]int{{0, 100}}, 0.09 * (0.04 + 0.04 + 0.16 + 0.04)},
		{"parts of three", four, 0, [][2]int{{10, 50}}, 0.09 * (1./16 + 4./16 + 1./16)},
		{"one", four, 0, [][2]int{{40, 60}}, 0.09},
	} {
		check.Near(t, tt.name, tt.want,
			sequenceOf(y, tt.files...).scatter(noise{fileVariance: tt.known}, tt.in), 1e-9)
	}
}

func TestFilesThatALevelRestsOn(t *testing.T) {
	five := tracetest.FilesOf([2]float64{2, 1}, [2]float64{2, 1}, [2]float64{4, 1},
		[2]float64{2, 0}, [2]float64{2, 1}, [2]float64{2, 1})
	p := &History{Trace: five}
	for v, want := range map[overlap.Span]bool{
		span(0, 14): true, span(0, 12): false, span(2, 14): false, span(3, 13): false,
	} {
		check.Same(t, fmt.Sprint(v), want, p.RestsOnFiles(v))
	}
}

func TestOutlastsBursts(t *testing.T) {
	for length, want := range map[float64]bool{0.9: false, 1: true} {
		check.Same(t, fmt.Sprintf("%v s hold", length), want,
			(&History{}).OutlastsBursts(span(0, length)))
	}
	for length, want := range map[float64]bool{5.9: false, 6: true} {
		check.Same(t, fmt.Sprintf("%v s hold beside an excursion of 4", length), want,
			(&History{LongestBurstS: 4}).OutlastsBursts(span(0, length)))
	}
}
