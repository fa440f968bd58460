package effect

import (
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// Rate is a disk's rate in a stretch in which nothing changed, stalls aside.
type Rate struct {
	Mean float64 // bytes per second
	// Log is of its logarithm; where pauses between files take time, of that over the time in
	// files.
	Log stats.Estimate
	// The noise may last as long as the stretch, so the mean may be off by as much as the rate
	// varies: too vague for an interval, but enough to tell a large loss.
	Vague bool
	In    []overlap.Span
}

// Measure measures the rate of a curve in a stretch. Its error is that of the rate over the time in
// files, for pauses between files are the program's, unless these take next to no time.
func Measure(curve *overlap.Curve, files, in []overlap.Span) Rate {
	bytes := curve.BytesIn(in)
	if bytes <= 0 {
		return Rate{In: in}
	}
	var inFiles []overlap.Span
	for _, v := range in {
		inFiles = append(inFiles, overlap.Clip(files, v)...)
	}
	length := overlap.Seconds(in)
	if overlap.Seconds(inFiles) >= (1-fewPauses)*length {
		inFiles = in
	}
	flow := curve.Flow(inFiles)
	log, doubt := flow.LogMean()
	r := Rate{Mean: float64(bytes) / length, In: in}
	if doubt == stats.NoDoubt || doubt == stats.TooSlow {
		r.Log = log
	}
	r.Vague = length < MinIntervalS || doubt == stats.TooSlow
	if r.Vague && r.Log.Known() {
		r.Log.SE = max(r.Log.SE, stats.Summarize(flow.Rates).CV)
	}
	return r
}

// ChanceAbove returns the chance that noise alone puts r so far above a factor times o; 1 if that
// is not known.
func (r *Rate) ChanceAbove(o *Rate, factor float64) float64 {
	if !r.Log.Known() || !o.Log.Known() {
		return 1
	}
	return stats.Difference(o.Log, r.Log).Above(math.Log(factor))
}

// Over returns the 95 % interval of r over o; nil if it is not known.
func (r *Rate) Over(o *Rate) *stats.Interval {
	if !r.Log.Known() || !o.Log.Known() || r.Vague || o.Vague {
		return nil
	}
	return Ratio(stats.Difference(o.Log, r.Log))
}

// Ratio returns the interval of a ratio whose logarithm is given.
func Ratio(log stats.Estimate) *stats.Interval {
	v := log.Interval()
	return &stats.Interval{math.Exp(v[0]), math.Exp(v[1])}
}

// Estimate returns the rate with its error, as far as that is known well enough for an interval.
func (r *Rate) Estimate() stats.Estimate {
	if r.Vague {
		return stats.Estimate{Mean: r.Mean}
	}
	e := r.Log.Times(r.Mean)
	e.Mean = r.Mean
	return e
}

// Pool returns the mean rate of repeats.
func (t *Table) Pool(repeats []stats.Estimate) stats.Estimate {
	if len(repeats) == 1 {
		return repeats[0]
	}
	var logs []stats.Estimate
	for _, e := range repeats {
		logs = append(logs, e.Log())
	}
	return stats.Pool(logs, t.repeats).Exp()
}

// pool returns the mean of repeats.
func (t *Table) pool(repeats []*Rate) Rate {
	if len(repeats) == 1 {
		return *repeats[0]
	}
	var out Rate
	var logs, withPauses []stats.Estimate
	for _, r := range repeats {
		logs = append(logs, r.Log)
		e := r.Log
		e.Mean = math.Log(r.Mean)
		withPauses = append(withPauses, e)
		out.Vague = out.Vague || r.Vague
	}
	out.Log = stats.Pool(logs, t.repeats)
	out.Mean = math.Exp(stats.Pool(withPauses, t.repeats).Mean)
	return out
}

// repeatsDiffer returns by how much repeats differ: the variance of the logarithms of each disk's
// rates in each setting, which are too few by themselves to say.
func repeatsDiffer(settings []setting) stats.Prior {
	var variances, free []float64
	for _, set := range settings {
		for _, disk := range set[0].Parts {
			var logs []float64
			for _, state := range set {
				if p := state.Part(disk.Disk); p.Fresh != nil {
					logs = append(logs, p.Fresh.Log.Mean)
				}
			}
			if len(logs) > 1 {
				sd := stats.Summarize(logs).SD
				variances = append(variances, sd*sd)
				free = append(free, float64(len(logs)-1))
			}
		}
	}
	if len(variances) == 0 || stats.Median(variances) == 0 { // Simulated disks repeat exactly.
		return stats.Prior{}
	}
	return stats.Moderate(variances, free)
}
