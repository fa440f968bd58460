package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// How a recovery is looked for.
const (
	binNS       = 100_000_000 // rates are compared in bins of 0.1 s
	minGain     = 1.1         // a rise of less than a tenth is no recovery
	minHoldBins = 5           // the new level must hold for half a second to be one
)

// recoveries looks, after every disk that ends while others go on, for what the others gained and when.
func (p *phase) recoveries() {
	for i, s := range p.stages {
		if i == 0 {
			continue
		}
		before := p.stages[i-1]
		if before.EndNS != s.StartNS {
			continue
		}
		for _, ended := range before.Active {
			part := &p.parts[ended]
			if part.active[len(part.active)-1].EndNS != s.StartNS {
				continue
			}
			for _, other := range s.Active {
				if slices.Contains(before.Active, other) {
					p.recovery(&p.parts[other], part.trace.Name, before, s)
				}
			}
		}
	}
}

// recovery compares a disk's rate before another ended with its rate after, until the next disk starts or ends.
func (p *phase) recovery(part *part, after string, before, stage overlap.Stage) {
	from := float64(part.curve.Between(before.Interval).Bytes) / before.Seconds()
	rates := binRates(part.curve, stage.Interval)
	if len(rates) < 2*minHoldBins {
		return
	}
	split, level := bestSplit(rates)
	if level < from*minGain {
		return
	}
	r := Recovery{
		Disk: part.trace.Name, Op: part.trace.Op, After: after,
		AtS: seconds(stage.StartNS), FromRate: from, ToRate: number(level),
	}
	if len(rates)-split < minHoldBins {
		r.Reason = "the rate was still rising when the trace, or this mix of disks, ended"
	} else {
		r.LagS = number(float64(split) * seconds(binNS))
	}
	p.out.Recoveries = append(p.out.Recoveries, r)
}

// binRates are a disk's rates in the whole bins that fit into v.
func binRates(c *overlap.Curve, v overlap.Interval) []float64 {
	var rates []float64
	done := c.At(v.StartNS)
	for ns := v.StartNS + binNS; ns <= v.EndNS; ns += binNS {
		now := c.At(ns)
		rates = append(rates, float64(now-done)/seconds(binNS))
		done = now
	}
	return rates
}

// bestSplit finds where two levels fit the rates best, by least squares, and the second level. It is 0 where the
// whole holds one level.
func bestSplit(rates []float64) (split int, level float64) {
	var sum float64
	for _, r := range rates {
		sum += r
	}
	n := float64(len(rates))
	best, left := 0.0, 0.0
	level = sum / n
	for i := 1; i < len(rates); i++ {
		left += rates[i-1]
		k := float64(i)
		low, high := left/k, (sum-left)/(n-k)
		if gain := (high - low) * (high - low) * k * (n - k) / n; high > low*minGain && gain > best {
			best, split, level = gain, i, high
		}
	}
	return split, level
}
