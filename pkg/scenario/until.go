package scenario

import (
	"time"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Limits of phases that end when the rates are steady, and of preconditioning.
const (
	steadyWindow = 10 * time.Second // unless the scenario says
	minWindow    = time.Second
	maxWindow    = time.Hour
	longestUntil = 4 * time.Hour // for the rates to become steady, unless the scenario says

	minFill = 0.01
	maxFill = 0.95 // of a volume
)

// until is the condition that ends a phase.
func (p *PhaseSpec) until() strictyaml.Value {
	const steady = "steady"
	window := steadyWindow
	set := func(strictyaml.Node) { p.Steady = window }
	full := strictyaml.Object{Keys: []strictyaml.Key{
		{Name: steady, Need: true, Value: strictyaml.Duration(&window, minWindow, maxWindow), About: "the length of a window; rates are steady over five"},
	}}
	return strictyaml.MappingOr(full.Value(), strictyaml.OneOf(new(string), steady)).Then(set)
}

// checkUntil sets the latest end of a phase that ends when its rates are steady.
func (p *PhaseSpec) checkUntil(m *strictyaml.Mapping) {
	if p.Steady == 0 || p.Search != nil {
		return
	}
	n, said := m.Get("stop")
	switch {
	case !said:
		p.Stop, p.Limit = StopTime, longestUntil
	case p.Stop != StopTime:
		n.Errorf("until: steady ends the phase, and stop is the latest time for that; try 1 h, or delete stop")
	case p.Limit < 5*p.Steady:
		n.Errorf("stop comes before five windows have passed, over which rates are steady; try a later one, or shorter windows: {steady: 1 s}")
	}
}

// precondition is what is done to the disks before the phase.
func (s *Scenario) precondition(p *PhaseSpec) strictyaml.Value {
	return strictyaml.Object{
		Keys: []strictyaml.Key{
			{Name: "fill", Need: true, Value: strictyaml.Percent(&p.Precondition, minFill, maxFill), About: "the share of each volume that is full when the phase begins, with what is there already, such as 50 %"},
		},
		Short: "fill",
		Check: func(m *strictyaml.Mapping) {
			if s.simulated() {
				m.Errorf("simulated disks have no size to fill a share of; delete precondition, or use disks with a path")
			}
		},
	}.Value()
}
