package analysis

import (
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// Series is the phase's rates over time, in steps of one length from the release on; the last step ends with EndS.
type Series struct {
	StepS float64              `json:"step_s"`
	EndS  float64              `json:"end_s"`
	Total []float64            `json:"total"`
	Disks map[string][]float64 `json:"disks"`
}

// series follows all disks to the last byte of any. It is nil where none moved anything.
func (p *phase) series() *Series {
	var endNS int64
	curves := make([]*overlap.Curve, len(p.parts))
	for i := range p.parts {
		curves[i] = p.parts[i].Curve
		if len(p.parts[i].Active) > 0 {
			endNS = max(endNS, p.parts[i].EndNS())
		}
	}
	if endNS <= 0 {
		return nil
	}
	stepNS, all := overlap.Series(curves, endNS)
	out := &Series{StepS: seconds(stepNS), EndS: seconds(endNS), Disks: map[string][]float64{}}
	out.Total = make([]float64, len(all[0]))
	for i, rates := range all {
		for k, rate := range rates {
			rates[k] = significant(rate) // finer is noise, and would be most of analysis.json
			out.Total[k] += rates[k]
		}
		out.Disks[p.parts[i].Name()] = rates
	}
	return out
}

// significant rounds a rate to four figures, and to whole bytes per second.
func significant(rate float64) float64 {
	if rate < 1e4 {
		return math.Round(rate)
	}
	step := math.Pow10(int(math.Log10(rate)) - 3)
	return math.Round(rate/step) * step
}

// spans are the window's parts in seconds.
func spans(window []overlap.Interval) [][2]float64 {
	out := make([][2]float64, len(window))
	for i, v := range window {
		out[i] = [2]float64{seconds(v.StartNS), seconds(v.EndNS)}
	}
	return out
}
