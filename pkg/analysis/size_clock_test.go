package analysis

import (
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// TestNoKneeOfTheClock: a clock of a millisecond or more makes small files fast or slow, which is no effect of their size. Other
// seeds and errors were used to choose what counts as its noise.
func TestNoKneeOfTheClock(t *testing.T) {
	count := traces(t, 3, 1)
	all, knees := 0, 0
	for _, off := range []float64{0.0007, 0.0015, 0.002, 0.003} {
		for _, sizes := range [][2]float64{{1e6, 8e6}, {2e6, 30e6}} {
			for _, rate := range []float64{0.7e9, 2e9} {
				for _, files := range []int{120, 800} {
					for _, ticks := range []bool{false, true} {
						for seed := range count {
							rnd := rand.New(rand.NewPCG(uint64(seed), 405))
							d := tracetest.Disk{Name: "A", Levels: []tracetest.Level{{UntilS: 3000, Rate: rate}}, Files: files, Sizes: tracetest.Between(sizes[0], sizes[1]), Noise: tracetest.Noise{Sigma: 0.05}, BareFiles: true}
							all++
							if k := Analyze(tracetest.Run(tracetest.Phase("W", tracetest.Blurred(d.Play(rnd), rnd, off, ticks))), Options{}).Phases[0].Disks["A"].SizeKnee; k != nil {
								knees++
								t.Logf("an error of %g s (ticks: %v), %d files of %g bytes at %g: %+v", off, ticks, files, sizes, rate, *k)
							}
						}
					}
				}
			}
		}
	}
	evidence.Report(t, evidence.AtMost("false-alarms", "a knee of file size, clocks that are off by .7 to 3 ms", knees, all, all/50))
}
