// Package fit makes hub profiles from runs and predicts what was not measured. It reads traces and hub profiles; the
// model itself is package hub's.
//
// Start at Observe (from a run to evidence), FromEvidence (from evidence to a profile) and Predict.
package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"

	"github.com/hubbench/hubbench/pkg/stats"
)

// Result is a hub's parameters as far as the evidence knows them.
type Result struct {
	Profile    *hub.Profile // to be played; what is not known in it is assumed, as its parameter's note says
	Parameters []Parameter
	Residuals  []Residual
	Misfit     float64 // root mean square of the residuals in their errors: near 1 when the model holds
	Warnings   []string
}

// Parameter is one figure of the profile with its 95 % interval.
type Parameter struct {
	Name             string // as its keys in the profile: capacity.read, A.write.weight
	Unit             string // B/s, s, or empty for a plain number
	Value, Low, High float64
	Note             string // why it is not known, or not from above; empty where it is
}

// Residual is an observed rate beside the fitted model's.
type Residual struct {
	Phase    string
	Mix      string
	Observed hub.Observed
	Model    float64
}

// Off is how far the observation lies from the model, relative to it.
func (r *Residual) Off() float64 { return r.Observed.Rate/r.Model - 1 }

// Options says how to fit.
type Options struct {
	Name string // of the profile
	Seed uint64 // of the starts and of the intervals' sampling
}

const (
	// wellKnown is the ratio of an interval's ends up to which a parameter counts as known.
	wellKnown = 1.5
	// poorFit is the misfit from which on a fit comes with a warning.
	poorFit = 1.5
	// nudge is by how much a parameter is moved, up and down, to see what depends on it.
	// A parameter that nothing minds being moved so far is not known to wellKnown either.
	nudge = 0.2
	// minds is the growth of the sum of squares that chance exceeds once in twenty: chi-square, one degree of freedom.
	minds = 3.84
)

// FromEvidence finds the hub that explains the evidence best.
//
// Rates are fitted by least squares of their logarithms in their standard errors, from several starts; lags and noise are
// means of what was observed. Where the rates scatter more than their errors allow, the errors are widened until they
// do not. Size effects and caches are not fitted.
func FromEvidence(e *hub.Evidence, o Options) (*Result, error) {
	s, err := newSpace(e)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	best := s.best(rng)
	f := &Result{Profile: &hub.Profile{Name: o.Name, Source: hub.Fitted, Link: math.Inf(1), Lane: math.Inf(1), Evidence: *e}}
	f.judge(s, e, best)
	vectors := s.sample(rng, best, max(f.Misfit, 1))
	f.rates(s, best, vectors)
	f.lags(e)
	f.noise(e)
	return f, nil
}

// judge compares the best model with the evidence.
func (f *Result) judge(s *space, e *hub.Evidence, best []float64) {
	s.set(best)
	sum, n := 0.0, 0
	for i := range s.obs {
		o := &e.Rates[i]
		for j, rate := range s.predict(&s.obs[i]) {
			f.Residuals = append(f.Residuals, Residual{Phase: o.Phase, Mix: o.Mix(), Observed: o.Disks[j], Model: rate})
			off := (math.Log(o.Disks[j].Rate) - math.Log(rate)) / o.Disks[j].Error
			sum += off * off
			n++
		}
	}
	known := 0
	for i := range s.params {
		if up, down := s.matters(best, i); up || down {
			known++
		}
	}
	f.Misfit = math.Sqrt(sum / float64(max(n-known, 1)))
	if f.Misfit > poorFit {
		f.Warnings = append(f.Warnings, fmt.Sprintf("the rates lie %.1f times as far from the model as their errors allow: something it does not know was at work, such as heat, a full cache or another program; the intervals are widened by that", f.Misfit))
	}
	if n <= known {
		f.Misfit = 1
		f.Warnings = append(f.Warnings, "there are no more observations than parameters: nothing checks the fit; record more phases")
	}
}

// matters tells whether the evidence minds when a parameter is raised, and when it is lowered, all others staying: at
// the edge of a capacity it may mind one and not the other.
func (s *space) matters(at []float64, param int) (up, down bool) {
	worse, _ := s.effect(at, param, nudge)
	up = worse > minds
	worse, _ = s.effect(at, param, -nudge)
	return up, worse > minds
}

// effect is what moving a parameter does: by how much the sum of squares grows, and the largest relative change of a
// rate.
func (s *space) effect(at []float64, param int, by float64) (worse, most float64) {
	before := s.data(at)
	x := slices.Clone(at)
	x[param] += by
	after := s.data(x)
	i := 0
	for _, t := range s.obs {
		for _, err := range t.errors {
			most = max(most, err*math.Abs(after[i]-before[i]))
			i++
		}
	}
	return squares(after) - squares(before), most
}

// data is the residuals without the priors'.
func (s *space) data(x []float64) []float64 {
	r := s.residuals(x, nil)
	return r[:len(r)-len(x)]
}

// rates makes parameters and profile of the vectors drawn. What is not known takes the median of what is possible,
// for the best fit of it is an accident; what is known is then fitted to that.
func (f *Result) rates(s *space, best []float64, vectors [][]float64) {
	chosen := slices.Clone(best)
	for i := range s.params {
		c := &s.params[i]
		column := make([]float64, len(vectors))
		for j, v := range vectors {
			column[j] = v[i]
		}
		slices.Sort(column)
		low, high := stats.Quantile(column, 0.025), stats.Quantile(column, 0.975)
		p := Parameter{Name: c.name, Low: math.Exp(low), High: math.Exp(high)}
		if c.kind != aWeight {
			p.Unit = "B/s"
		}
		up, down := s.matters(best, i)
		switch {
		case !up && !down:
			p.Note = "not identifiable: no phase depends on it; assumed"
		case p.High > wellKnown*p.Low && !up:
			p.Note = "not identifiable from above: no phase reached it"
		case p.High > wellKnown*p.Low:
			p.Note = "poorly known: other values explain the same phases"
		}
		if p.Note != "" {
			chosen[i] = stats.Quantile(column, 0.5)
			c.low, c.high = chosen[i], chosen[i]
		}
		f.Parameters = append(f.Parameters, p)
	}
	s.descend(chosen)
	s.set(chosen)
	for i, x := range chosen {
		p := &f.Parameters[i]
		p.Value = math.Exp(x)
		switch s.params[i].kind {
		case readThrough:
			p.under(&f.Parameters[reads])
		case writeThrough:
			p.under(&f.Parameters[writes])
		case aRate, aWeight:
		}
		p.Low, p.High = min(p.Low, p.Value), max(p.High, p.Value)
	}
	f.Profile.Capacity = s.model.capacity
	c := &f.Profile.Capacity
	c.Both = min(c.Both, c.Read+c.Write)
	for _, name := range s.disks {
		f.Profile.Disks = append(f.Profile.Disks, s.disk(name, c))
	}
}

// under bounds a disk's rate by what the hub carries: more would make no difference.
func (p *Parameter) under(capacity *Parameter) {
	p.Value, p.Low, p.High = min(p.Value, capacity.Value), min(p.Low, capacity.Low), min(p.High, capacity.High)
}

// disk makes a profile's disk of the model's. What was never measured is taken to be as what was: through the hub as
// direct, reads as writes, and the other way round.
func (s *space) disk(name string, c *hub.Capacity) hub.Disk {
	d := hub.Disk{Name: name, Read: s.model.sides[name][0], Write: s.model.sides[name][1]}
	for _, side := range []struct {
		name    string
		side    *hub.Side
		carries float64
	}{{"read", &d.Read, c.Read}, {"write", &d.Write, c.Write}} {
		through, direct := s.has(name+"."+side.name+".hub"), s.has(name+"."+side.name+".direct")
		switch {
		case through && !direct:
			side.side.Direct = side.side.Hub
		case direct && !through:
			side.side.Hub = side.side.Direct
		case !through:
			*side.side = hub.Side{}
		}
		side.side.Hub = min(side.side.Hub, side.carries)
	}
	if d.Read == (hub.Side{}) {
		d.Read = hub.Side{Hub: min(d.Write.Hub, c.Read), Direct: d.Write.Direct, Weight: 1}
	}
	if d.Write == (hub.Side{}) {
		d.Write = hub.Side{Hub: min(d.Read.Hub, c.Write), Direct: d.Read.Direct, Weight: 1}
	}
	return d
}
