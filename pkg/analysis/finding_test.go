package analysis

import ()

// toldOf are the findings of one phase of A, B, C and D.
func toldOf(p PhaseResult, saturations ...Saturation) []Finding {
	p.Name = "p"
	return findings(&Analysis{
		Phases: []PhaseResult{p}, Order: []string{"A", "B", "C", "D"}, Saturations: saturations,
	})
}
