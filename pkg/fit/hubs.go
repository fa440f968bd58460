package fit

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// FigureError is the relative error assumed of a figure without observations, such as a data sheet's, at 95 %.
const FigureError = 0.1

// Hub is a hub that agrees with the observations of a profile: one of many that may be the true one.
type Hub struct {
	Profile *hub.Profile // without observations
	Seed    uint64       // its own

	off         float64                     // standard deviation of its rates in what was not measured, relative
	maxTogether int                         // the most disks observed together
	middle      bool                        // it is the profile itself: nothing is off by chance
	measured    map[string]*hub.Observation // by mix
}

// Middle is the hub that the profile describes, which reproduces the measurements.
func Middle(p *hub.Profile) *Hub {
	out := *p
	out.Evidence = hub.Evidence{}
	return &Hub{Profile: &out, middle: true, measured: measured(&p.Evidence)}
}

func measured(e *hub.Evidence) map[string]*hub.Observation {
	out := map[string]*hub.Observation{}
	pooled := e.PooledByMix()
	for i := range pooled.Rates {
		out[pooled.Rates[i].Mix()] = &pooled.Rates[i]
	}
	return out
}

// Doubt is how far a model misses its own evidence.
type Doubt struct {
	Misfit  float64 // how far the measurements lie from it, in their errors: 1 if it holds, and zero without measurements
	Refused string  // why it predicts nothing that was not measured; empty if it does
}

// Hubs draws n hubs that agree with the profile's observations, each family by its weight. A disk that was never
// observed doing something on the hub gets what the profile says, off by FigureError, with a weight drawn from the
// prior. There are none if the profile has no observations.
func Hubs(p *hub.Profile, n int, seed uint64) ([]Hub, Doubt, error) {
	if len(p.Evidence.Rates) == 0 {
		return nil, Doubt{}, nil
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	en, err := newEnsemble(&p.Evidence, rng)
	if err != nil {
		return nil, Doubt{}, err
	}
	seen := measured(&p.Evidence)
	vectors := make([][][]float64, len(en.fitted)) // by family, drawn when the first is needed
	all := make([]Hub, n)
	for k := range all {
		i := en.at((float64(k) + 0.5) / float64(n))
		f := en.fitted[i]
		if vectors[i] == nil {
			vectors[i] = f.sample(rng)
		}
		f.space.set(vectors[i][rng.IntN(len(vectors[i]))])
		profile := f.space.profile(p, rng)
		off := f.drawDiscrepancy(rng)
		all[k] = Hub{Profile: profile, off: off, maxTogether: en.maxTogether, Seed: rng.Uint64(), measured: seen}
	}
	return all, Doubt{en.misfit(), en.unexplained()}, nil
}

// at is the family at a part of all their weights.
func (en *ensemble) at(part float64) int {
	for i, f := range en.fitted {
		if part -= f.weight; part < 0 {
			return i
		}
	}
	return slices.IndexFunc(en.fitted, func(f *fitted) bool { return f.weight > 0 }) // rounding
}

// profile is another profile with all that the model as set says in place of its own.
func (s *space) profile(p *hub.Profile, rng *rand.Rand) *hub.Profile {
	out := *p
	out.Evidence = hub.Evidence{}
	out.Capacity = s.capacity
	out.Capacity.Both = min(out.Capacity.Both, out.Capacity.Read+out.Capacity.Write)
	out.Disks = slices.Clone(p.Disks)
	roles := [...]trace.Role{trace.Read, trace.Write}
	var usual [2]float64 // the geometric mean of a direction's weights
	for dir, op := range roles {
		sum, n := 0.0, 0
		for _, disk := range s.disks {
			if s.has(disk + "." + string(op) + ".hub") {
				sum += math.Log(s.sides[disk][dir].Weight)
				n++
			}
		}
		usual[dir] = math.Exp(sum / float64(max(n, 1)))
	}
	for i := range out.Disks {
		d := &out.Disks[i]
		if d.Cache != nil { // a fit knows nothing about it
			cache := *d.Cache
			cache.After *= figureOff(rng)
			d.Cache = &cache
		}
		for dir, op := range roles {
			side, name := d.Side(op), d.Name+"."+string(op)
			figure := figureOff(rng)
			wide := [...]float64{wideReads, wideWeight}[dir] * rng.NormFloat64()
			if s.has(name + ".hub") {
				side.Hub, side.Weight = s.sides[d.Name][dir].Hub, s.sides[d.Name][dir].Weight
			} else {
				side.Hub, side.Weight = side.Hub*figure, usual[dir]*math.Exp(wide)
			}
			if s.has(name + ".direct") {
				side.Direct = s.sides[d.Name][dir].Direct
			} else {
				side.Direct *= figure
			}
		}
	}
	return &out
}

// figureOff is a factor by which a figure that rests on no observation may be off.
func figureOff(rng *rand.Rand) float64 { return math.Exp(FigureError / z95 * rng.NormFloat64()) }

// Off is how far each disk's rate lies from what the hub's profile says when those of an observation work together:
// a factor for each. If they were measured together, that is what it takes to come to what was measured, within its
// errors; else it is drawn by how well the way of sharing predicts what was left out of its fit. The same hub
// always has the same factors.
func (h *Hub) Off(o *hub.Observation) []float64 {
	mix := o.Mix()
	seen := h.measured[mix]
	rates := h.Profile.Rates(o.Disks)
	out := make([]float64, len(o.Disks))
	chance := func(disk string) float64 { // standard normal, by mix and disk
		if h.middle {
			return 0
		}
		hash := fnv.New64a()
		hash.Write([]byte(mix + "\n" + disk))
		return rand.New(rand.NewPCG(h.Seed, hash.Sum64())).NormFloat64()
	}
	all := together(h.off, h.maxTogether, len(o.Disks)) * chance("")
	for i, d := range o.Disks {
		z := chance(d.Disk)
		switch {
		case seen != nil:
			was := seen.Of(d.Disk)
			out[i] = was.Rate / rates[i] * math.Exp(was.Error*z)
		case len(o.Disks) == 1: // nothing is shared
			out[i] = 1
		default:
			out[i] = math.Exp(all + h.off*z)
		}
	}
	return out
}

// Measured reports whether exactly the disks of an observation were measured together.
func (h *Hub) Measured(o *hub.Observation) bool { return h.measured[o.Mix()] != nil }

// Observed reports whether the disk was ever observed doing this, through the hub or on a port of its own.
func Observed(p *hub.Profile, disk string, op trace.Role, direct bool) bool {
	return slices.ContainsFunc(p.Evidence.Rates, func(o hub.Observation) bool {
		d := o.Of(disk)
		return o.Direct == direct && d != nil && d.Op == op
	})
}
