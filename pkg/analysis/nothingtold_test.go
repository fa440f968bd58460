package analysis_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

// toldOf lists which kinds of changes are told, but for starts and ends that are there, and which
// findings.
func toldOf(run *trace.Run) []string {
	a := read(run)
	found := map[string]bool{}
	for _, c := range a.changes {
		if !c.edge(run) {
			found["change: "+c.Kind] = true
		}
	}
	for _, f := range a.Findings {
		found[fmt.Sprintf("finding: %s", f.Code)] = true
	}
	return slices.Collect(maps.Keys(found))
}
