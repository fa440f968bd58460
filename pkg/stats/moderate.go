package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// Prior is what many variances have in common: each is drawn around Variance, as surely as if
// DegreesOfFreedom measurements had shown it. They are infinite, and Variance is that of all
// together, if the variances differ by no more than chance makes them.
type Prior struct {
	Variance         float64
	DegreesOfFreedom float64
	// pooled is the degrees of freedom of all variances together, which no posterior exceeds.
	pooled float64
}

// minVariance is the share of the median below which a variance counts as no smaller, as limma has
// it: one of zero has no logarithm.
const minVariance = 1e-5

// Moderate estimates the prior of variances, each with its own degrees of freedom (Smyth, "Linear
// Models and Empirical Bayes Methods for Assessing Differential Expression in Microarray
// Experiments", Statistical Applications in Genetics and Molecular Biology 3, 2004, section 6.2;
// limma's eBayes): the mean and the variance of their logarithms are set equal to what they are if
// the prior is an inverse chi-squared distribution. There must be one variance.
func Moderate(variances, free []float64) Prior {
	least := minVariance * Median(variances)
	logs := make([]float64, len(variances))
	ofChance := 0.0 // the variance of the logarithms if all variances are one
	pooled := floats.Sum(free)
	for i, variance := range variances {
		half := free[i] / 2
		logs[i] = math.Log(max(variance, least)) - mathext.Digamma(half) + math.Log(half)
		ofChance += trigamma(half) / float64(len(variances))
	}
	mean, between := stat.MeanVariance(logs, nil)
	if !(between > ofChance) {
		return Prior{floats.Dot(variances, free) / pooled, math.Inf(1), pooled}
	}
	half := inverseTrigamma(between - ofChance)
	return Prior{math.Exp(mean + mathext.Digamma(half) - math.Log(half)), 2 * half, pooled}
}

// Posterior returns a variance under the prior, and its degrees of freedom (Smyth 2004, section 3;
// limma bounds them by those of all variances).
func (p Prior) Posterior(variance, free float64) (moderated, total float64) {
	if math.IsInf(p.DegreesOfFreedom, 1) {
		return p.Variance, p.pooled
	}
	total = p.DegreesOfFreedom + free
	return (p.DegreesOfFreedom*p.Variance + free*variance) / total, min(total, p.pooled)
}

func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// inverseTrigamma solves trigamma(x) = y by Newton's method on its inverse, which is nearly a line
// and convex, so that it converges from the start of Smyth's appendix.
func inverseTrigamma(y float64) float64 {
	x := 0.5 + 1/y
	for range 50 {
		value := trigamma(x)
		// The slope of trigamma is -2 ζ(3, x).
		step := value * (1 - value/y) / (-2 * mathext.Zeta(3, x))
		x += step
		if math.Abs(step) < 1e-10*x {
			break
		}
	}
	return x
}
