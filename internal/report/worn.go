package report

// wornFigure is speed against all that the disk moved before, with the throttle where there was one.
func wornFigure(v *phaseView) *Figure {
	if v.top == 0 || v.sumB <= 0 {
		return nil
	}
	f := &Figure{
		ID: "worn", Title: "Rate against bytes moved", Text: "From left to right: the bytes that the disk has moved in this phase so far.",
		Keys: v.laneKeys(), X: Axis{Name: "moved so far", Unit: Bytes, Max: v.sumB},
	}
	panel := Panel{Y: v.rates("rate", v.top), Height: 250}
	for i, l := range v.lanes {
		var stretches []stretch
		sum := 0.0
		for _, f := range l.files {
			if !f.filler {
				stretches = append(stretches, stretch{sum, sum + f.bytes, f.rate})
				sum += f.bytes
			}
		}
		if v.many {
			panel.Marks = append(panel.Marks, v.bandMark(i, bands(stretches, v.sumB), func(b float64) float64 { return Round(b, 4) }))
		} else {
			m := Mark{Shape: Segment, Key: i, Name: "file"}
			for _, s := range stretches {
				m.Rows = append(m.Rows, []float64{Round(s.from, 4), Round(s.to, 4), v.rate(s.rate), v.rate(s.rate)})
			}
			panel.Marks = append(panel.Marks, m)
		}
		if t := l.stats.Throttle; t != nil {
			panel.Marks = append(panel.Marks, change(i, t.AtBytes))
		}
	}
	f.Panels = []Panel{panel}
	return f
}
