package report

import (
	"fmt"
	"strconv"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// addSaturations shows for each phase of the preset saturation what rests have given back to the disks that fell.
func addSaturations(doc *Document, a *analysis.Analysis) {
	of := map[string][]*analysis.Saturation{}
	for i := range a.Saturations {
		if s := &a.Saturations[i]; s.Fall != nil && len(s.Bursts) > 0 {
			of[s.Of] = append(of[s.Of], s)
		}
	}
	n := 0
	for i := range a.Saturations {
		name := a.Saturations[i].Of
		if of[name] == nil {
			continue // or shown already
		}
		f := regainedFigure(doc.Keys, name, of[name])
		if n++; n > 1 {
			f.ID += "-" + strconv.Itoa(n)
		}
		doc.Add(f, regainedTable(f.Keys, name, of[name]))
		delete(of, name)
	}
}

// regainedFigure is how much of its cache each disk had back after a rest, against the rest.
func regainedFigure(keys []Key, name string, found []*analysis.Saturation) *Figure {
	f := &Figure{
		ID: "regained", Title: "What a rest gives back (" + name + ")", OmitInText: true,
		Text: "Marks: how much of its fast cache the disk had back after a rest, with its 95 % confidence interval. The line across is what its fast cache took at first; a dashed line leads to the rest that brings back all of it.",
		X:    Axis{Name: "rest before writing", Unit: Seconds},
	}
	panel := Panel{Y: Axis{Name: "of the cache", Unit: Bytes}, Height: 250}
	for i, s := range found {
		if at := keyOf(keys, s.Disk); at >= 0 {
			f.Keys = append(f.Keys, keys[at])
		}
		points, bars := Mark{Shape: Point, Key: i, Name: "burst"}, Mark{Shape: Segment, Style: Line, Key: i, Name: interval}
		for _, b := range s.Bursts {
			low, high := max(0, b.FastBytes-2*b.SEBytes), b.FastBytes+2*b.SEBytes
			points.Rows = append(points.Rows, []float64{b.RestS, Round(b.FastBytes, 4)})
			bars.Rows = append(bars.Rows, []float64{b.RestS, b.RestS, Round(low, 4), Round(high, 4)})
			f.X.Max, panel.Y.Max = max(f.X.Max, 1.05*b.RestS), max(panel.Y.Max, 1.1*high)
		}
		panel.Y.Max = max(panel.Y.Max, 1.1*s.Fall.AtBytes)
		panel.Marks = append(panel.Marks, bars, points)
		if b := s.Back; b != nil && b.RestS != nil {
			panel.Marks = append(panel.Marks, Mark{Shape: Segment, Style: Dashed, Key: i, Name: "as it grows", Rows: [][]float64{{0, Round(*b.RestS, 4), 0, Round(s.Fall.AtBytes, 4)}}})
		}
	}
	for i, s := range found {
		panel.Marks = append(panel.Marks, Mark{
			Shape: Rule, Style: Limit, Key: i, Text: unit.FormatBytes(int64(s.Fall.AtBytes)) + " at first",
			Rows: [][]float64{{0, f.X.Max, Round(s.Fall.AtBytes, 4)}},
		})
	}
	f.Panels = []Panel{panel}
	return f
}

// regainedTable is the same in numbers: a row per rest, a column per disk.
func regainedTable(keys []Key, name string, found []*analysis.Saturation) *Table {
	t := &Table{
		Title: "What a rest gives back (" + name + ")", Columns: []Column{{Head: "Rest"}},
		Note: "How much of its fast cache a disk had back after a rest, by what it then wrote faster than without; and the share of what the cache took at first. ±: half the 95 % confidence interval.",
	}
	for i := range keys {
		t.Columns = append(t.Columns, Column{Head: keys[i].Label, Disk: &keys[i], Numbers: true})
	}
	for row, b := range found[0].Bursts {
		cells := []Cell{{Text: unit.FormatSeconds(b.RestS)}}
		for _, s := range found {
			cell := Cell{Text: none}
			if row < len(s.Bursts) {
				b := s.Bursts[row]
				cell.Text = unit.FormatBytes(int64(b.FastBytes))
				cell.Small = fmt.Sprintf("± %s, %s", unit.FormatBytes(int64(2*b.SEBytes)), percent(b.FastBytes/s.Fall.AtBytes))
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
