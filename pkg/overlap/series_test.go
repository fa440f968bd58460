package overlap

import (
	"fmt"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A series holds every byte, those of the file under way among them, and its last step ends with
// it.
func TestSeriesHoldsEveryByte(t *testing.T) {
	whole := disk([3]int64{0, 4e9, 8e9}, [3]int64{4e9, 9e9, 5e9})
	cut := disk([3]int64{0, 6e9, 3e9})
	cut.Open = []trace.Sample{{TNS: 6e9, Bytes: 0}, {TNS: 9_003_000_000, Bytes: 3e9}}
	const end = 9_003_000_000
	stepNS, rates := Series([]*Curve{NewCurve(whole), NewCurve(cut)}, end)
	for i, want := range []float64{13e9, 6e9} {
		got := 0.0
		for k, rate := range rates[i] {
			from := int64(k) * stepNS
			got += rate * float64(min(stepNS, end-from)) / 1e9
		}
		check.Near(t, fmt.Sprintf("curve %d: the series holds", i), want, got, 10)
	}
	if n := len(rates[0]); n < 100 || n > maxSteps {
		t.Errorf("%d steps, want 100 to %d", n, maxSteps)
	}
	check.Near(t, "the file under way ends at", 1e9, rates[1][len(rates[1])-1], 0.01e9)
}

// Steps begin at zero, and are no more than a chart can show.
func TestSeriesSteps(t *testing.T) {
	curve := NewCurve(disk([3]int64{0, 100, 1000}))
	if step, rates := Series([]*Curve{curve}, 100); step != 1 || len(rates[0]) != 100 ||
		rates[0][0] != 1e10 || rates[0][99] != 1e10 {
		t.Errorf("steps of %d ns: %v", step, rates)
	}
	if step, rates := Series([]*Curve{curve}, 240*5e8+1e8); step != 1e9 || len(rates[0]) != 121 {
		t.Errorf("%d steps of %d ns, want 121 of a second", len(rates[0]), step)
	}
}
