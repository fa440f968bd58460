package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// TestQuoteAfterAFall: a disk that fell from 2.0 to 0.5 GB/s half-way is quoted at the later level, with the earlier
// one and how long it lasted beside it.
func TestQuoteAfterAFall(t *testing.T) {
	for seed := range 10 {
		rnd := rand.New(rand.NewPCG(uint64(seed), 76))
		d := tracetest.Disk{Name: "A", Levels: []tracetest.Level{{UntilS: 20, Rate: 2e9}, {UntilS: 40, Rate: 0.5e9}}, Noise: tracetest.Noise{Sigma: 0.05}, Sizes: tracetest.Between(2e6, 5e8)}
		alone := Analyze(tracetest.Run(tracetest.Phase("W", d.Play(rnd))), Options{}).Phases[0].Disks["A"]
		d.StartS = 0.5
		other := tracetest.Disk{Name: "B", Levels: []tracetest.Level{{UntilS: 45, Rate: 1e9}}}
		among := Analyze(tracetest.Run(tracetest.Phase("WW", d.Play(rnd), other.Play(rnd))), Options{}).Phases[0].Disks["A"]
		for _, disk := range []Disk{alone, among} {
			q := disk.Quote
			if q == nil || q.Kind != QuoteLater {
				t.Fatalf("quote %+v, want the later level", q)
			}
			within(t, "quote", q.Rate, 0.5e9, 0.03*0.5e9)
			within(t, "rate before", disk.Throttle.FromRate, 2e9, 0.05e9)
			within(t, "seconds before", disk.Throttle.HeldS, 20, 1)
		}
	}
}

// TestQuoteIsTheLongRun: in each class of noise, the middle of the quotes of steady disks lies within 3 % of the rate
// in the long run, of few traces within 10 %. Pareto's distribution below 2 has no variance: most traces never see what its mean is made of, and
// no figure of theirs can show it.
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
			a := Analyze(tracetest.Run(tracetest.Phase("W", d.Play(rnd))), Options{}).Phases[0].Disks["A"]
			if a.Quote == nil {
				t.Fatalf("%s: no quote", c.Name)
			}
			if a.Throttle == nil {
				quotes = append(quotes, a.Quote.Rate)
			}
			bytes, files = bytes+float64(a.Bytes), files+float64(a.Files)
		}
		got := stats.Median(quotes) / (1e9 * c.Noise.Rate(1e9, bytes/files))
		t.Logf("%s: %d quotes, their median %.4f of the rate in the long run", c.Name, len(quotes), got)
		if math.Abs(got-1) > allowed {
			t.Errorf("%s: the median quote is %.3f of the rate in the long run", c.Name, got)
		}
	}
}
