package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestFioTellsDirectionsApart: fio's group report has a line for reads and one for writes.
func TestFioTellsDirectionsApart(t *testing.T) {
	p := tracetest.Phase("mixed", diskOf("C", "write", 100e6, pace{20, 2e9}),
		diskOf("A", "read", 100e6, pace{10, 1e9}), diskOf("B", "read", 100e6, pace{20, 1e9}))
	a := Analyze(tracetest.Run(p), Options{})
	o := a.Phases[0].OtherToolRates
	if o.FioRate != nil || o.FioReadRate == nil || o.FioWriteRate == nil {
		t.Fatalf("got %+v, want reads and writes apart", o)
	}
	check.Near(t, "reads", 1.5e9, *o.FioReadRate, 0.01e9) // 10 and 20 GB in 20 s
	check.Near(t, "writes", 2e9, *o.FioWriteRate, 0.01e9)
	want := []Finding{
		{Code: "others", Phase: "mixed", Other: "read", Weight: 0.0625,
			Values: OthersValues{Rate: 1.5e9, Overlap: 2e9}},
	}
	check.Same(t, "findings", want, a.Findings, withoutTexts, cmpopts.EquateApprox(0.01, 0))
}

// TestFioWithinChance: disks so noisy that the window's rate is not known to a tenth are no proof
// of fio's error, and the finding is of the first phase that shows it.
func TestFioWithinChance(t *testing.T) {
	count := traces(t, 30, 5)
	raised := 0
	for seed := range count {
		rnd := rand.New(rand.NewPCG(uint64(seed), 80))
		var disks []*trace.DiskRecord
		for _, name := range []string{"A", "B"} {
			d := tracetest.Disk{
				Name: name, Levels: []tracetest.Level{{UntilS: 30, Rate: 1e9}},
				Noise: tracetest.Noise{Wave: 0.2, MemoryS: 2},
			}
			disks = append(disks, d.Play(rnd))
		}
		for _, f := range Analyze(tracetest.Run(tracetest.Phase("WW", disks...)),
			Options{}).Findings {
			raised += one(f.Code == "others")
		}
	}
	if 20*raised > max(count, 20) {
		t.Errorf("fio's rule said to be wrong in %d of %d runs in which it is right", raised, count)
	}
	slow := func(name string, end float64) *trace.Phase {
		return tracetest.Phase(name, diskOf("A", "write", 100e6, pace{10, 2e9}),
			diskOf("B", "write", 100e6, pace{end, 1e9}))
	}
	for _, f := range Analyze(tracetest.Run(slow("first", 20), slow("worse", 40)),
		Options{}).Findings {
		if f.Code == "others" && f.Phase != "first" {
			t.Errorf("%+v, want the first phase that shows it", f)
		}
	}
}

// TestDuplexGain: mixed traffic that moves as much as one way, or a tenth more, or half as much
// again.
func TestDuplexGain(t *testing.T) {
	count := traces(t, 8, 2)
	for _, tt := range []struct {
		gain, lower, upper float64
		noise              tracetest.Noise
	}{
		{1, 0, 0.05, tracetest.Noise{Sigma: 0.05}},
		{1, 0, 0.05, tracetest.Noise{Wave: 0.2, MemoryS: 2}},
		{1, 0, 0.05, tracetest.Noise{Sigma: 0.6}},
		{1, 0, 0.05, tracetest.Noise{Tail: 2.5}},
		{1.5, 0.95, 1, tracetest.Noise{Sigma: 0.05}},
	} {
		raised := 0
		for seed := range count {
			rnd := rand.New(rand.NewPCG(uint64(seed), 81))
			play := func(name string, op trace.Role, rate float64) *trace.DiskRecord {
				return tracetest.Disk{Name: name, Op: op,
					Levels: []tracetest.Level{{UntilS: 30, Rate: rate}}, Noise: tt.noise,
					Sizes: tracetest.Between(2e6, 8e8)}.Play(rnd)
			}
			a := Analyze(tracetest.Run(
				tracetest.Phase("WW", play("A", trace.Write, 1e9), play("B", trace.Write, 1e9)),
				tracetest.Phase("RR", play("A", trace.Read, 1e9), play("B", trace.Read, 1e9)),
				tracetest.Phase("WR", play("A", trace.Write, tt.gain*1e9),
					play("B", trace.Read, tt.gain*1e9))), Options{})
			for _, f := range a.Findings {
				raised += one(f.Code == "duplex")
			}
		}
		t.Logf("gain %v, %+v: %d of %d", tt.gain, tt.noise, raised, count)
		share := float64(raised) / float64(count)
		if share < tt.lower-0.05 || share > math.Max(tt.upper, 1/float64(count)) {
			t.Errorf("gain %v, %+v: reported in %d of %d runs", tt.gain, tt.noise, raised, count)
		}
	}
}
