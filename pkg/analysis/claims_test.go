package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// tuneClasses is the environment's variable that asks for the classes and seeds that thresholds were chosen by, in place
// of those to test on.
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

// layout is a steady run: nothing in it is to be claimed.
type layout struct {
	name string
	play func(c tracetest.Class, rnd *rand.Rand) *trace.Run
}

func steadyAt(c tracetest.Class, i int, startS, endS, rate float64) tracetest.Disk {
	return tracetest.Disk{
		Name: string(rune('A' + i)), StartS: startS, Levels: []tracetest.Level{{UntilS: endS, Rate: rate}}, Sizes: c.Sizes, Noise: c.Noise,
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
	together := func(disks int, endS, soloS float64) func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
		return func(c tracetest.Class, rnd *rand.Rand) *trace.Run {
			var all []*trace.DiskTrace
			var phases []*trace.Phase
			for i := range disks {
				all = append(all, steadyAt(c, i, 0.2*float64(i%4), endS+5*float64(i%5), 1.1e9).Play(rnd))
				if soloS > 0 {
					phases = append(phases, tracetest.Phase(string(rune('A'+i))+" alone", steadyAt(c, i, 0, soloS, 1.1e9).Play(rnd)))
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
			var all []*trace.DiskTrace
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
	n := traces(t, 8, 3)
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
				for _, k := range alarmsIn(Analyze(l.play(c, seed(trial)), Options{})) {
					alarms[k]++
				}
			}
			if os.Getenv(tuneClasses) != "" || *perKind > 0 {
				fmt.Printf("%-18s %-18s %v\n", l.name, c.Name, alarms)
			}
			all += n
			for k, found := range alarms {
				raised[k] += found
				upper := 0.05*float64(n) + 1
				if l.name == "24 disks" { // each a disk to find a change in
					upper++
				}
				if float64(found) > upper {
					t.Errorf("%s, %s: %d of %d steady runs claim %s", l.name, c.Name, found, n, k)
				}
			}
		}
		evidence.Report(t, evidence.Seldom("false-alarms", l.name+", all noises, the most frequent false claim", largest(raised), all, 0.05))
		runs += all
		for k, found := range raised {
			claimed[k] += found
		}
	}
	evidence.Report(t, evidence.Seldom("false-alarms", "all of these together, the most frequent false claim", largest(claimed), runs, 0.01))
}

// largest is the largest of the counts.
func largest(counts map[string]int) int {
	n := 0
	for _, count := range counts {
		n = max(n, count)
	}
	return n
}

// TestThrottlesFound: a fall to 60 % or less is found in 95 % of traces with up to 10 % noise, its onset within a file.
func TestThrottlesFound(t *testing.T) {
	n := traces(t, 20, 5)
	all, right := 0, 0
	for _, c := range []tracetest.Class{
		{Name: "log-normal .05", Noise: tracetest.Noise{Sigma: 0.05}}, {Name: "log-normal .1", Noise: tracetest.Noise{Sigma: 0.1}},
		{Name: "wave 10 %, .2 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 0.2}}, {Name: "wave 10 %, .5 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 0.5}},
		{Name: "wave 10 %, 2 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 2}}, {Name: "wave 5 %, 5 s", Noise: tracetest.Noise{Wave: 0.05, MemoryS: 5}},
		{Name: "wave 10 %, 5 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 5}},
	} {
		found, near := 0, 0
		for trial := range n {
			rnd := seed(trial)
			at, end := 8+rnd.Float64()*20, 45.0
			var disks []*trace.DiskTrace
			for i := range 1 + 2*(trial%2) {
				d := steadyAt(c, i, 0, end, 1.1e9)
				d.BareFiles = trial%4 == 0
				if i == 0 {
					d.Levels = []tracetest.Level{{UntilS: at, Rate: 1.1e9}, {UntilS: end, Rate: (0.2 + 0.4*rnd.Float64()) * 1.1e9}}
				}
				disks = append(disks, d.Play(rnd))
			}
			if th := Analyze(tracetest.Run(tracetest.Phase("p", disks...)), Options{}).Phases[0].Disks["A"].Throttle; th != nil {
				found++
				if th.AtS > at-2 && th.AtS < at+2 {
					near++
				}
			}
		}
		if os.Getenv(tuneClasses) != "" || *perKind > 0 {
			fmt.Printf("throttle %-18s found %d near %d of %d\n", c.Name, found, near, n)
		}
		all, right = all+n, right+near
		evidence.Report(t, evidence.AtLeast("detection", "a fall to 60 % or less, within 2 s of its time, noise "+c.Name, near, n, int(math.Ceil(0.95*float64(n)-1))))
	}
	atLeast(t, "a fall to 60 % or less, within 2 s of its time, all these noises", right, all, 0.95)
}

// TestRecoveriesFound: a rise of 30 % or more after another disk's end is found in 95 % of traces with up to 10 % noise,
// its lag within half a second.
func TestRecoveriesFound(t *testing.T) {
	n := traces(t, 20, 5)
	all, right := 0, 0
	for _, c := range []tracetest.Class{
		{Name: "log-normal .05", Noise: tracetest.Noise{Sigma: 0.05}}, {Name: "log-normal .1", Noise: tracetest.Noise{Sigma: 0.1}},
		{Name: "wave 5 %, .5 s", Noise: tracetest.Noise{Wave: 0.05, MemoryS: 0.5}},
		{Name: "wave 10 %, .2 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 0.2}}, {Name: "wave 10 %, .5 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 0.5}},
		{Name: "wave 10 %, 2 s", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 2}},
	} {
		found, near := 0, 0
		for trial := range n {
			rnd := seed(trial)
			at, lag, end := 12+rnd.Float64()*10, rnd.Float64()*8, 45.0
			factor := 1.3 + rnd.Float64()
			gone := steadyAt(c, 2, 0, at, 2e9)
			stays := steadyAt(c, 0, 0, end, 0)
			stays.Levels = []tracetest.Level{{UntilS: at + lag, Rate: 0.7e9}, {UntilS: end, Rate: factor * 0.7e9}}
			stays.BareFiles = trial%4 == 0
			got := Analyze(tracetest.Run(tracetest.Phase("p", stays.Play(rnd), gone.Play(rnd))), Options{}).Phases[0].Recoveries
			if len(got) == 1 && got[0].LagS != nil {
				found++
				if off := *got[0].LagS - lag; stays.BareFiles || -0.5 < off && off < 0.5 {
					near++
				}
			}
		}
		if os.Getenv(tuneClasses) != "" || *perKind > 0 {
			fmt.Printf("recovery %-18s found %d near %d of %d\n", c.Name, found, near, n)
		}
		if c.Name != "wave 10 %, 2 s" {
			all, right = all+n, right+near
			evidence.Report(t, evidence.AtLeast("detection", "a recovery, its lag within 0.5 s, noise "+c.Name, near, n, int(math.Ceil(0.95*float64(n)-1))))
		}
	}
	atLeast(t, "a recovery, its lag within 0.5 s, all these noises", right, all, 0.95)
}
