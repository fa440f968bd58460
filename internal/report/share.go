package report

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
			m.Rows = append(m.Rows, []float64{v.seconds(from), v.seconds(min(from+s.StepS, s.EndS)), Round(below[k], 3), Round(below[k]+share, 3)})
			below[k] += share
		}
		panel.Marks = append(panel.Marks, m)
	}
	f.Panels = []Panel{panel}
	return f
}
