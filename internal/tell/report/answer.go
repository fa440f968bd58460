package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/unit"
)

// How much a terminal shows of an answer.
const (
	answerWidth    = 100 // columns
	answerLines    = 15  // for up to three disks; one more for each disk after that
	maxAnswerLines = 25
	maxAcross      = 4 // disks as columns of a table of phases; if there are more they are its rows
	maxFindings    = 3
	maxDoubts      = 2
	minWeight      = 0.05 // of a finding
	linesForReport = 2    // which say where the report is and how to see everything
)

// answer is what the run comes to.
func (r *runDoc) answer(failures []string) {
	a := r.a
	out := &Answer{Headline: a.Answer.Headline, Sure: a.Answer.Sure.Text}
	r.Answer = out
	telling := r.tellingPhases()
	switch several := func(p analysis.Phase) bool { return len(p.Disks) > 1 }; {
	case out.Headline != "": // else no disks contend and nothing is streamed
	case len(a.Phases) == 0:
		out.Headline = "Nothing was measured."
	case len(a.Phases) == 1:
		out.Headline = a.Phases[0].Verdict
	case !slices.ContainsFunc(a.Phases, several):
		out.Headline = "Each disk was measured alone."
	case len(telling) > 0:
		p := &telling[0].phases[0]
		out.Headline = cmp.Or(p.Title, p.Name) + ": " + p.Verdict
	}
	for _, d := range a.Answer.Doubts[min(1, len(a.Answer.Doubts)):] {
		out.Doubts = append(out.Doubts, d.Text)
	}
	trusted := len(a.Answer.Doubts) == 0
	failed := func(d analysis.Doubt) bool { return d.Code == analysis.DoubtFailed }
	if len(failures) > 0 && !slices.ContainsFunc(a.Answer.Doubts, failed) {
		out.Headline, out.Doubts, trusted = failures[0], append(out.Doubts, failures[1:]...), false
	}
	out.Doubts = out.Doubts[:min(len(out.Doubts), maxDoubts)]
	warnings := r.run.About.Warnings
	if linesOf(warnings...) <= maxDoubts {
		out.Doubts = append(out.Doubts, warnings...)
	} else {
		out.Doubts = append(out.Doubts, unit.Plural(len(warnings), "warning")+" from before the run; --all shows them.")
	}
	// As many clauses as fit two lines.
	parts := strings.Split(out.Headline, "; ")
	for n := len(parts); n > 0; n-- {
		out.Headline = parts[0]
		if n > 1 {
			out.Headline = strings.TrimSuffix(strings.Join(parts[:n], "; "), ".") + "."
		}
		if len(cells.Wrap(out.Headline, "", answerWidth)) <= 2 {
			break
		}
	}
	if rest, ok := strings.CutPrefix(a.Answer.Headline, strings.TrimSuffix(out.Headline, ".")+"; "); ok {
		r.Add(Sentence{Text: say.Capital(a.Order, rest)})
	}
	if trusted {
		out.Advice = say.Each(a.Answer.Advice, func(advice analysis.Advice) string { return advice.Text })
	}
	switch {
	case slices.ContainsFunc(a.Phases, func(p analysis.Phase) bool { return len(p.StreamTotals) > 0 }):
		out.Table, out.Sure = ticks(r.Keys, a), streamsSure(a)
	case len(a.Phases) == 1:
		if out.Table = r.view(0).diskTable(); out.Table != nil {
			out.Table.ID = "answer-disks"
			out.Table.Note = "±: half the 95 % confidence interval. Kept: of the rate without the others."
		}
	case len(telling) > 0:
		out.Table = r.phasesTable(telling, false)
		if len(r.Keys) > maxAcross || out.Table.width() > answerWidth {
			out.Table = disksDown(out.Table, telling)
		}
	}
	if out.Table != nil && len(out.Table.Rows) == 0 {
		out.Table = nil
	}
	// What the headline and the table do not say, each once.
	told := []string{"saturation", "drops", "latency", "held", "even", "uneven", "steal", "others", "host_bound", "cached"}
	if len(a.Phases) == 1 {
		out.Findings = nonEmpty(say.Steady(a, &a.Phases[0]))
	}
	for _, f := range r.findings {
		if f.Weight >= minWeight && !slices.Contains(told, f.Code) && len(out.Findings) < maxFindings {
			told, out.Findings = append(told, f.Code), append(out.Findings, f.Text)
		}
	}
	r.fitAnswer()
}

// linesOf is how many lines of a terminal texts take.
func linesOf(texts ...string) (n int) {
	for _, text := range texts {
		if text != "" {
			n += len(cells.Wrap(Clean(text), "", answerWidth-2))
		}
	}
	return n
}

// fitAnswer leaves out findings and rows of the table until the answer fits a screen.
func (r *runDoc) fitAnswer() {
	a := r.Answer
	title := strings.Join(append([]string{r.Title}, r.Origin()...), ", ")
	limit := min(maxAnswerLines, max(answerLines, answerLines+len(r.Keys)-3)) - linesForReport -
		linesOf(title, a.Headline, a.Sure) - linesOf(a.Doubts...) - linesOf(a.Advice...)
	t := a.Table
	if t == nil {
		t = &Table{}
	}
	last, fewRows := 0, 0 // rows that stay; and how many lines the table takes at least
	if t.ID == "answer-disks" {
		last = 1
	}
	if len(t.Rows) > 0 {
		fewRows = min(len(t.Rows), 3+last) + linesOf(t.Note) + 1
	}
	for len(a.Findings) > 0 && limit-linesOf(a.Findings...) < fewRows {
		a.Findings = a.Findings[:len(a.Findings)-1]
	}
	limit -= linesOf(a.Findings...)
	all, note := t.Rows, t.Note
	for keep := len(all) - 1; keep > 0 && len(t.Rows) > max(1, limit-linesOf(t.Note)-1); keep-- {
		t.Rows = append(slices.Clone(all[:keep-last]), all[len(all)-last:]...)
		rowName := strings.ToLower(strings.TrimSuffix(t.Columns[0].Head, "s"))
		t.Note = strings.TrimSuffix(note, ".") + "; " + unit.Plural(len(all)-len(t.Rows), "more "+rowName) + " with --all."
	}
}

// tellingPhases are the phases that are no tries of searches, repeats together: first those that the headline is
// about, then those with the most disks, then those in which a disk keeps least.
func (r *runDoc) tellingPhases() []pooledPhase {
	contests := map[string]int{}
	for i, c := range slices.Backward(r.a.Summary.Contests) {
		contests[c.Phases[0]] = i
	}
	type ranked struct {
		pooledPhase
		contest, disks int
		kept           float64
	}
	var list []ranked
	for _, line := range r.lines {
		p := &line.phases[0]
		if p.Search != nil {
			continue
		}
		contest, known := contests[p.Name]
		kept := 1.0
		for name := range p.Disks {
			if w := withoutOthers(p, name); w != nil && w.Retention != nil {
				kept = min(kept, *w.Retention)
			}
		}
		list = append(list, ranked{line, pick(known, contest, len(r.a.Summary.Contests)), len(p.Disks), kept})
	}
	slices.SortStableFunc(list, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(x.contest, y.contest), cmp.Compare(y.disks, x.disks), cmp.Compare(x.kept, y.kept))
	})
	return say.Each(list, func(line ranked) pooledPhase { return line.pooledPhase })
}

// disksDown is a row per disk and a column for each phase of several disks, or of one if there is none, as far as
// there is room.
func disksDown(t *Table, lines []pooledPhase) *Table {
	down := table(t.Title, word("Disk"))
	for _, column := range t.Columns[1:] {
		down.add(Cell{Disk: column.Disk, Text: strings.ToLower(column.Head)})
	}
	alone := func(line pooledPhase) bool { return len(line.phases[0].Disks) == 1 }
	several := slices.ContainsFunc(lines, func(line pooledPhase) bool { return !alone(line) })
	shown := 0
	for k, row := range t.Rows {
		if several && alone(lines[k]) {
			continue
		}
		wider := table("", append(down.Columns, number(cells.CutMiddle(row[0].Text, longest)))...)
		for i := range down.Rows {
			wider.Rows = append(wider.Rows, append(down.Rows[i], row[i+1]))
		}
		if shown > 0 && wider.width() > answerWidth {
			break
		}
		down.Columns, down.Rows, shown = wider.Columns, wider.Rows, shown+1
	}
	down.ID, down.Note = "answer-disks", t.Note
	if len(lines) > shown {
		down.Note = strings.TrimSuffix(t.Note, ".") + "; " + unit.Plural(len(lines)-shown, "more phase") + " with --all."
	}
	return down
}

// answerFigure is the figure of a run's answer: the only phase over time; for fast caches the rate against the bytes
// written; for disks that compete the rate of each beside the others on its rate alone. It is nil if a table shows the
// answer better, as with streams.
func (r *runDoc) answerFigure() *Figure {
	if slices.ContainsFunc(r.a.Phases, func(p analysis.Phase) bool { return len(p.Streams) > 0 }) {
		return nil
	}
	var f *Figure
	switch {
	case len(r.a.Phases) == 1:
		for _, time := range Collect[*Figure](r.Phases()[0].Blocks) {
			if time.ID == "time" { // up to the rates under the phase's changes
				part := *time
				main := slices.IndexFunc(part.Panels, func(p Panel) bool { return !p.Y.Bare })
				part.Panels, part.Wide = slices.Clone(part.Panels[:main+1]), false
				part.Panels[main].Height, part.Text = 200, part.Phase+": the rate of each file."
				f = &part
			}
		}
	case len(r.a.Summary.Contests) > 0:
		f = r.keptFigure()
	default:
		f = r.cacheFigure()
	}
	if f != nil {
		f.ID, f.OmitInText = "answer", true
		f.Text += pick(r.Started == "", "", " Measured on "+r.Started+".")
	}
	return f
}

// maxKeptRows is how many disks are drawn at most, as many of each contest.
const maxKeptRows = 10

// keptRow is a disk in a contest.
type keptRow struct {
	contest int
	key     Key
	first   analysis.DiskContention // of the contest's first phase
	analysis.ContestDisk
}

// mark follows what the disk keeps of a rate that it has beside the rest.
func (r keptRow) mark() string { return pick(r.first.Retention == nil || r.first.Alone, "", notAlone) }

// loss is the part of its rate alone that the disk does not have beside the others. It is below any loss if that is not
// known.
func (r keptRow) loss() float64 {
	if r.Reference == nil {
		return -1
	}
	return 1 - r.Kept
}

// keptFigure is a panel for each contest, in the order of the headline, with a bar for each disk: its rate beside
// the others, on the outline of its rate alone. What loses most in a contest comes first.
func (r *runDoc) keptFigure() *Figure {
	all := r.a.Summary.Contests
	f := &Figure{X: Axis{Name: "rate, " + r.scale.Unit, Bare: true}}
	var contests [][]keptRow
	most := max(2, maxKeptRows/len(all))
	cut, unknown, elsewhere, beside := false, false, false, false
	var phases []string
	for i := range all {
		first := &r.a.Phases[r.index[all[i].Phases[0]]]
		var rows []keptRow
		for _, key := range r.Keys {
			if d, ok := all[i].Disks[key.Name]; ok {
				rows = append(rows, keptRow{i, key, contentionOf(first, key.Name), d})
			}
		}
		slices.SortStableFunc(rows, func(a, b keptRow) int { return cmp.Compare(b.loss(), a.loss()) })
		if len(rows) > most {
			rows, cut = slices.Delete(rows, most-1, len(rows)-1), true
		}
		panel := Panel{Y: Axis{Name: does(r.Keys, first.Roles, first.Paced), Rows: true, Min: float64(len(f.Keys)) - 0.5}}
		for _, row := range rows {
			unknown = unknown || row.Reference == nil
			elsewhere = elsewhere || keptElsewhere(first, row.key.Name)
			beside = beside || row.mark() != ""
			f.X.Max = max(f.X.Max, r.bar(&panel, row, len(f.Keys)))
			f.Keys = append(f.Keys, row.key)
		}
		panel.Y.Max, panel.Height = float64(len(f.Keys))-0.5, 21*len(rows)
		f.Panels, contests = append(f.Panels, panel), append(contests, rows)
		for _, name := range all[i].Phases {
			if at, known := r.index[name]; known {
				name = cmp.Or(r.a.Phases[at].Title, name)
			}
			if name != panel.Y.Name {
				phases = append(phases, name)
			}
		}
	}
	f.Title = r.keptTitle(f.Panels, contests)
	f.Text = r.scale.Unit + ". Bar: beside the others, with its 95 % confidence interval; outline: without them" +
		pick(beside, notAloneNote, "") + "." +
		pick(unknown, " Hatched: no reference, so it may have lost any part.", "") +
		pick(elsewhere, " %: in the time between changes.", "") +
		pick(cut, " Those that lose most, and the one that loses least; all are in the table.", "")
	f.Text += pick(phases == nil, "", " From "+cells.Cut(strings.Join(phases, "; "), 90)+".")
	return f
}

// bar draws what a disk has beside the others as the figure's i-th row, and returns how far that reaches.
func (r *runDoc) bar(panel *Panel, row keptRow, i int) (end float64) {
	y, number := float64(i), r.scale.Number
	end = r.scale.of(row.Rate)
	bar, label := OldMark{Shape: Rectangle, Key: i, Name: "beside the others"}, OldMark{Shape: Label, Style: Ink, Key: i}
	if row.Reference == nil {
		bar.Style, label.Text = Hatched, number(row.Rate)+", "+noReference(row.first)
	} else {
		whole := Round(r.scale.of(*row.Reference), 9)
		end = max(end, whole)
		panel.mark(OldMark{Shape: Rectangle, Style: Outline, Key: i, Name: "alone"}, 0, whole, y-0.3, y+0.3)
		label.Text = fmt.Sprintf("%s of %s: %s", number(row.Rate), number(*row.Reference), percent(row.Kept)+row.mark())
		if row.Lost && !sharedEvenly(&r.a.Summary.Contests[row.contest]) {
			label.Style = Loss
		}
	}
	panel.mark(bar, 0, Round(r.scale.of(row.Rate), 9), y-0.3, y+0.3)
	if ci := row.CI95; ci != nil {
		low, high := r.scale.of(ci[0]), r.scale.of(ci[1])
		end = max(end, high)
		panel.mark(OldMark{Shape: Segment, Style: Ink, Key: i, Name: interval}, Round(low, 4), Round(high, 4), y, y)
	}
	panel.mark(label, end, y)
	return end
}

// sharedEvenly reports whether the disks have about the same, and not all of them are known to lose: the headline calls
// none of them a loser.
func sharedEvenly(c *analysis.Contest) bool {
	kept := func(d analysis.ContestDisk) bool { return !d.Lost }
	return c.Even && slices.ContainsFunc(slices.Collect(maps.Values(c.Disks)), kept)
}

// keptTitle says what the disks keep that lose most in the first contest of which the headline names a loser.
func (r *runDoc) keptTitle(panels []Panel, contests [][]keptRow) string {
	at := max(0, slices.IndexFunc(contests, func(rows []keptRow) bool {
		return rows[0].loss() >= 0.1 && !sharedEvenly(&r.a.Summary.Contests[rows[0].contest])
	}))
	worst := contests[at][0]
	switch {
	case worst.Reference == nil || len(r.a.Answer.Doubts) > 0:
		return "What each disk has beside the others"
	case worst.loss() < 0.1:
		return "No disk loses much beside the others"
	}
	var alike []string
	for _, key := range r.Keys {
		if d, ok := r.a.Summary.Contests[at].Disks[key.Name]; ok && (keptRow{ContestDisk: d}).loss() > worst.loss()-0.05 {
			alike = append(alike, key.Label)
		}
	}
	n := len(alike)
	who, kept := pick(n > 4, unit.Plural(n, "disk"), unit.List(alike)), percent(worst.Kept)
	keep, its := pick(n == 1, " keeps ", " keep "), pick(n == 1, " of its rate (", " of their rate (")
	return who + keep + kept + its + panels[at].Y.Name + ")"
}

// cacheFigure is the rate of each disk that wrote alone until its fast cache was full, against the bytes written.
func (r *runDoc) cacheFigure() *Figure {
	f := &Figure{X: Axis{Name: "written so far", Unit: Bytes}}
	panel, lastFall := Panel{Height: 220}, 0.0
	var ends []string
	for _, s := range r.a.Saturations {
		at, known := r.index[s.Alone]
		if !known {
			continue
		}
		v := r.view(at)
		worn := bytesFigure(v)
		if worn == nil {
			continue
		}
		for _, m := range worn.Panels[0].Marks {
			if worn.Keys[m.Key].Name == s.Disk && m.Shape != Rule {
				m.Key = len(f.Keys)
				panel.mark(m)
			}
		}
		if s.Fall != nil {
			text := "cache full: " + unit.FormatBytes(int64(s.Fall.AtBytes))
			lastFall = max(lastFall, s.Fall.AtBytes)
			panel.mark(OldMark{Shape: Rule, Style: Loss, Key: len(f.Keys), Text: text}, Round(s.Fall.AtBytes, 4))
			ends = append(ends, fallText(r.scale, v.label(s.Disk), s.Fall.FromRate, s.Fall.ToRate, s.Fall.AtBytes))
		}
		f.Keys = append(f.Keys, v.key(s.Disk))
		f.X.Max, panel.Y.Max = max(f.X.Max, worn.X.Max), max(panel.Y.Max, worn.Panels[0].Y.Max)
	}
	if len(f.Keys) == 0 {
		return nil
	}
	if lastFall > 0 && f.X.Max > 3*lastFall { // a disk that does not fall may write for long
		f.X.Max = 3 * lastFall
		for i := range panel.Marks {
			m := &panel.Marks[i]
			m.Rows = slices.DeleteFunc(m.Rows, func(row []float64) bool { return len(row) > 1 && row[1] > f.X.Max })
		}
	}
	panel.Y.Max *= 1.12 // room for words over the marks
	panel.Y.Name = "rate, " + r.scale.Unit
	f.Title = cmp.Or(strings.Join(ends[:min(2, len(ends))], "; "), "No disk falls while it writes")
	f.Text, f.Panels = "Each disk writes alone; each mark is one file.", []Panel{panel}
	return f
}
