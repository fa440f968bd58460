package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// What a phase's single files show: tables and figures of them.

// filesTable is a row per disk over the rates of its single files, in the whole phase, with the one to quote.
func (v *phaseView) filesTable() *Table {
	t := &Table{ID: "files", Title: "File by file", Note: "Rates in " + v.scale.Unit + ", of single files in the whole phase.", Columns: []Column{
		{Head: "Disk"}, {Head: "Files", Numbers: true}, {Head: "Bytes", Numbers: true}, {Head: "Rate to quote", Numbers: true}, {Head: "Median", Numbers: true},
		{Head: "5th – 95th percentile", Numbers: true}, {Head: "Variation", Numbers: true}, {Head: "Remark"},
	}}
	for _, key := range v.working() {
		if v.found.Paced[key.Name].Accompanies() {
			continue
		}
		s := v.found.Disks[key.Name]
		row := []Cell{{Disk: &key}, {Text: unit.FormatCount(s.Files)}, {Text: unit.FormatBytes(s.Bytes)}, {Text: none}, {Text: v.scale.maybe(s.Median)}, {Text: v.scale.between(s.P05, s.P95)}, {Text: none}, {Text: v.remark(s)}}
		if s.Quote != nil {
			row[3] = Cell{Text: v.scale.Number(s.Quote.Rate), Small: quoted(s.Quote.Kind), Strong: true}
		}
		if s.CV != nil {
			row[6].Text = percent(*s.CV)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// averages are what other ways of averaging make of a disk's files.
func (v *phaseView) averages() *Table {
	t := &Table{ID: "averages", Title: "Other averages", Columns: []Column{
		{Head: "Disk"}, {Head: "Whole phase", Numbers: true}, {Head: "Mean of files", Numbers: true}, {Head: "Trimmed mean", Numbers: true}, {Head: "Least squares", Numbers: true}, {Head: "Latency", Numbers: true}, {Head: "Theil–Sen", Numbers: true},
	}, Note: "In " + v.scale.Unit + ". Whole phase: all bytes over the time with a file in transfer. Trimmed: without the fastest and slowest fifth. " +
		"Regressions of time on size: their slope is the rate, least squares' intercept the latency."}
	for _, key := range v.working() {
		if v.found.Paced[key.Name].Accompanies() {
			continue
		}
		s := v.found.Disks[key.Name]
		row := []Cell{{Disk: &key}, {Text: v.scale.maybe(s.Rate)}, {Text: v.scale.maybe(s.Mean)}, {Text: v.scale.maybe(s.Trimmed20)}, {Text: v.scale.maybe(s.OLSRate)}, {Text: none}, {Text: v.scale.maybe(s.TheilSenRate)}}
		if s.OLSLatencyS != nil && *s.OLSLatencyS >= 0 { // below zero the line says nothing of it
			row[5].Text = unit.FormatSeconds(*s.OLSLatencyS)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// quoted says which figure the analysis would quote for a disk.
func quoted(kind string) string {
	return cmp.Or(map[string]string{
		analysis.QuoteOverlap: "in the overlap", analysis.QuoteLater: "after its fall", analysis.QuoteSettled: "once it had settled", analysis.QuoteMean: "over time",
	}[kind], kind)
}

// remark says what a mean would hide.
func (v *phaseView) remark(s analysis.Disk) string {
	var parts []string
	fromTo := func(from, to float64) string { return v.scale.Number(from) + " to " + v.scale.Number(to) }
	if t := s.Throttle; t != nil {
		parts = append(parts, "throttled at "+unit.FormatBytes(int64(t.AtBytes))+": "+fromTo(t.FromRate, t.ToRate))
	}
	if k := s.SizeKnee; k != nil {
		parts = append(parts, "changes at files of "+unit.FormatBytes(int64(k.AtBytes))+": "+fromTo(k.BelowRate, k.AboveRate))
	}
	if s.Modes != nil {
		parts = append(parts, "two rates, "+v.scale.Number(s.Modes[0])+" and "+v.scale.Number(s.Modes[1]))
	}
	return cmp.Or(strings.Join(parts, "; "), none)
}

// maxListed is how many files of a phase are listed one by one; more are to be had as CSV.
const maxListed = 500

// fileList lists the phase's files, but for those of streams and probes; nil if there are none.
func (v *phaseView) fileList() *Details {
	lanes, total := v.ofFiles().lanes, 0
	for _, l := range lanes {
		total += len(l.files)
	}
	if total == 0 {
		return nil
	}
	d := &Details{Title: "All " + unit.FormatCount(total) + " files"}
	if total > maxListed {
		d.Add(Sentence{Text: "Too many to list here; hubbench report --format csv writes them all."})
		return d
	}
	t := &Table{Title: "All files", Columns: []Column{
		{Head: "Disk"}, {Head: "Number", Numbers: true}, {Head: "Size", Numbers: true}, {Head: "From, s", Numbers: true}, {Head: "To, s", Numbers: true}, {Head: v.scale.Unit, Numbers: true},
	}}
	for i := range lanes {
		for _, f := range lanes[i].files {
			t.Rows = append(t.Rows, []Cell{
				{Text: lanes[i].key.Label}, {Text: strconv.Itoa(f.seq + 1)}, {Text: unit.FormatBytes(int64(f.bytes))},
				{Text: strconv.FormatFloat(f.startS, 'f', 3, 64)}, {Text: strconv.FormatFloat(f.endS, 'f', 3, 64)}, {Text: v.scale.Number(f.rate)},
			})
		}
	}
	d.Add(t)
	return d
}

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
		Text: pick(v.many, "The stronger the colour, the more files.", "Each mark is one file.") + " Regression, solid: least squares; dashed: Theil and Sen.",
		X:    Axis{Name: "file size", Unit: Bytes, Min: low, Max: high, Log: true},
	}
	panel := Panel{Y: v.rates("rate", v.top), Height: 250}
	var knees []string
	for i, l := range v.lanes {
		if v.many {
			panel.Marks = append(panel.Marks, v.cells(i))
		} else {
			m := Mark{Shape: Point, Key: i, Name: "file", Extra: []Extra{{"number", Plain}}}
			for _, f := range l.files {
				m.Rows = append(m.Rows, []float64{Round(f.bytes, 4), v.rate(f.rate), float64(f.seq + 1)})
			}
			panel.Marks = append(panel.Marks, m)
		}
		panel.Marks = append(panel.Marks, v.fits(i)...)
		if knee := l.stats.SizeKnee; knee != nil {
			panel.Marks = append(panel.Marks, Mark{Shape: Rule, Style: Dashed, Key: i, Rows: [][]float64{{Round(knee.AtBytes, 4)}}})
			knees = append(knees, l.key.Label+" goes from "+v.scale.Number(knee.BelowRate)+" to "+v.scale.Rate(knee.AboveRate)+" at files of "+unit.FormatBytes(int64(knee.AtBytes)))
		}
	}
	if knees != nil {
		f.Title = strings.Join(knees, ", ")
	}
	f.Panels = []Panel{panel}
	return f
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
	counts := make([]int, columns*rows)
	for _, f := range v.lanes[key].files {
		column := min(columns-1, int(columns*math.Log(f.bytes/v.smallB)/spread))
		counts[column*rows+min(rows-1, int(rows*f.rate/v.top))]++
	}
	top := float64(slices.Max(counts))
	m := Mark{Shape: Rectangle, Style: Density, Key: key, Name: "files of this size and rate", Extra: []Extra{{"files", Plain}}}
	for at, n := range counts {
		if n > 0 {
			column, row := float64(at/rows), float64(at%rows)
			m.Rows = append(m.Rows, []float64{
				Round(v.smallB*math.Exp(spread*column/columns), 4), Round(v.smallB*math.Exp(spread*(column+1)/columns), 4),
				v.rate(v.top * row / rows), v.rate(v.top * (row + 1) / rows), float64(n), Round(float64(n)/top, 3),
			})
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
		ID: "spread", Title: "Distribution of file rates", Keys: v.laneKeys(), X: Axis{Name: "rate of a file, " + v.scale.Unit, Max: 1.05 * v.rate(v.top)},
		Text: pick(v.many, "Height: how many files. ", "Marks: single files. ") + "Bar: 5th to 95th percentile; thick line: median, or each of two levels.",
	}
	var marks []Mark
	var levels []string
	for i, l := range v.lanes {
		y := float64(i)
		if v.many {
			marks = append(marks, v.bins(i))
		} else {
			m := Mark{Shape: Point, Style: Faint, Key: i, Name: "file", Extra: []Extra{{"size", Bytes}}}
			for j, f := range l.files {
				_, part := math.Modf(float64(j) * 0.618034) // multiples of the golden ratio spread evenly over the row
				m.Rows = append(m.Rows, []float64{v.rate(f.rate), Round(y+(part-0.5)*0.5, 4), Round(f.bytes, 4)})
			}
			marks = append(marks, m)
		}
		s := l.stats
		if s.P05 == nil || s.P95 == nil || s.Median == nil {
			continue
		}
		middle := Mark{Shape: Segment, Style: Ink, Key: i, Name: "median"}
		at := []float64{*s.Median}
		if s.Modes != nil {
			middle.Name, at = "level", s.Modes[:]
			levels = append(levels, l.key.Label+" has two rates, "+v.scale.Number(at[0])+" and "+v.scale.Rate(at[1]))
		}
		for _, rate := range at {
			middle.Rows = append(middle.Rows, []float64{v.rate(rate), v.rate(rate), y - 0.3, y + 0.3})
		}
		marks = append(marks, Mark{Shape: Segment, Style: Ink, Key: i, Name: "5th to 95th percentile", Rows: [][]float64{{v.rate(*s.P05), v.rate(*s.P95), y, y}}}, middle)
	}
	if levels != nil {
		f.Title = strings.Join(levels, "; ")
	}
	f.Panels = []Panel{rows(len(v.lanes), marks)}
	return f
}

// bins count a lane's files by their rate.
func (v *phaseView) bins(key int) Mark {
	const parts = 60
	counts := make([]int, parts)
	for _, f := range v.lanes[key].files {
		counts[min(parts-1, int(parts*f.rate/v.top))]++
	}
	m := Mark{Shape: Rectangle, Style: Faint, Key: key, Name: "files of this rate", Extra: []Extra{{"files", Plain}}}
	for i, n := range counts {
		if n > 0 {
			half := 0.4 * float64(n) / float64(slices.Max(counts))
			m.Rows = append(m.Rows, []float64{
				v.rate(v.top * float64(i) / parts), v.rate(v.top * float64(i+1) / parts), Round(float64(key)-half, 4), Round(float64(key)+half, 4), float64(n),
			})
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
		ID: "worn", Title: "Rate against bytes moved", Text: "From left to right: the bytes that the disk has moved in this phase so far.",
		Keys: v.laneKeys(), X: Axis{Name: "moved so far", Unit: Bytes, Max: v.sumB},
	}
	panel := Panel{Y: v.rates("rate", v.top), Height: 250}
	var falls []string
	for i, l := range v.lanes {
		var stretches []stretch
		sum := 0.0
		for _, f := range l.files {
			stretches = append(stretches, stretch{sum, sum + f.bytes, f.rate})
			sum += f.bytes
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
			panel.Marks = append(panel.Marks, Mark{Shape: Rule, Style: Dashed, Key: i, Rows: [][]float64{{Round(t.AtBytes, 4)}}})
			falls = append(falls, v.fall(l.key.Label, t))
		}
	}
	if falls != nil {
		f.Title = strings.Join(falls, ", ")
	}
	f.Panels = []Panel{panel}
	return f
}

// fall says how a disk slowed down: "A falls from 2.30 to 0.650 GB/s after 23.9 GB".
func (v *phaseView) fall(label string, t *analysis.Throttle) string {
	return label + " falls from " + v.scale.Number(t.FromRate) + " to " + v.scale.Rate(t.ToRate) + " after " + unit.FormatBytes(int64(t.AtBytes))
}
