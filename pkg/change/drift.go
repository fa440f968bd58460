package change

import (
	"cmp"
	"math"
	"slices"
)

// drift is one slope that several disks have in common, each of a size of its own.
type drift struct {
	from, to float64 // bins
	shifts   []driftShift
}

// driftShift is the rates of a disk before and after a slope.
type driftShift struct {
	disk     *disk
	from, to float64
}

// shape is how something goes from 0 to 1 over the phase.
type shape struct {
	from, to float64 // bins
	step     bool
	free     bool      // a step at a moment that is known anyway
	rise     []float64 // by bin of the phase
}

// findDrifts finds up to two slopes, takes them out of the disks' series, and looks for cuts again.
// A slope must do better than each disk's own steps, and than one step of all.
func (p *phase) findDrifts() {
	p.findKnown()
	for range 2 {
		bestGain := 0.0
		var best shape
		var fits map[*disk][]float64
		for _, s := range p.shapes() {
			gain := -math.Log(float64(p.n))
			if s.free {
				gain = 0
			}
			fitted := map[*disk][]float64{}
			for _, d := range p.disks {
				if saved, fit := d.fitShape(s, p.n); saved > 0 {
					gain += saved
					fitted[d] = fit
				}
			}
			if gain > bestGain {
				bestGain = gain
				best = s
				fits = fitted
			}
		}
		if fits == nil || best.step {
			return
		}
		p.takeOut(best, fits)
	}
}

// takeOut notes a slope and leaves the disks what it doesn't explain.
func (p *phase) takeOut(s shape, fits map[*disk][]float64) {
	found := drift{from: s.from, to: s.to}
	for _, d := range p.disks {
		fit := fits[d]
		if fit == nil {
			continue
		}
		found.shifts = append(found.shifts,
			driftShift{d, math.Exp(fit[0]), math.Exp(fit[len(fit)-1])})
		middle := mean(fit)
		x := slices.Clone(d.x)
		for i := range x {
			x[i] += middle - fit[i]
		}
		d.x = x
		d.drift = true
		d.choose()
	}
	p.drifts = append(p.drifts, found)
}

// shapes lists what a slope is chosen from: lines between sixths of the phase, two exponentials,
// and steps wherever a disk may have one.
func (p *phase) shapes() []shape {
	end := 0.0
	for _, d := range p.disks {
		end = max(end, d.on[len(d.on)-1].to)
	}
	var all []shape
	for a := range driftKnots {
		for b := a + 2; b <= driftKnots; b++ {
			s := shape{from: float64(a) * end / driftKnots, to: float64(b) * end / driftKnots}
			for i := range p.n {
				s.rise = append(s.rise, min(max((float64(i)-s.from)/(s.to-s.from), 0), 1))
			}
			all = append(all, s)
		}
	}
	for _, rate := range []float64{8, 4} {
		s := shape{to: end}
		for i := range p.n {
			s.rise = append(s.rise, 1-math.Exp(-rate*float64(i)/end))
		}
		all = append(all, s)
	}
	for _, s := range p.stepMoments() {
		for i := range p.n {
			rise := 0.0
			if float64(i) >= s.from {
				rise = 1
			}
			s.rise = append(s.rise, rise)
		}
		all = append(all, s)
	}
	return all
}

// stepMoments lists when a step may be tried: cuts at the full price and known moments cost
// nothing.
func (p *phase) stepMoments() []shape {
	var all []shape
	add := func(at float64, free bool) {
		for _, s := range all {
			if s.from == at {
				return
			}
		}
		all = append(all, shape{from: at, to: at, step: true, free: free})
	}
	for _, d := range p.disks {
		for _, c := range d.cuts {
			add(float64(d.bins[c]), true)
		}
	}
	for _, k := range p.known {
		add(k.at, true)
	}
	for _, d := range p.disks {
		for _, c := range d.candidates {
			add(float64(d.bins[c]), false)
		}
	}
	slices.SortFunc(all, func(a, b shape) int { return cmp.Compare(a.from, b.from) })
	return all[:min(len(all), maxSteps)]
}

// fitShape fits a rate that goes from one value to another in that shape, and returns how much
// better that is than the disk's steps, and the logarithms of the rates.
func (d *disk) fitShape(s shape, n int) (saved float64, fit []float64) {
	if d.drift || len(d.x) < minDriftBins || float64(len(d.x)) < driftShare*float64(n) {
		return 0, nil
	}
	// Relative errors are least: weights are one over the squared rates.
	var ww, wq, qq, y, yq float64
	for i, bin := range d.bins {
		w := math.Exp(-d.x[i])
		q := s.rise[bin]
		ww += w * w
		wq += w * w * q
		qq += w * w * q * q
		y += w
		yq += w * q
	}
	determinant := ww*qq - wq*wq
	if determinant <= 1e-12*ww*qq {
		return 0, nil
	}
	start := (y*qq - yq*wq) / determinant
	slope := (yq*ww - y*wq) / determinant
	fit = make([]float64, len(d.x))
	low, high := math.Inf(1), math.Inf(-1)
	for i, bin := range d.bins {
		rate := start + slope*s.rise[bin]
		if rate <= 0 {
			return 0, nil
		}
		fit[i] = math.Log(rate)
		low = min(low, fit[i])
		high = max(high, fit[i])
	}
	off := mean(d.x) - mean(fit)
	left := make([]float64, len(d.x))
	for i := range fit {
		fit[i] += off
		left[i] = d.x[i] - fit[i]
	}
	if high-low <= math.Log(minDriftGain) {
		return 0, nil
	}
	cost, _ := autoregression(left, nil)
	return d.score - cost - driftPrice*math.Log(float64(n)), fit
}
