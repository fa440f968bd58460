package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Answer is what a run comes to beside the base. It has one row for each phase and disk, and one for its disks
// together.
type Answer struct {
	Changed  []Row           // significantly; the largest proven change first
	Same     []Row           // no significant change
	Unjudged []Row           // too little data
	Lead     []Row           // of Changed: the most important fall and the most important rise, the larger first
	Bound    *stats.Interval // contains the interval of each change in Same; nil if there is none
}

// Row is a rate of a phase: that of the overlap, or another of the same disk's if only that one changed.
type Row struct {
	*Rate
	Phase *Phase
}

// leading is the share of the largest proven change that a change must reach to come before it in the headline
// because more disks are involved.
const leading = 0.25

// Answer decides what to say of the run first.
func (p *Pair) Answer() Answer {
	var a Answer
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
				a.Bound[0], a.Bound[1] = min(a.Bound[0], row.Interval[0]), max(a.Bound[1], row.Interval[1])
			}
		}
	}
	inOrder := slices.Clone(a.Changed)
	slices.SortStableFunc(a.Changed, func(x, y Row) int { return cmp.Compare(y.proven(), x.proven()) })
	for _, verdict := range []Verdict{Slower, Faster} {
		i := slices.IndexFunc(a.Changed, func(r Row) bool { return r.Verdict == verdict })
		if i < 0 {
			continue
		}
		lead := a.Changed[i]
		for _, row := range inOrder {
			if row.Verdict == verdict && row.disks() > lead.disks() && row.proven() >= leading*a.Changed[i].proven() {
				lead = row
			}
		}
		a.Lead = append(a.Lead, lead)
	}
	slices.SortStableFunc(a.Lead, func(x, y Row) int { return cmp.Compare(y.proven(), x.proven()) })
	return a
}

// rows are the rates in the overlap. If a disk's did not change significantly but another of its rates did, that one
// stands for it.
func (p *Phase) rows() []Row {
	var rows []Row
	for i := range p.Rates {
		r := &p.Rates[i]
		last := len(rows) - 1
		switch {
		case last < 0 || rows[last].Disk != r.Disk:
			rows = append(rows, Row{r, p})
		case r.proven() > 0 && (rows[last].proven() == 0 || rows[last].Measure != Window && r.proven() > rows[last].proven()):
			rows[last].Rate = r
		}
	}
	return rows
}

// proven is the smallest change, up or down, that the interval contains, as a logarithm; 0 if none is significant.
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

// disks is how many disks the rate is of.
func (r Row) disks() int {
	if r.Disk != "" {
		return 1
	}
	return len(r.Phase.Disks())
}

// Disks are those that work in the phase: first those whose rates are compared.
func (p *Phase) Disks() []string {
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

// losses are what the base measured and the other run did not, or not completely: phases, disks and searches.
func (p *Pair) losses(other *matched) []string {
	var list []string
	add := func(what, why string) { list = append(list, what+" of "+other.Label+why) }
	for _, phase := range p.OnlyBase {
		add(strconv.Quote(p.Title(phase)), "")
	}
	for i := range p.Phases {
		phase := &p.Phases[i]
		for j, d := range phase.Unlike {
			if (j == 0 || phase.Unlike[j-1].Where != d.Where) && !slices.Contains(phase.Lost, d.Where) {
				add(d.Where+" ("+phase.Title+")", ", whose work differs")
			}
		}
		for _, disk := range phase.Lost {
			add(disk+" ("+phase.Title+")", "")
		}
		switch {
		case phase.Incomplete && len(phase.Lost) == 0:
			add(strconv.Quote(phase.Title), ", which was cut short")
		case phase.Unmeasured && len(phase.Lost) == 0:
			add(strconv.Quote(phase.Title), ": "+cmp.Or(phase.Reason, neverAtOnce))
		}
	}
	for i := range p.Searches {
		if s := &p.Searches[i]; other.cut(s.Name) || slices.ContainsFunc(s.New, func(r analysis.SearchResult) bool { return beyond(s.Base[0], r) }) {
			add(s.Name, ", which has no answer")
		}
	}
	return list
}

// doubt fills in why the rates cannot be trusted: a run that was cut short, a computer that was too busy, disks
// that worked in one run only.
func (p *Pair) doubt(base, other []*matched) {
	for _, r := range slices.Concat(base, other) {
		for _, f := range r.Analysis.Findings {
			if f.Code == "host_bound" {
				p.Doubts = append(p.Doubts, r.Label+": "+f.Text)
			}
		}
	}
	for _, r := range base {
		cut := func(t *trace.Phase) bool { return t.Status == trace.Partial }
		if r.Trace.Status == trace.Partial || slices.ContainsFunc(r.Trace.Phases, cut) {
			p.Doubts = append(p.Doubts, r.Label+" was cut short")
		}
	}
	if len(p.OnlyHere) > 0 {
		var titles []string
		for _, name := range p.OnlyHere {
			titles = append(titles, p.Title(name))
		}
		p.Doubts = append(p.Doubts, fmt.Sprintf("only %s has %s", p.Label, few(titles, "; ")))
	}
	for i := range p.Phases {
		name := p.Phases[i].Name
		if added := lost(other[0], other[0].part(name), base[0].part(name)); len(added) > 0 {
			p.Doubts = append(p.Doubts, fmt.Sprintf("in %s, %s worked in %s only, so the others' rates may differ for "+
				"that reason", p.Phases[i].Title, unit.List(added), p.Label))
		}
	}
}

// lost are the disks that worked in the base and that did not work, did something else or failed in the other run.
func lost(base *matched, b, n *part) []string {
	worked := func(d *trace.DiskRecord) bool { return d != nil && len(d.Files)+len(d.Streams)+len(d.Latencies) > 0 }
	var disks []string
	for _, name := range base.Analysis.Order {
		was, is := b.traced.Disk(name), n.traced.Disk(name)
		// If a phase was cut short, that is why a disk left a file unfinished.
		failed := func(w analysis.Warning) bool {
			return w.Code == "partial" && w.Disk == name && (n.traced.Status != trace.Partial || len(is.Errors) > 0)
		}
		if worked(was) && (!worked(is) || is.Op != was.Op || slices.ContainsFunc(n.found.Warnings, failed)) {
			disks = append(disks, name)
		}
	}
	return disks
}

// cut reports whether a try of a search was cut short.
func (r *matched) cut(search string) bool {
	return slices.ContainsFunc(r.Trace.Phases, func(p *trace.Phase) bool {
		return p.Search != nil && p.Search.Search == search && p.Status == trace.Partial
	})
}

// beyond reports whether one result of a search says something that another does not.
func beyond(a, other analysis.SearchResult) bool {
	found := func(x analysis.SearchResult) bool { return x.Found != nil || x.Unlimited }
	return found(a) && !found(other) || a.Alone != nil && other.Alone == nil && !other.Unlimited
}

// lagDoubtS is the error of a recovery's lag in either run.
const lagDoubtS = 0.5

// findings sorts the findings that only one side has: those that are new or gone, and those that may be due to
// chance. Of repeats, more than half must have a finding for it to count.
func (p *Pair) findings(base, other []*matched) {
	p.Appeared = append(p.Appeared, p.only(other, base)...)
	p.Went = append(p.Went, p.only(base, other)...)
}

// only are the findings that more than half of the runs have and of the others have not, each from the first run
// that has it, if the rates behind them changed; the rest of them become the unsure ones.
func (p *Pair) only(runs, others []*matched) (found []analysis.Finding) {
	var seen []analysis.Finding
	for _, r := range runs {
		for _, f := range r.Analysis.Findings {
			phase := slices.IndexFunc(p.Phases, func(q Phase) bool { return q.Name == f.Phase })
			known := slices.ContainsFunc(seen, func(g analysis.Finding) bool { return same(f, g) })
			if phase < 0 || known || !inMost(runs, f) || inMost(others, f) {
				continue
			}
			seen = append(seen, f)
			if p.Phases[phase].changed(f) {
				found = append(found, f)
			} else {
				p.Unsure = append(p.Unsure, f)
			}
		}
	}
	return found
}

// inMost reports whether more than half of the runs have a finding.
func inMost(runs []*matched, f analysis.Finding) bool {
	n := 0
	for _, r := range runs {
		if r.has(f) {
			n++
		}
	}
	return 2*n > len(runs)
}

// has reports whether a run has a finding; of a phase's repeats, more than half of them.
func (r *matched) has(f analysis.Finding) bool {
	p := r.part(f.Phase)
	if p == nil || len(p.all) == 1 {
		return slices.ContainsFunc(r.Analysis.Findings, func(g analysis.Finding) bool { return same(f, g) })
	}
	n := 0
	for _, q := range p.all {
		if slices.ContainsFunc(r.found, func(g analysis.Finding) bool {
			own := g.Phase == q.traced.Name
			g.Phase = f.Phase
			return own && same(f, g)
		}) {
			n++
		}
	}
	return 2*n > len(p.all)
}

// same reports whether findings have the same code, phase and disk, or disks if they come from the ledger;
// their numbers may differ.
func same(f, g analysis.Finding) bool {
	return g.Code == f.Code && g.Phase == f.Phase && g.Disk == f.Disk &&
		(f.Change == nil || slices.Equal(f.Disks, g.Disks))
}

// changed reports whether what a finding is based on changed significantly. Some are facts; the others are
// based on rates: the disk's own, or those of any disk in the phase if the finding is about how they share.
// Findings depend on thresholds, and equal runs can end up on both sides of one by chance.
func (p *Phase) changed(f analysis.Finding) bool {
	switch f.Code {
	case "partial", "cached", "foreign_traffic", "heat", "drops", "host_bound":
		return true
	}
	if f.Change != nil { // the ledger has it only if noise would not have made it
		return true
	}
	own := f.Disk != "" && f.Code != "steal" && f.Code != "held"
	if f.Code == "recovery" && p.lagChanged(f.Disk) {
		return true
	}
	return slices.ContainsFunc(p.Rates, func(r Rate) bool {
		return (r.Verdict == Faster || r.Verdict == Slower) && (!own || r.Disk == f.Disk)
	})
}

// lagChanged reports whether a recovery of the disk, or of any disk, was seen in both runs and took longer in one.
func (p *Phase) lagChanged(disk string) bool {
	return slices.ContainsFunc(p.Recoveries, func(r Recovery) bool {
		return (disk == "" || r.Disk == disk) && r.BaseLagS != nil && r.LagS != nil &&
			math.Abs(*r.LagS-*r.BaseLagS) > 2*lagDoubtS
	})
}
