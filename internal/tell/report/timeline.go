package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// timeChart is the phase over time: each file's rate, or of many files the mean and the spread of
// each disk; over it what changed, and the rate of each disk while all were busy.
func (v *phaseView) timeChart() *Chart {
	if len(v.lanes) == 0 || v.top == 0 {
		return nil
	}
	op := string(v.lanes[0].op) + " "
	for _, l := range v.lanes {
		if l.op != v.lanes[0].op {
			op = ""
		}
	}
	c := v.overTime("time", v.timeTitle(), v.rates(op+"rate of each file", v.top))
	c.Caption = "Each line is one file, as long as the file took."
	if v.many {
		c.Caption = "Strong lines: mean rate; pale lines: 5th and 95th percentile; marks: the " +
			"files furthest outside."
	}
	if len(v.found.Streams) > 0 {
		c.Caption += " Of streams: about a second each."
	}
	v.addFiles(c, v.seconds, func(f transfer) (from, to float64) {
		return f.startS / v.endS, f.endS / v.endS
	})
	v.addOverlap(c)
	v.addChanges(c)
	v.addLevels(c)
	return c
}

// overTime is an empty chart of the phase's disks over its time.
func (v *phaseView) overTime(id, title string, y Axis) *Chart {
	x := Axis{Name: "time", Unit: Seconds, Max: v.endS}
	return &Chart{ID: id, Title: title, X: x, Y: y, Keys: v.laneKeys(), Wide: true}
}

// addFiles adds each lane's files along x. Many files become lines that sum them up, with the files
// that stand out.
func (v *phaseView) addFiles(c *Chart, round func(x float64) float64, place placing) {
	for i, l := range v.lanes {
		if v.many {
			buckets := v.addBuckets(c, i, place, func(part float64) float64 {
				return round(part * c.X.Max)
			})
			if c.X.Unit == Seconds {
				s := ChartSeries{Kind: Dots, Key: i, Name: "file"}
				outliers := l.outliers(buckets, place)
				for _, f := range outliers[:min(len(outliers), maxOutliers/len(v.lanes))] {
					s.point(round((f.startS+f.endS)/2), v.rate(f.rate), f.number,
						roundForChart(f.bytes))
				}
				c.add(s)
			}
			continue
		}
		files := ChartSeries{Kind: Files, Key: i, Name: "file"}
		fillers := ChartSeries{Kind: Files, Key: i, Name: "filler", Faint: true}
		for _, f := range l.files {
			s := &files
			if f.filler {
				s = &fillers
			}
			from, to := place(f)
			s.point(round(from*c.X.Max), round(to*c.X.Max), v.rate(f.rate), f.number,
				roundForChart(f.bytes))
		}
		c.add(files)
		c.add(fillers)
	}
}

// addBuckets adds a lane's files as lines: the mean rate strong, the percentiles faint. At is the
// place on the axis of a part of it from 0 to 1.
func (v *phaseView) addBuckets(
	c *Chart, lane int, place placing, at func(part float64) float64,
) []bucket {
	low := ChartSeries{Kind: Line, Key: lane, Name: "5th percentile", Faint: true}
	high := ChartSeries{Kind: Line, Key: lane, Name: "95th percentile", Faint: true}
	mean := ChartSeries{Kind: Line, Key: lane, Name: "mean"}
	buckets := v.lanes[lane].buckets(place)
	for _, b := range buckets {
		if b.seconds > 0 {
			low.point(at(b.x), v.rate(b.low))
			high.point(at(b.x), v.rate(b.high))
			mean.point(at(b.x), v.rate(b.mean))
		}
	}
	c.add(low)
	c.add(high)
	c.add(mean)
	return buckets
}

// addOverlap shades the time in which all disks were busy.
func (v *phaseView) addOverlap(c *Chart) {
	o := v.found.Overlap
	if o == nil || len(o.Disks) < 2 {
		return
	}
	for i, s := range o.Spans {
		text := ""
		if i == 0 {
			text = allOf(len(o.Disks)) + " busy, " + unit.FormatSeconds(o.DurationS)
		}
		c.Bands = append(c.Bands, Band{
			From: v.seconds(s[0]), To: v.seconds(s[1]), Text: text, Overlap: len(o.Spans) == 1,
		})
	}
}

// addChanges adds what the ledger holds but for disks that only start or end: as bands what takes a
// while, as upright lines what happens at once.
func (v *phaseView) addChanges(c *Chart) {
	for i, change := range v.reportedChanges() {
		if i == maxListed {
			break // the table of changes has the first ones as well
		}
		if isOwn(&change) {
			continue
		}
		from, to := v.seconds(change.StartS), v.seconds(change.EndS)
		text := analysis.ChangeLabel(&change, len(v.lanes), v.label)
		tone := toneOf(&change)
		if from == to {
			c.Marks = append(c.Marks,
				Mark{At: from, Upright: true, Text: text, Key: None, Tone: tone})
			continue
		}
		if change.Kind == analysis.KindRecovery {
			text += " in " + unit.FormatSeconds(change.EndS-change.StartS)
			tone = Bad // all that while the disks are slower than they could be
		}
		c.Bands = append(c.Bands, Band{From: from, To: to, Text: text, Tone: tone})
	}
}

// isOwn reports whether a change is no more than that a disk starts or ends.
func isOwn(c *analysis.Change) bool {
	return c.Kind == analysis.KindEnd || c.Kind == analysis.KindStart && c.By == nil
}

// toneOf tells gains from losses; a swing and what some gain and others lose are neither.
func toneOf(c *analysis.Change) Sign {
	rose := 0
	for _, disk := range c.Disks {
		if s := c.Of(disk); s.ToRate > s.FromRate {
			rose++
		}
	}
	switch {
	case c.Recurs() || rose > 0 && rose < len(c.Disks):
		return Unsigned
	case c.ToRate > c.FromRate:
		return Good
	}
	return Bad
}

// maxLevels is how many disks' levels are marked at most: more lie on one another.
const maxLevels = 6

// addLevels marks the mean rate of each disk while all were busy, and the rate that it recovered
// to.
func (v *phaseView) addLevels(c *Chart) {
	o := v.found.Overlap
	if o == nil || len(v.lanes) > maxLevels {
		return
	}
	level := func(key int, rate, from, to float64) {
		mark := Mark{At: v.rate(rate), From: v.seconds(from), To: v.seconds(to),
			Text: v.Number(rate), Key: key}
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
				level(i, *r.ToRate, r.AtS+*r.LagS, l.files[len(l.files)-1].endS)
			}
		}
	}
}

// timeTitle says what the timeline shows: what slowed down, who took the most, and who waited for
// it: "C takes 61 %, A and B wait 10 s".
func (v *phaseView) timeTitle() string {
	o := v.found.Overlap
	working := v.working()
	var parts []string
	for _, g := range v.found.StreamTotals {
		frames := unit.FormatCount(g.Late) + " of " + unit.FormatCount(g.Due) + " frames"
		parts = append(parts, v.label(g.Disk)+" drops "+pick(g.Late > 0, frames, "no frame"))
	}
	var waiting []string
	longest := minWaitS
	for _, key := range working {
		if t := v.found.Disks[key.Name].Throttle; t != nil {
			parts = append(parts, v.fallText(key.Label, t.FromRate, t.ToRate, t.AtBytes))
		}
		if lag := v.longestRecovery(key.Name); lag >= minWaitS {
			waiting = append(waiting, key.Label)
			longest = max(longest, lag)
		}
	}
	switch {
	case parts != nil || o == nil || len(working) == 0:
	case len(o.Disks) == 1:
		one := working[0]
		does := workOf(v.found, one.Name).Does().One
		parts = append(parts, one.Label+" "+does+" at "+v.Rate(o.Rate))
	case v.found.Contention != nil && v.found.Contention.Even:
		parts = append(parts, allOf(len(o.Disks))+" share "+v.Rate(o.Rate)+" evenly")
	default:
		first := working[0]
		for _, key := range working {
			if o.Disks[key.Name].Share > o.Disks[first.Name].Share {
				first = key
			}
		}
		parts = append(parts, first.Label+" takes "+percent(o.Disks[first.Name].Share))
	}
	if waiting != nil {
		parts = append(parts, unit.List(waiting)+pick(len(waiting) == 1, " waits ", " wait ")+
			unit.FormatSeconds(longest))
	}
	return unit.Capital(cmp.Or(strings.Join(parts, ", "), "over time"))
}

// rates is a vertical axis of rates from nothing.
func (v *phaseView) rates(name string, top float64) Axis {
	return Axis{Name: name + ", " + v.Unit, Max: lineRoom * max(v.rate(top), 1e-9)}
}

// allOf stands for several disks: "both", "all three".
func allOf(n int) string {
	return pick(n == 2, "both", "all "+analysis.Count(n))
}

// reportedChanges is the ledger, with what several disks did alike in the same time as one.
func (v *phaseView) reportedChanges() []analysis.Change {
	var out []analysis.Change
	for _, c := range v.found.Changes {
		at := 0
		for at < len(out) && !isSameChange(&out[at], &c) {
			at++
		}
		if at == len(out) {
			out = append(out, c)
			continue
		}
		o := &out[at]
		o.Disks = slices.Concat(o.Disks, c.Disks)
		o.EndS = max(o.EndS, c.EndS)
	}
	return v.inOrder(out)
}

// isSameChange reports whether two disks did the same in the same time.
func isSameChange(a, b *analysis.Change) bool {
	switch {
	case a.Kind != b.Kind || a.StartS != b.StartS ||
		(a.ToRate > a.FromRate) != (b.ToRate > b.FromRate):
		return false
	case a.Kind == analysis.KindRecovery:
		return *a.By == *b.By
	}
	lasts := b.Recurs() || b.Kind == analysis.KindDrift || b.Kind == analysis.KindWarmUp
	return a.EndS == b.EndS && lasts
}

// inOrder are changes with the disks of each in the run's order.
func (v *phaseView) inOrder(list []analysis.Change) []analysis.Change {
	list = slices.Clone(list)
	for i := range list {
		list[i].Disks = slices.Clone(list[i].Disks)
		slices.SortStableFunc(list[i].Disks, func(a, b string) int {
			return v.keyOf(a) - v.keyOf(b)
		})
	}
	return list
}
