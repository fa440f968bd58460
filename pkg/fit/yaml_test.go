package fit

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
)

func TestFitYAMLShowsIntervals(t *testing.T) {
	f := &Result{Profile: noisy(), Parameters: []Parameter{
		{Name: "capacity.read", Unit: "B/s", Value: 3.25e9, Low: 3.2e9, High: 3.3e9},
		{Name: "weights.write", Value: 1.37, Low: 0.5, High: 3, Note: "not identifiable: assumed"},
		{Name: "recovery.write_after_write[2]", Unit: "s", Value: 10, Low: 9.9, High: 10.1},
	}}
	f.Profile.Link, f.Profile.Lane = math.Inf(1), math.Inf(1)
	f.Profile.Lags = hub.Lags{WriteAfterWrite: []time.Duration{4 * time.Second, 10 * time.Second}}
	got := string(f.YAML())
	for _, want := range []string{
		"  read: 3.25 GB/s    # 3.20 GB/s to 3.30 GB/s\n",
		"  write: 1.37    # 0.5 to 3; not identifiable: assumed\n",
		"  write_after_write: [4 s, 10 s]\n  # 2 staying:    # 9.9 s to 10.1 s\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if _, err := hub.Load("fit.yaml", []byte(got)); err != nil {
		t.Error(err)
	}
}
