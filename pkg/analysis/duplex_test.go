package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

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
