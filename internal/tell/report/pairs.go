package report

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// task is a disk and what it does.
type task struct {
	disk string
	role trace.Role
}

func (w task) text(keys []Key) string {
	return labelOf(keys, w.disk) + " " + string(w.role) + "s"
}

// pairsTable is what each disk keeps of its rate beside one other, from the phases of two disks: the row's disk keeps so
// much beside the column's. It is nil if no phase has two disks that are compared with anything.
func pairsTable(keys []Key, a *analysis.Analysis) *Table {
	kept := map[[2]task][]analysis.DiskContention{}
	for i := range a.Phases {
		phase := &a.Phases[i]
		if phase.Contention == nil || len(phase.Disks) != 2 {
			continue
		}
		for disk, c := range phase.Contention.Disks {
			for other := range phase.Contention.Disks {
				if other != disk {
					at := [2]task{{disk, phase.Roles[disk]}, {other, phase.Roles[other]}}
					kept[at] = append(kept[at], c)
				}
			}
		}
	}
	var tasks []task // in the order of disks, reads first
	for _, disk := range a.Order {
		for _, role := range []trace.Role{trace.Read, trace.Write} {
			for at, list := range kept {
				if w := (task{disk, role}); (at[0] == w || at[1] == w) && slices.ContainsFunc(list, func(c analysis.DiskContention) bool { return c.Retention != nil }) {
					tasks = append(tasks, w)
					break
				}
			}
		}
	}
	if tasks == nil {
		return nil
	}
	t := &Table{
		ID: "pairs", Title: "Rate kept beside one other disk", Columns: []Column{{Head: "Rate kept beside"}},
		Note: "Row: the disk measured; column: the disk that works at the same time. 100 %: it has as much as without the other; empty: not measured. ±: half the 95 % confidence interval; of a phase that was repeated, whose mean is shown, half the difference between the highest and the lowest.",
	}
	for _, w := range tasks {
		t.Columns = append(t.Columns, Column{Head: w.text(keys), Numbers: true})
	}
	for _, row := range tasks {
		cells := []Cell{{Text: row.text(keys)}}
		for _, column := range tasks {
			cells = append(cells, pairCell(kept[[2]task{row, column}]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// pairCell is what a disk kept in each of the phases.
func pairCell(list []analysis.DiskContention) Cell {
	var shares []float64
	var ci *analysis.Interval
	for _, c := range list {
		if c.Retention != nil {
			shares, ci = append(shares, *c.Retention), c.RetentionCI
		}
	}
	switch {
	case len(list) == 0:
		return Cell{}
	case shares == nil:
		return Cell{Text: "no reference", NoReference: true}
	}
	share := mean(shares)
	if len(shares) > 1 {
		ci = &analysis.Interval{slices.Min(shares), slices.Max(shares)}
	}
	return Cell{Text: keptText(*share, ci), Heat: share}
}
