package change

import (
	"math"
	"slices"
)

// fitTied fits one factor to as many disks as that saves anything for.
func (p *phase) fitTied(s shape, price float64) fitted {
	var set []moments
	for _, d := range p.disks {
		if d.mayDrift(p.n) {
			set = append(set, d.momentsOf(s))
		}
	}
	best := fitted{shape: s}
	for len(set) > 1 {
		gain := -price - driftPrice*math.Log(float64(p.n)) -
			logChoices(len(p.disks), len(set)) - math.Log(float64(len(p.disks)))
		slope := commonSlope(set)
		worst := 0
		least := math.Inf(1)
		for k, m := range set {
			saved := m.disk.score - m.cost(slope)
			if m.disk.byFile {
				_, cost := m.disk.fitSlope(s, slope)
				saved = m.disk.score - cost
			}
			gain += saved
			if saved < least {
				worst = k
				least = saved
			}
		}
		if math.Abs(slope) > math.Log(minDriftGain) && gain > best.gain {
			best.gain = gain
			best.fits = make([][]float64, len(p.disks))
			for _, m := range set {
				best.fits[m.disk.number], _ = m.disk.fitSlope(s, slope)
			}
		}
		if least >= 0 {
			break
		}
		set = slices.Delete(set, worst, worst+1)
	}
	return best
}

// moments are the sums over a disk's series x and a shape h, about their means, that give the cost
// of any slope: of products of a bin with itself, and with the one before.
type moments struct {
	disk                         *disk
	xx, xh, hh                   float64
	xxBefore, xhBefore, hhBefore float64
}

func (d *disk) momentsOf(s shape) moments {
	m := moments{disk: d}
	middleX := mean(d.x)
	var middleH float64
	for _, bin := range d.bins {
		middleH += s.rise[bin]
	}
	middleH /= float64(len(d.x))
	var lastX, lastH float64
	for i, bin := range d.bins {
		x, h := d.x[i]-middleX, s.rise[bin]-middleH
		m.xx += x * x
		m.xh += x * h
		m.hh += h * h
		m.xxBefore += x * lastX
		m.xhBefore += x*lastH + h*lastX
		m.hhBefore += h * lastH
		lastX, lastH = x, h
	}
	return m
}

// cost returns the negative log likelihood of what a slope leaves (see autoregression, which leaves
// out the ends).
func (m moments) cost(slope float64) float64 {
	squares := max(m.xx-2*slope*m.xh+slope*slope*m.hh, minVariance)
	products := m.xxBefore - slope*m.xhBefore + slope*slope*m.hhBefore
	memory := min(max(products/squares, 0), maxMemory)
	n := float64(len(m.disk.x))
	innovations := squares - 2*memory*products + memory*memory*squares
	return n / 2 * math.Log(max(innovations/n, minVariance))
}

// commonSlope returns the change of the logarithm of the rate that suits all disks best.
func commonSlope(set []moments) float64 {
	var xy, xx float64
	for _, m := range set {
		noise := max(m.xx-m.xxBefore, minVariance) / float64(len(m.disk.x))
		xy += m.xh / noise
		xx += m.hh / noise
	}
	if xx == 0 {
		return 0
	}
	return xy / xx
}

// fitSlope returns the logarithms of rates that change by a slope, and what they leave.
func (d *disk) fitSlope(s shape, slope float64) (fit []float64, cost float64) {
	fit = make([]float64, len(d.x))
	for i, bin := range d.bins {
		fit[i] = slope * s.rise[bin]
	}
	return fit, d.misfit(fit)
}

// misfit brings fitted values to the mean of the disk's series, and returns what they leave.
func (d *disk) misfit(fit []float64) float64 {
	off := mean(d.x) - mean(fit)
	left := make([]float64, len(d.x))
	for i := range fit {
		fit[i] += off
		left[i] = d.x[i] - fit[i]
	}
	return row{d.x, d.file}.misfit(left, nil)
}

// fitShape fits a rate that goes from one value to another in that shape, and returns how much
// better that is than the disk's steps, and the logarithms of the rates.
func (d *disk) fitShape(s shape, n int) (saved float64, fit []float64) {
	if !d.mayDrift(n) {
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
	if high-low <= math.Log(minDriftGain) {
		return 0, nil
	}
	return d.score - d.misfit(fit) - driftPrice*math.Log(float64(n)), fit
}

// mayDrift reports whether a slope of the disk could be told.
func (d *disk) mayDrift(n int) bool {
	return !d.drift && len(d.x) >= minDriftBins && float64(len(d.x)) >= driftShare*float64(n)
}
