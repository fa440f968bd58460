// Package stats turns samples into numbers with their spread and uncertainty. It knows nothing of
// disks or traces. Every method names its source. What a sample is too small or too flat to give is
// NaN or a false "ok", never a guess; NaN in the input is the caller's mistake.
//
// Start at Summarize for one sample, OLS, TheilSen and FitCost for pairs, Segments for changes
// along a sequence, MeanOf for the error of a time series' mean, Flow for a rate whose items are
// known. testdata holds what NumPy, SciPy and others say of the same samples.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary describes a sample. All is NaN if that is empty, SD and CV if it has one value.
type Summary struct {
	Mean      float64
	Median    float64
	Trimmed20 float64 // Trimmed20 is the mean without the lowest and the highest fifth.
	SD        float64 // SD is the standard deviation, with n-1.
	CV        float64 // CV is SD / Mean.
	P05       float64 // P05 is the 5th percentile.
	P95       float64
}

// Summarize describes x, which it leaves as it is.
func Summarize(x []float64) Summary {
	if len(x) == 0 {
		nan := math.NaN()
		return Summary{nan, nan, nan, nan, nan, nan, nan}
	}
	const low, high, trim = 0.05, 0.95, 0.2
	// Only the ranks that are asked for are put in their places, as a sort of all takes several
	// times as long.
	sorted := slices.Clone(x)
	last := len(x) - 1
	cut := int(trim * float64(len(x)))
	ranks := []int{cut, last - cut}
	for _, p := range []float64{low, 0.5, high} {
		rank := int(p * float64(last))
		ranks = append(ranks, rank, min(rank+1, last))
	}
	slices.Sort(ranks)
	from := 0
	for _, rank := range ranks {
		if rank >= from {
			order(sorted[from:], rank-from)
			from = rank + 1
		}
	}
	mean, sd := stat.MeanStdDev(x, nil)
	return Summary{
		Mean:      mean,
		Median:    Quantile(sorted, 0.5),
		Trimmed20: trimmedMean(sorted, trim),
		SD:        sd,
		CV:        sd / mean,
		P05:       Quantile(sorted, low),
		P95:       Quantile(sorted, high),
	}
}

// Quantile returns the p-quantile of an ascending sample, interpolated linearly between order
// statistics at 1 + (n-1)p: type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages",
// The American Statistician 50 (1996), the default of R and NumPy. NaN for an empty sample.
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	h := p * float64(len(sorted)-1)
	i := min(max(int(h), 0), len(sorted)-1)
	if i == len(sorted)-1 {
		return sorted[i]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// Median returns the median of x, NaN if x is empty. It takes time in proportion to len(x).
func Median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	x = slices.Clone(x)
	order(x, n/2)
	if n%2 == 1 {
		return x[n/2]
	}
	below := slices.Max(x[:n/2])
	return below + 0.5*(x[n/2]-below)
}

// order moves the k-th smallest value to x[k], no larger ones before and no smaller ones after it
// (Hoare, "Algorithm 65: Find", Communications of the ACM 4, 1961).
func order(x []float64, k int) {
	for low, high := 0, len(x)-1; low < high; {
		// The median of three as a pivot serves sorted input as well as any.
		pivot := max(min(x[low], x[high]), min(max(x[low], x[high]), x[low+(high-low)/2]))
		i, j := low, high
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for pivot < x[j] {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return
		}
	}
}

// Mean returns the arithmetic mean, NaN for nothing.
func Mean(x []float64) float64 { return stat.Mean(x, nil) }

// trimmedMean returns the mean of an ascending sample without the share cut, below 0.5, at each end
// (Wilcox, "Introduction to Robust Estimation and Hypothesis Testing", section 3.3). The number cut
// is rounded down.
func trimmedMean(sorted []float64, cut float64) float64 {
	k := int(cut * float64(len(sorted)))
	return stat.Mean(sorted[k:len(sorted)-k], nil)
}

// Jain returns Jain's fairness index of the shares x: 1 if all are equal, 1/n if one has everything
// (Jain, Chiu and Hawe, "A Quantitative Measure of Fairness and Discrimination for Resource
// Allocation", DEC-TR-301, 1984). NaN if there is nothing to share.
func Jain(x []float64) float64 {
	sum := floats.Sum(x)
	return sum * sum / (float64(len(x)) * floats.Dot(x, x))
}

// NormalMAD is what the median distance of a normal distribution's values from their median must be
// multiplied by to get their standard deviation (Hampel, "The Influence Curve and Its Role in
// Robust Estimation", JASA 69, 1974).
const NormalMAD = 1.4826

// Order lists the indices of x so that their values ascend; equal ones stay in their order.
func Order(x []float64) []int {
	order := make([]int, len(x))
	floats.ArgsortStable(slices.Clone(x), order)
	return order
}

// ranks returns the ranks of x from 1 up, ties sharing their mean rank.
func ranks(x []float64) []float64 {
	order := Order(x)
	ranks := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return ranks
}

// Correlation returns Pearson's of x and y.
func Correlation(x, y []float64) float64 { return stat.Correlation(x, y, nil) }

// Spearman returns Spearman's rank correlation of x and y (American Journal of Psychology 15,
// 1904). NaN if either does not vary.
func Spearman(x, y []float64) float64 {
	return stat.Correlation(ranks(x), ranks(y), nil)
}

// NormalScores returns what a normal sample has on average in place of the values of these ranks,
// by Blom's approximation ("Statistical Estimates and Transformed Beta Variables", 1958): they keep
// a sample's order and drop its tails.
func NormalScores(x []float64) []float64 {
	scores := ranks(x)
	for i, r := range scores {
		scores[i] = distuv.UnitNormal.Quantile((r - 0.375) / (float64(len(x)) + 0.25))
	}
	return scores
}
