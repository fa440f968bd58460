package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestWindowAgainstTruth plays disks that start at different times, pause, and end at different
// times, and holds the window and its rates to what was really moved.
func TestWindowAgainstTruth(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	worst := map[bool]float64{} // error of any rate, in percent, by whether there are samples
	for trial := range 60 {
		disks := 1 + trial%12
		n := noise{fast: []float64{0.02, 0.05, 0.10}[trial%3], samples: trial%2 == 0}
		t.Run(fmt.Sprintf("%d disks, noise %.2f, samples %v", disks, n.fast, n.samples),
			func(t *testing.T) {
				scripts := make([]script, disks)
				for i := range scripts {
					scripts[i] = randomScript(rnd, i)
				}
				worst[n.samples] = max(worst[n.samples], checkWindow(t, rnd, scripts, n))
			})
	}
	evidence.Report(t, evidence.Below("overlap",
		"noisy disks that pause, 1 to 12 at once: worst error of any rate", "%", worst[true], 0.1))
	evidence.Report(t, evidence.Below("overlap", "the same, of traces without progress", "%",
		worst[false], 2))
}

func randomScript(rnd *rand.Rand, i int) script {
	start := math.Round(rnd.Float64()*300) / 100
	end := 20 + math.Round(rnd.Float64()*1500)/100
	s := script{
		name: string(rune('A' + i)), op: []trace.Role{trace.Read, trace.Write}[rnd.IntN(2)],
		startS: start,
		paces:  []pace{{10, 0.5e9 + rnd.Float64()*2e9}, {end, 0.5e9 + rnd.Float64()*2e9}},
		sizes:  tracetest.Uniform,
	}
	if rnd.IntN(2) == 0 { // too short to matter, and long enough
		s.pauses = []pause{{5, 5.3}, {12, 13 + math.Round(rnd.Float64()*100)/100}}
	}
	return s
}

// checkWindow returns the worst error of a rate, in percent.
func checkWindow(t *testing.T, rnd *rand.Rand, scripts []script, n noise) (worst float64) {
	t.Helper()
	moved := make([][]float64, len(scripts))
	disks := make([]*trace.DiskRecord, len(scripts))
	for i, s := range scripts {
		disks[i], moved[i] = s.playAndKnow(rnd, n)
	}
	// The truth, step by step: a disk is active except for its pause of more than half a second.
	const steps = 40 * 100
	first, last, count := -1, -1, 0
	bytes := make([]float64, len(scripts))
	for k := range steps {
		at := (float64(k) + 0.5) * stepS
		all := true
		for i := range scripts {
			s := &scripts[i]
			pausing := len(s.pauses) > 0 && s.pauses[1].fromS <= at && at < s.pauses[1].toS
			all = all && at > s.startS && at < s.paces[len(s.paces)-1].untilS && !pausing
		}
		if !all {
			continue
		}
		if first < 0 {
			first = k
		}
		last = k
		count++
		for i := range scripts {
			bytes[i] += moved[i][k-int(math.Round(scripts[i].startS/stepS))]
		}
	}
	o := Analyze(runOf(disks...), Options{}).Phases[0].Overlap
	if o == nil {
		t.Fatal("no overlap")
	}
	check.Near(t, "start", float64(first)*stepS, o.StartS, 0.05)
	check.Near(t, "end", float64(last+1)*stepS, o.EndS, 0.05)
	check.Near(t, "duration", float64(count)*stepS, o.DurationS, 0.05)
	tolerance := 0.001
	if !n.samples {
		tolerance = 0.02
	}
	var total float64
	for i, s := range scripts {
		want := bytes[i] / (float64(count) * stepS)
		total += want
		d := o.Disks[s.name]
		check.Near(t, "rate of "+s.name, want, d.Rate, tolerance*want)
		worst = max(worst, 100*math.Abs(d.Rate/want-1))
		if float64(d.BytesLow) > bytes[i]+1e5 || float64(d.BytesHigh) < bytes[i]-1e5 {
			t.Errorf("bytes of %s: %.0f are not between %d and %d", s.name, bytes[i], d.BytesLow,
				d.BytesHigh)
		}
	}
	check.Near(t, "total", total, o.Rate, tolerance*total)
	return max(worst, 100*math.Abs(o.Rate/total-1))
}

// TestRecoveriesAmongMany ends two of up to twelve disks, and lets each of the others rise some
// time after each, and take what that left. Of all rises 98 % must be found and nothing else, 97 % of
// them within half a second of the truth: a wave of 10 % noise just beside a rise can pass for a
// part of it.
func TestRecoveriesAmongMany(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 26))
	near, all, wrong := 0, 0, 0
	for trial := range 22 {
		disks := 3 + trial%10
		n := noise{fast: []float64{0.02, 0.05, 0.10}[trial%3], samples: trial%2 == 0}
		t.Run(fmt.Sprintf("%d disks, noise %.2f, samples %v", disks, n.fast, n.samples),
			func(t *testing.T) {
				type event struct{ disk, after string }
				truth := map[event]float64{}
				var traces []*trace.DiskRecord
				rates := make([]float64, disks)
				var others float64 // that rise after A's end, and all but B after B's
				for i := range rates {
					rates[i] = 0.3e9 + rnd.Float64()*0.5e9
					if i > 1 {
						others += rates[i]
					}
				}
				// The others take what A and B leave.
				rates[1] = 0.7 * others / 1.5
				rates[0] = 0.5 * (others + rates[1])
				for i, rate := range rates {
					name := string(rune('A' + i))
					s := script{
						name: name, op: trace.Write,
						sizes: func(rnd *rand.Rand, _ int) float64 {
							return 2e6 + rnd.Float64()*4e8
						},
					}
					s.startS = math.Round(rnd.Float64()*100) / 100
					switch i {
					case 0:
						s.paces = []pace{{12, rate}}
					case 1:
						first := rnd.Float64() * 5
						truth[event{name, "A"}] = first
						s.paces = []pace{{12 + first, rate}, {24, rate * 1.5}}
					default:
						first, second := rnd.Float64()*5, rnd.Float64()*5
						truth[event{name, "A"}], truth[event{name, "B"}] = first, second
						s.paces = []pace{
							{12 + first, rate}, {24 + second, rate * 1.5}, {36, rate * 2.2},
						}
					}
					traces = append(traces, s.play(rnd, n))
				}
				got := Analyze(runOf(traces...), Options{}).Phases[0].Recoveries
				for _, r := range got {
					want, ok := truth[event{r.Disk, r.After}]
					if !ok || r.LagS == nil || math.Abs(*r.LagS-want) > 1.5 {
						t.Logf("recovery %+v is false", r)
						wrong++
						continue
					}
					if all++; math.Abs(*r.LagS-want) <= 0.5 {
						near++
					}
					delete(truth, event{r.Disk, r.After})
				}
				for missed, lag := range truth {
					t.Logf("not found: %s rising %.1f s after %s", missed.disk, lag, missed.after)
					wrong++
				}
			})
	}
	evidence.Report(t, evidence.Seldom("detection",
		"recoveries among 3 to 12 disks: false or not found", wrong, all+wrong, 0.02))
	evidence.Report(t, evidence.AtLeast("detection",
		"recoveries among 3 to 12 disks, lags within 0.5 s", near, all,
		int(math.Ceil(0.97*float64(all)))))
}
