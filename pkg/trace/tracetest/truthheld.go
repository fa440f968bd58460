package tracetest

import "math"

func drift(s *scene, to float64) {
	a, b := works("A", 60, 1.5).drifts(60, to), works("B", 60, 1)
	s.phase("W", roomy(), a)
	s.phase("WW", roomy(), a, b)
	for _, phase := range []string{"W", "WW"} {
		s.changes(Change{Phase: phase, Kinds: []string{"drift"}, Disks: []string{"A"}, EndS: 60})
	}
	s.wrong(maybe, fair, ownPort, loses("A"), loses("B"), `A fell from`)
}

func inSteps(s *scene) {
	first := s.between(10, 20) * 2e9
	second := first + s.between(10, 20)*1.2e9
	a := works("A", 60, 2).cache(first, 0.6).cache(second, 0.4)
	p := s.phase("WW", roomy(), a, works("B", 60, 1))
	for bytes, rate := range map[float64]float64{first: 1.2e9, second: 0.48e9} {
		s.changes(Change{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: MovedAt(p, "A", bytes), To: map[string]float64{"A": rate}})
	}
	s.wrong(maybe, fair, ownPort, loses("A"), loses("B"))
}

func twoFalls(s *scene) {
	at := s.between(15, 40)
	then := at + s.between(0.3, 1)
	s.phase("WWW", roomy(), works("A", 60, 1.5).within(at, 60, 0.35), works("B", 60, 1.2).within(then, 60, 0.7), works("C", 60, 1))
	s.changes(Change{Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": 0.525e9}})
	s.changes(Change{Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"B"}, AtS: then, To: map[string]float64{"B": 0.84e9}})
	s.wrong(maybe, fair, ownPort, loses("A"), loses("B"), loses("C"))
}

// pauseHelps lets a hot disk rest for 10 s, after which it is as fast as before.
func pauseHelps(s *scene) {
	at := s.between(15, 28)
	a := works("A", 75, 1.5).within(at, 50, 0.4)
	a.Pauses = [][2]float64{{40, 50}}
	s.phase("WW", roomy(), a, works("B", 75, 1))
	s.changes(Change{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": 0.6e9}})
	s.changes(Change{Phase: "WW", Kinds: []string{"end", "stall"}, Disks: []string{"A"}, AtS: 40, Optional: true})
	s.changes(Change{Phase: "WW", Kinds: []string{"start", "recovery", "stall"}, Disks: []string{"A"}, AtS: 50, Optional: true})
	s.wrong(maybe, fair, ownPort, loses("A"), loses("B"))
}

func shortSwing(s *scene) {
	a, b := works("A", 70, 1.6).swings(2.4, 5.6, 0.5), works("B", 70, 1.1)
	s.phase("W", roomy(), a)
	s.phase("WW", roomy(), a, b)
	for _, phase := range []string{"W", "WW"} {
		s.changes(Change{Phase: phase, Kinds: []string{"swing"}, Disks: []string{"A"}, EndS: 70})
	}
	s.wrong(maybe, fair, ownPort, cached, loses("A"), loses("B"))
}

func threeOfFour(s *scene) {
	at := s.between(15, 45)
	part := func(a, b, c float64) Hub {
		return Hub{Capacity: math.Inf(1), Weights: map[string]float64{"A": a, "B": b, "C": c}, Parts: []Part{{[]string{"A", "B", "C"}, 2.4e9}}}
	}
	h := part(1.4, 0.5, 0.5)
	h.Turns = []Turn{{at, part(0.6, 0.9, 0.9)}}
	s.phase("WWWW", h, works("A", 60, 2.5), works("B", 60, 2.5), works("C", 60, 2.5), works("D", 60, 0.7))
	s.changes(Change{Phase: "WWWW", Kinds: []string{"redistribution"}, Disks: []string{"A", "B", "C"}, AtS: at,
		To: map[string]float64{"A": 0.6e9, "B": 0.9e9, "C": 0.9e9}})
	s.wrong(even, maybe, cached, loses("D"))
}

func sharedFor10(s *scene) {
	at := s.between(10, 35)
	s.phase("WWW", Hub{Capacity: 3e9, Turns: []Turn{{at, Hub{Capacity: 1.6e9}}, {at + 10, Hub{Capacity: 3e9}}}},
		works("A", 60, 2.8), works("B", 60, 2.6), works("C", 60, 2.4))
	for k, rate := range []float64{1.6e9 / 3, 1e9} {
		s.changes(Change{Phase: "WWW", Kinds: []string{"shared_fall"}, Disks: []string{"A", "B", "C"}, AtS: at + 10*float64(k),
			To: map[string]float64{"A": rate, "B": rate, "C": rate}})
	}
	s.wrong(cached, maybe, ownPort, fair)
}

func lateStart(s *scene) {
	a, b, c := works("A", 50, 1.5), works("B", 50, 1.5), works("C", 50, 2.5).from(5)
	s.phase("WWW", Hub{Capacity: 3.4e9, Weights: map[string]float64{"C": 3}}, a, b, c)
	s.changes(Change{Phase: "WWW", Kinds: []string{"start"}, Disks: []string{"A", "B"}, AtS: 5, By: "C", To: map[string]float64{"A": 0.68e9, "B": 0.68e9}})
	s.wrong(cached, maybe, wins("A"), wins("B"))
}

// slowsAtEnd is a coincidence: A and C have room enough.
func slowsAtEnd(s *scene) {
	at := 25 + s.between(-0.3, 0.3)
	s.phase("WW", roomy(), works("A", 55, 1.5).within(at, 55, 0.4), works("C", 25, 1.8))
	s.changes(Change{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": 0.6e9}})
	s.wrong(maybe, fair, ownPort, loses("A"), wins("A"), loses("C"), `25\d %`)
}

// fillsAtEnd fills A's cache before it can take what C leaves.
func fillsAtEnd(s *scene) {
	full := (25 + s.between(0.3, 1.2)) * 0.8e9
	p := s.phase("WW", Hub{Capacity: 3.2e9, Weights: map[string]float64{"C": 3}, LagS: 3}, works("A", 55, 1.61).cache(full, 0.3), works("C", 25, 2.8))
	s.changes(Change{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: MovedAt(p, "A", full), To: map[string]float64{"A": 0.483e9}})
	s.wrong(maybe, `\bA kept`, `\b1[0-9][0-9] %`, wins("A"), loses("C"), `took .* to recover`)
}

func readsHalve(s *scene) {
	at := s.between(12, 45)
	link := func(capacity float64) Hub {
		return Hub{Capacity: math.Inf(1), Weights: map[string]float64{"A": 1.4}, Parts: []Part{{[]string{"A", "B"}, capacity}}}
	}
	h := link(2.6e9)
	h.Turns = []Turn{{at, link(1.3e9)}}
	s.phase("RRW", h, works("A", 60, 2.6).reads(), works("B", 60, 2.6).reads(), works("C", 60, 1.4))
	s.changes(Change{Phase: "RRW", Kinds: []string{"shared_fall"}, Disks: []string{"A", "B"}, AtS: at,
		To: map[string]float64{"A": 1.3e9 * 1.4 / 2.4, "B": 1.3e9 / 2.4}})
	s.wrong(cached, maybe, loses("C"), wins("C"))
}

// sharesSwing has the hub give A and B other parts every few seconds.
func sharesSwing(s *scene) {
	state := func(a, b float64) Hub { return Hub{Capacity: 2.6e9, Weights: map[string]float64{"A": a, "B": b}} }
	h, each := state(1.8, 0.8), s.between(7, 10)
	for k := 1; float64(k)*each < 75; k++ {
		next := state(1.8, 0.8)
		if k%2 == 1 {
			next = state(1, 1.6)
		}
		h.Turns = append(h.Turns, Turn{float64(k) * each, next})
	}
	s.phase("WW", h, works("A", 75, 2.1), works("B", 75, 2.1))
	s.changes(Change{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A", "B"}, EndS: 75, Not: []string{"cache_full", "heat"}})
	s.wrong(even, maybe, cached)
}

// ownRise has A speed up for a reason that nothing shows.
func ownRise(s *scene) {
	at := s.between(20, 45)
	s.phase("WW", roomy(), works("A", 60, 1.5).within(0, at, 0.55), works("B", 60, 1))
	s.changes(Change{Phase: "WW", Kinds: []string{"unknown"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": 1.5e9}})
	s.wrong(fair, ownPort, maybe, loses("A"), loses("B"))
}

// alikeApart fills the caches of two disks of one model, one some seconds after the other.
func alikeApart(s *scene) {
	at := s.between(15, 35)
	then := at + s.between(3, 6)
	s.phase("WWW", roomy(), works("A", 60, 1.5).within(at, 60, 0.4), works("B", 60, 1.5).within(then, 60, 0.4), works("C", 60, 1))
	s.changes(Change{Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: at, To: map[string]float64{"A": 0.6e9}})
	s.changes(Change{Phase: "WWW", Kinds: []string{"own_fall"}, Disks: []string{"B"}, AtS: then, To: map[string]float64{"B": 0.6e9}})
	s.wrong(maybe, fair, ownPort, loses("A"), loses("B"), loses("C"))
}
