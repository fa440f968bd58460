package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// How two modes are told.
const (
	dipP        = 0.02 // chance of such a dip, in the whole run, where there is one mode
	modesApart  = 1.3  // ratio of the modes below which two are of no interest
	minority    = 0.25 // of the files: stalls and bursts, which come and go, meet fewer
	fewestModes = 10   // files without which nothing can be said
	modeFiles   = 500  // of more files, so many evenly spread over time will do
	fewSamples  = 4    // progress samples that tell a file's typical rate
)

// sameConditions returns those files of the disk, of the stretch that holds most, between which nothing changed: no
// other disk began or ended its work, and the disk neither recovered nor throttled.
func (p *phase) sameConditions(part *part, files []transfer, throttle *Throttle) []transfer {
	var edges []int64
	at := func(s float64) { edges = append(edges, int64(s*1e9)) }
	for i := range p.parts {
		if other := &p.parts[i]; other != part && len(other.Active) > 0 {
			edges = append(edges, other.StartNS(), other.EndNS())
		}
	}
	for _, r := range p.out.Recoveries {
		if r.Disk == part.Name() && r.LagS != nil {
			at(r.AtS + *r.LagS)
		}
	}
	if throttle != nil {
		for _, step := range throttle.Steps {
			at(step.AtS)
		}
		if throttle.Recovered != nil {
			at(throttle.Recovered.AtS)
		}
	}
	slices.Sort(edges)
	edges = append(edges, math.MaxInt64)
	var most []transfer
	for first := 0; first < len(files); {
		k, _ := slices.BinarySearch(edges, files[first].file.StartNS+1)
		last := first
		for last < len(files) && files[last].file.EndNS <= edges[k] {
			last++
		}
		if last-first > len(most) {
			most = files[first:last]
		}
		first = max(last, first+1)
	}
	return most
}

// bimodality tells whether the files fall into two groups: by a throttle, which is two modes in time, or by
// Hartigan's dip test on their typical rates at equal conditions. Files that follow one another count for as many as
// are worth the same independent ones (stats.Memory), so that slow waves make no modes.
func (p *phase) bimodality(part *part, files, same []transfer, d *Disk) {
	no := false
	if d.Throttle != nil {
		d.Modes = beforeAndAfter(files, d.Throttle)
	}
	if values := typicalRates(same); len(values) >= fewestModes {
		d.Bimodal = &no
		independent := int(float64(len(values)) / stats.Memory(values))
		slices.Sort(values)
		chance := stats.DipP(stats.Dip(values), independent)
		d.DipP = number(chance)
		cut := stats.Split(values, 1)
		slower, faster := values[:cut], values[cut:]
		modes := [2]float64{math.Exp(stats.Quantile(slower, 0.5)), math.Exp(stats.Quantile(faster, 0.5))}
		fewer := min(len(slower), len(faster))
		if d.Modes == nil && chance <= dipP/float64(p.alpha.looks) && modes[1] >= modesApart*modes[0] &&
			fewer >= fewest && float64(fewer) >= minority*float64(len(values)) {
			d.Modes = &modes
		}
	}
	if d.Modes == nil {
		return
	}
	yes := true
	d.Bimodal = &yes
	p.warn(Warning{Code: "bimodal", Disk: part.Name(), Values: map[string]float64{"low": d.Modes[0], "high": d.Modes[1], "mean": *d.Mean}})
}

// beforeAndAfter are the median rates of the files at a throttle's last level and at full speed; nil where either are
// few.
func beforeAndAfter(files []transfer, t *Throttle) *[2]float64 {
	var low, high []float64
	for _, f := range files {
		middle := seconds((f.file.StartNS + f.file.EndNS) / 2)
		switch {
		case middle < t.Steps[0].AtS || t.Recovered != nil && middle > t.Recovered.AtS:
			high = append(high, f.rate())
		case middle > t.Steps[len(t.Steps)-1].AtS:
			low = append(low, f.rate())
		}
	}
	if len(low) < fewest || len(high) < fewest {
		return nil
	}
	return &[2]float64{stats.Median(low), stats.Median(high)}
}

// typicalRates are the logarithms of the files' rates in the order of time, of modeFiles at most: the rate of a
// file's middle byte where samples tell it, which a stall within the file does not move; else that of all its bytes
// with the fixed cost taken out, unless it took most of the time.
func typicalRates(files []transfer) []float64 {
	some := thinned(files, modeFiles)
	sizes, times := make([]float64, len(some)), make([]float64, len(some))
	for i, f := range some {
		sizes[i], times[i] = f.bytes, f.seconds
	}
	line, _ := stats.FitCost(sizes, times)
	var rates []float64
	for _, f := range some {
		r := middleRate(f.file)
		if own := f.seconds - line.Cost; r == 0 && own > f.seconds/2 {
			r = f.bytes / own
		}
		if r > 0 {
			rates = append(rates, math.Log(r))
		}
	}
	return rates
}

// thinned is a copy of the files, of most at most, evenly spread over time.
func thinned(files []transfer, most int) []transfer {
	some := make([]transfer, min(len(files), most))
	for i := range some {
		some[i] = files[i*len(files)/len(some)]
	}
	return some
}

// middleRate is the rate at which half of the file's bytes moved at most, 0 where too few samples tell it.
func middleRate(f *trace.File) float64 {
	if len(f.Samples) < fewSamples {
		return 0
	}
	type step struct{ rate, bytes float64 }
	steps := make([]step, 0, len(f.Samples)+1)
	last := trace.Sample{TNS: f.StartNS}
	for _, s := range append(slices.Clone(f.Samples), trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}) {
		if s.TNS > last.TNS {
			bytes := float64(s.Bytes - last.Bytes)
			steps = append(steps, step{bytes / seconds(s.TNS-last.TNS), bytes})
		}
		last = s
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.rate, b.rate) })
	var sum float64
	for _, s := range steps {
		if sum += s.bytes; sum >= float64(f.Bytes)/2 {
			return s.rate
		}
	}
	return 0
}
