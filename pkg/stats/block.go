package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MinBlocks is the least number of values that differences are told from.
const MinBlocks = 8

// MaxBlocks is how many blocks of neighbours a sequence is cut into at most. More would hardly add to the power of a
// test, and hide slow waves from it (Schmeiser, "Batch Size Effects in the Analysis of Simulation Output", Operations
// Research 30, 1982).
const MaxBlocks = 30

// Estimate is a difference of means and how sure it is.
type Estimate struct {
	Mean  float64
	SE    float64 // standard error
	Free  float64 // degrees of freedom of SE
	Worth float64 // how many independent blocks those of the shorter sequence are worth
}

// Difference is the mean of b less the mean of a, both without the share cut at each end of their distributions (see
// TrimmedMean), and how sure it is where neighbours in a sequence go together. It is Welch's t ("The Generalization of
// 'Student's' Problem When Several Different Population Variances Are Involved", Biometrika 34, 1947) on the means of
// up to 30 blocks of neighbours.
//
// What the means of neighbouring blocks still have in common widens the error as in a first-order autoregression, as
// Skart does (Tafazzoli and Wilson, "Skart: A Skewness- and Autoregression-Adjusted Batch-Means Procedure for
// Simulation Analysis", IIE Transactions 43, 2011), and takes as large a part of the degrees of freedom. Their
// correlation is taken to be the same in both sequences, which halves the doubt about it, and is freed of its bias
// (Kendall, "Note on Bias in the Estimation of Autocorrelation", Biometrika 41, 1954). A trimmed mean's error is that
// of its influence function, which is linear in the winsorized values (Wilcox, "Introduction to Robust Estimation and
// Hypothesis Testing", section 3.3).
//
// It is false for fewer than MinBlocks values in either.
func Difference(a, b []float64, cut float64) (Estimate, bool) {
	if min(len(a), len(b)) < MinBlocks {
		return Estimate{}, false
	}
	before, after := cutBlocks(a, cut), cutBlocks(b, cut)
	factor := inflation(correlation(before, after))
	va, vb := before.variance(factor), after.variance(factor)
	d := Estimate{Mean: after.mean - before.mean, SE: math.Sqrt(va + vb), Worth: min(before.count(), after.count()) / factor}
	d.Free = before.free(factor) + after.free(factor)
	if va+vb > 0 {
		d.Free = (va + vb) * (va + vb) / (va*va/before.free(factor) + vb*vb/after.free(factor))
	}
	return d, true
}

// PairedDifference is the trimmed mean of b[i] - a[i]. It goes by the variation of these differences and otherwise
// works as Difference does; the correlation is that of the differences or of the sequences, whichever is larger.
func PairedDifference(a, b []float64, cut float64) (Estimate, bool) {
	if len(a) < MinBlocks {
		return Estimate{}, false
	}
	change := make([]float64, len(a))
	for i := range a {
		change[i] = b[i] - a[i]
	}
	blocks := cutBlocks(change, cut)
	factor := inflation(max(correlation(blocks), correlation(cutBlocks(a, cut), cutBlocks(b, cut))))
	return Estimate{
		Mean: blocks.mean, SE: math.Sqrt(blocks.variance(factor)), Free: blocks.free(factor), Worth: blocks.count() / factor,
	}, true
}

// blocks are the means of neighbours in a sequence.
type blocks struct {
	means []float64
	mean  float64 // the sequence's, trimmed
	kept  int     // values that trimming leaves
}

func cutBlocks(x []float64, cut float64) blocks {
	scores := trimmedScores(x, cut)
	n, k := len(x), min(len(x), MaxBlocks)
	b := blocks{means: make([]float64, k), mean: stat.Mean(scores, nil), kept: n - 2*int(cut*float64(n))}
	for i := range b.means {
		b.means[i] = stat.Mean(scores[i*n/k:(i+1)*n/k], nil)
	}
	return b
}

func (b blocks) count() float64 { return float64(len(b.means)) }

// variance is that of the sequence's mean, if it is factor times that of independent blocks. Blocks that go together
// also vary less about their own mean.
func (b blocks) variance(factor float64) float64 {
	k := b.count()
	return stat.Variance(b.means, nil) / k * factor * (k - 1) / (k - min(factor, k/2))
}

func (b blocks) free(factor float64) float64 { return (min(b.count(), float64(b.kept)) - 1) / factor }

// correlation is that of neighbouring blocks, in all sequences together, and a quarter of its standard error more: to
// guess too little costs more than to guess too much.
func correlation(sequences ...blocks) float64 {
	var together, all float64
	for _, s := range sequences {
		mean, k := stat.Mean(s.means, nil), s.count()
		var products, squares float64
		for i, v := range s.means {
			squares += (v - mean) * (v - mean)
			if i > 0 {
				products += (v - mean) * (s.means[i-1] - mean)
			}
		}
		together += (products + squares/k) / (1 - 4/k) // on average r comes out as r - (1 + 4 r)/k
		all += squares
	}
	if all == 0 {
		return 0
	}
	return together/all + 0.25/math.Sqrt(sequences[0].count())
}

// inflation is how much larger than that of independent blocks the variance of their mean is. Above a correlation of
// 0.9 the data say nothing more of it.
func inflation(correlation float64) float64 {
	r := min(max(correlation, 0), 0.9)
	return (1 + r) / (1 - r)
}

// trimmedScores are values whose mean is the trimmed mean of x, and whose spread is that of its influence function.
func trimmedScores(x []float64, cut float64) []float64 {
	n := len(x)
	k := int(cut * float64(n))
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	low, high := sorted[k], sorted[n-1-k]
	scores := make([]float64, n)
	for i, v := range x {
		scores[i] = min(max(v, low), high)
	}
	winsorized := stat.Mean(scores, nil)
	trimmed := stat.Mean(sorted[k:n-k], nil)
	for i, v := range scores {
		scores[i] = trimmed + (v-winsorized)/(1-2*float64(k)/float64(n))
	}
	return scores
}

// P is the chance of a mean at least as far from zero where the truth is zero, by Student's t.
func (e Estimate) P() float64 {
	if e.SE == 0 {
		if e.Mean == 0 {
			return 1
		}
		return 0
	}
	return 2 * distuv.StudentsT{Sigma: 1, Nu: e.Free}.Survival(math.Abs(e.Mean)/e.SE)
}

// Interval is the 95 % confidence interval of the mean.
func (e Estimate) Interval() Interval {
	half := distuv.StudentsT{Sigma: 1, Nu: e.Free}.Quantile(0.975) * e.SE
	return Interval{e.Mean - half, e.Mean + half}
}

// Holm corrects the probabilities of several tests for their number: where only those with a corrected p of up to
// 0.05 are believed, the chance that any of them is wrong is at most 0.05, however the tests go together (Holm, "A
// Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979).
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		corrected[i] = least
	}
	return corrected
}
