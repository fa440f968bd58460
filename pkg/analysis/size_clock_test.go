package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/evidence"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// blurred is a disk's trace as a clock sees it that is off by an error of its own whenever it is read, in seconds: normal, or
// even when it ticks. Times that would go back stay.
func blurred(d *trace.DiskTrace, rnd *rand.Rand, off float64, ticks bool) *trace.DiskTrace {
	last := int64(0)
	read := func(ns int64) int64 {
		t := float64(ns) + off*1e9*rnd.NormFloat64()
		if ticks {
			t = math.Floor(float64(ns)/(off*1e9)) * math.Round(off*1e9)
		}
		last = max(last, int64(t))
		return last
	}
	out := *d
	out.Files = nil
	for _, f := range d.Files {
		f.StartNS, f.EndNS, f.Samples = read(f.StartNS), read(f.EndNS), nil
		out.Files = append(out.Files, f)
	}
	return &out
}

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
							if k := Analyze(tracetest.Run(tracetest.Phase("W", blurred(d.Play(rnd), rnd, off, ticks))), Options{}).Phases[0].Disks["A"].SizeKnee; k != nil {
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

// What is the same for all sizes is told from what goes with the time; a knee is neither.
func TestConstantNoise(t *testing.T) {
	for _, tt := range []struct {
		name     string
		disk     tracetest.Disk
		off      float64
		ticks    bool
		low, top float64
	}{
		{"none", tracetest.Disk{Files: 400, Noise: tracetest.Noise{Sigma: 0.1}}, 1e-9, false, 0, 0.002},
		{"none, and few files", tracetest.Disk{Files: 15, Noise: tracetest.Noise{Sigma: 0.3}}, 1e-9, false, 0, 0.01},
		{"none, and a knee among the smallest", tracetest.Disk{Files: 400, Noise: tracetest.Noise{Sigma: 0.02}, KneeBytes: 100e6, KneeFactor: 0.75}, 1e-9, false, 0, 0.002},
		{"2 ms at either end", tracetest.Disk{Files: 400, Sizes: tracetest.Between(4e6, 80e6), Noise: tracetest.Noise{Sigma: 0.03}}, 0.002, false, 0.0022, 0.0034},
		{"a tick of 5 ms", tracetest.Disk{Files: 20, Sizes: tracetest.Between(40e6, 80e6), Noise: tracetest.Noise{Sigma: 0.1}}, 0.005, true, 0.005, 0.005},
	} {
		outside := 0
		for seed := range uint64(20) {
			rnd := rand.New(rand.NewPCG(seed, 406))
			tt.disk.Levels = []tracetest.Level{{UntilS: 3000, Rate: 1e9}}
			p := newPart(blurred(tt.disk.Play(rnd), rnd, tt.off, tt.ticks), 5e8)
			var d Disk
			files, _ := p.transfers(&d)
			s := newKneeSample(files)
			line, _ := stats.FitCost(s.bytes, s.seconds)
			if got := constantNoise(files, line); got < tt.low-1e-12 || got > tt.top+1e-12 {
				outside++
				t.Logf("%s: %g s", tt.name, got)
			}
		}
		if outside > 2 {
			t.Errorf("%s: %d of 20 are not within %g to %g s", tt.name, outside, tt.low, tt.top)
		}
	}
}
