package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Family is a way in which hubs share, fitted with parameters of its own.
type Family string

// The families that are fitted.
const (
	// Weighted is max-min sharing by weights that are fitted.
	Weighted Family = "weighted"
	// Proportional gives every disk the same part of what it can do.
	Proportional Family = "proportional"
	// DiskCost is Weighted on a hub that carries less the more disks are active.
	DiskCost Family = "disk_cost"
	// PairLoss is Weighted on a hub that carries less in a direction for two disks than for three or more, and less
	// in both together when more than one disk writes.
	PairLoss Family = "pair_loss"
	// DuplexLoss is Weighted on a hub each of whose directions loses to the traffic of the other, by factors of its own.
	DuplexLoss Family = "duplex_loss"
	// Pooled is Weighted on a hub where each direction pulls by what its disks pull together.
	Pooled Family = "pooled"
)

// families lists them, the simplest to read first: it is preferred if the runs do not distinguish them.
var families = [...]Family{Weighted, Proportional, DiskCost, PairLoss, DuplexLoss, Pooled}

// String says it in words.
func (f Family) String() string {
	words := map[Family]string{
		Weighted:     "by weights",
		Proportional: "in proportion to the disks' speeds",
		DiskCost:     "by weights, with a cost per active disk",
		PairLoss:     "by weights, filled less by two disks, or by several writers",
		DuplexLoss:   "by weights, each direction losing to the other",
		Pooled:       "by weights, each direction pulling by its disks' together",
	}
	return cmp.Or(words[f], string(f))
}

// space is the parameters that the evidence may determine, as one vector of logarithms, and the evidence in the form to
// compare with what a vector predicts.
//
// Every parameter has a prior so wide that it only counts if the evidence says nothing: without it, what was never
// contended would have no value at all. That of a weight has its centre at even sharing, and heavy tails, so that a
// weight which the evidence only bounds from one side is not held close to the bound.
type space struct {
	family Family
	params []coordinate
	disks  []string
	obs    []target

	// The model that the vector last looked at makes; and scratch.
	capacity hub.Capacity
	sides    map[string]*[2]hub.Side // by disk: read, write
	claims   []hub.Claim
	rates    []float64
}

// coordinate is one parameter. All but value and kind are logarithms.
type coordinate struct {
	name      string
	kind      kind
	value     *float64  // where it lies in the space's model
	side      *hub.Side // the disk's side it belongs to; nil for what all disks share
	start     float64   // where descents begin
	speed     float64   // of a weight: how much faster the disk is than the first
	low, high float64   // bounds
	prior     prior
}

type kind int

const (
	aRate       kind = iota
	aFactor          // a weight, or a loss: it has no unit
	readThrough      // a disk's rate through the hub, which cannot pass the hub's own
	writeThrough
)

// The first parameters of every space: the capacities to read and to write.
const (
	reads = iota
	writes
)

// prior is a parameter's prior distribution: normal, about a centre that other parameters may move; or with heavy
// tails, Student's t (Gelman, Jakulin, Pittau and Su, Ann. Appl. Statist. 2, 2008) of two widths, see outlier.
type prior struct {
	centre float64
	moved  []term
	wide   float64 // standard deviation, or scale
	heavy  bool
}

// term adds a parameter, times a factor, to a prior's centre.
type term struct {
	param  int
	factor float64
}

// target is an observation with its disks resolved.
type target struct {
	sides  []*hub.Side
	ops    []trace.Role
	direct bool
	logs   []float64 // of the rates observed
	errors []float64 // of those
}

// The priors of the parameters, as logarithms.
const (
	wideDisk   = 0.35 // of a disk's rate, about the most that was seen of it
	wideRate   = 0.7  // of a rate, about the most that was seen of it
	wideWays   = 0.25 // of write capacity about read capacity: a cable's two directions are much alike
	bothRatio  = 1.4  // both, times the mean of read and write; Goshen Ridge's is 1.36
	wideBoth   = 0.25
	wideWeight = 0.55 // of a weight about an even share
	wideReads  = 0.35 // the same for reads, which were shared about evenly in every measurement
	farthest   = 4    // bounds lie at so many widths

	likelyDiskCost, wideDiskCost  = 0.06, 0.85        // about 6 %; 95 % from 1 % to 43 %
	likelyPair, widePair, minPair = -0.05, 0.05, -0.3 // of the part that two disks carry, or writers; at most 0
	likelyLoss, wideLoss, maxLoss = 0.2, 1.0, 0.95

	// A weight lies about its centre, or in some hubs, which serve one disk long before another, anywhere: outlier is how
	// likely that is, and outlierWidth by how much its prior is wider (contamination of a prior: Berger, Statistical
	// Decision Theory and Bayesian Analysis, 1985, 4.7.4). What was measured overrules both.
	outlier, outlierWidth = 0.25, 5.0
	priorFreedom          = 3.0 // degrees of freedom of a prior with heavy tails

	maxFitted = 32 // disks: the time that it takes grows with their cube
)

// residual is how far x lies from the centre: its square is twice the fall of the logarithm of the prior's density.
func (p *prior) residual(x []float64, param int) float64 {
	off := x[param] - p.centre
	for _, t := range p.moved {
		off -= t.factor * x[t.param]
	}
	off /= p.wide
	if p.heavy {
		return math.Copysign(math.Sqrt(2*max(heavyDensity(0)-heavyDensity(off), 0)), off)
	}
	return off
}

// heavyDensity is the logarithm of the density of a weight's prior, but for a constant, in the prior's scale.
func heavyDensity(off float64) float64 {
	t := func(x float64) float64 {
		u := 1 + x*x/priorFreedom
		return 1 / (u * u) // to the power of half of one more than priorFreedom
	}
	return math.Log((1-outlier)*t(off) + outlier/outlierWidth*t(off/outlierWidth))
}

type diskOp struct {
	disk   string
	op     trace.Role
	direct bool
}

// newSpace lays out the parameters that the evidence touches.
func newSpace(e *hub.Evidence, family Family) (*space, error) {
	s := &space{family: family, disks: e.Disks(), sides: map[string]*[2]hub.Side{}}
	if len(e.Rates) == 0 {
		return nil, fmt.Errorf("fit a hub: the runs hold no stretch of %g s with a steady rate; "+
			"record solo phases and pairs", shortestS)
	}
	if len(s.disks) > maxFitted {
		return nil, fmt.Errorf("the runs have %d disks, and the limit is %d; give the runs of one hub",
			len(s.disks), maxFitted)
	}
	most := map[diskOp]float64{} // seen of a disk
	highest := 0.0               // seen of any, or of all in one direction on the hub
	severalWriters := false      // beside a reader, on the hub
	for _, o := range e.Rates {
		var total [2]float64
		var disks [2]int
		for _, d := range o.Disks {
			key := diskOp{d.Disk, d.Op, o.Direct}
			most[key] = max(most[key], d.Rate)
			highest = max(highest, d.Rate)
			if !o.Direct {
				total[hub.Direction(d.Op)] += d.Rate
				disks[hub.Direction(d.Op)]++
			}
		}
		severalWriters = severalWriters || disks[0] > 0 && disks[1] > 1
		highest = max(highest, total[0], total[1])
	}
	s.addCapacities(math.Log(highest), severalWriters)
	var first [2]float64   // how fast the disk is whose weight is 1
	var weighted [2][]term // the weights there are: the mean of all before is the centre of the next
	for _, disk := range s.disks {
		sides := &[2]hub.Side{{Hub: 1, Direct: 1, Weight: 1}, {Hub: 1, Direct: 1, Weight: 1}}
		s.sides[disk] = sides
		for d, op := range [2]trace.Role{trace.Read, trace.Write} {
			c := coordinate{side: &sides[d]}
			name := disk + "." + string(op)
			if rate := most[diskOp{disk, op, false}]; rate > 0 {
				at := math.Log(rate)
				c.name, c.kind, c.value = name+".hub", [2]kind{readThrough, writeThrough}[d], &sides[d].Hub
				c.start, c.prior = at, prior{centre: at, wide: wideDisk}
				s.add(c)
				if weighted[d] == nil {
					first[d] = at
				} else if family != Proportional {
					terms := slices.Clone(weighted[d][1:]) // the first is 1, and no parameter
					for i := range terms {
						terms[i].factor = 1 / float64(len(weighted[d]))
					}
					wide := [2]float64{wideReads, wideWeight}[d]
					s.add(coordinate{
						name: name + ".weight", kind: aFactor, value: &sides[d].Weight, side: &sides[d], speed: at - first[d],
						prior: prior{moved: terms, wide: wide, heavy: true},
					})
				}
				weighted[d] = append(weighted[d], term{param: len(s.params) - 1})
			}
			if rate := most[diskOp{disk, op, true}]; rate > 0 {
				at := math.Log(rate)
				c.name, c.kind, c.value = name+".direct", aRate, &sides[d].Direct
				c.start, c.prior = at, prior{centre: at, wide: wideDisk}
				s.add(c)
			}
		}
	}
	for i := range e.Rates {
		t, _ := s.target(&e.Rates[i])
		s.obs = append(s.obs, t)
	}
	return s, nil
}

// addCapacities lays out the parameters that all disks share. All capacities are parameters: one that no observation
// touches still needs a value.
func (s *space) addCapacities(highest float64, severalWriters bool) {
	c := &s.capacity
	*c = hub.Capacity{
		ReadWeight: 1, WriteWeight: 1, Both: math.Inf(1), Proportional: s.family == Proportional, Pooled: s.family == Pooled,
	}
	of := func(name string, value *float64, at, wide float64) coordinate {
		return coordinate{name: name, kind: aFactor, value: value, start: at, prior: prior{centre: at, wide: wide}}
	}
	rate := of("capacity.read", &c.Read, highest, wideRate)
	rate.kind = aRate
	s.add(rate)
	rate.name, rate.value, rate.prior = "capacity.write", &c.Write, prior{moved: []term{{reads, 1}}, wide: wideWays}
	s.add(rate)
	if s.family == DuplexLoss {
		s.add(of("capacity.read_loss", &c.ReadLoss, math.Log(likelyLoss), wideLoss)).high = math.Log(maxLoss)
		s.add(of("capacity.write_loss", &c.WriteLoss, math.Log(likelyLoss), wideLoss)).high = math.Log(maxLoss)
		return
	}
	rate.name, rate.value, rate.start = "capacity.both", &c.Both, highest+math.Log(bothRatio)
	rate.prior = prior{centre: math.Log(bothRatio), moved: []term{{reads, 0.5}, {writes, 0.5}}, wide: wideBoth}
	s.add(rate)
	weight := of("weights.write", &c.WriteWeight, 0, wideWeight)
	weight.prior.heavy = true
	s.add(weight)
	if s.family == PairLoss {
		parts := []coordinate{of("capacity.pair", &c.Pair, likelyPair, widePair)}
		if severalWriters { // else nothing determines the part, and it is better left out
			parts = append(parts, of("capacity.two_writers", &c.TwoWriters, likelyPair, widePair))
		}
		for _, part := range parts {
			p := s.add(part)
			p.low, p.high = minPair, 0
		}
	}
	if s.family == DiskCost {
		s.add(of("capacity.per_disk", &c.PerDisk, math.Log(likelyDiskCost), wideDiskCost))
	}
}

func (s *space) add(c coordinate) *coordinate {
	c.low, c.high = c.start-farthest*wideRate, c.start+farthest*wideRate
	s.params = append(s.params, c)
	return &s.params[len(s.params)-1]
}

// target makes an observation ready to be compared. If no parameter says how fast one of its disks is, it returns
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
		t.sides = append(t.sides, &s.sides[d.Disk][hub.Direction(d.Op)])
		t.ops = append(t.ops, d.Op)
		t.logs = append(t.logs, math.Log(d.Rate))
		t.errors = append(t.errors, d.Error)
	}
	return t, ""
}

func (s *space) has(name string) bool {
	return slices.ContainsFunc(s.params, func(p coordinate) bool { return p.name == name })
}

// set sets the model to a vector. If pairs carry less, the vector has what they do carry, as that is what they show:
// how much more others carry may then be anything without contradicting them.
func (s *space) set(x []float64) {
	for i, p := range s.params {
		*p.value = math.Exp(x[i])
	}
	if c := &s.capacity; s.family == PairLoss {
		c.Read, c.Write = c.Read/c.Pair, c.Write/c.Pair
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
		hub.ShareInto(s.capacity, s.claims, s.rates)
	}
	return s.rates
}

// residuals are what the least squares are of: how far each rate observed lies from the model's, in standard errors,
// and then how far the parameters lie from their priors, in the priors' widths.
func (s *space) residuals(x, out []float64) []float64 {
	s.set(x)
	out = out[:0]
	for i := range s.obs {
		out = s.apart(&s.obs[i], out)
	}
	for i := range s.params {
		out = append(out, s.params[i].prior.residual(x, i))
	}
	return out
}

// apart appends how far the rates of an observation lie from those of the model as set, in standard errors.
func (s *space) apart(t *target, out []float64) []float64 {
	for j, rate := range s.predict(t) {
		out = append(out, (t.logs[j]-math.Log(rate))/t.errors[j])
	}
	return out
}
