package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// bothWays plays a disk of 1.5 GB/s alone on its own port, and on a hub that leaves it a share of
// that.
func bothWays(rnd *rand.Rand, noise tracetest.Noise, share float64) *trace.Run {
	play := func(name string, rate float64) *trace.Phase {
		d := tracetest.Disk{
			Name: "A", Levels: []tracetest.Level{{UntilS: 20, Rate: rate}},
			Sizes: tracetest.Between(50e6, 500e6), Noise: noise,
		}
		return tracetest.Phase(name, d.Play(rnd))
	}
	direct := play("A direct", 1.5e9)
	direct.Connections = map[string]string{"A": trace.Direct}
	return tracetest.Run(play("A", share*1.5e9), direct)
}

// A disk that is as fast on the hub as on its own port is never said to lose there; one that loses
// a third almost always is, and never said to lose nothing.
func TestHubCosts(t *testing.T) {
	const seeds = 100
	for _, noise := range []float64{0.02, 0.10} {
		for kind, n := range map[string]tracetest.Noise{
			"of whole files":             {Sigma: noise},
			"of some tenths of a second": {Wave: noise, MemoryS: 0.3},
		} {
			name := fmt.Sprintf("noise of %g %% %s", 100*noise, kind)
			lost := map[float64]int{}
			for _, share := range []float64{1, 0.67} {
				for seed := range uint64(seeds) {
					a := Analyze(bothWays(rand.New(rand.NewPCG(seed, 71)), n, share), Options{})
					if len(a.HubCosts) != 1 {
						t.Fatalf("%s: costs %+v", name, a.HubCosts)
					}
					c := a.HubCosts[0]
					if c.Lost {
						lost[share]++
					}
					if c.Lost && c.Nothing || c.Nothing && share < 1 {
						t.Errorf("%s: the hub leaves %g of the rate: %+v", name, share, c)
					}
				}
			}
			if lost[1] > 0 || lost[0.67] < 95*seeds/100 {
				t.Errorf("%s: of %d hubs that cost nothing %d are said to cost, and of those "+
					"that cost a third %d", name, seeds, lost[1], lost[0.67])
			}
		}
	}
}

// A loss is reported from a tenth on, if noise hardly makes it.
func TestHubCostByNoise(t *testing.T) {
	for _, tt := range []struct {
		onHub, noise float64
		want         bool
	}{{90, 0.001, true}, {90.1, 0.001, false}, {80, 0.2, false}} {
		measured := func(connection string, rate float64) effect.Solo {
			return effect.Solo{
				Actor:  effect.Actor{Disk: "A", Connection: connection, Work: &work.Work{}},
				Phases: []string{connection},
				Rate: effect.Rate{Mean: rate, Log: stats.Estimate{
					Mean: math.Log(rate), SE: tt.noise, DegreesOfFreedom: 9,
				}},
			}
		}
		solos := effect.Solos{measured(trace.OnHub, tt.onHub), measured(trace.Direct, 100)}
		found := findings(&Analysis{HubCosts: hubCosts(nil, solos, 0.01)})
		if (len(found) > 0) != tt.want {
			t.Errorf("%g instead of 100, ± %g: %+v", tt.onHub, tt.noise, found)
		}
	}
}
