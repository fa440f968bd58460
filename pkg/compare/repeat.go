package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/stats"
)

// Repeats is how often each side of a comparison was run. Such a comparison includes what varies from run to run.
type Repeats struct {
	Base int `json:"base"`
	New  int `json:"new"`
}

// Groups compares the repeats of a run with those of another, at least three in all. The unit of evidence is
// the run: a rate's mean over the runs of each side, with the variance between them (stats.RepeatedDifference).
// Levels are not compared. What was measured differently is found from the first run of either side.
func Groups(base, other []Run) *Comparison {
	c := &Comparison{
		Version: Version, Level: Chance, Base: sideOf(base), Warnings: []string{}, Repeats: &Repeats{len(base), len(other)},
	}
	for _, r := range slices.Concat(base, other) {
		c.Warnings = append(c.Warnings, r.warnings()...)
	}
	base, other = allAs(base, base[0]), allAs(other, base[0])
	p := newPair(base[0], other[0])
	p.doubt(base, other)
	for _, r := range other[1:] {
		p.Lost = append(p.Lost, newPair(base[0], r).Lost...)
	}
	for _, r := range base[1:] { // a phase that one of the base's runs lacks is not compared
		for _, phase := range newPair(base[0], r).OnlyBase {
			p.Lost = append(p.Lost, strconv.Quote(p.Title(phase))+" of "+r.Label)
		}
	}
	p.Side = sideOf(other)
	p.Phases = slices.DeleteFunc(p.Phases, func(q Phase) bool {
		return slices.ContainsFunc(slices.Concat(base, other),
			func(r Run) bool { found, _ := r.phase(q.Phase); return found == nil })
	})
	p.Searches = searches(base, other)
	for i := range p.Phases {
		phase := &p.Phases[i]
		judged := phase.Reason == ""
		known := func(lost string) bool { return strings.Contains(lost, phase.Title) }
		if phase.repeat(base, other); judged && phase.Reason != "" && !slices.ContainsFunc(p.Lost, known) {
			p.Lost = append(p.Lost, phase.Title+": "+phase.Reason)
		}
	}
	c.Pairs = []Pair{p}
	c.judge(false)
	c.Pairs[0].findings(base, other)
	return c
}

// allAs are the runs with their phases named as those of one.
func allAs(runs []Run, one Run) []Run {
	list := make([]Run, len(runs))
	for i, r := range runs {
		list[i] = r.as(one)
	}
	return list
}

// unrepeated is why the runs of a side are not repeats of one another in a phase; empty if they are.
func unrepeated(runs []Run, phase string) string {
	_, first := runs[0].phase(phase)
	for i, r := range runs[1:] {
		_, traced := r.phase(phase)
		a, b := runs[0].asked(first), r.asked(traced)
		for _, d := range first.Disks {
			for _, key := range a.differs(b, d.Name) {
				return fmt.Sprintf("run %d of a side is not a repeat of the first: %s of %s is %s, not %s", i+2, key,
					d.Name, b.works[d.Name].Value(key), a.works[d.Name].Value(key))
			}
		}
	}
	return ""
}

// sideOf is several runs as one side.
func sideOf(runs []Run) Side {
	side := runs[0].side()
	labels := make([]string, len(runs))
	for i, r := range runs {
		labels[i] = r.Label
		side.Partial = side.Partial || r.side().Partial
	}
	side.Label = strings.Join(labels, ", ")
	return side
}

// repeat replaces the evidence of the first runs by that of all runs.
func (p *Phase) repeat(base, other []Run) {
	if p.Reason = cmp.Or(p.Reason, unrepeated(base, p.Phase), unrepeated(other, p.Phase)); p.Reason != "" {
		p.Rates, p.Latencies = []Rate{}, nil
		return
	}
	p.Rates = slices.DeleteFunc(p.Rates, func(r Rate) bool { return r.Measure == Level })
	var before, after []part
	for _, r := range base {
		before = append(before, newPart(r, p.Phase))
	}
	for _, r := range other {
		after = append(after, newPart(r, p.Phase))
	}
	for i := range p.Latencies {
		p.Latencies[i].repeat(before, after)
	}
	for i := range p.Rates {
		p.Rates[i].repeat(before, after)
	}
}

// repeat replaces the evidence of the first runs by that of all runs.
func (r *Rate) repeat(base, other []part) {
	test := Test{}
	b, n, ok := test.repeat(base, other, minError, func(p part, run int) (stats.Repeat, string) {
		disks := []string{r.Disk}
		if r.Disk == "" {
			disks = p.disks()
		}
		switch {
		case len(p.window) == 0:
			return stats.Repeat{}, fmt.Sprintf("in run %d of a side, the disks never worked all at once", run)
		case r.Disk != "" && p.traced.Disk(r.Disk) == nil:
			return stats.Repeat{}, fmt.Sprintf("disk %s does not work in run %d of a side", r.Disk, run)
		case r.Measure == Window:
			return p.flow(disks, p.window).Repeat(), ""
		}
		files := rates(p.files(r.Disk))
		if len(files) < stats.MinBins {
			return stats.Repeat{}, fmt.Sprintf("only %d files lie completely in the overlap of a run, and at least %d "+
				"are needed",
				len(files), stats.MinBins)
		}
		e, _ := stats.TrimmedSpectrum(files, trim).Error()
		return stats.Repeat{Mean: e.Mean, SE: e.SE()}, ""
	})
	*r = Rate{Disk: r.Disk, Op: r.Op, Measure: r.Measure, Test: test}
	if ok {
		change := n/b - 1
		r.Base, r.New, r.Change = &b, &n, &change
	}
}
