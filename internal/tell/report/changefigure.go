package report

import (
	"fmt"
	"slices"

	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/unit"
)

// figure sets the two rates of each phase and disk beside each other, the largest change first; nil if there are none.
func (c comparison) figure(i int) *Figure {
	a := &c.answers[i]
	list := slices.DeleteFunc(slices.Concat(a.Changed, a.Same, a.Unjudged), func(r compare.Row) bool { return r.Base == nil })
	if len(list) == 0 {
		return nil
	}
	f := &Figure{ID: "changes", OmitInText: true, Title: "No rate changed significantly"}
	if n := len(a.Changed); n > 0 {
		f.Title = fmt.Sprintf("%d of %s changed, the most by %s", n, unit.Plural(len(list), "rate"), Change(*a.Changed[0].Change))
	}
	f.Text = fmt.Sprintf("Upper bar: %s; lower bar: %s, with the interval of the change.", c.keys[0].Label, c.keys[i+1].Label)
	if n := len(list); n > maxChanges {
		list = largest(list, a.Lead, maxChanges)
		f.Text += fmt.Sprintf(" %d of %s, the largest changes first.", maxChanges, unit.Plural(n, "rate"))
	}
	var marks []Mark
	top := 0.0
	for k, row := range list {
		key := Key{Name: rowName(row), Label: shorten(rowName(row), 32), Index: len(c.disks())}
		if row.Disk != "" {
			key.Index = slices.Index(c.disks(), row.Disk)
		}
		f.Keys = append(f.Keys, key)
		y, base, now := float64(k), c.number(*row.Base), c.number(*row.New)
		marks = append(marks,
			Mark{Shape: Rectangle, Style: Outline, Key: k, Name: c.keys[0].Label, Rows: [][]float64{{0, base, y - 0.34, y - 0.02}}},
			Mark{Shape: Rectangle, Key: k, Name: c.keys[i+1].Label, Rows: [][]float64{{0, now, y + 0.02, y + 0.34}}})
		end := now
		if v := row.Interval; v != nil {
			end = c.number(*row.Base * (1 + v[1]))
			marks = append(marks, Mark{Shape: Segment, Style: Ink, Key: k, Name: interval, Rows: [][]float64{{c.number(*row.Base * (1 + v[0])), end, y + 0.18, y + 0.18}}})
		}
		marks = append(marks, Mark{Shape: Label, Key: k, Style: Ink, Text: Change(*row.Change), Rows: [][]float64{{end, y + 0.18}}})
		top = max(top, base, end)
	}
	f.X = Axis{Name: "rate, " + c.scale.Unit, Max: 1.15 * top}
	f.Panels = []Panel{rows(len(f.Keys), marks)}
	f.Panels[0].Height = 34 * len(f.Keys)
	return f
}

func (c comparison) number(rate float64) float64 { return Round(c.scale.of(rate), 6) }

// disks are the names of all disks compared.
func (c comparison) disks() []string {
	var names []string
	for i := range c.Pairs {
		for k := range c.Pairs[i].Phases {
			for _, name := range c.Pairs[i].Phases[k].Disks() {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
