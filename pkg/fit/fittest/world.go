// Package fittest makes random hubs of known truth, of which some share as a fit supposes and others like none that it
// knows, for tests of what is said of a hub by its measurements.
//
// Start at Own and Foreign.
package fittest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

const gb = 1e9

// World is a hub of known truth.
type World struct {
	Disks []string
	Rates func(mix []hub.Observed) []float64 // what the disks of a mix get, in bytes per second; of the mix only disks and ops count
}

// Kind makes random hubs that share in one way.
type Kind struct {
	Name string
	Make func(*rand.Rand) World
	// Tuned kinds may be used to choose priors and limits by, with seeds that no test uses; the others are for tests alone.
	Tuned bool
}

// Profiled is the world that a profile describes.
func Profiled(p *hub.Profile) World {
	return World{p.Names(), func(mix []hub.Observed) []float64 { return share(p, mix) }}
}

// share is what a profile shares out.
func share(p *hub.Profile, mix []hub.Observed) []float64 {
	claims := make([]hub.Claim, len(mix))
	for i, use := range mix {
		side := p.Disk(use.Disk).Side(use.Op)
		claims[i] = hub.Claim{Op: use.Op, Cap: side.Hub, Weight: side.Weight}
	}
	return hub.Share(p.Capacity, claims)
}

// Mixes lists every mix of at most so many of the disks, the smaller first, without rates.
func (w *World) Mixes(atWork int) [][]hub.Observed {
	list := [][]hub.Observed{nil}
	for _, disk := range w.Disks {
		for _, mix := range slices.Clip(list) {
			if len(mix) == atWork {
				continue
			}
			for _, op := range []trace.Role{trace.Write, trace.Read} {
				list = append(list, append(slices.Clip(mix), hub.Observed{Disk: disk, Op: op}))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b []hub.Observed) int { return len(a) - len(b) })
	return list[1:]
}

// Measured is what measuring mixes of at most so many disks says of a world, every rate off by a random error of 1 to
// 3 % that the evidence knows of.
func (w *World) Measured(rng *rand.Rand, atWork int) *hub.Evidence {
	noise := between(rng, 0.01, 0.03)
	e := &hub.Evidence{Noise: hub.ObservedNoise{Squares: noise * noise * 100, Freedom: 100}}
	for _, mix := range w.Mixes(atWork) {
		o := hub.Observation{Disks: mix}
		o.Phase = o.Mix()
		for i, rate := range w.Rates(mix) {
			mix[i].Rate, mix[i].Error = rate*math.Exp(noise*rng.NormFloat64()), noise
		}
		e.Rates = append(e.Rates, o)
	}
	return e
}

func between(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// randomProfile is a hub with disks of very different speeds.
func randomProfile(rng *rand.Rand, weighted bool) *hub.Profile {
	p := &hub.Profile{Name: "random", Link: math.Inf(1), Lane: math.Inf(1), Capacity: hub.Capacity{
		Read: between(rng, 2.6, 3.6) * gb, Write: between(rng, 2.6, 3.6) * gb, ReadWeight: 1, WriteWeight: between(rng, 0.7, 1.6),
	}}
	p.Capacity.Both = between(rng, 1.2, 1.6) * (p.Capacity.Read + p.Capacity.Write) / 2
	for _, name := range []string{"A", "B", "C"} {
		d := hub.Disk{Name: name, Read: hub.Side{Hub: between(rng, 0.8, 2.9) * gb, Weight: 1}, Write: hub.Side{Hub: between(rng, 0.8, 2.9) * gb, Weight: 1}}
		if weighted {
			d.Read.Weight, d.Write.Weight = math.Exp(0.3*rng.NormFloat64()), math.Exp(0.6*rng.NormFloat64())
		}
		d.Read.Direct, d.Write.Direct = d.Read.Hub, d.Write.Hub
		p.Disks = append(p.Disks, d)
	}
	return p
}

// Own are kinds that share as one of the fit's families does.
func Own() []Kind {
	return []Kind{
		{Name: "weighted max-min", Make: func(rng *rand.Rand) World { return Profiled(randomProfile(rng, true)) }},
		{Name: "in proportion", Make: func(rng *rand.Rand) World {
			p := randomProfile(rng, false)
			p.Capacity.Proportional = true
			return Profiled(p)
		}},
		{Name: "cost per active disk", Make: func(rng *rand.Rand) World {
			p, cost := randomProfile(rng, true), between(rng, 0.03, 0.12)
			return World{p.Names(), func(mix []hub.Observed) []float64 {
				less, left := *p, 1-cost*float64(len(mix)-1)
				less.Capacity.Read *= left
				less.Capacity.Write *= left
				less.Capacity.Both *= left
				return share(&less, mix)
			}}
		}},
		{Name: "two disks carry less than three", Make: func(rng *rand.Rand) World {
			p := randomProfile(rng, true)
			p.Capacity.Pair = between(rng, 0.88, 0.97)
			return Profiled(p)
		}},
		{Name: "asymmetric duplex", Make: func(rng *rand.Rand) World {
			p := randomProfile(rng, true)
			c := &p.Capacity
			c.Both = c.Read + c.Write
			c.ReadLoss, c.WriteLoss = between(rng, 0, 0.3), between(rng, 0.3, 0.7)
			if rng.IntN(2) == 0 {
				c.ReadLoss, c.WriteLoss = c.WriteLoss, c.ReadLoss
			}
			return Profiled(p)
		}},
	}
}
