package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

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
		Text: pick(v.many, "The stronger the colour, the more files.", "Each mark is one file.") +
			" Regression, solid: least squares; dashed: Theil and Sen.",
		X: Axis{Name: "file size", Unit: Bytes, Min: low, Max: high, Log: true},
	}
	f.Panels = []Panel{{Y: v.rates("rate", v.top), Height: 250}}
	panel := &f.Panels[0]
	var knees []string
	for i, l := range v.lanes {
		if v.many {
			panel.mark(v.cells(i))
		} else {
			m := OldMark{Shape: Point, Key: i, Name: "file", Extra: []Extra{{"number", Plain}}}
			for f := range l.all() {
				m.row(Round(f.bytes, 4), v.rate(f.rate), float64(f.seq+1))
			}
			panel.mark(m)
		}
		panel.Marks = append(panel.Marks, v.fits(i)...)
		if knee := l.stats.SizeKnee; knee != nil {
			panel.mark(OldMark{Shape: Rule, Style: Dashed, Key: i}, Round(knee.AtBytes, 4))
			knees = append(knees, l.key.Label+" goes from "+v.scale.Number(knee.BelowRate)+" to "+v.scale.Rate(knee.AboveRate)+
				" at files of "+unit.FormatBytes(int64(knee.AtBytes)))
		}
	}
	f.Title = cmp.Or(strings.Join(knees, ", "), f.Title)
	return f
}

// fits are the regressions of time on size as speeds: size / (latency + size/rate). Sizes for which a line would give
// no time at all, or a speed never seen, are left out: its latency is often negative.
func (v *phaseView) fits(key int) []OldMark {
	const points = 48
	var out []OldMark
	stats := v.lanes[key].stats
	if stats.OLSRate != nil && stats.OLSLatencyS != nil && *stats.OLSRate > 0 {
		m := OldMark{Shape: Segment, Style: Bare, Key: key, Name: regressions}
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
				m.row(lastX, x, lastY, y)
			}
			lastX, lastY = x, y
		}
		out = append(out, m)
	}
	if stats.TheilSenRate != nil {
		m, level := OldMark{Shape: Segment, Style: Dashed, Key: key, Name: regressions}, v.rate(*stats.TheilSenRate)
		m.row(v.smallB, v.largeB, level, level)
		out = append(out, m)
	}
	return out
}

// cells count a lane's files on a grid, logarithmic along the sizes.
func (v *phaseView) cells(key int) OldMark {
	const columns, rows = 80, 50
	spread := math.Log(v.largeB / v.smallB)
	counts := make([]int, columns*rows)
	for f := range v.lanes[key].all() {
		column := min(columns-1, int(columns*math.Log(f.bytes/v.smallB)/spread))
		counts[column*rows+min(rows-1, int(rows*f.rate/v.top))]++
	}
	top := float64(slices.Max(counts))
	m := OldMark{Shape: Rectangle, Style: Density, Key: key, Name: "files of this size and rate"}
	m.Extra = []Extra{{"files", Plain}}
	size := func(column float64) float64 { return Round(v.smallB*math.Exp(spread*column/columns), 4) }
	for at, n := range counts {
		if n > 0 {
			column, row, n := float64(at/rows), float64(at%rows), float64(n)
			m.row(size(column), size(column+1), v.rate(v.top*row/rows), v.rate(v.top*(row+1)/rows), n, Round(n/top, 3))
		}
	}
	return m
}

// spreadFigure shows how the rates of each disk's files spread: every file, or how many there are of each rate, and
// over them the middle nine tenths and the median, or both levels of files that have two: no file has a rate between.
func spreadFigure(v *phaseView) *Figure {
	if v.top == 0 {
		return nil
	}
	f := &Figure{
		ID: "spread", Title: "Distribution of file rates", Keys: v.laneKeys(),
		X: Axis{Name: "rate of a file, " + v.scale.Unit, Max: 1.05 * v.rate(v.top)},
		Text: pick(v.many, "Height: how many files. ", "Marks: single files. ") +
			"Bar: 5th to 95th percentile; thick line: median, or each of two levels.",
	}
	f.Panels = []Panel{rows(len(v.lanes), nil)}
	panel := &f.Panels[0]
	var levels []string
	for i, l := range v.lanes {
		y := float64(i)
		if v.many {
			panel.mark(v.bins(i))
		} else {
			m := OldMark{Shape: Point, Style: Faint, Key: i, Name: "file", Extra: []Extra{{"size", Bytes}}}
			for j := range l.files {
				f := l.at(j)
				_, part := math.Modf(float64(j) * 0.618034) // multiples of the golden ratio spread evenly over the row
				m.row(v.rate(f.rate), Round(y+(part-0.5)*0.5, 4), Round(f.bytes, 4))
			}
			panel.mark(m)
		}
		s := l.stats
		if s.P05 == nil || s.P95 == nil || s.Median == nil {
			continue
		}
		middle := OldMark{Shape: Segment, Style: Ink, Key: i, Name: "median"}
		at := []float64{*s.Median}
		if s.Modes != nil {
			middle.Name, at = "level", s.Modes[:]
			levels = append(levels, l.key.Label+" has two rates, "+v.scale.Number(at[0])+" and "+v.scale.Rate(at[1]))
		}
		for _, rate := range at {
			middle.row(v.rate(rate), v.rate(rate), y-0.3, y+0.3)
		}
		spread := OldMark{Shape: Segment, Style: Ink, Key: i, Name: "5th to 95th percentile"}
		panel.mark(spread, v.rate(*s.P05), v.rate(*s.P95), y, y)
		panel.mark(middle)
	}
	f.Title = cmp.Or(strings.Join(levels, "; "), f.Title)
	return f
}

// bins count a lane's files by their rate.
func (v *phaseView) bins(key int) OldMark {
	const parts = 60
	counts := make([]int, parts)
	for f := range v.lanes[key].all() {
		counts[min(parts-1, int(parts*f.rate/v.top))]++
	}
	m := OldMark{Shape: Rectangle, Style: Faint, Key: key, Name: "files of this rate", Extra: []Extra{{"files", Plain}}}
	most, y := float64(slices.Max(counts)), float64(key)
	for i, n := range counts {
		if n > 0 {
			half := 0.4 * float64(n) / most
			from, to := v.rate(v.top*float64(i)/parts), v.rate(v.top*float64(i+1)/parts)
			m.row(from, to, Round(y-half, 4), Round(y+half, 4), float64(n))
		}
	}
	return m
}

// bytesFigure is speed against all that the disk moved before, with the fall if there was one.
func bytesFigure(v *phaseView) *Figure {
	if v.top == 0 || v.sumB <= 0 {
		return nil
	}
	f := &Figure{
		ID: "worn", Title: "Rate against bytes moved", Keys: v.laneKeys(),
		X:    Axis{Name: "moved so far", Unit: Bytes, Max: v.sumB},
		Text: "From left to right: the bytes that the disk has moved in this phase so far.",
	}
	f.Panels = []Panel{{Y: v.rates("rate", v.top), Height: 250}}
	panel := &f.Panels[0]
	var falls []string
	for i, l := range v.lanes {
		m, sum := OldMark{Shape: Segment, Key: i, Name: "file"}, 0.0
		place := func(f file) (from, to float64) {
			from, sum = sum, sum+f.bytes
			return from, sum
		}
		if v.many {
			m = v.bandMark(i, l.bands(v.sumB, place), func(b float64) float64 { return Round(b, 4) })
		} else {
			for f := range l.all() {
				from, to := place(f)
				rate := v.rate(f.rate)
				m.row(Round(from, 4), Round(to, 4), rate, rate)
			}
		}
		panel.mark(m)
		if t := l.stats.Throttle; t != nil {
			panel.mark(OldMark{Shape: Rule, Style: Dashed, Key: i}, Round(t.AtBytes, 4))
			falls = append(falls, fallText(v.scale, l.key.Label, t.FromRate, t.ToRate, t.AtBytes))
		}
	}
	f.Title = cmp.Or(strings.Join(falls, ", "), f.Title)
	return f
}

// fallText says how a disk slowed down: "A falls from 2.30 to 0.650 GB/s after 23.9 GB".
func fallText(scale Scale, label string, from, to, atBytes float64) string {
	after := unit.FormatBytes(int64(atBytes))
	return label + " falls from " + scale.Number(from) + " to " + scale.Rate(to) + " after " + after
}
