package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// study shows what is behind the answer of several phases: what came of streams, searches and fast caches, what disks keep
// beside one another, and all phases in a table.
func study(doc *Document, a *analysis.Analysis) {
	overview := streamsOverview(doc, a)
	if overview != nil {
		doc.Add(overview)
	}
	for i := range a.Searches {
		doc.Add(searchTable(doc, a, &a.Searches[i], overview != nil || i > 0))
	}
	addSaturations(doc, a)
	if t := pairsTable(doc.Keys, a); t != nil {
		doc.Add(t)
	}
	if t := latencyMatrix(doc, a); t != nil {
		doc.Add(t)
	}
	addMatrix(doc, a)
}

// addMatrix puts in the table of all phases but for tries of searches, which the searches' tables hold.
func addMatrix(doc *Document, a *analysis.Analysis) {
	tries := func(line pooledPhase) bool { return searchOf(a, a.Phases[line.phases[0]].Phase) != nil }
	lines, left := slices.DeleteFunc(pool(a), tries), len(a.Phases)
	if len(lines) == 0 {
		doc.Add(Sentence{Text: "All phases are " + triesOf(a, left) + "."})
		return
	}
	t := phasesTable(doc.Keys, a, lines, true)
	for _, line := range lines {
		left -= len(line.phases)
	}
	if left > 0 {
		t.Note += " Without " + triesOf(a, left) + "."
	}
	doc.Add(t)
}

// triesOf says how many tries of searches there are, and where they are to be found.
func triesOf(a *analysis.Analysis, n int) string {
	searches := pick(len(a.Searches) == 1, "a search", unit.FormatCount(len(a.Searches))+" searches")
	return pick(n == 1, "one try of ", unit.FormatCount(n)+" tries of ") + searches + ", which the tables of searches hold and --all prints one by one"
}

// pooledFinding is a finding, with the repeats of its phase that show it.
type pooledFinding struct {
	code, disk, text string
	weight           float64
	pool             int
	seen             []string
}

// findings are those of all phases but for what a phase's verdict says of them word for word; those that repeats of one phase
// have in common are told once.
func findings(a *analysis.Analysis) []pooledFinding {
	pooled := pool(a)
	var out []pooledFinding
	for _, f := range a.Findings {
		i := slices.IndexFunc(a.Phases, func(p analysis.Phase) bool { return p.Phase == f.Phase })
		text := strings.TrimPrefix(f.Text, a.Title(f.Phase)+": ")
		if f.Code == "partial" || i >= 0 && strings.Contains(a.Phases[i].Verdict, strings.TrimSuffix(text, ".")) {
			continue
		}
		in := slices.IndexFunc(pooled, func(p pooledPhase) bool { return slices.Contains(p.phases, i) })
		at := slices.IndexFunc(out, func(o pooledFinding) bool {
			return o.code == f.Code && o.disk == f.Disk && o.pool == in && !slices.Contains(o.seen, f.Phase)
		})
		if at < 0 {
			text = pick(len(a.Phases) == 1, say.Capital(a.Order, text), f.Text)
			at, out = len(out), append(out, pooledFinding{f.Code, f.Disk, text, f.Weight, in, nil})
		}
		out[at].seen = append(out[at].seen, f.Phase)
	}
	for i, f := range out {
		if len(f.seen) > 1 {
			out[i].text = strings.TrimSuffix(f.text, ".") + fmt.Sprintf("; seen in %d of %d repeats.", len(f.seen), len(pooled[f.pool].phases))
		}
	}
	return out
}

// addFindings lists what stands out apart from what the answer tells and the phases' tables hold.
func addFindings(doc *Document, a *analysis.Analysis) {
	var texts []string
	for _, f := range findings(a) {
		if !slices.Contains([]string{"recovery", "held", "others"}, f.code) {
			texts = append(texts, f.text)
		}
	}
	addList(doc, "What else stands out", texts)
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
func pool(a *analysis.Analysis) []pooledPhase {
	var out []pooledPhase
	for i := range a.Phases {
		p := &a.Phases[i]
		at := slices.IndexFunc(out, func(o pooledPhase) bool {
			q := &a.Phases[o.phases[0]]
			return trace.Unnumbered(q.Phase) == trace.Unnumbered(p.Phase) && p.Repeats != "" && p.Repeats == cmp.Or(q.Repeats, q.Phase)
		})
		if at < 0 {
			out = append(out, pooledPhase{p.Title, []int{i}})
			continue
		}
		out[at].title = trace.Unnumbered(p.Title)
		out[at].phases = append(out[at].phases, i)
	}
	// The fewer at work, the earlier, as in the analysis' matrix.
	slices.SortStableFunc(out, func(x, y pooledPhase) int {
		return cmp.Compare(len(a.Phases[x.phases[0]].Disks), len(a.Phases[y.phases[0]].Disks))
	})
	return out
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

// phasesTable is a row per phase and a column per disk, with how long all worked and who reads and who writes if it is whole.
func phasesTable(keys []Key, a *analysis.Analysis, lines []pooledPhase, whole bool) *Table {
	scale := scaleOf(a)
	t := &Table{ID: pick(whole, "", "answer"), Title: pick(whole, "All phases", "Phases"), Columns: []Column{{Head: "Phase"}}}
	for i := range keys {
		t.Columns = append(t.Columns, Column{Head: keys[i].Label, Disk: &keys[i], Numbers: true})
	}
	t.Columns = append(t.Columns, Column{Head: "Together", Numbers: true})
	compared, elsewhere, limited, sure, unknown := false, false, false, false, false
	for k := range lines {
		line, p := &lines[k], &a.Phases[lines[k].phases[0]]
		row := []Cell{{Text: shorten(cmp.Or(line.title, p.Phase), 2*longest), Link: phaseID(line.phases[0])}}
		for _, key := range keys {
			cell := line.cell(a, key.Name, scale)
			compared, elsewhere, limited = compared || cell.Heat != nil, elsewhere || keptElsewhere(p, key.Name), limited || cell.Small == ownPace
			if unknown = unknown || cell.NoReference && cell.Small == ""; !whole {
				cell.Letter = ""
			}
			row = append(row, cell)
		}
		total, length := line.total(a, scale)
		row, sure = append(row, total), sure || total.Small != ""
		if whole {
			if n := len(line.phases); n > 1 {
				row[0].Small = fmt.Sprintf("mean of %d", n)
			}
			row = append(row, Cell{Text: length})
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = scale.Unit + " while all worked" + pick(compared, "; %: of the rate without the others", "")
	if whole {
		t.Columns = append(t.Columns, Column{Head: "Overlap", Numbers: true, Drop: 1})
		t.Note += pick(compared && elsewhere, ", in the time between changes", "") + pick(unknown, "; no %: no reference", "") + pick(sure, "; ±: half the 95 % confidence interval", "") + "; W writes, R reads"
	}
	t.Note += "." + pick(limited, " "+ownPaceNote, "")
	return t
}

// cell is what a disk moved in the repeats of a phase and what it kept of its rate without the others; empty for an idle disk.
func (p *pooledPhase) cell(a *analysis.Analysis, disk string, scale Scale) Cell {
	first := &a.Phases[p.phases[0]]
	role := first.Roles[disk]
	if role != trace.Read && role != trace.Write {
		return Cell{}
	}
	var rates, shares []float64
	for _, i := range p.phases {
		phase := &a.Phases[i]
		if phase.Overlap == nil {
			continue
		}
		rates = append(rates, phase.Overlap.Disks[disk].Rate)
		if phase.Contention != nil && phase.Contention.Disks[disk].Retention != nil {
			shares = append(shares, *phase.Contention.Disks[disk].Retention)
		}
	}
	cell := Cell{Letter: pick(first.Paced[disk].Reads > 0, "RW", string(role.Letter())), Text: scale.maybe(mean(rates))}
	switch kept := mean(shares); {
	case kept != nil:
		cell.Small, cell.Heat, cell.Strong = percent(*kept), kept, *kept < 0.9
	case len(first.Disks) > 1:
		cell.Small, cell.NoReference = pick(first.Paced[disk].Limited(), ownPace, ""), len(rates) > 0
	}
	return cell
}

// total is what all disks of the repeats of a phase moved together, with an interval that covers those of all, and for how long.
func (p *pooledPhase) total(a *analysis.Analysis, scale Scale) (cell Cell, length string) {
	var rates, lengths []float64
	ci := &analysis.Interval{math.Inf(1), 0}
	for _, i := range p.phases {
		o := a.Phases[i].Overlap
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
	cell = Cell{Text: scale.maybe(mean(rates)), Strong: true}
	if margin := scale.margin(ci, *mean(rates)); margin != "" && !strings.Contains(margin, " ") {
		cell.Small = "± " + margin
	}
	return cell, unit.FormatSeconds(*mean(lengths))
}
