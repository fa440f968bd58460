package ledger

import (
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// Swing is a stretch in which two levels take turns.
type Swing struct {
	overlap.Span
	Levels int     // how many
	BurstS float64 // length of bursts, or of dips, that come when they like; 0 if it is regular
}

// findSwing finds the longest run of levels that alternate between two rates.
func (d *History) findSwing() {
	best := 0
	for first := range d.Levels {
		last := first
		for last+1 < len(d.Levels) && d.alternate(first, last+1) {
			last++
		}
		if runs := last - first + 1; runs > best {
			best = runs
			d.Swing = d.swing(first, last)
		}
	}
}

// alternate reports whether the levels from first to last go back and forth between two rates.
func (d *History) alternate(first, last int) bool {
	low := [2]float64{math.Inf(1), math.Inf(1)}
	high := [2]float64{}
	for i := first; i <= last; i++ {
		l := d.Levels[i]
		if l.From != l.To {
			return false
		}
		side := (i - first) % 2
		low[side], high[side] = min(low[side], l.Rate), max(high[side], l.Rate)
	}
	if last == first {
		return true
	}
	gap := math.Log(max(low[0], low[1]) / min(high[0], high[1]))
	if gap <= 0 {
		return false
	}
	spread := max(math.Log(high[0]/low[0]), math.Log(high[1]/low[1]))
	return spread <= max(maxSideSpread, gap*maxSpreadOfGap)
}

// swing describes levels that alternate; nil if there are too few of them.
func (d *History) swing(first, last int) *Swing {
	if last-first+1 < minSwingLevels {
		return nil
	}
	t := &Swing{Span: d.Levels[first].Span, Levels: last - first + 1}
	t.EndNS = d.Levels[last].EndNS
	lowFirst := d.Levels[first].Rate < d.Levels[first+1].Rate
	var lows, periods []float64 // periods are from the beginning of one low level to the next
	var lowS float64
	previous := int64(-1)
	for i := first; i <= last; i++ {
		l := d.Levels[i]
		if ((i-first)%2 == 0) != lowFirst {
			continue
		}
		lowS += l.Seconds()
		stub := i == first || i == last && last < len(d.Levels)-1
		if !stub && l.Seconds() > 0 {
			lows = append(lows, l.Seconds())
		}
		if i > 0 {
			if previous >= 0 {
				periods = append(periods, seconds(l.StartNS-previous))
			}
			previous = l.StartNS
		}
	}
	periodS := 2 * t.Seconds() / float64(t.Levels)
	if len(periods) > 0 {
		periodS = stats.Median(periods)
	}
	bursts := maxBurstShare
	if t.Levels == minSwingLevels {
		bursts = maxDipShare // So few levels may alternate by chance.
	}
	off := 0
	for _, s := range periods {
		if math.Abs(s/periodS-1) > maxPeriodError {
			off++
		}
	}
	if 1-lowS/t.Seconds() < bursts || 3*off > len(periods) {
		low := 0.0
		if len(lows) > 0 {
			low = stats.Median(lows)
		}
		t.BurstS = max(min(low, periodS-low), 0)
	}
	return t
}

// Covers reports whether a moment lies within the swing or next to it.
func (t *Swing) Covers(ns int64) bool {
	return t != nil && t.StartNS-blurNS <= ns && ns <= t.EndNS+blurNS
}
