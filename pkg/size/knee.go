package size

import (
	"cmp"
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
	// kneeFiles is how many files, evenly spread over time, stand for more.
	kneeFiles = 2000
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
	P         float64 `json:"p"` // chance of a step as clear if there is none
}

// Ordered reports whether the files came in order of size, so that size and time cannot be
// separated.
func Ordered(files []File) bool {
	sizes, order := []float64{}, []float64{}
	for i, f := range thinned(files, kneeFiles) {
		sizes = append(sizes, f.Bytes())
		order = append(order, float64(i))
	}
	return math.Abs(stats.Spearman(sizes, order)) > sorted
}

// FindKnee looks for one file size at which the rate changes by a step, once the fixed cost of a
// file is taken out. Looks is how many disks and phases are asked. It returns nil if there is none.
func FindKnee(files []File, looks int) *Knee {
	files = thinned(files, kneeFiles)
	sizes, times := sizesAndTimes(files)
	line, _ := stats.FitCost(sizes, times)
	files = slices.DeleteFunc(files, func(f File) bool {
		usual := line.Time(f.Bytes())
		return usual < minKneeS || line.Cost > usual/2
	})
	inTime := ratesWithoutCost(files)
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(a.Bytes(), b.Bytes()) })
	sizes, times = sizesAndTimes(files)
	line, ok := stats.FitCost(sizes, times)
	if !ok || len(inTime) < 2*MinFiles {
		return nil
	}
	offs := make([]float64, len(files))
	for i, f := range files {
		offs[i] = math.Log(times[i] / line.Time(f.Bytes()))
	}
	cut, p := knee(sizes, offs, stats.Memory(inTime))
	if p*float64(looks) > kneeP {
		return nil
	}
	below, above, _ := stats.FitCostStep(sizes, times, cut)
	if math.Abs(math.Log(above.Rate/below.Rate)) < math.Log(1+minKnee) {
		return nil
	}
	return &Knee{AtBytes: (sizes[cut-1] + sizes[cut]) / 2, BelowRate: below.Rate, AboveRate: above.Rate, P: p}
}

// knee finds the place along ascending sizes where a step explains most of the values, and the
// chance of a step as clear anywhere in values without one, of which memory are worth one. The
// values' ranks count, so that no outlier makes a step. The chance is 1 if a line over the
// logarithm of size explains as much as the step.
func knee(sizes, values []float64, memory float64) (cut int, p float64) {
	n := len(sizes)
	side := max(MinFiles, int(minSide*float64(n)))
	scores := stats.NormalScores(values)
	var all, before, step float64
	for _, v := range scores {
		all += v * v
	}
	places := 0
	for i := 1; i <= n-side; i++ {
		before += scores[i-1]
		if i < side || sizes[i] == sizes[i-1] {
			continue
		}
		places++
		if found := before * before * float64(n) / float64(i*(n-i)); found > step {
			step, cut = found, i
		}
	}
	logs := make([]float64, n)
	for i, s := range sizes {
		logs[i] = math.Log(s)
	}
	line, varies := stats.OLS(logs, scores)
	var byLine float64
	for _, x := range logs {
		byLine += (line.Intercept + line.Slope*x) * (line.Intercept + line.Slope*x)
	}
	if places == 0 || !varies || step <= byLine {
		return 0, 1
	}
	free := max(1, float64(n)/memory-2)
	left := max(all-step, 1e-9*all) // more than nothing, also if a step explains all
	t := math.Sqrt(step / left * free)
	return cut, min(1, 2*stats.StudentTail(t, free)*float64(places))
}

func sizesAndTimes(files []File) (sizes, times []float64) {
	for _, f := range files {
		sizes = append(sizes, f.Bytes())
		times = append(times, f.Seconds())
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

// Fit fits time against size.
func Fit(files []File) (f Fits) {
	sizes, times := sizesAndTimes(files)
	fit := func(l stats.Line, ok bool) (rate, latency *float64) {
		r, cost := 1/l.Slope, l.Intercept
		if !ok || l.Slope <= 0 || math.IsNaN(r+cost) || math.IsInf(r+cost, 0) {
			return nil, nil
		}
		return &r, &cost
	}
	f.OLSRate, f.OLSLatencyS = fit(stats.OLS(sizes, times))
	f.TheilSenRate, f.TheilSenLatencyS = fit(stats.TheilSen(sizes, times))
	return f
}
