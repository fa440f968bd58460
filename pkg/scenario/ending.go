package scenario

import (
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Limits of the rest before a phase.
const (
	maxCooldown = 24 * time.Hour
	longestRest = 10 * time.Minute // for the disks to become idle, unless the scenario says
)

// readStop reads when a phase ends.
func readStop(m *strictyaml.Mapping, p *PhaseSpec) {
	n, ok := m.Get("stop")
	if !ok {
		return
	}
	word := n.Raw()
	switch {
	case word == StopRace || word == StopHold:
		p.Stop = word
	case word != "" && strings.Contains("-.0123456789", word[:1]):
		p.Stop = StopTime
		m.Duration("stop", &p.Limit, minTime, maxTime)
	default:
		n.Errorf("stop must be race, hold or a time; try %s, or 30 s", strictyaml.Suggest(word, []string{StopRace, StopHold}))
	}
}

// readCooldown reads the rest before a phase: a time, or until the disks are idle.
func readCooldown(m *strictyaml.Mapping, p *PhaseSpec) {
	n, ok := m.Get("cooldown")
	if !ok || n.Kind() != strictyaml.Map {
		m.Duration("cooldown", &p.Cooldown, 0, maxCooldown)
		return
	}
	until := n.Mapping()
	until.Require("until")
	until.OneOf("until", new(string), "idle")
	p.UntilIdle, p.Cooldown = true, longestRest
	until.Duration("most", &p.Cooldown, 0, maxCooldown)
	until.Done()
}

// readConnection reads how disks are connected in this phase: all that work, or a mapping for some.
func (s *Scenario) readConnection(m *strictyaml.Mapping, p *PhaseSpec, idle func(disk string) bool) {
	n, ok := m.Get("connection")
	if !ok {
		return
	}
	p.Connections = map[string]string{}
	if n.Kind() == strictyaml.Map {
		of := n.Mapping()
		s.eachDisk(n, idle, "connection", func(disk string, _ strictyaml.Node) {
			var label string
			readText(of, disk, &label)
			p.Connections[disk] = label
		})
		return
	}
	var label string
	readName(m, "connection", &label)
	for _, d := range s.Disks {
		if !idle(d.Name) {
			p.Connections[d.Name] = label
		}
	}
}
