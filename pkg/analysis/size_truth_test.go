package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// atLeast reports if less than a share of count traces, a little less if they are few, did as they should.
func atLeast(t *testing.T, what string, got, count int, share float64) {
	t.Helper()
	slack := 2 * math.Sqrt(share*(1-share)*float64(count))
	if count >= 100 {
		slack = 0
	}
	evidence.Report(t, evidence.AtLeast("detection", what, got, count, int(math.Ceil(share*float64(count)-slack))))
}

// TestKneeFound: a knee of a quarter at 550 MB must be found in 95 % of traces, at its size and with its rates, also
// among twenty other phases.
func TestKneeFound(t *testing.T) {
	count := traces(t, 15, 3)
	for name, noise := range map[string]tracetest.Noise{
		"log-normal .05": {Sigma: 0.05},
		"log-normal .1":  {Sigma: 0.1},
		"wave 10 %":      {Wave: 0.1, MemoryS: 0.5},
	} {
		for _, others := range []int{0, 20} {
			found, placed, below, above := 0, 0, 0, 0
			for seed := range count {
				rnd := rand.New(rand.NewPCG(uint64(seed), 74))
				d := tracetest.Disk{Name: "A", Levels: []tracetest.Level{{UntilS: 300, Rate: 1.2e9}}, Files: 100, Noise: noise, KneeBytes: 550e6, KneeFactor: 0.75}
				phases := []*trace.Phase{tracetest.Phase("W", d.Play(rnd))}
				for i := range others {
					few := tracetest.Disk{Name: "A", Levels: []tracetest.Level{{UntilS: 300, Rate: 1.2e9}}, Files: 3, BareFiles: true}
					phases = append(phases, tracetest.Phase(fmt.Sprint(i), few.Play(rnd)))
				}
				if knee := Analyze(tracetest.Run(phases...), Options{}).Phases[0].Disks["A"].SizeKnee; knee != nil {
					found++
					placed += one(math.Abs(knee.AtBytes-550e6) <= 100e6)
					below += one(math.Abs(knee.BelowRate-1.2e9) <= 0.05*1.2e9)
					above += one(math.Abs(knee.AboveRate-0.9e9) <= 0.05*0.9e9)
				}
			}
			name := fmt.Sprintf("a knee at 550 MB, noise %s, %d other phases", name, others)
			atLeast(t, name+": found", found, count, 0.95)
			atLeast(t, name+": within 100 MB", placed, count, 0.95)
			atLeast(t, name+": rate below within 5 %", below, count, 0.9) // of some 28 files
			atLeast(t, name+": rate above within 5 %", above, count, 0.95)
		}
	}
}

// mixture is a disk's trace whose files, in random order, run at one rate or another.
func mixture(rnd *rand.Rand, files int, slow, fast, slowShare, sigma float64) *trace.DiskTrace {
	d := &trace.DiskTrace{Name: "A", Op: trace.Write}
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

// TestModesFound: files of which half run at half the rate, in random order, must be found bimodal in 95 % of traces.
func TestModesFound(t *testing.T) {
	count := traces(t, 60, 10)
	found, right := 0, 0
	for seed := range count {
		rnd := rand.New(rand.NewPCG(uint64(seed), 75))
		d := Analyze(tracetest.Run(tracetest.Phase("W", mixture(rnd, 60, 0.5e9, 1e9, 0.5, 0.1))), Options{}).Phases[0].Disks["A"]
		if d.Bimodal != nil && *d.Bimodal {
			found++
			right += one(math.Abs(d.Modes[0]-0.5e9) <= 0.05e9 && math.Abs(d.Modes[1]-1e9) <= 0.1e9)
		}
	}
	atLeast(t, "files at two rates, found", found, count, 0.95)
	atLeast(t, "files at two rates, both within a tenth", right, count, 0.95)
}
