package fit

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// world is a hub of known truth: what the disks of a mix get on it, which may be nothing the fit knows of.
type world struct {
	disks []string
	rates func(mix) []float64
}

// kindOfWorld makes random hubs that share in one way.
type kindOfWorld struct {
	name string
	make func(*rand.Rand) world
}

// ownWorlds share as one of the fit's families does.
func ownWorlds() []kindOfWorld {
	return []kindOfWorld{
		{"weighted max-min", func(rng *rand.Rand) world { return profiled(randomProfile(rng, true)) }},
		{"in proportion", func(rng *rand.Rand) world {
			p := randomProfile(rng, false)
			p.Capacity.Proportional = true
			return profiled(p)
		}},
		{"cost per active disk", func(rng *rand.Rand) world {
			return withCost(randomProfile(rng, true), between(rng, 0.03, 0.12))
		}},
		{"two disks carry less than three", func(rng *rand.Rand) world {
			p := randomProfile(rng, true)
			p.Capacity.Pair = between(rng, 0.88, 0.97)
			return profiled(p)
		}},
		{"asymmetric duplex", func(rng *rand.Rand) world {
			p := randomProfile(rng, true)
			c := &p.Capacity
			c.Both = c.Read + c.Write
			c.ReadLoss, c.WriteLoss = between(rng, 0, 0.3), between(rng, 0.3, 0.7)
			if rng.IntN(2) == 0 {
				c.ReadLoss, c.WriteLoss = c.WriteLoss, c.ReadLoss
			}
			return profiled(p)
		}},
	}
}

// foreignWorlds share in ways that no family of the fit has. The fit's priors and limits were chosen with tuning, and with
// seeds of ownWorlds that the tests do not use; the others are for testing.
func foreignWorlds(tuning bool) []kindOfWorld {
	if tuning {
		return []kindOfWorld{
			{"strict priority", func(rng *rand.Rand) world {
				p := randomProfile(rng, false)
				return withShares(p, func(m mix, n [2]int, rates []float64) { priority(p, m, rates) })
			}},
			{"every disk slows every disk", func(rng *rand.Rand) world {
				p, cost := randomProfile(rng, true), between(rng, 0.03, 0.12)
				return withShares(p, func(_ mix, n [2]int, rates []float64) {
					scale(rates, 1-cost*float64(n[0]+n[1]-1))
				})
			}},
			{"a write costs more of both", func(rng *rand.Rand) world {
				p, cost := randomProfile(rng, true), between(rng, 1.3, 2)
				return withShares(p, func(m mix, _ [2]int, rates []float64) { weighBoth(p, m, rates, cost) })
			}},
		}
	}
	return []kindOfWorld{
		{"convex in speed, nothing passed on", func(rng *rand.Rand) world {
			p, power := randomProfile(rng, false), between(rng, 1.3, 2.5)
			return withShares(p, func(m mix, _ [2]int, rates []float64) { convex(p, m, rates, power) })
		}},
		{"reads slowed by any writer", func(rng *rand.Rand) world {
			p, slowed := randomProfile(rng, true), between(rng, 0.5, 0.85)
			return withShares(p, func(m mix, n [2]int, rates []float64) {
				for i, use := range m {
					if use.op == trace.Read && n[1] > 0 {
						rates[i] *= slowed
					}
				}
			})
		}},
		{"writes lose by the number of writers", func(rng *rand.Rand) world {
			p, cost := randomProfile(rng, true), between(rng, 0.05, 0.2)
			return withShares(p, func(m mix, n [2]int, rates []float64) {
				for i, use := range m {
					if use.op == trace.Write {
						rates[i] /= 1 + cost*float64(n[1]-1)
					}
				}
			})
		}},
	}
}

func between(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// randomProfile is a hub with disks of very different speeds.
func randomProfile(rng *rand.Rand, weighted bool) *hub.Profile {
	p := &hub.Profile{Name: "random", Capacity: hub.Capacity{
		Read: between(rng, 2.6, 3.6) * gb, Write: between(rng, 2.6, 3.6) * gb, ReadWeight: 1, WriteWeight: between(rng, 0.7, 1.6),
	}}
	p.Capacity.Both = between(rng, 1.2, 1.6) * (p.Capacity.Read + p.Capacity.Write) / 2
	for _, name := range []string{"A", "B", "C"} {
		d := hub.Disk{Name: name, Read: hub.Side{Hub: between(rng, 0.8, 2.9) * gb, Weight: 1}, Write: hub.Side{Hub: between(rng, 0.8, 2.9) * gb, Weight: 1}}
		if weighted {
			d.Read.Weight, d.Write.Weight = math.Exp(0.3*rng.NormFloat64()), math.Exp(0.6*rng.NormFloat64())
		}
		p.Disks = append(p.Disks, d)
	}
	return p
}

func names(p *hub.Profile) []string {
	var list []string
	for _, d := range p.Disks {
		list = append(list, d.Name)
	}
	return list
}

func profiled(p *hub.Profile) world {
	return world{names(p), func(m mix) []float64 { return m.rates(p) }}
}

// withShares changes what a profile shares out: change gets the mix, its numbers of readers and writers, and the rates.
func withShares(p *hub.Profile, change func(m mix, n [2]int, rates []float64)) world {
	return world{names(p), func(m mix) []float64 {
		var n [2]int
		for _, use := range m {
			n[hub.Direction(use.op)]++
		}
		rates := m.rates(p)
		change(m, n, rates)
		return rates
	}}
}

// withCost takes the same part of all capacities for every active disk beyond the first.
func withCost(p *hub.Profile, cost float64) world {
	return world{names(p), func(m mix) []float64 {
		less, left := *p, 1-cost*float64(len(m)-1)
		less.Capacity.Read *= left
		less.Capacity.Write *= left
		less.Capacity.Both *= left
		return m.rates(&less)
	}}
}

func scale(rates []float64, by float64) {
	for i := range rates {
		rates[i] *= by
	}
}

// priority serves the fastest disk first, whatever it does; what the others find left is at least a tenth of their cap.
func priority(p *hub.Profile, m mix, rates []float64) {
	left := [2]float64{p.Capacity.Read, p.Capacity.Write}
	both := p.Capacity.Both
	order := make([]int, len(m))
	for i := range order {
		order[i] = i
	}
	speed := func(i int) float64 { return m[i : i+1].rates(p)[0] }
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, speed(b)-speed(a))) })
	for _, i := range order {
		d := hub.Direction(m[i].op)
		rates[i] = max(min(speed(i), left[d], both), 0.1*speed(i))
		left[d] -= rates[i]
		both -= rates[i]
	}
}

// weighBoth counts a byte written for more than a byte read where both directions are busy.
func weighBoth(p *hub.Profile, m mix, rates []float64, cost float64) {
	var sum [2]float64
	for i, use := range m {
		sum[hub.Direction(use.op)] += rates[i]
	}
	if sum[0] > 0 && sum[1] > 0 {
		scale(rates, min(1, p.Capacity.Both/(sum[0]+cost*sum[1])))
	}
}

// convex gives every disk a part by a power of its speed; what it cannot use nobody gets.
func convex(p *hub.Profile, m mix, rates []float64, power float64) {
	var pulls, sum [2]float64
	alone := make([]float64, len(m))
	for i, use := range m {
		alone[i] = m[i : i+1].rates(p)[0]
		pulls[hub.Direction(use.op)] += math.Pow(alone[i], power)
	}
	for i, use := range m {
		d := hub.Direction(use.op)
		carries := [2]float64{p.Capacity.Read, p.Capacity.Write}[d]
		rates[i] = min(alone[i], carries*math.Pow(alone[i], power)/pulls[d])
		sum[d] += rates[i]
	}
	if sum[0] > 0 && sum[1] > 0 {
		scale(rates, min(1, p.Capacity.Both/(sum[0]+sum[1])))
	}
}

// measured is what measuring mixes of at most so many disks says of a world, every rate off by a random error of 1 to
// 3 % that the evidence knows of.
func (w world) measured(rng *rand.Rand, atWork int) *hub.Evidence {
	noise := between(rng, 0.01, 0.03)
	e := &hub.Evidence{Noise: hub.ObservedNoise{Squares: noise * noise * 100, Freedom: 100}}
	for _, m := range mixes(w.disks) {
		if len(m) > atWork {
			continue
		}
		o := hub.Observation{Phase: m.pattern(w.disks)}
		for i, rate := range w.rates(m) {
			o.Disks = append(o.Disks, hub.Observed{Disk: m[i].disk, Op: m[i].op, Rate: rate * math.Exp(noise*rng.NormFloat64()), Error: noise})
		}
		e.Rates = append(e.Rates, o)
	}
	return e
}
