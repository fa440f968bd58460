package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Line is y = Intercept + Slope x.
type Line struct {
	Intercept float64
	Slope     float64
}

// OLS fits a line by ordinary least squares. It is false if fewer than two different x leave the slope open.
func OLS(x, y []float64) (Line, bool) {
	if !varies(x) {
		return Line{}, false
	}
	a, b := stat.LinearRegression(x, y, nil, false)
	return Line{a, b}, true
}

// maxPairs is the number of pairs up to which TheilSen looks at all of them: 447 points.
const maxPairs = 100_000

// TheilSen fits a line whose slope is the median of the slopes between all pairs of points with different x, and
// whose intercept is median(y) - Slope median(x) (Sen, "Estimates of the Regression Coefficient Based on Kendall's
// Tau", JASA 63, 1968; Conover's intercept, as in SciPy). Outliers among a third of the points do not move it far.
// Above maxPairs the median is over as many pairs drawn at random, an incomplete U-statistic (Blom, "Some Properties
// of Incomplete U-Statistics", Biometrika 63, 1976): its rank then errs by 0.16 % (one standard error), less than
// the points themselves put it off by unless there are more than 40,000. The draw is the same every time. It is false if
// no two x differ.
func TheilSen(x, y []float64) (Line, bool) {
	n := len(x)
	if !varies(x) {
		return Line{}, false
	}
	var slopes []float64
	add := func(i, j int) {
		if dx := x[j] - x[i]; dx != 0 {
			slopes = append(slopes, (y[j]-y[i])/dx)
		}
	}
	if n*(n-1)/2 <= maxPairs {
		slopes = make([]float64, 0, n*(n-1)/2)
		for i := range x {
			for j := i + 1; j < n; j++ {
				add(i, j)
			}
		}
	} else {
		slopes = make([]float64, 0, maxPairs)
		rnd := rand.New(rand.NewPCG(uint64(n), 0))
		for range maxPairs {
			i, j := rnd.IntN(n), rnd.IntN(n-1)
			if j >= i {
				j++
			}
			add(i, j)
		}
	}
	if len(slopes) == 0 { // nearly all x equal, and the draw missed the others
		return Line{}, false
	}
	slope := Median(slopes)
	return Line{Median(y) - slope*Median(x), slope}, true
}

// varies reports whether x has two different, finite values.
func varies(x []float64) bool {
	return slices.ContainsFunc(x, func(v float64) bool { return v != x[0] && !math.IsInf(v-x[0], 0) })
}

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
	rates, weights := make([]float64, 0, len(size)), make([]float64, 0, len(size))
	for i, t := range time {
		if t > cost && size[i] > 0 {
			rates, weights = append(rates, size[i]/(t-cost)), append(weights, (t-cost)/t)
		}
	}
	return WeightedMedian(rates, weights), len(rates) > 0
}

func costLoss(size, time []float64, line CostLine) float64 {
	var loss float64
	for i, t := range time {
		loss += math.Abs(math.Log(t / line.Time(size[i])))
	}
	return loss
}
