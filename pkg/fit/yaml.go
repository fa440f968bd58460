package fit

import (
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// YAML writes the fitted profile as hub.Load reads it, with each parameter's interval beside it, and below what was
// observed.
func (r *Result) YAML() []byte {
	notes := map[string]string{}
	for _, p := range r.Parameters {
		notes[p.Name] = p.Interval()
		if p.Note != "" {
			notes[p.Name] = strings.TrimPrefix(p.Interval()+"; "+p.Note, "; ")
		}
	}
	return r.Profile.YAML(notes)
}

// Format writes a value of the parameter as people read it.
func (p *Parameter) Format(value float64) string {
	switch p.Unit {
	case "B/s":
		return unit.FormatRate(value)
	case "s":
		return unit.FormatSeconds(value)
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}
