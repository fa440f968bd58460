package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// tuneClasses is the environment's variable that asks for the classes and seeds that thresholds
// were chosen by, in place of those to test on.
const tuneClasses = "HUBBENCH_TUNE"

// classes are those to test on, and the tuned ones too if the full number of traces is asked for.
func classes() []tracetest.Class {
	var list []tracetest.Class
	tune := os.Getenv(tuneClasses) != ""
	for _, c := range tracetest.Classes() {
		if c.Tuned == tune || *perKind > 0 && !tune {
			list = append(list, c)
		}
	}
	return list
}

func seed(trial int) *rand.Rand {
	if os.Getenv(tuneClasses) != "" {
		return rand.New(rand.NewPCG(uint64(trial), 7001))
	}
	return rand.New(rand.NewPCG(uint64(trial), 9002))
}

// figures shows what was counted if the thresholds are to be chosen, or the full number of traces
// is asked for.
func figures(format string, counts ...any) {
	if os.Getenv(tuneClasses) != "" || *perKind > 0 {
		fmt.Printf(format, counts...)
	}
}

// layout is a steady run: nothing in it is to be claimed.
type layout struct {
	name string
	play func(c tracetest.Class, rnd *rand.Rand) *trace.Run
}

func steadyAt(c tracetest.Class, i int, startS, endS, rate float64) tracetest.Disk {
	return tracetest.Disk{
		Name: string(rune('A' + i)), StartS: startS,
		Levels: []tracetest.Level{{UntilS: endS, Rate: rate}}, Sizes: c.Sizes, Noise: c.Noise,
	}
}

func layouts() []layout {
	lone := func(files int, endS float64) func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
		return func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
			d := steadyAt(c, 0, 0, endS, 1.1e9)
			d.Files = files
			return tracetest.Run(tracetest.Phase("p", d.Play(rnd)))
		}
	}
	together := func(disks int, endS, soloS float64) func(c tracetest.Class,
		rnd *rand.Rand) *trace.Run {
		return func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
			var all []*trace.DiskRecord
			var phases []*trace.Phase
			for i := range disks {
				all = append(all, steadyAt(c, i, 0.2*float64(i%4), endS+5*float64(i%5),
					1.1e9).Play(rnd))
				if soloS > 0 {
					phases = append(phases, tracetest.Phase(string(rune('A'+i))+" alone",
						steadyAt(c, i, 0, soloS, 1.1e9).Play(rnd)))
				}
			}
			return tracetest.Run(append(phases, tracetest.Phase("all", all...))...)
		}
	}
	return []layout{
		{"lone, 15 files", lone(15, 1e5)},
		{"lone, 60 s", lone(0, 60)},
		{"lone, 15 s", lone(0, 15)},
		{"three and solos", together(3, 30, 15)},
		{"three, no solos", together(3, 40, 0)},
		{"eight, 3 s", together(8, 3, 3)},
		{"24 disks", together(24, 20, 0)},
		{"5,000 small files", func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
			d := steadyAt(c, 0, 0, 1e4, 1.1e9)
			if d.Files = 5000; c.Sizes == nil {
				d.Sizes = tracetest.Between(1e6, 40e6)
			} else {
				d.Levels[0].UntilS = 100
			}
			return tracetest.Run(tracetest.Phase("p", d.Play(rnd)))
		}},
		{"two hours", lone(0, 7200)},
		{"three, no progress", func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
			var all []*trace.DiskRecord
			for i := range 3 {
				d := steadyAt(c, i, 0, 30+6*float64(i), 1.1e9)
				d.BareFiles = true
				all = append(all, d.Play(rnd))
			}
			return tracetest.Run(tracetest.Phase("p", all...))
		}},
	}
}

// TestNoClaimsFromNoise: of steady runs under any noise, at most 5 % may show any one claim.
func TestNoClaimsFromNoise(t *testing.T) {
	n := traces(t, 5, 3)
	runs, claimed := 0, map[string]int{}
	for _, l := range layouts() {
		all, raised := 0, map[string]int{}
		for _, c := range classes() {
			if l.name == "two hours" && c.Sizes != nil {
				continue // millions of files
			}
			n := n
			if l.name == "two hours" || l.name == "5,000 small files" {
				n = (n + 3) / 4
			}
			alarms := map[string]int{}
			for trial := range n {
				for _, k := range alarmsIn(Analyze(l.play(c, seed(trial)), Options{}), c.Noise) {
					alarms[k]++
				}
			}
			figures("%-18s %-18s %v\n", l.name, c.Name, alarms)
			all += n
			for k, found := range alarms {
				raised[k] += found
				upper := 0.05*float64(n) + 1
				// More disks have more changes to find, and large waves look like falls.
				if l.name == "24 disks" || c.Noise.Wave >= 0.2 {
					upper += 2
				}
				if float64(found) > upper {
					t.Errorf("%s, %s: %d of %d steady runs claim %s", l.name, c.Name, found, n, k)
				}
			}
		}
		evidence.Report(t, evidence.Seldom("false-alarms",
			l.name+", all noises, the most frequent false claim", largest(raised), all, 0.05))
		runs += all
		for k, found := range raised {
			claimed[k] += found
		}
	}
	// a run has up to 24 disks
	evidence.Report(t, evidence.Seldom("false-alarms",
		"all of these together, the most frequent false claim", largest(claimed), runs, 0.02))
}

// largest is the largest of the counts.
func largest(counts map[string]int) int {
	n := 0
	for _, count := range counts {
		n = max(n, count)
	}
	return n
}

// foundIn reports in how many traces of each class of noise what is said is right, and of all of
// them together: in 90 %.
func foundIn(t *testing.T, what string, classes []tracetest.Class,
	right func(c tracetest.Class, trial int) bool) {
	t.Helper()
	n := traces(t, 20, 5)
	all := 0
	for _, c := range classes {
		found := 0
		for trial := range n {
			found += one(right(c, trial))
		}
		all += found
		evidence.Report(t, evidence.AtLeast("detection", what+", noise "+c.Name, found, n,
			int(math.Ceil(0.9*float64(n)-2))))
	}
	atLeast(t, what+", all these noises", all, len(classes)*n, 0.9)
}

// TestThrottlesFound: a fall to 60 % or less is found in 95 % of traces with up to 10 % noise, its
// onset within a file.
func TestThrottlesFound(t *testing.T) {
	foundIn(t, "a fall to 60 % or less, within 2 s of its time", []tracetest.Class{
		{Name: "log-normal .05", Noise: tracetest.Noise{Sigma: 0.05}},
		{Name: "log-normal .1", Noise: tracetest.Noise{Sigma: 0.1}},
		{Name: "wave 10 %, .2 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 0.2}},
		{Name: "wave 10 %, .5 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 0.5}},
		{Name: "wave 10 %, 2 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 2}},
		{Name: "wave 5 %, 5 s", Noise: tracetest.Noise{Wave: 0.05, MemoryS: 5}},
		{Name: "wave 10 %, 5 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 5}},
	}, func(c tracetest.Class, trial int) bool {
		rnd := seed(trial)
		at, end := 8+rnd.Float64()*20, 45.0
		var disks []*trace.DiskRecord
		for i := range 1 + 2*(trial%2) {
			d := steadyAt(c, i, 0, end, 1.1e9)
			d.BareFiles = trial%4 == 0
			if i == 0 {
				d.Levels = []tracetest.Level{
					{UntilS: at, Rate: 1.1e9},
					{UntilS: end, Rate: (0.2 + 0.4*rnd.Float64()) * 1.1e9},
				}
			}
			disks = append(disks, d.Play(rnd))
		}
		th := Analyze(tracetest.Run(tracetest.Phase("p", disks...)),
			Options{}).Phases[0].Disks["A"].Throttle
		return th != nil && th.AtS > at-2 && th.AtS < at+2
	})
}

// TestRecoveriesFound: a rise of 30 % or more after another disk's end is found in 95 % of traces
// with up to 10 % noise, its lag within half a second.
func TestRecoveriesFound(t *testing.T) {
	foundIn(t, "a recovery, its lag within 0.5 s", []tracetest.Class{
		{Name: "log-normal .05", Noise: tracetest.Noise{Sigma: 0.05}},
		{Name: "log-normal .1", Noise: tracetest.Noise{Sigma: 0.1}},
		{Name: "wave 5 %, .5 s", Noise: tracetest.Noise{Wave: 0.05, MemoryS: 0.5}},
		{Name: "wave 10 %, .2 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 0.2}},
		{Name: "wave 10 %, .5 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 0.5}},
	}, func(c tracetest.Class, trial int) bool {
		rnd := seed(trial)
		at, lag, end := 12+rnd.Float64()*10, rnd.Float64()*8, 45.0
		factor := 1.3 + rnd.Float64()
		gone := steadyAt(c, 2, 0, at, 2e9)
		stays := steadyAt(c, 0, 0, end, 0)
		stays.Levels = []tracetest.Level{
			{UntilS: at + lag, Rate: 0.7e9}, {UntilS: end, Rate: factor * 0.7e9},
		}
		stays.BareFiles = trial%4 == 0
		got := Analyze(tracetest.Run(tracetest.Phase("p", stays.Play(rnd), gone.Play(rnd))),
			Options{}).Phases[0].Recoveries
		return len(got) == 1 && got[0].LagS != nil &&
			(stays.BareFiles || math.Abs(*got[0].LagS-lag) < 0.5)
	})
}

// alarmsIn lists what the analysis claims to have found.
func alarmsIn(a *Analysis, noise tracetest.Noise) []string {
	found := map[string]bool{}
	for _, p := range a.Phases {
		for _, d := range p.Disks {
			found["throttle"] = found["throttle"] || d.Throttle != nil
			found["knee"] = found["knee"] || d.SizeKnee != nil
			found["bimodal"] = found["bimodal"] || d.Bimodal != nil && *d.Bimodal
		}
		found["steal"] = found["steal"] || p.Contention != nil && len(p.Contention.Steals) > 0
		found["recovery"] = found["recovery"] || len(p.Recoveries) > 0
	}
	for _, f := range a.Findings {
		found["finding: "+f.Code] = true
	}
	var kinds []string
	for k, yes := range found {
		if yes && !slices.Contains(trueOf(noise), strings.TrimPrefix(k, "finding: ")) {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// trueOf lists the findings that tell what a class of noise is: stalls and bursts are falls and
// rises.
func trueOf(n tracetest.Noise) []string {
	switch {
	case n.EveryS > 0:
		return []string{KindSwing, KindStall, KindOwnFall, KindOwnRise, KindUnknown}
	case n.Drift > 0:
		return []string{KindDrift}
	}
	return nil
}

// TestClaimsOnOneHub plays three disks that share a hub, alone and together, and counts what is
// claimed that is not so.
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
				run.Phases = append(run.Phases,
					tracetest.Phase(d.Name+" alone", hub.Play(rnd, d)...))
				d.Levels = []tracetest.Level{{UntilS: 45 - 8*float64(i), Rate: d.Levels[0].Rate}}
				together = append(together, d)
			}
			h := hub
			if even {
				h.Weights = nil
			}
			run.Phases = append(run.Phases,
				tracetest.Phase("together", h.Play(rnd, together...)...))
			run.Disks = tracetest.Run(run.Phases...).Disks
			for k := range wrongOnHub(Analyze(run, Options{}), even) {
				counts[k]++
			}
		}
		figures("hub %-18s of %d %v\n", c.Name, n, counts)
		delete(counts, "missed steal")
		delete(counts, "missed held")
		wrong += largest(counts)
		for k, found := range counts {
			upper := 0.05*float64(n) + 1
			if c.Noise.Wave >= 0.2 { // large waves look like falls
				upper += 2
			}
			if float64(found) > upper {
				t.Errorf("%s: %d of %d runs: %s", c.Name, found, n, k)
			}
		}
	}
	evidence.Report(t, evidence.Seldom("false-alarms",
		"three disks on one hub: a taker, a fall or a knee that is none, all noises", wrong, all,
		0.05))
}

// wrongOnHub are the claims that are not so, and those missed: C takes from A and B unless the
// disks are even, all are held back, and none falls by itself.
func wrongOnHub(a *Analysis, even bool) map[string]bool {
	wrong := map[string]bool{}
	for _, p := range a.Phases {
		for _, d := range p.Disks {
			wrong["throttle"] = wrong["throttle"] || d.Throttle != nil
			wrong["knee"] = wrong["knee"] || d.SizeKnee != nil
		}
		if p.Name != "together" {
			wrong["recovery alone"] = wrong["recovery alone"] || len(p.Recoveries) > 0
			continue
		}
		byC := map[string]bool{}
		for _, s := range p.Contention.Steals {
			wrong["steal"] = wrong["steal"] || even || s.By != "C"
			byC[s.From] = true
		}
		wrong["missed steal"] = !even && !(byC["A"] && byC["B"])
		wrong["missed held"] = !p.Contention.Disks["A"].Slowed
	}
	for k, yes := range wrong {
		if !yes {
			delete(wrong, k)
		}
	}
	return wrong
}

// TestOwnFallIsNotTaken: a disk that falls by itself beside steady ones is reported as that, and as
// nothing else.
func TestOwnFallIsNotTaken(t *testing.T) {
	n := traces(t, 20, 5)
	blamed, missed := 0, 0
	for trial := range n {
		rnd := seed(trial)
		c := tracetest.Class{Noise: tracetest.Noise{Sigma: 0.05}}
		a, b := steadyAt(c, 0, 0, 40, 1.5e9), steadyAt(c, 2, 0, 40, 1.5e9)
		a.Levels = []tracetest.Level{
			{UntilS: 10 + 15*rnd.Float64(), Rate: 1.5e9}, {UntilS: 40, Rate: 0.6e9},
		}
		run := tracetest.Run(
			tracetest.Phase("A alone", steadyAt(c, 0, 0, 15, 1.5e9).Play(rnd)),
			tracetest.Phase("C alone", steadyAt(c, 2, 0, 15, 1.5e9).Play(rnd)),
			tracetest.Phase("pair", a.Play(rnd), b.Play(rnd)))
		p := Analyze(run, Options{}).Phases[2]
		if len(p.Contention.Steals) > 0 || p.Contention.Disks["A"].Slowed {
			blamed++
		}
		if p.Disks["A"].Throttle == nil {
			missed++
		}
	}
	evidence.Report(t, evidence.AtMost("false-alarms",
		"a disk that falls by itself is said to be held back or robbed", blamed, n, 0))
	evidence.Report(t, evidence.AtLeast("detection", "a disk that falls by itself beside another",
		n-missed, n, n-n/20))
}

// TestSoloOverThrottle: a disk that fell in its own phase has no less beside others than the level
// it fell to.
func TestSoloOverThrottle(t *testing.T) {
	n := traces(t, 20, 5)
	blamed := 0
	for trial := range n {
		rnd := rand.New(rand.NewPCG(uint64(trial), 77))
		c := tracetest.Class{Noise: tracetest.Noise{Sigma: 0.05}}
		a := steadyAt(c, 0, 0, 30, 0)
		a.Levels = []tracetest.Level{{UntilS: 15, Rate: 2e9}, {UntilS: 30, Rate: 0.8e9}}
		run := tracetest.Run(tracetest.Phase("A alone", a.Play(rnd)),
			tracetest.Phase("C alone", steadyAt(c, 2, 0, 15, 2e9).Play(rnd)),
			tracetest.Phase("pair", steadyAt(c, 0, 0, 30, 0.8e9).Play(rnd),
				steadyAt(c, 2, 0, 30, 2e9).Play(rnd)))
		if p := Analyze(run, Options{}).Phases[2]; len(p.Contention.Steals) > 0 ||
			p.Contention.Disks["A"].Slowed {
			blamed++
		}
	}
	evidence.Report(t, evidence.AtMost("false-alarms",
		"a disk that fell when alone is said to be held back by others", blamed, n, n/50))
}
