package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// addStudy shows what is behind the answer of several phases: what came of searches and fast
// caches, what disks keep beside one another, and all phases in a table.
func (r *runDoc) addStudy() {
	r.Add(r.rests()...)
	tasks, list := r.pairs()
	pairs := r.pairsTable(tasks, list)
	if flow, ok := r.Page.Hero.(*Flow); ok {
		r.addTables(flow, pairs)
	}
	r.Add(pairs)
	// The table of all phases goes without the tries of searches, which the answer's table holds.
	var lines []pooledPhase
	left := 0
	for _, line := range r.lines {
		if line.phases[0].Search != nil {
			left += len(line.phases)
			continue
		}
		lines = append(lines, line)
	}
	searches := pick(len(r.a.Searches) == 1, "a search", unit.FormatCount(len(r.a.Searches))+
		" searches")
	tries := pick(left == 1, "one try of ", unit.FormatCount(left)+" tries of ") + searches +
		", which --all prints one by one"
	if len(lines) == 0 {
		r.Add(Sentence{Text: "All phases are " + tries + "."})
		return
	}
	t := r.phasesTable(lines)
	t.Note += pick(left > 0, " Without "+tries+".", "")
	r.Add(t)
}

// poolFindings gathers the findings of all phases but for what a phase's verdict says; those that
// repeats of one phase have in common are told once.
func (r *runDoc) poolFindings() {
	type kind struct {
		code, disk string
		line, nth  int // number of this kind in its phase
	}
	lines := map[string]int{}
	for i, line := range r.lines {
		for _, phase := range line.phases {
			lines[phase.Name] = i
		}
	}
	var kinds []kind
	all := map[kind][]analysis.Finding{}
	for _, f := range r.a.Findings {
		line, known := lines[f.Phase]
		probed := known && f.Code == "latency" &&
			r.a.Phases[r.index[f.Phase]].Paced[f.Disk].Probe > 0
		if f.Code == "partial" || f.MorePhases == 0 && (f.Code == "drops" || probed) {
			continue
		}
		k := kind{code: f.Code, disk: f.Disk, line: pick(known, line, -1)}
		for len(all[k]) > 0 && (!known || hasPhase(all[k], f.Phase)) { // it repeats none of them
			k.nth++
		}
		if all[k] == nil {
			kinds = append(kinds, k)
		}
		all[k] = append(all[k], f)
	}
	for _, k := range kinds {
		f := all[k][0]
		text := r.a.Title(f.Phase) + ": " + f.TextWithoutPhase
		if len(r.a.Phases) == 1 {
			text = analysis.Capital(r.a.Order, f.TextWithoutPhase)
		}
		if n := len(all[k]); n > 1 {
			text += fmt.Sprintf("; seen in %d of %d repeats", n, len(r.lines[k.line].phases))
		}
		f.Text = text + "."
		r.findings = append(r.findings, f)
	}
}

func hasPhase(findings []analysis.Finding, phase string) bool {
	for _, f := range findings {
		if f.Phase == phase {
			return true
		}
	}
	return false
}

// pooledPhase is phases that are repeats of one.
type pooledPhase struct {
	title  string
	id     string // ID of the first
	phases []analysis.PhaseResult

	rank int     // rank of what the headline says about them
	kept float64 // the least that a disk keeps of its baseline
}

// poolRepeats puts the repeats of a phase together: of the same work, by names that differ only in
// the number at their end.
func (r *runDoc) poolRepeats() {
	type repeated struct{ name, first string }
	for _, group := range analysis.Grouped(r.a.Phases, func(p analysis.PhaseResult) repeated {
		return repeated{trace.Unnumbered(p.Name), cmp.Or(p.Repeats, p.Name)}
	}) {
		title := pick(len(group) > 1, trace.Unnumbered(group[len(group)-1].Title), group[0].Title)
		id := phaseID(r.index[group[0].Name])
		r.lines = append(r.lines, pooledPhase{title: title, id: id, phases: group})
	}
	// The fewer at work, the earlier, as in the analysis' matrix.
	slices.SortStableFunc(r.lines, func(x, y pooledPhase) int {
		return len(x.phases[0].Disks) - len(y.phases[0].Disks)
	})
}

// phasesTable is a row per phase and a column per disk, repeats pooled.
func (r *runDoc) phasesTable(lines []pooledPhase) *Table {
	t := table("All phases", words("Phase"), ofDisks(r.Keys),
		numbers("Together", "Overlap")).dropFirst("Overlap")
	t.Note = r.Unit + " with all disks busy; %: of the baseline, none: unknown; W writes, R reads."
	limited := false
	var all []load
	for _, line := range lines {
		l := r.load(line)
		all = append(all, l)
		name := Cell{Text: shorten(cmp.Or(line.title, l.first.Name), 2*maxLabel), Link: line.id}
		if n := len(line.phases); n > 1 {
			name.Small = fmt.Sprintf("mean of %d", n)
		}
		row := make([]Cell, len(r.Keys))
		for _, d := range l.disks {
			role := string(l.first.Roles[d.Name])
			small := cmp.Or(d.percent(), pick(d.remark == unmeasured, "", d.remark))
			cell := Cell{Text: none}
			if l.rate > 0 {
				cell = r.rateCell(d.rate)
			}
			cell.Letter = strings.ToUpper(role[:1])
			cell.Small = small
			cell.Heat = d.kept
			cell.Strong = d.low()
			cell.NoReference = d.remark != ""
			row[d.Index] = cell
			limited = limited || d.remark == ownPace
		}
		var seconds, overlaps float64
		for _, phase := range line.phases {
			if phase.Overlap != nil {
				seconds += phase.Overlap.DurationS
				overlaps++
			}
		}
		together, length := Cell{Text: none}, Cell{Text: none}
		if overlaps > 0 {
			together = r.rateCell(l.rate)
			together.Strong = !l.cached()
			length = secondsCell(seconds/overlaps, unit.FormatSeconds(seconds/overlaps))
		}
		t.Rows = append(t.Rows, slices.Concat([]Cell{name}, row, []Cell{together, length}))
	}
	t.Note = joined(" ", t.Note, keptNote(all), pick(limited, ownPaceNote, ""))
	return t
}

// What marks a percentage that is not of the rate that the disk has alone.
const (
	notAlone     = "*"
	notAloneNote = "*: baseline without one other disk, not alone."
)
