package analysis_test

import "github.com/hubbench/hubbench/internal/test/tracetest"

// causeKinds are changes whose cause the evidence shows, or leaves open.
func causeKinds() []kind {
	return []kind{
		{"shared: one disk limited by itself", true, (*scene).sharedWithLimited},
		{"shared: a display takes bandwidth", false, (*scene).display},
		{"redistribution beside a disk limited by itself", false, (*scene).swapBesideLimited},
		{"own: falls to USB 2 speed", true, (*scene).fallsToUSB2},
		{"own: a cache fills as another starts", false, (*scene).fillsAtStart},
		{"own: a disk stays low when another ends", true, (*scene).staysLow},
		{"neighbour: starts and ends", true, (*scene).startsAndEnds},
		{"neighbour: late joiners", false, (*scene).lateJoiners},
		{"unknown: contention wastes bandwidth", false, (*scene).wastes},
		{"warm-up: a ramp at every start", true, (*scene).ramps},
		{"own: a dip in the solo", false, (*scene).dipInSolo},
		{"own: a cache fills in the trio of a matrix", true, (*scene).fillsInTrio},
	}
}

// lessFrom is a hub that has another capacity from a time on.
func lessFrom(atS, before, after float64) tracetest.Hub {
	h := tracetest.Hub{Capacity: before}
	h.Turns = []tracetest.Turn{{AtS: atS, Hub: tracetest.Hub{Capacity: after}}}
	return h
}

func (s *scene) sharedWithLimited() {
	at, slow := s.between(12, 45), s.between(0.15, 0.3)
	disks := []actor{
		works("A", 60, 2.4), works("B", 60, 2.2), works("C", 60, 2), works("D", 60, slow),
	}
	s.alone(10, disks...)
	h := lessFrom(at, 3.3e9, 1.6e9)
	each := (1.6 - slow) / 3 * 1e9
	s.changes(truthChange{Phase: "WWWW", Kinds: []string{"shared_fall"},
		Disks: []string{"A", "B", "C"}, AtS: at, One: true, OffS: s.offS(),
		To: map[string]float64{"A": each, "B": each, "C": each}})
	s.phase("WWWW", h, disks...)
}

// display plays a display that is switched on and has priority on the hub's uplink.
func (s *scene) display() {
	at, left := s.between(12, 45), s.between(1.9e9, 2.4e9)
	a, b := works("A", 60, 2.6).reads(), works("B", 60, 2.4).reads()
	s.alone(10, a, b)
	h := lessFrom(at, 3.2e9, left)
	s.changes(truthChange{Phase: "RR", Kinds: []string{"shared_fall"}, Disks: []string{"A", "B"},
		AtS: at, One: true, OffS: s.offS(), To: map[string]float64{"A": left / 2, "B": left / 2}})
	s.phase("RR", h, a, b)
}

func (s *scene) swapBesideLimited() {
	at := s.between(15, 42)
	disks := []actor{works("A", 60, 2.4), works("B", 60, 2.2), works("D", 60, s.between(0.2, 0.4))}
	s.alone(10, disks...)
	limited := disks[2].Levels[0].Rate
	after := tracetest.Hub{Capacity: 2.8e9, Weights: map[string]float64{"A": 1, "B": 2}}
	h := tracetest.Hub{Capacity: 2.8e9, Weights: map[string]float64{"A": 2, "B": 1},
		Turns: []tracetest.Turn{{AtS: at, Hub: after}}}
	third := (2.8e9 - limited) / 3
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"redistribution"},
		Disks: []string{"A", "B"},
		AtS:   at, OffS: s.offS(), To: map[string]float64{"A": third, "B": 2 * third}})
	s.phase("WWW", h, disks...)
}

func (s *scene) fallsToUSB2() {
	at := s.between(15, 40)
	a, b, d := s.beside("A", 60), s.beside("B", 60), works("D", 60, s.between(1, 1.8))
	s.alone(10, a, b, d)
	slow := s.between(0.038, 0.043) / (d.Levels[0].Rate / 1e9)
	d = s.steps("WWW", d, []float64{at}, []float64{slow})
	s.Changes[0].Not = []string{"cache_full", "heat", "neighbour"}
	s.phase("WWW", roomy(), a, b, d)
}

// fillsAtStart fills A's cache just as C starts, which takes far less than A loses.
func (s *scene) fillsAtStart() {
	at := s.between(15, 30)
	a, c := works("A", 60, 2), works("C", 60, 0.6).from(at)
	s.alone(7, a, c)
	a = s.steps("WW", a, []float64{at + s.between(-0.2, 0.3)}, []float64{0.25})
	s.Changes[0].Kinds = []string{"own_fall", "unknown"}
	s.phase("WW", tracetest.Hub{Capacity: 3.2e9}, a, c)
}

// staysLow is as fillsAtStart, but C ends, which gives A nothing.
func (s *scene) staysLow() {
	at := s.between(12, 18)
	a, c := works("A", 70, 2), works("C", at+s.between(18, 25), s.between(0.5, 1)).from(at)
	s.alone(7, a, works("C", 10, c.Levels[0].Rate/1e9))
	a = s.steps("WW", a, []float64{at + s.between(-0.2, 0.3)}, []float64{0.3})
	s.Changes[0].Kinds = []string{"own_fall", "unknown"}
	s.phase("WW", tracetest.Hub{Capacity: 3.2e9}, a, c)
}

// startsAndEnds has C take from A and B while it works.
func (s *scene) startsAndEnds() {
	at, lag := s.between(12, 18), s.between(0.5, 3)
	endS := at + s.between(16, 22)
	a, b, c := works("A", 70, 1.4), works("B", 70, 1.4), works("C", endS, 2.4).from(at)
	s.alone(10, a, b, works("C", 10, 2.4))
	h := tracetest.Hub{Capacity: 3.2e9, Weights: map[string]float64{"C": 2}, LagS: lag}
	low, high := map[string]float64{"A": 0.8e9, "B": 0.8e9},
		map[string]float64{"A": 1.4e9, "B": 1.4e9}
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"start"}, Disks: []string{"A", "B"},
		AtS: at,
		By:  "C", To: low, OffS: s.offS(), Not: []string{"cache_full", "heat", "link", "host"}})
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"recovery"}, Disks: []string{"A", "B"},
		AtS: endS + lag, By: "C", OffS: s.offS(), To: high,
		Not: []string{"cache_full", "heat", "link", "host"}})
	s.phase("WWW", h, a, b, c)
	s.must([]string{"C"}, []string{"A", "B"})
}

func (s *scene) lateJoiners() {
	second, third := s.between(10, 14), s.between(24, 30)
	disks := []actor{works("A", 50, 2.6), works("B", 50, 2.4).from(second),
		works("C", 50, 2.2).from(third)}
	s.alone(10, works("A", 10, 2.6), works("B", 10, 2.4), works("C", 10, 2.2))
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"start"}, Disks: []string{"A"}, AtS: second,
		By: "B", OffS: s.offS(), To: map[string]float64{"A": 1.6e9},
		Not: []string{"cache_full", "heat"}})
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"start"}, Disks: []string{"A", "B"},
		AtS: third, By: "C", OffS: s.offS(), To: map[string]float64{"A": 3.2e9 / 3, "B": 3.2e9 / 3},
		Not: []string{"cache_full", "heat"}})
	s.phase("WWW", tracetest.Hub{Capacity: 3.2e9}, disks...)
}

// wastes has C's start cost A and B much more than C gets, and C does not end.
func (s *scene) wastes() {
	at, slow := s.between(15, 35), s.between(0.4, 0.6)
	a, b, c := works("A", 60, 1.4), works("B", 60, 1.4), works("C", 60, slow).from(at)
	s.alone(10, a, b, works("C", 10, slow))
	left := s.between(1.6, 1.8)
	h := lessFrom(at, 3e9, left*1e9)
	to := (left - slow) / 2 * 1e9
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"unknown", "shared_fall"},
		Disks: []string{"A", "B"}, AtS: at, OffS: s.offS(),
		To:  map[string]float64{"A": to, "B": to},
		Not: []string{"cache_full", "heat", "neighbour"}})
	s.phase("WWW", h, a, b, c)
}

func (s *scene) ramps() {
	length, from := s.between(5, 9), s.between(0.3, 0.45)
	ramp := func(at float64) float64 { return min(1, from+(1-from)*at/length) }
	a, b := works("A", 45, 2.4).curve(ramp), s.beside("B", 45)
	for _, phase := range []string{"A alone", "A again", "WW"} {
		disks := []actor{a, b}
		if phase != "WW" {
			disks = disks[:1]
		}
		s.phase(phase, roomy(), disks...)
		s.changes(truthChange{Phase: phase, Kinds: []string{"warm_up"}, Disks: []string{"A"},
			EndS: length, OffS: 2.5})
		s.Quotes = append(s.Quotes, truthQuote{phase, "A", 2.4e9})
	}
	s.alone(12, b)
}

func (s *scene) dipInSolo() {
	at, capacity := s.between(4, 12), s.between(2, 2.4)
	a, b := works("A", 24, 1.6), works("B", 24, 1.4)
	s.phase("A alone", roomy(), a.within(at, at+4, 0.2))
	s.alone(20, b)
	for i, from := range []float64{at, at + 4} {
		s.changes(truthChange{Phase: "A alone", Kinds: []string{[]string{"own_fall", "own_rise"}[i],
			"swing"}, Disks: []string{"A"}, AtS: from, OffS: s.offS(),
			Not: []string{"link", "host", "hub", "neighbour"}})
	}
	s.phase("WW", tracetest.Hub{Capacity: capacity * 1e9}, works("A", 40, 1.6), works("B", 40, 1.4))
	s.must(nil, []string{"A", "B"})
}

// fillsInTrio plays the full matrix of writes, in which A's cache fills only in the last phase,
// which is longer.
func (s *scene) fillsInTrio() {
	h := tracetest.Hub{Capacity: 3.2e9, Weights: map[string]float64{"C": 3}}
	disks := []actor{works("A", 16, 1.6), works("B", 16, 1.5), works("C", 16, 2.6)}
	s.alone(14, disks...)
	s.phase("AB", h, disks[0], disks[1])
	s.phase("AC", h, disks[0], disks[2])
	s.phase("BC", h, disks[1], disks[2])
	for i := range disks {
		disks[i].Levels = []tracetest.Level{{UntilS: 60, Rate: disks[i].Levels[0].Rate}}
	}
	at := s.between(25, 40)
	disks[0] = s.steps("ABC", disks[0], []float64{at}, []float64{s.between(0.1, 0.15)})
	s.Changes[0].Kinds = []string{"own_fall", "redistribution"} // The others take what A leaves.
	s.changes(truthChange{Phase: "ABC", Kinds: []string{"redistribution", "recovery"},
		Disks: []string{"B", "C"}, AtS: at, By: "A", OffS: s.offS(), Optional: true})
	s.phase("ABC", h, disks...)
	s.Must = append(s.Must, claim{Code: codeMove, Disk: "C"}, claim{Code: codeCrowds, Disk: "C"})
}
