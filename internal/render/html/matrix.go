package html

import (
	"fmt"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// matrix is the table of all phases.
type matrix struct {
	Disks []disk
	Rows  []matrixRow
}

type matrixRow struct {
	ID, Phase string
	Cells     []cell
	Total     string
	Overlap   string
	Stack     []bar
	Warnings  int
}

// bar is a disk's part of a phase's total: a stretch of a picture 100 units wide, the same for all phases.
type bar struct {
	disk
	X, Width float64
	Title    string
}

// cell is a disk's rate in a phase, with the letter of its role.
type cell struct {
	Letter, Rate string
	Idle         bool
	Kept         string // of what the disk does alone, where it departs from that
}

func newMatrix(in Input, phases []phase) *matrix {
	m := &matrix{}
	scale := chart.ScaleOf(in.Analysis)
	for _, d := range in.Run.Disks {
		m.Disks = append(m.Disks, look(in.Run, d.Name))
	}
	top := 0.0
	for _, line := range in.Analysis.Matrix {
		top = max(top, line.Total)
	}
	for _, line := range in.Analysis.Matrix {
		r := matrixRow{Phase: line.Phase, Total: none}
		if line.Total > 0 {
			r.Total = scale.Number(line.Total)
		}
		for i := range in.Analysis.Phases {
			found := &in.Analysis.Phases[i]
			if found.Phase != line.Phase {
				continue
			}
			r.ID, r.Warnings = phases[i].ID, len(found.Warnings)
			if found.Overlap != nil {
				r.Overlap = unit.FormatSeconds(found.Overlap.DurationS)
			}
			at := 0.0
			for _, d := range in.Run.Disks {
				role := line.Roles[d.Name]
				c := cell{Letter: string(role.Letter()), Rate: none, Idle: role == trace.Idle || role == ""}
				if rate, ok := line.Rates[d.Name]; ok && !c.Idle {
					c.Rate = scale.Number(rate)
					width := fixed(100*rate/top, 2)
					r.Stack = append(r.Stack, bar{look(in.Run, d.Name), fixed(at, 2), width, d.Name + " " + scale.Rate(rate)})
					at += width
					if kept, departs := line.Departures[d.Name]; departs {
						c.Kept = fmt.Sprintf("%.0f %%", 100*kept)
					}
				}
				r.Cells = append(r.Cells, c)
			}
		}
		m.Rows = append(m.Rows, r)
	}
	return m
}
