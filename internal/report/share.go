package report

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// shareFigure is each disk's part of the total over time, one on top of the other.
func shareFigure(v *phaseView) *Figure {
	s := v.found.Series
	keys := v.working()
	if s == nil || len(keys) < 2 || v.found.Overlap == nil {
		return nil
	}
	f := &Figure{
		ID: "share", Title: "Share over time", Text: "Each disk's share of the bytes moved, stacked: the share of a disk that has ended goes to the others.",
		Keys: keys, X: Axis{Name: "time", Unit: Seconds, Max: v.endS},
	}
	marks := make([]Mark, len(keys))
	for i := range keys {
		marks[i] = Mark{Shape: Rectangle, Key: i, Name: "share"}
	}
	ends := lastEnds(v.found)
	for k := range s.Total {
		from, to := float64(k)*s.StepS, min(float64(k+1)*s.StepS, s.EndS)
		at := from
		for _, until := range cuts(keys, ends, from, to) {
			rates, total := make([]float64, len(keys)), 0.0
			for i, key := range keys {
				if end := ends[key.Name]; end >= until { // all that the step has of a disk came before the disk's end
					rates[i] = s.Disks[key.Name][k] * (to - from) / (min(to, end) - from)
					total += rates[i]
				}
			}
			below := 0.0
			for i, rate := range rates {
				if rate <= 0 {
					continue
				}
				marks[i].lengthen([]float64{v.seconds(at), v.seconds(until), math.Round(100*below) / 100, math.Round(100*(below+rate/total)) / 100})
				below += rate / total
			}
			at = until
		}
	}
	f.Panels = []Panel{{Y: Axis{Name: "share of the total", Unit: Percent, Max: 1}, Height: 200, Marks: marks}}
	return f
}

// lastEnds are when each disk was last active: the phase's end where not all stages are listed.
func lastEnds(found *analysis.Phase) map[string]float64 {
	ends := map[string]float64{}
	whole := len(found.Stages) > 0 && found.Stages[len(found.Stages)-1].EndS >= found.Series.EndS
	for name := range found.Series.Disks {
		ends[name] = found.Series.EndS
	}
	if !whole {
		return ends
	}
	for _, stage := range found.Stages {
		for _, name := range stage.Active {
			ends[name] = stage.EndS
		}
	}
	return ends
}

// cuts are where the parts of a step end: at the end of each disk that ends in it, and with the step.
func cuts(keys []Key, ends map[string]float64, from, to float64) []float64 {
	out := []float64{to}
	for _, key := range keys {
		if end := ends[key.Name]; end > from && end < to {
			out = append(out, end)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lengthen adds a bar, or lets the last one go on where it is as high.
func (m *Mark) lengthen(row []float64) {
	if n := len(m.Rows); n > 0 && slices.Equal(m.Rows[n-1][1:], []float64{row[0], row[2], row[3]}) {
		m.Rows[n-1][1] = row[1]
		return
	}
	m.Rows = append(m.Rows, row)
}
