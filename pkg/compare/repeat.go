package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/stats"
)

// Repeats is how often each side of a comparison was run. What varies from run to run is in such a comparison.
type Repeats struct {
	Base int `json:"base"`
	New  int `json:"new"`
}

// Groups compares the repeats of a run with those of another, three at least in all. The unit of evidence is the run: a
// rate's mean over the runs of each side, with the variance between them (stats.RepeatedDifference). Levels are not
// compared apart. What was not measured alike is said of the first run of either side.
func Groups(base, other []Run) *Comparison {
	c := &Comparison{
		Version: Version, Level: Chance, Base: sideOf(base), Warnings: []string{}, Repeats: &Repeats{len(base), len(other)},
	}
	for _, r := range slices.Concat(base, other) {
		c.Warnings = append(c.Warnings, r.warnings()...)
	}
	base, other = allAs(base, base[0]), allAs(other, base[0])
	p := newPair(base[0], other[0])
	p.Lost = p.losses(other[0])
	for _, r := range other[1:] {
		pair := newPair(base[0], r)
		p.Lost = append(p.Lost, pair.losses(r)...)
	}
	for _, r := range base[1:] { // what one of the base's runs has not is compared in none
		for _, phase := range newPair(base[0], r).OnlyBase {
			p.Lost = append(p.Lost, p.Title(phase)+" of "+r.Label)
		}
	}
	p.Side = sideOf(other)
	p.Phases = slices.DeleteFunc(p.Phases, func(q Phase) bool { return !everywhere(q.Phase, base, other) })
	p.Searches = searches(base, other)
	for i := range p.Phases {
		phase := &p.Phases[i]
		judged := phase.Reason == ""
		told := func(lost string) bool { return strings.Contains(lost, phase.Title) }
		if phase.repeat(base, other); judged && phase.Reason != "" && !slices.ContainsFunc(p.Lost, told) {
			p.Lost = append(p.Lost, phase.Title+", as "+phase.Reason)
		}
	}
	c.Pairs = []Pair{p}
	c.judge()
	c.judgeLatencies()
	c.Pairs[0].findings(base, other)
	return c
}

// allAs are runs whose phases are called as those of one.
func allAs(runs []Run, one Run) []Run {
	list := make([]Run, len(runs))
	for i, r := range runs {
		list[i] = r.as(one)
	}
	return list
}

// stray is why the runs of a side are no repeats in a phase; empty where they are.
func stray(runs []Run, phase string) string {
	_, first := runs[0].phase(phase)
	for i, r := range runs[1:] {
		_, traced := r.phase(phase)
		a, b := runs[0].asked(first), r.asked(traced)
		for _, d := range first.Disks {
			for _, key := range a.differs(b, d.Name) {
				return fmt.Sprintf("run %d of a side is no repeat of its first: %s of %s is %s, and %s there", i+2, key, d.Name, b.works[d.Name].Value(key), a.works[d.Name].Value(key))
			}
		}
	}
	return ""
}

// sideOf names runs together.
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

func everywhere(phase string, groups ...[]Run) bool {
	for _, r := range slices.Concat(groups...) {
		if found, _ := r.phase(phase); found == nil {
			return false
		}
	}
	return true
}

// repeat puts the evidence of all runs in place of that of the first ones.
func (p *Phase) repeat(base, other []Run) {
	if p.Reason = cmp.Or(p.Reason, stray(base, p.Phase), stray(other, p.Phase)); p.Reason != "" {
		p.Rates, p.Latencies = []Rate{}, nil
		return
	}
	p.Rates = slices.DeleteFunc(p.Rates, func(r Rate) bool { return r.Measure == Level })
	before, after := partsOf(base, p.Phase), partsOf(other, p.Phase)
	for i := range p.Latencies {
		p.Latencies[i].repeat(before, after)
	}
	for i := range p.Rates {
		r := &p.Rates[i]
		b, faultB := measured(before, r)
		n, faultN := measured(after, r)
		*r = Rate{Disk: r.Disk, Op: r.Op, Measure: r.Measure, Unit: "run"}
		d, ok := stats.RepeatedDifference(b, n)
		if faultB+faultN != "" || !ok {
			r.Verdict, r.Reason = TooLittle, max(faultB, faultN)
			continue
		}
		r.set(middle(b), middle(n), min(len(b), len(n)))
		r.test(d)
	}
}

// middle is the geometric mean of the runs' values, whose logarithms the repeats hold.
func middle(runs []stats.Repeat) float64 {
	var sum float64
	for _, r := range runs {
		sum += r.Mean / float64(len(runs))
	}
	return math.Exp(sum)
}

func partsOf(runs []Run, phase string) []part {
	parts := make([]part, len(runs))
	for i, r := range runs {
		parts[i] = newPart(r, phase)
	}
	return parts
}

// measured is a rate in each of the runs, and why it is not in some.
func measured(parts []part, r *Rate) (list []stats.Repeat, fault string) {
	for i, p := range parts {
		disks := []string{r.Disk}
		if r.Disk == "" {
			disks = nil
			for _, d := range p.traced.Disks {
				disks = append(disks, d.Name)
			}
		}
		switch {
		case len(p.window) == 0:
			return nil, fmt.Sprintf("run %d of a side has no time in which all disks were active", i+1)
		case slices.ContainsFunc(disks, func(d string) bool { return p.curves[d] == nil }):
			return nil, fmt.Sprintf("disk %s does not work in run %d of a side", r.Disk, i+1)
		case r.Measure == Window:
			list = append(list, p.flow(disks, p.window).Repeat())
		default:
			files := rates(p.files(r.Disk))
			if len(files) < stats.MinBins {
				return nil, fmt.Sprintf("only %d files lie wholly in the overlap of a run, and %d are needed", len(files), stats.MinBins)
			}
			e, _ := stats.TrimmedSpectrum(files, trim).Error()
			list = append(list, stats.Repeat{Mean: e.Mean, SE: e.SE()})
		}
		if math.IsInf(list[len(list)-1].Mean, 0) {
			return nil, "nothing was moved"
		}
	}
	return list, ""
}
