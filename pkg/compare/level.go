package compare

import (
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

const (
	// step is the least ratio of two levels that are compared apart: noise seldom makes one as large, and smaller ones
	// hardly hide a difference.
	step = 1.3
	// leastLevel is the least part of a window that is a level, and leastLevelS its least length in seconds.
	leastLevel  = 0.04
	leastLevelS = overlap.ShortS
)

// level is a stretch of a window in which the rate did not step up or down.
type level struct {
	time []overlap.Interval
	from float64 // seconds into the window
	to   float64
}

// levels are the window's, from the steps of a rate in it.
func (p part) levels(f stats.Flow) []level {
	if f.Doubt() == stats.TooShort {
		return []level{{p.window, 0, f.Length}}
	}
	bin := f.Length / float64(len(f.Rates))
	least := max(stats.MinBins, int(leastLevel*float64(len(f.Rates))), int(leastLevelS/bin)+1)
	var list []level
	from := 0.0
	for _, cut := range append(stats.Steps(f.Rates, least, f.Known, step), len(f.Rates)) {
		to := float64(cut) * bin
		list = append(list, level{stretch(p.window, from, to), from, to})
		from = to
	}
	return list
}

// stretch is the time from so many seconds into a window on, up to so many.
func stretch(window []overlap.Interval, from, to float64) []overlap.Interval {
	var list []overlap.Interval
	before := 0.0
	for _, v := range window {
		a, b := max(from-before, 0), min(to-before, v.Seconds())
		if b > a {
			list = append(list, overlap.Interval{StartNS: v.StartNS + ns(a), EndNS: v.StartNS + ns(b)})
		}
		before += v.Seconds()
	}
	return list
}

// levelRates compares the levels of the base with those of the other run, where either has a step. Where both have as
// many, each is compared with the one of its place: a cache that fills after other bytes is no slower for it. Else each of
// the finer ones is compared with the one that it shares most time with.
func levelRates(b, n part, disks []string, base, other stats.Flow) []Rate {
	before, after := b.levels(base), n.levels(other)
	var rates []Rate
	add := func(x, y level) {
		if min(x.to-x.from, y.to-y.from) < leastLevelS {
			return // the other run was over by then
		}
		r := flowRate(Level, b.flow(disks, x.time), n.flow(disks, y.time))
		r.BaseSpan, r.Span = &[2]float64{x.from, x.to}, &[2]float64{y.from, y.to}
		rates = append(rates, r)
	}
	switch {
	case len(before) == 1 && len(after) == 1:
	case len(before) == len(after):
		for i, x := range before {
			add(x, after[i])
		}
	case len(before) > len(after):
		for _, x := range before {
			add(x, n.same(other, x))
		}
	default:
		for _, y := range after {
			add(b.same(base, y), y)
		}
	}
	return rates
}

// same is the same time of this part's window as a level is of the other's.
func (p part) same(f stats.Flow, l level) level {
	from, to := min(l.from, f.Length), min(l.to, f.Length)
	return level{stretch(p.window, from, to), from, to}
}
