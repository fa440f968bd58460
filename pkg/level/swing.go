package level

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// What makes two alternating levels a swing.
const (
	swingRuns      = 4             // levels at least, one after another: three changes
	shortRuns      = 7             // levels at least, if those of one side are shorter than levelNS
	shortRatio     = 0.7           // and then the lower rate is at most this part of the higher one: bursts are smaller
	swingRatio     = 0.85          // otherwise the lower rate is at most this part of the higher one
	swingSpread    = 0.15          // relative: levels of one side differ by no more
	swingShare     = 0.22          // of the time at least is spent at the rarer level: bursts, which are noise, take less
	swingCover     = 0.6           // of the time from the disk's start to its end, at least, is swing
	minSwingS      = 1.8           // the median level of either side lasts at least this long; bursts are shorter
	swingWithin    = 4             // the gap between the rates is at least this many times the spread within the levels
	swingJump      = 0.6           // of that gap lies between the seconds about a change: waves rise more slowly
	swingJumps     = 0.8           // of the changes at least must jump so
	swingShown     = 0.6           // of the changes at least must be more than the scatter of files (see ShowsInFiles)
	jumpNS         = 1_000_000_000 // the second in which a jump is looked for
	maxSwingStarts = 40            // levels at which a swing is tried to begin: bounds the search in traces of very many
	swingPieces    = 1000          // at most: more would take long, and levels that last show in fewer
	swingBatch     = 10            // pieces of pieceNS, so a second: noise is judged over that long
	besideNS       = 500_000_000   // a change this close to a swing is of it
	minDriftS      = 15            // a drift lasts at least this long
	minDrift       = 0.15          // of the rate: a drift adds up to at least this much
)

// Swing is a stretch in which a disk goes back and forth between two rates.
type Swing struct {
	overlap.Span
	Low, High float64
	LowShare  float64 // of the time, at the lower rate
	Runs      int     // levels, of which the disk went through all in turn
}

// findSwing looks for two alternating levels over most of the disk's time: the stretch of most levels that
// alternate between two rates; nil if there are none. It has levels of its own: over long batches, as the usual
// ones are judged, regular changes look like noise.
func (p *Disk) findSwing(alpha float64) *Swing {
	levels := p.Plateaus(p.levelsBy(swingBatch), swingSpread)
	var best *Swing
	for first := 0; first+swingRuns <= len(levels) && first < maxSwingStarts; first++ {
		for last := len(levels) - 1; last >= first+swingRuns-1; last-- {
			if s := p.alternates(levels[first:last+1], alpha); s != nil {
				if s.extend(levels, first, last); best == nil || s.Runs > best.Runs {
					best = s
				}
				break
			}
		}
	}
	if best == nil || best.Seconds() < swingCover*seconds(p.EndNS()-p.StartNS()) ||
		min(best.LowShare, 1-best.LowShare) < swingShare {
		return nil
	}
	return best
}

// alternates is the swing that the levels make up. It is nil if they do not alternate, if the levels of one side
// differ too much among themselves, or if the rate does not jump from one side to the other. Whether the sides
// differ is decided by Student's t test on the logarithms of the levels' rates.
func (p *Disk) alternates(levels []Level, alpha float64) *Swing {
	type side struct {
		logs, lengths []float64
		bytes, time   float64
	}
	var sides [2]side // the even and the odd levels
	for i, l := range levels {
		if i > 1 && (l.Rate > levels[i-1].Rate) == (levels[i-1].Rate > levels[i-2].Rate) {
			return nil
		}
		s, time := &sides[i%2], p.activeS(l)
		s.logs, s.lengths = append(s.logs, math.Log(max(l.Rate, 1))), append(s.lengths, l.Seconds())
		s.bytes, s.time = s.bytes+l.Rate*time, s.time+time
	}
	a, b := &sides[0], &sides[1]
	even, odd := stats.Summarize(a.logs), stats.Summarize(b.logs)
	n, k, free := float64(len(a.logs)), float64(len(b.logs)), float64(len(levels)-2)
	gap := math.Abs(even.Mean - odd.Mean)
	sd := math.Sqrt((square(even.SD)*(n-1) + square(odd.SD)*(k-1)) / max(1, free))
	t := gap / max(sd, minNoise) / math.Sqrt(1/n+1/k)
	spread := func(s *side) float64 { return slices.Max(s.logs) - slices.Min(s.logs) }
	shorter := min(stats.Median(a.lengths), stats.Median(b.lengths))
	switch {
	case gap < -math.Log(swingRatio) || 2*stats.StudentTail(t, free) > alpha:
		return nil
	case min(a.time, b.time)/(a.time+b.time) < swingShare || gap < swingWithin*p.spreadWithin(levels):
		return nil
	case max(spread(a), spread(b)) > max(swingSpread, gap/3) || shorter < minSwingS:
		return nil
	case shorter < seconds(MinNS) && (len(levels) < shortRuns || gap < -math.Log(shortRatio)):
		return nil
	}
	jumps, shown := 0.0, 0.0
	for i, l := range levels[1:] {
		if p.ShowsInFiles(levels[i].Span, l.Span, MinFiles, MaxOfOne) {
			shown++
		}
		before := p.RateIn(overlap.Span{StartNS: l.StartNS - jumpNS, EndNS: l.StartNS})
		after := p.RateIn(overlap.Span{StartNS: l.StartNS, EndNS: l.StartNS + jumpNS})
		jump := math.Log(max(after, 1) / max(before, 1))
		if math.Abs(jump) >= swingJump*gap && (jump > 0) == (l.Rate > levels[i].Rate) {
			jumps++
		}
	}
	if changes := float64(len(levels) - 1); jumps < swingJumps*changes || shown < max(swingRuns-1, swingShown*changes) {
		return nil
	}
	s := &Swing{Span: levels[0].Span, Runs: len(levels)}
	s.EndNS = levels[len(levels)-1].EndNS
	s.Low, s.High, s.LowShare = a.bytes/a.time, b.bytes/b.time, a.time/(a.time+b.time)
	if s.Low > s.High {
		s.Low, s.High, s.LowShare = s.High, s.Low, 1-s.LowShare
	}
	return s
}

// extend adds the levels before and after the swing that lie close to either of its rates: noise blurs single changes.
func (s *Swing) extend(levels []Level, first, last int) {
	near := func(l Level) bool {
		off := min(math.Abs(math.Log(max(l.Rate, 1)/s.Low)), math.Abs(math.Log(max(l.Rate, 1)/s.High)))
		return off <= max(swingSpread, math.Log(s.High/s.Low)/3)
	}
	for first > 0 && near(levels[first-1]) {
		first--
	}
	for last < len(levels)-1 && near(levels[last+1]) {
		last++
	}
	s.StartNS, s.EndNS = levels[first].StartNS, levels[last].EndNS
	var low, all float64
	for _, l := range levels[first : last+1] {
		if all += l.Seconds(); l.Rate < math.Sqrt(s.Low*s.High) {
			low += l.Seconds()
		}
	}
	s.LowShare = low / all
}

// spreadWithin is the standard deviation of the logarithm of the rate over half a second, within the levels.
func (p *Disk) spreadWithin(levels []Level) float64 {
	const binS = 0.5
	var squares, free float64
	for _, l := range levels {
		n := int(l.Seconds() / binS)
		if n < 2 {
			continue
		}
		var logs []float64
		for _, r := range p.Curve.Rates([]overlap.Span{l.Span}, n) {
			logs = append(logs, math.Log(max(r, 0.05*l.Rate)))
		}
		squares, free = squares+square(stats.Summarize(logs).SD)*float64(n-1), free+float64(n-1)
	}
	return math.Sqrt(squares / max(free, 1))
}

func square(x float64) float64 { return x * x }

// Drift is a stretch in which a rate changes little by little.
type Drift struct {
	overlap.Span
	From, To float64
}

// FindDrift fits a line to the logarithm of the rate over v, in which no other disk starts or ends. It is nil if
// the slope adds up to less than minDrift, if noise could make it, or if steps fit better.
func (p *Disk) FindDrift(v overlap.Span, alpha float64) *Drift {
	s := p.series
	from, to := s.bin(v.StartNS), s.bin(v.EndNS)
	n := to - from
	if v.Seconds() < minDriftS || n < minDriftS {
		return nil
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	fitted, _ := stats.OLS(x, s.log[from:to])
	change := fitted.Slope * float64(n-1)
	if math.Abs(change) < -math.Log(1-minDrift) {
		return nil
	}
	left := make([]float64, n)
	var line float64
	for i := range left {
		left[i] = s.log[from+i] - fitted.Intercept - fitted.Slope*x[i]
		line += square(left[i])
	}
	noise := stats.EstimateNoise([][]float64{left})
	noise.Nugget = max(noise.Nugget, minNoise*minNoise)
	if z := math.Abs(change) / math.Sqrt(12*noise.MeanVariance(n)); 2*stats.StudentTail(z, freeOf(n, noise)) > alpha {
		return nil
	}
	// The line is held against the levels by the criterion of Schwarz ("Estimating the Dimension of a Model", Annals of
	// Statistics 6, 1978), with as many values as are independent of their neighbours.
	var steps float64
	levels := 0
	for _, l := range p.Solid {
		a, b := max(from, s.bin(l.StartNS)), min(to, s.bin(l.EndNS))
		if b <= a {
			continue
		}
		levels++
		m := s.mean(a, b)
		for i := a; i < b; i++ {
			steps += square(s.log[i] - m)
		}
	}
	free := freeOf(n, noise) + 1
	bic := func(sum float64, parameters int) float64 {
		return free*math.Log(sum) + float64(parameters)*math.Log(free)
	}
	if bic(line, 2) >= bic(steps, 2*levels-1) {
		return nil
	}
	return &Drift{v, math.Exp(fitted.Intercept), math.Exp(fitted.Intercept + change)}
}

// Holds reports whether a moment lies within the swing or next to it.
func (s *Swing) Holds(ns int64) bool {
	return s != nil && s.StartNS-besideNS <= ns && ns <= s.EndNS+besideNS
}

// Holds reports whether a moment lies within the drift.
func (d *Drift) Holds(ns int64) bool { return d != nil && d.StartNS < ns && ns < d.EndNS }
