package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// checkedPage is what the page of checked runs is made of.
type checkedPage struct {
	runs []Checked
	keys []LegendKey
	rows []*limitRow // the worst verdicts first, and of these the least room
}

// How many limits the page of a check shows at first.
const (
	maxLimits = 8
	maxClose  = 3 // if all pass
)

// OfLimits says which limits runs hold, and how far off those are that they don't.
func OfLimits(runs []Checked) *Document {
	doc := &Document{Kind: "check", Title: lastPart(runs[0].Run), Started: dateText(runs[0].Started),
		Data: runs}
	if len(runs) > 1 {
		doc.Title = "Limits"
		doc.Started = ""
	}
	c := newCheckedPage(runs)
	doc.Keys = c.keys
	doc.Page = c.page()
	passed := c.with(passes)
	var sure []Block
	for _, run := range runs {
		if a := run.Analysis; a != nil && a.Origin != nil {
			doc.Simulated = doc.Simulated || a.Simulated
		}
		if run.History != "" {
			sure = append(sure, Sentence{Text: unit.Capital(
				joined(": ", pick(len(runs) > 1, run.Run, ""), run.History))})
		}
	}
	doc.Add(&Details{ID: "passed", Title: unit.Plural(len(passed), "limit") + " " +
		pick(len(passed) == 1, "passes", "pass"), Printed: true,
		Blocks: shown([]Block{c.table(passed)})},
		&Details{ID: "methods", Title: "How is a limit judged?", Blocks: []Block{Sentence{Text: "A " +
			"limit fails if the whole interval of what was measured is beyond it. If the interval " +
			"reaches across, the limit holds within the margin of error. Intervals are of 95% " +
			"confidence, corrected for all limits of the run. Repeats of a phase are one " +
			"row: the one that is furthest off is shown."}}},
		&Details{ID: "sure", Title: "How sure is this?", Printed: true, Blocks: sure})
	return doc
}

// with are the rows of a rank.
func (c *checkedPage) with(rank int) (rows []*limitRow) {
	for _, row := range c.rows {
		if rankOf(&row.results[0]) == rank {
			rows = append(rows, row)
		}
	}
	return rows
}

// page says first what fails, else what was not measured, else what has the least room.
func (c *checkedPage) page() *Page {
	failed, open, near := c.with(fails), c.with(isOpen), c.with(isClose)
	passed := c.with(passes)
	p := &Page{Kicker: nonEmpty(pick(len(c.runs) > 1, unit.Plural(len(c.runs), "run"), ""))}
	rows := slices.Concat(failed, open, near)
	all := unit.Plural(len(c.rows), "limit")
	within := ""
	if near != nil {
		within = fmt.Sprintf("%d %s %s.", len(near), pick(len(near) == 1, "holds", "hold"),
			withinMargin)
	}
	switch {
	case failed != nil:
		p.Verdict = Verdict{Bad, "Fails"}
		p.Headline = c.headline(failed[0])
		p.Sub = joined(" ", fmt.Sprintf("%d of %s %s.", len(failed), all,
			pick(len(failed) == 1, "fails", "fail")), within)
		p.Actions = []Action{{Title: "See what changed since a good run",
			Detail:  "Firmware, links and speeds, side by side. GOOD is a run that passed.",
			Command: "hubbench compare GOOD " + cells.Shell(failed[0].of[0])}}
	case open != nil:
		p.Verdict = Verdict{Doubt, "Can't tell"}
		p.Headline = fmt.Sprintf("%d of %s not measured", len(open), all)
		p.Sub = within
	default:
		p.Verdict = Verdict{Good, "Passes"}
		p.Headline = pick(len(c.rows) == 1, "its limit holds", "all "+all+" hold")
		p.Sub = joined(" ", within, c.closest(rows, passed))
		rows = append(rows, passed[:min(len(passed), max(0, maxClose-len(rows)))]...)
		p.Actions = []Action{{Title: "Keep it as the reference",
			Detail:  "Later runs are then held to its speeds.",
			Command: "hubbench init --expect " + cells.Shell(c.runs[0].Run)}}
		if near != nil {
			p.Actions = []Action{{Title: "Repeat it to be surer",
				Detail: "More repeats have a smaller margin of error: hubbench run with --repeat 3."}}
		}
	}
	p.Numbers = c.numbers(failed, near, passed)
	p.Hero = c.hero(rows)
	return p
}

// closest says which limit has the least room.
func (c *checkedPage) closest(near, passed []*limitRow) string {
	if near != nil && near[0].span != nil {
		side := func(room float64) string {
			return unsigned(math.Abs(room)) + pick(room < 0, " beyond", " within")
		}
		return unit.Capital(c.subject(near[0])) + " may be " + side(near[0].span[0]) +
			" its limit or " + side(near[0].span[1]) + " it."
	}
	if near == nil && passed[0].room != nil {
		return "The closest is " + c.subject(passed[0]) + ": " + unsigned(*passed[0].room) +
			" within its limit."
	}
	return ""
}

// numbers are how far off the worst is or how sure it is, in how many runs something fails, and the
// least room of what passes.
func (c *checkedPage) numbers(failed, near, passed []*limitRow) (list []Number) {
	var widest float64
	for _, row := range slices.Concat(near, passed) {
		if row.span != nil {
			widest = max(widest, (row.span[1]-row.span[0])/2)
		}
	}
	switch {
	case failed == nil && widest > 0:
		list = append(list, Number{Value: "±" + unsigned(widest),
			Text: "margin of error at most, corrected for all limits"})
	case failed != nil && failed[0].room != nil:
		value, _ := measured(&failed[0].results[0])
		list = append(list, Number{
			Value: Change(*failed[0].room), Tone: Bad,
			Text: "the furthest off: " + c.subject(failed[0]) + " is " + value + ", and " +
				failed[0].results[0].Bounds + " is wanted",
		})
	}
	if len(c.runs) > 1 {
		good := 0
		for i := range c.runs {
			if c.runs[i].Verdict == limit.Pass {
				good++
			}
		}
		list = append(list, Number{Value: fmt.Sprintf("%d of %d", good, len(c.runs)),
			Text: "runs pass"})
	}
	for _, row := range passed {
		if row.room != nil && (failed != nil || near != nil) {
			return append(list, Number{Value: Change(*row.room),
				Text: "the least room of what passes: " + c.subject(row)})
		}
	}
	return list
}

// hero is the rows on the axis of their distance to the limit.
func (c *checkedPage) hero(rows []*limitRow) *Rows {
	h := &Rows{Head: "Limit"}
	more := len(rows) - maxLimits
	rows = rows[:min(len(rows), maxLimits)]
	same, shares := true, false
	for _, row := range rows {
		same = same && row.phase == rows[0].phase
		shares = shares || row.results[0].Measure == "kept"
	}
	if same && rows[0].load != "" {
		h.Head = unit.Capital(rows[0].load)
	}
	signs := []Sign{fails: Bad, isOpen: Doubt, isClose: Caution, passes: Good}
	var low, high float64
	for _, row := range rows {
		r := &row.results[0]
		value, _ := measured(r)
		line := Row{Sign: signs[rankOf(r)], Key: c.key(r.Disk), Tone: signs[rankOf(r)],
			Label: unit.Capital(joined(": ", pick(same, "", row.phase), subjectOf(r)))}
		if row.room == nil {
			line.Text = joined(", ", cmp.Or(value, "not measured"), r.Bounds+" is wanted", r.Why)
			h.Rows = append(h.Rows, line)
			continue
		}
		line.Value = row.room
		line.Span = row.span
		low, high = min(low, *row.room), max(high, *row.room)
		if row.span != nil {
			low, high = min(low, row.span[0]), max(high, row.span[1])
		}
		off := Cell{Text: Change(*row.room), Strong: true}
		if r.Verdict == limit.Fail {
			off.Tone = Bad
		}
		line.Numbers = []Cell{off, {Text: value}, {Text: r.Bounds}}
		h.Rows = append(h.Rows, line)
	}
	if low < high {
		h.Axis = limitRuler(low, high)
		h.Columns = numbers("off by", "measured", "wanted")
		h.Columns[1].Drop, h.Columns[2].Drop = 2, 1
		h.Note = "Bars: intervals, by which it is judged. Red: beyond the limit." +
			pick(shares, " Share: what a disk keeps of its baseline.", "")
	}
	if more > 0 {
		h.Note = joined(" ", h.Note, "And "+unit.Plural(more, "more limit")+".")
	}
	return h
}

// limitRuler is an axis of distances to a limit, which is at nothing.
func limitRuler(low, high float64) Ruler {
	low, high = min(low, -minReach), max(high, minReach)
	margin := axisMargin * (high - low)
	r := Ruler{Low: low - margin, High: high + margin}
	r.Zone = &[2]float64{r.Low, 0}
	for _, at := range Steps(r.Low, r.High, axisTicks) {
		tick := RulerTick{At: at, Text: strings.Replace(Change(at), ".0", "", 1)}
		if at == 0 {
			tick.Text = "limit"
			tick.Strong = true
		}
		r.Ticks = append(r.Ticks, tick)
	}
	return r
}

// key is a disk's; nil for none.
func (c *checkedPage) key(disk string) *LegendKey {
	for i := range c.keys {
		if c.keys[i].Name == disk {
			return &c.keys[i]
		}
	}
	return nil
}

// loadText says in words what disks do in a phase, "when all three write", and which is the only
// one that works, if it is one.
func loadText(order []string, p *analysis.PhaseResult) (load, lone string) {
	works := map[string]work.Work{}
	var last work.Work
	for _, disk := range order {
		if active(p.Roles[disk]) {
			last = workOf(p, disk)
			works[disk] = last
			lone = disk
		}
	}
	if len(works) > 1 {
		lone = ""
	}
	who := work.Who(order, works)
	switch title := trace.Unnumbered(p.Title); {
	case title != who:
		return "in " + title, lone
	case lone != "":
		return last.Does().Ing + " alone", lone
	case len(works) == len(order) && strings.HasPrefix(who, "all "):
		return "when " + allOf(len(order)) + " " + last.Does().Several, ""
	}
	return "when " + who, ""
}

// subjectOf is what a limit is about, in a few words: "A's speed".
func subjectOf(r *limit.Result) string {
	of := map[string][2]string{
		"rate": {"speed", ""}, "together": {"", "speed together"},
		"share": {"part of all bytes", ""}, "kept": {"share", ""},
		"p99": {"slowest requests", ""}, "recovery": {"recovery", ""},
		"late_frames": {"dropped frames", "dropped frames"}, "status": {"", "run"},
		"history": {"", "history"},
	}[r.Measure]
	if r.Disk == "" {
		return cmp.Or(of[1], of[0])
	}
	return r.Disk + "'s " + of[0]
}

// subject is what a limit is about, and in which load.
func (c *checkedPage) subject(row *limitRow) string {
	r := &row.results[0]
	return joined(" ", pick(r.Disk == "", "the ", "")+subjectOf(r), row.load)
}

// headline says how far off the worst limit is.
func (c *checkedPage) headline(row *limitRow) string {
	r := &row.results[0]
	who := pick(r.Disk == "", "", r.Disk+" is ")
	switch {
	case r.Value == nil:
		return unit.Capital(c.subject(row)) +
			pick(r.Measure == "status", " is incomplete", " was not measured")
	case row.room == nil:
		value, _ := measured(r)
		return c.subject(row) + ": " + value + ", not " + r.Bounds
	case r.Measure == "rate" || r.Measure == "together":
		off := unsigned(math.Abs(*row.room)) + pick(*row.room < 0, " too slow", " off")
		return joined(" ", who+off, row.load)
	}
	return c.subject(row) + " is " + unsigned(math.Abs(*row.room)) + " beyond its limit"
}

// table lists limits whole.
func (c *checkedPage) table(rows []*limitRow) *Table {
	t := table("Limits", words("Limit", "Measure", "Disk"),
		numbers("Measured", "Wanted", "Room"))
	t.dropFirst("Room")
	for _, row := range rows {
		r := &row.results[0]
		value, _ := measured(r)
		room := ""
		if row.room != nil {
			room = Change(*row.room)
		}
		t.add(unit.Capital(cmp.Or(row.phase, "the run")), r.Measure, r.Disk, value, r.Bounds, room)
	}
	return t
}
