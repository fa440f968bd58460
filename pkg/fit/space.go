package fit

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"

	"github.com/hubbench/hubbench/pkg/trace"
)

// space is the parameters that evidence can speak of, as one vector of logarithms, and the evidence made ready to be
// compared with what a vector predicts.
//
// Every parameter has a prior, lognormal and so wide that it only counts where the evidence says nothing: without
// it, what was never contended would have no value at all.
type space struct {
	params []coordinate
	disks  []string
	obs    []target

	model  model // scratch: the parameters of the vector looked at
	claims []hub.Claim
	rates  []float64
}

// coordinate is one parameter. All but value are logarithms.
type coordinate struct {
	name      string
	kind      kind
	value     *float64 // where it lies in the space's model
	start     float64  // where descents begin
	low, high float64  // bounds
	prior     prior
}

// prior is what is taken for likely before any evidence: normal, about a centre that other parameters may move.
type prior struct {
	centre float64
	moved  []term
	wide   float64 // standard deviation
}

// term adds a parameter, times a factor, to a prior's centre.
type term struct {
	param  int
	factor float64
}

// The first parameters of every space: the capacities to read and to write.
const (
	reads = iota
	writes
)

type kind int

const (
	aRate kind = iota
	aWeight
	readThrough // a disk's rate through the hub, which cannot pass the hub's own
	writeThrough
)

// model is the part of a profile that rates depend on.
type model struct {
	capacity hub.Capacity
	sides    map[string]*[2]hub.Side // by disk: read, write
}

// target is an observation with its disks resolved.
type target struct {
	sides  []*hub.Side
	ops    []trace.Role
	direct bool
	logs   []float64 // of the rates observed
	errors []float64 // of those
}

// Widths of the priors, and what they are centred on.
const (
	wideRate   = 0.7  // of a rate, about the most that was seen of it
	wideWays   = 0.25 // of write capacity about read capacity: a cable's two ways are much alike
	bothRatio  = 1.4  // both, times the mean of read and write; Goshen Ridge's is 1.36
	wideBoth   = 0.25
	wideWeight = 0.5 // of a weight about the disk's speed, relative to the first disk's: the winner is the fastest
	wideReads  = 0.2 // the same for reads, which were shared about evenly wherever it was looked at
	farthest   = 4   // bounds lie at so many widths
)

// newSpace lays out the parameters that the evidence touches.
func newSpace(e *hub.Evidence) (*space, error) {
	s := &space{disks: e.Disks(), model: model{sides: map[string]*[2]hub.Side{}}}
	if len(e.Rates) == 0 {
		return nil, fmt.Errorf("fit a hub: the runs hold no stretch of %g s with a steady rate; record solo phases and pairs", shortestS)
	}
	s.model.capacity = hub.Capacity{ReadWeight: 1}
	seen := survey(e)

	// What no observation touches still needs a value: all capacities are parameters in any case.
	c := &s.model.capacity
	most := math.Log(max(seen.total[0], seen.total[1], seen.fastest))
	s.add(coordinate{name: "capacity.read", value: &c.Read, start: most, prior: prior{centre: most, wide: wideRate}})
	s.add(coordinate{name: "capacity.write", value: &c.Write, start: most, prior: prior{moved: []term{{reads, 1}}, wide: wideWays}})
	s.add(coordinate{
		name: "capacity.both", value: &c.Both, start: most + math.Log(bothRatio),
		prior: prior{centre: math.Log(bothRatio), moved: []term{{reads, 0.5}, {writes, 0.5}}, wide: wideBoth},
	})
	s.add(coordinate{name: "weights.write", kind: aWeight, value: &c.WriteWeight, prior: prior{wide: wideWeight}})

	var first [2]float64 // how fast the disk is whose weight is 1
	for _, disk := range s.disks {
		sides := &[2]hub.Side{{Hub: 1, Direct: 1, Weight: 1}, {Hub: 1, Direct: 1, Weight: 1}}
		s.model.sides[disk] = sides
		for d, op := range [2]trace.Role{trace.Read, trace.Write} {
			side, name := &sides[d], disk+"."+string(op)
			if rate := seen.hub[diskOp{disk, op}]; rate > 0 {
				at := math.Log(rate)
				through := [2]kind{readThrough, writeThrough}[d]
				s.add(coordinate{name: name + ".hub", kind: through, value: &side.Hub, start: at, prior: prior{centre: at, wide: wideRate}})
				if first[d] == 0 {
					first[d] = at
				} else {
					s.add(coordinate{
						name: name + ".weight", kind: aWeight, value: &side.Weight,
						start: at - first[d], prior: prior{centre: at - first[d], wide: [2]float64{wideReads, wideWeight}[d]},
					})
				}
			}
			if rate := seen.direct[diskOp{disk, op}]; rate > 0 {
				at := math.Log(rate)
				s.add(coordinate{name: name + ".direct", value: &side.Direct, start: at, prior: prior{centre: at, wide: wideRate}})
			}
		}
	}
	for i := range e.Rates {
		t, _ := s.target(&e.Rates[i])
		s.obs = append(s.obs, t)
	}
	return s, nil
}

// target makes an observation ready to be compared. Where no parameter says how fast one of its disks is, it returns
// which.
func (s *space) target(o *hub.Observation) (t target, lacks string) {
	t.direct = o.Direct
	way := ".hub"
	if o.Direct {
		way = ".direct"
	}
	for _, d := range o.Disks {
		name := d.Disk + "." + string(d.Op) + way
		if !s.has(name) {
			return t, name
		}
		t.sides = append(t.sides, &s.model.sides[d.Disk][hub.Direction(d.Op)])
		t.ops = append(t.ops, d.Op)
		t.logs = append(t.logs, math.Log(d.Rate))
		t.errors = append(t.errors, d.Error)
	}
	return t, ""
}

// has reports whether there is a parameter of that name.
func (s *space) has(name string) bool {
	return slices.ContainsFunc(s.params, func(p coordinate) bool { return p.name == name })
}

type diskOp struct {
	disk string
	op   trace.Role
}

// seen is the most that was seen of each thing.
type seen struct {
	hub, direct map[diskOp]float64
	total       [2]float64 // on the hub; read, write
	fastest     float64    // of any disk, wherever it was plugged in
}

func survey(e *hub.Evidence) seen {
	s := seen{hub: map[diskOp]float64{}, direct: map[diskOp]float64{}}
	for _, o := range e.Rates {
		var total [2]float64
		for _, d := range o.Disks {
			key := diskOp{d.Disk, d.Op}
			s.fastest = max(s.fastest, d.Rate)
			if o.Direct {
				s.direct[key] = max(s.direct[key], d.Rate)
				continue
			}
			s.hub[key] = max(s.hub[key], d.Rate)
			total[hub.Direction(d.Op)] += d.Rate
		}
		s.total[0], s.total[1] = max(s.total[0], total[0]), max(s.total[1], total[1])
	}
	return s
}

// add takes a parameter in.
func (s *space) add(c coordinate) {
	c.low, c.high = c.start-farthest*wideRate, c.start+farthest*wideRate
	s.params = append(s.params, c)
}

// set makes the model of a vector.
func (s *space) set(x []float64) {
	for i, p := range s.params {
		*p.value = math.Exp(x[i])
	}
}

// predict returns the rates of a target under the model as set; they hold until the next call.
func (s *space) predict(t *target) []float64 {
	s.claims, s.rates = s.claims[:0], s.rates[:0]
	for i, side := range t.sides {
		s.claims = append(s.claims, hub.Claim{Op: t.ops[i], Cap: side.Hub, Weight: side.Weight})
		s.rates = append(s.rates, side.Direct)
	}
	if !t.direct {
		hub.ShareInto(s.model.capacity, s.claims, s.rates)
	}
	return s.rates
}

// residuals are what the least squares are of: how far each rate observed lies from the model's, in standard errors,
// and then how far the parameters lie from their priors, in the priors' widths.
func (s *space) residuals(x, out []float64) []float64 {
	s.set(x)
	out = out[:0]
	for i := range s.obs {
		t := &s.obs[i]
		for j, rate := range s.predict(t) {
			out = append(out, (t.logs[j]-math.Log(rate))/t.errors[j])
		}
	}
	for i := range s.params {
		p := &s.params[i].prior
		off := x[i] - p.centre
		for _, t := range p.moved {
			off -= t.factor * x[t.param]
		}
		out = append(out, off/p.wide)
	}
	return out
}
