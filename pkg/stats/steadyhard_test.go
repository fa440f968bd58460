package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
)

// hardSeries draws a series of a kind that real disks show and that a detector may stumble over.
// The noise of a window is up to 5 %.
func hardSeries(kind string, rng *rand.Rand) madeSeries {
	const n = 60
	uniform := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	s := madeSeries{kind: kind}
	noise, depth, floor := uniform(0.005, 0.05), uniform(0.3, 0.6), uniform(0.2, 0.7)
	tau, phi := uniform(3, 15), uniform(0.4, 0.8)
	at, every := 20+rng.IntN(25), 3+rng.IntN(3)
	drifting := rng.NormFloat64()
	for i := range n {
		x := float64(i)
		rate, off := 1.0, rng.NormFloat64()
		drifting = phi*drifting + math.Sqrt(1-phi*phi)*rng.NormFloat64()
		switch kind {
		case "slow fall to a floor":
			rate = floor + (1-floor)*math.Exp(-x/(4*tau))
		case "fall without end": // by 12 to 16 % over five windows
			rate = math.Pow(1-(0.03+0.01*depth/0.6), x)
		case "pause of garbage collection":
			if i%every == every-1 {
				rate -= depth
			}
		case "late step":
			if i >= at {
				rate -= depth
			}
		case "fall with an outlier":
			rate = floor + (1-floor)*math.Exp(-x/tau)
			if i == at {
				off += 0.5 / noise
			}
		case "fall with noise that lasts":
			rate = floor + (1-floor)*math.Exp(-x/tau)
			off = drifting
		}
		s.truth = append(s.truth, rate)
		s.rates = append(s.rates, rate*(1+noise*off))
	}
	return s
}

// Of 50 series of each hard kind that many at least are judged rightly; and whenever one is called
// steady, the rate since then is the one that it has now.
func TestSteadyOnHardSeries(t *testing.T) {
	if testing.Short() {
		t.Skip("many cases")
	}
	guarded := func(r []float64) bool { _, ok := Steady(r); return ok }
	for _, tt := range []struct {
		kind  string
		right int
	}{
		{"slow fall to a floor", 48},
		{"fall without end", 46}, // near the rule's limit all the time
		{"pause of garbage collection", 48},
		{"late step", 48},
		{"fall with an outlier", 48},
		{"fall with noise that lasts", 47}, // the guard takes noise for independent
	} {
		right, off, worst := 0, 0, 0.0
		for seed := range uint64(50) {
			s := hardSeries(tt.kind, rand.New(rand.NewPCG(4711, seed)))
			if s.judge(guarded) == "" {
				right++
			}
			far := 0.0
			for n := SteadyWindows; n <= len(s.rates); n++ {
				if since, ok := SteadySince(s.rates[:n]); ok && afterPTS(s.truth[:n]) {
					far = max(far, math.Abs(Mean(s.rates[since:n])/Mean(s.truth[n-SteadyWindows:n])-
						1))
				}
			}
			if worst = max(worst, far); far > 1.5*steadyChange {
				off++
			}
		}
		t.Logf("%-28s right %d of 50; the reported rate is off by %.0f %% at most", tt.kind, right,
			100*worst)
		evidence.Report(t, evidence.AtLeast("steady", tt.kind+": series judged rightly", right, 50,
			tt.right))
		if off > 0 {
			t.Errorf("%s: in %d of 50 series the reported rate is not the one at the end, once by %.0f %%", tt.kind, off, 100*worst)
		}
	}
}
