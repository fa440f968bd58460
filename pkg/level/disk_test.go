package level

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// bare is a disk without levels.
func bare(d *trace.DiskRecord) Disk {
	return Disk{Trace: d, Active: overlap.Active(d, 5e8), Curve: overlap.NewCurve(d)}
}

// Pieces are of at least half a tenth of a second of active time, and hold what was moved in it: short files are put
// together, also over a pause, and what is left at the end is a piece of its own.
func TestPieces(t *testing.T) {
	file := func(fromS, toS float64, bytes int64) trace.File {
		return trace.File{StartNS: ns(fromS), EndNS: ns(toS), Bytes: bytes}
	}
	for _, tt := range []struct {
		name  string
		files []trace.File
		want  []piece
	}{
		{"long files", []trace.File{file(0, 1, 300), file(1, 3, 400)}, []piece{{span(0, 1), 300, 1}, {span(1, 3), 200, 2}}},
		{"short files", []trace.File{file(0, 0.02, 10), file(0.02, 0.06, 10), file(0.06, 0.12, 40), file(0.12, 0.4, 28)},
			[]piece{{span(0, 0.12), 500, 0.12}, {span(0.12, 0.4), 100, 0.28}}},
		{"a pause", []trace.File{file(0, 0.04, 10), file(2, 2.04, 30), file(5, 5.5, 100)}, []piece{{span(0, 2.04), 500, 0.08}, {span(5, 5.5), 200, 0.5}}},
		{"a short end", []trace.File{file(0, 1, 300), file(3, 3.04, 10)}, []piece{{span(0, 1), 300, 1}, {span(3, 3.04), 250, 0.04}}},
	} {
		d := &trace.DiskRecord{Files: tt.files}
		p := bare(d)
		check.Same(t, tt.name, tt.want, p.pieces(), cmp.AllowUnexported(piece{}), cmpopts.EquateApprox(1e-9, 0))
	}
}

// Nothing varies except for what is said: levels that differ by less than a hundredth are one.
func TestFindLevels(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files [][2]float64
		want  [][3]float64 // from, to and rate
	}{
		{"nothing", nil, nil},
		{"half a percent", [][2]float64{{10, 10000e6}, {10, 10050e6}}, [][3]float64{{0, 20, 1002.5e6}}},
		{"six percent", [][2]float64{{10, 10000e6}, {10, 10600e6}}, [][3]float64{{0, 10, 1000e6}, {10, 20, 1060e6}}},
		{"a burst of 0.6 s", [][2]float64{{10, 10000e6}, {0.6, 1800e6}, {10, 10000e6}}, [][3]float64{{0, 10, 1000e6}, {10, 10.6, 3000e6}, {10.6, 20.6, 1000e6}}},
	} {
		p := bare(tracetest.Sampled(tracetest.FilesOf(tt.files...)))
		p.Levels = p.levelsBy(math.MaxInt)
		var got [][3]float64
		for _, l := range p.Levels {
			got = append(got, [3]float64{seconds(l.StartNS), seconds(l.EndNS), l.Rate})
		}
		check.Same(t, tt.name, tt.want, got, cmpopts.EquateApprox(1e-6, 1e-6))
	}
}

func TestRateIn(t *testing.T) {
	p := bare(tracetest.FilesOf([2]float64{10, 1000}, [2]float64{10, 500}))
	for v, want := range map[overlap.Span]float64{span(0, 20): 75, span(5, 15): 75, span(10, 12): 50, span(0, 40): 37.5, span(5, 5): 0, span(6, 5): 0} {
		check.Near(t, "rate", want, p.RateIn(v), 1e-9)
	}
}
