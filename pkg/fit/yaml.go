package fit

import (
	"fmt"
	"strconv"

	"github.com/hubbench/hubbench/pkg/unit"
)

// YAML writes the fitted profile as hub.Load reads it, with each parameter's interval beside it, and below what was
// observed.
func (f *Result) YAML() []byte {
	notes := map[string]string{}
	for _, p := range f.Parameters {
		note := fmt.Sprintf("%s to %s", p.format(p.Low), p.format(p.High))
		if p.Note != "" {
			note += "; " + p.Note
		}
		notes[p.Name] = note
	}
	return f.Profile.YAMLWithNotes(notes)
}

// format writes a value of the parameter as people read it.
func (p *Parameter) format(value float64) string {
	switch p.Unit {
	case "B/s":
		return unit.FormatRate(value)
	case "s":
		return unit.FormatSeconds(value)
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}
