package analysis_test

import (
	"math"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// shareKinds are ways to share a hub.
func shareKinds() []kind {
	return []kind{
		{"share: six disks on two hubs", true, (*scene).twoHubs},
		{"share: one disk limited by itself", false, (*scene).besideLimited},
		{"share: shift after 8 s", true, (*scene).shift},
		{"share: one port has priority", false, (*scene).priority},
		{"share: fair reads, unfair writes", true, (*scene).fairReads},
		{"share: 2 to 1", false, (*scene).twoToOne},
		{"share: evenly", true, (*scene).evenly},
		{"share: full matrix", false, (*scene).matrix},
		{"share: enough for all", true, (*scene).enough},
	}
}

// must notes who has to be told to crowd out others, and who to be slowed.
func (s *scene) must(crowds, slowed []string) {
	for _, disk := range crowds {
		s.Must = append(s.Must, claim{Code: codeCrowds, Disk: disk})
	}
	for _, disk := range slowed {
		s.Must = append(s.Must, claim{Code: codeLoses, Disk: disk})
	}
}

// quotes notes that what the disks had in a phase is to be recommended.
func (s *scene) quotes(p *trace.Phase, untilS float64) {
	for _, d := range p.Disks {
		s.Quotes = append(s.Quotes, truthQuote{p.Name, d.Name, rateBetween(d, 0, untilS)})
	}
}

// twoHubs has A, B and C on a hub with room, and D, E and F on one that is full. A ends early.
func (s *scene) twoHubs() {
	h := tracetest.Hub{Capacity: math.Inf(1), Weights: map[string]float64{"F": 2}, LagS: 1,
		Parts: []tracetest.Part{
			{Disks: []string{"A", "B", "C"}, Capacity: 3.3e9},
			{Disks: []string{"D", "E", "F"}, Capacity: 1.5e9},
		}}
	disks := []actor{works("A", 30, 0.8), s.beside("B", 50), s.beside("C", 50), works("D", 50, 1.2),
		works("E", 50, 1.2), works("F", 50, 1.4)}
	s.alone(10, disks...)
	s.phase("all", h, disks...)
	s.must([]string{"F"}, []string{"D", "E"})
}

func (s *scene) besideLimited() {
	disks := []actor{works("A", 45, 2), works("B", 45, s.between(0.3, 0.45)), works("C", 45, 1.9)}
	s.alone(12, disks...)
	s.quotes(s.phase("WWW", tracetest.Hub{Capacity: 3e9, Weights: map[string]float64{"C": 2}},
		disks...), 45)
	s.False = append(s.False, claim{Code: codeCrowds, Disk: "B"}, claim{Code: codeTakes, Disk: "B"})
	s.must([]string{"C"}, []string{"A"})
}

// shift gives A all that it can take from some seconds on.
func (s *scene) shift() {
	at := s.between(7, 9)
	disks := []actor{works("A", 45, 2.1), works("B", 45, 2.1), works("C", 45, 2.1)}
	s.alone(10, disks...)
	h := tracetest.Hub{Capacity: 3.1e9, Turns: []tracetest.Turn{
		{AtS: at, Hub: tracetest.Hub{Capacity: 3.1e9, Weights: map[string]float64{"A": 8}}}}}
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"redistribution"},
		Disks: []string{"A", "B", "C"}, AtS: at, OffS: s.offS(),
		To: map[string]float64{"A": 2.1e9, "B": 0.5e9, "C": 0.5e9}})
	s.phase("WWW", h, disks...)
	s.False = append(s.False, claim{Code: codeLoses, Disk: "A"})
	s.must([]string{"A"}, []string{"B", "C"})
}

// priority is a hub on which C gets all that it can take, and the others need long to come back.
func (s *scene) priority() {
	lag, endS := s.between(4, 11), s.between(25, 32)
	a, b, c := works("A", 60, 1.5), works("B", 60, 1.5), works("C", endS, s.between(2.2, 2.6))
	s.alone(12, a, b, c)
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"recovery"}, Disks: []string{"A", "B"},
		AtS: endS + lag, By: "C", OffS: s.offS(), To: map[string]float64{"A": 1.5e9, "B": 1.5e9},
		Not: []string{"cache_full", "heat", "link"}})
	s.phase("WWW", tracetest.Hub{Capacity: 3.4e9, Weights: map[string]float64{"C": 50}, LagS: lag},
		a,
		b, c)
	s.must([]string{"C"}, []string{"A", "B"})
}

func (s *scene) fairReads() {
	read := func(d actor, rate float64) actor { return works(d.Name, 30, rate).reads() }
	w := []actor{works("A", 30, 1.5), works("B", 30, 1.5), works("C", 30, 2.6)}
	r := []actor{read(w[0], 2.6), read(w[1], 2.6), read(w[2], 2.7)}
	for i := range w {
		for _, d := range []actor{w[i], r[i]} {
			name := d.Name + " writes"
			if d.Op == trace.Read {
				name = d.Name + " reads"
			}
			s.phase(name, roomy(), d)
		}
	}
	s.phase("WWW", tracetest.Hub{Capacity: 3.4e9,
		Weights: map[string]float64{"C": s.between(2.5, 4)}},
		w...)
	s.phase("RRR", tracetest.Hub{Capacity: s.between(3.2e9, 3.5e9)}, r...)
	s.must([]string{"C"}, []string{"A", "B"})
	s.Must = append(s.Must, claim{Code: codeEven})
}

func (s *scene) twoToOne() {
	a, b := works("A", 40, 2.3), works("B", 40, 2.3)
	s.alone(12, a, b)
	h := tracetest.Hub{Capacity: s.between(2.8e9, 3.2e9), Weights: map[string]float64{"A": 2}}
	s.quotes(s.phase("WW", h, a, b), 40)
	s.must([]string{"A"}, []string{"B"})
}

func (s *scene) evenly() {
	rate := s.between(1.8, 2.4)
	disks := []actor{works("A", 40, rate), works("B", 40, rate), works("C", 40, rate)}
	s.alone(12, disks...)
	s.quotes(s.phase("WWW", tracetest.Hub{Capacity: s.between(2.6e9, 3.3e9)}, disks...), 40)
	s.must(nil, []string{"A", "B", "C"})
	s.Must = append(s.Must, claim{Code: codeEven})
}

// matrix plays solos, pairs and the trio.
func (s *scene) matrix() {
	h := tracetest.Hub{Capacity: s.between(2.8e9, 3.3e9),
		Weights: map[string]float64{"C": s.between(2, 3.5)}}
	disks := []actor{works("A", 20, 1.6), works("B", 20, 1.5), works("C", 20, s.between(2.3, 2.7))}
	s.alone(14, disks...)
	s.phase("AB", h, disks[0], disks[1])
	s.phase("AC", h, disks[0], disks[2])
	s.phase("BC", h, disks[1], disks[2])
	s.phase("ABC", h, disks...)
	s.must([]string{"C"}, []string{"A", "B"})
	s.Must = append(s.Must, claim{Code: codeMove, Disk: "C"})
}

func (s *scene) enough() {
	disks := []actor{s.beside("A", 40), s.beside("B", 40), s.beside("C", 40).reads()}
	s.alone(12, disks...)
	s.quotes(s.phase("all", tracetest.Hub{Capacity: 4.8e9}, disks...), 40)
}
