package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/unit"
)

// timeFigure is the phase over time: what changed, each file's speed, all disks' total, and who had a file in
// transfer when.
func timeFigure(v *phaseView) *Figure {
	if len(v.lanes) == 0 || v.top == 0 {
		return nil
	}
	f := v.overTime("time", v.timeTitle())
	f.Text = pick(v.many,
		"Lines: mean rate. Bands: 5th to 95th percentile of the files. Marks: the files furthest outside.",
		"Each mark is one file, drawn from its start to its end, at the height of its rate.") +
		pick(len(v.found.Streams) > 0, " Of streams: about a second of them.", "")
	var window []OldMark // shades the overlap
	if o := v.found.Overlap; o != nil {
		m := OldMark{Shape: Span, Key: None}
		for _, s := range o.Spans {
			m.row(v.seconds(s[0]), v.seconds(s[1]))
		}
		window = []OldMark{m}
		if len(o.Disks) > 1 {
			f.Text += " Shaded: the overlap, in which " + allOf(len(o.Disks)) + " were active."
		}
	}
	several := slices.ContainsFunc(v.lanes, func(l lane) bool { return l.op != v.lanes[0].op })
	op := pick(several, "", string(v.lanes[0].op)+" ")
	speed := Panel{Y: v.rates(op+"rate of each file", v.top), Height: 250, Marks: slices.Concat(window, v.fileMarks())}
	inTransfer := rows(len(v.lanes), slices.Clone(window))
	inTransfer.Y.Name, inTransfer.Height = "files in transfer", 26*len(v.lanes)
	gap := pick(v.many, v.endS/(2*maxBands), math.Inf(-1)) // too small to see: what lies around it is one
	for i, l := range v.lanes {
		m := OldMark{Shape: Rectangle, Style: Apart, Key: i, Name: "in transfer"}
		y := float64(i)
		for k := 0; k < len(l.files); {
			first := l.at(k)
			to := first.endS
			for k++; k < len(l.files) && l.at(k).startS-to <= gap; k++ {
				to = max(to, l.at(k).endS)
			}
			m.row(v.seconds(first.startS), v.seconds(to), y-0.31, y+0.31)
		}
		inTransfer.mark(m)
		if n := len(l.files); n > 0 { // named where its last file ends
			last := l.at(n - 1)
			speed.mark(OldMark{Shape: Label, Key: i, Text: l.key.Label}, v.seconds(last.endS), v.rate(last.rate))
		}
	}
	f.Panels = slices.Concat(v.changes(), []Panel{speed, v.total(window), inTransfer}, v.streamPanels(f.Keys))
	return f
}

// timeChart is the phase over time: each file's rate, or of many files the mean and the spread of each disk; over it
// what changed, and the rate of each disk while all were busy.
func (v *phaseView) timeChart() *Chart {
	if len(v.lanes) == 0 || v.top == 0 {
		return nil
	}
	several := slices.ContainsFunc(v.lanes, func(l lane) bool { return l.op != v.lanes[0].op })
	op := pick(several, "", string(v.lanes[0].op)+" ")
	c := v.chartOverTime("time", v.timeTitle(), v.rates(op+"rate of each file", v.top))
	c.Caption = "Each line is one file, as long as the file took."
	if v.many {
		c.Caption = "Strong lines: mean rate; pale lines: 5th and 95th percentile; marks: the files furthest outside."
	}
	if len(v.found.Streams) > 0 {
		c.Caption += " Of streams: about a second each."
	}
	v.addFiles(c)
	v.addChanges(c)
	v.addLevels(c)
	return c
}

// chartOverTime is an empty chart of the phase's disks over its time.
func (v *phaseView) chartOverTime(id, title string, y Axis) *Chart {
	x := Axis{Name: "time", Unit: Seconds, Max: v.endS}
	return &Chart{ID: id, Title: title, X: x, Y: y, Keys: v.laneKeys(), Wide: true}
}

// addFiles adds each lane's files over time; of many, the lines that sum them up and the files that stand out.
func (v *phaseView) addFiles(c *Chart) {
	singles := make([][]file, len(v.lanes))
	if v.many {
		singles = v.addBuckets(c, v.endS, v.seconds, func(_ int, f file) (from, to float64) { return f.startS, f.endS })
	}
	for i := range v.lanes {
		files := Series{Kind: Files, Key: i, Name: "file"}
		if v.many {
			files.Kind = Dots
		} else {
			singles[i] = slices.Collect(v.lanes[i].all())
		}
		fillers := files
		fillers.Name, fillers.Faint = "filler", true
		for _, f := range singles[i] {
			s := &files
			if f.filler {
				s = &fillers
			}
			from, to, rate := v.seconds(f.startS), v.seconds(f.endS), v.rate(f.rate)
			number, size := float64(f.seq+1), Round(f.bytes, 4)
			if v.many {
				s.point(v.seconds((f.startS+f.endS)/2), rate, number, size)
			} else {
				s.point(from, to, rate, number, size)
			}
		}
		c.add(files)
		c.add(fillers)
	}
}

// addBuckets sums up each lane's files in parts of the axis from 0 to end, as lines: the mean strong, the percentiles
// faint. It returns the files that lie furthest from them.
func (v *phaseView) addBuckets(
	c *Chart, end float64, round func(float64) float64, place func(lane int, f file) (from, to float64),
) [][]file {
	all := make([][]band, len(v.lanes))
	for i, l := range v.lanes {
		all[i] = l.bands(end, func(f file) (from, to float64) { return place(i, f) })
		low := Series{Kind: Line, Key: i, Name: "5th percentile", Faint: true}
		high := Series{Kind: Line, Key: i, Name: "95th percentile", Faint: true}
		mean := Series{Kind: Line, Key: i, Name: "mean"}
		for k, b := range all[i] {
			if k > 0 && b.from > all[i][k-1].to+(b.to-b.from)/2 { // no file in transfer
				for _, s := range []*Series{&low, &high, &mean} {
					s.point(round(all[i][k-1].to), 0)
					s.point(round(b.from), 0)
				}
			}
			middle := round((b.from + b.to) / 2)
			low.point(middle, v.rate(b.p05))
			high.point(middle, v.rate(b.p95))
			mean.point(middle, v.rate(b.mean))
		}
		c.add(low)
		c.add(high)
		c.add(mean)
	}
	return outliers(v.lanes, all)
}

// addChanges adds the overlap and what the ledger holds but for disks that only start or end: as bands what takes a
// while, as upright lines what happens at once.
func (v *phaseView) addChanges(c *Chart) {
	if o := v.found.Overlap; o != nil && len(o.Disks) > 1 {
		for i, s := range o.Spans {
			text := pick(i == 0, allOf(len(o.Disks))+" busy, "+unit.FormatSeconds(o.DurationS), "")
			c.Bands = append(c.Bands, Band{From: v.seconds(s[0]), To: v.seconds(s[1]), Text: text})
		}
	}
	for _, change := range v.told() {
		if change.Kind == analysis.KindEnd || change.Kind == analysis.KindStart && change.By == nil {
			continue
		}
		from, to := v.seconds(change.StartS), v.seconds(change.EndS)
		text, tone := say.ChangeLabel(&change, len(v.lanes), v.label), toneOf(&change)
		if from == to {
			c.Marks = append(c.Marks, Mark{At: from, Upright: true, Text: text, Key: None, Tone: tone})
			continue
		}
		if change.Kind == analysis.KindRecovery {
			text += " in " + unit.FormatSeconds(change.EndS-change.StartS)
			tone = Bad // all that while the disks are slower than they could be
		}
		c.Bands = append(c.Bands, Band{From: from, To: to, Text: text, Tone: tone})
	}
}

// toneOf tells gains from losses; a swing and what some gain and others lose are neither.
func toneOf(c *analysis.Change) Sign {
	rose := func(disk string) bool { s := c.Of(disk); return s.ToRate > s.FromRate }
	fell := func(disk string) bool { return !rose(disk) }
	switch {
	case c.Kind == analysis.KindSwing || slices.ContainsFunc(c.Disks, rose) && slices.ContainsFunc(c.Disks, fell):
		return Unsigned
	case c.ToRate > c.FromRate:
		return Good
	}
	return Bad
}

// addLevels marks the mean rate of each disk while all were busy, and the rate that it recovered to.
func (v *phaseView) addLevels(c *Chart) {
	o := v.found.Overlap
	if o == nil {
		return
	}
	level := func(key int, rate, from, to float64) {
		mark := Mark{At: v.rate(rate), From: v.seconds(from), To: v.seconds(to), Text: v.scale.Number(rate), Key: key}
		c.Marks = append(c.Marks, mark)
	}
	for i, l := range v.lanes {
		part, busy := o.Disks[l.key.Name]
		if !busy || len(l.files) == 0 {
			continue
		}
		level(i, part.Rate, o.StartS, o.EndS)
		for _, r := range v.found.Recoveries {
			if r.Disk == l.key.Name && r.LagS != nil && r.ToRate != nil {
				level(i, *r.ToRate, r.AtS+*r.LagS, l.at(len(l.files)-1).endS)
			}
		}
	}
}

// overTime is a figure of the phase's disks over its time.
func (v *phaseView) overTime(id, title string) *Figure {
	return &Figure{ID: id, Title: title, Wide: true, Keys: v.laneKeys(), X: Axis{Name: "time", Unit: Seconds, Max: v.endS}}
}

// timeTitle says what the timeline shows: what slowed down, who took the most, and who waited for it: "C takes 61
// %, A and B wait 10 s".
func (v *phaseView) timeTitle() string {
	o, working := v.found.Overlap, v.working()
	var parts []string
	for _, g := range streamGroups(v.found) {
		frames := unit.FormatCount(g.Late) + " of " + unit.FormatCount(g.Due) + " frames"
		parts = append(parts, v.label(g.Disk)+" drops "+pick(g.Late > 0, frames, "no frame"))
	}
	for _, key := range working {
		if t := v.found.Disks[key.Name].Throttle; t != nil {
			parts = append(parts, fallText(v.scale, key.Label, t.FromRate, t.ToRate, t.AtBytes))
		}
	}
	switch {
	case parts != nil || o == nil || len(working) == 0:
	case len(o.Disks) == 1:
		one := working[0]
		parts = append(parts, one.Label+" "+v.workOf(one.Name).Does().One+" at "+v.scale.Rate(o.Rate))
	case v.found.Contention != nil && v.found.Contention.Even:
		parts = append(parts, allOf(len(o.Disks))+" share "+v.scale.Rate(o.Rate)+" evenly")
	default:
		first := slices.MaxFunc(working, func(a, b Key) int {
			return cmp.Compare(o.Disks[a.Name].Share, o.Disks[b.Name].Share)
		})
		parts = append(parts, first.Label+" takes "+percent(o.Disks[first.Name].Share))
	}
	var waiting []string
	longest := 1.0 // shorter waits are no news
	for _, key := range working {
		if lag := v.longestRecovery(key.Name); lag >= 1 {
			waiting, longest = append(waiting, key.Label), max(longest, lag)
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
func rows(n int, marks []OldMark) Panel {
	return Panel{Y: Axis{Rows: true, Min: -0.5, Max: float64(n) - 0.5}, Height: 46 * n, Marks: marks}
}

// fileMarks are each lane's files as segments; or its bands, with the files that stand out of them.
func (v *phaseView) fileMarks() []OldMark {
	all, drawn := make([][]band, len(v.lanes)), make([][]file, len(v.lanes))
	for i, l := range v.lanes {
		if v.many {
			all[i] = l.bands(v.endS, func(f file) (from, to float64) { return f.startS, f.endS })
		} else {
			drawn[i] = slices.Collect(l.all())
		}
	}
	if v.many {
		drawn = outliers(v.lanes, all)
	}
	var out []OldMark
	for i := range v.lanes {
		if v.many {
			out = append(out, v.bandMark(i, all[i], v.seconds))
		}
		files := OldMark{Shape: Segment, Key: i, Name: "file", Extra: []Extra{{"size", Bytes}, {"number", Plain}}}
		fillers := files
		fillers.Name, fillers.Style = "filler", Faint
		for _, f := range drawn[i] {
			m, rate := pick(f.filler, &fillers, &files), v.rate(f.rate)
			m.row(v.seconds(f.startS), v.seconds(f.endS), rate, rate, Round(f.bytes, 4), float64(f.seq+1))
		}
		out = append(out, slices.DeleteFunc([]OldMark{files, fillers}, func(m OldMark) bool { return m.Rows == nil })...)
	}
	return out
}

func (v *phaseView) bandMark(key int, list []band, place func(float64) float64) OldMark {
	m := OldMark{Shape: Ribbon, Key: key, Name: "mean"}
	for _, b := range list {
		m.row(place(b.from), place(b.to), v.rate(b.p05), v.rate(b.p95), v.rate(b.mean))
	}
	return m
}

// limit is a line across a panel of rates: what something can carry.
func (v *phaseView) limit(rate float64, text string) OldMark {
	row := []float64{0, v.seconds(v.endS), v.rate(rate)}
	return OldMark{Shape: Rule, Style: Limit, Key: None, Text: v.scale.Rate(rate) + ": " + text, Rows: [][]float64{row}}
}

// total is all disks together, with their mean in each stretch of the overlap, the limit that they share if all
// goes one way, and that of a link that all of them use.
func (v *phaseView) total(window []OldMark) Panel {
	panel := Panel{Height: 110, Marks: slices.Clone(window)}
	top, name := 0.0, "total"
	if s := v.found.Series; s != nil {
		m := OldMark{Shape: Step, Style: Area, Key: None, Name: "together"}
		for i, rate := range s.Total {
			top = max(top, rate)
			if n := len(m.Rows); n == 0 || m.Rows[n-1][1] != v.rate(rate) {
				m.row(v.seconds(float64(i)*s.StepS), v.rate(rate))
			}
		}
		m.row(v.seconds(s.EndS), v.rate(s.Total[len(s.Total)-1]))
		panel.mark(m)
	}
	if o := v.found.Overlap; o != nil {
		oneWay := o.ReadRate <= 0 || o.WriteRate <= 0 // else the ceiling is no bound
		if c := v.found.Contention; c != nil && c.Ceiling != nil && oneWay {
			top = max(top, c.Ceiling.Rate)
			panel.mark(v.limit(c.Ceiling.Rate, "a limit the disks share"))
		}
		var narrowest *analysis.LinkUse // of those that all working disks share
		for _, u := range v.found.Links {
			if all := len(u.Disks) >= max(2, len(o.Disks)); all && (u.Segment != hardware.HostPort || narrowest == nil) {
				top, narrowest = max(top, u.Capacity), &u
			}
		}
		if u := narrowest; u != nil {
			panel.mark(v.limit(u.Capacity, fmt.Sprintf("what the %s (%s) can carry", u.Segment, u.Link)))
		}
		if levels := v.levels(); levels != nil {
			panel.mark(OldMark{Shape: Rule, Style: Dashed, Key: None, Rows: levels})
			rate := pick(len(levels) == 1, v.scale.Number(o.Rate)+" ", "")
			name += " (dashed: " + rate + pick(len(o.Disks) > 1, "while "+allOf(len(o.Disks))+" were active)", "on average)")
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
				// 0.69849 must not become 0.6985 here and 0.699 in the panel's name.
				out = append(out, []float64{v.seconds(from), v.seconds(to), Round(level/v.scale.Size, 9)})
			}
			from = to
		}
	}
	return out
}

// allOf stands for several disks: "both", "all three".
func allOf(n int) string {
	return pick(n == 2, "both", "all "+say.Count(n))
}

// How the changes are laid out over the chart.
const (
	maxLines   = 4   // one above the other; what needs more stands in the table alone
	lineHeight = 20  // pixels
	letters    = 110 // of a label, from end to end of a wide chart
)

// changes is a panel with a labelled span for each entry of the phase's ledger, a moment being a stroke; none if
// nothing changed.
func (v *phaseView) changes() []Panel {
	var free []float64 // for each line, from when on
	panel := Panel{}
	if o := v.found.Overlap; o != nil && len(o.Disks) > 1 {
		text := allOf(len(o.Disks)) + " active: " + unit.FormatSeconds(o.DurationS)
		m := OldMark{Shape: Rectangle, Style: Turn, Key: None, Name: "overlap", Text: text}
		for _, s := range o.Spans {
			m.row(v.seconds(s[0]), v.seconds(s[1]), -0.08, -0.92)
		}
		free = append(free, o.EndS)
		panel.mark(m)
	}
	for _, c := range v.told() {
		label := say.ChangeLabel(&c, len(v.lanes), v.label)
		if c.Kind == analysis.KindRecovery && c.EndS > c.StartS {
			label += " in " + unit.FormatSeconds(c.EndS-c.StartS)
		}
		wide := float64(cells.Width(label)+2) * v.endS / letters
		from := max(0, min(c.StartS, v.endS-wide))
		line := slices.IndexFunc(free, func(s float64) bool { return s <= from })
		if line < 0 {
			if line = len(free); line == maxLines {
				continue
			}
			free = append(free, 0)
		}
		free[line] = max(c.EndS, from+wide)
		y := -float64(line)
		panel.mark(OldMark{Shape: Rectangle, Style: lookOf(&c), Key: None, Name: "change", Text: label},
			v.seconds(c.StartS), v.seconds(c.EndS), y-0.08, y-0.92)
	}
	if free == nil {
		return nil
	}
	panel.Y, panel.Height = Axis{Name: "changes", Bare: true, Min: -float64(len(free))}, lineHeight*len(free)
	return []Panel{panel}
}

// told is the ledger, with what several disks did alike in the same time as one.
func (v *phaseView) told() []analysis.Change {
	var out []analysis.Change
	for _, c := range v.found.Changes {
		alike := slices.IndexFunc(out, func(o analysis.Change) bool {
			switch {
			case c.Kind != o.Kind || c.StartS != o.StartS || (c.ToRate > c.FromRate) != (o.ToRate > o.FromRate):
				return false
			case c.Kind == analysis.KindRecovery:
				return *c.By == *o.By
			}
			lasting := []string{analysis.KindSwing, analysis.KindDrift, analysis.KindWarmUp}
			return c.EndS == o.EndS && slices.Contains(lasting, c.Kind)
		})
		if alike < 0 {
			out = append(out, c)
			continue
		}
		o := &out[alike]
		o.Disks, o.EndS = slices.Concat(o.Disks, c.Disks), max(o.EndS, c.EndS)
	}
	return v.inOrder(out)
}

// inOrder are changes with the disks of each in the run's order.
func (v *phaseView) inOrder(list []analysis.Change) []analysis.Change {
	list = slices.Clone(list)
	for i := range list {
		list[i].Disks = slices.Clone(list[i].Disks)
		slices.SortStableFunc(list[i].Disks, func(a, b string) int { return keyOf(v.keys, a) - keyOf(v.keys, b) })
	}
	return list
}

// lookOf sets gains, losses and what is neither apart; a disk's own start or end is none of them.
func lookOf(c *analysis.Change) Style {
	rose := func(disk string) bool { s := c.Of(disk); return s.ToRate > s.FromRate }
	fell := func(disk string) bool { return !rose(disk) }
	switch {
	case c.Kind == analysis.KindEnd || c.Kind == analysis.KindStart && c.By == nil:
		return Normal
	case c.Kind == analysis.KindSwing || slices.ContainsFunc(c.Disks, rose) && slices.ContainsFunc(c.Disks, fell):
		return Turn
	}
	return pick(c.ToRate > c.FromRate, Gain, Loss)
}

// stairs adds a level that holds for a while, and the step up or down to it.
func (m *OldMark) stairs(from, to, level float64) {
	if n := len(m.Rows); n > 0 {
		last := m.Rows[n-1]
		if last[3] == level {
			last[1] = to
			return
		}
		m.row(from, from, last[3], level)
	}
	m.row(from, to, level, level)
}
