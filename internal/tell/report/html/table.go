package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// used is a table without the columns that have nothing in any row.
func used(t *report.Table) *report.Table {
	keep := t.Used()
	out := *t
	out.Columns, out.Rows = pick(t.Columns, keep), make([][]report.Cell, len(t.Rows))
	for i, row := range t.Rows {
		out.Rows[i] = pick(row, keep)
	}
	return &out
}

func pick[T any](from []T, indices []int) []T {
	out := make([]T, len(indices))
	for k, i := range indices {
		out[k] = from[i]
	}
	return out
}

// unknown reports whether any of the table's cells has nothing to be compared with.
func unknown(t *report.Table) bool {
	return slices.ContainsFunc(t.Rows, func(row []report.Cell) bool {
		return slices.ContainsFunc(row, func(c report.Cell) bool { return c.NoReference })
	})
}

// class is a cell's: numbers stand to the right, shares are coloured in steps of a tenth.
func class(column report.Column, cell report.Cell) string {
	var names []string
	if column.Numbers {
		names = append(names, "num")
	}
	if cell.Heat != nil {
		names = append(names, fmt.Sprintf("heat h%d", min(10, max(0, int(*cell.Heat*10+0.5)))))
	}
	if cell.NoReference {
		names = append(names, "unknown")
	}
	if len(cell.Text) > 40 {
		names = append(names, "wrap")
	}
	return strings.Join(names, " ")
}
