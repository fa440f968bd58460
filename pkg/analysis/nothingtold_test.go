package analysis_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// TestNothingTold plays disks that only start and end, under all classes of noise, and counts what
// is told of them: of any kind of change, and of any code of finding, at most 1 % of the runs may
// have one.
//
//	go test ./pkg/analysis -run NothingTold -v -args -traces 10
func TestNothingTold(t *testing.T) {
	disks, lengths := []int{1, 3, 8}, []float64{15, 45, 120}
	runs, told := 0, map[string]int{}
	where := map[string]map[string]int{} // of what is told, by class
	for i, class := range tracetest.Classes() {
		if *tune && !class.Tuned {
			continue
		}
		for k := range len(disks) * len(lengths) {
			if *analysis.TracesPerKind == 0 && k != i%(len(disks)*len(lengths)) {
				continue
			}
			for seed := range max(*analysis.TracesPerKind, 1) {
				runs++
				for _, what := range toldOf(steadyCase(class, random(100*seed+k, 92), disks[k%3],
					lengths[k/3])) {
					told[what]++
					if where[what] == nil {
						where[what] = map[string]int{}
					}
					where[what][class.Name]++
				}
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(told)) {
		t.Logf("%4d of %d: %s %v", told[what], runs, what, where[what])
		if *judge && what[:6] == "change" && 100*told[what] > runs {
			t.Errorf("%d of %d steady runs have a %s", told[what], runs, what)
		}
	}
}

// steadyCase is a phase of disks of unequal rates, each alone before.
func steadyCase(class tracetest.Class, rnd *rand.Rand, disks int, untilS float64) *trace.Run {
	var phases []*trace.Phase
	var together []*trace.DiskRecord
	for i := range disks {
		d := tracetest.Disk{
			Name:   string(rune('A' + i)),
			Levels: []tracetest.Level{{UntilS: untilS, Rate: 0.4e9 + 1.2e9*rnd.Float64()}},
			Sizes:  class.Sizes, Noise: class.Noise,
		}
		if phases = append(phases, tracetest.Phase(d.Name, d.Play(rnd))); disks > 1 {
			together = append(together, d.Play(rnd))
		}
	}
	if together != nil {
		phases = append(phases, tracetest.Phase("all", together...))
	}
	return tracetest.Run(phases...)
}

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
