package report

import (
	"math"
	"slices"
)

// shareFigure is each disk's part of the total over time, one on top of the other.
func shareFigure(v *phaseView) *Figure {
	s := v.found.Series
	keys := v.working()
	if s == nil || len(keys) < 2 || v.found.Overlap == nil {
		return nil
	}
	f := &Figure{
		ID: "share", Title: "Share over time", Text: "Who has how much of the bytes that move, stacked: a disk that has nothing left makes room for the others.",
		Keys: keys, X: Axis{Name: "time", Unit: Seconds, Max: v.endS},
	}
	panel := Panel{Y: Axis{Name: "share of the total", Unit: Percent, Max: 1}, Height: 200}
	below := make([]float64, len(s.Total))
	for i, key := range keys {
		m := Mark{Shape: Rectangle, Key: i, Name: "share"}
		for k, rate := range s.Disks[key.Name] {
			if s.Total[k] <= 0 || rate <= 0 {
				continue
			}
			from, share := float64(k)*s.StepS, rate/s.Total[k]
			row := []float64{v.seconds(from), v.seconds(min(from+s.StepS, s.EndS)), math.Round(100*below[k]) / 100, math.Round(100*(below[k]+share)) / 100}
			below[k] += share
			if n := len(m.Rows); n > 0 && slices.Equal(m.Rows[n-1][1:], []float64{row[0], row[2], row[3]}) {
				m.Rows[n-1][1] = row[1] // as before
				continue
			}
			m.Rows = append(m.Rows, row)
		}
		panel.Marks = append(panel.Marks, m)
	}
	f.Panels = []Panel{panel}
	return f
}
