package model

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Candidate is a hub that agrees with the observations of a profile: one of many that may be the
// true one.
type Candidate struct {
	Profile *hub.Profile // without observations
	Seed    uint64       // its own

	middle   bool // it is the profile itself: nothing is off by chance
	measured map[string]*hub.Observation
}

// Middle is the hub that the profile describes, which reproduces the measurements.
func Middle(p *hub.Profile) *Candidate {
	out := *p
	out.Evidence = hub.Evidence{}
	return &Candidate{Profile: &out, middle: true, measured: measured(&p.Evidence)}
}

// measured is what was observed of each mix.
func measured(e *hub.Evidence) map[string]*hub.Observation {
	out := map[string]*hub.Observation{}
	pooled := e.Pooled()
	for i := range pooled.Rates {
		out[pooled.Rates[i].Mix()] = &pooled.Rates[i]
	}
	return out
}

// Candidates are the fits to bootstrap samples of the profile's observations; none if it has none.
// A disk that was never observed doing something on the hub does it as the profile says, off by
// FigureError. If the hub does not share by the law, refused says so: then nothing is known that
// was not measured.
func Candidates(p *hub.Profile, seed uint64) (hubs []Candidate, refused string, err error) {
	if len(p.Evidence.Rates) == 0 {
		return nil, "", nil
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	seen := measured(&p.Evidence)
	f, err := fitLaw(p, &p.Evidence, rng)
	if err != nil {
		return nil, "", err
	}
	f.bootstrap(rng)
	for _, x := range f.samples {
		f.set(x)
		profile := *f.profile
		profile.Disks = slices.Clone(profile.Disks)
		hubs = append(hubs, Candidate{Profile: &profile, Seed: rng.Uint64(), measured: seen})
	}
	return hubs, f.refused(), nil
}

// Factors is how far each disk's rate lies from what the hub's profile says when those of an
// observation work together: a factor for each, which is 1 unless they were measured together. Then
// it is what comes to the measured rate, within its error. The same hub always has the same
// factors.
func (h *Candidate) Factors(o *hub.Observation) []float64 {
	mix := o.Mix()
	seen := h.measured[mix]
	rates := h.Profile.Rates(o.Disks)
	for i, d := range o.Disks {
		if seen == nil {
			rates[i] = 1
			continue
		}
		was := seen.Of(d.Disk)
		rates[i] = was.Rate / rates[i]
		if !h.middle {
			hash := fnv.New64a()
			hash.Write([]byte(mix + "\n" + d.Disk))
			chance := rand.New(rand.NewPCG(h.Seed, hash.Sum64())).NormFloat64()
			rates[i] *= math.Exp(was.Error * chance)
		}
	}
	return rates
}

// Measured reports whether exactly the disks of an observation were measured together.
func (h *Candidate) Measured(o *hub.Observation) bool { return h.measured[o.Mix()] != nil }

// Observed reports whether the disk was ever observed doing this, through the hub or on a port of
// its own.
func Observed(p *hub.Profile, disk string, op trace.Role, direct bool) bool {
	for _, o := range p.Evidence.Rates {
		if d := o.Of(disk); o.Direct == direct && d != nil && d.Op == op {
			return true
		}
	}
	return false
}
