package tracetest

import "math"

func ownSwing(s *scene) {
	a, b := works("A", 110, 1.5), works("B", 110, s.between(0.9, 1.2))
	high, low := s.between(12, 16), s.between(8, 12)
	s.alone(11, a, b)
	s.phase("WW", roomy(), a.swings(high, low, 0.47), b)
	s.changes(Change{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A"}, EndS: 110})
	s.wrong(ownPort, maybe, fair, loses("A"), loses("B"), even, wins("B"))
}

func linkHalves(s *scene) {
	at := s.between(9, 45)
	weights := map[string]float64{"A": s.between(1, 3)}
	whole := Hub{Capacity: 3e9, Weights: weights}
	whole.Turns = []Turn{{at, Hub{Capacity: 1.5e9, Weights: weights}}}
	s.phase("WWW", whole, works("A", 58, 2.8), works("B", 60, 2.6), works("C", 62, 2.5))
	w := weights["A"]
	s.changes(Change{Phase: "WWW", Kinds: []string{"shared_fall"}, Disks: []string{"A", "B", "C"}, AtS: at,
		To: map[string]float64{"A": 1.5e9 * w / (w + 2), "B": 1.5e9 / (w + 2), "C": 1.5e9 / (w + 2)}})
	for _, end := range []Change{{AtS: 58, By: "A", Disks: []string{"B", "C"}}, {AtS: 60, By: "B", Disks: []string{"C"}}} {
		end.Phase, end.Kinds, end.Optional = "WWW", []string{"recovery", "end"}, true
		s.changes(end)
	}
	s.wrong(cached, maybe)
}

// swap has the hub give A and B other parts from the middle on.
func swap(s *scene, a1, b1, a2, b2 float64, solos bool) {
	at := s.between(25, 35)
	a, b := works("A", 60, 2.1), works("B", 60, 2.1)
	if solos {
		s.alone(10, a, b)
	}
	s.phase("WW", Hub{Capacity: (a1 + b1) * 1e9, Weights: map[string]float64{"A": a1, "B": b1},
		Turns: []Turn{{at, Hub{Capacity: (a2 + b2) * 1e9, Weights: map[string]float64{"A": a2, "B": b2}}}}}, a, b)
	s.changes(Change{Phase: "WW", Kinds: []string{"redistribution"}, Disks: []string{"A", "B"}, AtS: at, To: map[string]float64{"A": a2 * 1e9, "B": b2 * 1e9}})
	s.wrong(even, maybe, cached)
	if !solos {
		s.wrong(ownPort, fair)
	}
}

func twoStalls(s *scene) {
	first, second := s.between(8, 20), s.between(32, 48)
	a, b := works("A", 60, 1.5), works("B", 60, 1)
	s.alone(15, a, b)
	s.phase("WW", roomy(), a.within(first, first+6, 0).within(second, second+6, 0), b)
	for _, at := range []float64{first, second} {
		s.changes(Change{Phase: "WW", Kinds: []string{"stall"}, Disks: []string{"A"}, AtS: at, EndS: at + 6})
	}
	s.wrong(maybe, ownPort, fair, cached, even, loses("A"), loses("B"))
}

func allStop(s *scene, length float64) {
	at := s.between(10, 45)
	disks := []Disk{works("A", 60, 1.5), works("B", 60, 1), works("C", 60, 2)}
	s.alone(15, disks...)
	for i := range disks {
		disks[i] = disks[i].within(at, at+length, 0)
	}
	s.phase("WWW", roomy(), disks...)
	s.changes(Change{Phase: "WWW", Kinds: []string{"stall"}, Disks: []string{"A", "B", "C"}, AtS: at, EndS: at + length})
	s.wrong(maybe, ownPort, fair, cached, even, loses("A"), loses("B"), loses("C"))
}

func hangs(s *scene) {
	at := s.between(10, 30)
	a, b := works("A", 75, 1.5), works("B", 75, 1)
	s.alone(15, a, b)
	s.phase("WW", roomy(), a.within(at, at+25, 0), b)
	s.changes(Change{Phase: "WW", Kinds: []string{"stall"}, Disks: []string{"A"}, AtS: at, EndS: at + 25})
	s.wrong(maybe, ownPort, fair, cached, even, loses("A"), loses("B"))
}

func warmUp(s *scene) {
	factor := s.between(0.35, 0.5)
	a, b := works("A", 60, 2.5).within(0, 5, factor), works("B", 60, 1.2)
	s.phase("A alone", roomy(), a)
	s.phase("A again", roomy(), a)
	s.phase("WW", roomy(), a, b)
	for _, phase := range []string{"A alone", "A again", "WW"} {
		s.changes(Change{Phase: phase, Kinds: []string{"warm_up"}, Disks: []string{"A"}, EndS: 5, To: map[string]float64{"A": 2.5e9}})
		s.Quotes = append(s.Quotes, Quote{phase, "A", 2.5e9})
	}
	s.wrong(maybe, ownPort, fair, loses("A"), loses("B"))
}

func usedBefore(s *scene) {
	slow := s.between(0.45, 0.55)
	a, c := works("A", 50, 1.5), works("C", 30, 1.7)
	s.alone(14, a, c)
	s.phase("WW", roomy(), works("A", 50, slow), c)
	s.wrong(loses("A"), ownPort, maybe, wins("C"), even, `A got .*% of the 1\.`)
}

func fillsLater(s *scene) {
	lag := s.between(1, 4)
	fills := s.between(8, 15) // after it is back
	p := s.phase("WW", Hub{Capacity: 3.2e9, Weights: map[string]float64{"C": 3}, LagS: lag},
		works("A", 60, 1.61).cache((0.8*(20+lag)+1.61*fills)*1e9, 0.43), works("C", 20, 2.8))
	s.changes(Change{Phase: "WW", Kinds: []string{"recovery"}, Disks: []string{"A"}, By: "C", AtS: 20 + lag, To: map[string]float64{"A": 1.61e9}})
	s.changes(Change{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: MovedAt(p, "A", (0.8*(20+lag)+1.61*fills)*1e9), To: map[string]float64{"A": 0.692e9}})
	s.wrong(`\bA kept`, `\b1[0-9][0-9] %`, even, maybe)
}

// freesRoom fills C's cache beside two that it held; later says that C goes on when they have ended.
func freesRoom(s *scene, later bool) {
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
	p := s.phase("WWW", Hub{Capacity: total * 1e9, Weights: map[string]float64{"C": 3}}, a, b, c.cache(full, c1/2.52))
	at := MovedAt(p, "C", full)
	kinds := []string{"own_fall", "redistribution"}
	if later {
		kinds = kinds[:1] // it stays as low when it is alone
	}
	s.changes(Change{Phase: "WWW", Kinds: kinds, Disks: []string{"C"}, AtS: at, To: map[string]float64{"C": c1 * 1e9}})
	s.changes(Change{Phase: "WWW", Kinds: []string{"recovery", "redistribution", "own_fall"}, Disks: []string{"A", "B"}, AtS: at, By: "C",
		To: map[string]float64{"A": (total - c1) / 2 * 1e9, "B": (total - c1) / 2 * 1e9}})
	s.wrong(even, maybe, `of the 1\.[89]\d* GB/s they have`, loses("C"), wins("A"), wins("B"))
}

// subHub has A to F share one link and G and H another: G and H lose to one another and nothing to the six.
func subHub(s *scene) {
	h := Hub{Capacity: math.Inf(1), Weights: map[string]float64{"F": s.between(1.4, 1.7)}, Parts: []Part{{nil, 3.3e9}, {[]string{"G", "H"}, 0.8e9}}}
	var disks []Disk
	for i := range 8 {
		d := works(string(rune('A'+i)), 40, s.between(1.2, 1.5))
		if disks = append(disks, d); i < 6 {
			h.Parts[0].Disks = append(h.Parts[0].Disks, d.Name)
		}
	}
	s.alone(10, disks...)
	s.phase("GH", h, disks[6:]...)
	s.phase("all", h, disks...)
	s.wrong(`even split would have given (?:[A-L](?:, | and ))*[GH]\b`, maybe)
}

// falls plays a disk that falls by itself to a share of its rate, alone and beside another.
func falls(s *scene, to, earliest float64) {
	a, b := works("A", 60, s.between(1, 2)), works("B", 60, 1)
	for _, phase := range []string{"W", "WW"} {
		at := 60 * s.between(earliest, 0.95)
		disks := []Disk{a.within(at, 60, to), b}[:len(phase)]
		s.phase(phase, roomy(), disks...)
		s.changes(Change{Phase: phase, Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": to * a.Levels[0].Rate}})
	}
	s.wrong(maybe, fair, ownPort, loses("A"), loses("B"))
}

// recovers has A rise by a factor some time after C has ended.
func recovers(s *scene, factor float64) {
	lag, rate := s.between(0.3, 9), s.between(0.6, 1.2)
	s.phase("WW", Hub{Capacity: 3 * rate * 1e9, Weights: map[string]float64{"C": 2}, LagS: lag}, works("A", 55, factor*rate), works("C", s.between(15, 30), 2.8))
	end := endOf(s.phases[0].Disk("C"))
	s.changes(Change{Phase: "WW", Kinds: []string{"recovery"}, Disks: []string{"A"}, By: "C", AtS: end + lag, To: map[string]float64{"A": factor * rate * 1e9}})
	s.wrong(cached, maybe)
}

// endsWithinLag has C rise once, after the second of two ends.
func endsWithinLag(s *scene) {
	lag, apart := s.between(1.5, 4), s.between(0.2, 1.4)
	s.phase("WWW", Hub{Capacity: 3.3e9, LagS: lag}, works("A", 30, 1.4), works("B", 30+apart, 1.4), works("C", 30+apart+lag+s.between(2.5, 16), 2.5))
	s.changes(Change{Phase: "WWW", Kinds: []string{"recovery"}, Disks: []string{"C"}, By: "B", AtS: 30 + apart + lag, To: map[string]float64{"C": 2.5e9}})
	s.wrong(cached, maybe)
}
