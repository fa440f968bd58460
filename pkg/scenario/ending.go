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

func (p *PhaseSpec) stop() strictyaml.Value {
	words := []string{StopRace, StopHold}
	limit := strictyaml.Duration(&p.Limit, minTime, maxTime)
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			word := n.Raw()
			switch {
			case word == StopRace || word == StopHold:
				p.Stop = word
			case word != "" && strings.Contains("-.0123456789", word[:1]):
				p.Stop = StopTime
				limit.Read(n)
			default:
				n.Errorf("stop must be race, hold or a time; try %s, or 30 s", strictyaml.Suggest(word, words))
			}
		},
		Schema: func() strictyaml.Schema {
			return strictyaml.Schema{"anyOf": []strictyaml.Schema{{"enum": words}, limit.Schema()}, "default": p.Stop}
		},
	}
}

// cooldown is the rest before a phase: a time, or until the disks are idle.
func (p *PhaseSpec) cooldown() strictyaml.Value {
	most := longestRest
	idle := strictyaml.Object{Keys: []strictyaml.Key{
		{Name: "until", Need: true, Value: strictyaml.OneOf(new(string), "idle"), About: "idle: until the disks are idle"},
		{Name: "most", Value: strictyaml.Duration(&most, 0, maxCooldown), About: "but no longer than this"},
	}}
	return strictyaml.MappingOr(
		idle.Value().Then(func(strictyaml.Node) { p.UntilIdle, p.Cooldown = true, most }),
		strictyaml.Duration(&p.Cooldown, 0, maxCooldown))
}

// connection is how disks are connected in this phase: all that work, or a mapping for some.
func (s *Scenario) connection(p *PhaseSpec, idle func(disk string) string) strictyaml.Value {
	var label string
	all := strictyaml.Name(&label).Then(func(strictyaml.Node) {
		p.Connections = map[string]string{}
		for _, d := range s.Disks {
			if idle(d.Name) == "" {
				p.Connections[d.Name] = label
			}
		}
	})
	return strictyaml.MappingOr(byDisk(s, &p.Connections, idle, "connection", text), all)
}
