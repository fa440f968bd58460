package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
)

// Random hubs of known truth, of which some share as a fit supposes and others like none that it
// knows.

// World is a hub of known truth.
type World struct {
	Disks []string
	// What the disks of a mix get, in bytes per second; of the mix only disks and ops count.
	Rates func(mix []hub.Observed) []float64
}

// Kind makes random hubs that share in one way.
type Kind struct {
	Name string
	Make func(*rand.Rand) World
	// Tuned kinds may be used to choose priors and limits by, with seeds that no test uses; the
	// others are for tests alone.
	Tuned bool
}

// Profiled is the world that a profile describes.
func Profiled(p *hub.Profile) World {
	return World{p.Names(), p.Rates}
}

// Measured is what measuring mixes of at most so many disks says of a world, every rate off by a
// random error of 1 to 3 % that the evidence knows of.
func (w *World) Measured(rng *rand.Rand, atWork int) *hub.Evidence {
	noise := between(rng, 0.01, 0.03)
	e := &hub.Evidence{Noise: hub.ObservedNoise{Squares: noise * noise * 100, Freedom: 100}}
	for _, o := range mixes(w.Disks) {
		if len(o.Disks) > atWork {
			continue
		}
		o.Phase = o.Mix()
		for i, rate := range w.Rates(o.Disks) {
			o.Disks[i].Rate, o.Disks[i].Error = rate*math.Exp(noise*rng.NormFloat64()), noise
		}
		e.Rates = append(e.Rates, *o)
	}
	return e
}

func between(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// randomProfile is a hub with disks of very different speeds.
func randomProfile(rng *rand.Rand, weighted bool) *hub.Profile {
	p := &hub.Profile{Name: "random", Link: math.Inf(1), Lane: math.Inf(1), Capacity: hub.Capacity{
		Read: between(rng, 2.6, 3.6) * gb, Write: between(rng, 2.6, 3.6) * gb, ReadWeight: 1,
		WriteWeight: between(rng, 0.7, 1.6),
	}}
	p.Capacity.Both = between(rng, 1.2, 1.6) * (p.Capacity.Read + p.Capacity.Write) / 2
	for _, name := range []string{"A", "B", "C"} {
		d := hub.DiskModel{Name: name, Read: hub.Side{Hub: between(rng, 0.8, 2.9) * gb, Weight: 1},
			Write: hub.Side{Hub: between(rng, 0.8, 2.9) * gb, Weight: 1}}
		if weighted {
			d.Read.Weight, d.Write.Weight = math.Exp(0.3*rng.NormFloat64()),
				math.Exp(0.6*rng.NormFloat64())
		}
		d.Read.Direct, d.Write.Direct = d.Read.Hub, d.Write.Hub
		p.Disks = append(p.Disks, d)
	}
	return p
}

// Own are kinds that share by the law that is fitted.
func Own() []Kind {
	return []Kind{
		{Name: "weighted max-min", Make: func(rng *rand.Rand) World {
			return Profiled(randomProfile(rng, true))
		}},
		{Name: "fewer disks carry less", Make: func(rng *rand.Rand) World {
			p := randomProfile(rng, true)
			p.Capacity.Pair, p.Capacity.TwoWriters = between(rng, 0.88, 0.97), between(rng, 0.85, 1)
			return Profiled(p)
		}},
	}
}

// Foreign are kinds that share by credit, or by strict priority.
func Foreign() []Kind {
	return []Kind{
		{Name: "queue-depth credit: parts reserved", Tuned: true, Make: func(rng *rand.Rand) World {
			p, depth := queues(rng)
			return reserved(p, func(use hub.Observed) float64 { return depth[use.Disk] })
		}},
		{Name: "queue-depth credit: one pool", Tuned: true, Make: pool},
		{Name: "queue-depth credit: first come first served", Tuned: true, Make: queued},
		{Name: "strict priority: one disk after the other", Tuned: true,
			Make: func(rng *rand.Rand) World {
				order := rng.Perm(3)
				return strict(rng, func(use hub.Observed, _ float64) int {
					return order[use.Disk[0]-'A']
				})
			}},
		{Name: "strict priority: one disk first", Tuned: true, Make: func(rng *rand.Rand) World {
			return strict(rng, func(use hub.Observed, _ float64) int {
				return min(int(use.Disk[0]-'A'), 1)
			})
		}},
		{Name: "strict priority: the fastest first", Tuned: true, Make: func(rng *rand.Rand) World {
			return strict(rng, func(_ hub.Observed, own float64) int { return -int(own) })
		}},
		{Name: "strict priority: one direction first", Tuned: true,
			Make: func(rng *rand.Rand) World {
				first := rng.IntN(2)
				return strict(rng, func(use hub.Observed, _ float64) int {
					return hub.Direction(use.Op) ^ first
				})
			}},
	}
}

// Others are kinds that share in still other ways.
func Others() []Kind {
	return []Kind{
		{Name: "in proportion", Tuned: true, Make: func(rng *rand.Rand) World {
			p := randomProfile(rng, false)
			c := p.Capacity
			for i := range p.Disks {
				d := &p.Disks[i]
				d.Read.Weight, d.Write.Weight = d.Read.Hub, d.Write.Hub
			}
			return World{p.Names(), func(mix []hub.Observed) []float64 {
				sum := totals(mix, alone(p, mix))
				p.Capacity.ReadWeight, p.Capacity.WriteWeight = min(sum[0], c.Read),
					c.WriteWeight*min(sum[1], c.Write)
				return p.Rates(mix)
			}}
		}},
		{Name: "cost per active disk", Tuned: true, Make: func(rng *rand.Rand) World {
			p, cost := randomProfile(rng, true), between(rng, 0.03, 0.12)
			return World{p.Names(), func(mix []hub.Observed) []float64 {
				less, left := *p, 1-cost*float64(len(mix)-1)
				less.Capacity.Read *= left
				less.Capacity.Write *= left
				less.Capacity.Both *= left
				return less.Rates(mix)
			}}
		}},
		{Name: "asymmetric duplex", Tuned: true, Make: func(rng *rand.Rand) World {
			p := randomProfile(rng, true)
			readLoss, writeLoss := between(rng, 0, 0.3), between(rng, 0.3, 0.7)
			if rng.IntN(2) == 0 {
				readLoss, writeLoss = writeLoss, readLoss
			}
			return World{p.Names(), func(mix []hub.Observed) []float64 {
				less := *p
				want, c := totals(mix, alone(p, mix)), &less.Capacity
				for range 200 { // until what each direction loses to the other agrees
					c.Read = min(want[0],
						max(p.Capacity.Read-readLoss*c.Write, 0.01*p.Capacity.Read))
					c.Write = min(want[1],
						max(p.Capacity.Write-writeLoss*c.Read, 0.01*p.Capacity.Write))
				}
				c.Both = c.Read + c.Write
				return less.Rates(mix)
			}}
		}},
		{Name: "every disk slows every disk", Tuned: true, Make: func(rng *rand.Rand) World {
			p, cost := randomProfile(rng, true), between(rng, 0.03, 0.12)
			return changed(p, func(_ []hub.Observed, n [2]int, rates []float64) {
				scale(rates, 1-cost*float64(n[0]+n[1]-1))
			})
		}},
		{Name: "a write costs more of both", Tuned: true, Make: func(rng *rand.Rand) World {
			p, cost := randomProfile(rng, true), between(rng, 1.3, 2)
			return changed(p, func(mix []hub.Observed, _ [2]int, rates []float64) {
				if sum := totals(mix, rates); sum[0] > 0 && sum[1] > 0 {
					scale(rates, min(1, p.Capacity.Both/(sum[0]+cost*sum[1])))
				}
			})
		}},
		{Name: "convex in speed and nothing passed on", Make: func(rng *rand.Rand) World {
			p, power := randomProfile(rng, false), between(rng, 1.3, 2.5)
			return reserved(p, func(use hub.Observed) float64 {
				return math.Pow(p.Disk(use.Disk).Side(use.Op).Hub, power)
			})
		}},
		{Name: "reads slowed by any writer", Make: func(rng *rand.Rand) World {
			p, slowed := randomProfile(rng, true), between(rng, 0.5, 0.85)
			return changed(p, func(mix []hub.Observed, n [2]int, rates []float64) {
				for i, use := range mix {
					if use.Op == read && n[1] > 0 {
						rates[i] *= slowed
					}
				}
			})
		}},
		{Name: "writes lose by the number of writers", Make: func(rng *rand.Rand) World {
			p, cost := randomProfile(rng, true), between(rng, 0.05, 0.2)
			return changed(p, func(mix []hub.Observed, n [2]int, rates []float64) {
				for i, use := range mix {
					if use.Op == write {
						rates[i] /= 1 + cost*float64(n[1]-1)
					}
				}
			})
		}},
		{Name: "round robin with bursts and turnarounds", Make: roundRobin},
		{Name: "writes amplified by writers", Make: func(rng *rand.Rand) World {
			p, more, carried := randomProfile(rng, true), between(rng, 0.1, 0.5),
				between(rng, 3.6, 5)*gb
			p.Capacity.Both = p.Capacity.Read + p.Capacity.Write
			return changed(p, func(mix []hub.Observed, n [2]int, rates []float64) {
				sum := totals(mix, rates)
				moved := sum[0] + sum[1]*(1+more*float64(max(n[1]-1, 0)))
				scale(rates, min(1, carried/max(moved, 1)))
			})
		}},
	}
}

// changed changes what a profile shares out: change gets the mix, its numbers of readers and
// writers, and the rates.
func changed(p *hub.Profile, change func(mix []hub.Observed, n [2]int, rates []float64)) World {
	return World{p.Names(), func(mix []hub.Observed) []float64 {
		var n [2]int
		for _, use := range mix {
			n[hub.Direction(use.Op)]++
		}
		rates := p.Rates(mix)
		change(mix, n, rates)
		return rates
	}}
}

func scale(rates []float64, by float64) {
	for i := range rates {
		rates[i] *= by
	}
}

// totals are what is read and what is written.
func totals(mix []hub.Observed, rates []float64) (sum [2]float64) {
	for i, use := range mix {
		sum[hub.Direction(use.Op)] += rates[i]
	}
	return sum
}

// alone is what each disk of the mix gets alone on the hub.
func alone(p *hub.Profile, mix []hub.Observed) []float64 {
	out := make([]float64, len(mix))
	for i := range mix {
		out[i] = p.Rates(mix[i : i+1])[0]
	}
	return out
}

// reserved gives every disk a part of its direction by its pull; what it cannot use nobody gets.
func reserved(p *hub.Profile, pull func(hub.Observed) float64) World {
	return World{p.Names(), func(mix []hub.Observed) []float64 {
		rates := alone(p, mix)
		var pulls [2]float64
		for _, use := range mix {
			pulls[hub.Direction(use.Op)] += pull(use)
		}
		for i, use := range mix {
			d := hub.Direction(use.Op)
			rates[i] = min(rates[i],
				[2]float64{p.Capacity.Read, p.Capacity.Write}[d]*pull(use)/pulls[d])
		}
		if sum := totals(mix, rates); sum[0] > 0 && sum[1] > 0 {
			scale(rates, min(1, p.Capacity.Both/(sum[0]+sum[1])))
		}
		return rates
	}}
}

// queues are a hub whose link is shared by the requests that each disk keeps in flight, its depth.
func queues(rng *rand.Rand) (p *hub.Profile, depth map[string]float64) {
	p, depth = randomProfile(rng, false), map[string]float64{}
	for _, name := range p.Names() {
		depth[name] = math.Exp(0.6 * rng.NormFloat64())
	}
	return p, depth
}

// pool lets all requests, of reads and of writes, take turns: each disk moves in proportion to its
// depth until it has all that it can use or its direction, or the link, is full (max-min fairness
// by filling progressively; Bertsekas and Gallager, Data Networks, 6.5.2).
func pool(rng *rand.Rand) World {
	p, depth := queues(rng)
	return World{p.Names(), func(mix []hub.Observed) []float64 {
		own, rates := alone(p, mix), make([]float64, len(mix))
		left := [3]float64{p.Capacity.Read, p.Capacity.Write, p.Capacity.Both}
		var open []int // those that could move more
		for i := range mix {
			open = append(open, i)
		}
		for len(open) > 0 {
			var pull [3]float64
			step := math.Inf(1)
			for _, i := range open {
				weight := depth[mix[i].Disk]
				pull[hub.Direction(mix[i].Op)] += weight
				pull[2] += weight
				step = min(step, (own[i]-rates[i])/weight)
			}
			for k := range left {
				if pull[k] > 0 {
					step = min(step, left[k]/pull[k])
				}
			}
			for _, i := range open {
				rates[i] += step * depth[mix[i].Disk]
			}
			for k := range left {
				left[k] -= step * pull[k]
			}
			open = slices.DeleteFunc(open, func(i int) bool {
				return rates[i] >= own[i]*(1-1e-9) || left[2] < 1 ||
					left[hub.Direction(mix[i].Op)] < 1
			})
		}
		return rates
	}}
}

// queued lets all requests wait at the link, first come first served: a disk moves its requests
// once in its own time and the wait in the queues, which are as long as it takes for the link to
// carry just what it can (a closed queueing network; Lazowska and others, Quantitative System
// Performance, 1984, chapter 5, in its fluid limit).
func queued(rng *rand.Rand) World {
	p, depth := queues(rng)
	slack := map[string]float64{}
	for _, name := range p.Names() {
		slack[name] = between(rng, 0.3, 1) // of its requests' time alone is its own
	}
	c := p.Capacity
	return World{p.Names(), func(mix []hub.Observed) []float64 {
		own := alone(p, mix)
		rates := make([]float64, len(mix))
		// Waits in units of the time that a depth of one at 1 GB/s takes.
		flow := func(wait [2]float64, both float64) [2]float64 {
			for i, use := range mix {
				q := depth[use.Disk]
				rates[i] = min(own[i],
					q*gb/(slack[use.Disk]*q*gb/own[i]+wait[hub.Direction(use.Op)]+both))
			}
			return totals(mix, rates)
		}
		directions := func(both float64) (total float64) {
			var wait [2]float64
			for d, carries := range [2]float64{c.Read, c.Write} {
				wait[d] = bisect(func(w float64) bool {
					var trial [2]float64
					trial[d] = w
					return flow(trial, both)[d] > carries
				})
			}
			sum := flow(wait, both)
			return sum[0] + sum[1]
		}
		directions(bisect(func(both float64) bool { return directions(both) > c.Both }))
		return rates
	}}
}

// bisect finds the point at which a falling quantity is no longer too much, from 0 on; 0 if it
// never is.
func bisect(tooMuch func(float64) bool) float64 {
	if !tooMuch(0) {
		return 0
	}
	low, high := 0.0, 1.0
	for tooMuch(high) {
		low, high = high, 2*high
	}
	for range 60 {
		if mid := (low + high) / 2; tooMuch(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// strict serves those of a lower rank first, which it works out of what a disk does and how fast it
// does that alone. All get a little of what they could have, so that nobody starves.
func strict(rng *rand.Rand, rank func(use hub.Observed, own float64) int) World {
	p, lowest := randomProfile(rng, false), between(rng, 0.01, 0.12)
	return World{p.Names(), func(mix []hub.Observed) []float64 {
		own := alone(p, mix)
		rates := slices.Clone(own)
		scale(rates, lowest)
		left := [2]float64{p.Capacity.Read, p.Capacity.Write}
		used := totals(mix, rates)
		both := p.Capacity.Both - used[0] - used[1]
		left[0], left[1] = left[0]-used[0], left[1]-used[1]
		done := make([]bool, len(mix))
		for range mix {
			// Those served next, all of one rank, share evenly by what each still wants.
			next := math.MaxInt
			for i, use := range mix {
				if !done[i] {
					next = min(next, rank(use, own[i]))
				}
			}
			var claims []hub.Claim
			var at []int
			for i, use := range mix {
				if !done[i] && rank(use, own[i]) == next {
					claims, at, done[i] = append(claims,
						hub.Claim{Op: use.Op, Cap: own[i] - rates[i], Weight: 1}), append(at, i),
						true
				}
			}
			capacity := hub.Capacity{Read: max(min(left[0], both), 0),
				Write: max(min(left[1], both), 0), Both: max(both, 0), ReadWeight: 1,
				WriteWeight: 1}
			for k, rate := range hub.Share(capacity, claims) {
				d := hub.Direction(claims[k].Op)
				rates[at[k]] += rate
				left[d], both = left[d]-rate, both-rate
			}
		}
		return rates
	}}
}

// roundRobin serves one disk after the other, reads and writes in one round: each moves up to a
// burst of its own, and every change of disk, and more so of direction, costs time (deficit round
// robin: Shreedhar and Varghese, IEEE/ACM Trans. Networking 4, 1996).
func roundRobin(rng *rand.Rand) World {
	p := randomProfile(rng, false)
	carries, turn := between(rng, 3, 4.2)*gb, between(rng, 0.02, 0.08)
	burst := map[string]float64{}
	for _, name := range p.Names() {
		// One turn takes part of a second, which is but a unit.
		burst[name] = math.Exp(0.5*rng.NormFloat64()) * gb
	}
	return World{p.Names(), func(mix []hub.Observed) []float64 {
		own := alone(p, mix)
		rates := make([]float64, len(mix))
		if len(mix) == 1 {
			copy(rates, own)
			return rates
		}
		var n [2]int
		for _, use := range mix {
			n[hub.Direction(use.Op)]++
		}
		lost := turn * float64(len(mix))
		if n[0] > 0 && n[1] > 0 {
			lost *= 1.5
		}
		round := bisect(func(round float64) bool {
			busy := lost
			for i, use := range mix {
				rates[i] = min(burst[use.Disk], own[i]*round)
				busy += rates[i] / carries
			}
			return busy > round
		})
		for i, use := range mix {
			rates[i] = min(burst[use.Disk]/round, own[i])
		}
		return rates
	}}
}
