package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A disk that ends within a step keeps its share until then: the step's mean would be a dip that never was.
func TestShareHasNoDipAtADisksEnd(t *testing.T) {
	found := &analysis.Phase{
		Roles:   map[string]trace.Role{"A": trace.Write, "B": trace.Write},
		Overlap: &analysis.Overlap{},
		Series:  &analysis.Series{StepS: 1, EndS: 2.5, Total: []float64{2e9, 2e9, 1.5e9}, Disks: map[string][]float64{"A": {1e9, 1e9, 0.5e9}, "B": {1e9, 1e9, 1e9}}},
		Stages:  []analysis.Stage{{EndS: 2.25, Active: []string{"A", "B"}}, {StartS: 2.25, EndS: 2.5, Active: []string{"B"}}},
	}
	v := newPhaseView(&Run{Analysis: &analysis.Analysis{}}, newKeys([]string{"A", "B"}), found, Scale{})
	want := [][][]float64{{{0, 2.25, 0, 0.5}}, {{0, 2.25, 0.5, 1}, {2.25, 2.5, 0, 1}}}
	for i, m := range shareFigure(v).Panels[0].Marks {
		if diff := cmp.Diff(want[i], m.Rows); diff != "" {
			t.Errorf("disk %d (-want +got):\n%s", i, diff)
		}
	}
}
