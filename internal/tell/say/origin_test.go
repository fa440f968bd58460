package say

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
)

// An interval is no proof if nothing was measured; if a model stands behind the rates, that is said.
func TestSureOfAModel(t *testing.T) {
	ci := &analysis.Interval{0.99e9, 1.01e9}
	for _, tt := range []struct {
		origin    hub.Source
		has, hasn string
	}{
		{"", "known to ±1.0 % or better", "simulated"},
		{hub.Specified, "The disks are simulated, with figures from specifications: neither the hub nor its disks were measured: how far real ones differ is not known.", "±"},
		{hub.Measured, "known to ±1.0 % or better", "specifications"},
		{hub.Measured, "The disks are simulated, with figures that were measured: the intervals are about the model", "specifications"},
		{hub.Fitted, "with figures that were fitted to runs:", "specifications"},
	} {
		a := &analysis.Analysis{Order: []string{"A"}, ProfileOrigin: string(tt.origin)}
		a.Summary.Contests = []analysis.Contest{{Phases: []string{"W"}, Disks: map[string]analysis.ContestDisk{"A": {Rate: 1e9, CI95: ci}}}}
		a.Decide()
		if got := strings.Join(append(Methods(a), in(a).sure()), " "); !strings.Contains(got, tt.has) || strings.Contains(got, tt.hasn) {
			t.Errorf("%q: %s", tt.origin, got)
		}
	}
}
