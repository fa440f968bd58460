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
	curve    bool
	free     bool      // a step at a moment that is known anyway
	rise     []float64 // by bin of the phase
}

// findDrifts finds up to two slopes, takes them out of the disks' series, and looks for cuts again.
// A slope must do better than each disk's own steps, and than one step of all.
func (p *phase) findDrifts() {
	p.findKnown()
	for range 2 {
		var line, step fitted
		for _, s := range p.shapes() {
			f := p.fit(s)
			if s.step && f.gain > step.gain {
				step = f
			}
			if !s.step && f.gain > line.gain {
				line = f
			}
		}
		line = p.refine(line)
		if line.gain <= step.gain {
			return
		}
		p.takeOut(line)
	}
}

// fitted is a shape with what it saves, and the logarithms of the rates of each disk that follows
// it, nil for the others.
type fitted struct {
	shape
	gain float64
	fits [][]float64
}

// fit fits a shape to all disks: each with a size of its own, or all with one factor.
func (p *phase) fit(s shape) fitted {
	price := math.Log(float64(p.n))
	if s.free {
		price = 0
	}
	own := fitted{s, -price, make([][]float64, len(p.disks))}
	for i, d := range p.disks {
		if saved, fit := d.fitShape(s, p.n); saved > 0 {
			own.gain += saved
			own.fits[i] = fit
		}
	}
	if tied := p.fitTied(s, price); tied.gain > own.gain {
		return tied
	}
	return own
}

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

// refine moves the ends of a line for as long as that saves anything, by less and less.
func (p *phase) refine(best fitted) fitted {
	if best.fits == nil || best.curve {
		return best
	}
	by := (best.to - best.from) / 4
	end := p.end()
	for range refinements {
		for _, move := range [][2]float64{{-by, 0}, {by, 0}, {0, -by}, {0, by}} {
			from, to := max(0, best.from+move[0]), min(end, best.to+move[1])
			if to-from < minDriftBins {
				continue
			}
			if f := p.fit(p.line(from, to)); f.gain > best.gain {
				best = f
			}
		}
		by /= 2
	}
	return best
}

// takeOut notes a slope and leaves the disks what it doesn't explain.
func (p *phase) takeOut(f fitted) {
	found := drift{from: f.from, to: f.to}
	for _, d := range p.disks {
		fit := f.fits[d.number]
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

// shapes lists what a slope is chosen from: lines between ninths of the phase, two exponentials,
// and steps wherever a disk may have one.
func (p *phase) shapes() []shape {
	end := p.end()
	var all []shape
	for a := range driftKnots {
		for b := a + 2; b <= driftKnots; b++ {
			all = append(all, p.line(float64(a)*end/driftKnots, float64(b)*end/driftKnots))
		}
	}
	for _, rate := range []float64{8, 4} {
		s := shape{to: end, curve: true}
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

// end returns when the last disk finishes.
func (p *phase) end() (end float64) {
	for _, d := range p.disks {
		end = max(end, d.on[len(d.on)-1].to)
	}
	return end
}

// line returns the shape that rises evenly between two moments.
func (p *phase) line(from, to float64) shape {
	s := shape{from: from, to: to}
	for i := range p.n {
		s.rise = append(s.rise, min(max((float64(i)-from)/(to-from), 0), 1))
	}
	return s
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
