package limit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// MinRates reads --fail-below, which names a disk in a phase (DISK.PHASE); repeats also share a
// name without their number. The names of a search's tries are not known in advance.
func MinRates(texts []string, plan *scenario.Plan) (limits []scenario.Limit, err error) {
	all := map[string]scenario.Limit{}
	for _, p := range plan.Phases {
		if p.Search != nil {
			continue
		}
		for _, j := range p.Jobs {
			for _, name := range []string{p.Name, trace.Unnumbered(p.Name)} {
				all[j.Disk+"."+name] = scenario.Limit{Phase: name, Disk: j.Disk,
					Measure: scenario.Measures()[0]}
			}
		}
	}
	for _, text := range texts {
		at := max(strings.LastIndexByte(text, '='), 0)
		minRate, err := unit.ParseRate(strings.TrimPrefix(text[at:], "="))
		if err != nil || !strings.HasSuffix(strings.ToLower(text), "b/s") {
			return nil, fmt.Errorf("--fail-below %s: write DISK.PHASE=RATE, such as A.WWW=1.2GB/s",
				text)
		}
		l, known := all[text[:at]]
		if !known {
			return nil,
				fmt.Errorf("--fail-below %s: the scenario has no such disk and phase; try %s",
					text, strictyaml.Suggest(text[:at], slices.Sorted(maps.Keys(all))))
		}
		l.Min = &minRate
		limits = append(limits, l)
	}
	return limits, nil
}
