package tracetest

import (
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/pkg/trace"
)

// shortSolos holds a certain loss, of a fifth or more, against solos of a few seconds.
func shortSolos(s *scene) { lossOf(s, 2, s.between(5, 8)) }

// lossOf has disks lose alike.
func lossOf(s *scene, n int, soloS float64) {
	h := Hub{Weights: map[string]float64{}}
	var disks []Disk
	kept := s.between(0.7, 0.8)
	for i := range n {
		d := works(string(rune('A'+i)), 40, s.between(1.3, 1.7))
		h.Weights[d.Name] = d.Levels[0].Rate
		h.Capacity += kept * d.Levels[0].Rate
		disks = append(disks, d)
	}
	s.alone(soloS, disks...)
	s.phase("all", h, disks...)
	s.wrong(maybe)
	s.Must = append(s.Must, lost)
}

// gaps plays disks that rest between files, for times of Pareto's distribution.
func gaps(s *scene, tail float64) {
	gap := func(rnd *rand.Rand) float64 { return 0.1 * math.Pow(1-rnd.Float64(), -1/tail) }
	a, b := works("A", 40, 1.5), works("B", 40, 1)
	a.Gap, b.Gap = gap, gap
	s.sizes = Between(50e6, 500e6)
	s.alone(25, a, b)
	s.phase("WW", roomy(), a, b)
	for _, p := range s.phases {
		for _, d := range p.Disks { // a long gap is a pause, or a stall, and may be reported
			for i := 1; i < len(d.Files); i++ {
				if from, to := d.Files[i-1].EndNS, d.Files[i].StartNS; to-from > 5e8 {
					s.changes(Change{Phase: p.Name, Kinds: []string{"stall", "start", "end"}, Disks: []string{d.Name}, AtS: float64(from) / 1e9, EndS: float64(to) / 1e9, Optional: true})
				}
			}
		}
	}
	s.wrong(loses("A"), loses("B"), ownPort, maybe, cached)
}

// clockNoise has the clock off by 2 ms at the beginnings and ends of small files.
func clockNoise(s *scene) {
	a := works("A", 20, s.between(0.4, 1))
	a.Sizes, a.BareFiles = Between(1e6, 8e6), true
	files := s.phase("W", roomy(), a).Disks[0].Files
	for i := range files {
		f := &files[i]
		f.EndNS += int64(2e6 * s.rnd.NormFloat64()) // before its start, at times: such a file can't be used
		if i+1 < len(files) {
			files[i+1].StartNS = max(f.StartNS, f.EndNS)
		}
	}
	s.wrong(`moves files above`, `two groups`, cached)
}

// small is a disk with files of 1 MB, each of which takes a few milliseconds more than its bytes.
func small(s *scene, name string) Disk {
	d := works(name, 20, 2.8)
	d.Sizes, d.Noise.PerFileS = Fixed(1e6), s.between(0.004, 0.006)
	return d
}

func otherSizes(s *scene) {
	for _, name := range []string{"A", "B"} {
		d := works(name, 15, 2.8)
		d.Sizes = Fixed(1e9)
		s.phase(name+" alone", roomy(), d)
	}
	s.phase("WW", roomy(), small(s, "A"), small(s, "B"))
	s.wrong(loses("A"), loses("B"), ownPort, maybe, `% of the 2\.\d+ GB/s`)
}

func notARepeat(s *scene) {
	d := func(name string) Disk { d := works(name, 20, 2.8); d.Sizes = Fixed(1e9); return d }
	s.phase("WW", Hub{Capacity: 3.2e9}, d("A"), d("B"))
	s.phase("WW-2", Hub{Capacity: 3.2e9}, small(s, "A"), small(s, "B"))
	s.wrong(`mean of WW and WW-2`, maybe)
}

// unequal plays 2 to 12 disks that never change.
func unequal(s *scene) {
	var disks []Disk
	for i := range 2 + s.rnd.IntN(11) {
		d := works(string(rune('A'+i)), 40, s.between(0.3, 1.8))
		if s.rnd.IntN(2) == 0 {
			d.Op = trace.Read
		}
		disks = append(disks, d)
	}
	s.phase("all", roomy(), disks...)
	s.wrong(fair, ownPort, maybe, cached, lost)
}
