package analysis_test

import (
	"math"

	"github.com/hubbench/hubbench/internal/test/tracetest"
)

// seriesKinds are what one disk does over time.
func seriesKinds() []kind {
	return []kind{
		{"levels: heat down and up", true, (*scene).heatLevels},
		{"levels: heat down and up, files of .3", false,
			func(s *scene) { s.scattered(0.3); s.heatLevels() }},
		{"levels: heat in three steps", false, (*scene).heatSteps},
		{"levels: a fall of 15 to 25 %", true, func(s *scene) {
			s.oneFall(s.between(0.75, 0.85), 0.2)
		}},
		{"levels: a fall in the last 5 s", false, func(s *scene) {
			s.oneFall(s.between(0.4, 0.6), 0.92)
		}},
		{"levels: of two disks, at unlike times", true, (*scene).twoDisks},
		{"levels: a stall, then slower", false, (*scene).stallThenSlower},
		{"levels: a cache that refills in pauses", true, (*scene).refills},
		{"levels: a cache that refills often", false, (*scene).refillsOften},
		{"dips: three", true, func(s *scene) { s.dips(3, 14, 20, 3, 4, 0.4) }},
		{"dips: eight", false, func(s *scene) { s.dips(8, 6, 11, 1.2, 2, s.between(0.3, 0.5)) }},
		{"dips: at random times", true, func(s *scene) {
			s.dips(3+s.rnd.IntN(6), 4, 20, 1.5, 2.5, 0.4)
		}},
		{"swing: 8 s", true, func(s *scene) { s.swing(3.7, 4.3, 64, 50e6, 300e6) }},
		{"swing: 8 s, files span cycles", false, func(s *scene) {
			s.swing(3.7, 4.3, 64, 2e6, 2e9)
		}},
		{"swing: 4 s", false, func(s *scene) { s.swing(1.8, 2.2, 60, 2e6, 200e6) }},
		{"swing: 40 s", true, func(s *scene) { s.swing(17, 23, 165, 2e6, 2e9) }},
		{"drift: line", true, func(s *scene) {
			to := draw(s.rnd, s.between(0.45, 0.7), s.between(1.4, 1.8))
			s.drifting(0, 60, func(at float64) float64 { return 1 + (to-1)*at/60 })
		}},
		{"drift: exponential", false, func(s *scene) {
			s.drifting(0, 60, exponential(s.between(0.2, 0.4), s.between(12, 20)))
		}},
		{"drift: plateau, then slope", false, func(s *scene) {
			from := s.between(20, 28)
			s.drifting(from, 60, func(at float64) float64 {
				return 1 - 0.7*max(0, at-from)/(60-from)
			})
		}},
		{"unsteady: 25 % with a memory of 5 s", true, (*scene).unsteady},
	}
}

// scattered spreads the times of whole files.
func (s *scene) scattered(sigma float64) {
	s.noise.Sigma = sigma
	s.spread = sigma / 2
	s.sizes = tracetest.Between(50e6, 500e6)
}

func (s *scene) heatLevels() {
	atS, endS := s.turns(5, 12, 17)
	low, mid := s.between(0.2, 0.3), s.between(0.45, 0.55)
	a, b := works("A", endS, 2), s.beside("B", endS)
	s.alone(10, a, b)
	s.phase("WW", roomy(), s.steps("WW", a, atS, []float64{mid, low, mid, 1}), b)
}

func (s *scene) heatSteps() {
	atS, endS := s.turns(4, 12, 18)
	a, b := works("A", endS, 2), s.beside("B", endS)
	s.alone(10, a, b)
	s.phase("WW", roomy(), s.steps("WW", a, atS, []float64{s.between(0.65, 0.75),
		s.between(0.4, 0.5),
		0.25}), b)
	s.Quotes = append(s.Quotes, truthQuote{"WW", "A", 0.5e9})
}

func (s *scene) oneFall(to, earliest float64) {
	at := 60 * s.between(earliest, max(earliest, 0.75))
	a, b := works("A", 60, s.between(1, 2.2)), s.beside("B", 60)
	s.alone(12, a, b)
	s.phase("WW", roomy(), s.steps("WW", a, []float64{at}, []float64{to}), b)
}

func (s *scene) twoDisks() {
	a, b, c := works("A", 70, 1.8), works("B", 70, 1.3), s.beside("C", 70)
	s.alone(10, a, b, c)
	a = s.steps("WWW", a, []float64{s.between(12, 18), s.between(42, 50)},
		[]float64{s.between(0.4, 0.6), 1})
	b = s.steps("WWW", b, []float64{s.between(24, 36)}, []float64{s.between(0.4, 0.6)})
	s.phase("WWW", roomy(), a, b, c)
}

// stallThenSlower has A go on at a lower rate when a stall is over.
func (s *scene) stallThenSlower() {
	at, length, to := s.between(15, 30), s.between(2, 5), s.between(0.35, 0.5)
	a, b := works("A", 65, 1.6), s.beside("B", 65)
	s.alone(12, a, b)
	s.changes(truthChange{Phase: "WW", Kinds: []string{"stall"}, Disks: []string{"A"}, AtS: at,
		EndS: at + length})
	a = s.steps("WW", a.within(at, at+length, 0), []float64{at + length}, []float64{to})
	s.Changes[1].OffS += length // The fall may be dated to when the stall began.
	s.phase("WW", roomy(), a, b)
}

// refills plays a cache that is full and, when the disk has had time, takes some gigabytes again.
func (s *scene) refills() {
	var atS, factors []float64
	at, low := s.between(8, 11), s.between(0.2, 0.3)
	for len(atS) < 5 {
		atS, factors = append(atS, at), append(factors, low)
		if len(atS) == 5 {
			break
		}
		at += s.between(12, 16)
		atS, factors = append(atS, at), append(factors, 1)
		at += s.between(4, 6)
	}
	endS := at + s.between(12, 16)
	a, b := works("A", endS, 2), s.beside("B", endS)
	s.alone(7, a, b)
	swing := truthChange{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A"},
		EndS: endS, OffS: s.offS(), PeriodS: (atS[4] - atS[0]) / 2}
	a = s.steps("WW", a, atS, factors)
	swing.Parts, s.Changes = s.Changes, nil
	s.changes(swing)
	s.phase("WW", roomy(), a, b)
}

// refillsOften is as refills, with cycles of some ten seconds each of which differs a little.
func (s *scene) refillsOften() {
	endS := 100.0
	fast, slow, low := s.between(2.5, 4), s.between(5, 8), s.between(0.2, 0.3)
	a, b := works("A", endS, 2), s.beside("B", endS)
	s.alone(2.5, a, b)
	var atS, factors []float64
	for at := fast; at < endS-4; {
		atS, factors = append(atS, at), append(factors, low)
		if at += slow * s.between(0.9, 1.1); at > endS-2 {
			break
		}
		atS, factors = append(atS, at), append(factors, 1)
		at += fast * s.between(0.9, 1.1)
	}
	a = s.steps("WW", a, atS, factors)
	whole := truthChange{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A"},
		EndS: endS,
		OffS: s.offS(), PeriodS: fast + slow, Parts: s.Changes}
	s.Changes = nil
	s.changes(whole)
	s.phase("WW", roomy(), a, b)
}

// dips has A fall for short times.
func (s *scene) dips(n int, everyLow, everyHigh, lengthLow, lengthHigh, factor float64) {
	var atS, factors []float64
	at := s.between(everyLow, everyHigh)
	for range n {
		length := s.between(lengthLow, lengthHigh)
		atS, factors = append(atS, at, at+length), append(factors, factor, 1)
		at += length + s.between(everyLow, everyHigh)
	}
	a, b := works("A", at, 1.8), s.beside("B", at)
	s.alone(min(10, everyLow), a, b)
	a = s.steps("WW", a, atS, factors)
	whole := truthChange{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A"},
		OffS: everyHigh, AtS: atS[0], EndS: atS[len(atS)-1], Parts: s.Changes,
		Not: []string{"link", "host", "hub", "neighbour"}}
	s.Changes = nil
	s.changes(whole)
	s.phase("WW", roomy(), a, b)
}

// swing has A take two levels in turn, each for the same time.
func (s *scene) swing(lowS, highS, endS, least, most float64) {
	each, factor := s.between(lowS, highS), s.between(0.42, 0.52)
	a, b := works("A", endS, 1.5).files(least, most), s.beside("B", endS)
	s.alone(min(10, lowS), a, b)
	var atS, factors []float64
	for at := each; at < endS-1; at += each {
		atS, factors = append(atS, at), append(factors, factor)
		if len(atS)%2 == 0 {
			factors[len(factors)-1] = 1
		}
	}
	a = s.steps("WW", a, atS, factors)
	whole := truthChange{Phase: "WW", Kinds: []string{"swing"}, Disks: []string{"A"}, EndS: endS,
		PeriodS: 2 * each, OffS: s.offS(), Parts: s.Changes}
	s.Changes = nil
	s.changes(whole)
	s.phase("WW", roomy(), a, b)
}

// drifting has A follow a curve that begins to slope at a time.
func (s *scene) drifting(fromS, endS float64, factor func(float64) float64) {
	rate := s.between(1.2, 1.8)
	a, b := works("A", endS, rate), s.beside("B", endS)
	s.alone(10, a, b)
	s.changes(truthChange{Phase: "WW", Kinds: []string{"drift"}, Disks: []string{"A"}, AtS: fromS,
		EndS: endS, OffS: 5,
		Curve: func(at float64) float64 { return rate * 1e9 * factor(math.Min(at, endS)) }})
	s.phase("WW", roomy(), a.curve(factor), b)
}

// unsteady plays a rate that wanders for seconds.
func (s *scene) unsteady() {
	a, b := works("A", 90, 1.5), s.beside("B", 90)
	s.alone(10, b)
	wanders := s.wandering(90)
	s.spread = 0.15
	s.changes(truthChange{Phase: "WW", Kinds: []string{"unsteady"}, Disks: []string{"A"}, EndS: 90,
		Optional: true})
	s.phase("WW", roomy(), a.curve(wanders), b)
}

// wandering is an autoregression of 25 % with a memory of 5 s.
func (s *scene) wandering(endS float64) func(float64) float64 {
	const stepS, memoryS, sigma = 0.1, 5, 0.25
	rho := math.Exp(-stepS / memoryS)
	value := s.rnd.NormFloat64()
	var values []float64
	for range int(endS/stepS) + 1 {
		values = append(values, math.Max(0.2, 1+sigma*value))
		value = rho*value + math.Sqrt(1-rho*rho)*s.rnd.NormFloat64()
	}
	return func(at float64) float64 { return values[int(at/stepS)] }
}
