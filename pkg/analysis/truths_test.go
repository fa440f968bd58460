package analysis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// Claims that are false of a disk nobody takes anything from, and of one that takes nothing.
var (
	claimPort  = claim{Code: codeMove}
	claimSplit = claim{Code: codeTakes}
	claimCache = claim{Code: codeThrottle}
	claimEven  = claim{Code: codeEven}
	claimLoss  = claim{Code: codeLoses}
)

// loses stands for claims that attribute a disk's loss to others.
func loses(disk string) claim { return claim{Code: codeSlowed, Disk: disk} }

// wins stands for claims that have a disk take something.
func wins(disk string) claim { return claim{Code: codeWins, Disk: disk} }

// kept stands for claims that a disk is as fast as without the others.
func kept(disk string) claim { return claim{Code: codeKept, Disk: disk} }

// baselineAbove stands for baselines in GB/s that the disk does not have.
func baselineAbove(disk string, rate float64) claim {
	return claim{Code: codeBaseline, Disk: disk, Above: rate * 1e9}
}

// tooMuch stands for parts of their baselines that no disks can keep.
var tooMuch = claim{Code: codeRetention, Above: 1.05}

// truths are all that there are.
func truths() []truth {
	all := []struct {
		name  string
		tuned bool
		fill  func(s *scene)
	}{
		{"own swing beside a steady disk", true, (*scene).ownSwing},
		{"link halves for all", true, (*scene).linkHalves},
		{"shares swap, even", true, func(s *scene) { s.swap(1.8, 0.8, 0.8, 1.8, false) }},
		{"shares swap, uneven, with solos", true, func(s *scene) { s.swap(1.8, 0.8, 1.1, 1.5, true) }},
		{"two stalls of one disk", true, (*scene).twoStalls},
		{"all stop for 3 s", true, func(s *scene) { s.allStop(3) }},
		{"one hangs for 25 s", true, (*scene).hangs},
		{"warm-up at each start", true, (*scene).warmUp},
		{"cache used up before, fresh solo", true, (*scene).usedBefore},
		{"cache fills after another's end", true, (*scene).fillsLater},
		{"cache fills, neighbours gain", true, func(s *scene) { s.freesRoom(false) }},
		{"cache fills, neighbours gain, alone later", true, func(s *scene) { s.freesRoom(true) }},
		{"six of eight on a sub-hub", true, (*scene).subHub},
		{"recovery of 100 %", true, func(s *scene) { s.recovers(2) }},
		{"recovery of 30 %", true, func(s *scene) { s.recovers(1.3) }},
		{"two ends within one lag", true, (*scene).endsWithinLag},
		{"fall to 20 %", true, func(s *scene) { s.falls(0.2, 0.02) }},
		{"fall to 50 %", true, func(s *scene) { s.falls(0.5, 0.02) }},
		{"fall to 70 %", true, func(s *scene) { s.falls(0.7, 0.02) }},
		{"fall in the last tenth", true, func(s *scene) { s.falls(s.between(0.2, 0.7), 0.9) }},
		{"certain loss, short solos", true, (*scene).shortSolos},
		{"certain loss of eight", true, func(s *scene) { s.lossOf(8, 12) }},
		{"heavy-tailed gaps", true, func(s *scene) { s.gaps(2.2) }},
		{"clock off by 2 ms, small files", true, (*scene).clockNoise},
		{"solos of large files, pair of small", true, (*scene).otherSizes},
		{"two phases of other sizes", true, (*scene).notARepeat},

		{"drift down", false, func(s *scene) { s.drift(0.7) }},
		{"drift up", false, func(s *scene) { s.drift(1.3) }},
		{"cache fills in steps", false, (*scene).inSteps},
		{"two fall by themselves within a second", false, (*scene).twoFalls},
		{"heat is gone after a pause", false, (*scene).pauseHelps},
		{"short swing", false, (*scene).shortSwing},
		{"redistribution among three of four", false, (*scene).threeOfFour},
		{"shared fall of 10 s", false, (*scene).sharedFor10},
		{"all stop for 1.2 s", false, func(s *scene) { s.allStop(1.2) }},
		{"late start takes from two", false, (*scene).lateStart},
		{"slows just as another ends", false, (*scene).slowsAtEnd},
		{"cache fills just as another ends", false, (*scene).fillsAtEnd},
		{"reads halve, writes stay", false, (*scene).readsHalve},
		{"shares swing", false, (*scene).sharesSwing},
		{"rises by itself", false, (*scene).ownRise},
		{"two fall alike, seconds apart", false, (*scene).alikeApart},
		{"heavier-tailed gaps", false, func(s *scene) { s.gaps(1.5) }},
		{"steady, unequal", false, (*scene).unequal},
	}
	truths := make([]truth, len(all))
	for i, t := range all {
		truths[i] = truth{Name: t.name, Tuned: t.tuned, Play: func(rnd *rand.Rand, noise float64) truthCase {
			s := newScene(rnd, noise)
			t.fill(s)
			return s.done()
		}}
	}
	return truths
}

func (s *scene) ownSwing() {
	a, b := works("A", 110, 1.5), works("B", 110, s.between(0.9, 1.2))
	high, low := s.between(12, 16), s.between(8, 12)
	s.alone(11, a, b)
	s.phase("WW", roomy(), a.swings(high, low, 0.47), b)
	s.changes(truthChange{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A"}, EndS: 110})
	s.wrong(claimPort, claimSplit, loses("A"), loses("B"), claimEven, wins("B"))
}

func (s *scene) linkHalves() {
	at := s.between(9, 45)
	weights := map[string]float64{"A": s.between(1, 3)}
	whole := tracetest.Hub{Capacity: 3e9, Weights: weights}
	whole.Turns = []tracetest.Turn{{AtS: at, Hub: tracetest.Hub{Capacity: 1.5e9, Weights: weights}}}
	s.phase("WWW", whole, works("A", 58, 2.8), works("B", 60, 2.6), works("C", 62, 2.5))
	w := weights["A"]
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"shared_fall"}, Disks: []string{"A", "B", "C"}, AtS: at,
		To: map[string]float64{"A": 1.5e9 * w / (w + 2), "B": 1.5e9 / (w + 2), "C": 1.5e9 / (w + 2)}})
	for _, end := range []truthChange{{AtS: 58, By: "A", Disks: []string{"B", "C"}}, {AtS: 60, By: "B", Disks: []string{"C"}}} {
		end.Phase, end.Kinds, end.Optional = "WWW", []string{"recovery", "end"}, true
		s.changes(end)
	}
	s.wrong(claimCache)
}

// swap has the hub give A and B other parts from the middle on.
func (s *scene) swap(a1, b1, a2, b2 float64, solos bool) {
	at := s.between(25, 35)
	a, b := works("A", 60, 2.1), works("B", 60, 2.1)
	if solos {
		s.alone(10, a, b)
	}
	s.phase("WW", tracetest.Hub{Capacity: (a1 + b1) * 1e9, Weights: map[string]float64{"A": a1, "B": b1},
		Turns: []tracetest.Turn{{AtS: at, Hub: tracetest.Hub{Capacity: (a2 + b2) * 1e9, Weights: map[string]float64{"A": a2, "B": b2}}}}}, a, b)
	s.changes(truthChange{Phase: "WW", Kinds: []string{"redistribution"}, Disks: []string{"A", "B"}, AtS: at, To: map[string]float64{"A": a2 * 1e9, "B": b2 * 1e9}})
	s.wrong(claimEven, claimCache)
	if !solos {
		s.wrong(claimPort, claimSplit)
	}
}

func (s *scene) twoStalls() {
	first, second := s.between(8, 20), s.between(32, 48)
	a, b := works("A", 60, 1.5), works("B", 60, 1)
	s.alone(15, a, b)
	s.phase("WW", roomy(), a.within(first, first+6, 0).within(second, second+6, 0), b)
	for _, at := range []float64{first, second} {
		s.changes(truthChange{Phase: "WW", Kinds: []string{"stall"}, Disks: []string{"A"}, AtS: at, EndS: at + 6})
	}
	s.wrong(claimPort, claimSplit, claimCache, claimEven, loses("A"), loses("B"))
}

func (s *scene) allStop(length float64) {
	at := s.between(10, 45)
	disks := []actor{works("A", 60, 1.5), works("B", 60, 1), works("C", 60, 2)}
	s.alone(15, disks...)
	for i := range disks {
		disks[i] = disks[i].within(at, at+length, 0)
	}
	s.phase("WWW", roomy(), disks...)
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"stall"}, Disks: []string{"A", "B", "C"}, AtS: at, EndS: at + length})
	s.wrong(claimPort, claimSplit, claimCache, claimEven, loses("A"), loses("B"), loses("C"))
}

func (s *scene) hangs() {
	at := s.between(10, 30)
	a, b := works("A", 75, 1.5), works("B", 75, 1)
	s.alone(15, a, b)
	s.phase("WW", roomy(), a.within(at, at+25, 0), b)
	s.changes(truthChange{Phase: "WW", Kinds: []string{"stall"}, Disks: []string{"A"}, AtS: at, EndS: at + 25})
	s.wrong(claimPort, claimSplit, claimCache, claimEven, loses("A"), loses("B"))
}

func (s *scene) warmUp() {
	factor := s.between(0.35, 0.5)
	a, b := works("A", 60, 2.5).within(0, 5, factor), works("B", 60, 1.2)
	s.phase("A alone", roomy(), a)
	s.phase("A again", roomy(), a)
	s.phase("WW", roomy(), a, b)
	for _, phase := range []string{"A alone", "A again", "WW"} {
		s.changes(truthChange{Phase: phase, Kinds: []string{"warm_up"}, Disks: []string{"A"}, EndS: 5, To: map[string]float64{"A": 2.5e9}})
		s.Quotes = append(s.Quotes, truthQuote{phase, "A", 2.5e9})
	}
	s.wrong(claimPort, claimSplit, loses("A"), loses("B"))
}

func (s *scene) usedBefore() {
	slow := s.between(0.45, 0.55)
	a, c := works("A", 50, 1.5), works("C", 30, 1.7)
	s.alone(14, a, c)
	s.phase("WW", roomy(), works("A", 50, slow), c)
	s.wrong(loses("A"), claimPort, wins("C"), claimEven, baselineAbove("A", 1))
}

func (s *scene) fillsLater() {
	lag := s.between(1, 4)
	fills := s.between(8, 15) // after it is back
	p := s.phase("WW", tracetest.Hub{Capacity: 3.2e9, Weights: map[string]float64{"C": 3}, LagS: lag},
		works("A", 60, 1.61).cache((0.8*(20+lag)+1.61*fills)*1e9, 0.43), works("C", 20, 2.8))
	s.changes(truthChange{Phase: "WW", Kinds: []string{"recovery"}, Disks: []string{"A"}, By: "C", AtS: 20 + lag, To: map[string]float64{"A": 1.61e9}})
	s.changes(truthChange{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: movedAt(p, "A", (0.8*(20+lag)+1.61*fills)*1e9), To: map[string]float64{"A": 0.692e9}})
	s.wrong(kept("A"), tooMuch, claimEven)
}

// freesRoom fills C's cache beside two that it held; later says that C goes on when they have ended.
func (s *scene) freesRoom(later bool) {
	const total, a0, c1 = 3.65, 1.61, 0.55
	end, endC := 60.0, 60.0
	if later {
		endC = 75
	}
	a, b, c := works("A", end, a0), works("B", end, a0), works("C", endC, 2.52)
	if !later {
		s.alone(12, a, b, c)
	}
	full := s.between(18, 40) * 2.19e9
	p := s.phase("WWW", tracetest.Hub{Capacity: total * 1e9, Weights: map[string]float64{"C": 3}}, a, b, c.cache(full, c1/2.52))
	at := movedAt(p, "C", full)
	kinds := []string{"own_fall", "redistribution"}
	if later {
		kinds = kinds[:1] // it stays as low when it is alone
	}
	s.changes(truthChange{Phase: "WWW", Kinds: kinds, Disks: []string{"C"}, AtS: at, To: map[string]float64{"C": c1 * 1e9}})
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"recovery", "redistribution", "own_fall"}, Disks: []string{"A", "B"}, AtS: at, By: "C",
		To: map[string]float64{"A": (total - c1) / 2 * 1e9, "B": (total - c1) / 2 * 1e9}})
	s.wrong(claimEven, baselineAbove("A", 1.75), baselineAbove("B", 1.75), loses("C"), wins("A"), wins("B"))
}

// subHub has A to F share one link and G and H another: G and H lose to one another and nothing to the six.
func (s *scene) subHub() {
	h := tracetest.Hub{Capacity: math.Inf(1), Weights: map[string]float64{"F": s.between(1.4, 1.7)}, Parts: []tracetest.Part{{Capacity: 3.3e9}, {Disks: []string{"G", "H"}, Capacity: 0.8e9}}}
	var disks []actor
	for i := range 8 {
		d := works(string(rune('A'+i)), 40, s.between(1.2, 1.5))
		if disks = append(disks, d); i < 6 {
			h.Parts[0].Disks = append(h.Parts[0].Disks, d.Name)
		}
	}
	s.alone(10, disks...)
	s.phase("GH", h, disks[6:]...)
	s.phase("all", h, disks...)
	s.wrong(claim{Code: codeRobbed, Disk: "G"}, claim{Code: codeRobbed, Disk: "H"})
}

// falls plays a disk that falls by itself to a share of its rate, alone and beside another.
func (s *scene) falls(to, earliest float64) {
	a, b := works("A", 60, s.between(1, 2)), works("B", 60, 1)
	for _, phase := range []string{"W", "WW"} {
		at := 60 * s.between(earliest, 0.95)
		disks := []actor{a.within(at, 60, to), b}[:len(phase)]
		s.phase(phase, roomy(), disks...)
		s.changes(truthChange{Phase: phase, Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": to * a.Levels[0].Rate}})
	}
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"))
}

// recovers has A rise by a factor some time after C has ended.
func (s *scene) recovers(factor float64) {
	lag, rate := s.between(0.3, 9), s.between(0.6, 1.2)
	s.phase("WW", tracetest.Hub{Capacity: 3 * rate * 1e9, Weights: map[string]float64{"C": 2}, LagS: lag}, works("A", 55, factor*rate), works("C", s.between(15, 30), 2.8))
	end := endOf(s.phases[0].Disk("C"))
	s.changes(truthChange{Phase: "WW", Kinds: []string{"recovery"}, Disks: []string{"A"}, By: "C", AtS: end + lag, To: map[string]float64{"A": factor * rate * 1e9}})
	s.wrong(claimCache)
}

// endsWithinLag has C rise once, after the second of two ends.
func (s *scene) endsWithinLag() {
	lag, apart := s.between(1.5, 4), s.between(0.2, 1.4)
	s.phase("WWW", tracetest.Hub{Capacity: 3.3e9, LagS: lag}, works("A", 30, 1.4), works("B", 30+apart, 1.4), works("C", 30+apart+lag+s.between(2.5, 16), 2.5))
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"recovery"}, Disks: []string{"C"}, By: "B", AtS: 30 + apart + lag, To: map[string]float64{"C": 2.5e9}})
	s.wrong(claimCache)
}

func (s *scene) drift(to float64) {
	a, b := works("A", 60, 1.5).drifts(60, to), works("B", 60, 1)
	s.phase("W", roomy(), a)
	s.phase("WW", roomy(), a, b)
	for _, phase := range []string{"W", "WW"} {
		s.changes(truthChange{Phase: phase, Kinds: []string{"drift"}, Disks: []string{"A"}, EndS: 60})
	}
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"), claim{Code: codeFalls, Disk: "A"})
}

func (s *scene) inSteps() {
	first := s.between(10, 20) * 2e9
	second := first + s.between(10, 20)*1.2e9
	a := works("A", 60, 2).cache(first, 0.6).cache(second, 0.4)
	p := s.phase("WW", roomy(), a, works("B", 60, 1))
	for bytes, rate := range map[float64]float64{first: 1.2e9, second: 0.48e9} {
		s.changes(truthChange{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: movedAt(p, "A", bytes), To: map[string]float64{"A": rate}})
	}
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"))
}

func (s *scene) twoFalls() {
	at := s.between(15, 40)
	then := at + s.between(0.3, 1)
	s.phase("WWW", roomy(), works("A", 60, 1.5).within(at, 60, 0.35), works("B", 60, 1.2).within(then, 60, 0.7), works("C", 60, 1))
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": 0.525e9}})
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"B"}, AtS: then, To: map[string]float64{"B": 0.84e9}})
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"), loses("C"))
}

// pauseHelps lets a hot disk rest for 10 s, after which it is as fast as before.
func (s *scene) pauseHelps() {
	at := s.between(15, 28)
	a := works("A", 75, 1.5).within(at, 50, 0.4)
	a.Pauses = [][2]float64{{40, 50}}
	s.phase("WW", roomy(), a, works("B", 75, 1))
	s.changes(truthChange{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": 0.6e9}})
	s.changes(truthChange{Phase: "WW", Kinds: []string{"end", "stall"}, Disks: []string{"A"}, AtS: 40, Optional: true})
	s.changes(truthChange{Phase: "WW", Kinds: []string{"start", "recovery", "stall"}, Disks: []string{"A"}, AtS: 50, Optional: true})
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"))
}

func (s *scene) shortSwing() {
	a, b := works("A", 70, 1.6).swings(2.4, 5.6, 0.5), works("B", 70, 1.1)
	s.phase("W", roomy(), a)
	s.phase("WW", roomy(), a, b)
	for _, phase := range []string{"W", "WW"} {
		s.changes(truthChange{Phase: phase, Kinds: []string{"swing"}, Disks: []string{"A"}, EndS: 70})
	}
	s.wrong(claimSplit, claimPort, claimCache, loses("A"), loses("B"))
}

func (s *scene) threeOfFour() {
	at := s.between(15, 45)
	part := func(a, b, c float64) tracetest.Hub {
		return tracetest.Hub{Capacity: math.Inf(1), Weights: map[string]float64{"A": a, "B": b, "C": c}, Parts: []tracetest.Part{{Disks: []string{"A", "B", "C"}, Capacity: 2.4e9}}}
	}
	h := part(1.4, 0.5, 0.5)
	h.Turns = []tracetest.Turn{{AtS: at, Hub: part(0.6, 0.9, 0.9)}}
	s.phase("WWWW", h, works("A", 60, 2.5), works("B", 60, 2.5), works("C", 60, 2.5), works("D", 60, 0.7))
	s.changes(truthChange{Phase: "WWWW", Kinds: []string{"redistribution"}, Disks: []string{"A", "B", "C"}, AtS: at,
		To: map[string]float64{"A": 0.6e9, "B": 0.9e9, "C": 0.9e9}})
	s.wrong(claimEven, claimCache, loses("D"))
}

func (s *scene) sharedFor10() {
	at := s.between(10, 35)
	s.phase("WWW", tracetest.Hub{Capacity: 3e9, Turns: []tracetest.Turn{
		{AtS: at, Hub: tracetest.Hub{Capacity: 1.6e9}}, {AtS: at + 10, Hub: tracetest.Hub{Capacity: 3e9}},
	}},
		works("A", 60, 2.8), works("B", 60, 2.6), works("C", 60, 2.4))
	for k, rate := range []float64{1.6e9 / 3, 1e9} {
		s.changes(truthChange{Phase: "WWW", Kinds: []string{"shared_fall"}, Disks: []string{"A", "B", "C"}, AtS: at + 10*float64(k),
			To: map[string]float64{"A": rate, "B": rate, "C": rate}})
	}
	s.wrong(claimCache, claimPort, claimSplit)
}

func (s *scene) lateStart() {
	a, b, c := works("A", 50, 1.5), works("B", 50, 1.5), works("C", 50, 2.5).from(5)
	s.phase("WWW", tracetest.Hub{Capacity: 3.4e9, Weights: map[string]float64{"C": 3}}, a, b, c)
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"start"}, Disks: []string{"A", "B"}, AtS: 5, By: "C", To: map[string]float64{"A": 0.68e9, "B": 0.68e9}})
	s.wrong(claimCache, wins("A"), wins("B"))
}

// slowsAtEnd is a coincidence: A and C have room enough.
func (s *scene) slowsAtEnd() {
	at := 25 + s.between(-0.3, 0.3)
	s.phase("WW", roomy(), works("A", 55, 1.5).within(at, 55, 0.4), works("C", 25, 1.8))
	s.changes(truthChange{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": 0.6e9}})
	s.wrong(claimSplit, claimPort, loses("A"), wins("A"), loses("C"), tooMuch)
}

// fillsAtEnd fills A's cache before it can take what C leaves.
func (s *scene) fillsAtEnd() {
	full := (25 + s.between(0.3, 1.2)) * 0.8e9
	p := s.phase("WW", tracetest.Hub{Capacity: 3.2e9, Weights: map[string]float64{"C": 3}, LagS: 3}, works("A", 55, 1.61).cache(full, 0.3), works("C", 25, 2.8))
	s.changes(truthChange{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: movedAt(p, "A", full), To: map[string]float64{"A": 0.483e9}})
	s.wrong(kept("A"), tooMuch, wins("A"), loses("C"), claim{Code: codeRecovers})
}

func (s *scene) readsHalve() {
	at := s.between(12, 45)
	link := func(capacity float64) tracetest.Hub {
		return tracetest.Hub{Capacity: math.Inf(1), Weights: map[string]float64{"A": 1.4}, Parts: []tracetest.Part{{Disks: []string{"A", "B"}, Capacity: capacity}}}
	}
	h := link(2.6e9)
	h.Turns = []tracetest.Turn{{AtS: at, Hub: link(1.3e9)}}
	s.phase("RRW", h, works("A", 60, 2.6).reads(), works("B", 60, 2.6).reads(), works("C", 60, 1.4))
	s.changes(truthChange{Phase: "RRW", Kinds: []string{"shared_fall"}, Disks: []string{"A", "B"}, AtS: at,
		To: map[string]float64{"A": 1.3e9 * 1.4 / 2.4, "B": 1.3e9 / 2.4}})
	s.wrong(claimCache, loses("C"), wins("C"))
}

// sharesSwing has the hub give A and B other parts every few seconds.
func (s *scene) sharesSwing() {
	state := func(a, b float64) tracetest.Hub {
		return tracetest.Hub{Capacity: 2.6e9, Weights: map[string]float64{"A": a, "B": b}}
	}
	h, each := state(1.8, 0.8), s.between(7, 10)
	for k := 1; float64(k)*each < 75; k++ {
		next := state(1.8, 0.8)
		if k%2 == 1 {
			next = state(1, 1.6)
		}
		h.Turns = append(h.Turns, tracetest.Turn{AtS: float64(k) * each, Hub: next})
	}
	s.phase("WW", h, works("A", 75, 2.1), works("B", 75, 2.1))
	s.changes(truthChange{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A", "B"}, EndS: 75, Not: []string{"cache_full", "heat"}})
	s.wrong(claimEven, claimCache)
}

// ownRise has A speed up for a reason that nothing shows.
func (s *scene) ownRise() {
	at := s.between(20, 45)
	s.phase("WW", roomy(), works("A", 60, 1.5).within(0, at, 0.55), works("B", 60, 1))
	s.changes(truthChange{Phase: "WW", Kinds: []string{"unknown"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": 1.5e9}})
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"))
}

// alikeApart fills the caches of two disks of one model, one some seconds after the other.
func (s *scene) alikeApart() {
	at := s.between(15, 35)
	then := at + s.between(3, 6)
	s.phase("WWW", roomy(), works("A", 60, 1.5).within(at, 60, 0.4), works("B", 60, 1.5).within(then, 60, 0.4), works("C", 60, 1))
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": 0.6e9}})
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"B"}, AtS: then, To: map[string]float64{"B": 0.6e9}})
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"), loses("C"))
}

// shortSolos holds a certain loss, of a fifth or more, against solos of a few seconds.
func (s *scene) shortSolos() { s.lossOf(2, s.between(5, 8)) }

// lossOf has disks lose alike.
func (s *scene) lossOf(n int, soloS float64) {
	h := tracetest.Hub{Weights: map[string]float64{}}
	var disks []actor
	kept := s.between(0.7, 0.8)
	for i := range n {
		d := works(string(rune('A'+i)), 40, s.between(1.3, 1.7))
		h.Weights[d.Name] = d.Levels[0].Rate
		h.Capacity += kept * d.Levels[0].Rate
		disks = append(disks, d)
	}
	s.alone(soloS, disks...)
	s.phase("all", h, disks...)
	s.Must = append(s.Must, claimLoss)
}

// gaps plays disks that rest between files, for times of Pareto's distribution.
func (s *scene) gaps(tail float64) {
	gap := func(rnd *rand.Rand) float64 { return 0.1 * math.Pow(1-rnd.Float64(), -1/tail) }
	a, b := works("A", 40, 1.5), works("B", 40, 1)
	a.Gap, b.Gap = gap, gap
	s.sizes = tracetest.Between(50e6, 500e6)
	s.alone(25, a, b)
	s.phase("WW", roomy(), a, b)
	for _, p := range s.phases {
		for _, d := range p.Disks { // a long gap is a pause, or a stall, and may be reported
			for i := 1; i < len(d.Files); i++ {
				if from, to := d.Files[i-1].EndNS, d.Files[i].StartNS; to-from > 5e8 {
					s.changes(truthChange{Phase: p.Name, Kinds: []string{"stall", "start", "end"}, Disks: []string{d.Name}, AtS: float64(from) / 1e9, EndS: float64(to) / 1e9, Optional: true})
				}
			}
		}
	}
	s.wrong(loses("A"), loses("B"), claimPort, claimCache)
}

// clockNoise has the clock off by 2 ms at the beginnings and ends of small files.
func (s *scene) clockNoise() {
	a := works("A", 20, s.between(0.4, 1))
	a.Sizes, a.BareFiles = tracetest.Between(1e6, 8e6), true
	files := s.phase("W", roomy(), a).Disks[0].Files
	for i := range files {
		f := &files[i]
		f.EndNS += int64(2e6 * s.rnd.NormFloat64()) // before its start, at times: such a file can't be used
		if i+1 < len(files) {
			files[i+1].StartNS = max(f.StartNS, f.EndNS)
		}
	}
	s.wrong(claim{Code: codeKnee}, claim{Code: codeModes}, claimCache)
}

// small is a disk with files of 1 MB, each of which takes a few milliseconds more than its bytes.
func (s *scene) small(name string) actor {
	d := works(name, 20, 2.8)
	d.Sizes, d.Noise.PerFileS = tracetest.Fixed(1e6), s.between(0.004, 0.006)
	return d
}

func (s *scene) otherSizes() {
	for _, name := range []string{"A", "B"} {
		d := works(name, 15, 2.8)
		d.Sizes = tracetest.Fixed(1e9)
		s.phase(name+" alone", roomy(), d)
	}
	s.phase("WW", roomy(), s.small("A"), s.small("B"))
	s.wrong(loses("A"), loses("B"), claimPort, baselineAbove("", 2))
}

func (s *scene) notARepeat() {
	d := func(name string) actor { d := works(name, 20, 2.8); d.Sizes = tracetest.Fixed(1e9); return d }
	s.phase("WW", tracetest.Hub{Capacity: 3.2e9}, d("A"), d("B"))
	s.phase("WW-2", tracetest.Hub{Capacity: 3.2e9}, s.small("A"), s.small("B"))
	s.wrong(claim{Code: codeRepeat})
}

// unequal plays 2 to 12 disks that never change.
func (s *scene) unequal() {
	var disks []actor
	for i := range 2 + s.rnd.IntN(11) {
		d := works(string(rune('A'+i)), 40, s.between(0.3, 1.8))
		if s.rnd.IntN(2) == 0 {
			d.Op = trace.Read
		}
		disks = append(disks, d)
	}
	s.phase("all", roomy(), disks...)
	s.wrong(claimSplit, claimPort, claimCache, claimLoss)
}

// fieldTruths are the field reports' phases on their hub. Sizes are drawn anew for each seed, so that ends lie apart by
// nothing up to some 5 s.
func fieldTruths(t *testing.T) []truth {
	t.Helper()
	var truths []truth
	for _, phase := range []string{
		"{name: RWW, roles: {A: write, B: write, C: read}, files: {A: 30, B: 30, C: 100}}",
		"{name: RRR, roles: {A: read, B: read, C: read}, files: {A: 30, B: 30, C: 100}}",
		"{name: WRR, roles: {A: read, B: read, C: write}, files: {A: 34, B: 34, C: 50}}",
		"{name: WWW, roles: {A: write, B: write, C: write}, files: {A: 36, B: 36, C: 60}}",
		"{name: WW, roles: {A: write, C: write}, files: {A: 30, C: 46}}",
		"{name: RR, roles: {A: read, C: read}, files: {A: 30, C: 60}}",
		"{name: W, roles: {A: write}, files: 30}",
		"{name: saturation, roles: {X5: write}, connection: direct, files: 50}",
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(phase, "{name: "), ",")
		truths = append(truths, truth{Name: "field reports, " + name, Tuned: name != "WW" && name != "RRR", Play: func(rnd *rand.Rand, noise float64) truthCase {
			return fieldCase(t, phase, rnd.IntN(1e6), noise)
		}})
	}
	return truths
}

func fieldCase(t *testing.T, phase string, seed int, noise float64) truthCase {
	t.Helper()
	const name = "goshen-ridge"
	text := fmt.Sprintf("version: 1\nname: field\nhub: {profile: %s}\ndisks:\n", name)
	for _, disk := range []string{"A", "B", "C", "X5"} {
		text += fmt.Sprintf("  - {name: %[1]s, connection: hub, simulate: {profile: %[1]s}}\n", disk)
	}
	var profile *hub.Profile
	phases := fmt.Sprintf("workload: {preset: random, seed: %d}\nphases:\n  - %s\n", seed, phase)
	run := fixture.Simulated(t, text+phases, func(name string) (p *hub.Profile, err error) {
		data, _ := configs.Hub(name)
		if profile, err = hub.Load(name, data); err == nil {
			profile.Noise = noise
		}
		return profile, err
	})
	p := run.Phases[0]
	changes, wrong := climbs(p, &profile.Lags), []claim{}
	for _, d := range p.Disks {
		if cache := profile.Disk(d.Name).Cache; cache != nil && d.Op == trace.Write {
			changes = append(changes, truthChange{Phase: p.Name, Kinds: []string{"own_fall"}, Disks: []string{d.Name}, AtS: movedAt(p, d.Name, float64(cache.Bytes)), OffS: 0.5,
				To: map[string]float64{d.Name: cache.After}})
		} else {
			wrong = append(wrong, claim{Code: codeFalls, Disk: d.Name})
		}
	}
	return truthCase{Run: run, Changes: changes, False: wrong}
}

// climbs are the recoveries that the profile's lags give: those who stay hold their rate until the lag of the latest end
// is over.
func climbs(p *trace.Phase, lags *hub.Lags) []truthChange {
	ends := slices.Clone(p.Disks)
	endOf := func(d *trace.DiskRecord) float64 { return float64(d.Files[len(d.Files)-1].EndNS) / 1e9 }
	slices.SortFunc(ends, func(a, b *trace.DiskRecord) int { return int(endOf(a)*1e9) - int(endOf(b)*1e9) })
	var out []truthChange
	before := 0.0 // the end before
	for i, gone := range ends {
		next := 1e9 // the next end
		if i+1 < len(ends) {
			next = endOf(ends[i+1])
		}
		for _, d := range ends[i+1:] {
			at := endOf(gone) + lags.After(d.Op, gone.Op, len(ends)-i-1).Seconds()
			until := min(next, at+3)
			if at >= next-0.2 {
				continue // held anew, or too short to be seen
			}
			from, to := rateBetween(d, max(at-2, before), at), rateBetween(d, at, until)
			if to < 1.05*from {
				continue
			}
			out = append(out, truthChange{Phase: p.Name, Kinds: []string{"recovery"}, Disks: []string{d.Name}, AtS: at, OffS: 0.5, By: gone.Name,
				Optional: to < 1.12*from || until-at < 1})
		}
		before = endOf(gone)
	}
	return out
}
