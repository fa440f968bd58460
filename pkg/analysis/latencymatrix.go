package analysis

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// LatencyRow is how long one disk's requests took while one set of others worked: of the stages of all phases in which
// just these did, as far as latency lines lie within them. A search's tries are left out: each is other work.
type LatencyRow struct {
	Disk       string                 `json:"disk"`
	Op         trace.Role             `json:"op"`
	Beside     map[string]trace.Role  `json:"beside"`               // who else worked; none: it worked alone
	Paced      map[string]trace.Paced `json:"paced,omitempty"`      // of all these, those that do not go as fast as they can
	Connection string                 `json:"connection,omitempty"` // the disk's
	Test       string                 `json:"test,omitempty"`
	Phases     []string               `json:"phases"` // where that was recorded
	LatencyFigures
}

// latencyMatrix lists the disks in the run's order, each alone first, then beside one other, and so on.
func latencyMatrix(phases []*phase, order []string) []LatencyRow {
	m := latencyRows{index: map[string]int{}}
	for _, p := range phases {
		if p.trace.Search == nil {
			p.latencyRows(&m)
		}
	}
	for i := range m.rows {
		row := &m.rows[i]
		if told := m.told[i]; told.of(m.lines[i]) {
			row.LatencyFigures = told.LatencyFigures
			continue
		}
		row.LatencyFigures, _ = figuresOf(m.lines[i], gatherRequests(m.lines[i]))
	}
	place := func(disk string) int { return slices.Index(order, disk) }
	slices.SortStableFunc(m.rows, func(a, b LatencyRow) int {
		return cmp.Or(cmp.Compare(place(a.Disk), place(b.Disk)), cmp.Compare(a.Op, b.Op), cmp.Compare(len(a.Beside), len(b.Beside)))
	})
	return m.rows
}

// latencyRows are rows that are being gathered.
type latencyRows struct {
	rows  []LatencyRow
	lines [][]LatencyLine
	told  []toldFigures  // of the first phase's disk, whose lines are often all there are
	index map[string]int // by the row's key
}

// latencyRows adds the phase's latency lines to the rows of those who worked meanwhile.
func (p *phase) latencyRows(m *latencyRows) {
	if !slices.ContainsFunc(p.parts, func(part part) bool { return len(part.trace.Latencies) > 0 }) {
		return
	}
	bySet := map[string][]overlap.Interval{}
	sets := map[string][]int{}
	var order []string
	for i := range p.stages {
		s := &p.stages[i]
		names := make([]string, 0, len(s.Active))
		for _, disk := range s.Active {
			names = append(names, p.parts[disk].name())
		}
		set := strings.Join(names, "\x00")
		if sets[set] == nil {
			order, sets[set] = append(order, set), s.Active
		}
		bySet[set] = append(bySet[set], s.Interval)
	}
	for i := range p.parts {
		all := p.parts[i].latencyLines()
		for _, set := range order {
			if !slices.Contains(sets[set], i) {
				continue
			}
			if lines := LinesWithin(all, bySet[set]); len(lines) > 0 {
				m.add(p.latencyRow(i, sets[set]), lines, p.figures[p.parts[i].name()])
			}
		}
	}
}

// latencyRow is the row of a disk beside the others of a set, without figures.
func (p *phase) latencyRow(disk int, set []int) LatencyRow {
	victim := &p.parts[disk]
	row := LatencyRow{
		Disk: victim.name(), Op: victim.trace.Op, Beside: map[string]trace.Role{}, Paced: map[string]trace.Paced{},
		Connection: p.hangs[victim.name()], Test: p.trace.Test, Phases: []string{p.out.Phase},
	}
	for _, i := range set {
		name := p.parts[i].name()
		if i != disk {
			row.Beside[name] = p.parts[i].trace.Op
		}
		if paced, ok := p.trace.Paced[name]; ok {
			row.Paced[name] = paced
		}
	}
	return row
}

// add adds lines to the row of the same work.
func (m *latencyRows) add(row LatencyRow, lines []LatencyLine, told toldFigures) {
	work := row
	work.Phases = nil
	key, _ := json.Marshal(work) // text and finite numbers alone: it cannot fail
	i, known := m.index[string(key)]
	if !known {
		i = len(m.rows)
		m.index[string(key)] = i
		m.rows, m.lines, m.told = append(m.rows, row), append(m.lines, nil), append(m.told, told)
	} else if !slices.Contains(m.rows[i].Phases, row.Phases[0]) {
		m.rows[i].Phases = append(m.rows[i].Phases, row.Phases[0])
	}
	m.lines[i] = append(m.lines[i], lines...)
}

// pacedWork is what a disk that does not go as fast as it can does, as text to compare by.
func (p *phase) pacedWork(disk string) string {
	paced, ok := p.trace.Paced[disk]
	if !ok {
		return ""
	}
	text, _ := json.Marshal(paced)
	return string(text)
}
