package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// bootstraps is how many bootstrap samples of the observations are fitted.
	bootstraps = 50
	// starts is how many places the first fit starts from. With 60 it misses the least sum of
	// squares of 1 hub in 40.
	starts = 60
	// tolerance is how far, relative, a hub may be off the law and still count as sharing by it.
	tolerance = 0.01
	// minChance is the chance of residuals as large as they are, if a hub shares by the law,
	// below which it does not.
	minChance = 0.005
	// figureError is the relative error assumed of a figure without observations, such as a data
	// sheet's, at 95 %.
	figureError = 0.1
	// weightSpread and capacitySpread are how much weights and unused capacity differ from hub to
	// hub: the standard deviation of their logarithms.
	weightSpread   = 0.5
	capacitySpread = 0.25
	// fewSpread is the same of what is carried if fewer disks ask than at best.
	fewSpread = 0.1
	few       = 0.95 // start of fits for capacity.pair and capacity.two_writers
	// usualBoth is how much more hubs carry of both directions together than of one.
	usualBoth = 1.35
	// negligible is a growth of the sum of squares that contradicts nothing.
	negligible = 0.1
	maxFitted  = 32 // disks
	// maxWeight and maxDirections are how strongly a disk pulls at most, against the first, and a
	// direction against the other: a hub that starves one does not share.
	maxWeight     = 12.0
	maxDirections = 2.0
	// z95 is how many standard errors a 95 % interval reaches either way.
	z95 = 1.96
)

// unknownLaw is said of hubs that the law does not explain.
const unknownLaw = "this hub does not share like any law we know: measure it"

// law is the sharing law of package hub, as a vector of the logarithms of its parameters, beside
// what was observed.
type law struct {
	profile *hub.Profile // as the vector last set has it
	params  []param
	targets []target
	logs    []float64 // logarithms of the rates observed, target by target
	errors  []float64 // relative
	claims  []hub.Claim
	rates   []float64
}

// param is one parameter of the law.
type param struct {
	name   string
	value  *float64
	side   *hub.Side // side of the disk it belongs to; nil: all disks share it
	start  float64   // a logarithm
	spread float64   // how far it may lie from there if it was not observed, one standard deviation
	fitted bool      // something was observed that may depend on it
}

// target is a mix of disks to compute the rates of.
type target struct {
	direct bool
	ops    []trace.Role
	sides  []*hub.Side
}

// newLaw lays out the parameters of a profile's hub and disks for the observations. What was
// observed of none of them keeps the profile's figure.
func newLaw(p *hub.Profile, e *hub.Evidence) (*law, error) {
	if len(e.Rates) == 0 {
		return nil, fmt.Errorf("fit a hub: the runs hold no stretch of %g s with a steady rate; "+
			"record solo phases and pairs", shortestS)
	}
	if n := len(e.Disks()); n > maxFitted {
		return nil,
			fmt.Errorf("the runs have %d disks, and the limit is %d; give the runs of one hub",
				n, maxFitted)
	}
	profile := *p
	profile.Evidence = hub.Evidence{}
	profile.Disks = slices.Clone(p.Disks)
	l := &law{profile: &profile}
	observed := map[*float64]bool{} // the disks' rates that were observed
	var highest [2]float64          // in each direction
	both, fastest := 0.0, 0.0
	for _, o := range e.Pooled().Rates {
		var sum [2]float64
		for _, d := range o.Disks {
			fastest = max(fastest, d.Rate)
			l.logs, l.errors = append(l.logs, math.Log(d.Rate)), append(l.errors, d.Error)
			value := &profile.Disk(d.Disk).Side(d.Op).Hub
			if o.Direct {
				value = &profile.Disk(d.Disk).Side(d.Op).Direct
			}
			if !observed[value] {
				*value = 0
			}
			*value = max(*value, d.Rate)
			observed[value] = true
			sum[hub.Direction(d.Op)] += d.Rate
		}
		l.targets = append(l.targets, l.target(&o))
		if !o.Direct {
			highest = [2]float64{max(highest[0], sum[0]), max(highest[1], sum[1])}
			both = max(both, sum[0]+sum[1])
		}
	}
	isMixed := both > max(highest[0], highest[1])
	for way := range highest { // a direction that was not measured starts as the other one
		highest[way] = cmp.Or(highest[way], highest[1-way], fastest)
	}
	if !isMixed {
		both = usualBoth * max(highest[0], highest[1])
	}
	c := &profile.Capacity
	*c = hub.Capacity{Read: highest[0], Write: highest[1], Both: both, ReadWeight: 1,
		WriteWeight: 1}
	c.Pair = few
	c.TwoWriters = few
	shared := func(name string, value *float64, spread float64) {
		l.add(param{name: name, value: value, spread: spread, fitted: true})
	}
	shared("capacity.read", &c.Read, capacitySpread)
	shared("capacity.write", &c.Write, capacitySpread)
	shared("capacity.both", &c.Both, capacitySpread)
	shared("capacity.pair", &c.Pair, fewSpread)
	shared("capacity.two_writers", &c.TwoWriters, fewSpread)
	shared("weights.write", &c.WriteWeight, weightSpread)
	for _, op := range []trace.Role{trace.Read, trace.Write} {
		unit := false // the first disk's weight is the unit of the others'
		for i := range profile.Disks {
			d := &profile.Disks[i]
			side := d.Side(op)
			name := d.Name + "." + string(op)
			for k, value := range []*float64{&side.Hub, &side.Direct} {
				if *value > 0 {
					key := name + []string{".hub", ".direct"}[k]
					l.add(param{key, value, side, 0, figureError / z95, observed[value]})
				}
			}
			side.Weight = cmp.Or(side.Weight, 1)
			if observed[&side.Hub] && !unit {
				side.Weight = 1
				unit = true
			} else if side.Hub > 0 {
				l.add(param{name + ".weight", &side.Weight, side, 0, weightSpread,
					observed[&side.Hub]})
			}
		}
	}
	return l, nil
}

// add adds a parameter that starts at its value.
func (l *law) add(p param) {
	p.start = math.Log(*p.value)
	l.params = append(l.params, p)
}

func (l *law) target(o *hub.Observation) target {
	t := target{direct: o.Direct}
	for _, d := range o.Disks {
		t.ops, t.sides = append(t.ops, d.Op), append(t.sides, l.profile.Disk(d.Disk).Side(d.Op))
	}
	return t
}

// set makes the profile what a vector says. Two disks in a direction show what they are carried;
// capacity is as much more as that is less.
func (l *law) set(x []float64) {
	for i, p := range l.params {
		*p.value = math.Exp(x[i])
		if p.spread == weightSpread {
			*p.value = min(max(*p.value, 1/maxWeight), maxWeight)
		}
	}
	c := &l.profile.Capacity
	c.WriteWeight = min(max(c.WriteWeight, 1/maxDirections), maxDirections)
	// Both parts never exceed 1, and have a slope on either side of it.
	c.Pair = max(min(c.Pair, 1/c.Pair), hub.MinFactor)
	c.TwoWriters = max(min(c.TwoWriters, 1/c.TwoWriters), hub.MinFactor)
	c.Read, c.Write = c.Read/c.Pair, c.Write/c.Pair
	c.Both = min(c.Both, c.Read+c.Write)
}

// appendLogs appends the logarithms of a target's rates under the law as set.
func (l *law) appendLogs(to []float64, t *target) []float64 {
	l.claims = l.claims[:0]
	l.rates = l.rates[:0]
	for i, side := range t.sides {
		l.claims = append(l.claims, hub.Claim{Op: t.ops[i], Cap: side.Hub, Weight: side.Weight})
		l.rates = append(l.rates, side.Direct)
	}
	if !t.direct {
		hub.ShareInto(l.profile.Capacity, l.claims, l.rates)
	}
	for _, rate := range l.rates {
		to = append(to, math.Log(rate))
	}
	return to
}

// predicted returns the logarithms of all rates observed, as a vector has them.
func (l *law) predicted(x []float64) (logs []float64) {
	l.set(x)
	for i := range l.targets {
		logs = l.appendLogs(logs, &l.targets[i])
	}
	return logs
}

// residuals returns how far some logarithms lie from those predicted, in their errors.
func (l *law) residuals(x, logs []float64) []float64 {
	r := l.predicted(x)
	for i := range r {
		r[i] = (logs[i] - r[i]) / l.errors[i]
	}
	return r
}

func (l *law) squares(x, logs []float64) float64 {
	r := l.residuals(x, logs)
	return floats.Dot(r, r)
}

// jacobian returns how the predictions change with the parameters, in the errors of what was
// observed.
func (l *law) jacobian(x []float64) *mat.Dense {
	const step = 1e-6
	at := l.predicted(x)
	j := mat.NewDense(len(at), len(x), nil)
	moved := slices.Clone(x)
	for k, p := range l.params {
		if !p.fitted {
			continue
		}
		moved[k] += step
		l.set(moved)
		row := 0
		var logs []float64
		for i := range l.targets {
			t := &l.targets[i]
			if p.side == nil || slices.Contains(t.sides, p.side) {
				logs = l.appendLogs(logs[:0], t)
				for n, v := range logs {
					j.Set(row+n, k, (v-at[row+n])/step/l.errors[row+n])
				}
			}
			row += len(t.sides)
		}
		moved[k] = x[k]
	}
	return j
}

// descend finds a least weighted sum of squares near a start: Newton's method with the Hessian of
// Gauss (Nocedal and Wright, Numerical Optimization, 2006, 10.3). What no observation depends on
// stays as it starts.
func (l *law) descend(start, logs []float64) []float64 {
	const damping = 1e-3 // for what hardly any observation depends on
	var j *mat.Dense
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return l.squares(x, logs) / 2 },
		Grad: func(slope, x []float64) {
			j = l.jacobian(x)
			var g mat.VecDense
			g.MulVec(j.T(), mat.NewVecDense(len(logs), l.residuals(x, logs)))
			for i := range slope {
				slope[i] = -g.AtVec(i)
			}
		},
		Hess: func(h *mat.SymDense, x []float64) {
			j = l.jacobian(x)
			h.SymOuterK(1, j.T())
			for i := range x {
				h.SetSym(i, i, h.At(i, i)+damping)
			}
		},
	}
	settings := &optimize.Settings{
		MajorIterations: 60,
		Converger:       &optimize.FunctionConverge{Relative: 1e-7, Iterations: 3},
	}
	// Its only errors are that it finds nothing better, as at the edge of a capacity.
	newton := &optimize.Newton{Linesearcher: &optimize.Backtracking{}}
	result, _ := optimize.Minimize(problem, start, settings, newton)
	return result.X
}
