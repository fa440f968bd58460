package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// timeFigure is the phase over time: what changed, each file's speed, all disks' total, and who had a file in transfer when.
func timeFigure(v *phaseView) *Figure {
	if len(v.lanes) == 0 || v.top == 0 {
		return nil
	}
	f := &Figure{ID: "time", Title: v.timeTitle(), Wide: true, Keys: v.laneKeys(), X: Axis{Name: "time", Unit: Seconds, Max: v.endS}}
	f.Text = pick(v.many, "Lines: mean rate. Bands: 5th to 95th percentile of the files. Marks: the files furthest outside.",
		"Each mark is one file, drawn from its start to its end, at the height of its rate.")
	if len(v.found.Streams) > 0 {
		f.Text += " Of streams: about a second of them."
	}
	window := v.window()
	if window != nil && len(v.found.Overlap.Disks) > 1 {
		f.Text += " Shaded: the overlap, in which " + allOf(len(v.found.Overlap.Disks)) + " were active."
	}
	op := string(v.lanes[0].op) + " "
	if slices.ContainsFunc(v.lanes, func(l lane) bool { return l.op != v.lanes[0].op }) {
		op = ""
	}
	speed := Panel{Y: v.rates(op+"rate of each file", v.top), Height: 250, Marks: window}
	inTransfer := Panel{Y: Axis{Name: "files in transfer", Rows: true, Min: -0.5, Max: float64(len(v.lanes)) - 0.5}, Height: 26 * len(v.lanes), Marks: window}
	for i, parts := range v.fileMarks() {
		speed.Marks = append(speed.Marks, parts...)
		m := Mark{Shape: Rectangle, Style: Apart, Key: i, Name: "in transfer"}
		for _, s := range busy(v.lanes[i].files, pick(v.many, v.endS/(2*maxBands), math.Inf(-1))) {
			m.Rows = append(m.Rows, []float64{v.seconds(s[0]), v.seconds(s[1]), float64(i) - 0.31, float64(i) + 0.31})
		}
		inTransfer.Marks = append(inTransfer.Marks, m)
	}
	for i, l := range v.lanes { // named where their last files end
		if n := len(l.files); n > 0 {
			speed.Marks = append(speed.Marks, Mark{Shape: Label, Key: i, Text: l.key.Label, Rows: [][]float64{{v.seconds(l.files[n-1].endS), v.rate(l.files[n-1].rate)}}})
		}
	}
	if changes := v.changes(); changes != nil {
		f.Panels = append(f.Panels, *changes)
	}
	f.Panels = append(append(f.Panels, speed, v.total(window), inTransfer), v.streamPanels(f.Keys)...)
	return f
}

// timeTitle says what the timeline shows: what slowed down, who took the most, and who waited for it: "C takes 61 %, A and
// B wait 10 s".
func (v *phaseView) timeTitle() string {
	o := v.found.Overlap
	var parts []string
	for _, g := range streamGroups(v.found) {
		parts = append(parts, v.label(g.Disk)+pick(g.Late > 0, " drops "+unit.FormatCount(g.Late)+" of "+unit.FormatCount(g.Due)+" frames", " drops no frame"))
	}
	for _, key := range v.working() {
		if t := v.found.Disks[key.Name].Throttle; t != nil {
			parts = append(parts, v.fall(key.Label, t))
		}
	}
	switch {
	case parts != nil || o == nil || len(v.working()) == 0:
	case len(o.Disks) == 1:
		for name := range o.Disks {
			parts = append(parts, v.label(name)+" "+workOf(v.found.Roles[name], v.found.Paced[name]).Does().One+" at "+v.scale.Rate(o.Rate))
		}
	case v.found.Contention != nil && v.found.Contention.Even:
		parts = append(parts, allOf(len(o.Disks))+" share "+v.scale.Rate(o.Rate)+" evenly")
	default:
		first := slices.MaxFunc(v.working(), func(a, b Key) int { return cmp.Compare(o.Disks[a.Name].Share, o.Disks[b.Name].Share) })
		parts = append(parts, first.Label+" takes "+percent(o.Disks[first.Name].Share))
	}
	var waiting []string
	longest := 1.0 // shorter waits are no news
	for _, key := range v.working() {
		for _, r := range v.found.Recoveries {
			if r.Disk == key.Name && r.LagS != nil && *r.LagS >= 1 && !slices.Contains(waiting, key.Label) {
				waiting, longest = append(waiting, key.Label), max(longest, *r.LagS)
			}
		}
	}
	if waiting != nil {
		parts = append(parts, unit.List(waiting)+pick(len(waiting) == 1, " waits ", " wait ")+unit.FormatSeconds(longest))
	}
	return unit.Capital(cmp.Or(strings.Join(parts, ", "), "over time"))
}

// rates is a vertical axis of rates from nothing.
func (v *phaseView) rates(name string, top float64) Axis {
	return Axis{Name: name + ", " + v.scale.Unit, Max: 1.08 * max(v.rate(top), 1e-9)}
}

// rows is a panel with a row for each of n disks.
func rows(n int, marks []Mark) Panel {
	return Panel{Y: Axis{Rows: true, Min: -0.5, Max: float64(n) - 0.5}, Height: 46 * n, Marks: marks}
}

// window shades the overlap; none if there is none.
func (v *phaseView) window() []Mark {
	if v.found.Overlap == nil {
		return nil
	}
	m := Mark{Shape: Span, Key: None}
	for _, s := range v.found.Overlap.Spans {
		m.Rows = append(m.Rows, []float64{v.seconds(s[0]), v.seconds(s[1])})
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
		for _, filler := range []bool{false, true} {
			m := Mark{Shape: Segment, Key: i, Name: pick(filler, "filler", "file"), Style: pick(filler, Faint, Normal), Extra: []Extra{{"size", Bytes}, {"number", Plain}}}
			for _, f := range drawn[i] {
				if rate := v.rate(f.rate); f.filler == filler {
					m.Rows = append(m.Rows, []float64{v.seconds(f.startS), v.seconds(f.endS), rate, rate, Round(f.bytes, 4), float64(f.seq + 1)})
				}
			}
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

// total is all disks together, with their mean in each stretch of the overlap and the limit of the link if all goes one way.
func (v *phaseView) total(window []Mark) Panel {
	panel := Panel{Height: 110, Marks: slices.Clone(window)}
	top, name := 0.0, "total"
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
	o, c := v.found.Overlap, v.found.Contention
	if o != nil && c != nil && c.Ceiling != nil && (o.ReadRate <= 0 || o.WriteRate <= 0) { // else it does not bound the total
		limit := c.Ceiling
		top = max(top, limit.Rate)
		panel.Marks = append(panel.Marks, Mark{
			Shape: Rule, Style: Limit, Key: None, Text: v.scale.Rate(limit.Rate) + ": a limit the disks share",
			Rows: [][]float64{{0, v.seconds(v.endS), v.rate(limit.Rate)}},
		})
	}
	if o != nil {
		panel.Marks = append(panel.Marks, v.linkLimits(&top)...)
		if levels := v.levels(); levels != nil {
			panel.Marks = append(panel.Marks, Mark{Shape: Rule, Style: Dashed, Key: None, Rows: levels})
			name += " (dashed: " + pick(len(levels) == 1, v.scale.Number(o.Rate)+" ", "") + pick(len(o.Disks) > 1, "while "+allOf(len(o.Disks))+" were active)", "on average)")
		}
	}
	panel.Y = v.rates(name, top)
	return panel
}

// levels are the mean total of each stretch of the overlap between changes; of a total that swings or drifts there is
// none: it would be a rate at which nothing ever went.
func (v *phaseView) levels() [][]float64 {
	o, s := v.found.Overlap, v.found.Series
	var cuts []float64
	for _, c := range v.found.Changes {
		if c.Kind == analysis.KindSwing || c.Kind == analysis.KindDrift {
			return nil
		}
		cuts = append(cuts, c.StartS, c.EndS)
	}
	slices.Sort(cuts)
	var out [][]float64
	for _, span := range o.Spans {
		ends := slices.DeleteFunc(slices.Clone(cuts), func(at float64) bool { return at <= span[0] || at >= span[1] })
		from := span[0]
		for _, to := range slices.Compact(append(ends, span[1])) {
			level, whole := o.Rate, len(o.Spans) == 1 && len(ends) == 0
			if !whole && s != nil {
				level = 0
				for i, rate := range s.Total {
					level += rate * max(0, min(to, float64(i+1)*s.StepS)-max(from, float64(i)*s.StepS)) / (to - from)
				}
			}
			if whole || to-from > v.endS/100 { // too short to be a level
				out = append(out, []float64{v.seconds(from), v.seconds(to), Round(level/v.scale.Size, 9)}) // 0.69849 must not become 0.6985 here and 0.699 there
			}
			from = to
		}
	}
	return out
}

// allOf stands for several disks: "both", "all three".
func allOf(n int) string {
	if n == 2 {
		return "both"
	}
	return "all " + say.Count(n)
}
