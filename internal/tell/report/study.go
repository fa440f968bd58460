package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// study shows what is behind the answer of several phases: what came of streams, searches and fast caches, what
// disks keep beside one another, and all phases in a table.
func (r *runDoc) study() {
	overview := streamsOverview(r.Keys, r.a)
	r.Add(overview)
	for i := range r.a.Searches {
		r.Add(r.searchTable(&r.a.Searches[i], overview.Rows != nil || i > 0))
	}
	r.addSaturations()
	r.Add(r.pairsTable(), latencyMatrix(r.Keys, r.a))
	// The table of all phases goes without the tries of searches, which the searches' tables hold.
	try := func(line pooledPhase) bool { return line.phases[0].Search != nil }
	lines := slices.DeleteFunc(slices.Clone(r.lines), try)
	left := len(r.a.Phases)
	for _, line := range lines {
		left -= len(line.phases)
	}
	searches := pick(len(r.a.Searches) == 1, "a search", unit.FormatCount(len(r.a.Searches))+" searches")
	tries := pick(left == 1, "one try of ", unit.FormatCount(left)+" tries of ") + searches +
		", which the tables of searches hold and --all prints one by one"
	if len(lines) == 0 {
		r.Add(Sentence{Text: "All phases are " + tries + "."})
		return
	}
	t := r.phasesTable(lines, true)
	t.Note += pick(left > 0, " Without "+tries+".", "")
	r.Add(t)
}

// poolFindings gathers the findings of all phases but for what a phase's verdict says; those that repeats of one phase
// have in common are told once.
func (r *runDoc) poolFindings() {
	type kind struct {
		code, disk string
		line, nth  int // of this kind in its phase
	}
	type finding struct {
		analysis.Finding
		kind
	}
	type place struct {
		kind
		phase string
	}
	of, met := map[string]int{}, map[place]int{}
	for i, line := range r.lines {
		for _, phase := range line.phases {
			of[phase.Name] = i
		}
	}
	var all []finding
	for _, f := range r.a.Findings {
		line, known := of[f.Phase]
		probed := known && f.Code == "latency" && r.a.Phases[r.index[f.Phase]].Paced[f.Disk].Probe > 0
		if f.Code == "partial" || f.MorePhases == 0 && (f.Code == "drops" || probed) {
			continue
		}
		k := kind{f.Code, f.Disk, pick(known, line, -1), 0}
		at := place{k, pick(known, f.Phase, "")} // what is of no phase that is known repeats nothing
		k.nth, met[at] = met[at], met[at]+1
		all = append(all, finding{f, k})
	}
	for _, alike := range say.Grouped(all, func(f finding) kind { return f.kind }) {
		f := alike[0]
		if len(r.a.Phases) == 1 && f.Says != "" {
			f.Text = say.Capital(r.a.Order, f.Says)
		}
		if n := len(alike); n > 1 {
			of := len(r.lines[f.line].phases)
			f.Text = fmt.Sprintf("%s; seen in %d of %d repeats.", strings.TrimSuffix(f.Text, "."), n, of)
		}
		r.findings = append(r.findings, f.Finding)
	}
}

func keyOf(keys []Key, name string) int {
	return slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
}

func labelOf(keys []Key, name string) string {
	if i := keyOf(keys, name); i >= 0 {
		return keys[i].Label
	}
	return name
}

// pooledPhase is phases that are repeats of one.
type pooledPhase struct {
	title  string
	id     string // of the first
	phases []analysis.Phase
}

// pool puts the repeats of a phase together: of the same work, by names that differ only in the number at their end.
func (r *runDoc) pool() {
	type repeated struct{ name, first string }
	for _, group := range say.Grouped(r.a.Phases, func(p analysis.Phase) repeated {
		return repeated{trace.Unnumbered(p.Name), cmp.Or(p.Repeats, p.Name)}
	}) {
		title := pick(len(group) > 1, trace.Unnumbered(group[len(group)-1].Title), group[0].Title)
		r.lines = append(r.lines, pooledPhase{title, phaseID(r.index[group[0].Name]), group})
	}
	// The fewer at work, the earlier, as in the analysis' matrix.
	atWork := func(line pooledPhase) int { return len(line.phases[0].Disks) }
	slices.SortStableFunc(r.lines, func(x, y pooledPhase) int { return atWork(x) - atWork(y) })
}

// mean is nil if there are no values.
func mean(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	return new(stats.Mean(values))
}

// phasesTable is a row per phase and a column per disk, with how long all worked and who reads and who writes if it
// is whole.
func (r *runDoc) phasesTable(lines []pooledPhase, whole bool) *Table {
	t := table(pick(whole, "All phases", "Phases"), word("Phase"))
	t.ID = pick(whole, "", "answer")
	for i := range r.Keys {
		t.Columns = append(t.Columns, ofDisk(&r.Keys[i]))
	}
	t.Columns = append(t.Columns, number("Together"))
	compared, elsewhere, limited, sure, unknown, beside := false, false, false, false, false, false
	for k := range lines {
		line, p := &lines[k], &lines[k].phases[0]
		name := Cell{Text: shorten(cmp.Or(line.title, p.Name), 2*longest), Link: line.id}
		if n := len(line.phases); whole && n > 1 {
			name.Small = fmt.Sprintf("mean of %d", n)
		}
		row := []any{name}
		for _, key := range r.Keys {
			cell := r.cell(line, key.Name)
			compared, elsewhere = compared || cell.Heat != nil, elsewhere || keptElsewhere(p, key.Name)
			beside, limited, unknown = beside || strings.HasSuffix(cell.Small, notAlone), limited || cell.Small == ownPace, unknown || cell.NoReference && cell.Small == ""
			if !whole {
				cell.Letter = ""
			}
			row = append(row, cell)
		}
		total, length := r.total(line)
		row, sure = append(row, total), sure || total.Small != ""
		if whole {
			row = append(row, length)
		}
		t.add(row...)
	}
	t.Note = r.scale.Unit + " while all worked" + pick(compared, "; %: of the rate without the others", "") +
		pick(compared && elsewhere, ", between changes", "") + pick(beside, notAloneNote, "")
	if whole {
		t.Columns = append(t.Columns, number("Overlap", 1))
		t.Note += pick(unknown, "; no %: no reference", "") +
			pick(sure, "; ±: half the 95 % confidence interval", "") + "; W writes, R reads"
	}
	t.Note += "." + pick(limited, " "+ownPaceNote, "")
	return t
}

// What marks a percentage that is not of the rate that the disk has alone.
const (
	notAlone     = "*"
	notAloneNote = "; *: without one other disk, not alone"
)

// cell is what a disk moved in the repeats of a phase and what it kept of its rate without the others; empty for an
// idle disk.
func (r *runDoc) cell(line *pooledPhase, disk string) Cell {
	first := &line.phases[0]
	role := first.Roles[disk]
	if !active(role) {
		return Cell{}
	}
	var rates, shares []float64
	mark := ""
	for _, phase := range line.phases {
		if phase.Overlap == nil {
			continue
		}
		rates = append(rates, phase.Overlap.Disks[disk].Rate)
		if c := contentionOf(&phase, disk); c.Retention != nil {
			shares, mark = append(shares, *c.Retention), cmp.Or(mark, pick(c.Alone, "", notAlone))
		}
	}
	cell := Cell{Letter: pick(first.Paced[disk].Reads > 0, "RW", string(role.Letter())), Text: r.scale.maybe(mean(rates))}
	switch kept := mean(shares); {
	case kept != nil:
		cell.Small, cell.Heat, cell.Strong = percent(*kept)+mark, kept, *kept < 0.9
	case len(first.Disks) > 1:
		why := noReference(contentionOf(first, disk))
		cell.Small, cell.NoReference = pick(first.Paced[disk].Limited(), ownPace, pick(why == unmeasured, "", why)), len(rates) > 0
	}
	return cell
}

// total is what all disks of the repeats of a phase moved together, with an interval that covers those of all, and
// for how long.
func (r *runDoc) total(line *pooledPhase) (cell Cell, length string) {
	var rates, lengths []float64
	ci := &stats.Interval{math.Inf(1), 0}
	for _, phase := range line.phases {
		o := phase.Overlap
		if o == nil {
			continue
		}
		rates, lengths = append(rates, o.Rate), append(lengths, o.DurationS)
		if o.CI95 == nil {
			ci = nil
		} else if ci != nil {
			ci[0], ci[1] = min(ci[0], o.CI95[0]), max(ci[1], o.CI95[1])
		}
	}
	if rates == nil {
		return Cell{Text: none}, none
	}
	cell = Cell{Text: r.scale.maybe(mean(rates)), Strong: true}
	if margin := r.scale.margin(ci, *mean(rates)); margin != "" && !strings.Contains(margin, " ") {
		cell.Small = "± " + margin
	}
	return cell, unit.FormatSeconds(*mean(lengths))
}

// task is a disk and what it does.
type task struct {
	disk string
	role trace.Role
}

func (w task) text(keys []Key) string { return labelOf(keys, w.disk) + " " + string(w.role) + "s" }

// pair is what a disk kept in the phases in which it worked beside one other.
type pair struct {
	kept  []analysis.DiskContention
	phase string // where the first of them is shown
}

// pairsTable is what each disk keeps of its baseline beside one other, from the phases of two disks: the row's disk
// keeps so much beside the column's. It is nil if no phase has two disks that are compared with anything.
func (r *runDoc) pairsTable() *Table {
	pairs, known := map[[2]task]*pair{}, map[task]bool{}
	for i, phase := range r.a.Phases {
		if phase.Contention == nil || len(phase.Disks) != 2 {
			continue
		}
		for disk, c := range phase.Contention.Disks {
			for other := range phase.Contention.Disks {
				if other == disk {
					continue
				}
				row, column := task{disk, phase.Roles[disk]}, task{other, phase.Roles[other]}
				at := [2]task{row, column}
				if pairs[at] == nil {
					pairs[at] = &pair{phase: phaseID(i)}
				}
				pairs[at].kept = append(pairs[at].kept, c)
				known[row] = known[row] || c.Retention != nil
				known[column] = known[column] || c.Retention != nil
			}
		}
	}
	t := table("Who slows down whom", word("Keeps beside"))
	t.ID = "pairs"
	var tasks []task // in the order of disks, reads first
	for i, key := range r.Keys {
		for _, role := range []trace.Role{trace.Read, trace.Write} {
			if w := (task{key.Name, role}); known[w] {
				column := number(w.text(r.Keys))
				column.Disk = &r.Keys[i]
				tasks, t.Columns = append(tasks, w), append(t.Columns, column)
			}
		}
	}
	margin := 0.0
	for _, row := range tasks {
		cells := []any{row.text(r.Keys)}
		for _, column := range tasks {
			cell, half := pairs[[2]task{row, column}].cell()
			cells = append(cells, cell)
			margin = max(margin, half)
		}
		t.add(cells...)
	}
	t.Note = "% of its baseline that the row's disk keeps beside the column's."
	if margin > 0 {
		t.Note = fmt.Sprintf("%% of its baseline that the row's disk keeps beside the column's, ±%.0f or less.",
			math.Ceil(perCent*margin))
	}
	return t
}

const perCent = 100

// cell is the mean of what the disk kept, and half of its interval: of repeats half the difference between the
// highest and the lowest.
func (p *pair) cell() (c Cell, half float64) {
	if p == nil {
		return Cell{}, 0
	}
	var shares []float64
	for _, c := range p.kept {
		if c.Retention != nil {
			shares = append(shares, *c.Retention)
			if c.RetentionCI != nil {
				half = c.RetentionCI.Half()
			}
		}
	}
	if shares == nil {
		return Cell{Text: noReference(p.kept[0]), NoReference: true}, 0
	}
	if len(shares) > 1 {
		half = (slices.Max(shares) - slices.Min(shares)) / 2
	}
	share := mean(shares)
	return Cell{Text: percent(*share), Heat: share, Link: p.phase}, half
}

// addSaturations shows for each phase of the preset saturation what rests have given back to the disks that fell.
func (r *runDoc) addSaturations() {
	fell := slices.DeleteFunc(slices.Clone(r.a.Saturations), func(s analysis.Saturation) bool {
		return s.Fall == nil || len(s.Bursts) == 0
	})
	for i, found := range say.Grouped(fell, func(s analysis.Saturation) string { return s.Of }) {
		f := regainedFigure(r.Keys, found)
		if i > 0 {
			f.ID += "-" + strconv.Itoa(i+1)
		}
		t := table(f.Title, word("Rest"))
		t.Note = "How much of its fast cache a disk had back after a rest, by what it then wrote faster than without; " +
			"and the share of what the cache took at first. ±: half the 95 % confidence interval."
		for k := range f.Keys {
			t.Columns = append(t.Columns, ofDisk(&f.Keys[k]))
		}
		for k, rest := range found[0].Bursts {
			fill(t, []float64{rest.RestS}, found, func(s float64) any { return unit.FormatSeconds(s) },
				func(_ float64, s analysis.Saturation) Cell {
					if k >= len(s.Bursts) {
						return Cell{Text: none}
					}
					b := &s.Bursts[k]
					back := "± " + unit.FormatBytes(int64(2*b.SEBytes)) + ", " + percent(b.FastBytes/s.Fall.AtBytes)
					return Cell{Text: unit.FormatBytes(int64(b.FastBytes)), Small: back}
				})
		}
		r.Add(f, t)
	}
}

// regainedFigure is how much of its cache each disk had back after a rest, against the rest.
func regainedFigure(keys []Key, found []analysis.Saturation) *Figure {
	f := &Figure{
		ID: "regained", Title: "What a rest gives back (" + found[0].Of + ")", OmitInText: true,
		X: Axis{Name: "rest before writing", Unit: Seconds},
		Text: "Marks: how much of its fast cache the disk had back after a rest, with its 95 % confidence interval. " +
			"The line across is what its fast cache took at first; a dashed line leads to the rest that brings back all of it.",
	}
	panel := Panel{Y: Axis{Name: "of the cache", Unit: Bytes}, Height: 250}
	for i, s := range found {
		cache := Round(s.Fall.AtBytes, 4)
		if at := keyOf(keys, s.Disk); at >= 0 {
			f.Keys = append(f.Keys, keys[at])
		}
		points, bars := OldMark{Shape: Point, Key: i, Name: "burst"}, OldMark{Shape: Segment, Style: Bare, Key: i, Name: interval}
		for _, b := range s.Bursts {
			low, high := max(0, b.FastBytes-2*b.SEBytes), b.FastBytes+2*b.SEBytes
			points.row(b.RestS, Round(b.FastBytes, 4))
			bars.row(b.RestS, b.RestS, Round(low, 4), Round(high, 4))
			f.X.Max, panel.Y.Max = max(f.X.Max, 1.05*b.RestS), max(panel.Y.Max, 1.1*high)
		}
		panel.Y.Max = max(panel.Y.Max, 1.1*s.Fall.AtBytes)
		panel.Marks = append(panel.Marks, bars, points)
		if b := s.Back; b != nil && b.RestS != nil {
			panel.mark(OldMark{Shape: Segment, Style: Dashed, Key: i, Name: "as it grows"}, 0, Round(*b.RestS, 4), 0, cache)
		}
	}
	for i, s := range found {
		text := unit.FormatBytes(int64(s.Fall.AtBytes)) + " at first"
		panel.mark(OldMark{Shape: Rule, Style: Limit, Key: i, Text: text}, 0, f.X.Max, Round(s.Fall.AtBytes, 4))
	}
	f.Panels = []Panel{panel}
	return f
}
