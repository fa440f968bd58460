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
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Checked is a run that was held to limits.
type Checked struct {
	Run     string          `json:"run"`
	Verdict limit.Judgement `json:"verdict"`
	Results []limit.Result  `json:"results"`

	History string  `json:"history,omitempty"` // what of it counts
	Started string  `json:"started,omitempty"`
	Host    string  `json:"-"`
	Seconds float64 `json:"seconds"` // time that the phases took

	Analysis *analysis.Analysis `json:"-"` // what the phases are called; nil if nothing is known
}

// limitRow is one limit: what became of it in each run and each repeat of its phase, the worst
// first.
type limitRow struct {
	phase   string // its title
	load    string // in words: "when all three write"
	results []limit.Result
	of      []string // the run of each result
	room    *float64 // of the worst, as a share of the limit; below 0 beyond it, nil if unknown
	span    *stats.Interval
}

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

// withinMargin says how a limit holds that lies within its measurement's interval.
const withinMargin = "within the margin of error"

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
			"confidence, corrected for all limits of the run. Repeats of a phase are one row: the one that is furthest off is shown."}}},
		&Details{ID: "sure", Title: "How sure is this?", Printed: true, Blocks: sure})
	return doc
}

// newCheckedPage puts what is held to the same limit into one row.
func newCheckedPage(runs []Checked) *checkedPage {
	c := &checkedPage{runs: runs}
	type key struct{ phase, disk, measure, bounds string }
	byKey := map[key]*limitRow{}
	var order []string
	for i := range runs {
		run := &runs[i]
		titles, loads, lone := map[string]string{}, map[string]string{}, map[string]string{}
		if a := run.Analysis; a != nil {
			for k := range a.Phases {
				p := &a.Phases[k]
				titles[p.Name] = trace.Unnumbered(p.Title)
				loads[p.Name], lone[p.Name] = loadText(a.Order, p)
			}
			for _, disk := range a.Order {
				if !slices.Contains(order, disk) {
					order = append(order, disk)
				}
			}
		}
		for _, r := range run.Results {
			if disk := lone[r.Phase]; r.Measure == "together" && disk != "" {
				r.Measure = "rate"
				r.Disk = disk
			}
			k := key{trace.Unnumbered(r.Phase), r.Disk, r.Measure, r.Bounds}
			row := byKey[k]
			if row == nil {
				row = &limitRow{phase: cmp.Or(titles[r.Phase], r.Phase)}
				row.load = cmp.Or(loads[r.Phase], pick(r.Phase == "", "", "in "+r.Phase))
				byKey[k] = row
				c.rows = append(c.rows, row)
			}
			row.results = append(row.results, r)
			row.of = append(row.of, run.Run)
		}
	}
	c.keys = newKeys(order)
	for _, row := range c.rows {
		row.settle()
	}
	slices.SortStableFunc(c.rows, func(x, y *limitRow) int {
		return cmp.Or(cmp.Compare(rankOf(&x.results[0]), rankOf(&y.results[0])),
			cmp.Compare(roomOr(x.room), roomOr(y.room)))
	})
	return c
}

// Ranks of results, the worst first.
const (
	fails = iota
	isOpen
	isClose
	passes
)

func rankOf(r *limit.Result) int {
	switch {
	case r.Verdict == limit.Fail:
		return fails
	case r.Verdict == limit.Unsure:
		return isOpen
	case r.WithinMargin:
		return isClose
	}
	return passes
}

// roomOr is a row's room, or less than any if it is unknown.
func roomOr(room *float64) float64 {
	if room == nil {
		return math.Inf(-1)
	}
	return *room
}

// settle puts the worst result first, and finds its room.
func (row *limitRow) settle() {
	worst := 0
	for i := range row.results {
		x, y := &row.results[i], &row.results[worst]
		if cmp.Or(cmp.Compare(rankOf(x), rankOf(y)),
			cmp.Compare(roomOr(roomOf(x, x.Value)), roomOr(roomOf(y, y.Value)))) < 0 {
			worst = i
		}
	}
	row.results[0], row.results[worst] = row.results[worst], row.results[0]
	row.of[0], row.of[worst] = row.of[worst], row.of[0]
	r := &row.results[0]
	row.room = roomOf(r, r.Value)
	if low, high := roomOf(r, r.Low), roomOf(r, r.High); low != nil && high != nil {
		row.span = &stats.Interval{min(*low, *high), max(*low, *high)}
	}
}

// roomOf is how far a value is on the good side of its nearest limit, as a share of that; nil if
// there is no value, or the limit is nothing.
func roomOf(r *limit.Result, value *float64) (room *float64) {
	if value == nil {
		return nil
	}
	if r.Min != nil && *r.Min > 0 {
		room = new(*value / *r.Min - 1)
	}
	if r.Max != nil && *r.Max > 0 {
		if above := 1 - *value / *r.Max; room == nil || above < *room {
			room = &above
		}
	}
	return room
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
		p.Action = &Action{Title: "See what changed since a good run",
			Detail:  "Firmware, links and speeds, side by side. GOOD is a run that passed.",
			Command: "hubbench compare GOOD " + cells.Shell(failed[0].of[0])}
	case open != nil:
		p.Verdict = Verdict{Doubt, "Can't tell"}
		p.Headline = fmt.Sprintf("%d of %s not measured", len(open), all)
		p.Sub = within
	default:
		p.Verdict = Verdict{Good, "Passes"}
		p.Headline = pick(len(c.rows) == 1, "its limit holds", "all "+all+" hold")
		p.Sub = joined(" ", within, c.closest(rows, passed))
		rows = append(rows, passed[:min(len(passed), max(0, maxClose-len(rows)))]...)
		p.Action = &Action{Title: "Keep it as the reference",
			Detail:  "Later runs are then held to its speeds.",
			Command: "hubbench init --expect " + cells.Shell(c.runs[0].Run)}
		if near != nil {
			p.Action = &Action{Title: "Repeat it to be surer",
				Detail: "More repeats have a smaller margin of error: hubbench run with --repeat 3."}
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
		list = append(list, Number{Change(*failed[0].room), "the furthest off: " +
			c.subject(failed[0]) + " is " + value + ", and " + failed[0].results[0].Bounds +
			" is wanted", Bad})
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
		"late_frames": {"dropped frames", "dropped frames"}, "status": {"", "run"}, "history": {"", "history"},
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
		return unit.Capital(c.subject(row)) + " " + pick(r.Measure == "status", "is incomplete", "was not measured")
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

// LimitsText says how many of the limits hold: "all limits hold".
func LimitsText(results []limit.Result) string {
	count := map[limit.Judgement]int{}
	within := 0
	for _, r := range results {
		count[r.Verdict]++
		if r.WithinMargin {
			within++
		}
	}
	total, failed, open := len(results), count[limit.Fail], count[limit.Unsure]
	switch {
	case failed > 0 && open > 0:
		return fmt.Sprintf("%d of %d limits failed, and %d cannot be judged", failed, total, open)
	case failed > 0:
		return fmt.Sprintf("%d of %d limits failed", failed, total)
	case open > 0:
		return fmt.Sprintf("%d of %d limits cannot be judged, and none failed", open, total)
	}
	return "all limits hold" + pick(within > 0, fmt.Sprintf(", %d %s", within, withinMargin), "")
}

// measured is what was measured and its interval, each empty if it is not known.
func measured(r *limit.Result) (value, interval string) {
	if r.Value != nil {
		value = r.Limit.Measure.Format(*r.Value)
	}
	if r.Low != nil {
		interval = r.Limit.Measure.Format(*r.Low) + " to " + r.Limit.Measure.Format(*r.High)
	}
	return value, interval
}

// MeasuredText is what was measured, with its interval: "1.15 GB/s (1.13 GB/s to 1.17 GB/s)".
func MeasuredText(r *limit.Result) string {
	value, interval := measured(r)
	if interval != "" {
		value += " (" + interval + ")"
	}
	return value
}

// ResultText is a limit and what was measured in one line: "WWW, disk A: rate 0.68 GB/s, want at
// least 1.2 GB/s".
func ResultText(r *limit.Result) string {
	disk := ""
	if r.Disk != "" {
		disk = "disk " + r.Disk
	}
	text := fmt.Sprintf("%s %s, want %s", r.Measure, cmp.Or(MeasuredText(r), "not measured"),
		r.Bounds)
	if where := nonEmpty(r.Phase, disk); len(where) > 0 {
		text = strings.Join(where, ", ") + ": " + text
	}
	if r.WithinMargin {
		text += ": " + withinMargin
	}
	if r.Why != "" {
		text += ": " + r.Why
	}
	return Clean(text)
}
