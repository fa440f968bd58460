package analysis_test

import (
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

func (s *scene) inSteps() {
	first := s.between(10, 20) * 2e9
	second := first + s.between(10, 20)*1.2e9
	a := works("A", 60, 2).cache(first, 0.6).cache(second, 0.4)
	p := s.phase("WW", roomy(), a, works("B", 60, 1))
	for bytes, rate := range map[float64]float64{first: 1.2e9, second: 0.48e9} {
		s.changes(truthChange{
			Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"},
			AtS: movedAt(p, "A", bytes), To: map[string]float64{"A": rate},
		})
	}
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"))
}

func (s *scene) twoFalls() {
	at := s.between(15, 40)
	then := at + s.between(0.3, 1)
	s.phase("WWW", roomy(), works("A", 60, 1.5).within(at, 60, 0.35),
		works("B", 60, 1.2).within(then, 60, 0.7), works("C", 60, 1))
	s.changes(truthChange{
		Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at,
		To: map[string]float64{"A": 0.525e9},
	})
	s.changes(truthChange{
		Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"B"}, AtS: then,
		To: map[string]float64{"B": 0.84e9},
	})
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"), loses("C"))
}

// pauseHelps lets a hot disk rest for 10 s, after which it is as fast as before.
func (s *scene) pauseHelps() {
	at := s.between(15, 28)
	a := works("A", 75, 1.5).within(at, 50, 0.4)
	a.Pauses = [][2]float64{{40, 50}}
	s.phase("WW", roomy(), a, works("B", 75, 1))
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at,
		To: map[string]float64{"A": 0.6e9},
	})
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"end", "stall"}, Disks: []string{"A"}, AtS: 40, Optional: true,
	})
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"start", "recovery", "stall"}, Disks: []string{"A"}, AtS: 50,
		Optional: true,
	})
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"))
}

func (s *scene) shortSwing() {
	a, b := works("A", 70, 1.6).swings(2.4, 5.6, 0.5), works("B", 70, 1.1)
	s.phase("W", roomy(), a)
	s.phase("WW", roomy(), a, b)
	for _, phase := range []string{"W", "WW"} {
		s.changes(truthChange{
			Phase: phase, Kinds: []string{"swing"}, Disks: []string{"A"}, EndS: 70,
		})
	}
	s.wrong(claimSplit, claimPort, claimCache, loses("A"), loses("B"))
}

func (s *scene) threeOfFour() {
	at := s.between(15, 45)
	part := func(a, b, c float64) tracetest.Hub {
		return tracetest.Hub{
			Capacity: math.Inf(1), Weights: map[string]float64{"A": a, "B": b, "C": c},
			Parts: []tracetest.Part{{Disks: []string{"A", "B", "C"}, Capacity: 2.4e9}},
		}
	}
	h := part(1.4, 0.5, 0.5)
	h.Turns = []tracetest.Turn{{AtS: at, Hub: part(0.6, 0.9, 0.9)}}
	s.phase("WWWW", h, works("A", 60, 2.5), works("B", 60, 2.5), works("C", 60, 2.5),
		works("D", 60, 0.7))
	s.changes(truthChange{Phase: "WWWW", Kinds: []string{"redistribution"},
		Disks: []string{"A", "B", "C"}, AtS: at,
		To: map[string]float64{"A": 0.6e9, "B": 0.9e9, "C": 0.9e9}})
	s.wrong(claimEven, claimCache, loses("D"))
}

func (s *scene) sharedFor10() {
	at := s.between(10, 35)
	s.phase("WWW", tracetest.Hub{Capacity: 3e9, Turns: []tracetest.Turn{
		{AtS: at, Hub: tracetest.Hub{Capacity: 1.6e9}},
		{AtS: at + 10, Hub: tracetest.Hub{Capacity: 3e9}},
	}},
		works("A", 60, 2.8), works("B", 60, 2.6), works("C", 60, 2.4))
	for k, rate := range []float64{1.6e9 / 3, 1e9} {
		s.changes(truthChange{Phase: "WWW", Kinds: []string{"shared_fall"},
			Disks: []string{"A", "B", "C"}, AtS: at + 10*float64(k),
			To: map[string]float64{"A": rate, "B": rate, "C": rate}})
	}
	s.wrong(claimCache, claimPort, claimSplit)
}

func (s *scene) lateStart() {
	a, b, c := works("A", 50, 1.5), works("B", 50, 1.5), works("C", 50, 2.5).from(5)
	s.phase("WWW", tracetest.Hub{Capacity: 3.4e9, Weights: map[string]float64{"C": 3}}, a, b, c)
	s.changes(truthChange{
		Phase: "WWW", Kinds: []string{"start"}, Disks: []string{"A", "B"}, AtS: 5, By: "C",
		To: map[string]float64{"A": 0.68e9, "B": 0.68e9},
	})
	s.wrong(claimCache, wins("A"), wins("B"))
}

// slowsAtEnd is a coincidence: A and C have room enough.
func (s *scene) slowsAtEnd() {
	at := 25 + s.between(-0.3, 0.3)
	s.phase("WW", roomy(), works("A", 55, 1.5).within(at, 55, 0.4), works("C", 25, 1.8))
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at,
		To: map[string]float64{"A": 0.6e9},
	})
	s.wrong(claimSplit, claimPort, loses("A"), wins("A"), loses("C"), tooMuch)
}

// fillsAtEnd fills A's cache before it can take what C leaves.
func (s *scene) fillsAtEnd() {
	full := (25 + s.between(0.3, 1.2)) * 0.8e9
	p := s.phase("WW", tracetest.Hub{Capacity: 3.2e9, Weights: map[string]float64{"C": 3}, LagS: 3},
		works("A", 55, 1.61).cache(full, 0.3), works("C", 25, 2.8))
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: movedAt(p, "A", full),
		To: map[string]float64{"A": 0.483e9},
	})
	s.wrong(kept("A"), tooMuch, wins("A"), loses("C"), claim{Code: codeRecovers})
}

func (s *scene) readsHalve() {
	at := s.between(12, 45)
	link := func(capacity float64) tracetest.Hub {
		return tracetest.Hub{
			Capacity: math.Inf(1), Weights: map[string]float64{"A": 1.4},
			Parts: []tracetest.Part{{Disks: []string{"A", "B"}, Capacity: capacity}},
		}
	}
	h := link(2.6e9)
	h.Turns = []tracetest.Turn{{AtS: at, Hub: link(1.3e9)}}
	s.phase("RRW", h, works("A", 60, 2.6).reads(), works("B", 60, 2.6).reads(), works("C", 60, 1.4))
	s.changes(truthChange{Phase: "RRW", Kinds: []string{"shared_fall"}, Disks: []string{"A", "B"},
		AtS: at,
		To:  map[string]float64{"A": 1.3e9 * 1.4 / 2.4, "B": 1.3e9 / 2.4}})
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
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A", "B"}, EndS: 75,
		Not: []string{"cache_full", "heat"},
	})
	s.wrong(claimEven, claimCache)
}

// ownRise has A speed up for a reason that nothing shows.
func (s *scene) ownRise() {
	at := s.between(20, 45)
	s.phase("WW", roomy(), works("A", 60, 1.5).within(0, at, 0.55), works("B", 60, 1))
	s.changes(truthChange{
		Phase: "WW", Kinds: []string{"own_rise"}, Disks: []string{"A"}, AtS: at,
		To: map[string]float64{"A": 1.5e9},
	})
	s.wrong(claimSplit, claimPort, loses("A"), loses("B"))
}

// alikeApart fills the caches of two disks of one model, one some seconds after the other.
func (s *scene) alikeApart() {
	at := s.between(15, 35)
	then := at + s.between(3, 6)
	s.phase("WWW", roomy(), works("A", 60, 1.5).within(at, 60, 0.4),
		works("B", 60, 1.5).within(then, 60, 0.4), works("C", 60, 1))
	s.changes(truthChange{
		Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at,
		To: map[string]float64{"A": 0.6e9},
	})
	s.changes(truthChange{
		Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"B"}, AtS: then,
		To: map[string]float64{"B": 0.6e9},
	})
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
					s.changes(truthChange{
						Phase: p.Name, Kinds: []string{"stall", "start", "end"},
						Disks: []string{d.Name}, AtS: float64(from) / 1e9, EndS: float64(to) / 1e9,
						Optional: true,
					})
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
		// before its start, at times: such a file can't be used
		f.EndNS += int64(2e6 * s.rnd.NormFloat64())
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
	d := func(name string) actor {
		d := works(name, 20, 2.8)
		d.Sizes = tracetest.Fixed(1e9)
		return d
	}
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
