package report

// figures are the figures of a phase, in order. One that has nothing to show is nil.
func (v *phaseView) figures() []*Figure {
	files := v.ofFiles()
	var out []*Figure
	for _, f := range []*Figure{timeFigure(v), latencyFigure(v), gaugeFigure(v), shareFigure(v), aloneFigure(v), spreadFigure(files), sizeFigure(files), wornFigure(files)} {
		if f != nil {
			f.Phase = v.found.Phase
			out = append(out, f)
		}
	}
	return out
}

// FigureNames are the names of all figures of a phase, the most telling first.
func FigureNames() []string {
	return []string{"time", "share", "alone", "spread", "size", "worn", "latency", "gauges"}
}

// each picks the words for files that are drawn one by one, or for many.
func (v *phaseView) each(one, many string) string { return pick(v.many, many, one) }

// rates is a vertical axis of rates from nothing.
func (v *phaseView) rates(name string, top float64) Axis {
	return Axis{Name: name + ", " + v.scale.Unit, Max: 1.08 * max(v.rate(top), 1e-9)}
}

// rows is a panel with a row for each of n disks.
func rows(n int, marks []Mark) Panel {
	return Panel{Y: Axis{Rows: true, Min: -0.5, Max: float64(n) - 0.5}, Height: 46 * n, Marks: marks}
}
