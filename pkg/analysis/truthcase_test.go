package analysis_test

import (
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// truth is something that real disks and hubs do, as a generator of runs of which all is known.
type truth struct {
	Name string
	// Tuned truths may be used to choose thresholds by; the others are for tests alone.
	Tuned bool
	// Play makes a run with that much noise, relative, of whole files or over a few tenths of a
	// second.
	Play func(rnd *rand.Rand, noise float64) truthCase
}

// truthCase is one run and what is true of it.
type truthCase struct {
	Run     *trace.Run
	Changes []truthChange // all that changes except for starts and ends themselves
	False   []claim       // what would be false
	Must    []claim       // what has to be claimed
	Quotes  []truthQuote  // the figures to recommend
}

// truthChange is what really changed: the disks' rates at an instant, or for a time.
type truthChange struct {
	Phase string
	// the kinds that name it rightly, by analysis.json's changes; "unknown" always does
	Kinds []string
	Disks []string
	AtS   float64
	EndS  float64            // of what lasts: a stall, a swing, a drift, a warm-up; 0 of a step
	OffS  float64            // how far from AtS it may be reported
	To    map[string]float64 // rates afterwards, if they are known
	By    string             // the disk whose doing it is; it is nobody's if empty
	Not   []string           // causes that would be false, by analysis.json
	// One says that a single entry has to tell of all disks, not one entry for each.
	One     bool
	PeriodS float64 // one cycle of a swing; 0 if that does not matter
	// Curve is the rate of a drift over time, in bytes per second.
	Curve func(s float64) float64
	// Parts are what a swing consists of: whoever reports all of these reports the whole.
	Parts []truthChange
	// Optional changes need not be reported: they are too small or too short, or may as well be
	// reported as part of another.
	Optional bool
}

// truthQuote is a disk's settled rate in a phase.
type truthQuote struct {
	Phase, Disk string
	Rate        float64
}

// scene makes a truthCase.
type scene struct {
	truthCase
	rnd    *rand.Rand
	noise  tracetest.Noise
	sizes  tracetest.Sizes
	phases []*trace.Phase
	known  map[string]*sharing // by phase
	size   float64             // of the noise
	spread float64             // by which rates may be off besides
}

// newScene draws which kind of noise it is and how large files are.
func newScene(rnd *rand.Rand, noise float64) *scene {
	s := &scene{
		rnd: rnd, noise: tracetest.Noise{Sigma: noise}, sizes: tracetest.Uniform, size: noise,
	}
	s.known = map[string]*sharing{}
	if rnd.IntN(2) == 0 {
		s.noise = tracetest.Noise{Wave: noise, MemoryS: 0.1 + 0.3*rnd.Float64()}
	}
	if rnd.IntN(2) == 0 {
		s.sizes = tracetest.Between(50e6, 500e6)
	}
	return s
}

// between draws a number.
func (s *scene) between(low, high float64) float64 { return low + s.rnd.Float64()*(high-low) }

// actor is a disk to be played.
type actor tracetest.Disk

// phase plays disks on a hub.
func (s *scene) phase(name string, h tracetest.Hub, disks ...actor) *trace.Phase {
	h.Outside = true
	shares := newSharing(len(disks))
	h.Watch = shares.watch
	s.known[name] = shares
	played := make([]tracetest.Disk, len(disks))
	for i, d := range disks {
		d.Noise.Sigma, d.Noise.Wave, d.Noise.MemoryS = s.noise.Sigma, s.noise.Wave, s.noise.MemoryS
		if d.Sizes == nil {
			d.Sizes = s.sizes
		}
		played[i] = tracetest.Disk(d)
	}
	p := tracetest.Phase(name, h.Play(s.rnd, played...)...)
	s.phases = append(s.phases, p)
	return p
}

// alone plays each disk by itself, without what happens to it over time.
func (s *scene) alone(untilS float64, disks ...actor) {
	for _, d := range disks {
		d.Own, d.StartS, d.Levels = nil, 0,
			[]tracetest.Level{{UntilS: untilS, Rate: d.Levels[0].Rate}}
		s.phase(d.Name+" alone", roomy(), d)
	}
}

// changes notes one.
func (s *scene) changes(c truthChange) {
	if c.OffS == 0 {
		c.OffS = 0.5
	}
	if c.Not == nil {
		switch c.Kinds[0] {
		case "own_fall", "swing", "drift", "warm_up":
			c.Not = []string{"link", "host", "hub", "neighbour"}
		case "shared_fall", "redistribution", "stall":
			c.Not = []string{"cache_full", "heat", "neighbour"}
		}
	}
	s.Changes = append(s.Changes, c)
}

// wrong notes what would be false.
func (s *scene) wrong(patterns ...claim) { s.False = append(s.False, patterns...) }

func (s *scene) done() truthCase {
	s.Run = tracetest.Run(s.phases...)
	return s.truthCase
}

// roomy is a hub that limits nobody.
func roomy() tracetest.Hub { return tracetest.Hub{Capacity: math.Inf(1)} }

// works is a disk that writes at a rate in GB/s until a time.
func works(name string, untilS, rate float64) actor {
	return actor{Name: name, Levels: []tracetest.Level{{UntilS: untilS, Rate: rate * 1e9}}}
}

func (d actor) reads() actor { d.Op = trace.Read; return d }

func (d actor) from(s float64) actor { d.StartS = s; return d }

// own adds what the disk does by itself over its level.
func (d actor) own(f func(s, moved float64) float64) actor {
	if before := d.Own; before != nil {
		d.Own = func(s, moved float64) float64 { return before(s, moved) * f(s, moved) }
		return d
	}
	d.Own = f
	return d
}

// cache is full after that many bytes.
func (d actor) cache(bytes, factor float64) actor {
	return d.own(func(_, moved float64) float64 {
		if moved < bytes {
			return 1
		}
		return factor
	})
}

// within is the factor between two times, and 1 elsewhere.
func (d actor) within(fromS, toS, factor float64) actor {
	return d.own(func(s, _ float64) float64 {
		if s < fromS-1e-9 || s >= toS-1e-9 {
			return 1
		}
		return factor
	})
}

// swings between its level and a lower one.
func (d actor) swings(highS, lowS, factor float64) actor {
	return d.own(func(s, _ float64) float64 {
		if math.Mod(s, highS+lowS) < highS-1e-9 {
			return 1
		}
		return factor
	})
}

// drifts from its level to a share of it at untilS.
func (d actor) drifts(untilS, to float64) actor {
	return d.own(func(s, _ float64) float64 { return 1 + (to-1)*s/untilS })
}

// endOf is when a disk ended.
func endOf(d *trace.DiskRecord) float64 { return float64(d.Files[len(d.Files)-1].EndNS) / 1e9 }

// movedAt is when a disk had moved that many bytes.
func movedAt(p *trace.Phase, disk string, bytes float64) float64 {
	var before float64
	for _, f := range p.Disk(disk).Files {
		last := trace.Sample{TNS: f.StartNS}
		for _, to := range append(f.Samples(), trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}) {
			if total := before + float64(to.Bytes); total >= bytes {
				share := (bytes - before - float64(last.Bytes)) / float64(to.Bytes-last.Bytes)
				return (float64(last.TNS) + share*float64(to.TNS-last.TNS)) / 1e9
			}
			last = to
		}
		before += float64(f.Bytes)
	}
	return math.Inf(1)
}

// rateBetween is a disk's rate between two times, in bytes per second, as its samples have it.
func rateBetween(d *trace.DiskRecord, fromS, toS float64) float64 {
	var bytes float64
	for _, f := range d.Files {
		last := trace.Sample{TNS: f.StartNS}
		for _, to := range append(f.Samples(), trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}) {
			from, until := math.Max(float64(last.TNS), fromS*1e9),
				math.Min(float64(to.TNS), toS*1e9)
			if until > from {
				bytes += float64(to.Bytes-last.Bytes) * (until - from) / float64(to.TNS-last.TNS)
			}
			last = to
		}
	}
	return bytes / (toS - fromS)
}
