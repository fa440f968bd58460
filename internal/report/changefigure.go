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
	rows := slices.DeleteFunc(slices.Concat(a.Changed, a.Same, a.Unjudged), func(r compare.Row) bool { return r.Base == nil })
	if len(rows) == 0 {
		return nil
	}
	f := &Figure{ID: "changes", OmitInText: true, Title: "No rate changed significantly"}
	if n := len(a.Changed); n > 0 {
		f.Title = fmt.Sprintf("%d of %s changed, the most by %s", n, unit.Plural(len(rows), "rate"), Change(*a.Changed[0].Change))
	}
	f.Text = fmt.Sprintf("Upper bar: %s; lower bar: %s, with the interval of the change.", c.keys[0].Label, c.keys[i+1].Label)
	if n := len(rows); n > maxChanges {
		rows = largest(rows, a.Lead, maxChanges)
		f.Text += fmt.Sprintf(" %d of %s, the largest changes first.", maxChanges, unit.Plural(n, "rate"))
	}
	var marks []Mark
	for k, row := range rows {
		key := Key{Name: rowName(row), Label: shorten(rowName(row), 32)}
		if row.Disk != "" {
			key.Index = slices.Index(c.disks(), row.Disk)
		} else {
			key.Index = len(c.disks())
		}
		f.Keys = append(f.Keys, key)
		y := float64(k)
		marks = append(marks, Mark{Shape: Rectangle, Style: Outline, Key: k, Name: c.keys[0].Label, Rows: [][]float64{{0, c.number(*row.Base), y - 0.34, y - 0.02}}})
		marks = append(marks, c.bar(k, c.keys[i+1].Label, row.Rate, [2]float64{y + 0.02, y + 0.34})...)
	}
	c.finish(f, marks)
	return f
}

// figureOfRuns sets the rates of all runs beside each other, in the phase with the most important change; nil if there are none.
func (c comparison) figureOfRuns() *Figure {
	var rate *compare.Row
	for i := range c.answers {
		a := &c.answers[i]
		for _, row := range slices.Concat(a.Lead, a.Same, a.Unjudged) {
			if row.Base != nil && (rate == nil || row.Verdict != compare.NotShown && row.Verdict != compare.TooLittle && larger(row, *rate)) {
				rate = &row
			}
		}
	}
	if rate == nil {
		return nil
	}
	f := &Figure{
		ID: "changes", OmitInText: true, Title: "Each run, " + rowName(*rate), Keys: c.keys,
		Text: "Rates in the overlap, with the intervals of their changes from " + c.keys[0].Label + ".",
	}
	marks := []Mark{{Shape: Rectangle, Style: Outline, Name: c.keys[0].Label, Rows: [][]float64{{0, c.number(*rate.Base), -0.26, 0.26}}}}
	for i := range c.Pairs {
		for _, phase := range c.Pairs[i].Phases {
			for k := range phase.Rates {
				if r := &phase.Rates[k]; phase.Phase == rate.Phase.Phase && r.Disk == rate.Disk && r.Measure == rate.Measure && r.New != nil {
					marks = append(marks, c.bar(i+1, c.keys[i+1].Label, r, [2]float64{float64(i) + 0.74, float64(i) + 1.26})...)
				}
			}
		}
	}
	c.finish(f, marks)
	return f
}

// bar is a run's rate with the interval of its change.
func (c comparison) bar(key int, name string, r *compare.Rate, y [2]float64) []Mark {
	marks := []Mark{{Shape: Rectangle, Key: key, Name: name, Rows: [][]float64{{0, c.number(*r.New), y[0], y[1]}}}}
	text, end, middle := Change(*r.Change), *r.New, Round((y[0]+y[1])/2, 4)
	if v := r.Interval; v != nil {
		low, high := *r.Base*(1+v[0]), *r.Base*(1+v[1])
		end = max(end, high)
		marks = append(marks, Mark{Shape: Segment, Style: Ink, Key: key, Name: interval, Rows: [][]float64{{c.number(low), c.number(high), middle, middle}}})
	}
	return append(marks, Mark{Shape: Label, Key: key, Style: Ink, Text: text, Rows: [][]float64{{c.number(end), middle}}})
}

// finish gives a figure of rates its axes: from nothing, as far as the data go.
func (c comparison) finish(f *Figure, marks []Mark) {
	top := 0.0
	for i := range marks {
		for _, row := range marks[i].Rows {
			top = max(top, row[0], pick(marks[i].Shape == Label, 0, row[1]))
		}
	}
	f.X = Axis{Name: "rate, " + c.scale.Unit, Max: 1.15 * top}
	f.Panels = []Panel{rows(len(f.Keys), marks)}
	f.Panels[0].Height = 34 * len(f.Keys)
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
