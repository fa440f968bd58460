package analysis

import (
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// TestX5 is the published endurance case: 800 files, fast until the cache is full.
func TestX5(t *testing.T) {
	for _, sizes := range []struct {
		name string
		of   tracetest.Sizes
	}{
		{"many slow files", tracetest.Uniform},
		{"two fifths fast", func(rnd *rand.Rand, _ int) float64 {
			return 2e6 + rnd.Float64()*140e6
		}},
	} {
		t.Run(sizes.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(43, 44))
			s := script{
				name: "X", op: trace.Write, paces: []pace{{23.9 / 2.3, 2.3e9}, {1300, 0.65e9}},
				sizes: sizes.of,
			}
			d := s.play(rnd, noise{fast: 0.05, perFile: 0.03, samples: true})
			if len(d.Files) < 800 {
				t.Fatalf("only %d files made", len(d.Files))
			}
			d.Files = d.Files[:800]
			a := Analyze(runOf(d), Options{})
			got := a.Phases[0].Disks["X"]
			if got.Throttle == nil {
				t.Fatal("no throttle found")
			}
			check.Near(t, "onset", 23.9e9, got.Throttle.AtBytes, 2e9)
			if got.Bimodal == nil || *got.Bimodal {
				t.Errorf("bimodal %v, want false: two levels in time are no modes of files",
					got.Bimodal)
			}
			check.Near(t, "Theil-Sen", 0.65e9, *got.TheilSenRate, 0.1e9)
			if q := got.Quote; q == nil || q.Kind != QuoteLater {
				t.Fatalf("quote %+v, want the later level", q)
			}
			check.Near(t, "rate to quote", 0.65e9, got.Quote.Rate, 0.1e9)
			if len(a.Findings) == 0 || a.Findings[0].Code != "throttle" {
				t.Errorf("findings %v, want the throttle first", a.Findings)
			}
		})
	}
}
