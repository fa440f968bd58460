package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Conclusion is what a run comes to beside the base. It has one row for each phase and disk, and
// one for its disks together.
type Conclusion struct {
	Changed  []Row           // significantly; the largest proven change first
	Same     []Row           // no significant change
	Unjudged []Row           // too little data
	Lead     []Row           // the most important fall and rise of Changed, the larger first
	Bound    *stats.Interval // contains the interval of each change in Same; nil if there is none
}

// Row is a rate of a phase: that of the overlap, or of a level of the same disk's if only that one
// changed.
type Row struct {
	*Rate
	Phase *PhasePair
}

// leading is the share of the largest proven change that a change must reach to come before it in
// the headline because more disks are involved.
const leading = 0.25

// Conclusion decides what to say of the run first.
func (p *Pair) Conclusion() Conclusion {
	var a Conclusion
	for i := range p.Phases {
		rows := p.Phases[i].rows()
		for _, row := range rows {
			switch row.Verdict {
			case Faster, Slower:
				a.Changed = append(a.Changed, row)
			case TooLittle:
				a.Unjudged = append(a.Unjudged, row)
			default:
				a.Same = append(a.Same, row)
				if a.Bound == nil {
					a.Bound = &stats.Interval{}
				}
				a.Bound[0], a.Bound[1] = min(a.Bound[0], row.Interval[0]),
					max(a.Bound[1], row.Interval[1])
			}
		}
	}
	inOrder := slices.Clone(a.Changed)
	slices.SortStableFunc(a.Changed, func(x, y Row) int {
		return cmp.Compare(y.proven(), x.proven())
	})
	for _, verdict := range []TestResult{Slower, Faster} {
		i := slices.IndexFunc(a.Changed, func(r Row) bool { return r.Verdict == verdict })
		if i < 0 {
			continue
		}
		lead := a.Changed[i]
		for _, row := range inOrder {
			if row.Verdict == verdict && row.disks() > lead.disks() &&
				row.proven() >= leading*a.Changed[i].proven() {
				lead = row
			}
		}
		a.Lead = append(a.Lead, lead)
	}
	slices.SortStableFunc(a.Lead, func(x, y Row) int { return cmp.Compare(y.proven(), x.proven()) })
	return a
}

// rows returns the rates in the overlap. If a disk's did not change significantly but another of
// its rates did, that one stands for it.
func (p *PhasePair) rows() []Row {
	var rows []Row
	for i := range p.Rates {
		r := &p.Rates[i]
		last := len(rows) - 1
		switch {
		case last < 0 || rows[last].Disk != r.Disk:
			rows = append(rows, Row{r, p})
		case r.proven() > 0 && (rows[last].proven() == 0 || rows[last].Measure != Window &&
			r.proven() > rows[last].proven()):
			rows[last].Rate = r
		}
	}
	return rows
}

// proven returns the smallest change, up or down, that the interval contains, as a logarithm; 0 if
// none is significant.
func (r *Rate) proven() float64 {
	switch r.Verdict {
	case Faster:
		return math.Log1p(r.Interval[0])
	case Slower:
		return -math.Log1p(r.Interval[1])
	default:
		return 0
	}
}

// disks returns how many disks the rate is of.
func (r Row) disks() int {
	if r.Disk != "" {
		return 1
	}
	return len(r.Phase.Disks())
}

// Disks returns those that work in the phase: first those whose rates are compared.
func (p *PhasePair) Disks() []string {
	var names []string
	for i := range p.Rates {
		if name := p.Rates[i].Disk; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Work)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// unansweredSearches returns the searches that have an answer in the base, and none or one of a run
// that was cut short in another.
func (p *Pair) unansweredSearches(others []*matchedRun) (list []string) {
	for _, s := range p.Searches {
		for i, other := range others {
			if saysMore(s.Base[0], s.New[i]) || other.hasCut(s.Name) {
				list = append(list, s.Name+" of "+other.Label+", which has no answer")
			}
		}
	}
	return list
}

// hasCut reports whether a phase of the run was cut short: any, or a try of the named search.
func (r *matchedRun) hasCut(search string) bool {
	for _, t := range r.Trace.Phases {
		counts := search == "" || t.Search != nil && t.Search.Search == search
		if counts && t.Status == trace.Partial {
			return true
		}
	}
	return false
}

// addDoubts fills in why the rates cannot be trusted: a run that was cut short, a computer that was
// too busy, disks that worked in one run only.
func (p *Pair) addDoubts(base, other []*matchedRun) {
	for _, r := range slices.Concat(base, other) {
		for _, f := range r.Analysis.Findings {
			if f.Code == "host_bound" {
				p.Doubts = append(p.Doubts, r.Label+": "+f.Text)
			}
		}
	}
	for _, r := range base {
		if r.Trace.Status == trace.Partial || r.hasCut("") {
			p.Doubts = append(p.Doubts, r.Label+" was cut short")
		}
	}
	for i := range p.Phases {
		name := p.Phases[i].Name
		if added := lost(other[0], other[0].part(name), base[0].part(name)); len(added) > 0 {
			p.Doubts = append(
				p.Doubts,
				fmt.Sprintf("in %s, %s worked in %s only, so the others' rates may differ for "+
					"that reason", p.Phases[i].Title, unit.List(added), p.Label),
			)
		}
	}
}

// lost returns the disks that worked in the base and that did not work, did something else or
// failed in the other run.
func lost(base *matchedRun, b, n *matchedPhase) []string {
	var disks []string
	for _, name := range base.Analysis.Order {
		before := b.traced.Disk(name)
		after := n.traced.Disk(name)
		if worked(before) && (!worked(after) || after.Op != before.Op || n.failed(after)) {
			disks = append(disks, name)
		}
	}
	return disks
}

// worked reports whether anything is known of a disk's work in a phase.
func worked(d *trace.DiskRecord) bool {
	return d != nil && len(d.Files)+len(d.Streams)+len(d.Latencies) > 0
}

// failed reports whether a disk left a file unfinished, and not just because the phase was cut
// short.
func (p *matchedPhase) failed(d *trace.DiskRecord) bool {
	if p.traced.Status == trace.Partial && len(d.Errors) == 0 {
		return false
	}
	for _, w := range p.result.Warnings {
		if w.Code == "partial" && w.Disk == d.Name {
			return true
		}
	}
	return false
}

// saysMore reports whether one result of a search says something that another does not.
func saysMore(a, other analysis.SearchResult) bool {
	found := func(x analysis.SearchResult) bool { return x.Found != nil || x.Unlimited }
	return found(a) && !found(other) || a.Alone != nil && other.Alone == nil && !other.Unlimited
}
