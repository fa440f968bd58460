package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
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
	if out.Headline == "" {
		out.Headline = r.plainHeadline(telling)
	}
	out.Doubts = say.Each(a.Answer.Doubts[min(1, len(a.Answer.Doubts)):], func(d analysis.Doubt) string { return d.Text })
	trusted := len(a.Answer.Doubts) == 0
	told := slices.ContainsFunc(a.Answer.Doubts, func(d analysis.Doubt) bool { return d.Code == analysis.DoubtFailed })
	if len(failures) > 0 && !told {
		out.Headline, out.Doubts, trusted = failures[0], append(out.Doubts, failures[1:]...), false
	}
	out.Doubts = out.Doubts[:min(len(out.Doubts), maxDoubts)]
	warnings := r.run.About.Warnings
	if linesOf(warnings...) <= maxDoubts {
		out.Doubts = append(out.Doubts, warnings...)
	} else {
		out.Doubts = append(out.Doubts, unit.Plural(len(warnings), "warning")+" from before the run with --all.")
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
	out.Findings = r.tellingFindings()
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

// plainHeadline is for runs in which no disks contend and nothing is streamed.
func (r *runDoc) plainHeadline(telling []pooledPhase) string {
	phases := r.a.Phases
	switch {
	case len(phases) == 0:
		return "Nothing was measured."
	case len(phases) == 1:
		return phases[0].Verdict
	case !slices.ContainsFunc(phases, func(p analysis.Phase) bool { return len(p.Disks) > 1 }):
		return "Each disk was measured alone."
	case len(telling) > 0:
		p := &telling[0].phases[0]
		return cmp.Or(p.Title, p.Phase) + ": " + p.Verdict
	}
	return ""
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
		contest, known := contests[p.Phase]
		kept := 1.0
		for name := range p.Disks {
			if w := withoutOthers(p, name); w != nil && w.kept != nil {
				kept = min(kept, *w.kept)
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

// tellingFindings are those that the headline and the table do not say, each once.
func (r *runDoc) tellingFindings() []string {
	told := []string{"saturation", "drops", "latency", "held", "even", "uneven", "steal", "others", "host_bound", "cached"}
	var out []string
	if len(r.a.Phases) == 1 {
		out = nonEmpty(say.Steady(r.a, &r.a.Phases[0]))
	}
	for _, f := range r.findings {
		if f.weight >= minWeight && !slices.Contains(told, f.code) && len(out) < maxFindings {
			told, out = append(told, f.code), append(out, f.text)
		}
	}
	return out
}
