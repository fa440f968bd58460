package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// study shows what is behind the answer of several phases: what came of streams, searches and fast caches, what
// disks keep beside one another, and all phases in a table.
func (r *runDoc) study() {
	r.Add(r.cacheChart())
	r.addSaturations()
	tasks, list := r.pairs()
	r.Add(r.pairsChart(list), r.pairsTable(tasks, list))
	// The table of all phases goes without the tries of searches, which the answer's table holds.
	try := func(line pooledPhase) bool { return line.phases[0].Search != nil }
	lines := slices.DeleteFunc(slices.Clone(r.lines), try)
	left := len(r.a.Phases)
	for _, line := range lines {
		left -= len(line.phases)
	}
	searches := pick(len(r.a.Searches) == 1, "a search", unit.FormatCount(len(r.a.Searches))+" searches")
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
	for _, alike := range analysis.Grouped(all, func(f finding) kind { return f.kind }) {
		f := alike[0]
		text := r.a.Title(f.Phase) + ": " + f.TextWithoutPhase
		if len(r.a.Phases) == 1 {
			text = analysis.Capital(r.a.Order, f.TextWithoutPhase)
		}
		if n := len(alike); n > 1 {
			text += fmt.Sprintf("; seen in %d of %d repeats", n, len(r.lines[f.line].phases))
		}
		f.Text = text + "."
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
	for _, group := range analysis.Grouped(r.a.Phases, func(p analysis.Phase) repeated {
		return repeated{trace.Unnumbered(p.Name), cmp.Or(p.Repeats, p.Name)}
	}) {
		title := pick(len(group) > 1, trace.Unnumbered(group[len(group)-1].Title), group[0].Title)
		r.lines = append(r.lines, pooledPhase{title, phaseID(r.index[group[0].Name]), group})
	}
	// The fewer at work, the earlier, as in the analysis' matrix.
	atWork := func(line pooledPhase) int { return len(line.phases[0].Disks) }
	slices.SortStableFunc(r.lines, func(x, y pooledPhase) int { return atWork(x) - atWork(y) })
}

// phasesTable is a row per phase and a column per disk, repeats pooled.
func (r *runDoc) phasesTable(lines []pooledPhase) *Table {
	t := table("All phases", word("Phase"))
	for i := range r.Keys {
		t.Columns = append(t.Columns, ofDisk(&r.Keys[i]))
	}
	t.Columns = append(t.Columns, number("Together"), number("Overlap", 1))
	t.Note = r.scale.Unit + " with all disks busy; %: of the baseline, none: unknown; W writes, R reads."
	limited := false
	var loads []Load
	for _, line := range lines {
		l := r.load(line)
		loads = append(loads, l)
		name := Cell{Text: shorten(cmp.Or(line.title, line.phases[0].Name), 2*longest), Link: line.id}
		if n := len(line.phases); n > 1 {
			name.Small = fmt.Sprintf("mean of %d", n)
		}
		row := []any{name}
		for _, key := range r.Keys {
			cell := Cell{}
			for _, d := range l.Disks {
				if d.Name != key.Name {
					continue
				}
				remark := d.Remark
				if remark == unmeasured {
					remark = ""
				}
				cell = Cell{
					Letter: strings.ToUpper(string(line.phases[0].Roles[key.Name][:1])), Text: pick(l.Rate > 0, r.scale.Number(d.Rate), none), Small: cmp.Or(d.Percent(), remark),
					Heat: heatOf(d.Kept), Strong: d.Low(), NoReference: d.Remark != "",
				}
				limited = limited || d.Remark == ownPace
			}
			row = append(row, cell)
		}
		seconds, overlaps := 0.0, 0.0
		for _, phase := range line.phases {
			if phase.Overlap != nil {
				seconds += phase.Overlap.DurationS
				overlaps++
			}
		}
		together, length := Cell{Text: none}, none
		if overlaps > 0 {
			together, length = Cell{Text: r.scale.Number(l.Rate), Strong: true}, unit.FormatSeconds(seconds/overlaps)
		}
		t.add(append(row, together, length)...)
	}
	t.Note = strings.Join(nonEmpty(t.Note, keptNote(loads), pick(limited, ownPaceNote, "")), " ")
	return t
}

// What marks a percentage that is not of the rate that the disk has alone.
const (
	notAlone     = "*"
	notAloneNote = "*: baseline without one other disk, not alone."
)

// addSaturations shows for each phase of the preset saturation what rests have given back to the disks that fell.
func (r *runDoc) addSaturations() {
	fell := slices.DeleteFunc(slices.Clone(r.a.Saturations), func(s analysis.Saturation) bool {
		return s.Fall == nil || len(s.Bursts) == 0
	})
	for i, found := range analysis.Grouped(fell, func(s analysis.Saturation) string { return s.Of }) {
		c := regainedChart(r.Keys, found)
		if i > 0 {
			c.ID += "-" + strconv.Itoa(i+1)
		}
		t := table(c.Title, word("Rest"))
		t.Note = "How much of its fast cache a disk had back after a rest, by what it then wrote faster than without; " +
			"and the share of what the cache took at first. ±: half the 95 % confidence interval."
		for k := range c.Keys {
			t.Columns = append(t.Columns, ofDisk(&c.Keys[k]))
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
		r.Add(c, t)
	}
}

// regainedChart is how much of its cache each disk had back after a rest, against the rest.
func regainedChart(keys []Key, found []analysis.Saturation) *Chart {
	c := &Chart{
		ID: "regained", Title: "What a rest gives back (" + found[0].Of + ")",
		X: Axis{Name: "rest before writing", Unit: Seconds}, Y: Axis{Name: "of the cache", Unit: Bytes},
		Caption: "Marks: how much of its fast cache the disk had back after a rest, with its margin of error (95 %). " +
			"The line across is what its fast cache took at first; the pale line leads to the rest that brings back all of it.",
	}
	for i, s := range found {
		cache := Round(s.Fall.AtBytes, 4)
		if at := keyOf(keys, s.Disk); at >= 0 {
			c.Keys = append(c.Keys, keys[at])
		}
		bursts := Series{Kind: Dots, Key: i, Name: "burst"}
		for _, b := range s.Bursts {
			low, high := max(0, b.FastBytes-2*b.SEBytes), b.FastBytes+2*b.SEBytes
			bursts.point(b.RestS, Round(b.FastBytes, 4))
			c.Marks = append(c.Marks, Mark{At: b.RestS, From: Round(low, 4), To: Round(high, 4), Upright: true, Key: i})
			c.X.Max = max(c.X.Max, 1.05*b.RestS)
			c.Y.Max = max(c.Y.Max, 1.1*high)
		}
		c.add(bursts)
		if b := s.Back; b != nil && b.RestS != nil {
			growth := Series{Kind: Line, Key: i, Name: "as it grows", Faint: true}
			growth.point(0, 0)
			growth.point(Round(*b.RestS, 4), cache)
			c.add(growth)
		}
		c.Y.Max = max(c.Y.Max, 1.1*s.Fall.AtBytes)
		text := unit.FormatBytes(int64(s.Fall.AtBytes)) + " at first"
		c.Marks = append(c.Marks, Mark{At: cache, Text: text, Key: i})
	}
	return c
}
