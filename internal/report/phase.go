package report

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

func newPhase(run Run, keys []Key, index int, scale Scale) *Details {
	found := &run.Analysis.Phases[index]
	v := newPhaseView(&run, keys, found, scale)
	d := &Details{ID: phaseID(index), Name: found.Phase, Title: found.Phase, Does: v.does(), Phase: true}
	if s := searchOf(run.Analysis, found.Phase); s != nil {
		d.Fold = "Tries of " + s.Name
	}
	for _, w := range found.Warnings {
		if w.Code == "partial" {
			d.Add(Warning{w.Text})
		}
	}
	d.Add(Sentence{Text: found.Verdict, Lead: true})
	if tiles := v.tiles(); len(tiles) > 0 {
		d.Add(tiles)
	}
	figures := v.figures()
	wide := 0
	for ; wide < len(figures) && figures[wide].Wide; wide++ {
		d.Add(figures[wide])
	}
	if t := v.changeTable(); t != nil {
		d.Add(t)
	}
	if t := v.streamTable(); t != nil {
		d.Add(t)
		if each := v.eachStream(); each != nil {
			d.Add(each)
		}
	}
	if len(found.Disks) > 0 {
		d.Add(v.overlapTable())
	}
	if t := v.latencyTable(); t != nil {
		d.Add(t)
	}
	if table := v.linksTable(); table != nil {
		d.Add(table)
	}
	if found := v.findings(); len(found) > 0 {
		d.Add(List{Title: "What stands out", Items: found, Repeats: len(run.Analysis.Phases) > 1})
	}
	for _, w := range found.Warnings {
		if w.Code != "partial" {
			d.Add(Warning{w.Text})
		}
	}
	byFile := &Details{Title: "File by file"}
	for _, f := range figures[wide:] {
		if f.ID == "share" || f.ID == "alone" {
			d.Add(f)
		} else {
			byFile.Add(f)
		}
	}
	if t := v.filesTable(); len(t.Rows) > 0 {
		byFile.Add(t)
	}
	if len(byFile.Blocks) > 0 {
		d.Add(byFile)
	}
	if more := v.sequence(); len(more.Blocks) > 0 {
		d.Add(more)
	}
	if list := v.ofFiles().fileList(); list != nil {
		d.Add(list)
	}
	for _, t := range Collect[*Table](d.Blocks) {
		t.Phase = found.Phase
	}
	return d
}

// findings are what the analysis found in the phase, as sentences that stand under its name: without the name.
func (v *phaseView) findings() []string {
	var out []string
	for _, finding := range v.run.Analysis.Findings {
		if finding.Phase != v.found.Phase || strings.Contains(v.found.Verdict, finding.Text) || finding.Code == "partial" {
			continue
		}
		text := strings.TrimPrefix(finding.Text, v.found.Phase+": ")
		if !slices.ContainsFunc(v.keys, func(k Key) bool { return strings.HasPrefix(text, k.Name) }) && text != "" {
			first := []rune(text)[0]
			text = strings.ToUpper(string(first)) + text[len(string(first)):]
		}
		out = append(out, text)
	}
	return out
}

// number is a value of the phase's part of analysis.json: its text, and the steps to it.
func number(text string, raw float64, steps ...any) Number {
	path, err := json.Marshal(steps)
	if err != nil {
		panic(err) // strings and integers always encode
	}
	n := Number{Text: text, Path: string(path), Raw: strconv.FormatFloat(raw, 'g', -1, 64)}
	if i := strings.LastIndexByte(text, ' '); i >= 0 {
		n.Text, n.Unit = text[:i], text[i+1:]
	}
	return n
}

// tiles answer the reader's questions in order: did the streams keep up, how much together, how long, who got what, how
// long the others needed afterwards, how fair.
func (v *phaseView) tiles() Tiles {
	streams := v.streamTiles()
	o := v.found.Overlap
	if o == nil {
		return append(streams, v.diskTiles()...)
	}
	window := Tile{
		Label: "overlap", Number: number(unit.FormatSeconds(o.DurationS), o.DurationS, "overlap", "duration_s"),
		Lines: []string{"from " + Clock(o.StartS, o.EndS) + " to " + Clock(o.EndS, o.EndS) + " s", unit.FormatBytes(o.Bytes) + " moved"},
	}
	n := len(o.Disks)
	if n == 1 {
		out := v.diskTiles()
		for i := range out {
			out[i].Label, out[i].Lines = "alone, "+out[i].Label, v.totalLines()
		}
		window.Label = "active"
		return append(append(streams, out...), window)
	}
	out := append(streams, Tile{
		Label: allOf(n) + " together", Number: number(v.scale.Rate(o.Rate), o.Rate, "overlap", "rate"), Lines: v.totalLines(),
	}, window)
	out = append(out, v.diskTiles()...)
	if i := slowest(v.found); i >= 0 {
		r := v.found.Recoveries[i]
		out = append(out, Tile{
			Label: "slowest recovery", Number: number(unit.FormatSeconds(*r.LagS), *r.LagS, "recoveries", i, "lag_s"),
			Lines: []string{v.key(r.Disk).Label + ", after " + v.key(r.After).Label + " ended", "from " + v.scale.Number(r.FromRate) + " to " + v.scale.maybe(r.ToRate) + " " + v.scale.Unit},
		})
	}
	if n -= v.limitedAmong(o); n < 2 {
		return out
	}
	return append(out, Tile{
		Label: "fairness", Number: number(strconv.FormatFloat(o.Jain, 'f', 2, 64), o.Jain, "overlap", "jain"),
		Lines: []string{"Jain's index", "1: equal, " + strconv.FormatFloat(1/float64(n), 'f', 2, 64) + ": one has all"},
	})
}

// totalLines say what the overlap's total means.
func (v *phaseView) totalLines() []string {
	o := v.found.Overlap
	var lines []string
	mixed := o.ReadRate > 0 && o.WriteRate > 0
	if mixed {
		lines = append(lines, v.scale.Number(o.ReadRate)+" read + "+v.scale.Number(o.WriteRate)+" written")
	}
	lines = append(lines, strconv.FormatFloat(o.Rate*8/1e9, 'f', 1, 64)+pick(mixed, " Gb/s both ways", " Gb/s one way"))
	if c := v.found.Contention; c != nil && c.Ceiling != nil {
		lines = append(lines, v.scale.Number(c.Ceiling.Rate)+": a limit the disks share")
	}
	if o.CI95 != nil {
		lines = append(lines, "95 % confidence interval: "+v.scale.between(&o.CI95[0], &o.CI95[1]))
	}
	return lines
}

// diskTiles are one tile per working disk: its rate in the overlap, or where there is none in all. Streams have tiles of
// their own.
func (v *phaseView) diskTiles() Tiles {
	var out Tiles
	for _, key := range v.working() {
		if slices.ContainsFunc(v.found.Streams, func(s analysis.Stream) bool { return s.Disk == key.Name }) {
			continue
		}
		t := Tile{Label: key.Does, Disk: &key}
		stats := v.found.Disks[key.Name]
		if l := stats.Latency; l != nil && l.P99NS != nil && v.found.Paced[key.Name].Probe > 0 {
			t.Number, t.Lines = number(timeText(l.P99NS), float64(*l.P99NS), "disks", key.Name, "latency", "p99_ns"), v.probeLines(l)
		} else if o := v.found.Overlap; o != nil {
			part := o.Disks[key.Name]
			t.Number = number(v.scale.Rate(part.Rate), part.Rate, "overlap", "disks", key.Name, "rate")
			if w := withoutOthers(v.found, key.Name); w != nil {
				top := max(w.rate, part.Rate)
				text := "of " + v.scale.Number(w.rate) + " " + w.from
				if w.kept != nil {
					text = percent(*w.kept) + " " + text
				}
				t.Lines = append(t.Lines, v.kept(key.Name)+text)
				t.Meter = &Meter{math.Round(1000*part.Rate/top) / 10, math.Round(1000*w.rate/top) / 10}
			}
			t.Lines = append(t.Lines, percent(part.Share)+" of the bytes")
		} else {
			t.Number = Number{Text: "no rate"}
			if stats.Rate != nil {
				t.Number = number(v.scale.Rate(*stats.Rate), *stats.Rate, "disks", key.Name, "rate")
			}
			t.Lines = append(t.Lines, "no overlap to compare")
		}
		if q := stats.Quote; q != nil && (q.Kind == analysis.QuoteLater || q.Kind == analysis.QuoteSettled) {
			t.Lines = append(t.Lines, "quote instead: "+v.scale.Number(q.Rate)+", "+quoted(q.Kind))
		}
		out = append(out, t)
	}
	return out
}

// probeLines say what a probe's latency means.
func (v *phaseView) probeLines(l *analysis.Latency) []string {
	lines := []string{"99 of 100 requests took no longer"}
	if l.Alone != nil && l.Alone.P99NS != nil {
		lines = append(lines, timeText(l.Alone.P99NS)+" alone in "+shorten(l.AloneFrom, longest))
	}
	return lines
}

// leastLagS is the shortest lag that can be told: progress is sampled every 50 ms.
const leastLagS = 0.05

// lagText is a recovery's lag in words.
func lagText(s float64) string {
	if s < leastLagS {
		return "under 0.05 s"
	}
	return unit.FormatSeconds(s)
}

// slowest is the index of the recovery that took longest, or -1.
func slowest(found *analysis.Phase) int {
	at := -1
	for i, r := range found.Recoveries {
		if r.LagS != nil && *r.LagS >= leastLagS && (at < 0 || *r.LagS > *found.Recoveries[at].LagS) {
			at = i
		}
	}
	return at
}

// overlapTable is a line per disk, all of it of the overlap; where there is none, of the whole phase.
func (v *phaseView) overlapTable() *Table {
	o := v.found.Overlap
	t := &Table{ID: "disks", Title: "Disk by disk", Columns: []Column{
		{Head: "Disk"}, {Head: "Does"}, {Head: v.scale.Unit, Numbers: true}, {Head: "±", Numbers: true, Drop: 2}, {Head: "Bytes", Numbers: true, Drop: 4},
		{Head: "Share", Numbers: true, Drop: 3}, {Head: "Without the others", Numbers: true}, {Head: "Kept", Numbers: true, Drop: 1}, {Head: "Recovered in", Numbers: true, Drop: 5},
	}}
	for _, key := range v.working() {
		stats := v.found.Disks[key.Name]
		row := []Cell{{Disk: &key}, {Text: v.work(key.Name)}, {Text: v.scale.maybe(stats.Rate), Strong: true}, {}, {Text: unit.FormatBytes(stats.Bytes)}, {}, {}, {}, {}}
		if o != nil {
			part := o.Disks[key.Name]
			row[2].Text, row[3].Text, row[4].Text = v.scale.Number(part.Rate), v.margin(part.CI95, part.Rate), unit.FormatBytes(part.Bytes)
			if part.ReadRate > 0 {
				row[2].Small = v.scale.Number(part.ReadRate) + " read + " + v.scale.Number(part.Rate-part.ReadRate) + " written"
			}
			if len(o.Disks) > 1 {
				row[5].Text = percent(part.Share)
			}
		}
		if w := withoutOthers(v.found, key.Name); w != nil {
			row[6] = Cell{Text: v.scale.Number(w.rate), Small: w.from}
			if w.kept != nil {
				row[7] = Cell{Text: percent(*w.kept), Heat: w.kept}
			}
		}
		if v.limited(key.Name) && len(v.working()) > 1 {
			row[3], row[7] = Cell{}, Cell{Text: none, Small: ownPace}
		}
		longest := -1.0
		for _, r := range v.found.Recoveries {
			if r.Disk == key.Name && r.LagS != nil && *r.LagS > longest {
				longest = *r.LagS
				row[8].Text = lagText(longest)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if o == nil {
		t.Note = "Of the whole phase: bytes over the time with a file in transfer."
		return t
	}
	if len(o.Disks) > 1 {
		t.Rows = append(t.Rows, []Cell{{Text: "together"}, {}, {Text: v.scale.Number(o.Rate), Strong: true}, {Text: v.margin(o.CI95, o.Rate)}, {Text: unit.FormatBytes(o.Bytes)}, {}, {}, {}, {}})
	}
	t.Note = v.overlapNote(t)
	return t
}

// overlapNote says what the numbers of the overlap's table are.
func (v *phaseView) overlapNote(t *Table) string {
	o := v.found.Overlap
	note := "In the overlap of " + unit.FormatSeconds(o.DurationS) + ", from " + Clock(o.StartS, o.EndS) + " to " + Clock(o.EndS, o.EndS) + " s."
	if o.CI95 != nil {
		note += " ±: half the 95 % confidence interval"
		if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return strings.Contains(row[3].Text, " to ") }) {
			note += ", or where that is more than the rate itself the interval from low to high"
		}
		note += "."
	}
	if slices.ContainsFunc(v.working(), func(k Key) bool { return keptElsewhere(v.found, k.Name) }) {
		note += " Kept: of the time between changes."
	}
	if hasLimited(v.found) && len(o.Disks) > 1 {
		note += " " + ownPaceNote
	}
	return note
}

// kept says what rate a disk's part of its rate without the others is of, if that is not the overlap's.
func (v *phaseView) kept(disk string) string {
	if !keptElsewhere(v.found, disk) {
		return ""
	}
	return v.scale.Number(v.found.Contention.Disks[disk].Rate) + " between changes: "
}

// keptElsewhere reports whether what a disk kept is of another rate than the overlap's: rates are held against each other
// between changes. Less than a twentieth is not worth a word, and results of older versions do not have it.
func keptElsewhere(found *analysis.Phase, disk string) bool {
	if withoutOthers(found, disk) == nil {
		return false
	}
	rate := found.Contention.Disks[disk].Rate
	return rate > 0 && math.Abs(rate/found.Overlap.Disks[disk].Rate-1) >= 0.05
}

// margin is half the interval, rounded up to the last decimal of the rate that it stands beside; where that is more than
// the rate, the interval: no rate is less than nothing.
func (v *phaseView) margin(ci *analysis.Interval, rate float64) string {
	if ci == nil {
		return ""
	}
	if ci[1]-ci[0] > 2*rate {
		return v.scale.Number(ci[0]) + " to " + v.scale.Number(ci[1])
	}
	_, decimals, _ := strings.Cut(v.scale.Number(rate), ".")
	step := math.Pow10(-len(decimals))
	half := math.Ceil((ci[1]-ci[0])/2/v.scale.Size/step-1e-9)*step + 0 // +0: never -0
	return strconv.FormatFloat(half, 'f', len(decimals), 64)
}

// filesTable is a line per disk over the rates of its single files, in the whole phase.
func (v *phaseView) filesTable() *Table {
	t := &Table{ID: "files", Title: "File by file", Columns: []Column{
		{Head: "Disk"}, {Head: "Files", Numbers: true}, {Head: "Bytes", Numbers: true}, {Head: "Whole phase", Numbers: true}, {Head: "Mean", Numbers: true}, {Head: "Trimmed", Numbers: true},
		{Head: "Median", Numbers: true}, {Head: "5th – 95th percentile", Numbers: true}, {Head: "Variation", Numbers: true}, {Head: "Least squares", Numbers: true},
		{Head: "Latency", Numbers: true}, {Head: "Theil–Sen", Numbers: true}, {Head: "Rate to quote", Numbers: true}, {Head: "Remark"},
	}, Note: "Over the " + v.scale.Unit + " of single files in the whole phase; whole phase: all bytes over the time with a file in transfer. Trimmed: without the fastest and slowest fifth. " +
		"Regressions of time on size: their slope is the rate, least squares' intercept the latency."}
	for _, key := range v.working() {
		if plays(v.found.Paced[key.Name]) {
			continue
		}
		s := v.found.Disks[key.Name]
		row := []Cell{{Disk: &key}, {Text: unit.FormatCount(s.Files)}, {Text: unit.FormatBytes(s.Bytes)}, {Text: v.scale.maybe(s.Rate)}, {Text: v.scale.maybe(s.Mean)}, {Text: v.scale.maybe(s.Trimmed20)},
			{Text: v.scale.maybe(s.Median)}, {Text: v.scale.between(s.P05, s.P95)}, {Text: none}, {Text: v.scale.maybe(s.OLSRate)}, {Text: none}, {Text: v.scale.maybe(s.TheilSenRate)},
			{Text: none}, {Text: v.remark(s)}}
		if s.Quote != nil {
			row[12] = Cell{Text: v.scale.Number(s.Quote.Rate), Small: quoted(s.Quote.Kind)}
		}
		if s.CV != nil {
			row[8].Text = percent(*s.CV)
		}
		if s.OLSLatencyS != nil && *s.OLSLatencyS >= 0 { // below zero the line says nothing of it
			row[10].Text = unit.FormatSeconds(*s.OLSLatencyS)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// quoted says which figure the analysis would quote for a disk.
func quoted(kind string) string {
	switch kind {
	case analysis.QuoteOverlap:
		return "in the overlap"
	case analysis.QuoteLater:
		return "after its fall"
	case analysis.QuoteSettled:
		return "once it had settled"
	case analysis.QuoteMean:
		return "over time"
	default:
		return kind
	}
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
	if parts == nil {
		return none
	}
	return strings.Join(parts, "; ")
}
