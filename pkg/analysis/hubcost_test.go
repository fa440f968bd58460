package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
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

// What a hub costs is told with its phases, rates and interval, the greatest loss first, and of
// equal ones the run's order.
func TestHubCostValues(t *testing.T) {
	var s soloRates
	add := func(disk, connection string, rate, relative, free float64) {
		s = append(s, &soloRate{
			disk: partOn(disk, connection), phases: []string{disk + " " + connection},
			Measured: ledger.Measured{Rate: rate, Error: relative, DegreesOfFreedom: free},
		})
	}
	for _, disk := range []string{"A", "B"} {
		add(disk, trace.OnHub, 100, 0.001, 9)
		add(disk, trace.Direct, 100, 0.001, 9)
	}
	add("C", trace.OnHub, 60, 0.001, 9)
	add("C", trace.Direct, 100, 0.001, 9)
	add("D", trace.OnHub, 95, 0.1, 0) // has no margin of error
	add("D", trace.Direct, 100, 0.1, 9)
	add("E", trace.OnHub, 50, 0.001, 9) // was never measured elsewhere
	add("F", trace.OnHub, 150, 0.001, 9)
	add("F", trace.Direct, 100, 0.001, 9) // is faster on the hub
	var got []string
	for _, c := range hubCosts([]string{"F", "B", "A", "D", "C", "E"}, s, 0.01) {
		ci := ""
		if c.CI95 != nil {
			ci = fmt.Sprintf(" (%.3f to %.3f)", c.CI95[0], c.CI95[1])
		}
		got = append(got, fmt.Sprintf("%s %.2f%s lost %v nothing %v, %s %g of %s %g", c.Disk,
			c.Loss, ci, c.Lost, c.Nothing, c.Phase, c.Rate, c.DirectPhase, c.DirectRate))
	}
	check.Same(t, "costs", []string{
		"C 0.40 (0.398 to 0.402) lost true nothing false, C hub 60 of C direct 100",
		"D 0.05 lost false nothing false, D hub 95 of D direct 100",
		"B 0.00 (-0.003 to 0.003) lost false nothing true, B hub 100 of B direct 100",
		"A 0.00 (-0.003 to 0.003) lost false nothing true, A hub 100 of A direct 100",
		"F -0.50 (-0.505 to -0.495) lost false nothing true, F hub 150 of F direct 100",
	}, got)
}

// partOn is a disk, connected so.
func partOn(disk, connection string) *diskPart {
	p := &diskPart{connection: connection}
	p.Trace = &trace.DiskRecord{Name: disk}
	return p
}
