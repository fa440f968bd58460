package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// load pools the repeats of a phase.
func (r *runDoc) load(line pooledPhase) Load {
	first := &line.phases[0]
	title := shorten(cmp.Or(line.title, first.Name), maxTitle)
	l := Load{
		Title: analysis.Capital(r.a.Order, title), ID: line.id,
		Work: r.workInWords(first), first: first,
	}
	var rates float64
	for _, phase := range line.phases {
		if phase.Overlap != nil {
			l.Rate += phase.Overlap.Rate
			rates++
		}
	}
	l.Rate /= max(1, rates)
	pooled := r.pooled(line)
	if pooled != nil {
		l.Rate = 0
		for _, d := range pooled {
			l.Rate += d.Rate
		}
	}
	for _, key := range r.Keys {
		if !active(first.Roles[key.Name]) {
			continue
		}
		d := LoadDisk{LegendKey: key, Verb: workOf(first, key.Name).Does().One}
		var compared float64
		for _, phase := range line.phases {
			if phase.Overlap == nil {
				continue
			}
			d.Rate += phase.Overlap.Disks[key.Name].Rate
			if w := withoutOthers(&phase, key.Name); w != nil {
				compared++
				d.Baseline += *w.ReferenceRate
				d.Kept += *w.Retention
				d.NotAlone = d.NotAlone || !w.Alone
				d.Between = d.Between || keptElsewhere(&phase, key.Name)
			}
		}
		d.Rate /= max(1, rates)
		if pooled != nil {
			d.Rate = pooled[key.Name].Rate
		}
		if compared > 0 {
			d.Baseline /= compared
			d.Kept /= compared
		} else if len(first.Disks) > 1 {
			limited := first.Paced[key.Name].IsPaced()
			d.Remark = pick(limited, ownPace, noReference(contentionOf(first, key.Name)))
		}
		if first.Disks[key.Name].CachedWrites > 0 {
			d.Baseline = 0
			d.Kept = 0
			d.Remark = ofCache
		}
		for _, o := range r.a.Answer.Loses {
			d.Slowed = d.Slowed || o.Disk == key.Name && slices.Contains(o.Phases, first.Name)
		}
		l.Disks = append(l.Disks, d)
	}
	return l
}

// pooled returns the disks of a load whose repeats the answer has pooled, so that both show one number
// for a rate; nil if they are not the same phases, or a rate is that of a stretch.
func (r *runDoc) pooled(line pooledPhase) map[string]analysis.ContestDisk {
	var names []string
	for _, p := range line.phases {
		if names = append(names, p.Name); p.Contention == nil || p.Contention.Spans != nil {
			return nil
		}
	}
	for _, c := range r.a.Summary.Contests {
		if len(names) > 1 && slices.Equal(c.Phases, names) {
			return c.Disks
		}
	}
	return nil
}

// workInWords is who does what in a phase: "all three write", "A and B read, C writes".
func (r *runDoc) workInWords(p *analysis.PhaseResult) string {
	if len(r.Keys) < 2 || len(p.Paced) > 0 {
		return r.whoDoes(p, nobody)
	}
	first := p.Roles[r.Keys[0].Name]
	for _, key := range r.Keys {
		if role := p.Roles[key.Name]; role != first || !active(role) {
			return r.whoDoes(p, nobody)
		}
	}
	return allOf(len(r.Keys)) + " " + string(first)
}

// maxTitle is how many columns the name of a load takes.
const maxTitle = 34

// maxListedNames is how many disks a sentence names; more are counted.
const maxListedNames = 4

func listOrCount(names []string) string {
	if len(names) > maxListedNames {
		return unit.Plural(len(names), "disk")
	}
	return unit.List(names)
}

// headlinePhases are the phases that are no tries of searches, repeats and the same work under
// other names together: first those that the headline is about, then those with the most disks,
// then those in which a disk keeps least.
func (r *runDoc) headlinePhases() []pooledPhase {
	var list []pooledPhase
	ofContest := map[int]int{} // index of each contest's in the list
	contests := len(r.a.Summary.Contests)
	for _, line := range r.lines {
		p := &line.phases[0]
		if p.Search != nil {
			continue
		}
		line.rank = r.contest(p.Name)
		line.kept = math.Inf(1)
		for name, d := range p.Disks {
			if d.CachedWrites > 0 && line.rank == contests {
				line.rank++ // after all others
			}
			if w := withoutOthers(p, name); w != nil {
				line.kept = min(line.kept, *w.Retention)
			}
		}
		if at, known := ofContest[line.rank]; known {
			list[at].phases = slices.Concat(list[at].phases, line.phases)
			list[at].title = r.workInWords(p)
			continue
		}
		if line.rank < contests {
			ofContest[line.rank] = len(list)
		}
		list = append(list, line)
	}
	slices.SortStableFunc(list, func(x, y pooledPhase) int {
		disksX, disksY := len(x.phases[0].Disks), len(y.phases[0].Disks)
		return cmp.Or(cmp.Compare(x.rank, y.rank), disksY-disksX, cmp.Compare(x.kept, y.kept))
	})
	return list
}

// contest is the index of the contest that a phase shows, or the number of contests.
func (r *runDoc) contest(phase string) int {
	for i, c := range r.a.Summary.Contests {
		if slices.Contains(c.Phases, phase) {
			return i
		}
	}
	return len(r.a.Summary.Contests)
}
