package scenario

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// refusal is a part of the scenario format that this version does not do. Ignoring it would give
// numbers of another test than was asked for.
type refusal struct {
	key    string
	values []string // the values refused; nil: all but those of except
	except []string
	try    string
}

// refusals lists all of them: what is built is deleted here.
func refusals() []refusal {
	return []refusal{
		{key: "until", values: []string{"idle"}, try: "a time in its place, such as cooldown: 2 min"},
	}
}

// refuse reports what a mapping asks for that this version does not do.
func (s *Scenario) refuse(m *strictyaml.Mapping) {
	for _, p := range m.Pairs() {
		for _, r := range s.refused {
			value := p.Value.Raw()
			if p.Key != r.key || slices.Contains(r.except, value) || r.values != nil && !slices.Contains(r.values, value) {
				continue
			}
			what := r.key
			switch {
			case r.values != nil:
				what += ": " + value
			case r.except != nil:
				what += " other than " + strictyaml.Choice(r.except)
			}
			p.Value.Errorf("%s is not supported by this version of hubbench; try %s", what, r.try)
		}
	}
}
