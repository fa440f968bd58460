package analysis

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

var perKind = flag.Int("traces", 0,
	"number of traces to play of each kind, of all classes, showing the figures; 0 for a few")

// hurried says that tests of claims must do with few traces, if each takes long: under the race
// detector, and with -short, as on an emulated processor.
func hurried() bool { return evidence.Raced || testing.Short() }

// traces is how many traces a test of claims makes of each kind.
func traces(t *testing.T, usual, hurriedly int) int {
	t.Helper()
	if *perKind > 0 {
		return *perKind
	}
	if hurried() {
		return hurriedly
	}
	return usual
}

// steadyRun is a run of steady disks under a class's noise.
type steadyRun struct {
	name string
	play func(c tracetest.Class, rnd *rand.Rand) *trace.Run
}

func steadyDisk(c tracetest.Class, name string, until float64) tracetest.Disk {
	return tracetest.Disk{
		Name: name, Levels: []tracetest.Level{{UntilS: until, Rate: 1e9}}, Sizes: c.Sizes,
		Noise: c.Noise,
	}
}

func steadyRuns() []steadyRun {
	alone := func(files int, bare bool) func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
		return func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
			d := steadyDisk(c, "A", 3*float64(files))
			d.Files, d.BareFiles = files, bare
			return tracetest.Run(tracetest.Phase("W", d.Play(rnd)))
		}
	}
	return []steadyRun{
		{"60 files", alone(60, false)},
		{"60 bare files", alone(60, true)},
		{"15 files", alone(15, false)},
		{"400 bare files", alone(400, true)},
		{"ladder", func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
			d := steadyDisk(c, "A", 300)
			sizes := make([]float64, 80)
			for i := range sizes {
				sizes[i] = tracetest.LogUniform(50e3, 4e9)(rnd, 0)
			}
			slices.Sort(sizes)
			d.Files, d.Sizes = len(sizes), func(_ *rand.Rand, i int) float64 { return sizes[i] }
			return tracetest.Run(tracetest.Phase("W", d.Play(rnd)))
		}},
		{"ladder five times", func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
			d := steadyDisk(c, "A", 300)
			steps := []float64{2e6, 1e7, 5e7, 1e8, 2e8, 4e8, 6e8, 8e8, 1e9, 2e9}
			d.Files, d.Sizes = 5*len(steps), func(_ *rand.Rand, i int) float64 {
				return steps[i%len(steps)]
			}
			return tracetest.Run(tracetest.Phase("W", d.Play(rnd)))
		}},
		{"three disks, one leaves", func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
			a, b, other := steadyDisk(c, "A", 80), steadyDisk(c, "B", 80), steadyDisk(c, "C", 35)
			a.Levels = []tracetest.Level{{UntilS: 35, Rate: 0.7e9}, {UntilS: 80, Rate: 1.2e9}}
			b.Levels = []tracetest.Level{{UntilS: 39, Rate: 0.7e9}, {UntilS: 80, Rate: 1.2e9}}
			return tracetest.Run(tracetest.Phase("WWW", a.Play(rnd), b.Play(rnd), other.Play(rnd)))
		}},
		{"5,000 bare files", alone(5000, true)},
	}
}

// TestNoKneeOrModes: of steady disks' traces, at most 5 % may show a knee or two modes, in each
// class of noise. The thresholds were chosen on other seeds, and on the classes marked as tuned.
// With few traces of each class, at most 2 % of all may.
func TestNoKneeOrModes(t *testing.T) {
	count := traces(t, 3, 1)
	all, raised := 0, 0
	for _, kind := range steadyRuns() {
		for i, c := range tracetest.Classes() {
			if hurried() && i%5 != 0 || kind.name == "5,000 bare files" && count < 20 {
				continue
			}
			knees, modes := 0, 0
			for seed := range count {
				rnd := rand.New(rand.NewPCG(uint64(1000*i+seed), 73))
				knee, bimodal := false, false
				for _, d := range Analyze(kind.play(c, rnd), Options{}).Phases[0].Disks {
					knee = knee || d.SizeKnee != nil
					bimodal = bimodal || d.Bimodal != nil && *d.Bimodal && d.Throttle == nil
				}
				knees += one(knee)
				modes += one(bimodal)
			}
			all, raised = all+count, raised+knees+modes
			if knees+modes > 0 {
				t.Logf("%s, %s: %d knees, %d times two modes in %d traces", kind.name, c.Name,
					knees, modes, count)
			}
			if count >= 100 && 20*max(knees, modes) > count {
				t.Errorf("%s, %s: %d knees, %d times two modes in %d traces", kind.name, c.Name,
					knees, modes, count)
			}
		}
	}
	evidence.Report(t, evidence.AtMost("false-alarms",
		"a dependence on the size of files, or two modes, all layouts and noises", raised, all,
		all/50))
}

// one is 1 if true.
func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// TestNoKneeOfTheClock: a clock of a millisecond or more makes small files fast or slow, which is
// no effect of their size. Other seeds and errors were used to choose what counts as its noise.
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
							d := tracetest.Disk{
								Name: "A", Levels: []tracetest.Level{{UntilS: 3000, Rate: rate}},
								Files: files, Sizes: tracetest.Between(sizes[0], sizes[1]),
								Noise: tracetest.Noise{Sigma: 0.05}, BareFiles: true,
							}
							all++
							if k := Analyze(tracetest.Run(tracetest.Phase("W",
								tracetest.Blurred(d.Play(rnd), rnd, off, ticks))),
								Options{}).Phases[0].Disks["A"].SizeKnee; k != nil {
								knees++
								t.Logf("an error of %g s (ticks: %v), %d files of %g bytes at "+
									"%g: %+v", off, ticks, files, sizes, rate, *k)
							}
						}
					}
				}
			}
		}
	}
	evidence.Report(t, evidence.AtMost("false-alarms",
		"a knee of file size, clocks that are off by .7 to 3 ms", knees, all, all/50))
}

// atLeast reports if less than a share of count traces, a little less if they are few, did as they
// should.
func atLeast(t *testing.T, what string, got, count int, share float64) {
	t.Helper()
	slack := 2 * math.Sqrt(share*(1-share)*float64(count))
	if count >= 100 {
		slack = 0
	}
	evidence.Report(t, evidence.AtLeast("detection", what, got, count,
		int(math.Ceil(share*float64(count)-slack))))
}

// TestKneeFound: a knee of a quarter at 550 MB must be found in 95 % of traces, at its size and
// with its rates, also among twenty other phases.
func TestKneeFound(t *testing.T) {
	count := traces(t, 15, 3)
	for name, noise := range map[string]tracetest.Noise{
		"log-normal .05": {Sigma: 0.05},
		"log-normal .1":  {Sigma: 0.1},
		"wave 10%":       {Wave: 0.1, MemoryS: 0.5},
	} {
		for _, others := range []int{0, 20} {
			found, placed, below, above := 0, 0, 0, 0
			for seed := range count {
				rnd := rand.New(rand.NewPCG(uint64(seed), 74))
				d := tracetest.Disk{
					Name: "A", Levels: []tracetest.Level{{UntilS: 300, Rate: 1.2e9}}, Files: 100,
					Noise: noise, KneeBytes: 550e6, KneeFactor: 0.75,
				}
				phases := []*trace.Phase{tracetest.Phase("W", d.Play(rnd))}
				for i := range others {
					few := tracetest.Disk{
						Name: "A", Levels: []tracetest.Level{{UntilS: 300, Rate: 1.2e9}}, Files: 3,
						BareFiles: true,
					}
					phases = append(phases, tracetest.Phase(fmt.Sprint(i), few.Play(rnd)))
				}
				if knee := Analyze(tracetest.Run(phases...),
					Options{}).Phases[0].Disks["A"].SizeKnee; knee != nil {
					found++
					placed += one(math.Abs(knee.AtBytes-550e6) <= 100e6)
					below += one(math.Abs(knee.BelowRate-1.2e9) <= 0.05*1.2e9)
					above += one(math.Abs(knee.AboveRate-0.9e9) <= 0.05*0.9e9)
				}
			}
			name := fmt.Sprintf("a knee at 550 MB, noise %s, %d other phases", name, others)
			atLeast(t, name+": found", found, count, 0.95)
			atLeast(t, name+": within 100 MB", placed, count, 0.95)
			atLeast(t, name+": rate below within 5%", below, count, 0.9) // of some 28 files
			atLeast(t, name+": rate above within 5%", above, count, 0.95)
		}
	}
}

// mixture is a disk's trace whose files, in random order, run at one rate or another.
func mixture(rnd *rand.Rand, files int, slow, fast, slowShare, sigma float64) *trace.DiskRecord {
	d := &trace.DiskRecord{Name: "A", Op: trace.Write}
	at := int64(0)
	for i := range files {
		rate := fast
		if rnd.Float64() < slowShare {
			rate = slow
		}
		bytes := tracetest.Uniform(rnd, i)
		end := at + int64(bytes/rate*math.Exp(sigma*rnd.NormFloat64())*1e9)
		d.Files = append(d.Files, trace.File{Seq: i, Bytes: int64(bytes), StartNS: at, EndNS: end})
		at = end
	}
	return d
}

// TestModesFound: files of which half run at half the rate, in random order, must be found bimodal
// in 95 % of traces.
func TestModesFound(t *testing.T) {
	count := traces(t, 60, 10)
	found, right := 0, 0
	for seed := range count {
		rnd := rand.New(rand.NewPCG(uint64(seed), 75))
		d := Analyze(tracetest.Run(tracetest.Phase("W", mixture(rnd, 60, 0.5e9, 1e9, 0.5, 0.1))),
			Options{}).Phases[0].Disks["A"]
		if d.Bimodal != nil && *d.Bimodal {
			found++
			right += one(math.Abs(d.Modes[0]-0.5e9) <= 0.05e9 && math.Abs(d.Modes[1]-1e9) <= 0.1e9)
		}
	}
	atLeast(t, "files at two rates, found", found, count, 0.95)
	atLeast(t, "files at two rates, both within a tenth", right, count, 0.95)
}

// TestModesAreOfFiles: what changes with time, in bursts, swings and levels, is no mode of the
// files, and 2 % of traces at most may say so.
func TestModesAreOfFiles(t *testing.T) {
	swing := func(halfS float64) (levels []tracetest.Level) {
		for at := halfS; at <= 60; at += halfS {
			levels = append(levels, tracetest.Level{UntilS: at,
				Rate: []float64{1.5e9, 0.7e9}[len(levels)%2]})
		}
		return levels
	}
	steady := []tracetest.Level{{UntilS: 60, Rate: 1e9}}
	count, all, wrong := traces(t, 10, 2), 0, 0
	for name, d := range map[string]tracetest.Disk{
		"slow for 2 of 6 s": {
			Levels: steady, Noise: tracetest.Noise{EveryS: 4, StallS: 2, Stalled: 0.4},
		},
		"slow for 2 of 15 s": {
			Levels: steady, Noise: tracetest.Noise{EveryS: 13, StallS: 2, Stalled: 0.4},
		},
		"slow for 4 of 10 s": {
			Levels: steady, Noise: tracetest.Noise{EveryS: 6, StallS: 4, Stalled: 0.5},
		},
		"fast for 2 of 6 s": {
			Levels: steady, Noise: tracetest.Noise{EveryS: 4, StallS: 2, Stalled: 2},
		},
		"swings of 4 s":           {Levels: swing(2)},
		"swings of 8 s":           {Levels: swing(4)},
		"one level, then another": {Levels: swing(30)},
		"five levels":             {Levels: swing(12)},
	} {
		for _, sigma := range []float64{0.02, 0.1} {
			for i, sizes := range []tracetest.Sizes{
				tracetest.Uniform, tracetest.Between(2e6, 200e6),
			} {
				told := 0
				for seed := range count {
					rnd := rand.New(rand.NewPCG(uint64(seed), 78))
					d.Name, d.Noise.Sigma, d.Sizes, d.BareFiles = "A", sigma, sizes, seed%2 == 0
					got := Analyze(tracetest.Run(tracetest.Phase("W", d.Play(rnd))),
						Options{}).Phases[0].Disks["A"]
					told += one(got.Bimodal != nil && *got.Bimodal)
				}
				if told > 0 {
					t.Logf("%s, noise %g, sizes %d: two modes in %d of %d traces", name, sigma, i,
						told, count)
				}
				all, wrong = all+count, wrong+told
			}
		}
	}
	evidence.Report(t, evidence.AtMost("false-alarms",
		"two modes of files whose rate changes with time", wrong, all, all/50))
}

// TestQuoteIsTheLongRun: in each class of noise, the middle of the quotes of steady disks lies
// within 3 % of the rate in the long run, of few traces within 10 %. Pareto's distribution below 2
// has no variance: most traces never see what its mean is made of, and no figure of theirs can show
// it.
func TestQuoteIsTheLongRun(t *testing.T) {
	count, allowed := traces(t, 7, 3), 0.1
	if count >= 100 {
		allowed = 0.03
	}
	for i, c := range tracetest.Classes() {
		if c.Noise.Tail > 0 && c.Noise.Tail < 2 {
			continue
		}
		quotes := make([]float64, 0, count)
		var bytes, files float64
		for seed := range count {
			rnd := rand.New(rand.NewPCG(uint64(1000*i+seed), 77))
			d := steadyDisk(c, "A", 200)
			if c.Name == "4 KB to 50 GB" {
				d.Levels[0].UntilS = 1000
			}
			d.BareFiles = true
			a := Analyze(tracetest.Run(tracetest.Phase("W", d.Play(rnd))),
				Options{}).Phases[0].Disks["A"]
			if a.Quote == nil {
				t.Fatalf("%s: no quote", c.Name)
			}
			if a.Throttle == nil {
				quotes = append(quotes, a.Quote.Rate)
			}
			bytes, files = bytes+float64(a.Bytes), files+float64(a.Files)
		}
		got := stats.Median(quotes) / (1e9 * c.Noise.Rate(1e9, bytes/files))
		t.Logf("%s: %d quotes, their median %.4f of the rate in the long run", c.Name, len(quotes),
			got)
		check.Near(t, c.Name+": the median quote is", 1, got, allowed)
	}
}
