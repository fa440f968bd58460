package analysis_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestSteadyStudies plays full matrices of three disks, on hubs with room and on full ones, that
// never change, under all classes of noise. Of any code at most 1 % of the phases may have a false
// claim, and at most 5 % of the studies any.
//
//	go test ./pkg/analysis -run SteadyStudies -v -args -traces 10
func TestSteadyStudies(t *testing.T) {
	const (
		studyPhases = 26
		few         = 3 // of one study of each class
	)
	studies, wrong, codes := 0, 0, map[string]int{}
	where := map[string]map[string]int{} // of what is false, by class
	for i, class := range tracetest.Classes() {
		if *tune && !class.Tuned {
			continue
		}
		for seed := range max(*analysis.TracesPerKind, 1) {
			s := steadyStudy(class, random(1000*i+seed, 47))
			r := read(s.Run)
			found := s.alarms(r, &class)
			studies++
			if len(found) > 0 {
				wrong++
			}
			for what, n := range found {
				codes[what] += n
				if where[what] == nil {
					where[what] = map[string]int{}
				}
				where[what][class.Name] += n
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(codes)) {
		t.Logf("%4d of %d phases: %s %v", codes[what], studies*studyPhases, what, where[what])
		if *judge && 100*codes[what] > studies*studyPhases {
			t.Errorf("%s in more than 1 %% of the phases", what)
		}
	}
	t.Logf("%d of %d studies with anything false", wrong, studies)
	if *judge && 20*wrong > studies {
		t.Errorf("want at most 5 %%")
	}
	if *analysis.TracesPerKind == 0 && wrong > few {
		t.Errorf("want at most %d", few)
	}
}

// steadyStudy plays all 26 phases.
func steadyStudy(class tracetest.Class, rnd *rand.Rand) *scene {
	s := newScene(rnd, 0)
	h := roomy()
	h.Outside = true
	if rnd.IntN(2) == 0 {
		h.Capacity, h.Weights = s.between(1.6e9, 2.2e9), map[string]float64{"B": 2}
	}
	rates := map[string]float64{}
	for _, disk := range []string{"A", "B", "C"} {
		rates[disk+"W"], rates[disk+"R"] = s.between(0.4e9, 1.6e9), s.between(0.4e9, 1.6e9)
	}
	for code := 1; code < 27; code++ { // In base 3, a disk is idle, writes or reads.
		var disks []tracetest.Disk
		name, digits := "", code
		for _, disk := range []string{"A", "B", "C"} {
			letter := "-WR"[digits%3 : digits%3+1]
			digits /= 3
			name += letter
			if letter == "-" {
				continue
			}
			rate := rates[disk+letter]
			d := tracetest.Disk{Name: disk, Levels: []tracetest.Level{{UntilS: 15, Rate: rate}},
				Sizes: class.Sizes, Noise: class.Noise}
			if letter == "R" {
				d.Op = trace.Read
			}
			disks = append(disks, d)
		}
		s.known[name] = newSharing(len(disks))
		h.Watch = s.known[name].watch
		s.phases = append(s.phases, tracetest.Phase(name, h.Play(rnd, disks...)...))
	}
	s.done()
	return s
}

// alarms counts in how many phases there is a false claim of each code.
func (s *scene) alarms(r *reading, class *tracetest.Class) map[string]int {
	phases := map[string]map[string]bool{}
	note := func(code, phase string) {
		if phases[code] == nil {
			phases[code] = map[string]bool{}
		}
		phases[code][phase] = true
	}
	for _, c := range r.changes {
		short := class.Noise.EveryS > 0 && c.EndS > c.StartS &&
			c.EndS < c.StartS+2*class.Noise.StallS+0.5
		if !c.isEdge(s.Run) && !short && !slices.Contains(trueOf(class), c.Kind) {
			note(fmt.Sprintf("change: %s", c.Kind), c.Phase)
		}
	}
	for _, c := range r.claims {
		v := &verdict{}
		// Rates scatter as the class has it, so that no value is wrong for that.
		s.judgeClaim(v, c, 10)
		if len(v.wrong) > 0 {
			code, _, _ := strings.Cut(v.wrong[0], ":")
			note("claim: "+code, c.Phase)
		}
	}
	counts := map[string]int{}
	for code := range phases {
		counts[code] = len(phases[code])
	}
	return counts
}

// trueOf lists the kinds of changes that tell what a class of noise is.
func trueOf(class *tracetest.Class) []string {
	const remembered = 1 // Noise with a longer memory, in seconds, may be called unsteady.
	switch n := class.Noise; {
	case n.EveryS > 0:
		return []string{"swing", "stall"}
	case n.MemoryS > remembered:
		return []string{"unsteady"}
	case n.Drift > 0:
		return []string{"drift"}
	}
	return nil
}
