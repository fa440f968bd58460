package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// fieldTruths are the field reports' phases on their hub. Sizes are drawn anew for each seed, so
// that ends lie apart by nothing up to some 5 s.
func fieldTruths(t *testing.T) []truth {
	t.Helper()
	var truths []truth
	for _, phase := range []string{
		"{name: RWW, roles: {A: write, B: write, C: read}, files: {A: 30, B: 30, C: 100}}",
		"{name: RRR, roles: {A: read, B: read, C: read}, files: {A: 30, B: 30, C: 100}}",
		"{name: WRR, roles: {A: read, B: read, C: write}, files: {A: 34, B: 34, C: 50}}",
		"{name: WWW, roles: {A: write, B: write, C: write}, files: {A: 36, B: 36, C: 60}}",
		"{name: WW, roles: {A: write, C: write}, files: {A: 30, C: 46}}",
		"{name: RR, roles: {A: read, C: read}, files: {A: 30, C: 60}}",
		"{name: W, roles: {A: write}, files: 30}",
		"{name: saturation, roles: {X5: write}, connection: direct, files: 50}",
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(phase, "{name: "), ",")
		truths = append(truths, truth{Name: "field reports, " + name,
			Tuned: name != "WW" && name != "RRR",
			Play: func(rnd *rand.Rand, noise float64) truthCase {
				return fieldCase(t, phase, rnd.IntN(1e6), noise)
			}})
	}
	return truths
}

func fieldCase(t *testing.T, phase string, seed int, noise float64) truthCase {
	t.Helper()
	const name = "goshen-ridge"
	text := fmt.Sprintf("version: 1\nname: field\nhub: {profile: %s}\ndisks:\n", name)
	for _, disk := range []string{"A", "B", "C", "X5"} {
		text += fmt.Sprintf("  - {name: %[1]s, connection: hub, simulate: {profile: %[1]s}}\n",
			disk)
	}
	var profile *hub.Profile
	phases := fmt.Sprintf("workload: {preset: random, seed: %d}\nphases:\n  - %s\n", seed, phase)
	run := fixture.Simulated(t, text+phases, func(name string) (p *hub.Profile, err error) {
		data, _ := configs.Hub(name)
		if profile, err = hub.Load(name, data); err == nil {
			profile.Noise = noise
		}
		return profile, err
	})
	p := run.Phases[0]
	changes, wrong := climbs(p, &profile.Lags), []claim{}
	for _, d := range p.Disks {
		if cache := profile.Disk(d.Name).Cache; cache != nil && d.Op == trace.Write {
			changes = append(changes, truthChange{Phase: p.Name, Kinds: []string{"own_fall"},
				Disks: []string{d.Name}, AtS: movedAt(p, d.Name, float64(cache.Bytes)), OffS: 0.5,
				To: map[string]float64{d.Name: cache.After}})
		} else {
			wrong = append(wrong, claim{Code: codeFalls, Disk: d.Name})
		}
	}
	return truthCase{Run: run, Changes: changes, False: wrong}
}

// climbs are the recoveries that the profile's lags give: those who stay hold their rate until the
// lag of the latest end is over.
func climbs(p *trace.Phase, lags *hub.Lags) []truthChange {
	ends := slices.Clone(p.Disks)
	endOf := func(d *trace.DiskRecord) float64 {
		return float64(d.Files[len(d.Files)-1].EndNS) / 1e9
	}
	slices.SortFunc(ends, func(a, b *trace.DiskRecord) int {
		return int(endOf(a)*1e9) - int(endOf(b)*1e9)
	})
	var out []truthChange
	before := 0.0 // the end before
	for i, gone := range ends {
		next := 1e9 // the next end
		if i+1 < len(ends) {
			next = endOf(ends[i+1])
		}
		for _, d := range ends[i+1:] {
			at := endOf(gone) + lags.After(d.Op, gone.Op, len(ends)-i-1).Seconds()
			until := min(next, at+3)
			if at >= next-0.2 {
				continue // held anew, or too short to be seen
			}
			from, to := rateBetween(d, max(at-2, before), at), rateBetween(d, at, until)
			if to < 1.05*from {
				continue
			}
			out = append(out, truthChange{Phase: p.Name, Kinds: []string{"recovery"},
				Disks: []string{d.Name}, AtS: at, OffS: 0.5, By: gone.Name,
				Optional: to < 1.12*from || until-at < 1})
		}
		before = endOf(gone)
	}
	return out
}
