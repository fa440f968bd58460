package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
)

// TestOrder analyses a run twice, the second time with its phases and their disks in the opposite
// order, and wants the same of each phase: no stage may rest on another having been there before.
func TestOrder(t *testing.T) {
	run := everywhere(t)
	forth := byPhase(t, Analyze(run, Options{}))
	slices.Reverse(run.Phases)
	for _, p := range run.Phases {
		slices.Reverse(p.Disks)
	}
	back := byPhase(t, Analyze(run, Options{}))
	if diff := cmp.Diff(forth, back, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("(-forth +back):\n%s", diff)
	}
}

// byPhase is what the analysis says of each phase, as JSON whose lists of names and of objects are
// sorted.
func byPhase(t *testing.T, a *Analysis) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, p := range a.Phases {
		text, err := json.Marshal(p)
		check.Must(t, err)
		var value any
		check.Must(t, json.Unmarshal(text, &value))
		sortLists(value)
		all[p.Name] = value
	}
	return all
}

// sortLists sorts the lists within a value, unless they are of numbers.
func sortLists(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, one := range v {
			sortLists(one)
		}
	case []any:
		for _, one := range v {
			sortLists(one)
			if _, ok := one.(float64); ok {
				return
			}
		}
		slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
}
