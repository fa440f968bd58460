package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// departs is how far a disk's rate must lie from its rate alone to be marked in the matrix.
const departs = 0.10

// matrix lists all phases, those of one disk first, then those of two, and so on, in the order of the run.
func matrix(phases []Phase) []MatrixRow {
	rows := make([]MatrixRow, 0, len(phases))
	for i := range phases {
		rows = append(rows, matrixRow(&phases[i]))
	}
	slices.SortStableFunc(rows, func(a, b MatrixRow) int { return cmp.Compare(a.Working, b.Working) })
	return rows
}

// matrixRow is the phase's line in the table of all phases.
func matrixRow(p *Phase) MatrixRow {
	row := MatrixRow{Phase: p.Phase, Roles: p.Roles, Working: len(p.Disks), Rates: map[string]float64{}, Departures: map[string]float64{}}
	if p.Overlap == nil {
		return row
	}
	for disk, d := range p.Overlap.Disks {
		row.Rates[disk] = d.Rate
	}
	row.Total, row.ReadRate, row.WriteRate = p.Overlap.Rate, p.Overlap.ReadRate, p.Overlap.WriteRate
	if p.Contention == nil {
		return row
	}
	for disk, d := range p.Contention.Disks {
		if d.Retention != nil && (*d.Retention < 1-departs || *d.Retention > 1+departs) {
			row.Departures[disk] = *d.Retention
		}
	}
	return row
}

// duplexGains compares every phase of reads and writes mixed with the best phase of the same disks one way, that do the
// same except for their direction.
func duplexGains(phases []*phase) {
	for _, p := range phases {
		if p.out.Contention == nil || !mixed(p.out) || p.out.anyLimited() {
			continue
		}
		var best *Overlap
		for _, q := range phases {
			o := q.out.Overlap
			if o != nil && !q.out.anyLimited() && !mixed(q.out) && sameJobs(p, q, work.KeyOp, work.KeyMix) && (best == nil || o.Rate > best.Rate) {
				best = o
			}
		}
		if best == nil {
			continue
		}
		p.out.Contention.DuplexGain = number(p.out.Overlap.Rate / best.Rate)
		if m, b := p.out.Overlap.CI95, best.CI95; m != nil && b != nil && b[0] > 0 {
			p.out.Contention.DuplexCI95 = &Interval{m[0] / b[1], m[1] / b[0]}
		}
	}
}

func mixed(p *Phase) bool { return p.Overlap.ReadRate > 0 && p.Overlap.WriteRate > 0 }

// anyLimited reports whether one of the working disks goes no faster than its work asks.
func (p *Phase) anyLimited() bool {
	for disk := range p.Disks {
		if p.Paced[disk].Limited() {
			return true
		}
	}
	return false
}

// LatencyRow is how long one disk's requests took while one set of others worked: of the stages of all phases in which
// just these did, as far as latency lines lie within them. A search's tries are left out: each is other work.
type LatencyRow struct {
	Disk       string                `json:"disk"`
	Op         trace.Role            `json:"op"`
	Beside     map[string]trace.Role `json:"beside"`               // who else worked; none: it worked alone
	Paced      map[string]work.Work  `json:"paced,omitempty"`      // of all these, those that do not go as fast as they can
	Connection string                `json:"connection,omitempty"` // the disk's
	Test       string                `json:"test,omitempty"`
	Phases     []string              `json:"phases"` // where that was recorded
	quantile.Figures
}

// latencyMatrix lists the disks in the run's order, each alone first, then beside one other, and so on.
func latencyMatrix(phases []*phase, order []string) []LatencyRow {
	var m latencyRows
	for _, p := range phases {
		if p.trace.Search == nil {
			p.latencyRows(&m)
		}
	}
	for i := range m.rows {
		row := &m.rows[i]
		if known := m.known[i]; known.of(m.lines[i]) {
			row.Figures = known.Figures
			continue
		}
		row.Figures, _ = quantile.Estimate(m.lines[i])
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
	lines [][]quantile.Line
	known []knownFigures // of the first phase's disk, whose lines are often all there are
	jobs  [][]job        // of the row's disk, and of those beside it in the run's order
}

// latencyRows adds the phase's latency lines to the rows of those who worked meanwhile.
func (p *phase) latencyRows(m *latencyRows) {
	if !slices.ContainsFunc(p.parts, func(part part) bool { return len(part.Trace.Latencies) > 0 }) {
		return
	}
	bySet := map[string][]overlap.Interval{}
	sets := map[string][]int{}
	var order []string
	for i := range p.stages {
		s := &p.stages[i]
		names := make([]string, 0, len(s.Active))
		for _, disk := range s.Active {
			names = append(names, p.parts[disk].Name())
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
			if lines := quantile.Within(all, bySet[set]); len(lines) > 0 {
				row, jobs := p.latencyRow(i, sets[set])
				m.add(row, jobs, lines, p.figures[p.parts[i].Name()])
			}
		}
	}
}

// latencyRow is the row of a disk beside the others of a set, without figures, and what all of them do.
func (p *phase) latencyRow(disk int, set []int) (row LatencyRow, jobs []job) {
	victim := &p.parts[disk]
	jobs = append(jobs, p.job(victim))
	row = LatencyRow{
		Disk: victim.Name(), Op: victim.Trace.Op, Beside: map[string]trace.Role{}, Paced: map[string]work.Work{},
		Connection: p.connections[victim.Name()], Test: p.trace.Test, Phases: []string{p.out.Phase},
	}
	for _, i := range set {
		name := p.parts[i].Name()
		if i != disk {
			row.Beside[name] = p.parts[i].Trace.Op
			jobs = append(jobs, p.job(&p.parts[i]))
		}
		if paced, ok := p.out.Paced[name]; ok {
			row.Paced[name] = paced
		}
	}
	return row, jobs
}

// add adds lines to the row of the same work.
func (m *latencyRows) add(row LatencyRow, jobs []job, lines []quantile.Line, known knownFigures) {
	i := slices.IndexFunc(m.jobs, func(known []job) bool {
		return slices.EqualFunc(known, jobs, func(a, b job) bool { return a.same(b) })
	})
	if i < 0 {
		i = len(m.rows)
		m.rows, m.jobs, m.lines, m.known = append(m.rows, row), append(m.jobs, jobs), append(m.lines, nil), append(m.known, known)
	} else if !slices.Contains(m.rows[i].Phases, row.Phases[0]) {
		m.rows[i].Phases = append(m.rows[i].Phases, row.Phases[0])
	}
	m.lines[i] = append(m.lines[i], lines...)
}
