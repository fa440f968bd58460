package size

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// How effects of file size are detected.
const (
	kneeP      = 0.005  // chance of a knee as clear, in the whole run, if there is none
	bendP      = 0.10   // chance of a knee as clear if the rate bends smoothly with the logarithm of the size
	kneeEffect = 0.10   // relative change of the rate below which a knee is of no interest
	kneeFiles  = 20_000 // of more files, that many evenly spread over time will do
	kneeGroups = 400    // more files than this are put together by size
	sorted     = 0.7    // rank correlation of size with order, above which time and size cannot be separated
	MinFiles   = 5      // files on either side of a knee, and in a fit
	overNoise  = 10     // times the noise that is the same for all sizes, such as a clock's, which a file must take
	maxRanked  = 2000
)

// Ordered reports whether the files came in order of size, so that size and time cannot be separated.
func Ordered(files []File) bool {
	var sizes, order []float64
	for i := 0; i < len(files); i += 1 + len(files)/maxRanked { // of a long trace, some will do
		sizes, order = append(sizes, files[i].Bytes()), append(order, float64(i))
	}
	r := stats.Spearman(sizes, order)
	return r > sorted || r < -sorted
}

// kneeSample are files in order of size, or medians of neighbours if there are many.
type kneeSample struct {
	bytes, seconds []float64
	byTime         []int // indices in the order of the files' times
}

func newKneeSample(files []File) kneeSample {
	files = thinned(files, kneeFiles)
	slices.SortFunc(files, func(a, b File) int {
		return cmp.Or(cmp.Compare(a.Bytes(), b.Bytes()), cmp.Compare(a.Trace.StartNS, b.Trace.StartNS))
	})
	n := len(files)
	groups := min(n, kneeGroups)
	var s kneeSample
	at := make([]float64, groups)
	for g := range groups {
		group := files[g*n/groups : (g+1)*n/groups]
		perByte := make([]float64, len(group))
		for i, f := range group {
			perByte[i] = f.Seconds() / f.Bytes()
		}
		middle := group[len(group)/2]
		s.bytes = append(s.bytes, middle.Bytes())
		s.seconds = append(s.seconds, middle.Bytes()*stats.Median(perByte))
		at[g] = float64(middle.Trace.StartNS)
	}
	s.byTime = stats.Order(at)
	return s
}

// FindKnee looks for one file size at which the rate changes by a step (stats.StepScan), once the fixed cost of a
// file is taken out. It must be clear beside a cost and a rate that change smoothly with size, and be there in the
// middle of the files as well as in their sums. Looks is how many disks and phases are asked.
func FindKnee(files []File, looks int) *Knee {
	s := newKneeSample(files)
	line, ok := stats.FitCost(s.bytes, s.seconds)
	if ok {
		if shortest := overNoise * constantNoise(files, line); line.Time(s.bytes[0]) < shortest {
			files = slices.DeleteFunc(slices.Clone(files), func(f File) bool { return line.Time(f.Bytes()) < shortest })
			s = newKneeSample(files)
			line, ok = stats.FitCost(s.bytes, s.seconds)
		}
	}
	n := len(s.bytes)
	if !ok || n < 2*MinFiles {
		return nil
	}
	off, part := make([]float64, n), make([]float64, n) // log of the time over the fit's, and the transfer's part in it
	for i, b := range s.bytes {
		fitted := line.Time(b)
		off[i], part[i] = math.Log(s.seconds[i]/fitted), 1-line.Cost/fitted
	}
	values := stats.NormalScores(off)
	varies := deviations(s.bytes, values)
	cost, bend, effect := make([]float64, n), make([]float64, n), make([]float64, n)
	telling := make([]int, n+1) // of the files before, how many depend on the rate
	for i, b := range s.bytes {
		values[i] /= varies[i]
		effect[i] = part[i] / varies[i]
		cost[i], bend[i] = effect[i]/b, effect[i]*math.Log(b)
		telling[i+1] = telling[i]
		if part[i] > 0.5 {
			telling[i+1]++
		}
	}
	scan := stats.StepScan{Values: values, Effect: effect, Smooth: [][]float64{effect, cost}, Order: s.byTime}
	inTime := make([]float64, n)
	for k, i := range s.byTime {
		inTime[k] = values[i]
	}
	scan.Block = blockOf(inTime)
	scan.Cut = func(i int) bool { return s.divides(i, telling) }
	cut, p := scan.Find()
	if p > kneeP/float64(looks) {
		return nil
	}
	scan.Smooth = append(scan.Smooth, bend)
	if _, p := scan.Find(); p > bendP {
		return nil
	}
	below, above, ok := stats.FitCostStep(s.bytes, s.seconds, cut)
	if !ok {
		return nil
	}
	at := (s.bytes[cut-1] + s.bytes[cut]) / 2
	typical := above.Rate/below.Rate - 1
	summed := summedRate(files, below.Cost, at, math.Inf(1))/summedRate(files, below.Cost, 0, at) - 1
	if min(math.Abs(typical), math.Abs(summed)) < kneeEffect || typical*summed < 0 {
		return nil
	}
	return &Knee{AtBytes: at, BelowRate: below.Rate, AboveRate: above.Rate, P: p}
}

// constantNoise is the standard deviation of the part of the files' times that does not grow with them, in seconds:
// a clock's, say. What they are off the line is constant^2 + (relative x time)^2, fitted to the spreads of files of
// about one time by the likelihood of variances (Davidian and Carroll, "Variance Function Estimation", JASA 82,
// 1987). The spreads come from the median differences of neighbours by size, which no knee moves (see deviations);
// as normal estimates they are worth a quarter of their files. The constant must earn its place by the Schwarz
// criterion. It is at least the clock's tick, of which all times are whole multiples.
func constantNoise(files []File, line stats.CostLine) float64 {
	const alike, maxGroups, worth = 8, 12, 0.25
	files = thinned(files, kneeFiles)
	n := len(files)
	groups := min(n/alike, maxGroups)
	var tick int64
	for _, f := range files {
		for _, ns := range []int64{f.Trace.StartNS, f.Trace.EndNS} {
			for b := ns - files[0].Trace.StartNS; b != 0; { // Euclid's algorithm
				tick, b = b, tick%b
			}
		}
	}
	constant := math.Abs(seconds(tick))
	if groups < 2 {
		return constant
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Bytes(), b.Bytes()) })
	squares, times := make([]float64, groups), make([]float64, groups) // the spread's, and the typical time's
	for g := range groups {
		group := files[g*n/groups : (g+1)*n/groups]
		off := make([]float64, len(group))
		for i, f := range group {
			off[i] = f.Seconds() - line.Time(f.Bytes())
		}
		spread := stats.NormalMAD * stepSize(off) / math.Sqrt2
		typical := line.Time(group[len(group)/2].Bytes())
		squares[g], times[g] = max(spread*spread, 1e-18), typical*typical
	}
	// Of constant^2 (1 + ratio time^2) the constant follows from the ratio; an infinite one is no constant.
	deviance := func(shape func(time float64) float64) (sum, scale float64) {
		for g := range squares {
			scale += squares[g] / shape(times[g]) / float64(groups)
			sum += math.Log(shape(times[g]))
		}
		return sum + float64(groups)*math.Log(scale), scale
	}
	lowest, _ := deviance(func(time float64) float64 { return time })
	lowest -= math.Log(float64(n)) / (worth * float64(n) / float64(groups))
	fitted := 0.0
	for ratio := 1e-2 / times[groups-1]; ratio < 1e4/times[0]; ratio *= 1.5 {
		if found, scale := deviance(func(time float64) float64 { return 1 + ratio*time }); found < lowest {
			lowest, fitted = found, math.Sqrt(scale)
		}
	}
	return max(constant, fitted)
}

// stepSize is the median difference of neighbours, which neither a step nor a bend moves (von Neumann et al., "The Mean
// Square Successive Difference", Annals of Mathematical Statistics 12, 1941).
func stepSize(values []float64) float64 {
	steps := make([]float64, len(values)-1)
	for i := range steps {
		steps[i] = math.Abs(values[i+1] - values[i])
	}
	return stats.Median(steps)
}

// deviations are how far the values vary along size: small files often vary more than large ones, or less. They follow
// a power of the size, through those of the smaller and of the larger half.
func deviations(bytes, values []float64) []float64 {
	n := len(values)
	floor := max(stepSize(values)/3, 1e-9)
	small, large := max(stepSize(values[:n/2+1]), floor), max(stepSize(values[n/2:]), floor)
	low, high := math.Log(bytes[n/4]), math.Log(bytes[n-1-n/4])
	found := make([]float64, n)
	for i, b := range bytes {
		share := 0.5
		if high > low {
			share = min(max((math.Log(b)-low)/(high-low), 0), 1)
		}
		found[i] = small * math.Pow(large/small, share)
	}
	return found
}

// blockOf is how many neighbours in time are to be kept together if what they have in common lasts; 0 if it does not.
func blockOf(inTime []float64) int {
	if memory := stats.Memory(inTime); memory > 1.5 {
		return min(int(math.Ceil(2*memory)), len(inTime)/8)
	}
	return 0
}

// divides reports whether a knee may lie just below the i-th size: there is enough on either side of it, telling
// being how many of the files before depend on the rate.
func (s *kneeSample) divides(i int, telling []int) bool {
	n := len(s.bytes)
	each := max(MinFiles, n/20)
	return s.bytes[i] != s.bytes[i-1] && telling[i] >= each && telling[n]-telling[i] >= each
}

// summedRate is the rate of the files of sizes from low up to high in all, their fixed cost taken out.
func summedRate(files []File, cost, low, high float64) float64 {
	var bytes, seconds float64
	for _, f := range files {
		if low <= f.Bytes() && f.Bytes() < high {
			bytes += f.Bytes()
			seconds += f.Seconds() - cost
		}
	}
	return bytes / seconds
}

// Fits are the rate and the latency of a line of time against size: the slope is a rate's inverse, the intercept the
// latency. Nil if the times do not grow with size.
type Fits struct {
	OLSRate          *float64 `json:"ols_rate"`
	OLSLatencyS      *float64 `json:"ols_latency_s"`
	TheilSenRate     *float64 `json:"theilsen_rate"`
	TheilSenLatencyS *float64 `json:"theilsen_latency_s"`
}

// Fit fits time against size.
func Fit(files []File) (f Fits) {
	sizes, times := make([]float64, len(files)), make([]float64, len(files))
	for i, f := range files {
		sizes[i], times[i] = f.Bytes(), f.Seconds()
	}
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

// Knee is a file size at which the rate changes. The rates are those of the bytes: the fixed cost of a file is
// taken out.
type Knee struct {
	AtBytes   float64 `json:"at_bytes"`
	BelowRate float64 `json:"below_rate"`
	AboveRate float64 `json:"above_rate"`
	P         float64 `json:"p"` // chance of a step as clear if there is none
}
