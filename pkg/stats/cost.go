package stats

import (
	"cmp"
	"math"
	"slices"
)

// CostLine is time = Cost + size / Rate: what a file takes whatever its size, and what each byte adds.
type CostLine struct {
	Cost float64
	Rate float64
}

// Time is what a file of a size takes.
func (l CostLine) Time(size float64) float64 { return l.Cost + size/l.Rate }

// costSteps is how finely costs are tried: between neighbours lies a fifth, then a fiftieth.
const costSteps = 40

// FitCost fits a fixed cost, never negative, and a rate to times whose errors go with their size: it minimises the sum
// of |log time - log(Cost + size/Rate)|, least absolute deviations, which outliers among half the points do not move
// far (Bloomfield and Steiger, "Least Absolute Deviations", 1983). The cost is searched; given it, the rate is the
// median of size / (time - Cost), each point weighted by the part of its time that depends on the rate. A cost must
// earn its place by the Schwarz criterion. It is false for an empty sample.
func FitCost(size, time []float64) (CostLine, bool) {
	lines, ok := fitCosts(size, time, len(size))
	return lines[0], ok
}

// FitCostStep is FitCost for points in order of size, with one rate for those before cut and another from there on.
func FitCostStep(size, time []float64, cut int) (below, above CostLine, ok bool) {
	lines, ok := fitCosts(size, time, cut)
	return lines[0], lines[1], ok
}

func fitCosts(size, time []float64, cut int) (best [2]CostLine, ok bool) {
	if len(size) == 0 {
		return best, false
	}
	n, lowest := float64(len(size)), math.Inf(1)
	try := func(cost float64) {
		below, first := rateAbove(size[:cut], time[:cut], cost)
		above, second := below, true
		if cut < len(size) {
			above, second = rateAbove(size[cut:], time[cut:], cost)
		}
		if !first || !second {
			return
		}
		lines := [2]CostLine{{cost, below}, {cost, above}}
		loss := costLoss(size[:cut], time[:cut], lines[0]) + costLoss(size[cut:], time[cut:], lines[1])
		if cost == 0 {
			loss *= math.Exp(-0.5 * math.Log(n) / n)
		}
		if loss < lowest*(1-1e-9) {
			lowest, best = loss, lines
		}
	}
	try(0)
	top := Median(time)
	for range costSteps {
		try(top)
		top /= 1.25
	}
	if around := best[0].Cost; around > 0 {
		for k := -8; k <= 8; k++ {
			try(around * (1 + float64(k)/40))
		}
	}
	best[0].Rate = refined(size[:cut], time[:cut], best[0])
	best[1].Rate = refined(size[cut:], time[cut:], best[1])
	return best, !math.IsInf(lowest, 1)
}

// refined is the line's rate after one step towards the mean of the points' logarithms, those beyond 1.5 deviations
// winsorized: it varies less than a median, and is moved as little by outliers (Huber, "Robust Statistics", 1981).
func refined(size, time []float64, line CostLine) float64 {
	off, part := make([]float64, len(size)), make([]float64, len(size))
	for i, t := range time {
		fitted := line.Time(size[i])
		off[i], part[i] = math.Log(t/fitted), 1-line.Cost/fitted
	}
	distance := make([]float64, len(off))
	for i, v := range off {
		distance[i] = math.Abs(v)
	}
	far := 1.5 * NormalMAD * Median(distance)
	var sum, weight float64
	for i, v := range off {
		sum += part[i] * min(max(v, -far), far)
		weight += part[i] * part[i]
	}
	if weight == 0 {
		return line.Rate
	}
	return line.Rate * math.Exp(-sum/weight)
}

// rateAbove is the weighted median of the rates that the points have once the cost is taken out.
func rateAbove(size, time []float64, cost float64) (rate float64, ok bool) {
	type point struct{ rate, weight float64 }
	points := make([]point, 0, len(size))
	var total float64
	for i, t := range time {
		if t > cost && size[i] > 0 {
			w := (t - cost) / t
			points = append(points, point{size[i] / (t - cost), w})
			total += w
		}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.rate, b.rate) })
	var sum float64
	for _, p := range points {
		if sum += p.weight; sum >= total/2 {
			return p.rate, true
		}
	}
	return 0, false
}

func costLoss(size, time []float64, line CostLine) float64 {
	var loss float64
	for i, t := range time {
		loss += math.Abs(math.Log(t / line.Time(size[i])))
	}
	return loss
}
