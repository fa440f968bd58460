package scenario

import "github.com/hubbench/hubbench/pkg/strictyaml"

// refusal is a part of the scenario format that this version does not do. Ignoring it would give
// numbers of another test than was asked for.
type refusal struct {
	key, value string
	try        string
}

// refusals lists all of them: what is built is deleted here.
func refusals() []refusal {
	return []refusal{
		{key: "until", value: "idle", try: "a time in its place, such as cooldown: 2 min"},
	}
}

// refuse reports what a mapping asks for that this version does not do.
func (s *Scenario) refuse(m *strictyaml.Mapping) {
	for _, p := range m.Pairs() {
		for _, r := range s.refused {
			if p.Key == r.key && p.Value.Raw() == r.value {
				p.Value.Errorf("%s: %s is not supported by this version of hubbench; try %s", r.key, r.value, r.try)
			}
		}
	}
}
