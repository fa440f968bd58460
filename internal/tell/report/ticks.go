package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// tickTable is which streams stay clean, alone and beside whom.
type tickTable struct {
	*Table
	keys    []Key
	besides []string // who works meanwhile, of each column but the first
}

func ticks(keys []Key, a *analysis.Analysis) *Table {
	t := &tickTable{Table: &Table{ID: "answer", Title: "Streams", Columns: []Column{{Head: "Streams"}}}, keys: keys}
	for i := range a.Searches {
		for k := range a.Phases {
			if p := &a.Phases[k]; a.Searches[i].Kind == trace.SearchStreams && p.Search != nil && p.Search.Search == a.Searches[i].Name {
				t.searched(&a.Searches[i], p)
			}
		}
	}
	for i := range a.Phases {
		if a.Phases[i].Search == nil {
			t.played(&a.Phases[i], phaseID(i))
		}
	}
	if tableWidth(t.Table)+2*len(t.besides) <= answerWidth {
		return t.Table
	}
	// What has no room side by side stands one below the other.
	list := &Table{ID: t.ID, Title: t.Title, Columns: []Column{{Head: "Streams"}, {Head: "While"}, {Head: "Result"}}}
	for _, row := range t.Rows {
		for i, cell := range row[1:] {
			if cell.Text != none {
				list.Rows = append(list.Rows, []Cell{row[0], {Text: t.besides[i]}, cell})
			}
		}
	}
	return list
}

// put sets a cell, or leaves a worse one there.
func (t *tickTable) put(row, beside string, cell Cell) {
	column := slices.Index(t.besides, beside)
	if column < 0 {
		t.besides, column = append(t.besides, beside), len(t.besides)
		t.Columns = append(t.Columns, Column{Head: beside})
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], Cell{Text: none})
		}
	}
	at := slices.IndexFunc(t.Rows, func(r []Cell) bool { return r[0].Text == row })
	if at < 0 {
		at = len(t.Rows)
		t.Rows = append(t.Rows, append([]Cell{{Text: row}}, slices.Repeat([]Cell{{Text: none}}, len(t.besides))...))
	}
	if old := t.Rows[at][column+1]; old.Text == none || sad(cell.Sign) > sad(old.Sign) {
		t.Rows[at][column+1] = cell
	}
}

// row names a disk's streams: "A plays 4 × ProRes 422 HQ".
func (t *tickTable) row(g *streamGroup, what string) string {
	return labelOf(t.keys, g.Disk) + pick(g.Op == trace.Write, " records ", " plays ") + what
}

// searched puts in the largest number that a search found clean, as a try of it was made.
func (t *tickTable) searched(s *analysis.Search, try *analysis.Phase) {
	beside, found, between, open := t.beside(try, s.Disk), s.Found, s.FoundBetween, s.FoundOpen
	if beside == "alone" {
		found, between, open = s.Alone, s.AloneBetween, s.AloneOpen
	}
	for _, g := range streamGroups(try) {
		row := t.row(&g, Clean(stream.Label(g.Kind))+", clean up to")
		switch {
		case g.Disk != s.Disk:
		case found != nil && *found == 0:
			t.put(row, beside, Cell{Text: "none", Sign: Bad, Strong: true})
		case found != nil:
			t.put(row, beside, Cell{Text: unit.FormatCount(int(*found)) + pick(open, " or more", ""), Sign: Good, Strong: true})
		case between != nil && between.High != nil:
			t.put(row, beside, Cell{Text: fmt.Sprintf("%.0f to %.0f", between.Low, *between.High), Sign: Doubt})
		}
	}
}

// played puts in what came of a phase's streams, beside other disks while all of these worked.
func (t *tickTable) played(p *analysis.Phase, link string) {
	for _, g := range streamGroups(p) {
		cell, late := Cell{Text: string(g.Verdict), Sign: sign(g.Verdict), Link: link}, g.Late
		if b := g.Beside; b != nil {
			cell.Text, cell.Sign, late = string(b.Verdict), sign(b.Verdict), b.Late
		}
		switch {
		case cell.Sign == Bad:
			cell.Small = unit.Plural(late, "frame")
		case cell.Text == "":
			cell.Text = "too short"
		}
		t.put(t.row(&g, g.title()), t.beside(p, g.Disk), cell)
	}
}

// sad orders signs from good to bad.
func sad(s Sign) int { return slices.Index([]Sign{Good, Unsigned, Doubt, Bad}, s) }

// beside is who works beside a disk's streams, probes aside.
func (t *tickTable) beside(p *analysis.Phase, disk string) string {
	roles := map[string]trace.Role{}
	for name, role := range p.Roles {
		if name != disk && p.Paced[name].Probe == 0 {
			roles[name] = role
		}
	}
	return cmp.Or(does(t.keys, roles, p.Paced), "alone")
}

// streamsSure says how often the values that an answer hinges on were clean, or without a search for how long all was tested.
func streamsSure(a *analysis.Analysis) string {
	var counted []string
	for i := range a.Searches {
		if text := say.Counted(&a.Searches[i]); text != "" {
			counted = append(counted, text)
		}
	}
	if counted != nil {
		return say.Capital(nil, strings.Join(counted, "; ")) + "."
	}
	tested := math.Inf(1)
	for i := range a.Phases {
		for _, t := range a.Phases[i].StreamTotals {
			if t.Verdict == stream.Clean && t.Beside != nil {
				tested = min(tested, t.Beside.TestedS)
			}
		}
	}
	if math.IsInf(tested, 1) {
		return ""
	}
	return "Each was played once, for " + unit.FormatSeconds(tested) + " or more beside the others."
}
