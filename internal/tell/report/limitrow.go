package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// limitRow is one limit: what became of it in each run and each repeat of its phase, the worst
// first.
type limitRow struct {
	phase   string // its title
	load    string // in words: "when all three write"
	results []limit.Result
	of      []string // the run of each result
	room    *float64 // of the worst, as a share of the limit; below 0 beyond it, nil if unknown
	span    *stats.Interval
}

// newCheckedPage puts what is held to the same limit into one row.
func newCheckedPage(runs []Checked) *checkedPage {
	c := &checkedPage{runs: runs}
	type key struct{ phase, disk, measure, bounds string }
	byKey := map[key]*limitRow{}
	var order []string
	for i := range runs {
		run := &runs[i]
		titles, loads, lone := map[string]string{}, map[string]string{}, map[string]string{}
		if a := run.Analysis; a != nil {
			for k := range a.Phases {
				p := &a.Phases[k]
				titles[p.Name] = trace.Unnumbered(p.Title)
				loads[p.Name], lone[p.Name] = loadText(a.Order, p)
			}
			for _, disk := range a.Order {
				if !slices.Contains(order, disk) {
					order = append(order, disk)
				}
			}
		}
		for _, r := range run.Results {
			if disk := lone[r.Phase]; r.Measure == "together" && disk != "" {
				r.Measure = "rate"
				r.Disk = disk
			}
			k := key{trace.Unnumbered(r.Phase), r.Disk, r.Measure, r.Bounds}
			row := byKey[k]
			if row == nil {
				row = &limitRow{phase: cmp.Or(titles[r.Phase], r.Phase)}
				row.load = cmp.Or(loads[r.Phase], pick(r.Phase == "", "", "in "+r.Phase))
				byKey[k] = row
				c.rows = append(c.rows, row)
			}
			row.results = append(row.results, r)
			row.of = append(row.of, run.Run)
		}
	}
	c.keys = newKeys(order)
	for _, row := range c.rows {
		row.settle()
	}
	slices.SortStableFunc(c.rows, func(x, y *limitRow) int {
		return cmp.Or(cmp.Compare(rankOf(&x.results[0]), rankOf(&y.results[0])),
			cmp.Compare(roomOr(x.room), roomOr(y.room)))
	})
	return c
}

// Ranks of results, the worst first.
const (
	fails = iota
	isOpen
	isClose
	passes
)

func rankOf(r *limit.Result) int {
	switch {
	case r.Verdict == limit.Fail:
		return fails
	case r.Verdict == limit.Unsure:
		return isOpen
	case r.WithinMargin:
		return isClose
	}
	return passes
}

// roomOr is a row's room, or less than any if it is unknown.
func roomOr(room *float64) float64 {
	if room == nil {
		return math.Inf(-1)
	}
	return *room
}

// settle puts the worst result first, and finds its room.
func (row *limitRow) settle() {
	worst := 0
	for i := range row.results {
		x, y := &row.results[i], &row.results[worst]
		if cmp.Or(cmp.Compare(rankOf(x), rankOf(y)),
			cmp.Compare(roomOr(roomOf(x, x.Value)), roomOr(roomOf(y, y.Value)))) < 0 {
			worst = i
		}
	}
	row.results[0], row.results[worst] = row.results[worst], row.results[0]
	row.of[0], row.of[worst] = row.of[worst], row.of[0]
	r := &row.results[0]
	row.room = roomOf(r, r.Value)
	if low, high := roomOf(r, r.Low), roomOf(r, r.High); low != nil && high != nil {
		row.span = &stats.Interval{min(*low, *high), max(*low, *high)}
	}
}

// roomOf is how far a value is on the good side of its nearest limit, as a share of that; nil if
// there is no value, or the limit is nothing.
func roomOf(r *limit.Result, value *float64) (room *float64) {
	if value == nil {
		return nil
	}
	if r.Min != nil && *r.Min > 0 {
		room = new(*value / *r.Min - 1)
	}
	if r.Max != nil && *r.Max > 0 {
		if above := 1 - *value / *r.Max; room == nil || above < *room {
			room = &above
		}
	}
	return room
}
