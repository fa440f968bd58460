package fit

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
)

// lags takes the means of the lags observed, by what left, what stayed and how many.
func (r *Result) lags(e *hub.Evidence) {
	for _, list := range r.Profile.Lags.Lists() {
		means := map[int]float64{}
		for staying := 1; staying <= hub.MaxStaying; staying++ {
			var seen []hub.ObservedLag
			for _, l := range e.Lags {
				if l.Stays == list.Stays && l.Left == list.Left && l.Staying == staying {
					seen = append(seen, l)
				}
			}
			if len(seen) == 0 {
				continue
			}
			mean, err := meanLag(seen)
			means[staying] = mean
			r.Parameters = append(r.Parameters, Parameter{
				Name: fmt.Sprintf("recovery.%s[%d]", list.Key, staying), Unit: "s",
				Value: mean, Low: max(mean-z95*err, 0), High: mean + z95*err,
			})
		}
		*list.Lags = fillLags(means)
	}
}

// meanLag is the mean of lags of one kind and its standard error: by the errors of each, and by how they differ.
func meanLag(seen []hub.ObservedLag) (mean, err float64) {
	n := float64(len(seen))
	var own, scatter float64
	for _, l := range seen {
		mean += l.Seconds / n
		own += l.Error * l.Error / n
	}
	for _, l := range seen {
		scatter += (l.Seconds - mean) * (l.Seconds - mean) / max(n-1, 1)
	}
	return mean, math.Sqrt((own + scatter) / n)
}

// fillLags lists lags by how many disks stay. A number that was not seen takes the lag of the nearest that was, the
// smaller of two.
func fillLags(means map[int]float64) []time.Duration {
	var list []time.Duration
	highest := 0
	for staying := range means {
		highest = max(highest, staying)
	}
	for staying := 1; staying <= highest; staying++ {
		for off := 0; ; off++ {
			mean, ok := means[staying-off]
			if !ok {
				mean, ok = means[staying+off]
			}
			if ok {
				list = append(list, time.Duration(mean*1e9).Round(time.Millisecond))
				break
			}
		}
	}
	if !slices.ContainsFunc(list, func(l time.Duration) bool { return l > 0 }) {
		return nil
	}
	return list
}

// noise takes the deviation of single files about their observation's mean.
func (r *Result) noise(e *hub.Evidence) {
	sd, ok := e.Noise.Deviation()
	if !ok {
		r.Parameters = append(r.Parameters, Parameter{Name: "noise", Value: assumedNoise, Low: 0, High: hub.MaxNoise, Note: "too few files; assumed"})
		r.Profile.Noise = assumedNoise
		return
	}
	r.Profile.Noise = min(sd, hub.MaxNoise)
	off := z95 / math.Sqrt(2*float64(e.Noise.Freedom)) // of a standard deviation, relative
	r.Parameters = append(r.Parameters, Parameter{Name: "noise", Value: sd, Low: sd * (1 - off), High: sd * (1 + off)})
}
