package change

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/stats"
)

// excursion is a burst or a dip that is too short to be a level, in bins of the phase.
type excursion struct {
	from, to    int
	base, level float64 // logarithms of rates beside it and in it
}

// dropExcursions leaves the bins of bursts and dips that last for a second or two out of a disk's
// series, and drops cuts as close as that to where it begins or finishes: real disks show such all
// the time. Those that begin and end with what another disk did stay. If a disk shows some, longer
// ones that are alike are excursions, too.
func (p *phase) dropExcursions(d *disk) {
	const rounds = 3 // what is left may show more
	longest := p.s(excursionS)
	for round := range rounds {
		found := p.findExcursions(d, longest)
		if round == 0 {
			found = p.withShortLevels(d, found)
		}
		if len(found) == 0 {
			break
		}
		d.excursions = append(d.excursions, found...)
		if len(d.excursions) >= minExcursions {
			longest = 2 * p.s(excursionS)
		}
		d.leaveOut(found)
	}
	if cut := p.cutOff(d); len(cut) > 0 {
		d.leaveOut(cut)
	}
	d.cuts = p.awayFromEnds(d, d.cuts)
	d.candidates = p.awayFromEnds(d, d.candidates)
}

// withShortLevels adds the levels of the disk's own history that are too short to be any.
func (p *phase) withShortLevels(d *disk, found []excursion) []excursion {
	for k := 0; k < len(d.Levels); k++ {
		e, ok := p.shortLevel(d, k)
		if !ok {
			continue
		}
		k++ // the next one is what it left
		for _, o := range found {
			ok = ok && (o.to <= e.from || e.to <= o.from)
		}
		if ok {
			found = append(found, e)
		}
	}
	return found
}

// shortLevel returns a level of the disk's own history as an excursion; not ok if it is none.
func (p *phase) shortLevel(d *disk, k int) (excursion, bool) {
	if k == 0 || k+1 >= len(d.Levels) || d.IsPaced() || d.Levels[k].Seconds() >= excursionS {
		return excursion{}, false
	}
	before, after := p.typical(d, k-1), p.typical(d, k+1)
	e := p.excursionOf(d.Levels[k])
	e.base = (before + after) / 2
	off := math.Abs(e.level - e.base)
	return e, math.Abs(after-before) < min(sameLevel, off/2) && !p.explained(d, e)
}

// cutOff returns the first and the last level of the disk's own history if they are like its
// excursions, cut off by its start or its end.
func (p *phase) cutOff(d *disk) (found []excursion) {
	last := len(d.Levels) - 1
	if last < 1 || len(d.excursions) == 0 {
		return nil
	}
	for _, l := range []ledger.Level{d.Levels[0], d.Levels[last]} {
		if e := p.excursionOf(l); l.Seconds() < excursionS && d.like(e) {
			found = append(found, e)
		}
	}
	return found
}

// excursionOf returns a level as an excursion, without the rate beside it.
func (p *phase) excursionOf(l ledger.Level) excursion {
	return excursion{from: int(math.Round(p.at(l.StartNS))), to: int(math.Round(p.at(l.EndNS))),
		level: math.Log(l.Rate)}
}

// typical returns the median of the logarithm of the rate over a level of the disk's own history: an
// excursion within it counts for little.
func (p *phase) typical(d *disk, k int) float64 {
	from := d.before[min(max(int(math.Ceil(p.at(d.Levels[k].StartNS))), 0), p.n)]
	to := d.before[min(max(int(p.at(d.Levels[k].EndNS)), 0), p.n)]
	if from >= to {
		return math.Log(d.Levels[k].Rate)
	}
	return stats.Median(d.x[from:to])
}

// findExcursions lists short stretches between cuts with alike levels on either side.
func (p *phase) findExcursions(d *disk, longest float64) (found []excursion) {
	edges := d.edges(d.candidates)
	for k := 1; k+1 < len(edges)-1; k++ {
		from := edges[k]
		before := mean(d.x[edges[k-1]:from])
		for l := k + 1; l < len(edges)-1; l++ {
			to := edges[l]
			if float64(to-from) >= longest {
				break
			}
			level, after := mean(d.x[from:to]), mean(d.x[to:edges[l+1]])
			off := level - (before+after)/2
			e := excursion{d.bins[from], d.bins[to], (before + after) / 2, level}
			if math.Abs(after-before) < min(sameLevel, math.Abs(off)/2) && !p.explained(d, e) &&
				(float64(to-from) < p.s(excursionS) || d.like(e)) {
				found = append(found, e)
				k = l
				break
			}
		}
	}
	return found
}

// like reports whether an excursion goes about as far as the disk's others.
func (d *disk) like(e excursion) bool {
	for _, o := range d.excursions {
		if math.Abs(e.level-o.level) > math.Log(lowSpread) {
			return false
		}
	}
	return true
}

// explained reports whether other disks began or ceased to move at both moments.
func (p *phase) explained(d *disk, e excursion) bool {
	begins, ends := false, false
	for _, k := range p.known {
		if k.disk != d {
			begins = begins || math.Abs(k.at-float64(e.from)) <= p.s(togetherS)
			ends = ends || math.Abs(k.at-float64(e.to)) <= p.s(togetherS)
		}
	}
	return begins && ends
}

// leaveOut takes excursions out of the disk's series, with what the bins beside them have of them,
// and looks for its cuts again.
func (d *disk) leaveOut(found []excursion) {
	var bins, file []int
	var x []float64
	for i, bin := range d.bins {
		gone := false
		for _, e := range found {
			gone = gone || e.from-besideBins <= bin && bin < e.to+besideBins
		}
		if !gone {
			bins = append(bins, bin)
			x = append(x, d.x[i])
			file = append(file, d.file[i])
		}
	}
	d.bins, d.x, d.file = bins, x, file
	d.before = make([]int, len(d.before))
	k := 0
	for i := range d.before {
		d.before[i] = k
		if k < len(bins) && bins[k] == i {
			k++
		}
	}
	d.choose()
	d.testFiles()
}

// awayFromEnds drops cuts just after the disk begins, or before it finishes, unless another disk's
// start or end may be what made them.
func (p *phase) awayFromEnds(d *disk, cuts []int) (kept []int) {
	least := p.s(max(excursionS, burstMargin*d.LongestBurstS))
	for _, c := range cuts {
		at := float64(d.bins[c])
		apart := d.apart(d.bins[c])
		if apart >= least || p.follows(d, at, false) && apart >= p.s(minLastS) {
			kept = append(kept, c)
		}
	}
	return kept
}

// follows reports whether another disk began or ceased to move just before; if so asked, at a
// standstill.
func (p *phase) follows(d *disk, at float64, still bool) bool {
	for _, k := range p.known {
		lag := at - k.at
		if k.disk != d && (k.stall || !still) && -p.s(leadS) <= lag && lag <= p.s(startS) {
			return true
		}
	}
	return false
}

// excursionEvents makes a swing of each disk's excursions that recur, those of several disks at the
// same times together.
func (p *phase) excursionEvents() (out []Event) {
	for _, d := range p.disks {
		for _, dips := range []bool{true, false} {
			e, ok := p.recurring(d, dips)
			if !ok {
				continue
			}
			joined := false
			for i := range out {
				joined = joined || out[i].join(&e)
			}
			if !joined {
				out = append(out, e)
			}
		}
	}
	return out
}

// recurring makes a swing of the disk's dips, or of its bursts; not ok if they are few, or unlike.
func (p *phase) recurring(d *disk, dips bool) (Event, bool) {
	var found []excursion
	for _, e := range d.excursions {
		off := math.Abs(e.level - e.base)
		blur := d.longRun/float64(e.to-e.from) + square(d.fileSD)
		sure := off*off/blur/2 > cutPrice*math.Log(float64(p.n))
		if (e.level < e.base) == dips && sure && off > minDepth {
			found = append(found, e)
		}
	}
	if len(found) < minExcursions {
		return Event{}, false
	}
	slices.SortFunc(found, func(a, b excursion) int { return cmp.Compare(a.from, b.from) })
	var base, level []float64
	var periods, lows []int64
	e := Event{Kind: Swing, Disks: []string{d.Name()}}
	for i, x := range found {
		base = append(base, x.base)
		level = append(level, x.level)
		from, to := p.ns(float64(x.from)), p.ns(float64(x.to))
		e.Moments = append(e.Moments, from, to)
		if dips {
			lows = append(lows, to-from)
		}
		if i > 0 {
			before := p.ns(float64(found[i-1].from))
			periods = append(periods, from-before)
			if !dips {
				lows = append(lows, from-p.ns(float64(found[i-1].to)))
			}
		}
	}
	if slices.Max(level)-slices.Min(level) > 2*math.Log(lowSpread) {
		return Event{}, false
	}
	e.AtNS, e.EndNS = e.Moments[0], e.Moments[len(e.Moments)-1]
	e.PeriodNS, e.LowNS = medianNS(periods), medianNS(lows)
	high, low := math.Exp(stats.Median(base)), math.Exp(stats.Median(level))
	e.Shifts = []Shift{{Disk: d.Name(), From: max(high, low), To: min(high, low)}}
	return e, true
}

// join adds another disk's swing that changes at the same times; not ok if it does not.
func (e *Event) join(o *Event) bool {
	const together = int64(togetherS * 1e9)
	common := 0
	for _, a := range e.Moments {
		for _, b := range o.Moments {
			if max(a-b, b-a) <= together {
				common++
				break
			}
		}
	}
	if float64(common) < sameDisks*float64(max(len(e.Moments), len(o.Moments))) {
		return false
	}
	e.Disks = append(e.Disks, o.Disks...)
	e.Shifts = append(e.Shifts, o.Shifts...)
	return true
}
