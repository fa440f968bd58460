package report

import (
	"cmp"
	"fmt"
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

// runAnswer is what a run comes to.
func runAnswer(doc *Document, run Run) *Answer {
	a := run.Analysis
	out := &Answer{Headline: a.Answer.Headline, Sure: a.Answer.Sure.Text}
	telling := tellingPhases(a)
	if out.Headline == "" {
		out.Headline = plainHeadline(a, telling)
	}
	for i, d := range a.Answer.Doubts {
		if i > 0 {
			out.Doubts = append(out.Doubts, d.Text)
		}
	}
	trusted := len(a.Answer.Doubts) == 0
	if failed := run.About.Failures; len(failed) > 0 && !slices.ContainsFunc(a.Answer.Doubts, func(d analysis.Doubt) bool { return d.Code == analysis.DoubtFailed }) {
		out.Headline, out.Doubts, trusted = "Failed: "+failed[0], append(out.Doubts, failed[1:]...), false
	}
	out.Doubts = out.Doubts[:min(len(out.Doubts), maxDoubts)]
	lines := 0
	for _, text := range run.About.Warnings {
		lines += len(cells.Wrap(Clean(text), "", answerWidth-2))
	}
	switch n := len(run.About.Warnings); {
	case lines <= maxDoubts:
		out.Doubts = append(out.Doubts, run.About.Warnings...)
	case n > 0:
		out.Doubts = append(out.Doubts, unit.Plural(n, "warning")+" from before the run with --all.")
	}
	out.Headline = clauses(out.Headline, 2)
	if rest, ok := strings.CutPrefix(a.Answer.Headline, strings.TrimSuffix(out.Headline, ".")+"; "); ok {
		doc.Add(Sentence{Text: say.Capital(a.Order, rest)})
	}
	if trusted {
		for _, advice := range a.Answer.Advice {
			out.Advice = append(out.Advice, advice.Text)
		}
	}
	switch {
	case slices.ContainsFunc(a.Phases, func(p analysis.Phase) bool { return len(p.StreamTotals) > 0 }):
		out.Table, out.Sure = ticks(doc.Keys, a), streamsSure(a)
	case len(a.Phases) == 1:
		out.Table = disksTable(doc.Keys, run)
	case len(telling) > 0:
		out.Table = phasesTable(doc.Keys, a, telling, false)
		if len(doc.Keys) > maxAcross || tableWidth(out.Table) > answerWidth {
			out.Table = disksDown(out.Table, a, telling)
		}
	}
	if out.Table != nil && len(out.Table.Rows) == 0 {
		out.Table = nil
	}
	out.Findings = tellingFindings(a)
	out.fit(doc)
	return out
}

// fit leaves out findings and rows of the table until the answer fits a screen.
func (a *Answer) fit(doc *Document) {
	limit := min(maxAnswerLines, max(answerLines, answerLines+len(doc.Keys)-3))
	count := func(texts ...string) (n int) {
		for _, text := range texts {
			if text != "" {
				n += len(cells.Wrap(Clean(text), "", answerWidth-2))
			}
		}
		return n
	}
	used := count(strings.Join(append([]string{doc.Title}, doc.Origin()...), ", "), a.Headline, a.Sure) + count(a.Doubts...) + count(a.Advice...) + linesForReport
	t := a.Table
	fewRows := 0
	if t != nil {
		fewRows = min(len(t.Rows), pick(t.ID == "answer-disks", 4, 3)) + count(t.Note) + 1
	}
	for len(a.Findings) > 0 && limit-used-count(a.Findings...) < fewRows {
		a.Findings = a.Findings[:len(a.Findings)-1]
	}
	if t == nil {
		return
	}
	room := func() int { return limit - used - count(a.Findings...) - count(t.Note) - 1 }
	all, note := t.Rows, t.Note
	last := all[len(all)-pick(t.ID == "answer-disks", 1, 0):]
	for keep := len(all) - 1; len(t.Rows) > max(1, room()) && keep > 0; keep-- {
		t.Rows = append(slices.Clone(all[:keep-len(last)]), last...)
		rowName := strings.ToLower(strings.TrimSuffix(t.Columns[0].Head, "s"))
		t.Note = strings.TrimSuffix(note, ".") + fmt.Sprintf("; %s with --all.", unit.Plural(len(all)-len(t.Rows), "more "+rowName))
	}
}

// clauses are as many clauses of a sentence, which semicolons separate, as fit the lines.
func clauses(text string, lines int) string {
	parts := strings.Split(text, "; ")
	for n := len(parts); n > 1; n-- {
		short := strings.TrimSuffix(strings.Join(parts[:n], "; "), ".") + "."
		if len(cells.Wrap(short, "", answerWidth)) <= lines {
			return short
		}
	}
	return parts[0]
}

// plainHeadline is for runs in which no disks contend and nothing is streamed.
func plainHeadline(a *analysis.Analysis, telling []pooledPhase) string {
	switch {
	case len(a.Phases) == 0:
		return "Nothing was measured."
	case len(a.Phases) == 1:
		return a.Phases[0].Verdict
	case !slices.ContainsFunc(a.Phases, func(p analysis.Phase) bool { return len(p.Disks) > 1 }):
		return "Each disk was measured alone."
	case len(telling) > 0:
		p := &a.Phases[telling[0].phases[0]]
		return cmp.Or(p.Title, p.Phase) + ": " + p.Verdict
	}
	return ""
}

// tellingPhases are the phases that are no tries of searches, repeats together: first those that the headline is about, then
// those in which a disk keeps least, then those with the most disks.
func tellingPhases(a *analysis.Analysis) []pooledPhase {
	lines := slices.DeleteFunc(pool(a), func(line pooledPhase) bool { return a.Phases[line.phases[0]].Search != nil })
	rank := func(line pooledPhase) []float64 {
		p, kept := &a.Phases[line.phases[0]], 1.0
		contest := slices.IndexFunc(a.Summary.Contests, func(c analysis.Contest) bool { return c.Phases[0] == p.Phase })
		if contest < 0 {
			contest = len(a.Summary.Contests)
		}
		for name := range p.Disks {
			if w := withoutOthers(p, name); w != nil && w.kept != nil {
				kept = min(kept, *w.kept)
			}
		}
		return []float64{float64(contest), -float64(len(p.Disks)), kept}
	}
	slices.SortStableFunc(lines, func(x, y pooledPhase) int { return slices.Compare(rank(x), rank(y)) })
	return lines
}

// disksDown is a row per disk and a column for each phase of several disks, or of one if there is none, as far as there is room.
func disksDown(t *Table, a *analysis.Analysis, lines []pooledPhase) *Table {
	down := &Table{ID: "answer-disks", Title: t.Title, Columns: []Column{{Head: "Disk"}}}
	for _, column := range t.Columns[1:] {
		down.Rows = append(down.Rows, []Cell{{Disk: column.Disk, Text: strings.ToLower(column.Head)}})
	}
	alone := func(line pooledPhase) bool { return len(a.Phases[line.phases[0]].Disks) == 1 }
	several := slices.ContainsFunc(lines, func(line pooledPhase) bool { return !alone(line) })
	shown := 0
	for k, row := range t.Rows {
		if several && alone(lines[k]) {
			continue
		}
		wider := &Table{Columns: append(down.Columns, Column{Head: cells.CutMiddle(row[0].Text, longest), Numbers: true}), Rows: slices.Clone(down.Rows)}
		for i := range wider.Rows {
			wider.Rows[i] = append(wider.Rows[i], row[i+1])
		}
		if shown > 0 && tableWidth(wider) > answerWidth {
			break
		}
		down.Columns, down.Rows, shown = wider.Columns, wider.Rows, shown+1
	}
	if down.Note = t.Note; len(lines) > shown {
		down.Note = strings.TrimSuffix(t.Note, ".") + "; " + unit.Plural(len(lines)-shown, "more phase") + " with --all."
	}
	return down
}

// tableWidth is how many columns of a terminal a table takes.
func tableWidth(t *Table) (width int) {
	for i := range t.Columns {
		column := cells.Width(t.Columns[i].Head)
		for _, row := range t.Rows {
			if i < len(row) {
				column = max(column, cells.Width(row[i].Words()))
			}
		}
		width += column + 2
	}
	return width
}

// disksTable is the disks' table of a run of one phase.
func disksTable(keys []Key, run Run) *Table {
	v := newPhaseView(&run, keys, &run.Analysis.Phases[0], scaleOf(run.Analysis))
	if len(v.found.Disks) == 0 {
		return nil
	}
	t := v.diskTable()
	t.ID, t.Note = "answer-disks", "±: half the 95 % confidence interval. Kept: of the rate without the others."
	return t
}

// tellingFindings are those that the headline and the table do not say, each once.
func tellingFindings(a *analysis.Analysis) []string {
	told := []string{"saturation", "drops", "latency", "held", "even", "uneven", "steal", "others", "host_bound", "cached"}
	var out, codes []string
	if len(a.Phases) == 1 {
		if text := say.Steady(a, &a.Phases[0]); text != "" {
			out = append(out, text)
		}
	}
	for _, f := range findings(a) {
		if f.weight >= minWeight && !slices.Contains(told, f.code) && !slices.Contains(codes, f.code) && len(out) < maxFindings {
			codes, out = append(codes, f.code), append(out, f.text)
		}
	}
	return out
}
