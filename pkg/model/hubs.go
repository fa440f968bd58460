package model

import (
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// measured returns what was observed of each mix.
func measured(e *hub.Evidence) map[string]*hub.Observation {
	out := map[string]*hub.Observation{}
	pooled := e.Pooled()
	for i := range pooled.Rates {
		out[pooled.Rates[i].Mix()] = &pooled.Rates[i]
	}
	return out
}

// Candidates returns the fits to bootstrap samples of the profile's observations; none if it has
// none. A disk that was never observed doing something on the hub does it as the profile says, off
// by figureError. If the hub does not share by the law, refused says so: then nothing is known that
// was not measured.
func Candidates(p *hub.Profile, seed uint64) (hubs []*hub.Profile, refused string, err error) {
	if len(p.Evidence.Rates) == 0 {
		return nil, "", nil
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	f, err := fitLaw(p, &p.Evidence, rng)
	if err != nil {
		return nil, "", err
	}
	f.bootstrap(rng)
	for _, x := range f.samples {
		f.set(x)
		profile := *f.profile
		profile.Disks = slices.Clone(profile.Disks)
		hubs = append(hubs, &profile)
	}
	return hubs, f.refused(), nil
}

// Refused says why a profile does not explain what was observed; empty if it does, or if nothing
// was.
func Refused(p *hub.Profile) (string, error) {
	if len(p.Evidence.Rates) == 0 {
		return "", nil
	}
	f, err := fitLaw(p, &p.Evidence, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		return "", err
	}
	return f.refused(), nil
}

// Unobserved lists what the disks of a plan do that was never observed, by a profile that holds
// observations: "B writes through the hub".
func Unobserved(p *hub.Profile, plan *scenario.Plan) (texts []string) {
	if len(p.Evidence.Rates) == 0 {
		return nil
	}
	for i := range plan.Phases {
		phase := &plan.Phases[i]
		for k := range phase.Jobs {
			job := &phase.Jobs[k]
			does := hub.WorkOf(plan, phase, job)
			where := " through the hub"
			if does.Direct {
				where = " on its own port"
			}
			text := job.Disk + " " + string(job.Role) + "s" + where
			if job.Probe == 0 && !observedDoing(p, does.Profile, does.Op, does.Direct) &&
				!slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// observedDoing reports whether the disk was ever observed doing this, through the hub or on a port
// of its own.
func observedDoing(p *hub.Profile, disk string, op trace.Role, direct bool) bool {
	for _, o := range p.Evidence.Rates {
		if d := o.Of(disk); o.Direct == direct && d != nil && d.Op == op {
			return true
		}
	}
	return false
}
