package report

import (
	"math"

	"github.com/hubbench/hubbench/pkg/unit"
)

// regressions is the name of the marks that a figure of sizes shows on demand.
const regressions = "Regression"

// sizeFigure is speed against file size, with the size at which it changes, and two regressions on demand.
func sizeFigure(v *phaseView) *Figure {
	if v.top == 0 || v.smallB <= 0 || v.largeB < 1.2*v.smallB {
		return nil // all of one size
	}
	low, high := round125(v.smallB, v.largeB)
	f := &Figure{
		ID: "size", Title: "Rate against file size", Keys: v.laneKeys(), Also: regressions,
		Text: v.each("Each mark is one file.", "The stronger the colour, the more files.") + " Regression, solid: least squares; dashed: Theil and Sen.",
		X:    Axis{Name: "file size", Unit: Bytes, Min: low, Max: high, Log: true},
	}
	panel := Panel{Y: v.rates("rate", v.top), Height: 250}
	for i, l := range v.lanes {
		if v.many {
			panel.Marks = append(panel.Marks, v.cells(i))
		} else {
			m := Mark{Shape: Point, Key: i, Name: "file", Extra: []Extra{{"number", Plain}}}
			for _, f := range l.files {
				if !f.filler {
					m.Rows = append(m.Rows, []float64{Round(f.bytes, 4), v.rate(f.rate), float64(f.seq + 1)})
				}
			}
			panel.Marks = append(panel.Marks, m)
		}
		panel.Marks = append(panel.Marks, v.fits(i)...)
		if knee := l.stats.SizeKnee; knee != nil {
			panel.Marks = append(panel.Marks, change(i, knee.AtBytes))
		}
	}
	f.Panels = []Panel{panel}
	return f
}

// change marks where a disk's speed changes.
func change(key int, at float64) Mark {
	return Mark{Shape: Rule, Style: Dashed, Key: key, Text: "changes at " + unit.FormatBytes(int64(at)), Rows: [][]float64{{Round(at, 4)}}}
}

// fits are the regressions of time on size as speeds: size / (latency + size/rate). Sizes for which a line would give
// no time at all, or a speed never seen, are left out: its latency is often negative.
func (v *phaseView) fits(key int) []Mark {
	const points = 48
	var out []Mark
	stats := v.lanes[key].stats
	if stats.OLSRate != nil && stats.OLSLatencyS != nil && *stats.OLSRate > 0 {
		m := Mark{Shape: Segment, Style: Line, Key: key, Name: regressions}
		var lastX, lastY float64
		for i := range points + 1 {
			size := v.smallB * math.Pow(v.largeB/v.smallB, float64(i)/points)
			seconds := *stats.OLSLatencyS + size / *stats.OLSRate
			if seconds <= 0 || size/seconds > 1.1*v.top {
				lastX = 0
				continue
			}
			x, y := Round(size, 4), v.rate(size/seconds)
			if lastX > 0 {
				m.Rows = append(m.Rows, []float64{lastX, x, lastY, y})
			}
			lastX, lastY = x, y
		}
		out = append(out, m)
	}
	if stats.TheilSenRate != nil {
		level := v.rate(*stats.TheilSenRate)
		out = append(out, Mark{Shape: Segment, Style: Dashed, Key: key, Name: regressions, Rows: [][]float64{{v.smallB, v.largeB, level, level}}})
	}
	return out
}

// cells count a lane's files on a grid, logarithmic along the sizes.
func (v *phaseView) cells(key int) Mark {
	const columns, rows = 80, 50
	spread := math.Log(v.largeB / v.smallB)
	counts, most := make([]int, columns*rows), 1
	for _, f := range v.lanes[key].files {
		if f.filler {
			continue
		}
		column := min(columns-1, int(columns*math.Log(f.bytes/v.smallB)/spread))
		at := column*rows + min(rows-1, int(rows*f.rate/v.top))
		counts[at]++
		most = max(most, counts[at])
	}
	m := Mark{Shape: Rectangle, Style: Density, Key: key, Name: "files of this size and rate", Extra: []Extra{{"files", Plain}}}
	for at, n := range counts {
		if n > 0 {
			column, row := float64(at/rows), float64(at%rows)
			m.Rows = append(m.Rows, []float64{
				Round(v.smallB*math.Exp(spread*column/columns), 4), Round(v.smallB*math.Exp(spread*(column+1)/columns), 4),
				v.rate(v.top * row / rows), v.rate(v.top * (row + 1) / rows), float64(n), Round(float64(n)/float64(most), 3),
			})
		}
	}
	return m
}
