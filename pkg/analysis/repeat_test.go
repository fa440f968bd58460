package analysis

import (
	"fmt"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// repeated is a run in which A keeps a share of its rate beside B, every phase measured n times.
func repeated(n, s int, kept, sigma float64) *Analysis {
	rnd := seed(s)
	const endS = 15
	write := func(name string, rate float64) *trace.DiskRecord {
		disk := script{name: name, op: trace.Write, paces: []pace{{endS, rate}},
			sizes: tracetest.Fixed(50e6)}
		return disk.play(rnd, noise{fast: sigma, perFile: sigma, samples: true})
	}
	var phases []*trace.Phase
	for i := range n {
		phases = append(phases,
			tracetest.Phase(fmt.Sprintf("A-%d", i+1), write("A", 1e9)),
			tracetest.Phase(fmt.Sprintf("B-%d", i+1), write("B", 1e9)),
			tracetest.Phase(fmt.Sprintf("WW-%d", i+1), write("A", kept*1e9), write("B", 1e9)))
	}
	return Analyze(tracetest.Run(phases...), Options{})
}

// TestRepeatsNarrow: where nothing varies between repeats, eight of them have at most half the
// margins of one.
func TestRepeatsNarrow(t *testing.T) {
	const seeds = 5
	var sums [2][3]float64
	for i, n := range []int{1, 8} {
		for s := range seeds {
			a := repeated(n, s+1, 0.7, 0.1)
			disk := a.Summary.Contests[0].Disks["A"]
			margins := [3]*stats.Interval{disk.CI95, disk.KeptCI, nil}
			for k := range a.Effects {
				if e := &a.Effects[k]; e.Victim == "A" && len(e.Phases) == n {
					margins[2] = e.CI
				}
			}
			for k, ci := range margins {
				if ci == nil {
					t.Fatalf("%d repeats, seed %d: no interval: %+v", n, s+1, disk)
				}
				sums[i][k] += ci.Half()
			}
		}
	}
	for k, what := range []string{"the rate", "what is kept", "the effect"} {
		if sums[1][k] > sums[0][k]/2 {
			t.Errorf("%s: a margin of %.4g from one phase, of %.4g from eight", what,
				sums[0][k]/seeds, sums[1][k]/seeds)
		}
	}
}

// TestRepeatsFind: with eight repeats an effect is found that one phase rarely shows.
func TestRepeatsFind(t *testing.T) {
	const seeds = 12
	var found [2]int
	for i, n := range []int{1, 8} {
		for s := range seeds {
			for _, e := range repeated(n, s+1, 0.87, 0.2).Effects {
				if e.Victim == "A" && e.Sure {
					found[i]++
				}
			}
		}
	}
	t.Logf("a loss of 13 %% is sure in %d of %d with one phase, in %d with eight", found[0], seeds,
		found[1])
	if found[1] < seeds*9/10 || found[0] >= found[1] {
		t.Errorf("a loss of 13 %% is sure in %d of %d with one phase, in %d with eight", found[0],
			seeds, found[1])
	}
}

// A baseline is from the phases whose rates it is the mean of, not from a repeat in which the disk
// had no settled rate.
func TestSourcesOfABaseline(t *testing.T) {
	var swing []pace
	for s := 4.0; s <= 40; s += 4 {
		swing = append(swing, pace{s, 1.5e9 - 0.5e9*float64(int(s/4)%2)})
	}
	write := func(name string, paces ...pace) *trace.DiskRecord {
		return diskOf(name, trace.Write, 50e6, paces...)
	}
	a := Analyze(tracetest.Run(
		tracetest.Phase("A", write("A", pace{40, 1.5e9})),
		tracetest.Phase("A-2", write("A", swing...)),
		tracetest.Phase("WW", write("A", pace{40, 0.7e9}), write("B", pace{40, 1.5e9})),
	), Options{})
	got := a.Phases[2].Contention.Disks["A"]
	if a.Phases[1].Changes[0].Kind != KindSwing || got.ReferenceFrom != "A" {
		t.Errorf("the baseline is from %q; the repeat's ledger: %+v", got.ReferenceFrom,
			a.Phases[1].Changes)
	}
}
