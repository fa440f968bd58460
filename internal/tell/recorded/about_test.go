package recorded

import (
	"fmt"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// How a search's tries were moved stands under their own names, in the order of the trace.
func TestAboutTries(t *testing.T) {
	mode := func(depth int) map[string]trace.Effective {
		return map[string]trace.Effective{"A": {Engine: "threads", Depth: depth}}
	}
	loaded := &rundir.Loaded{
		Info: &rundir.Info{
			Plan: &scenario.Plan{Disks: []scenario.Disk{{Name: "A"}, {Name: "B"}}},
			Effective: map[string]map[string]trace.Effective{"W": mode(1),
				"edit alone 2 streams": mode(2), "edit 10 streams": mode(10), "edit": mode(99)},
		},
		Trace: &trace.Run{Phases: []*trace.Phase{
			{Name: "W"}, {Name: "edit alone 2 streams", Search: &trace.Try{Search: "edit"}},
			{Name: "edit 10 streams", Search: &trace.Try{Search: "edit"}},
		}},
	}
	var got []string
	for _, mode := range about(loaded).Modes {
		got = append(got, fmt.Sprint(mode.Phase, " of ", mode.Disk, ": ", mode.Depth))
	}
	check.Same(t, "modes", []string{"W of A: 1", "edit alone 2 streams of A: 2",
		"edit 10 streams of A: 10"}, got)
}
