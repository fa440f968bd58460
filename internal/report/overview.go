package report

import (
	"math"

	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/unit"
)

// mostColumns is how many phases stand side by side.
const mostColumns = 12

// overview is a line per run and a column per phase: its rate, and how far that is from the base's.
func (c comparison) overview() *Table {
	names := c.phases()
	t := &Table{Title: "Runs and phases", Note: "All disks together (or the only one) in " + c.scale.Unit + ", in the overlap, and its change from the base. Bold: significant.", Columns: []Column{{Head: "Run"}}}
	for _, name := range names[:min(len(names), mostColumns)] {
		t.Columns = append(t.Columns, Column{Head: name, Numbers: true})
	}
	for i := range c.keys {
		row := []Cell{{Disk: &c.keys[i]}}
		for _, name := range names[:min(len(names), mostColumns)] {
			row = append(row, c.cell(i, name))
		}
		t.Rows = append(t.Rows, row)
	}
	if n := len(names) - mostColumns; n > 0 {
		t.Note += " " + unit.Plural(n, "more phase") + " below."
	}
	return t
}

// cell is a run's rate in a phase; the first run is the base.
func (c comparison) cell(run int, phase string) Cell {
	if run > 0 {
		if r := c.find(run-1, phase); r != nil {
			return Cell{Text: c.scale.Number(*r.New), Small: Change(*r.Change), Strong: told(r)}
		}
		return Cell{Text: none}
	}
	for pair := range c.Pairs {
		if r := c.find(pair, phase); r != nil {
			return Cell{Text: c.scale.Number(*r.Base)}
		}
	}
	return Cell{Text: none}
}

func told(r *compare.Rate) bool { return r.Verdict == compare.Faster || r.Verdict == compare.Slower }

// figure is a point for each run's change in each phase, with its interval, a row per run.
func (c comparison) figure() *Figure {
	f := &Figure{
		ID: "changes", Title: "Change from the base", Keys: c.keys[1:],
		Text: "Marks: each phase's rate, all disks together; lines: confidence intervals, which hold for all together with a chance of 95 %. The dashed line is no change.",
	}
	reach := 0.05
	var marks []Mark
	for i := range c.Pairs {
		points := Mark{Shape: Point, Key: i, Name: "change"}
		bars := Mark{Shape: Segment, Style: Line, Key: i, Name: interval}
		names := c.phases()
		for k, name := range names {
			r := c.find(i, name)
			if r == nil {
				continue
			}
			y := Round(float64(i)+0.6*((float64(k)+0.5)/float64(len(names))-0.5), 4)
			reach = max(reach, math.Abs(*r.Change))
			points.Rows = append(points.Rows, []float64{Round(*r.Change, 4), y})
			if r.Interval != nil {
				reach = max(reach, -r.Interval[0], r.Interval[1])
				bars.Rows = append(bars.Rows, []float64{Round(r.Interval[0], 4), Round(r.Interval[1], 4), y, y})
			}
		}
		marks = append(marks, bars, points)
	}
	_, reach = round125(0.01, reach)
	f.X = Axis{Name: "change of each phase's rate", Unit: Percent, Min: -reach, Max: reach}
	marks = append(marks, Mark{Shape: Rule, Style: Dashed, Key: None, Rows: [][]float64{{0}}})
	f.Panels = []Panel{rows(len(f.Keys), marks)}
	return f
}
