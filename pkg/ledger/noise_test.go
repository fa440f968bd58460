package ledger

import (
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
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
