package ledger

import (
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// How a change of level is distinguished from the scatter of single files.
const (
	// Files on either side, unless the change lies inside one: of ten that could come in any order, one order in 252 has
	// the five slowest first. A throttled disk may have moved fewer, and is judged by how long it stayed low as well.
	MinFiles    = 5
	MaxOfOne    = 0.35          // of the time on either side: one file may take no more
	insideNS    = 1_000_000_000 // a change inside a file is seen for that long on either side; less if it is large
	quickNS     = 100_000_000   // the noise within files is that from one such time to the next
	insideSDs   = 6             // standard deviations of it that a change inside a file must be
	minInsideNS = 200_000_000
	rankApart   = 0.75  // the fastest file of the slower stretch has at most this part of the rate of the other's slowest
	rankChance  = 0.005 // the chance of such an order at most
	maxSampled  = 500   // files at most that the noise is judged by: some of very many will do
	sameChange  = 0.5   // of the change between the levels that must show inside the file
)

// ShowsInFiles reports whether a change from one stretch to a later one shows in several files on either side,
// inside one file, or in that all files on one side are slower than all on the other: file times have heavy tails,
// and the rate of one or two files is no level.
func (p *Disk) ShowsInFiles(before, after overlap.Span) bool {
	return p.RestsOnFiles(before, MinFiles, MaxOfOne) && p.RestsOnFiles(after, MinFiles, MaxOfOne) ||
		p.showsInsideFile(before, after) || p.RanksApart(before, after)
}

// RestsOnFiles reports whether a stretch holds at least that many files, none of which takes more than a share of it.
func (p *Disk) RestsOnFiles(v overlap.Span, minFiles int, maxShare float64) bool {
	n, longest := 0, int64(0)
	for i := range p.Trace.Files {
		if f := &p.Trace.Files[i]; f.Usable() && f.StartNS < v.EndNS && f.EndNS > v.StartNS {
			n++
			longest = max(longest, min(f.EndNS, v.EndNS)-max(f.StartNS, v.StartNS))
		}
	}
	return n >= minFiles && float64(longest) <= maxShare*float64(v.EndNS-v.StartNS)
}

// quickNoise is the robust spread of how the rate within the disk's files changes from one tenth of a second to the
// next, as a logarithm.
func (p *Disk) quickNoise() float64 {
	if p.quick > 0 {
		return p.quick
	}
	var steps []float64
	for i := range p.Trace.Files {
		f := &p.Trace.Files[i]
		n := int((f.EndNS - f.StartNS) / quickNS)
		if len(f.Samples()) < n || n < 2 {
			continue
		}
		rates := p.Curve.Rates([]overlap.Span{{StartNS: f.StartNS, EndNS: f.StartNS + int64(n)*quickNS}}, n)
		for k := 1; k < n; k++ {
			if rates[k] > 0 && rates[k-1] > 0 {
				steps = append(steps, math.Abs(math.Log(rates[k]/rates[k-1])))
			}
		}
		if len(steps) > maxSampled {
			break
		}
	}
	p.quick = 1 // unknown: the full time is asked for
	if len(steps) >= MinFiles {
		p.quick = max(minNoise, stats.NormalMAD/math.Sqrt2*stats.Median(steps))
	}
	return p.quick
}

// showsInsideFile looks for a file in transfer at the change, whose own rate changes by half as much or more. The
// larger the change, the less of the file it takes on either side.
func (p *Disk) showsInsideFile(before, after overlap.Span) bool {
	from, to := before.EndNS, after.StartNS
	change := math.Log(p.RateIn(after) / p.RateIn(before))
	needNS := int64(min(insideNS, max(minInsideNS, float64(quickNS)*square(insideSDs*p.quickNoise()/change))))
	for i := range p.Trace.Files {
		f := &p.Trace.Files[i]
		if len(f.Samples()) == 0 || f.StartNS > from-needNS || f.EndNS < to+needNS {
			continue
		}
		inside := math.Log(p.RateIn(overlap.Span{StartNS: to, EndNS: min(f.EndNS, after.EndNS)}) /
			p.RateIn(overlap.Span{StartNS: max(f.StartNS, before.StartNS), EndNS: from}))
		return inside/change >= sameChange
	}
	return false
}

// RanksApart reports whether all files of one stretch are clearly slower than all of the other, and there are so
// many of them that chance would hardly put them in that order: of n and k files that could come in any, one in
// (n+k)!/(n! k!) is so (the exact rank test of Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics
// Bulletin 1, 1945, at its extreme).
func (p *Disk) RanksApart(before, after overlap.Span) bool {
	n, slowest, fastest := p.fileRates(before)
	k, low, high := p.fileRates(after)
	if n == 0 || k == 0 || high > rankApart*slowest && low < fastest/rankApart {
		return false
	}
	return logOrders(n, k) >= math.Log(1/rankChance)
}

// logOrders is the logarithm of in how many orders n and k things can come: (n+k)!/(n! k!).
func logOrders(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return lg(n+k) - lg(n) - lg(k)
}

// fileRates counts the files of a stretch, and gives the lowest and the highest of their rates in it.
func (p *Disk) fileRates(v overlap.Span) (n int, low, high float64) {
	low = math.Inf(1)
	for i := range p.Trace.Files {
		f := &p.Trace.Files[i]
		in := overlap.Of(f).Within(v)
		if f.Usable() && in.EndNS-in.StartNS >= minInsideNS {
			r := p.RateIn(in)
			n, low, high = n+1, min(low, r), max(high, r)
		}
	}
	return n, low, high
}
