package analysis

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

var perKind = flag.Int("traces", 0, "number of traces to play of each kind, of all classes, showing the figures; 0 for a few")

// hurried says that tests of claims must do with few traces, if each takes long: under the race detector, and with
// -short, as on an emulated processor.
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
	return tracetest.Disk{Name: name, Levels: []tracetest.Level{{UntilS: until, Rate: 1e9}}, Sizes: c.Sizes, Noise: c.Noise}
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
			d.Files, d.Sizes = 5*len(steps), func(_ *rand.Rand, i int) float64 { return steps[i%len(steps)] }
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

// TestNoKneeOrModes: of steady disks' traces, at most 5 % may show a knee or two modes, in each class of noise. The
// thresholds were chosen on other seeds, and on the classes marked as tuned. With few traces of each class, at most
// 2 % of all may.
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
				t.Logf("%s, %s: %d knees, %d times two modes in %d traces", kind.name, c.Name, knees, modes, count)
			}
			if count >= 100 && 20*max(knees, modes) > count {
				t.Errorf("%s, %s: %d knees, %d times two modes in %d traces", kind.name, c.Name, knees, modes, count)
			}
		}
	}
	evidence.Report(t, evidence.AtMost("false-alarms", "a dependence on the size of files, or two modes, all layouts and noises", raised, all, all/50))
}

// one is 1 if true.
func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
