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
		{key: "study", try: "listing the phases"},
		{key: "stop", except: []string{"race"}, try: "race"},
		{key: "io", values: []string{"app"}, try: "direct"},
		{key: "verify", values: []string{"stamps", "full"}, try: "off"},
		{key: "keep", values: []string{"true"}, try: "false"},
		{key: "footprint", try: "fewer or smaller files"},
		{key: "preset", values: []string{"amorphous", "crystal"}, try: strictyaml.Choice(presetNames())},
	}
}

// refuseUnsupported reports what a mapping asks for that this version does not do.
func refuseUnsupported(m *strictyaml.Mapping) {
	for _, p := range m.Pairs() {
		for _, r := range refusals() {
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
