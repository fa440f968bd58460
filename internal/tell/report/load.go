package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// load is what some disks did at the same time, repeats pooled.
type load struct {
	title string
	id    string // of the phase's details
	work  string // who reads and who writes
	disks []loadDisk
	rate  float64 // together, bytes per second; a picture has no loads without an overlap

	first *analysis.PhaseResult // first of the repeats
}

// loadDisk is one disk's part in a load.
type loadDisk struct {
	LegendKey
	verb     string // what it does: "writes"
	rate     float64
	baseline float64 // its rate without the others; 0 if that is unknown
	kept     float64 // the part of the baseline that it keeps; 0 if that is unknown
	notAlone bool    // the baseline is without one other disk only
	between  bool    // what it keeps is of the time between changes, its rate of all the time
	slowed   bool    // the answer says so
	remark   string  // why there is no baseline
}

// ofCache is the remark on a disk whose small writes went through this computer's cache.
const ofCache = "the cache's"

// cached reports whether the rate is this computer's cache's: it is never shown as a result.
func (d loadDisk) cached() bool { return d.remark == ofCache }

// cached reports whether that is so of one of the disks.
func (l *load) cached() bool { return slices.ContainsFunc(l.disks, loadDisk.cached) }

// percent returns the part that the disk keeps in words; empty if that is unknown.
func (d loadDisk) percent() string {
	if d.kept == 0 {
		return ""
	}
	return percent(d.kept) + pick(d.notAlone, notAlone, "")
}

// minKept is the part of its baseline below which a disk's share is marked as a loss.
const minKept = 0.9

// low reports whether the disk keeps so little that it is marked.
func (d loadDisk) low() bool { return d.kept > 0 && d.kept < minKept }

// keptCell returns the cell of the part that the disk keeps.
func (d loadDisk) keptCell() Cell {
	if d.kept == 0 {
		return Cell{}
	}
	cell := shareCell(d.kept)
	cell.Text = d.percent()
	cell.Heat = d.kept
	cell.Tone = pick(d.low(), Bad, Unsigned)
	return cell
}

// load pools the repeats of a phase.
func (r *runDoc) load(line pooledPhase) load {
	first := &line.phases[0]
	title := shorten(cmp.Or(line.title, first.Name), maxTitle)
	l := load{
		title: analysis.Capital(r.a.Order, title), id: line.id,
		work: r.workInWords(first), first: first,
	}
	var rates float64
	for _, phase := range line.phases {
		if phase.Overlap != nil {
			l.rate += phase.Overlap.Rate
			rates++
		}
	}
	l.rate /= max(1, rates)
	pooled := r.pooled(line)
	if pooled != nil {
		l.rate = 0
		for _, d := range pooled {
			l.rate += d.Rate
		}
	}
	for _, key := range r.Keys {
		if !active(first.Roles[key.Name]) {
			continue
		}
		d := loadDisk{LegendKey: key, verb: workOf(first, key.Name).Does().One}
		var compared float64
		for _, phase := range line.phases {
			if phase.Overlap == nil {
				continue
			}
			d.rate += phase.Overlap.Disks[key.Name].Rate
			if w := withoutOthers(&phase, key.Name); w != nil {
				compared++
				d.baseline += *w.ReferenceRate
				d.kept += *w.Retention
				d.notAlone = d.notAlone || !w.Alone
				d.between = d.between || keptElsewhere(&phase, key.Name)
			}
		}
		d.rate /= max(1, rates)
		if pooled != nil {
			d.rate = pooled[key.Name].Rate
		}
		if compared > 0 {
			d.baseline /= compared
			d.kept /= compared
		} else if len(first.Disks) > 1 {
			limited := first.Paced[key.Name].IsPaced()
			d.remark = pick(limited, ownPace, noReference(contentionOf(first, key.Name)))
		}
		if first.Disks[key.Name].CachedWrites > 0 {
			d.baseline = 0
			d.kept = 0
			d.remark = ofCache
		}
		for _, o := range r.a.Answer.Loses {
			d.slowed = d.slowed || o.Disk == key.Name && slices.Contains(o.Phases, first.Name)
		}
		l.disks = append(l.disks, d)
	}
	return l
}

// pooled returns the disks of a load whose repeats the answer has pooled, so that both show one
// number for a rate; nil if they are not the same phases, or a rate is that of a stretch.
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
