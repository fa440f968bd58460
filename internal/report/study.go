package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/say"
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

// addMatrix puts in the table of all phases but for tries of searches, which the searches' tables hold, and that of each
// repeat.
func addMatrix(doc *Document, a *analysis.Analysis) {
	tries := func(line pooledPhase) bool { return searchOf(a, a.Phases[line.phases[0]].Phase) != nil }
	pooled, each, all := slices.DeleteFunc(pool(a, true), tries), slices.DeleteFunc(pool(a, false), tries), len(a.Phases)
	if len(each) == 0 {
		doc.Add(Sentence{Text: "All phases are " + triesOf(a, all) + "."})
		return
	}
	t := matrixTable(doc, a, "All phases", pooled)
	if n := all - len(each); n > 0 {
		t.Note += " Without " + triesOf(a, n) + "."
	}
	doc.Add(t)
	if len(pooled) < len(each) {
		doc.Add(&Details{Title: "Each repeat", Blocks: []Block{matrixTable(doc, a, "Every phase", each)}})
	}
}

// triesOf says how many tries of searches there are, and where they are to be found.
func triesOf(a *analysis.Analysis, n int) string {
	searches := pick(len(a.Searches) == 1, "a search", unit.FormatCount(len(a.Searches))+" searches")
	return pick(n == 1, "one try of ", unit.FormatCount(n)+" tries of ") + searches + ", which the tables above hold and --all prints one by one"
}

// pooledFinding is a finding, with how many repeats of its phase show it.
type pooledFinding struct {
	code, text string
	weight     float64
}

// findings are those of all phases but for what a phase's verdict says of them word for word; those that repeats of one phase
// have in common are told once.
func findings(a *analysis.Analysis) []pooledFinding {
	type key struct {
		code, disk string
		pool       int
	}
	pooled := pool(a, true)
	times := map[key]int{}
	var order []key
	var out []pooledFinding
	for _, f := range a.Findings {
		i := slices.IndexFunc(a.Phases, func(p analysis.Phase) bool { return p.Phase == f.Phase })
		text := strings.TrimPrefix(f.Text, a.Title(f.Phase)+": ")
		if f.Code == "partial" || i >= 0 && strings.Contains(a.Phases[i].Verdict, strings.TrimSuffix(text, ".")) {
			continue
		}
		k := key{f.Code, f.Disk, slices.IndexFunc(pooled, func(p pooledPhase) bool { return slices.Contains(p.phases, i) })}
		if times[k] == 0 {
			text = pick(len(a.Phases) == 1, say.Capital(a.Order, text), f.Text)
			order, out = append(order, k), append(out, pooledFinding{f.Code, text, f.Weight})
		}
		times[k]++
	}
	for i, k := range order {
		if n := times[k]; n > 1 && k.pool >= 0 && len(pooled[k.pool].phases) > 1 {
			out[i].text = strings.TrimSuffix(out[i].text, ".") + fmt.Sprintf("; seen in %d of %d repeats.", n, len(pooled[k.pool].phases))
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
	for _, key := range keys {
		if key.Name == name {
			return key.Label
		}
	}
	return name
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// pooledPhase is phases that are repeats of one, by their place in the analysis.
type pooledPhase struct {
	title  string
	phases []int
}

// pool puts the repeats of a phase together: of the same work, by names that differ only in the number at their end.
func pool(a *analysis.Analysis, together bool) []pooledPhase {
	var out []pooledPhase
	for i := range a.Phases {
		p := &a.Phases[i]
		at := slices.IndexFunc(out, func(o pooledPhase) bool {
			q := &a.Phases[o.phases[0]]
			return trace.Unnumbered(q.Phase) == trace.Unnumbered(p.Phase) && p.Repeats != "" && p.Repeats == cmp.Or(q.Repeats, q.Phase)
		})
		if !together || at < 0 {
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

// matrixTable is a line per phase: each disk's rate with its letter, and the total.
func matrixTable(doc *Document, a *analysis.Analysis, title string, lines []pooledPhase) *Table {
	scale := scaleOf(a)
	t := &Table{
		Title: title, Columns: []Column{{Head: "Phase"}},
		Note: "Rate of each disk in " + scale.Unit + " while all working disks were active. W writes, R reads.",
	}
	for i := range doc.Keys {
		t.Columns = append(t.Columns, Column{Disk: &doc.Keys[i], Head: doc.Keys[i].Label, Numbers: true})
	}
	t.Columns = append(t.Columns, Column{Head: "Together", Numbers: true}, Column{Head: "Overlap", Numbers: true, Drop: 1}, Column{})
	top, compared := 0.0, false
	for _, line := range lines {
		for _, i := range line.phases {
			if o := a.Phases[i].Overlap; o != nil {
				top = max(top, o.Rate)
			}
		}
	}
	for _, line := range lines {
		row := matrixRow(doc.Keys, a, line, scale, top)
		compared = compared || slices.ContainsFunc(row, func(c Cell) bool { return c.Heat != nil })
		t.Rows = append(t.Rows, row)
	}
	if compared {
		t.Note += " The percentage is of the rate that the disk has without the others."
		if slices.ContainsFunc(lines, func(l pooledPhase) bool {
			p := &a.Phases[l.phases[0]]
			return slices.ContainsFunc(doc.Keys, func(k Key) bool { return keptElsewhere(p, k.Name) })
		}) {
			t.Note += " If rates changed in a phase, it is of the time between the changes."
		}
	}
	if slices.ContainsFunc(lines, func(l pooledPhase) bool {
		p := &a.Phases[l.phases[0]]
		return len(p.Disks) > 1 && hasLimited(p)
	}) {
		t.Note += " " + ownPaceNote
	}
	return t
}

func matrixRow(keys []Key, a *analysis.Analysis, line pooledPhase, scale Scale, top float64) []Cell {
	first := &a.Phases[line.phases[0]]
	head := Cell{Text: shorten(line.title, 2*longest), Link: phaseID(line.phases[0])}
	if n := len(line.phases); n > 1 {
		head.Small = fmt.Sprintf("mean of %d", n)
	}
	row := []Cell{head}
	total, length, n := 0.0, 0.0, 0
	var bars []Bar
	at := 0.0
	for i := range keys {
		role := first.Roles[keys[i].Name]
		if role != trace.Read && role != trace.Write {
			row = append(row, Cell{Text: "idle"})
			continue
		}
		var rates, kept []float64
		for _, index := range line.phases {
			p := &a.Phases[index]
			if p.Overlap == nil {
				continue
			}
			rates = append(rates, p.Overlap.Disks[keys[i].Name].Rate)
			if p.Contention != nil {
				if r := p.Contention.Disks[keys[i].Name].Retention; r != nil {
					kept = append(kept, *r)
				}
			}
		}
		cell := Cell{Letter: string(role.Letter()), Text: none}
		if first.Paced[keys[i].Name].Reads > 0 {
			cell.Letter = "RW"
		}
		if len(rates) > 0 {
			cell.Text = scale.Number(mean(rates))
			width := Round(100*mean(rates)/top, 4)
			bars = append(bars, Bar{Disk: &keys[i], X: Round(at, 4), Width: width})
			at += width
		}
		if p := &a.Phases[line.phases[0]]; p.Paced[keys[i].Name].Limited() && len(p.Disks) > 1 {
			cell.Small = ownPace
		}
		if len(kept) > 0 {
			share := mean(kept)
			cell.Small, cell.Heat, cell.Strong = percent(share), &share, share < 0.9
		}
		row = append(row, cell)
	}
	for _, index := range line.phases {
		if o := a.Phases[index].Overlap; o != nil {
			total, length, n = total+o.Rate, length+o.DurationS, n+1
		}
	}
	if n == 0 {
		return append(row, Cell{Text: none}, Cell{Text: none}, Cell{})
	}
	return append(row, Cell{Text: scale.Number(total / float64(n)), Strong: true}, Cell{Text: unit.FormatSeconds(length / float64(n))}, Cell{Bars: bars})
}
