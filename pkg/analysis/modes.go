package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/size"
	"github.com/hubbench/hubbench/pkg/stats"
)

// How two modes are detected.
const (
	dipP        = 0.02 // chance of such a dip, in the whole run, if there is one mode
	modesApart  = 1.3  // ratio of the modes below which two are of no interest
	minority    = 0.25 // of the files: stalls and bursts, which come and go, meet fewer
	fewestModes = 10   // files without which nothing can be said
)

// sameConditions returns those files of the disk, of the stretch that holds most, between which nothing changed: no
// other disk began or ended its work, and the disk neither recovered nor throttled.
func (p *phase) sameConditions(part *part, files []size.File, throttle *Throttle) []size.File {
	var edges []int64
	at := func(s float64) { edges = append(edges, int64(s*1e9)) }
	for i := range p.parts {
		if other := p.parts[i]; other != part && len(other.Active) > 0 {
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
	var largest []size.File
	for first := 0; first < len(files); {
		k, _ := slices.BinarySearch(edges, files[first].Trace.StartNS+1)
		last := first
		for last < len(files) && files[last].Trace.EndNS <= edges[k] {
			last++
		}
		if last-first > len(largest) {
			largest = files[first:last]
		}
		first = max(last, first+1)
	}
	return largest
}

// bimodality reports whether the files fall into two groups: by a throttle, which is two modes in time, or by
// Hartigan's dip test on their typical rates at equal conditions. Files that follow one another count for as many as
// are worth the same independent ones (stats.Memory), so that slow waves make no modes.
func (p *phase) bimodality(part *part, files, same []size.File, d *Disk) {
	no := false
	if d.Throttle != nil {
		d.Modes = beforeAndAfter(files, d.Throttle)
	}
	if values := size.TypicalRates(same); len(values) >= fewestModes {
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
			fewer >= size.MinFiles && float64(fewer) >= minority*float64(len(values)) {
			d.Modes = &modes
		}
	}
	if d.Modes == nil {
		return
	}
	yes := true
	d.Bimodal = &yes
	p.warn(Warning{Code: "bimodal", Disk: part.Name(), Values: ModesValues{Low: d.Modes[0], High: d.Modes[1], Mean: *d.Mean}})
}

// beforeAndAfter are the median rates of the files at a throttle's last level and at full speed; nil if either are
// few.
func beforeAndAfter(files []size.File, t *Throttle) *[2]float64 {
	var low, high []float64
	for _, f := range files {
		middle := seconds((f.Trace.StartNS + f.Trace.EndNS) / 2)
		switch {
		case middle < t.Steps[0].AtS || t.Recovered != nil && middle > t.Recovered.AtS:
			high = append(high, f.Rate())
		case middle > t.Steps[len(t.Steps)-1].AtS:
			low = append(low, f.Rate())
		}
	}
	if len(low) < size.MinFiles || len(high) < size.MinFiles {
		return nil
	}
	return &[2]float64{stats.Median(low), stats.Median(high)}
}
