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
		if line.gain <= step.gain || !p.mayBeSlope(line) {
			return
		}
		p.takeOut(line)
	}
}

// mayBeSlope reports whether a slope shows in the own history of one of the disks that follow it, or
// saves so much that it need not.
func (p *phase) mayBeSlope(f fitted) bool {
	for i, fit := range f.fits {
		if fit != nil && len(p.disks[i].Drifts) > 0 {
			return true
		}
	}
	return f.gain > unseenSlopeNats
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

// takeDrifts takes the slopes of disks' own histories out of their series where no other was found,
// those that cover about the same time together.
func (p *phase) takeDrifts() {
	var found []drift
	for _, d := range p.disks {
		for _, v := range d.Drifts {
			if d.drift {
				break
			}
			from, to := p.at(v.StartNS), p.at(v.EndNS)
			shift := driftShift{d, v.From, v.To}
			joined := false
			for i := range found {
				of := &found[i]
				both := min(to, of.to) - max(from, of.from)
				all := max(to, of.to) - min(from, of.from)
				if !joined && both >= sameStretch*all {
					of.shifts = append(of.shifts, shift)
					joined = true
				}
			}
			if !joined {
				found = append(found, drift{from, to, []driftShift{shift}})
			}
			fit := make([]float64, len(d.bins))
			for i, bin := range d.bins {
				share := min(max((float64(bin)+0.5-from)/(to-from), 0), 1)
				fit[i] = math.Log(v.From + (v.To-v.From)*share)
			}
			middle := mean(fit)
			for i := range fit {
				d.x[i] += middle - fit[i]
			}
		}
	}
	p.drifts = append(p.drifts, found...)
	slices.SortStableFunc(p.drifts, func(a, b drift) int { return cmp.Compare(a.from, b.from) })
}
