package analysis

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// TestClaimsOnOneHub plays three disks that share a hub, alone and together, and counts what is claimed that is not so.
func TestClaimsOnOneHub(t *testing.T) {
	n := traces(t, 10, 3)
	all, wrong := 0, 0
	hub := tracetest.Hub{Capacity: 3.4e9, Weights: map[string]float64{"C": 3}}
	rates := []float64{1.5e9, 1.5e9, 2.8e9}
	for _, c := range classes() {
		if c.Sizes != nil || c.Noise.FlushS > 0 || c.Noise.PerFileS > 0 {
			continue // a hub plays none
		}
		counts := map[string]int{}
		all += n
		for trial := range n {
			rnd := seed(trial)
			even := trial%2 == 0
			run := tracetest.Run()
			var together []tracetest.Disk
			for i, rate := range rates {
				d := steadyAt(c, i, 0, 15, rate)
				if even {
					d.Levels[0].Rate = 1.5e9
				}
				run.Phases = append(run.Phases, tracetest.Phase(d.Name+" alone", hub.Play(rnd, d)...))
				d.Levels = []tracetest.Level{{UntilS: 45 - 8*float64(i), Rate: d.Levels[0].Rate}}
				together = append(together, d)
			}
			h := hub
			if even {
				h.Weights = nil
			}
			run.Phases = append(run.Phases, tracetest.Phase("together", h.Play(rnd, together...)...))
			run.Disks = tracetest.Run(run.Phases...).Disks
			for k := range wrongOnHub(Analyze(run, Options{}), even) {
				counts[k]++
			}
		}
		if os.Getenv(tuneClasses) != "" || *perKind > 0 {
			fmt.Printf("hub %-18s of %d %v\n", c.Name, n, counts)
		}
		delete(counts, "missed steal")
		delete(counts, "missed held")
		wrong += largest(counts)
		for k, found := range counts {
			if float64(found) > 0.05*float64(n)+1 {
				t.Errorf("%s: %d of %d runs: %s", c.Name, found, n, k)
			}
		}
	}
	evidence.Report(t, evidence.Seldom("false-alarms", "three disks on one hub: a taker, a fall or a knee that is none, all noises", wrong, all, 0.05))
}

// wrongOnHub are the claims that are not so, and those missed: C takes from A and B unless the disks are even, all are
// held back, and none falls by itself.
func wrongOnHub(a *Analysis, even bool) map[string]bool {
	wrong := map[string]bool{}
	for _, p := range a.Phases {
		for _, d := range p.Disks {
			wrong["throttle"] = wrong["throttle"] || d.Throttle != nil
			wrong["knee"] = wrong["knee"] || d.SizeKnee != nil
		}
		if p.Phase != "together" {
			wrong["recovery alone"] = wrong["recovery alone"] || len(p.Recoveries) > 0
			continue
		}
		byC := map[string]bool{}
		for _, s := range p.Contention.Steals {
			wrong["steal"] = wrong["steal"] || even || s.By != "C"
			byC[s.From] = true
		}
		wrong["missed steal"] = !even && !(byC["A"] && byC["B"])
		wrong["missed held"] = !p.Contention.Disks["A"].Held
	}
	for k, yes := range wrong {
		if !yes {
			delete(wrong, k)
		}
	}
	return wrong
}

// TestOwnFallIsNotTaken: a disk that falls by itself beside steady ones is reported as that, and as nothing else.
func TestOwnFallIsNotTaken(t *testing.T) {
	n := traces(t, 20, 5)
	blamed, missed := 0, 0
	for trial := range n {
		rnd := seed(trial)
		c := tracetest.Class{Noise: tracetest.Noise{Sigma: 0.05}}
		a, b := steadyAt(c, 0, 0, 40, 1.5e9), steadyAt(c, 2, 0, 40, 1.5e9)
		a.Levels = []tracetest.Level{{UntilS: 10 + 15*rnd.Float64(), Rate: 1.5e9}, {UntilS: 40, Rate: 0.6e9}}
		run := tracetest.Run(
			tracetest.Phase("A alone", steadyAt(c, 0, 0, 15, 1.5e9).Play(rnd)), tracetest.Phase("C alone", steadyAt(c, 2, 0, 15, 1.5e9).Play(rnd)),
			tracetest.Phase("pair", a.Play(rnd), b.Play(rnd)))
		p := Analyze(run, Options{}).Phases[2]
		if len(p.Contention.Steals) > 0 || p.Contention.Disks["A"].Held {
			blamed++
		}
		if p.Disks["A"].Throttle == nil {
			missed++
		}
	}
	evidence.Report(t, evidence.AtMost("false-alarms", "a disk that falls by itself is said to be held back or robbed", blamed, n, 0))
	evidence.Report(t, evidence.AtLeast("detection", "a disk that falls by itself beside another", n-missed, n, n-n/20))
}

// TestSoloOverThrottle: a disk that fell in its own phase has no less beside others than the level it fell to.
func TestSoloOverThrottle(t *testing.T) {
	n := traces(t, 20, 5)
	blamed := 0
	for trial := range n {
		rnd := rand.New(rand.NewPCG(uint64(trial), 77))
		c := tracetest.Class{Noise: tracetest.Noise{Sigma: 0.05}}
		a := steadyAt(c, 0, 0, 30, 0)
		a.Levels = []tracetest.Level{{UntilS: 15, Rate: 2e9}, {UntilS: 30, Rate: 0.8e9}}
		run := tracetest.Run(tracetest.Phase("A alone", a.Play(rnd)), tracetest.Phase("C alone", steadyAt(c, 2, 0, 15, 2e9).Play(rnd)),
			tracetest.Phase("pair", steadyAt(c, 0, 0, 30, 0.8e9).Play(rnd), steadyAt(c, 2, 0, 30, 2e9).Play(rnd)))
		if p := Analyze(run, Options{}).Phases[2]; len(p.Contention.Steals) > 0 || p.Contention.Disks["A"].Held {
			blamed++
		}
	}
	evidence.Report(t, evidence.AtMost("false-alarms", "a disk that fell when alone is said to be held back by others", blamed, n, n/50))
}
