package analysis

import (
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestFalseAlarms: of 200 steady runs with 5 % noise, at most 5 % may show any throttle, knee,
// steal, second mode or recovery. If hurried there are 40.
func TestFalseAlarms(t *testing.T) {
	runs := 200
	if hurried() {
		runs = 40
	}
	for _, n := range []noise{
		{fast: 0.05, samples: true}, {fast: 0.05}, {fast: 0.02, perFile: 0.05, samples: true},
		{perFile: 0.05},
	} {
		alarms := map[string]int{}
		raised := 0
		for seed := range runs {
			rnd := rand.New(rand.NewPCG(uint64(seed), 45))
			var disks []*trace.DiskRecord
			var phases []*trace.Phase
			for i := range 3 {
				s := script{
					name: string(rune('A' + i)), op: trace.Write, startS: float64(i) * 0.5,
					sizes: tracetest.Uniform,
				}
				s.paces = []pace{{30 + 5*float64(i), 1.1e9}}
				disks = append(disks, s.play(rnd, n))
				s.paces = []pace{{15, 1.1e9}}
				phases = append(phases, tracetest.Phase(s.name+" alone", s.play(rnd, n)))
			}
			kinds := alarmsIn(Analyze(tracetest.Run(append(phases,
				tracetest.Phase("all", disks...))...), Options{}), tracetest.Noise{})
			for _, k := range kinds {
				alarms[k]++
			}
			if len(kinds) > 0 {
				raised++
			}
		}
		t.Log(alarms)
		evidence.Report(t, evidence.AtMost("false-alarms",
			"three disks alone and together, "+n.String(), raised, runs, runs/20))
	}
}
