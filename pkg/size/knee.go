package size

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// These thresholds were tuned on the classes of noise of package tracetest that are marked for it,
// and on clocks that are off by 0.7 to 3 ms.
const (
	// MinFiles is how many files it takes on either side of a knee, and in a fit.
	MinFiles = 5
	// minSide is the share of the files that it takes on either side of a knee.
	minSide = 0.05
	// kneeP is the chance at which a knee is claimed anywhere in a run without one.
	kneeP = 0.005
	// minKnee is the relative change of the rate below which a knee is of no interest.
	minKnee = 0.12
	// minKneeS is how long files of a size must take, or their rates show a clock's errors and not
	// what size does.
	minKneeS = 0.03
	// sorted is the rank correlation of size with order above which time and size cannot be
	// separated.
	sorted = 0.7
)

// Knee is a file size at which the rate changes. The rates are those of the bytes: the fixed cost
// of a file is taken out.
type Knee struct {
	AtBytes   float64 `json:"at_bytes"`
	BelowRate float64 `json:"below_rate"`
	AboveRate float64 `json:"above_rate"`
	P         float64 `json:"p"` // P is the chance of a step as clear if there is none.
}

// Ordered reports whether the files came in order of size, so that size and time cannot be
// separated.
func Ordered(files []Transfer) bool {
	sizes, _ := sizesAndTimes(thinned(files))
	order := make([]float64, len(sizes))
	for i := range order {
		order[i] = float64(i)
	}
	return math.Abs(stats.Spearman(sizes, order)) > sorted
}

// FindKnee looks for one file size at which the rate changes by a step, once the fixed cost of a
// file is taken out. Comparisons is how many disks and phases are asked. It returns nil if there is
// none.
func FindKnee(files []Transfer, comparisons int) *Knee {
	files = thinned(files)
	if alike(files) {
		return nil
	}
	smaller := files
	var sizes, rates []float64
	var cut int
	var p float64
	// A step blurs the cost that is fitted across it, so the second pass fits it to the smaller
	// files alone. Both must show a step, for the cost of few files may be far off.
	for range 2 {
		line, _ := stats.FitCost(sizesAndTimes(smaller))
		kept, inTime := ratesWithoutCost(files, line, minKneeS)
		slices.SortStableFunc(kept, bySize)
		_, rates = ratesWithoutCost(kept, line, minKneeS)
		sizes, _ = sizesAndTimes(kept)
		if cut, p = knee(sizes, rates, stats.Memory(inTime)); p*float64(comparisons) > kneeP {
			return nil
		}
		smaller = kept[:cut]
	}
	below := stats.Summarize(rates[:cut]).Trimmed20
	above := stats.Summarize(rates[cut:]).Trimmed20
	if math.Abs(above-below) < math.Log(1+minKnee) {
		return nil
	}
	return &Knee{
		AtBytes:   (sizes[cut-1] + sizes[cut]) / 2,
		BelowRate: math.Exp(below),
		AboveRate: math.Exp(above),
		P:         p,
	}
}

// knee finds the place along ascending sizes where a step explains most of the values, and the
// chance of a step as clear anywhere in values without one, of which memory are worth one. The
// values' ranks count, so that no outlier makes a step. The chance is 1 if a line over the
// logarithm of size explains as much as the step.
func knee(sizes, values []float64, memory float64) (cut int, p float64) {
	n := len(sizes)
	side := max(MinFiles, int(minSide*float64(n)))
	scores := stats.NormalScores(values)
	cut = stats.Split(scores, side)
	for cut > 0 && cut < n && sizes[cut] == sizes[cut-1] {
		cut++ // Files of one size belong together.
	}
	if cut == 0 || cut > n-side {
		return 0, 1
	}
	logs := make([]float64, n)
	for i, s := range sizes {
		logs[i] = math.Log(s)
	}
	byLine := stats.Correlation(logs, scores)
	left := stats.SplitCost(scores, cut) / stats.SplitCost(scores, 0) // left is a share.
	if !(1-left > byLine*byLine) {
		return 0, 1
	}
	free := max(1, float64(n)/memory-2)
	left = max(left, 1e-9) // More than nothing, also if a step explains all.
	t := math.Sqrt((1 - left) / left * free)
	return cut, min(1, 2*stats.StudentTail(t, free)*float64(n-2*side+1))
}

func sizesAndTimes(files []Transfer) (sizes, times []float64) {
	sizes, times = make([]float64, len(files)), make([]float64, len(files))
	for i := range files {
		sizes[i], times[i] = float64(files[i].Bytes), secondsOf(&files[i])
	}
	return sizes, times
}

// Fits are the rate and the latency of a line of time against size: the slope is a rate's inverse,
// the intercept the latency. Nil if the times do not grow with size.
type Fits struct {
	OLSRate          *float64 `json:"ols_rate"`
	OLSLatencyS      *float64 `json:"ols_latency_s"`
	TheilSenRate     *float64 `json:"theilsen_rate"`
	TheilSenLatencyS *float64 `json:"theilsen_latency_s"`
}

// Fit fits time against size; nothing if all sizes are alike.
func Fit(files []Transfer) (f Fits) {
	if alike(files) {
		return f
	}
	sizes, times := sizesAndTimes(files)
	fit := func(l stats.Line, ok bool) (rate, latency *float64) {
		r := 1 / l.Slope
		cost := l.Intercept
		if !ok || l.Slope <= 0 || math.IsNaN(r+cost) || math.IsInf(r+cost, 0) {
			return nil, nil
		}
		return &r, &cost
	}
	f.OLSRate, f.OLSLatencyS = fit(stats.OLS(sizes, times))
	f.TheilSenRate, f.TheilSenLatencyS = fit(stats.TheilSen(sizes, times))
	return f
}
