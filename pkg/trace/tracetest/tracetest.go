// Package tracetest makes traces whose truth is known, to hold claims and intervals against. A Disk plays levels
// under a Noise; the disks of a phase are played together, so that what one leaves others may take. It is for tests
// only, and knows nothing of how traces are analysed.
//
// Start at Disk for one disk and at Classes for the kinds of noise that real disks show.
package tracetest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Disk is what a generated disk does: the truth that an analysis is to find.
type Disk struct {
	Name   string
	Op     trace.Role // Write if empty
	StartS float64
	Levels []Level // the last one's end is the disk's, unless it runs out of files
	Files  int     // most files; no limit if 0
	Sizes  Sizes   // Uniform if nil
	Noise  Noise

	// KneeBytes is a size above which files run at KneeFactor of the level; none if 0.
	KneeBytes, KneeFactor float64
	// BareFiles leaves out the progress samples.
	BareFiles bool

	// What only a Hub plays.
	Own    func(atS, moved float64) float64 // factor of the level, by time and by the bytes moved so far: heat, a cache
	Pauses [][2]float64                     // from, to: no file is open then
	Gap    func(rnd *rand.Rand) float64     // seconds between two files
}

// Level is a rate, in bytes per second, that holds until a time.
type Level struct{ UntilS, Rate float64 }

// Sizes draws the bytes of the disk's next file.
type Sizes func(rnd *rand.Rand, seq int) float64

// Uniform draws sizes between 2 MB and 2 GB, as the preset random does.
func Uniform(rnd *rand.Rand, _ int) float64 { return 2e6 + rnd.Float64()*1.998e9 }

// LogUniform draws sizes whose logarithms are spread evenly from low to high.
func LogUniform(low, high float64) Sizes {
	return func(rnd *rand.Rand, _ int) float64 { return low * math.Exp(rnd.Float64()*math.Log(high/low)) }
}

// Between draws sizes evenly from low to high.
func Between(low, high float64) Sizes {
	return func(rnd *rand.Rand, _ int) float64 { return low + rnd.Float64()*(high-low) }
}

// Fixed is always the same size.
func Fixed(bytes float64) Sizes { return func(*rand.Rand, int) float64 { return bytes } }

const sampleS = 0.05 // between progress samples

// Play makes the disk's trace.
func (d Disk) Play(rnd *rand.Rand) *trace.DiskRecord {
	p := player{disk: d, rnd: rnd, noise: d.Noise.start(rnd, d.endS()), trace: &trace.DiskRecord{Name: d.Name, Op: d.Op}}
	if p.trace.Op == "" {
		p.trace.Op = trace.Write
	}
	if p.disk.Sizes == nil {
		p.disk.Sizes = Uniform
	}
	p.now, p.nextSample = d.StartS, d.StartS
	for p.now < d.endS()-1e-9 && (d.Files == 0 || len(p.trace.Files) < d.Files) {
		p.file()
	}
	return p.trace
}

func (d *Disk) endS() float64 { return d.Levels[len(d.Levels)-1].UntilS }

// rateAt is the level at a time, and when it ends.
func (d *Disk) rateAt(at float64) (rate, untilS float64) {
	for _, l := range d.Levels {
		if at < l.UntilS-1e-12 {
			return l.Rate, l.UntilS
		}
	}
	last := d.Levels[len(d.Levels)-1]
	return last.Rate, math.Inf(1)
}

// player is a disk while it is played.
type player struct {
	disk            Disk
	rnd             *rand.Rand
	noise           *wave
	trace           *trace.DiskRecord
	now, nextSample float64
}

// file plays one file, cut short by the disk's end.
func (p *player) file() {
	size := math.Max(1, math.Round(p.disk.Sizes(p.rnd, len(p.trace.Files))))
	factor := p.disk.Noise.fileFactor(p.rnd)
	if p.disk.KneeBytes > 0 && size > p.disk.KneeBytes {
		factor *= p.disk.KneeFactor
	}
	f := trace.File{Seq: len(p.trace.Files), StartNS: ns(p.now)}
	end := p.disk.endS()
	p.now += p.disk.Noise.PerFileS // before the first byte counts
	done := 0.0
	for done < size-1e-6 && p.now < end-1e-12 {
		level, until := p.disk.rateAt(p.now)
		wave, untilWave := p.noise.at(p.now)
		rate := level * factor * wave
		stop := math.Min(math.Min(until, untilWave), end)
		whole := p.now + (size-done)/rate // when the file is done at this rate
		stop = math.Min(stop, whole)
		for p.nextSample <= p.now {
			p.nextSample += sampleS
		}
		for ; p.nextSample < stop-1e-9; p.nextSample += sampleS {
			if at := done + rate*(p.nextSample-p.now); !p.disk.BareFiles && at >= 1 {
				f.AddSample(trace.Sample{TNS: ns(p.nextSample), Bytes: int64(at)})
			}
		}
		if done += rate * (stop - p.now); stop == whole { // or rounding would leave some for ever
			done = size
		}
		p.now = stop
	}
	p.now += p.disk.Noise.FlushS
	f.Bytes, f.EndNS = int64(math.Round(done)), ns(p.now)
	if f.Bytes > 0 && f.EndNS > f.StartNS {
		p.trace.Files = append(p.trace.Files, f)
	}
}

func ns(s float64) int64 { return int64(math.Round(s * 1e9)) }

// Phase puts disks together.
func Phase(name string, disks ...*trace.DiskRecord) *trace.Phase {
	p := &trace.Phase{Name: name, Roles: map[string]trace.Role{}, Disks: disks, Status: trace.Complete}
	for _, d := range disks {
		p.Roles[d.Name] = d.Op
	}
	return p
}

// Run makes a run of phases.
func Run(phases ...*trace.Phase) *trace.Run {
	run := &trace.Run{Name: "test", Phases: phases, Status: trace.Complete}
	for _, p := range phases {
		for _, d := range p.Disks {
			if !slices.ContainsFunc(run.Disks, func(known trace.Disk) bool { return known.Name == d.Name }) {
				run.Disks = append(run.Disks, trace.Disk{Name: d.Name, Connection: "hub"})
			}
		}
	}
	return run
}
