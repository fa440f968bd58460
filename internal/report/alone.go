package report

import (
	"github.com/hubbench/hubbench/pkg/analysis"
)

// without is a disk's rate without the others as the analysis found it, and how the run shows it; nil where it does not.
type without struct {
	rate float64 // bytes per second
	kept *float64
	from string // "alone in W--", "without C"
}

func withoutOthers(found *analysis.Phase, disk string) *without {
	if found.Contention == nil || found.Paced[disk].Limited() {
		return nil
	}
	c, ok := found.Contention.Disks[disk]
	if !ok || c.ReferenceRate == nil || *c.ReferenceRate <= 0 {
		return nil
	}
	return &without{*c.ReferenceRate, c.Retention, pick(c.Reference == analysis.ReferenceLater, "without ", "alone in ") + shorten(c.ReferenceFrom, longest)}
}

// aloneFigure sets what each disk got in the overlap beside what it has without the others.
func aloneFigure(v *phaseView) *Figure {
	o := v.found.Overlap
	if o == nil || len(o.Disks) < 2 {
		return nil
	}
	f := &Figure{
		ID: "alone", Title: "Rate in the overlap and without the others", Keys: v.working(), OmitInText: true,
		Text: "Full bar: the rate in the overlap, with its 95 % confidence interval. Outline: the rate without the others.",
	}
	var marks []Mark
	known, top := false, 0.0
	for i, key := range f.Keys {
		y, part := float64(i), o.Disks[key.Name]
		rate := Round(v.scale.of(part.Rate), 9)
		top = max(top, rate)
		text, end := v.scale.Number(part.Rate), rate
		marks = append(marks, Mark{Shape: Rectangle, Key: i, Name: "in the overlap", Rows: [][]float64{{0, rate, y - 0.26, y + 0.26}}})
		if w := withoutOthers(v.found, key.Name); w != nil {
			full := Round(v.scale.of(w.rate), 9)
			known, top, end = true, max(top, full), max(end, full)
			text += " of " + v.scale.Number(w.rate)
			marks = append(marks, Mark{Shape: Rectangle, Style: Outline, Key: i, Name: w.from, Rows: [][]float64{{0, full, y - 0.26, y + 0.26}}})
		}
		if ci := part.CI95; ci != nil {
			marks = append(marks, Mark{Shape: Segment, Style: Ink, Key: i, Name: interval, Rows: [][]float64{{v.rate(ci[0]), v.rate(ci[1]), y, y}}})
		}
		marks = append(marks, Mark{Shape: Label, Key: i, Style: Ink, Text: text, Rows: [][]float64{{end, y}}})
	}
	if !known {
		return nil
	}
	f.X = Axis{Name: "rate, " + v.scale.Unit, Max: 1.25 * top}
	f.Panels = []Panel{rows(len(f.Keys), marks)}
	return f
}
