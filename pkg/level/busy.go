package level

import (
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// busy is a rate over the time in which files were under way. The pauses between them are the program's, not the disk's: they
// vary freely, and now and then one takes as long as many files, which a few files cannot show.
type busy struct{ Measured }

const (
	fewPauses = 0.02      // of the active time: fewer pauses do not matter
	noPauseNS = 1_000_000 // what lasts for less is none
)

// busyIn is m, the disk's rate over the intervals, as a rate over the time in files.
func (p *Disk) busyIn(m Measured, in []overlap.Interval) *busy {
	var ns int64
	for _, v := range in {
		ns += p.busyNS(v)
	}
	whole := overlap.Seconds(in)
	if seconds(ns) >= (1-fewPauses)*whole || ns <= 0 {
		return nil
	}
	if p.inFiles == nil {
		files := *p
		files.Active = overlap.Active(p.Trace, noPauseNS)
		s := newSeries(&files)
		s.noise = s.estimate(s.edges(p.Solid), [2]int{})
		p.inFiles = &series{binNS: s.binNS, log: s.log, noise: s.noise} // the rest takes room
	}
	s := p.inFiles
	bins := min(int(float64(ns)/s.binNS+0.5), len(s.log))
	if bins < 1 {
		return nil
	}
	free := freeOf(len(s.log), s.noise)
	if seconds(ns) >= LongS {
		free = max(free, FreeOfLong)
	}
	return &busy{Measured{Rate: m.Rate * whole / seconds(ns), Error: p.errorOver(s.noise, bins, in), Free: free}}
}

// busyNS is for how many nanoseconds of v a file is under way.
func (p *Disk) busyNS(v overlap.Interval) (ns int64) {
	files := p.Trace.Files
	counted := v.StartNS
	for i := sort.Search(len(files), func(i int) bool { return files[i].EndNS > v.StartNS }); i < len(files) && files[i].StartNS < v.EndNS; i++ {
		from, to := max(files[i].StartNS, counted), min(files[i].EndNS, v.EndNS)
		if to > from {
			ns, counted = ns+to-from, to
		}
	}
	if open := p.Trace.Open; len(open) > 0 {
		ns += max(0, min(open[len(open)-1].TNS, v.EndNS)-max(open[0].TNS, counted))
	}
	return ns
}

// CouldMoveMore is the chance that noise alone puts what the disk could move so far above other, if they are equal in truth:
// pauses left out if both know of them, or one has none.
func (m Measured) CouldMoveMore(other Measured) float64 {
	return m.WithoutPauses().ChanceAbove(other.WithoutPauses())
}

// WithoutPauses is the rate over the time in files, if there were pauses between them.
func (m Measured) WithoutPauses() Measured {
	if m.busy != nil {
		return m.busy.Measured
	}
	return m
}

// pooledBusy is the mean of busy rates; nil if none has any.
func pooledBusy(list []Measured) *busy {
	var busies []Measured
	known := false
	for _, m := range list {
		known = known || m.busy != nil
		if m.busy != nil {
			m = m.busy.Measured
		}
		m.busy = nil
		busies = append(busies, m)
	}
	if !known {
		return nil
	}
	return &busy{Pooled(busies)}
}
