package analysis_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/internal/test/tracetest"
)

// jointKinds are what several disks do to one another, or one does again and again: what can only
// be told by looking at all disks at once.
func jointKinds() []kind {
	return []kind{
		{"joint: a cache fills, one neighbour takes what it leaves", true, (*scene).givesWay},
		{"joint: a cache fills, the hub gives it to all", false, (*scene).givesAll},
		{"joint: a disk warms up and takes its part", false, (*scene).warmsUpBeside},
		{"joint: another joins in", true, (*scene).joins},
		{"joint: a hang, others use its share", true, (*scene).hangShared},
		{"joint: five hangs, others use them", false, (*scene).hangsShared},
		{"joint: a heat saw-tooth", true, func(s *scene) { s.sawTooth(0.3) }},
		{"joint: three levels in turn", false, func(s *scene) { s.sawTooth(0.4, 0.2) }},
		{"joint: six of twelve halve", true, (*scene).sixHalve},
		{"joint: a link flaps", false, (*scene).linkFlaps},
		{"joint: all lose a fifth for a while", true, (*scene).shallow},
		{"joint: plateau, slope, plateau", true, (*scene).plateauSlope},
		{"joint: a slow slide, the other takes it", false, (*scene).mirrorSlide},
		{"joint: a neighbour works in bouts", true, (*scene).bouts},
		{"joint: a ladder of sizes", true, (*scene).ladder},
		{"joint: two hubs, two ends", false, (*scene).twoHubsTwoEnds},
		{"joint: one of four slows down, all are slowed", false, (*scene).allLoseOneFalls},
	}
}

// stepped is a factor that changes at some times.
func stepped(first float64, at ...[2]float64) func(float64) float64 {
	return func(s float64) float64 {
		now := first
		for _, step := range at {
			if s >= step[0]-1e-9 {
				now = step[1]
			}
		}
		return now
	}
}

// taken is a change of some disks that another one's change made.
func (s *scene) taken(phase string, atS float64, by string, disks ...string) {
	s.changes(truthChange{Phase: phase, Kinds: []string{"redistribution"}, Disks: disks, AtS: atS,
		OffS: s.offS(), By: by, Not: []string{"cache_full", "heat", "link", "host"}})
}

// fell is a fall of a disk's own, which others may have used.
func (s *scene) fell(phase string, atS float64, disk string) {
	s.changes(truthChange{Phase: phase, Kinds: []string{"own_fall", "redistribution"},
		Disks: []string{disk}, AtS: atS, OffS: s.offS(),
		Not: []string{"link", "host", "hub", "neighbour"}})
}

func (s *scene) givesWay() {
	at, lag := s.between(15, 45), s.between(0.1, 0.4)
	a, b, c := works("A", 70, 1.6), works("B", 72, 0.5), works("C", 71, s.between(0.2, 0.4))
	s.fell("WWW", at, "A")
	s.taken("WWW", at+lag, "A", "B")
	s.phase("WWW", roomy(), a.curve(stepped(1, [2]float64{at, 0.375})),
		b.curve(stepped(1, [2]float64{at + lag, s.between(2.2, 2.8)})), c)
}

func (s *scene) givesAll() {
	at := s.between(15, 40)
	s.fell("WWW", at, "A")
	s.taken("WWW", at, "A", "B", "C")
	disks := []actor{works("A", 65, 2.2), works("B", 65, 2), works("C", 65, 2.1)}
	disks[0] = disks[0].curve(stepped(1, [2]float64{at, s.between(0.12, 0.2)}))
	s.phase("WWW", tracetest.Hub{Capacity: 3e9}, disks...)
}

func (s *scene) warmsUpBeside() {
	length := s.between(5, 8)
	a, b := works("A", 50, 1.8), works("B", 50, 2)
	warms := func(d actor) actor { return d.curve(stepped(0.3, [2]float64{length, 1})) }
	for _, name := range []string{"A alone", "WW"} {
		s.changes(truthChange{Phase: name, Kinds: []string{"warm_up", "own_rise"},
			Disks: []string{"A"}, AtS: 0, EndS: length, OffS: 1 + s.offS(),
			Not: []string{"cache_full", "heat", "link", "host"}})
	}
	s.taken("WW", length, "A", "B")
	s.phase("A alone", roomy(), warms(works("A", 25, 1.8)))
	s.phase("B alone", roomy(), works("B", 12, 2))
	s.phase("WW", tracetest.Hub{Capacity: 2.4e9}, warms(a), b)
}

// joins has C begin, which takes what it needs from B alone: they share a hub below the hub.
func (s *scene) joins() {
	at, takes := s.between(12, 20), s.between(0.35, 0.6)
	endS := at + s.between(16, 24)
	a, b := works("A", 70, 1), works("B", 70, 1.4)
	c := works("C", endS, 1.4*takes).from(at)
	not := []string{"cache_full", "heat", "link", "host"}
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"start"}, Disks: []string{"B"}, AtS: at,
		By: "C", OffS: s.offS(), Not: not})
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"recovery"}, Disks: []string{"B"},
		AtS: endS + 1, By: "C", OffS: s.offS(), Not: not})
	s.phase("WWW", tracetest.Hub{Capacity: math.Inf(1), LagS: 1, Parts: []tracetest.Part{
		{Disks: []string{"B", "C"}, Capacity: 1.4e9}},
		Weights: map[string]float64{"C": 20}}, a, b, c)
}

// stalls has A stand still, and notes that B and C use its share.
func (s *scene) stalls(a actor, fromS, toS float64) actor {
	s.changes(truthChange{Phase: "WWW", Kinds: []string{"stall"}, Disks: []string{"A"}, AtS: fromS,
		EndS: toS})
	s.taken("WWW", fromS, "A", "B", "C")
	s.taken("WWW", toS, "A", "B", "C")
	return a.within(fromS, toS, 0)
}

func (s *scene) hangShared() {
	at, length := s.between(15, 40), s.between(2.5, 6)
	a, b, c := works("A", 60, 1.6), works("B", 60, 1.6), works("C", 60, 1.6)
	s.phase("WWW", tracetest.Hub{Capacity: 2.7e9}, s.stalls(a, at, at+length), b, c)
}

func (s *scene) hangsShared() {
	a, b, c := works("A", 75, 1.2), works("B", 75, 1.2), works("C", 75, 1.2)
	at := s.between(8, 12)
	for range 5 {
		length := s.between(2, 2.6)
		a = s.stalls(a, at, at+length)
		at += length + s.between(8, 12)
	}
	s.phase("WWW", tracetest.Hub{Capacity: 2.4e9}, a, b, c)
}

// sawTooth has A fall, through some levels, and come back, again and again.
func (s *scene) sawTooth(factors ...float64) {
	var atS, levels []float64
	at := s.between(9, 13)
	for range 4 {
		for _, f := range factors {
			atS, levels = append(atS, at), append(levels, f)
			at += s.between(6, 10)
		}
		atS, levels = append(atS, at), append(levels, 1)
		at += s.between(9, 13)
	}
	a, b := works("A", at, 2.4), s.beside("B", at)
	a = s.steps("WW", a, atS, levels)
	whole := truthChange{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A"}, EndS: at,
		OffS: s.offS(), Parts: s.Changes}
	s.Changes = nil
	s.changes(whole)
	s.wrong(claimCache, claimPort, loses("A"), loses("B"))
	s.phase("WW", roomy(), a, b)
}

// twelve are disks on two hubs, six on each.
func twelve(endS, rate float64) (disks []actor, first, second []string) {
	for i := range 12 {
		name := string(rune('A' + i))
		disks = append(disks, works(name, endS, rate))
		if i < 6 {
			first = append(first, name)
		} else {
			second = append(second, name)
		}
	}
	return disks, first, second
}

func (s *scene) sixHalve() {
	at := s.between(15, 40)
	disks, first, second := twelve(60, 0.9)
	hub := func(capacity float64) tracetest.Hub {
		return tracetest.Hub{Capacity: math.Inf(1), Parts: []tracetest.Part{
			{Disks: first, Capacity: 3e9}, {Disks: second, Capacity: capacity}}}
	}
	h := hub(2.4e9)
	h.Turns = []tracetest.Turn{{AtS: at, Hub: hub(1.2e9)}}
	s.changes(truthChange{Phase: "all", Kinds: []string{"shared_fall"}, Disks: second, AtS: at,
		One: true, OffS: s.offS()})
	s.phase("all", h, disks...)
}

func (s *scene) linkFlaps() {
	h := tracetest.Hub{Capacity: 3e9}
	all := []string{"A", "B", "C"}
	whole := truthChange{Phase: "WWW", Kinds: []string{"swing"}, Disks: all, One: true,
		OffS: s.offS()}
	at := 0.0
	for k := range 8 {
		at += s.between(5, 9)
		capacity := []float64{1.5e9, 3e9}[k%2]
		h.Turns = append(h.Turns, tracetest.Turn{AtS: at, Hub: tracetest.Hub{Capacity: capacity}})
		whole.Parts = append(whole.Parts, truthChange{Phase: "WWW", Disks: all, AtS: at, One: true,
			Kinds: []string{[]string{"shared_fall", "shared_rise"}[k%2]}, OffS: s.offS(),
			Not: []string{"cache_full", "heat", "neighbour"}})
	}
	whole.EndS = at + 7
	s.changes(whole)
	s.wrong(claimCache)
	s.phase("WWW", h, works("A", at+7, 2), works("B", at+7, 2), works("C", at+7, 2))
}

func (s *scene) shallow() {
	at, length := s.between(15, 30), s.between(9, 14)
	var disks []actor
	for _, name := range []string{"A", "B", "C"} {
		disks = append(disks, works(name, 60, 1.2).within(at, at+length, 0.78))
	}
	for i, kind := range []string{"shared_fall", "shared_rise"} {
		s.changes(truthChange{Phase: "WWW", Kinds: []string{kind}, Disks: []string{"A", "B", "C"},
			AtS: at + float64(i)*length, OffS: s.offS(), One: true,
			Not: []string{"cache_full", "heat", "neighbour"}})
	}
	s.phase("WWW", roomy(), disks...)
}

func (s *scene) plateauSlope() {
	from, length := s.between(12, 18), s.between(22, 30)
	to := s.between(0.3, 0.45)
	s.drifting(from, 70, func(at float64) float64 {
		return 1 + (to-1)*min(1, max(0, at-from)/length)
	})
	drift := &s.Changes[0]
	drift.EndS = from + length
	drift.OffS = 8
}

func (s *scene) mirrorSlide() {
	a, b := works("A", 80, 1.8), works("B", 81, 0.6)
	falls := func(at float64) float64 { return 1 - 0.5*min(1, max(0, at-10)/60) }
	rises := func(at float64) float64 { return 1 + 1.5*min(1, max(0, at-10)/60) }
	for disk, f := range map[string]func(float64) float64{"A": falls, "B": rises} {
		rate := map[string]float64{"A": 1.8e9, "B": 0.6e9}[disk]
		s.changes(truthChange{Phase: "WW", Kinds: []string{"drift"}, Disks: []string{disk},
			AtS: 10, EndS: 70, OffS: 8, Curve: func(at float64) float64 { return rate * f(at) }})
	}
	s.phase("WW", roomy(), a.curve(falls), b.curve(rises))
}

// bouts has B pause again and again, and A takes what it leaves.
func (s *scene) bouts() {
	a, b := works("A", 110, 2), works("B", 110, 1.6)
	whole := truthChange{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A"}, EndS: 110,
		OffS: s.offS(), By: "B", Not: []string{"cache_full", "heat", "link", "host"}}
	part := func(kind string, at float64) {
		whole.Parts = append(whole.Parts, truthChange{Phase: "WW", Kinds: []string{kind},
			Disks: []string{"A"}, AtS: at, By: "B", OffS: s.offS(), Not: whole.Not})
	}
	for at := s.between(8, 12); at < 90; {
		length := s.between(7, 10)
		b.Pauses = append(b.Pauses, [2]float64{at, at + length})
		part("recovery", at)
		part("start", at+length)
		at += length + s.between(8, 12)
	}
	s.changes(whole)
	s.wrong(claimCache)
	s.phase("WW", tracetest.Hub{Capacity: 2.4e9}, a, b)
}

// ladder has files of ascending sizes, each of which costs some time besides: nothing changes.
func (s *scene) ladder() {
	a, b := works("A", 60, 1.4), s.beside("B", 60)
	a.Noise.PerFileS = s.between(0.01, 0.02)
	a.Sizes = func(_ *rand.Rand, seq int) float64 {
		return 2e6 * math.Pow(1000, min(1, float64(seq)/110))
	}
	s.phase("WW", roomy(), a, b)
	s.wrong(claimCache, claimEven)
}

func (s *scene) twoHubsTwoEnds() {
	lag := s.between(0.5, 1)
	first, second := s.between(18, 24), s.between(36, 44)
	rises := func(disk, by string, at float64) {
		s.changes(truthChange{Phase: "all", Kinds: []string{"recovery"}, Disks: []string{disk},
			AtS: at, By: by, OffS: s.offS(), Not: []string{"cache_full", "heat", "link"}})
	}
	rises("B", "A", first+lag)
	rises("D", "C", second+lag)
	h := tracetest.Hub{Capacity: math.Inf(1), LagS: lag, Parts: []tracetest.Part{
		{Disks: []string{"A", "B"}, Capacity: 1.9e9}, {Disks: []string{"C", "D"}, Capacity: 1.4e9}}}
	s.phase("all", h, works("A", first, 0.8).files(50e6, 400e6), works("B", 62, 1.65),
		works("C", second, 0.7).files(50e6, 400e6), works("D", 63, 1.2), works("E", 64, 0.5))
}

// allLoseOneFalls has four disks share a hub; D's cache fills, and the others take what it leaves:
// all four are slowed.
func (s *scene) allLoseOneFalls() {
	at := s.between(24, 30)
	names := []string{"A", "B", "C", "D"}
	var disks []actor
	for i, name := range names {
		disks = append(disks, works(name, 60, 1.9+0.1*float64(i)))
	}
	s.alone(12, disks...)
	s.fell("WWWW", at, "D")
	s.taken("WWWW", at, "D", "A", "B", "C")
	disks[3] = disks[3].curve(stepped(1, [2]float64{at, 0.2}))
	s.phase("WWWW", tracetest.Hub{Capacity: 3.2e9}, disks...)
	s.must(nil, slices.Clone(names[:3]))
}
