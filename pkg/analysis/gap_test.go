package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// gaps draws the pauses between files, in seconds, none as long as the gap that ends a disk's
// activity.
type gaps func(rnd *rand.Rand) float64

func paretoGaps(shortest, tail float64) gaps {
	return func(rnd *rand.Rand) float64 {
		return min(shortest*math.Pow(1-rnd.Float64(), -1/tail), 0.45)
	}
}

func logNormalGaps(median, sigma float64) gaps {
	return func(rnd *rand.Rand) float64 {
		return min(median*math.Exp(sigma*rnd.NormFloat64()), 0.45)
	}
}

// pausing is a disk's trace with a pause after each of its files.
func pausing(d tracetest.Disk, pause gaps, untilS float64, rnd *rand.Rand) *trace.DiskRecord {
	out := d.Play(rnd)
	shift, kept := int64(0), 0
	for i := range out.Files {
		f := &out.Files[i]
		f.StartNS, f.EndNS = f.StartNS+shift, f.EndNS+shift
		for k := range f.Samples() {
			f.Samples()[k].TNS += shift
		}
		shift += int64(pause(rnd) * 1e9)
		if float64(f.EndNS) > untilS*1e9 {
			break
		}
		kept++
	}
	out.Files = out.Files[:kept]
	return out
}

// heldOutGaps are other tails than those that the way to compare rates was chosen by.
func heldOutGaps() map[string]gaps {
	return map[string]gaps{
		"Pareto 3 ms/.6": paretoGaps(0.003, 0.6), "Pareto 8 ms/.9": paretoGaps(0.008, 0.9),
		"Pareto 15 ms/1.1":     paretoGaps(0.015, 1.1),
		"log-normal 10 ms/1.8": logNormalGaps(0.01, 1.8),
		"log-normal 2 ms/2.6":  logNormalGaps(0.002, 2.6),
	}
}

// TestNothingHeldByGaps: pauses between files, of which few take most of the time, hold nobody
// back. Of disks that all move their files as fast as alone, none may be said to be held in more
// than 1 % of runs.
func TestNothingHeldByGaps(t *testing.T) {
	count := traces(t, 15, 5)
	all, wrong := 0, 0
	for name, pause := range heldOutGaps() {
		for _, files := range []struct {
			n     int
			sizes tracetest.Sizes
		}{
			{50, tracetest.Fixed(20e6)}, {40, tracetest.Between(10e6, 70e6)},
			{60, tracetest.Fixed(100e6)},
		} {
			for seed := range count {
				rnd := rand.New(rand.NewPCG(uint64(seed), 708))
				disk := func(name string) *trace.DiskRecord {
					return pausing(tracetest.Disk{Name: name,
						Levels: []tracetest.Level{{UntilS: 1e4, Rate: 1e9}}, Files: files.n,
						Sizes: files.sizes, Noise: tracetest.Noise{Sigma: 0.02}}, pause, 1e4, rnd)
				}
				a := Analyze(tracetest.Run(
					tracetest.Phase("W--", disk("A")), tracetest.Phase("-W-", disk("B")),
					tracetest.Phase("--W", disk("C")),
					tracetest.Phase("WW-", disk("A"), disk("B")),
					tracetest.Phase("-WW", disk("B"), disk("C")),
					tracetest.Phase("WWW", disk("A"), disk("B"), disk("C"))), Options{})
				said := false
				for _, p := range a.Phases {
					if c := p.Contention; c != nil {
						said = said || len(c.Steals) > 0
						for _, d := range c.Disks {
							said = said || d.Slowed
						}
					}
				}
				all++
				if said {
					wrong++
					t.Logf("%s, %d files, seed %d", name, files.n, seed)
				}
			}
		}
	}
	evidence.Report(t, evidence.AtMost("false-alarms",
		"held back or robbed, heavy-tailed pauses between files", wrong, all, all/100))
}

// TestHeldFoundDespiteGaps: a disk that moves its files at 70 % of its rate alone is held, whatever
// the pauses between them.
func TestHeldFoundDespiteGaps(t *testing.T) {
	count := traces(t, 10, 3)
	all, found := 0, 0
	for name, pause := range heldOutGaps() {
		for _, sizes := range []tracetest.Sizes{
			tracetest.Between(150e6, 450e6), tracetest.Uniform,
		} {
			for seed := range count {
				rnd := rand.New(rand.NewPCG(uint64(seed), 709))
				disk := func(name string, rate float64) *trace.DiskRecord {
					return pausing(tracetest.Disk{Name: name,
						Levels: []tracetest.Level{{UntilS: 30, Rate: rate}}, Sizes: sizes,
						Noise: tracetest.Noise{Sigma: 0.05}}, pause, 30, rnd)
				}
				a := Analyze(tracetest.Run(tracetest.Phase("W-", disk("A", 1e9)),
					tracetest.Phase("-W", disk("B", 1e9)),
					tracetest.Phase("WW", disk("A", 0.7e9), disk("B", 1e9))), Options{})
				all++
				if a.Phases[2].Contention.Disks["A"].Slowed {
					found++
				} else {
					t.Logf("%s, seed %d: %+v", name, seed, a.Phases[2].Contention.Disks["A"])
				}
			}
		}
	}
	atLeast(t, "held at 70 %, heavy-tailed pauses between files", found, all, 0.95)
}
