package html

import (
	"math"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// heat is a table whose cells are coloured by what is lost; pressing one shows its state.
type heat struct {
	*report.Table
	Heads []heatHead
	Rows  []heatRow
}

// heatHead is the head of a column or a row.
type heatHead struct {
	report.Cell
	Again bool // the one before is of the same disk
}

type heatRow struct {
	heatHead
	Cells []heatCell
}

type heatCell struct {
	report.Cell
	Class string
}

// How what a disk keeps of its baseline is shown.
const (
	maxHot      = 0.75 // below this part it is in bold
	tintFrom    = 0.05 // the loss from which a cell is coloured
	maxTint     = 42   // per cent of the colour for losses
	tintPerLoss = 70
)

// newHeat lays a table out.
func newHeat(t *report.Table) heat {
	out := heat{Table: t}
	for i, c := range t.Columns[1:] {
		out.Heads = append(out.Heads, heatHead{report.Cell{Text: c.Head, Disk: c.Disk},
			i > 0 && c.Disk != nil && c.Disk == t.Columns[i].Disk})
	}
	for i, row := range t.Rows {
		again := i > 0 && row[0].Disk != nil && row[0].Disk == t.Rows[i-1][0].Disk
		r := heatRow{heatHead: heatHead{row[0], again}}
		for _, c := range row[1:] {
			cell := heatCell{Cell: c}
			switch {
			case c.NoReference:
				cell.Class = "unknown"
			case c.Heat > 0 && c.Heat < maxHot:
				cell.Class = "hot"
			case c.Strong:
				cell.Class = "sum"
			}
			r.Cells = append(r.Cells, cell)
		}
		out.Rows = append(out.Rows, r)
	}
	return out
}

// tint returns how strongly a cell is coloured for what a disk keeps.
func tint(kept float64) int {
	if kept <= 0 || kept > 1-tintFrom {
		return 0
	}
	return min(maxTint, int(math.Round(tintPerLoss*(1-kept))))
}
