package report

import (
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// A share has its interval beside it, and one that is of nothing says so: it must not look as if nothing were lost.
func TestPairCell(t *testing.T) {
	kept := func(share float64) analysis.DiskContention {
		return analysis.DiskContention{Retention: &share, RetentionCI: &analysis.Interval{share - 0.021, share + 0.021}}
	}
	for want, list := range map[string][]analysis.DiskContention{
		"":             nil,
		"47 ± 3 %":     {kept(0.47)},
		"50 ± 3 %":     {kept(0.47), kept(0.53), {}},
		"no reference": {{}},
	} {
		got := pairCell(list)
		if got.Text != want {
			t.Errorf("got %q, want %q", got.Text, want)
		}
		if got.NoReference != (want == "no reference") || (got.Heat == nil) != (want == "" || got.NoReference) {
			t.Errorf("%q: no reference %v, heat %v", want, got.NoReference, got.Heat)
		}
	}
}
