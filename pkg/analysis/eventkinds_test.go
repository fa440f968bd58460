package analysis_test

import (
	"math"

	"github.com/hubbench/hubbench/internal/test/tracetest"
)

// eventKinds are what several disks do at once.
func eventKinds() []kind {
	return []kind{
		{"in step: swings", true, (*scene).swingsInStep},
		{"in step: drifts", false, (*scene).driftsInStep},
		{"in step: all stall four times", true, (*scene).stallsInStep},
		{"a stall of 0.6 to 1.0 s", false, (*scene).shortStall},
		{"in step: the hub gets slower and slower", true, (*scene).squeeze},
		{"in step: the hub is slower for 4 s", false, func(s *scene) { s.slowHub(4) }},
		{"take turns", true, func(s *scene) { s.takeTurns(s.between(4, 9)) }},
		{"take turns, three disks", false, (*scene).threeTakeTurns},
		{"two fall by themselves at once", false, (*scene).fallAtOnce},
	}
}

func (s *scene) swingsInStep() {
	high, low := s.between(4, 8), s.between(3, 6)
	a, b, c := works("A", 80, 1.6), works("B", 80, 1.1), s.beside("C", 80)
	s.alone(min(high, 10), a, b, c)
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"swing"}, Disks: []string{"A", "B"},
		EndS: 80,
		One:  true, PeriodS: high + low})
	s.phase("WWW", roomy(), a.swings(high, low, 0.5), b.swings(high, low, 0.45), c)
}

func (s *scene) driftsInStep() {
	to := s.between(0.4, 0.6)
	a, b, c := works("A", 60, 1.6), works("B", 60, 1.1), s.beside("C", 60)
	s.alone(10, a, b, c)
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"drift"}, Disks: []string{"A", "B"},
		EndS: 60,
		One:  true})
	s.phase("WWW", roomy(), a.drifts(60, to), b.drifts(60, to), c)
}

func (s *scene) stallsInStep() {
	disks := []actor{works("A", 70, 1.5), works("B", 70, 1), works("C", 70, 2)}
	s.alone(10, disks...)
	at := s.between(6, 12)
	for range 4 {
		length := s.between(1.2, 3)
		for i := range disks {
			from := at + s.between(-0.1, 0.1) // Disks have their last bytes in flight.
			disks[i] = disks[i].within(from, from+length, 0)
		}
		s.changes(truthChange{Phase: "WWW", Kinds: []string{"stall"},
			Disks: []string{"A", "B", "C"},
			AtS:   at, EndS: at + length, One: true})
		at += length + s.between(8, 13)
	}
	s.phase("WWW", roomy(), disks...)
}

func (s *scene) shortStall() {
	at, length := s.between(10, 45), draw(s.rnd, 1, s.between(0.6, 1))
	a, b := works("A", 60, 1.5).files(50e6, 500e6), s.beside("B", 60)
	s.alone(12, a, b)
	s.changes(truthChange{Phase: "WW", Kinds: []string{"stall"}, Disks: []string{"A"}, AtS: at,
		EndS: at + length})
	s.phase("WW", roomy(), a.within(at, at+length, 0), b)
}

// squeeze has the hub lose capacity little by little.
func (s *scene) squeeze() {
	from, to := 3.2e9, s.between(1.4e9, 1.9e9)
	h := tracetest.Hub{Capacity: from}
	for at := 0.25; at < 60; at += 0.25 {
		h.Turns = append(h.Turns, tracetest.Turn{AtS: at,
			Hub: tracetest.Hub{Capacity: from + (to-from)*at/60}})
	}
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"drift"}, Disks: []string{"A", "B", "C"},
		EndS: 60, One: true, Not: []string{"cache_full", "heat", "neighbour"}})
	disks := []actor{works("A", 60, 2.6), works("B", 60, 2.4), works("C", 60, 2.2)}
	s.alone(10, disks...)
	s.phase("WWW", h, disks...)
}

func (s *scene) slowHub(length float64) {
	at, to := s.between(15, 40), s.between(1.2e9, 1.8e9)
	h := tracetest.Hub{Capacity: 3e9, Turns: []tracetest.Turn{
		{AtS: at, Hub: tracetest.Hub{Capacity: to}},
		{AtS: at + length, Hub: tracetest.Hub{Capacity: 3e9}},
	}}
	for i, total := range []float64{to, 3e9} {
		each := map[string]float64{"A": total / 3, "B": total / 3, "C": total / 3}
		s.changes(truthChange{Phase: "WWW", Kinds: []string{"shared_fall", "shared_rise"},
			Disks: []string{"A", "B", "C"}, AtS: at + length*float64(i), OffS: s.offS(), To: each,
			One: true})
	}
	disks := []actor{works("A", 60, 2.6), works("B", 60, 2.4), works("C", 60, 2.2)}
	s.alone(10, disks...)
	s.phase("WWW", h, disks...)
}

// alternate is a hub that gives disks other weights in turn.
func alternate(capacity, each, endS float64, weights ...map[string]float64) tracetest.Hub {
	h := tracetest.Hub{Capacity: capacity, Weights: weights[0]}
	for k := 1; float64(k)*each < endS; k++ {
		next := tracetest.Hub{Capacity: capacity, Weights: weights[k%len(weights)]}
		h.Turns = append(h.Turns, tracetest.Turn{AtS: float64(k) * each, Hub: next})
	}
	return h
}

func (s *scene) takeTurns(each float64) {
	a, b := works("A", 75, 2.1).files(50e6, 500e6), works("B", 75, 2.1).files(50e6, 500e6)
	s.alone(10, a, b)
	h := alternate(2.6e9, each, 75, map[string]float64{"A": 1.8, "B": 0.8},
		map[string]float64{"A": 0.8, "B": 1.8})
	s.changes(truthChange{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A", "B"},
		EndS: 75, One: true, PeriodS: 2 * each, Not: []string{"cache_full", "heat"},
		Parts: s.swaps("WW", each, 75, "A", "B")})
	s.phase("WW", h, a, b)
}

// swaps are the moments at which shares change hands.
func (s *scene) swaps(phase string, each, endS float64, disks ...string) []truthChange {
	var all []truthChange
	for at := each; at < endS-1; at += each {
		// The one gives way to the next; others stay as they are.
		k := int(at/each+0.5) % len(disks)
		two := []string{disks[(k+len(disks)-1)%len(disks)], disks[k]}
		all = append(all, truthChange{Phase: phase, Kinds: []string{"redistribution"}, Disks: two,
			AtS: at, OffS: s.offS()})
	}
	return all
}

func (s *scene) threeTakeTurns() {
	each := s.between(6, 9)
	disks := []actor{works("A", 80, 2.2), works("B", 80, 2.2), works("C", 80, 2.2)}
	for i := range disks {
		disks[i] = disks[i].files(50e6, 500e6)
	}
	s.alone(10, disks...)
	h := alternate(3e9, each, 80, map[string]float64{"A": 3}, map[string]float64{"B": 3},
		map[string]float64{"C": 3})
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"swing"},
		Disks: []string{"A", "B", "C"},
		EndS:  80, Not: []string{"cache_full", "heat"},
		Parts: s.swaps("WWW", each, 80, "A", "B", "C")})
	s.phase("WWW", h, disks...)
}

// fallAtOnce plays two disks that fall by themselves at one moment, by unlike factors, beside one
// that does not.
func (s *scene) fallAtOnce() {
	at := s.between(18, 42)
	a, b, c := works("A", 60, 1.6), works("B", 60, 1.2), s.beside("C", 60)
	s.alone(12, a, b, c)
	a = s.steps("WWW", a, []float64{at}, []float64{s.between(0.3, 0.4)})
	b = s.steps("WWW", b, []float64{at + s.between(-0.1, 0.1)}, []float64{s.between(0.6, 0.7)})
	s.phase("WWW", tracetest.Hub{Capacity: math.Inf(1)}, a, b, c)
}
