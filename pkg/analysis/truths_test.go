package analysis_test

import (
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/internal/test/tracetest"
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
		{"shares swap, uneven, with solos", true, func(s *scene) {
			s.swap(1.8, 0.8, 1.1, 1.5, true)
		}},
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
		truths[i] = truth{Name: t.name, Tuned: t.tuned,
			Play: func(rnd *rand.Rand, noise float64) truthCase {
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
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"shared_fall"},
		Disks: []string{"A", "B", "C"}, AtS: at,
		To: map[string]float64{
			"A": 1.5e9 * w / (w + 2), "B": 1.5e9 / (w + 2), "C": 1.5e9 / (w + 2),
		}})
	for _, end := range []truthChange{
		{AtS: 58, By: "A", Disks: []string{"B", "C"}}, {AtS: 60, By: "B", Disks: []string{"C"}},
	} {
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
	s.phase("WW", tracetest.Hub{Capacity: (a1 + b1) * 1e9,
		Weights: map[string]float64{"A": a1, "B": b1},
		Turns: []tracetest.Turn{{AtS: at,
			Hub: tracetest.Hub{Capacity: (a2 + b2) * 1e9,
				Weights: map[string]float64{"A": a2, "B": b2}}}}}, a, b)
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"redistribution"}, Disks: []string{"A", "B"}, AtS: at,
		To: map[string]float64{"A": a2 * 1e9, "B": b2 * 1e9},
	})
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
		s.changes(truthChange{
			Phase: "WW", Kinds: []string{"stall"}, Disks: []string{"A"}, AtS: at, EndS: at + 6,
		})
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
	s.changes(truthChange{
		Phase: "WWW", Kinds: []string{"stall"}, Disks: []string{"A", "B", "C"}, AtS: at,
		EndS: at + length,
	})
	s.wrong(claimPort, claimSplit, claimCache, claimEven, loses("A"), loses("B"), loses("C"))
}

func (s *scene) hangs() {
	at := s.between(10, 30)
	a, b := works("A", 75, 1.5), works("B", 75, 1)
	s.alone(15, a, b)
	s.phase("WW", roomy(), a.within(at, at+25, 0), b)
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"stall"}, Disks: []string{"A"}, AtS: at, EndS: at + 25,
	})
	s.wrong(claimPort, claimSplit, claimCache, claimEven, loses("A"), loses("B"))
}

func (s *scene) warmUp() {
	factor := s.between(0.35, 0.5)
	a, b := works("A", 60, 2.5).within(0, 5, factor), works("B", 60, 1.2)
	s.phase("A alone", roomy(), a)
	s.phase("A again", roomy(), a)
	s.phase("WW", roomy(), a, b)
	for _, phase := range []string{"A alone", "A again", "WW"} {
		s.changes(truthChange{
			Phase: phase, Kinds: []string{"warm_up"}, Disks: []string{"A"}, EndS: 5,
			To: map[string]float64{"A": 2.5e9},
		})
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
	p := s.phase("WW", tracetest.Hub{Capacity: 3.2e9, Weights: map[string]float64{"C": 3},
		LagS: lag},
		works("A", 60, 1.61).cache((0.8*(20+lag)+1.61*fills)*1e9, 0.43), works("C", 20, 2.8))
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"recovery"}, Disks: []string{"A"}, By: "C", AtS: 20 + lag,
		To: map[string]float64{"A": 1.61e9},
	})
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"},
		AtS: movedAt(p, "A", (0.8*(20+lag)+1.61*fills)*1e9), To: map[string]float64{"A": 0.692e9},
	})
	s.wrong(kept("A"), tooMuch, claimEven)
}

// freesRoom fills C's cache beside two that it held; later says that C goes on when they have
// ended.
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
	p := s.phase("WWW", tracetest.Hub{Capacity: total * 1e9, Weights: map[string]float64{"C": 3}},
		a, b, c.cache(full, c1/2.52))
	at := movedAt(p, "C", full)
	kinds := []string{"own_fall", "redistribution"}
	if later {
		kinds = kinds[:1] // it stays as low when it is alone
	}
	s.changes(truthChange{
		Phase: "WWW", Kinds: kinds, Disks: []string{"C"}, AtS: at,
		To: map[string]float64{"C": c1 * 1e9},
	})
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"recovery", "redistribution", "own_fall"},
		Disks: []string{"A", "B"}, AtS: at, By: "C",
		To: map[string]float64{"A": (total - c1) / 2 * 1e9, "B": (total - c1) / 2 * 1e9}})
	s.wrong(claimEven, baselineAbove("A", 1.75), baselineAbove("B", 1.75), loses("C"), wins("A"),
		wins("B"))
}

// subHub has A to F share one link and G and H another: G and H lose to one another and nothing to
// the six.
func (s *scene) subHub() {
	h := tracetest.Hub{
		Capacity: math.Inf(1), Weights: map[string]float64{"F": s.between(1.4, 1.7)},
		Parts: []tracetest.Part{{Capacity: 3.3e9}, {Disks: []string{"G", "H"}, Capacity: 0.8e9}},
	}
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
		s.changes(truthChange{
			Phase: phase, Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at,
			To: map[string]float64{"A": to * a.Levels[0].Rate},
		})
	}
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"))
}

// recovers has A rise by a factor some time after C has ended.
func (s *scene) recovers(factor float64) {
	lag, rate := s.between(0.3, 9), s.between(0.6, 1.2)
	s.phase("WW", tracetest.Hub{Capacity: 3 * rate * 1e9, Weights: map[string]float64{"C": 2},
		LagS: lag}, works("A", 55, factor*rate), works("C", s.between(15, 30), 2.8))
	end := endOf(s.phases[0].Disk("C"))
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"recovery"}, Disks: []string{"A"}, By: "C", AtS: end + lag,
		To: map[string]float64{"A": factor * rate * 1e9},
	})
	s.wrong(claimCache)
}

// endsWithinLag has C rise once, after the second of two ends.
func (s *scene) endsWithinLag() {
	lag, apart := s.between(1.5, 4), s.between(0.2, 1.4)
	s.phase("WWW", tracetest.Hub{Capacity: 3.3e9, LagS: lag}, works("A", 30, 1.4),
		works("B", 30+apart, 1.4), works("C", 30+apart+lag+s.between(2.5, 16), 2.5))
	s.changes(truthChange{
		Phase: "WWW", Kinds: []string{"recovery"}, Disks: []string{"C"}, By: "B",
		AtS: 30 + apart + lag, To: map[string]float64{"C": 2.5e9},
	})
	s.wrong(claimCache)
}

func (s *scene) drift(to float64) {
	a, b := works("A", 60, 1.5).drifts(60, to), works("B", 60, 1)
	s.phase("W", roomy(), a)
	s.phase("WW", roomy(), a, b)
	for _, phase := range []string{"W", "WW"} {
		s.changes(truthChange{
			Phase: phase, Kinds: []string{"drift"}, Disks: []string{"A"}, EndS: 60,
		})
	}
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"), claim{Code: codeFalls, Disk: "A"})
}
