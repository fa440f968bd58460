package delta

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/render/fixture"
	"github.com/hubbench/hubbench/pkg/compare"
)

func TestPercent(t *testing.T) {
	for change, want := range map[float64]string{
		0: "0.0 %", 0.0004: "0.0 %", -0.0004: "0.0 %", 0.0006: "+0.1 %", -0.05: "-5.0 %", 0.999: "+99.9 %", 0.9996: "+100 %", 1.234: "+123 %",
	} {
		if got := Percent(change); got != want {
			t.Errorf("Percent(%v) = %q, want %q", change, got, want)
		}
	}
}

func TestChance(t *testing.T) {
	for p, want := range map[float64]string{
		0: "< 0.001", 0.0009: "< 0.001", 0.001: "0.0010", 0.0123: "0.012", 0.06: "0.060", 0.31: "0.31", 0.99: "0.99", 1: "1",
	} {
		if got := chance(p); got != want {
			t.Errorf("chance(%v) = %q, want %q", p, got, want)
		}
	}
}

func TestRow(t *testing.T) {
	c := fixture.Comparison()
	var got [][]string
	for _, r := range c.Pairs[0].Phases[0].Rates[2:4] {
		got = append(got, Row(r, Scale(c)))
	}
	want := [][]string{
		{"C", "writes, window", "2.10", "2.10", "0.0 %", "-1.5 to +1.5 %", "1", "not shown"},
		{"C", "writes, files", "2.10", "2.20", "+4.8 %", "", "", "too little data"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got := len(Heads(Scale(c))); got != len(want[0]) {
		t.Errorf("%d heads over %d cells", got, len(want[0]))
	}
}

func TestSummary(t *testing.T) {
	c := fixture.Comparison()
	if got, want := Summary(&c.Pairs[0]), "Of 5 rates, 1 fell, 1 rose, 2 show no difference, 1 cannot be judged."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Summary(&compare.Pair{}), "There are no rates to compare."; got != want {
		t.Errorf("nothing: got %q, want %q", got, want)
	}
}
