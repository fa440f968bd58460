package overlap

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	second = int64(1e9)
	half   = second / 2
)

// times is a value that many times.
func times(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// TestFlow: rates, moments at which the bytes are known, and the files as far as they lie in the
// window, by hand.
func TestFlow(t *testing.T) {
	// What a file has done at its very start is its own too.
	jump := []trace.Sample{{TNS: 2 * second, Bytes: 500}}
	files := &trace.DiskRecord{Files: []trace.File{
		{StartNS: 0, EndNS: 2 * second, Bytes: 2000},
		{StartNS: 2 * second, EndNS: 4 * second, Bytes: 6500,
			Progress: &trace.Progress{Samples: jump}},
		{StartNS: 4 * second, EndNS: 7 * second, Bytes: 9000},
		{StartNS: 7 * second, EndNS: 7*second + half, Bytes: 500},
		{StartNS: 7*second + half, EndNS: 9 * second, Bytes: 3000},
		{StartNS: 10 * second, EndNS: 11 * second, Bytes: 77},
	}}
	open := &trace.DiskRecord{
		Files: []trace.File{{StartNS: 0, EndNS: 2 * second, Bytes: 2000}},
		Open: []trace.Sample{
			{TNS: 5 * half, Bytes: 100}, {TNS: 9 * half, Bytes: 500}, {TNS: 5 * second, Bytes: 900},
		},
	}
	tests := []struct {
		name   string
		disk   *trace.DiskRecord
		window []Span
		want   stats.Flow
		items  stats.Items
	}{
		{
			"files", files, []Span{{second, 5 * second}, {6 * second, 8 * second}},
			// The file with a jump moves 500 at once, then 6000 in 2 s.
			stats.Flow{
				Length: 6, Known: 6,
				Rates: slices.Concat(times(10, 1000), times(1, 8000), times(39, 3000),
					times(5, 1000), times(5, 2000)),
			},
			stats.Items{
				Size: []float64{1000, 6500, 3000, 3000, 500, 1000},
				Time: []float64{1, 2, 1, 1, 0.5, 0.5},
			},
		},
		{
			"one under way", open, []Span{
				{second, 2 * second}, {2 * second, 3 * second}, {4 * second, 6 * second},
				{20 * second, 21 * second},
			},
			stats.Flow{
				Length: 5, Known: 1 + 2 + 3 + 1,
				Rates: slices.Concat(times(10, 1000), times(5, 0), times(5, 200), times(5, 200),
					times(5, 800), times(20, 0)),
			},
			stats.Items{Size: []float64{1000, 100, 500}, Time: []float64{1, 0.5, 1}},
		},
		{
			"a byte", disk([3]int64{0, 4 * second, 1}), []Span{{0, 4 * second}},
			stats.Flow{
				Length: 4, Known: 1, Rates: slices.Concat(times(19, 0), times(1, 10), times(20, 0)),
			},
			stats.Items{Size: []float64{1}, Time: []float64{4}},
		},
		{
			"as short as a flow may be", files, []Span{{4 * second, 6 * second}},
			stats.Flow{Length: 2, Known: 1, Rates: times(20, 3000)},
			stats.Items{Size: []float64{6000}, Time: []float64{2}},
		},
		{
			"too short", files, []Span{{5 * second, 7*second - 1e8}},
			stats.Flow{Length: 1.9, Rates: times(19, 3000)}, stats.Items{},
		},
		{"three bins, by rounding less", files, []Span{{5 * second, 5*second + 3e8}},
			stats.Flow{Length: 0.3, Rates: times(3, 3000)}, stats.Items{}},
		{"less than a bin", files, []Span{{5 * second, 5*second + 5e7}},
			stats.Flow{Length: 0.05, Rates: times(1, 3000)}, stats.Items{}},
	}
	for _, tt := range tests {
		if tt.items.Size != nil {
			tt.want.Spread = tt.items.Spread()
		}
		got := NewCurve(tt.disk).Flow(tt.window)
		if got.Spread != tt.want.Spread {
			t.Errorf("%s: spread %+v, want %+v", tt.name, got.Spread, tt.want.Spread)
		}
		check.Same(t, tt.name, tt.want, got, cmpopts.IgnoreTypes(stats.Spread{}),
			cmpopts.EquateApprox(1e-9, 1e-9))
	}
}

// Of very many files none is listed, however small a part of the disk's time the window is; of few
// in the window all are.
func TestSpreadOfManyFiles(t *testing.T) {
	const n = 20_000
	files := make([]trace.File, n)
	for i := range files {
		at := int64(i) * second / 100
		files[i] = trace.File{Seq: i, Bytes: 1000, StartNS: at, EndNS: at + second/100}
	}
	c := NewCurve(&trace.DiskRecord{Files: files})
	for _, test := range []struct {
		seconds int64
		items   int
		listed  bool
	}{{200, n, false}, {50, n / 4, false}, {10, n / 20, true}} {
		got := c.Flow([]Span{{40 * second, (40 + test.seconds) * second}}).Spread
		if got.Items != test.items || (got.DegreesOfFreedom > 0) != test.listed {
			t.Errorf("%d s: %+v, want %d files, listed: %v", test.seconds, got, test.items,
				test.listed)
		}
	}
}
