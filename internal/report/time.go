package report

import (
	"math"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// timeFigure is the phase over time: each file's speed, all disks' total, and who had a file in transfer when.
func timeFigure(v *phaseView) *Figure {
	if len(v.lanes) == 0 || v.top == 0 {
		return nil
	}
	f := &Figure{ID: "time", Title: "Over time", Wide: true, Keys: v.laneKeys(), X: Axis{Name: "time", Unit: Seconds, Max: v.endS}}
	f.Text = v.each("Each mark is one file, drawn from its start to its end, at the height of its rate.",
		"Lines: mean rate. Bands: 5th to 95th percentile of the files. Marks: the files furthest outside.")
	if len(v.found.Streams) > 0 {
		f.Text += " Of streams: about a second of them."
	}
	if o := v.found.Overlap; o != nil && len(o.Disks) > 1 {
		f.Text += " Shaded: the overlap, in which " + allOf(len(o.Disks)) + " were active."
	}
	speed := Panel{Y: v.rates(v.rateName(), v.top), Height: 250, Marks: v.windows(true)}
	inTransfer := Panel{Y: Axis{Name: "files in transfer", Rows: true, Min: -0.5, Max: float64(len(v.lanes)) - 0.5}, Height: 26 * len(v.lanes), Marks: v.windows(false)}
	for i, parts := range v.fileMarks() {
		speed.Marks = append(speed.Marks, parts...)
		inTransfer.Marks = append(inTransfer.Marks, v.busyMark(i))
	}
	speed.Marks = append(speed.Marks, v.ends()...)
	speed.Marks = append(speed.Marks, v.recoveries(f.Keys)...)
	if changes := v.changes(); changes != nil {
		f.Panels = append(f.Panels, *changes)
	}
	f.Panels = append(append(f.Panels, speed, v.total(), inTransfer), v.streamPanels(f.Keys)...)
	return f
}

// windows shade the overlap.
func (v *phaseView) windows(named bool) []Mark {
	o := v.found.Overlap
	if o == nil {
		return nil
	}
	m := Mark{Shape: Span, Key: None}
	for _, s := range o.Spans {
		m.Rows = append(m.Rows, []float64{v.seconds(s[0]), v.seconds(s[1])})
	}
	if named && len(o.Disks) > 1 {
		m.Text = allOf(len(o.Disks)) + " active: " + unit.FormatSeconds(o.DurationS)
	}
	return []Mark{m}
}

// fileMarks are each lane's files as segments; or its bands, with the files that stand out of them.
func (v *phaseView) fileMarks() [][]Mark {
	out := make([][]Mark, len(v.lanes))
	drawn := make([][]file, len(v.lanes))
	if v.many {
		all := make([][]band, len(v.lanes))
		for i, l := range v.lanes {
			stretches := make([]stretch, len(l.files))
			for j, f := range l.files {
				stretches[j] = stretch{f.startS, f.endS, f.rate}
			}
			all[i] = bands(stretches, v.endS)
			out[i] = append(out[i], v.bandMark(i, all[i], v.seconds))
		}
		drawn = outliers(v.lanes, all)
	}
	for i, l := range v.lanes {
		if !v.many {
			drawn[i] = l.files
		}
		extra := []Extra{{"size", Bytes}, {"number", Plain}}
		work := Mark{Shape: Segment, Key: i, Name: "file", Extra: extra}
		filler := Mark{Shape: Segment, Key: i, Name: "filler", Style: Faint, Extra: extra}
		for _, f := range drawn[i] {
			m := pick(f.filler, &filler, &work)
			rate := v.rate(f.rate)
			m.Rows = append(m.Rows, []float64{v.seconds(f.startS), v.seconds(f.endS), rate, rate, Round(f.bytes, 4), float64(f.seq + 1)})
		}
		for _, m := range []Mark{work, filler} {
			if m.Rows != nil {
				out[i] = append(out[i], m)
			}
		}
	}
	return out
}

func (v *phaseView) bandMark(key int, list []band, place func(float64) float64) Mark {
	m := Mark{Shape: Band, Key: key, Name: "mean"}
	for _, b := range list {
		m.Rows = append(m.Rows, []float64{place(b.from), place(b.to), v.rate(b.p05), v.rate(b.p95), v.rate(b.mean)})
	}
	return m
}

// ends name the disks where their last files end.
func (v *phaseView) ends() []Mark {
	var out []Mark
	for i, l := range v.lanes {
		if n := len(l.files); n > 0 {
			last := l.files[n-1]
			out = append(out, Mark{Shape: Label, Key: i, Text: l.key.Label, Rows: [][]float64{{v.seconds(last.endS), v.rate(last.rate)}}})
		}
	}
	return out
}

// maxBrackets is how many recoveries after one disk's end are drawn; all of them stand in a table.
const maxBrackets = 3

// recoveries are brackets from a disk's end to the moment at which another has reached its new level.
func (v *phaseView) recoveries(keys []Key) []Mark {
	var out []Mark
	place := map[string]int{}
	for _, r := range v.found.Recoveries {
		if r.LagS == nil || r.ToRate == nil || *r.LagS <= v.endS/200 || place[r.After] == maxBrackets {
			continue
		}
		for i, key := range keys {
			if key.Name != r.Disk {
				continue
			}
			level := v.rate((r.FromRate+*r.ToRate)/2) - float64(place[r.After])*0.14*v.rate(v.top) // halfway up, one below the other
			place[r.After]++
			out = append(out, Mark{
				Shape: Segment, Style: Bracket, Key: i, Name: "recovery", Text: unit.FormatSeconds(*r.LagS) + " to recover",
				Rows: [][]float64{{v.seconds(r.AtS), v.seconds(r.AtS + *r.LagS), level, level}},
			})
		}
	}
	return out
}

// total is all disks together, with their mean over the overlap and the limit of the link where all goes one way.
func (v *phaseView) total() Panel {
	panel := Panel{Height: 110, Marks: v.windows(false)}
	top := 0.0
	if s := v.found.Series; s != nil {
		m := Mark{Shape: Step, Style: Area, Key: None, Name: "together"}
		for i, rate := range s.Total {
			top = max(top, rate)
			if n := len(m.Rows); n == 0 || m.Rows[n-1][1] != v.rate(rate) {
				m.Rows = append(m.Rows, []float64{v.seconds(float64(i) * s.StepS), v.rate(rate)})
			}
		}
		m.Rows = append(m.Rows, []float64{v.seconds(s.EndS), v.rate(s.Total[len(s.Total)-1])})
		panel.Marks = append(panel.Marks, m)
	}
	if limit := v.oneWayLimit(); limit != nil {
		top = max(top, limit.Rate)
		panel.Marks = append(panel.Marks, Mark{
			Shape: Rule, Style: Limit, Key: None, Text: v.scale.Rate(limit.Rate) + ": a limit the disks share",
			Rows: [][]float64{{0, v.seconds(v.endS), v.rate(limit.Rate)}},
		})
	}
	if o := v.found.Overlap; o != nil {
		panel.Marks = append(panel.Marks, v.linkLimits(&top)...)
		mean := Round(o.Rate/v.scale.Size, 9) // 0.69849 must not become 0.6985 here and 0.699 there
		m := Mark{Shape: Rule, Style: Dashed, Key: None, Text: v.scale.Rate(o.Rate) + pick(len(o.Disks) > 1, " in the overlap", " on average")}
		for _, s := range o.Spans {
			m.Rows = append(m.Rows, []float64{v.seconds(s[0]), v.seconds(s[1]), mean})
		}
		panel.Marks = append(panel.Marks, m)
	}
	panel.Y = v.rates("total", top)
	return panel
}

// oneWayLimit is the disks' common limit where all traffic goes one way: then it bounds the total.
func (v *phaseView) oneWayLimit() *analysis.Ceiling {
	if o := v.found.Overlap; o == nil || v.found.Contention == nil || o.ReadRate > 0 && o.WriteRate > 0 {
		return nil
	}
	return v.found.Contention.Ceiling
}

// busyMark is a lane's row of blocks, one for each file.
func (v *phaseView) busyMark(key int) Mark {
	m := Mark{Shape: Rectangle, Style: Apart, Key: key, Name: "in transfer"}
	gap := pick(v.many, v.endS/(2*maxBands), math.Inf(-1))
	for _, s := range busy(v.lanes[key].files, gap) {
		m.Rows = append(m.Rows, []float64{v.seconds(s[0]), v.seconds(s[1]), float64(key) - 0.31, float64(key) + 0.31})
	}
	return m
}

// rateName says what the rates are of.
func (v *phaseView) rateName() string {
	op := string(v.lanes[0].op)
	for _, l := range v.lanes {
		if string(l.op) != op {
			return "rate of each file"
		}
	}
	return op + " rate of each file"
}

// allOf stands for several disks: "both", "all three".
func allOf(n int) string {
	if n == 2 {
		return "both"
	}
	return "all " + words(n)
}
