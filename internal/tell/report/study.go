package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// study shows what is behind the answer of several phases: what came of streams, searches and fast caches, what
// disks keep beside one another, and all phases in a table.
func (r *runDoc) study() {
	overview := streamsOverview(r.Keys, r.a)
	r.Add(overview)
	for i := range r.a.Searches {
		r.Add(searchTable(r.Keys, r.a, &r.a.Searches[i], overview.Rows != nil || i > 0))
	}
	r.addSaturations()
	r.Add(pairsTable(r.Keys, r.a), latencyMatrix(r.Keys, r.a))
	// The table of all phases goes without the tries of searches, which the searches' tables hold.
	try := func(line pooledPhase) bool { return r.a.Phases[line.phases[0]].Search != nil }
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

// pooledFinding is a finding, with the repeats of its phase that show it.
type pooledFinding struct {
	code, text string
	weight     float64
	seen       []string // the phases that show it
}

// poolFindings gathers the findings of all phases but for what a phase's verdict says of them word for word; those that
// repeats of one phase have in common are told once.
func (r *runDoc) poolFindings() {
	of := make([]int, len(r.a.Phases)) // which line a phase is in
	for i, line := range r.lines {
		for _, phase := range line.phases {
			of[phase] = i
		}
	}
	type kind struct {
		code, disk string
		line       int
	}
	same := map[kind][]int{} // in the list
	var lines []int
	for _, f := range r.a.Findings {
		phase, line, text := &analysis.Phase{}, -1, f.Text
		if at, known := r.index[f.Phase]; known {
			phase, line = &r.a.Phases[at], of[at]
			text = f.Says // a page that is read back has nothing but the text
		}
		if f.Code == "partial" || strings.Contains(phase.Verdict, strings.TrimSuffix(text, ".")) {
			continue
		}
		in := kind{f.Code, f.Disk, line}
		at := slices.IndexFunc(same[in], func(i int) bool { return !slices.Contains(r.findings[i].seen, f.Phase) })
		if at >= 0 {
			at = same[in][at]
		} else {
			at = len(r.findings)
			same[in], lines = append(same[in], at), append(lines, line)
			text = pick(len(r.a.Phases) == 1, say.Capital(r.a.Order, text), f.Text)
			r.findings = append(r.findings, pooledFinding{code: f.Code, text: text, weight: f.Weight})
		}
		r.findings[at].seen = append(r.findings[at].seen, f.Phase)
	}
	for i := range r.findings {
		if f := &r.findings[i]; len(f.seen) > 1 {
			of := len(r.lines[lines[i]].phases)
			f.text = fmt.Sprintf("%s; seen in %d of %d repeats.", strings.TrimSuffix(f.text, "."), len(f.seen), of)
		}
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

// pooledPhase is phases that are repeats of one, by their place in the analysis.
type pooledPhase struct {
	title  string
	phases []int
}

// pool puts the repeats of a phase together: of the same work, by names that differ only in the number at their end.
func (r *runDoc) pool() {
	type repeated struct{ name, first string }
	at := map[repeated]int{}
	for i := range r.a.Phases {
		p := &r.a.Phases[i]
		of := repeated{trace.Unnumbered(p.Phase), cmp.Or(p.Repeats, p.Phase)}
		line, known := at[of]
		if known && p.Repeats != "" {
			r.lines[line].title = trace.Unnumbered(p.Title)
			r.lines[line].phases = append(r.lines[line].phases, i)
			continue
		}
		if !known {
			at[of] = len(r.lines)
		}
		r.lines = append(r.lines, pooledPhase{p.Title, []int{i}})
	}
	// The fewer at work, the earlier, as in the analysis' matrix.
	slices.SortStableFunc(r.lines, func(x, y pooledPhase) int {
		return cmp.Compare(len(r.a.Phases[x.phases[0]].Disks), len(r.a.Phases[y.phases[0]].Disks))
	})
}

// mean is nil if there are no values.
func mean(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	sum /= float64(len(values))
	return &sum
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
	compared, elsewhere, limited, sure, unknown := false, false, false, false, false
	for k := range lines {
		line, p := &lines[k], &r.a.Phases[lines[k].phases[0]]
		name := Cell{Text: shorten(cmp.Or(line.title, p.Phase), 2*longest), Link: phaseID(line.phases[0])}
		if n := len(line.phases); whole && n > 1 {
			name.Small = fmt.Sprintf("mean of %d", n)
		}
		row := []any{name}
		for _, key := range r.Keys {
			cell := r.cell(line, key.Name)
			compared, elsewhere = compared || cell.Heat != nil, elsewhere || keptElsewhere(p, key.Name)
			limited, unknown = limited || cell.Small == ownPace, unknown || cell.NoReference && cell.Small == ""
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
	t.Note = r.scale.Unit + " while all worked" + pick(compared, "; %: of the rate without the others", "")
	if whole {
		t.Columns = append(t.Columns, number("Overlap", 1))
		t.Note += pick(compared && elsewhere, ", in the time between changes", "") +
			pick(unknown, "; no %: no reference", "") +
			pick(sure, "; ±: half the 95 % confidence interval", "") + "; W writes, R reads"
	}
	t.Note += "." + pick(limited, " "+ownPaceNote, "")
	return t
}

// cell is what a disk moved in the repeats of a phase and what it kept of its rate without the others; empty for an
// idle disk.
func (r *runDoc) cell(line *pooledPhase, disk string) Cell {
	first := &r.a.Phases[line.phases[0]]
	role := first.Roles[disk]
	if role != trace.Read && role != trace.Write {
		return Cell{}
	}
	var rates, shares []float64
	for _, i := range line.phases {
		phase := &r.a.Phases[i]
		if phase.Overlap == nil {
			continue
		}
		rates = append(rates, phase.Overlap.Disks[disk].Rate)
		if phase.Contention != nil && phase.Contention.Disks[disk].Retention != nil {
			shares = append(shares, *phase.Contention.Disks[disk].Retention)
		}
	}
	cell := Cell{Letter: pick(first.Paced[disk].Reads > 0, "RW", string(role.Letter())), Text: r.scale.maybe(mean(rates))}
	switch kept := mean(shares); {
	case kept != nil:
		cell.Small, cell.Heat, cell.Strong = percent(*kept), kept, *kept < 0.9
	case len(first.Disks) > 1:
		cell.Small, cell.NoReference = pick(first.Paced[disk].Limited(), ownPace, ""), len(rates) > 0
	}
	return cell
}

// total is what all disks of the repeats of a phase moved together, with an interval that covers those of all, and
// for how long.
func (r *runDoc) total(line *pooledPhase) (cell Cell, length string) {
	var rates, lengths []float64
	ci := &analysis.Interval{math.Inf(1), 0}
	for _, i := range line.phases {
		o := r.a.Phases[i].Overlap
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

// pairsTable is what each disk keeps of its rate beside one other, from the phases of two disks: the row's disk
// keeps so much beside the column's. It is nil if no phase has two disks that are compared with anything.
func pairsTable(keys []Key, a *analysis.Analysis) *Table {
	kept, known := map[[2]task][]analysis.DiskContention{}, map[task]bool{}
	for i := range a.Phases {
		phase := &a.Phases[i]
		if phase.Contention == nil || len(phase.Disks) != 2 {
			continue
		}
		for disk, c := range phase.Contention.Disks {
			for other := range phase.Contention.Disks {
				if other != disk {
					row, column := task{disk, phase.Roles[disk]}, task{other, phase.Roles[other]}
					kept[[2]task{row, column}] = append(kept[[2]task{row, column}], c)
					known[row], known[column] = known[row] || c.Retention != nil, known[column] || c.Retention != nil
				}
			}
		}
	}
	t := table("Rate kept beside one other disk", word("Rate kept beside"))
	t.ID, t.Note = "pairs", "Row: the disk measured; column: the disk that works at the same time. "+
		"100 %: it has as much as without the other; empty: not measured. ±: half the 95 % confidence interval; "+
		"of a phase that was repeated, whose mean is shown, half the difference between the highest and the lowest."
	var tasks []task // in the order of disks, reads first
	for _, disk := range a.Order {
		for _, role := range []trace.Role{trace.Read, trace.Write} {
			if w := (task{disk, role}); known[w] {
				tasks, t.Columns = append(tasks, w), append(t.Columns, number(w.text(keys)))
			}
		}
	}
	for _, row := range tasks {
		cells := []any{row.text(keys)}
		for _, column := range tasks {
			cells = append(cells, pairCell(kept[[2]task{row, column}]))
		}
		t.add(cells...)
	}
	return t
}

// pairCell is what a disk kept in each of the phases.
func pairCell(list []analysis.DiskContention) Cell {
	var shares []float64
	var ci *analysis.Interval
	for _, c := range list {
		if c.Retention != nil {
			shares, ci = append(shares, *c.Retention), c.RetentionCI
		}
	}
	switch {
	case len(list) == 0:
		return Cell{}
	case shares == nil:
		return Cell{Text: "no reference", NoReference: true}
	}
	share := mean(shares)
	if len(shares) > 1 {
		ci = &analysis.Interval{slices.Min(shares), slices.Max(shares)}
	}
	return Cell{Text: keptText(*share, ci), Heat: share}
}

// addSaturations shows for each phase of the preset saturation what rests have given back to the disks that fell.
func (r *runDoc) addSaturations() {
	of := map[string][]*analysis.Saturation{}
	var names []string
	for i := range r.a.Saturations {
		if s := &r.a.Saturations[i]; s.Fall != nil && len(s.Bursts) > 0 {
			if of[s.Of] == nil {
				names = append(names, s.Of)
			}
			of[s.Of] = append(of[s.Of], s)
		}
	}
	for i, name := range names {
		f := regainedFigure(r.Keys, name, of[name])
		if i > 0 {
			f.ID += "-" + strconv.Itoa(i+1)
		}
		t := table(f.Title, word("Rest"))
		t.Note = "How much of its fast cache a disk had back after a rest, by what it then wrote faster than without; " +
			"and the share of what the cache took at first. ±: half the 95 % confidence interval."
		for k := range f.Keys {
			t.Columns = append(t.Columns, ofDisk(&f.Keys[k]))
		}
		for k, rest := range of[name][0].Bursts {
			row := []any{unit.FormatSeconds(rest.RestS)}
			for _, s := range of[name] {
				cell := Cell{Text: none}
				if k < len(s.Bursts) {
					b := s.Bursts[k]
					cell.Text = unit.FormatBytes(int64(b.FastBytes))
					cell.Small = fmt.Sprintf("± %s, %s", unit.FormatBytes(int64(2*b.SEBytes)), percent(b.FastBytes/s.Fall.AtBytes))
				}
				row = append(row, cell)
			}
			t.add(row...)
		}
		r.Add(f, t)
	}
}

// regainedFigure is how much of its cache each disk had back after a rest, against the rest.
func regainedFigure(keys []Key, name string, found []*analysis.Saturation) *Figure {
	f := &Figure{
		ID: "regained", Title: "What a rest gives back (" + name + ")", OmitInText: true,
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
		points, bars := Mark{Shape: Point, Key: i, Name: "burst"}, Mark{Shape: Segment, Style: Line, Key: i, Name: interval}
		for _, b := range s.Bursts {
			low, high := max(0, b.FastBytes-2*b.SEBytes), b.FastBytes+2*b.SEBytes
			points.row(b.RestS, Round(b.FastBytes, 4))
			bars.row(b.RestS, b.RestS, Round(low, 4), Round(high, 4))
			f.X.Max, panel.Y.Max = max(f.X.Max, 1.05*b.RestS), max(panel.Y.Max, 1.1*high)
		}
		panel.Y.Max = max(panel.Y.Max, 1.1*s.Fall.AtBytes)
		panel.Marks = append(panel.Marks, bars, points)
		if b := s.Back; b != nil && b.RestS != nil {
			panel.mark(Mark{Shape: Segment, Style: Dashed, Key: i, Name: "as it grows"}, 0, Round(*b.RestS, 4), 0, cache)
		}
	}
	for i, s := range found {
		text := unit.FormatBytes(int64(s.Fall.AtBytes)) + " at first"
		panel.mark(Mark{Shape: Rule, Style: Limit, Key: i, Text: text}, 0, f.X.Max, Round(s.Fall.AtBytes, 4))
	}
	f.Panels = []Panel{panel}
	return f
}
