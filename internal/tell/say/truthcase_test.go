package say

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// truth is something that real disks and hubs do, as a generator of runs of which all is known.
type truth struct {
	Name string
	// Tuned truths may be used to choose thresholds by; the others are for tests alone.
	Tuned bool
	// Play makes a run with that much noise, relative, of whole files or over a few tenths of a second.
	Play func(rnd *rand.Rand, noise float64) truthCase
}

// truthCase is one run and what is true of it.
type truthCase struct {
	Run     *trace.Run
	Changes []truthChange // all that changes except for starts and ends themselves
	False   []string      // regular expressions of sentences that would be false
	Must    []string      // regular expressions of sentences, one of which at least has to be said for each
	Quotes  []truthQuote  // the figures to recommend
}

// truthChange is what really changed: the disks' rates at an instant, or for a time.
type truthChange struct {
	Phase string
	Kinds []string // the kinds that name it rightly, by analysis.json's changes; "unknown" always does
	Disks []string
	AtS   float64
	EndS  float64            // of what lasts: a stall, a swing, a drift, a warm-up; 0 of a step
	OffS  float64            // how far from AtS it may be reported
	To    map[string]float64 // rates afterwards, if they are known
	By    string             // the disk whose doing it is; it is nobody's if empty
	Not   []string           // causes that would be false, by analysis.json
	// Optional changes need not be reported: they are too small or too short, or may as well be reported as part of another.
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
}

// newScene draws which kind of noise it is and how large files are.
func newScene(rnd *rand.Rand, noise float64) *scene {
	s := &scene{rnd: rnd, noise: tracetest.Noise{Sigma: noise}, sizes: tracetest.Uniform}
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
		d.Own, d.StartS, d.Levels = nil, 0, []tracetest.Level{{UntilS: untilS, Rate: d.Levels[0].Rate}}
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

// wrong notes sentences that would be false.
func (s *scene) wrong(patterns ...string) { s.False = append(s.False, patterns...) }

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
func endOf(d *trace.DiskTrace) float64 { return float64(d.Files[len(d.Files)-1].EndNS) / 1e9 }

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
func rateBetween(d *trace.DiskTrace, fromS, toS float64) float64 {
	var bytes float64
	for _, f := range d.Files {
		last := trace.Sample{TNS: f.StartNS}
		for _, to := range append(f.Samples(), trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}) {
			from, until := math.Max(float64(last.TNS), fromS*1e9), math.Min(float64(to.TNS), toS*1e9)
			if until > from {
				bytes += float64(to.Bytes-last.Bytes) * (until - from) / float64(to.TNS-last.TNS)
			}
			last = to
		}
	}
	return bytes / (toS - fromS)
}

// What a truth says is all that its traces show without noise: each step is there and leads to the rate it says, and
// nothing else changes by an eighth or more.
func TestTruthsAreTrue(t *testing.T) {
	for _, truth := range truths() {
		if strings.Contains(truth.Name, "gaps") {
			continue // whose rates change all the time
		}
		for seed := range uint64(4) {
			c := truth.Play(rand.New(rand.NewPCG(seed, 1)), 0)
			for _, change := range c.Changes {
				isThere(t, truth.Name, c.Run, &change)
			}
			for _, p := range c.Run.Phases {
				for _, d := range p.Disks {
					moved := tenths(d)
					for k := 6; k < len(moved)-6; k++ {
						s, before, after := float64(k)/10, (moved[k-1]-moved[k-5])/0.4, (moved[k+5]-moved[k+1])/0.4
						if math.Abs(after-before) > 0.125*math.Max(before, after) && !explained(&c, p, d.Name, s) {
							t.Errorf("%s, seed %d: %s goes from %.3g to %.3g in %s at %.1f s, of which nothing is said", truth.Name, seed, d.Name, before, after, p.Name, s)
							break
						}
					}
				}
			}
			for _, pattern := range slices.Concat(c.False, c.Must) {
				regexp.MustCompile(pattern)
			}
		}
	}
}

func phaseOf(run *trace.Run, name string) *trace.Phase {
	return run.Phases[slices.IndexFunc(run.Phases, func(p *trace.Phase) bool { return p.Name == name })]
}

// tenths is what a disk had moved by each tenth of a second.
func tenths(d *trace.DiskTrace) []float64 {
	moved := []float64{0}
	for _, f := range d.Files {
		last, before := trace.Sample{TNS: f.StartNS}, moved[0]
		for _, to := range append(f.Samples(), trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}) {
			for at := int64(len(moved)) * 1e8; at <= to.TNS; at += 1e8 {
				share := math.Max(0, float64(at-last.TNS)/float64(to.TNS-last.TNS))
				moved = append(moved, before+float64(last.Bytes)+share*float64(to.Bytes-last.Bytes))
			}
			last = to
		}
		moved[0] += float64(f.Bytes) // as of the files before
	}
	moved[0] = 0
	return moved
}

// isThere checks the rates about a change.
func isThere(t *testing.T, truth string, run *trace.Run, c *truthChange) {
	t.Helper()
	for _, name := range c.Disks {
		d := phaseOf(run, c.Phase).Disk(name)
		at := c.AtS
		if c.EndS > 0 && c.To != nil { // a warm-up leads to what comes after it
			at = c.EndS
		}
		before, after := rateBetween(d, math.Max(at-1, 0), at-0.05), rateBetween(d, at+0.05, math.Min(at+0.9, endOf(d)))
		if to := c.To[name]; to > 0 && math.Abs(after/to-1) > 0.03 {
			t.Errorf("%s: %s has %.4g after %.1f s in %s, want %.4g", truth, name, after, at, c.Phase, to)
		}
		if (c.EndS == 0 || c.To != nil) && !c.Optional && math.Abs(after/before-1) < 0.1 {
			t.Errorf("%s: %s goes from %.4g to %.4g at %.1f s in %s: no change", truth, name, before, after, at, c.Phase)
		}
	}
}

// explained reports whether the case says that the disk changes at that time, or a disk starts or ends then.
func explained(c *truthCase, p *trace.Phase, disk string, s float64) bool {
	const off = 0.65 // the windows about it reach so far
	for _, d := range p.Disks {
		if math.Abs(float64(d.Files[0].StartNS)/1e9-s) < off || math.Abs(endOf(d)-s) < off {
			return true
		}
	}
	return slices.ContainsFunc(c.Changes, func(change truthChange) bool {
		return change.Phase == p.Name && slices.Contains(change.Disks, disk) && change.AtS-off < s && s < math.Max(change.AtS, change.EndS)+off
	})
}
