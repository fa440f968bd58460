package ledger

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

// sequenceOf is a series in bins of 0.1 s, whose files are that many bins long.
func sequenceOf(y []float64, files ...int) *sequence {
	var file []int
	for f, bins := range files {
		for range bins {
			file = append(file, f)
		}
	}
	return newSequence(y, file, 0.1, &binnedTime{})
}

// levelsAt are bins at some values.
func levelsAt(values map[int]float64, edges ...int) (y []float64) {
	for i := range len(edges) - 1 {
		for range edges[i+1] - edges[i] {
			y = append(y, values[i])
		}
	}
	return y
}

// A change shows inside a file that was in transfer before it and after; at a file's first bin,
// that file may just be another one.
func TestChangeInsideFile(t *testing.T) {
	y := levelsAt(map[int]float64{0: 20, 1: 19}, 0, 30, 60)
	check.Same(t, "in the middle of a file", true, sequenceOf(y, 20, 40).showsInFile(0, 30, 60))
	check.Same(t, "between two files", false, sequenceOf(y, 30, 30).showsInFile(0, 30, 60))
}

// Of 400 files of ten bins, with a deviation of 0.3 between files and 0.05 within,
// both are found; where files do not differ, the noise has a memory or is new in each bin.
func TestNoiseOfFiles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var y, plain []float64
	var files []int
	for range 400 {
		of := 0.3 * rnd.NormFloat64()
		for range 10 {
			y = append(y, 20+of+0.05*rnd.NormFloat64())
			plain = append(plain, 20+0.05*rnd.NormFloat64())
		}
		files = append(files, 10)
	}
	n := sequenceOf(y, files...).noise([]int{0, len(y)})
	check.Near(t, "variance of files", 0.09, n.fileVariance, 0.02)
	check.Near(t, "variance of bins", 0.0025, n.variance, 0.0002)
	check.Near(t, "correlation of files", 0, n.fileCorrelation, 0.15)
	q := sequenceOf(plain, files...)
	variance, worth := q.noise([]int{0, len(plain)}).ofMean(q, [2]int{0, len(plain)})
	check.Near(t, "variance of the mean without files", 0.0025/4000, variance, 0.0003/4000)
	check.Near(t, "independent values", 4000, worth, 400)
}

// Noise with a memory of ten bins goes on from one file to the next; files that are
// draws do not.
func TestOutlastsFiles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var wave, drawn []float64
	var files []int
	at := 0.0
	for range 150 {
		of := 0.3 * rnd.NormFloat64()
		for range 3 {
			at = 0.9*at + 0.1*rnd.NormFloat64()
			wave, drawn = append(wave, 20+at), append(drawn, 20+of)
		}
		files = append(files, 3)
	}
	check.Same(t, "a wave", true, sequenceOf(wave, files...).outlastsFiles([]int{0, len(wave)}))
	check.Same(t, "draws", false, sequenceOf(drawn, files...).outlastsFiles([]int{0, len(drawn)}))
}

// A rate that wanders is unsteady, though levels may be cut out of it; levels are what they are, as
// are ones that go one way.
func TestWandersInSteps(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	steps := func(seconds int, rates ...float64) (files, levels [][2]float64) {
		for _, r := range rates {
			for range seconds {
				files = append(files, [2]float64{1, 1e6 * r})
			}
			levels = append(levels, [2]float64{float64(seconds), 1e6 * r})
		}
		return files, levels
	}
	wave := func() (files, levels [][2]float64) {
		at := 0.0
		for range 10 {
			var sum float64
			for range 8 {
				at = 0.8*at + 0.15*rnd.NormFloat64()
				files = append(files, [2]float64{1, 1e8 * math.Exp(at)})
				sum += 1e8 * math.Exp(at)
			}
			levels = append(levels, [2]float64{8, sum / 8})
		}
		return files, levels
	}
	for _, tt := range []struct {
		name  string
		rates func() (files, levels [][2]float64)
		want  bool
	}{
		{"a wave", wave, true},
		{"levels", func() (files, levels [][2]float64) {
			return steps(8, 100, 50, 130, 80, 160, 60, 110)
		}, false},
		{"down", func() (files, levels [][2]float64) {
			return steps(5, 160, 130, 110, 90, 70, 50, 30)
		}, false},
	} {
		files, levels := tt.rates()
		p := New(tracetest.Sampled(tracetest.FilesOf(files...)), work.Work{}, 5e8)
		p.Levels = levelsOf(levels...)
		check.Same(t, tt.name, tt.want, p.wandersInSteps())
	}
}

// Levels at either end that are no longer than excursions elsewhere may be such excursions.
func TestTrim(t *testing.T) {
	for _, tt := range []struct {
		name      string
		levels    [][2]float64 // seconds, MB/s
		excursion float64
		want      int
	}{
		{"long enough", [][2]float64{{10, 100}, {3, 50}}, 0, 2},
		{"too short", [][2]float64{{10, 100}, {1.9, 50}}, 0, 1},
		{"the disk has excursions as long", [][2]float64{{10, 100}, {3, 50}}, 2.1, 1},
		{"the first", [][2]float64{{1.9, 50}, {10, 100}}, 0, 1},
		{"a large rise", [][2]float64{{10, 50}, {1.5, 100}}, 0, 2},
		{"one level", [][2]float64{{1, 50}}, 0, 1},
	} {
		var files [][2]float64
		for _, l := range tt.levels {
			files = append(files, [2]float64{l[0], l[0] * l[1] * 1e6})
		}
		p := New(tracetest.FilesOf(files...), work.Work{}, 5e8)
		p.Levels = levelsOf(tt.levels...)
		p.Trim(tt.excursion)
		check.Same(t, tt.name, tt.want, len(p.Levels))
	}
}
