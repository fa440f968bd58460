package level

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

func ns(s float64) int64 { return int64(math.Round(s * 1e9)) }

// span is from one second to another.
func span(fromS, toS float64) overlap.Span {
	return overlap.Span{StartNS: ns(fromS), EndNS: ns(toS)}
}

// levelsOf are levels one after another: how long and how fast.
func levelsOf(each ...[2]float64) (levels []Level, endS float64) {
	for _, l := range each {
		levels = append(levels, Level{span(endS, endS+l[0]), l[1]})
		endS += l[0]
	}
	return levels, endS
}

// settled is a disk that is sampled finely, with a rate by the second, MB/s; zero is a pause.
func settled(seconds int, rate func(second int) float64) *Disk {
	d := New(tracetest.FilesAt(func(s int) float64 { return 1e6 * rate(s) }, seconds), work.Work{}, 5e8)
	d.Settle(nil, 0.01)
	return &d
}

func TestAbsorb(t *testing.T) {
	for _, tt := range []struct {
		name   string
		levels [][2]float64 // seconds, rate
		i      int
		want   [2]int
	}{
		{"a stall", [][2]float64{{9, 100}, {1, 10}, {9, 110}}, 1, [2]int{0, 2}},
		{"a stall between levels that differ, nearer to the one after", [][2]float64{{9, 100}, {1, 60}, {9, 80}}, 1, [2]int{1, 2}},
		{"and to the one before", [][2]float64{{9, 80}, {1, 60}, {9, 100}}, 1, [2]int{0, 1}},
		{"a step of a fall that began before", [][2]float64{{2, 100}, {1, 80}, {9, 79}}, 1, [2]int{0, 1}},
		{"that goes on", [][2]float64{{9, 81}, {1, 80}, {2, 40}}, 1, [2]int{1, 2}},
		{"a step between short ones", [][2]float64{{2, 100}, {1, 90}, {2, 40}}, 1, [2]int{0, 1}},
		{"a step between long ones", [][2]float64{{9, 100}, {1, 50}, {9, 40}}, 1, [2]int{1, 2}},
		{"no fall: up again", [][2]float64{{2, 100}, {1, 70}, {9, 80}}, 1, [2]int{1, 2}},
		{"at the beginning", [][2]float64{{1, 10}, {9, 100}, {9, 10}}, 0, [2]int{0, 1}},
		{"of a burst at the beginning", [][2]float64{{1, 10}, {2, 100}, {9, 11}}, 0, [2]int{0, 2}},
		{"of a longer one", [][2]float64{{1, 10}, {3, 100}, {9, 11}}, 0, [2]int{0, 1}},
		{"of a climb", [][2]float64{{1, 10}, {2, 100}, {9, 12}}, 0, [2]int{0, 1}},
		{"of two", [][2]float64{{1, 10}, {2, 10}}, 0, [2]int{0, 1}},
		{"at the end", [][2]float64{{9, 10}, {9, 100}, {1, 10}}, 2, [2]int{1, 2}},
		{"after a burst at the end", [][2]float64{{9, 11}, {2, 100}, {1, 10}}, 2, [2]int{0, 2}},
		{"after a longer one", [][2]float64{{9, 11}, {3, 100}, {1, 10}}, 2, [2]int{1, 2}},
		{"the end of two", [][2]float64{{2, 10}, {1, 10}}, 1, [2]int{0, 1}},
		{"stalls count as one byte a second", [][2]float64{{9, 1}, {1, 50}, {9, 0}}, 1, [2]int{0, 2}},
	} {
		levels, endS := levelsOf(tt.levels...)
		p := Disk{Active: []overlap.Span{span(0, endS)}}
		first, last := p.absorb(levels, tt.i)
		if got := [2]int{first, last}; got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
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
	check.Near(t, "active", 3, p.activeS(Level{span(3, 7), 1}), 1e-12)
	for _, tt := range []struct {
		v    overlap.Span
		want bool
	}{{span(4, 5), false}, {span(3, 4.5), true}, {span(4.5, 5.1), true}, {span(9, 11), false}, {span(12, 13), false}, {span(0, 1), false}, {span(0, 1.1), true}} {
		check.Same(t, fmt.Sprintf("works in %v", tt.v), tt.want, p.WorksIn(tt.v))
	}
}

func TestLevelAt(t *testing.T) {
	levels, _ := levelsOf([2]float64{2, 1}, [2]float64{3, 2}, [2]float64{1, 3})
	for s, want := range map[float64]int{-1: 0, 0: 0, 1.9: 0, 2: 1, 4.9: 1, 5: 2, 6: 2, 99: 2} {
		check.Same(t, fmt.Sprintf("at %v s: level", s), want, At(levels, ns(s)))
	}
}

func TestCrossing(t *testing.T) {
	at := func(fromS, toS, rate float64) piece { return piece{span(fromS, toS), rate, toS - fromS} }
	for _, tt := range []struct {
		name          string
		pieces        []piece
		before, after float64
		want          float64
	}{
		{"a quarter of a piece", []piece{at(10, 14, 40)}, 100, 20, 11},
		{"of three", []piece{at(10, 12, 100), at(12, 13, 60), at(13, 14, 20)}, 100, 20, 12.5},
		{"before all", []piece{at(10, 14, 10)}, 100, 20, 10},
		{"after all", []piece{at(10, 14, 120)}, 100, 20, 14},
		{"upwards", []piece{at(10, 14, 80)}, 20, 100, 11},
		{"a pause between", []piece{at(10, 12, 100), at(13, 14, 20)}, 100, 20, 13},
		{"levels that do not differ", []piece{at(10, 12, 100), at(12, 14, 20)}, 50, 50, 12},
		{"a microsecond, which is no pause", []piece{at(10, 12, 100), at(12.000001, 14.000001, 20)}, 100, 20, 12},
		{"a pause of two", []piece{at(10, 12, 100), at(12.0000015, 14.0000015, 20)}, 100, 20, 12.0000015},
		{"no level before", []piece{at(10, 12, 100), at(12, 14, 20)}, math.NaN(), 50, 12},
	} {
		check.Near(t, tt.name, tt.want, seconds(crossing(tt.pieces, tt.before, tt.after)), 1e-8)
	}
}

func TestChanges(t *testing.T) {
	rates := slices.Concat(slices.Repeat([]float64{10}, 6), []float64{7, 6}, slices.Repeat([]float64{4}, 5), slices.Repeat([]float64{9}, 4))
	weights := slices.Repeat([]float64{1}, len(rates))
	weights[0] = 3
	rates[0] = 14 // the mean is 92 / 8
	for _, tt := range []struct {
		name   string
		starts []int
		want   []change
	}{
		// What lies at the edge itself is neither before nor after.
		{"one step", []int{0, 6}, []change{{5, 6, (42. + 40) / 7, (6 + 20 + 36) / 10.}}},
		{"a short segment that holds the step", []int{0, 6, 8}, []change{{5, 8, 82. / 7, (16. + 36) / 8}}},
		{"no step within", []int{0, 6, 8, 13}, []change{{5, 8, 82. / 7, 4}, {12, 13, 4, 9}}},
		{"a longer one", []int{0, 6, 9}, []change{{5, 6, 82. / 7, 5}, {8, 9, 6.5, (12. + 36) / 7}}},
		{"none", []int{0}, nil},
	} {
		check.Same(t, tt.name, tt.want, changes(tt.starts, rates, weights, 2), cmp.AllowUnexported(change{}), cmpopts.EquateApprox(1e-12, 0))
	}
	// A short segment that is lower than both its neighbours is one.
	dip := slices.Concat(slices.Repeat([]float64{10}, 6), []float64{2, 2}, slices.Repeat([]float64{8}, 5))
	if got := changes([]int{0, 6, 8}, dip, slices.Repeat([]float64{1}, len(dip)), 2); len(got) != 2 {
		t.Errorf("a dip: %v", got)
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

// Levels are put together until the chance of each change is alpha or less, the likeliest by noise first.
func TestSolidLevels(t *testing.T) {
	p := settled(40, tracetest.Steps(100, [2]float64{20, 103}))
	p.Levels = []Level{p.LevelOver(span(0, 20)), p.LevelOver(span(20, 40))}
	edges := []int{0, 200, 400}
	p.series.noise = p.series.estimate(edges, [2]int{})
	c := p.series.chanceOf(0, 200, 400, edges)
	if c <= 0 || c >= 1 {
		t.Fatalf("chance %v", c)
	}
	if got := p.solidLevels(c); len(got) != 2 {
		t.Errorf("alpha as large as the chance: %v", got)
	}
	if got := p.solidLevels(c * (1 - 1e-9)); len(got) != 1 || got[0].Span != span(0, 40) {
		t.Errorf("alpha below the chance: %v", got)
	}
	if got := p.series.estimate([]int{0, 400}, [2]int{}); p.series.noise != got {
		t.Errorf("noise %v, want that of one level: %v", p.series.noise, got)
	}
	none := Disk{Trace: &trace.DiskRecord{}, series: &series{}}
	if got := none.solidLevels(0.01); len(got) != 0 {
		t.Errorf("levels of nothing: %v", got)
	}
}

// No chance is more than 1, and one of nothing is 1.
func TestChanceOf(t *testing.T) {
	s := settled(60, tracetest.Steps(100)).series
	edges := []int{0, 200, 400, 600}
	for _, tt := range [][3]int{{200, 200, 400}, {200, 400, 400}, {0, 200, 400}, {200, 400, 600}} {
		check.Same(t, fmt.Sprintf("from %v", tt), 1.0, s.chanceOf(tt[0], tt[1], tt[2], edges))
	}
}

// What is shorter than three seconds is no level: the shortest first, and the longest of them is reported.
func TestWithoutExcursions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		levels [][2]float64
		want   [][2]float64
		longS  float64
	}{
		{"a stall", [][2]float64{{9, 100}, {1, 10}, {9, 110}, {9, 50}}, [][2]float64{{19, (900 + 10 + 990) / 19.}, {9, 50}}, 1},
		{"long enough", [][2]float64{{9, 100}, {3, 10}, {9, 110}}, [][2]float64{{9, 100}, {3, 10}, {9, 110}}, 0},
		{"too short", [][2]float64{{9, 100}, {2.9, 10}, {9, 110}}, [][2]float64{{20.9, (900 + 29 + 990) / 20.9}}, 2.9},
		{"two", [][2]float64{{9, 100}, {1, 10}, {9, 110}, {2, 10}, {9, 100}}, [][2]float64{{30, (900 + 10 + 990 + 20 + 900) / 30.}}, 2},
		{"one alone", [][2]float64{{1, 100}}, [][2]float64{{1, 100}}, 0},
	} {
		var files [][2]float64
		for _, l := range tt.levels {
			files = append(files, [2]float64{l[0], 1e6 * l[0] * l[1]})
		}
		p := bare(tracetest.FilesOf(files...))
		levels, _ := levelsOf(tt.levels...)
		for i := range levels {
			levels[i].Rate *= 1e6
		}
		var got [][2]float64
		for _, l := range p.withoutExcursions(levels) {
			got = append(got, [2]float64{l.Seconds(), l.Rate / 1e6})
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(1e-6, 0)); diff != "" || math.Abs(p.excursionS-tt.longS) > 1e-9 {
			t.Errorf("%s: the longest of %v s (-want +got):\n%s", tt.name, p.excursionS, diff)
		}
	}
}
