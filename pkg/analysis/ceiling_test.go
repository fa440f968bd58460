package analysis

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// sets are the disks of each phase of a study: alone, in pairs, all together.
func sets(names ...string) [][]string {
	var found [][]string
	for mask := 1; mask < 1<<len(names); mask++ {
		var set []string
		for i, n := range names {
			if mask&(1<<i) != 0 {
				set = append(set, n)
			}
		}
		found = append(found, set)
	}
	return found
}

// study plays each set of disks, which move a total, shared in proportion to what each has alone.
func study(rnd *rand.Rand, op trace.Role, sets [][]string, solo map[string]float64,
	total func(alone float64) float64) []*trace.Phase {
	var phases []*trace.Phase
	for _, set := range sets {
		var alone float64
		for _, n := range set {
			alone += solo[n]
		}
		factor := total(alone) / alone
		var disks []*trace.DiskRecord
		for _, n := range set {
			d := tracetest.Disk{
				Name: n, Op: op, Levels: []tracetest.Level{{UntilS: 20, Rate: factor * solo[n]}},
				Noise: tracetest.Noise{Sigma: 0.05}, Sizes: tracetest.Between(2e6, 4e8),
			}
			disks = append(disks, d.Play(rnd))
		}
		phases = append(phases, tracetest.Phase(strings.Join(set, "")+" "+string(op), disks...))
	}
	return phases
}

func soloOf(rnd *rand.Rand, names ...string) map[string]float64 {
	solo := map[string]float64{}
	for _, n := range names {
		solo[n] = 0.5e9 + 2.5e9*rnd.Float64()
	}
	return solo
}

// TestNoCommonLimit: of runs whose totals are drawn at random, at most 5 % may show a common limit.
func TestNoCommonLimit(t *testing.T) {
	count := traces(t, 4, 1)
	all, pair, two := sets("A", "B", "C"),
		[][]string{{"A"}, {"B"}, {"C"}, {"A", "C"}, {"A", "B", "C"}}, sets("A", "B")
	for name, tried := range map[string]struct {
		sets [][]string
		ops  []trace.Role
	}{
		"all sets":  {all, []trace.Role{trace.Write}},
		"both ways": {all, []trace.Role{trace.Write, trace.Read}},
		"one pair":  {pair, []trace.Role{trace.Write}},
		"two disks": {two, []trace.Role{trace.Write}},
	} {
		raised := 0
		for seed := range count {
			rnd := rand.New(rand.NewPCG(uint64(seed), 78))
			var phases []*trace.Phase
			for _, op := range tried.ops {
				solo := soloOf(rnd, "A", "B", "C")
				phases = append(phases, study(rnd, op, tried.sets, solo,
					func(alone float64) float64 {
						for _, rate := range solo {
							if alone == rate {
								return alone
							}
						}
						return alone * (0.3 + 0.7*rnd.Float64())
					})...)
			}
			raised += one(hasCeiling(Analyze(tracetest.Run(phases...), Options{})))
		}
		t.Logf("%s: %d of %d", name, raised, count)
		if 20*raised > max(count, 20) {
			t.Errorf("%s: a common limit in %d of %d runs of random totals", name, raised, count)
		}
	}
}

func hasCeiling(a *Analysis) bool {
	for _, f := range a.Findings {
		if f.Code == "ceiling" {
			return true
		}
	}
	return false
}

// TestCommonLimit: if all disks go through something that carries less than they could, it must be
// found in 95 % of runs.
func TestCommonLimit(t *testing.T) {
	count := traces(t, 12, 2)
	pair := [][]string{{"A"}, {"B"}, {"C"}, {"A", "C"}, {"A", "B", "C"}}
	found, fewFound := 0, 0
	for seed := range count {
		rnd := rand.New(rand.NewPCG(uint64(seed), 79))
		solo := map[string]float64{"A": 1.5e9, "B": 1.6e9, "C": 2.7e9}
		limit := 2.6e9 + 0.7e9*rnd.Float64()
		capped := func(alone float64) float64 { return min(alone, limit) }
		a := Analyze(tracetest.Run(study(rnd, trace.Write, sets("A", "B", "C"), solo, capped)...),
			Options{})
		if hasCeiling(a) {
			found++
			check.Near(t, "limit", limit, a.Phases[6].Contention.Ceiling.Rate, 0.03*limit)
		}
		fewFound += one(hasCeiling(Analyze(tracetest.Run(study(rnd, trace.Read, pair, solo,
			capped)...), Options{})))
	}
	atLeast(t, "a limit that all disks share, within 3 %", found, count, 0.95)
	t.Logf("one pair: %d of %d", fewFound, count)
}
