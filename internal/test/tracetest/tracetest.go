// Package tracetest makes traces whose truth is known, to hold claims and intervals against. A Disk
// plays levels under a Noise; the disks of a phase are played together, so that what one leaves
// others may take. It is for tests only, and knows nothing of how traces are analysed.
//
// Start at Disk for one disk and at Classes for the kinds of noise that real disks show.
package tracetest

import (
	"cmp"
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
	// Factor of the level, by time and by the bytes moved so far: heat, a cache.
	Own    func(atS, moved float64) float64
	Pauses [][2]float64                 // from, to: no file is open then
	Gap    func(rnd *rand.Rand) float64 // seconds between two files
}

// Level is a rate, in bytes per second, that holds until a time.
type Level struct{ UntilS, Rate float64 }

// Sizes draws the bytes of the disk's next file.
type Sizes func(rnd *rand.Rand, seq int) float64

// Uniform draws sizes between 2 MB and 2 GB, as the preset random does.
func Uniform(rnd *rand.Rand, _ int) float64 { return 2e6 + rnd.Float64()*1.998e9 }

// LogUniform draws sizes whose logarithms are spread evenly from low to high.
func LogUniform(low, high float64) Sizes {
	return func(rnd *rand.Rand, _ int) float64 {
		return low * math.Exp(rnd.Float64()*math.Log(high/low))
	}
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
	p := player{disk: d, rnd: rnd, noise: d.Noise.start(rnd, d.endS()), trace: d.record()}
	if p.disk.Sizes == nil {
		p.disk.Sizes = Uniform
	}
	p.now, p.nextSample = d.StartS, d.StartS
	for p.now < d.endS()-1e-9 && (d.Files == 0 || len(p.trace.Files) < d.Files) {
		p.file()
	}
	return p.trace
}

func (d *Disk) record() *trace.DiskRecord {
	return &trace.DiskRecord{Name: d.Name, Op: cmp.Or(d.Op, trace.Write)}
}

func (d *Disk) endS() float64 { return d.Levels[len(d.Levels)-1].UntilS }

// rateAt returns the level at a time, and when it ends.
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
		if done += rate * (stop - p.now); stop == whole { // rounding would leave some for ever
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
	p := &trace.Phase{Name: name, Roles: map[string]trace.Role{}, Disks: disks,
		Status: trace.Complete}
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
			if !slices.ContainsFunc(run.Disks, func(known trace.Disk) bool {
				return known.Name == d.Name
			}) {
				run.Disks = append(run.Disks, trace.Disk{Name: d.Name, Connection: "hub"})
			}
		}
	}
	return run
}

// Noise is how a disk's rate deviates from its level. Every part has the level as its mean over
// bytes or time, so that the truth stays what the levels say. The zero Noise is none.
type Noise struct {
	// Sigma spreads the times of whole files log-normally.
	Sigma float64
	// Tail spreads the times of whole files as Pareto's distribution with this exponent, above 1;
	// none if 0.
	Tail float64

	// A wave of the rate: a first-order autoregression of this deviation, relative, and this
	// memory.
	Wave, MemoryS float64

	// Stalls: every EveryS on average, evenly between half and one and a half of it, the rate is
	// Stalled of the level for StallS. Bursts are stalls above 1.
	EveryS, StallS, Stalled float64

	// Drift is how much the rate changes from the disk's beginning to its end, relative; its sign
	// is drawn.
	Drift float64

	// Each file takes this time before its first byte and after its last one.
	PerFileS, FlushS float64
}

// Rate returns the mean rate of a long trace at a level of 1 in files of mean size meanBytes, as a
// share of the level, if files follow one another: what intervals have to cover. Drift is left out.
func (n Noise) Rate(level, meanBytes float64) float64 {
	factor := 1.0
	if n.EveryS > 0 {
		share := n.StallS / (n.EveryS + n.StallS)
		factor = 1 - share + share*n.Stalled
	}
	transfer := meanBytes / (level * factor)
	return meanBytes / (transfer + n.PerFileS + n.FlushS) / level
}

// fileFactor returns the factor of one file's rate, whose inverse, the time's, has the mean 1.
func (n Noise) fileFactor(rnd *rand.Rand) float64 {
	time := 1.0
	if n.Sigma > 0 {
		time *= math.Exp(n.Sigma*rnd.NormFloat64() - n.Sigma*n.Sigma/2)
	}
	if n.Tail > 0 {
		time *= (n.Tail - 1) / n.Tail * math.Pow(1-rnd.Float64(), -1/n.Tail)
	}
	return 1 / time
}

// wave is the noise over time, in steps in which it is constant.
type wave struct {
	noise        Noise
	rnd          *rand.Rand
	endS, stepS  float64
	slope        float64
	now          float64 // end of the current step
	value        float64 // the autoregression, at now
	stall, until float64 // the next stall's start and end
}

// start begins the noise of a disk that ends at endS. Long disks are played in longer steps.
func (n Noise) start(rnd *rand.Rand, endS float64) *wave {
	w := &wave{noise: n, rnd: rnd, endS: endS, stepS: math.Min(math.Max(0.02, endS/20_000), 0.5),
		value: rnd.NormFloat64(), stall: math.Inf(1), until: math.Inf(1)}
	if n.Drift != 0 {
		w.slope = n.Drift
		if rnd.IntN(2) == 0 {
			w.slope = -n.Drift
		}
	}
	if n.EveryS > 0 { // the first at a random point of its interval
		w.stall = n.EveryS * (0.5 + rnd.Float64()) * rnd.Float64()
		w.until = w.stall + n.StallS
	}
	return w
}

// at returns the factor of the rate at a time, which must not go back, and until when it holds.
func (w *wave) at(s float64) (factor, untilS float64) {
	if w.noise.Wave == 0 && w.noise.EveryS == 0 && w.slope == 0 {
		return 1, math.Inf(1)
	}
	for s >= w.now-1e-12 {
		w.now += w.stepS
		if w.noise.Wave > 0 {
			rho := math.Exp(-w.stepS / w.noise.MemoryS)
			w.value = rho*w.value + math.Sqrt(1-rho*rho)*w.rnd.NormFloat64()
		}
	}
	for s >= w.until-1e-12 {
		w.stall = w.until + w.noise.EveryS*(0.5+w.rnd.Float64())
		w.until = w.stall + w.noise.StallS
	}
	factor, untilS = math.Max(0.05, 1+w.noise.Wave*w.value), w.now
	factor *= 1 + w.slope*(w.now/w.endS-0.5)
	if s >= w.stall-1e-12 {
		return factor * w.noise.Stalled, math.Min(untilS, w.until)
	}
	return factor, math.Min(untilS, w.stall)
}

// Class is a kind of noise that real disks show, and the sizes it comes with.
type Class struct {
	Name  string
	Noise Noise
	Sizes Sizes // Uniform if nil
	// Tuned classes may be used to choose thresholds by; the others are for tests alone.
	Tuned bool
}

// Classes returns the kinds of noise that must produce no claim: steady disks, all of them.
func Classes() []Class {
	return []Class{
		{Name: "quiet", Noise: Noise{Sigma: 0.02}, Tuned: true},
		{Name: "log-normal .15", Noise: Noise{Sigma: 0.15}},
		{Name: "log-normal .3", Noise: Noise{Sigma: 0.3}, Tuned: true},
		{Name: "log-normal .6", Noise: Noise{Sigma: 0.6}},
		{Name: "Pareto 2.5", Noise: Noise{Tail: 2.5}, Tuned: true},
		{Name: "Pareto 1.5", Noise: Noise{Tail: 1.5}},
		{Name: "bursts", Noise: Noise{Sigma: 0.03, EveryS: 8, StallS: 1, Stalled: 1.5}},
		{Name: "long bursts", Noise: Noise{Sigma: 0.03, EveryS: 12, StallS: 2, Stalled: 1.3},
			Tuned: true},
		{Name: "stalls 5 s/.2 s", Noise: Noise{Sigma: 0.03, EveryS: 5, StallS: 0.2, Stalled: 0.02},
			Tuned: true},
		{Name: "stalls 10 s/1 s", Noise: Noise{Sigma: 0.03, EveryS: 10, StallS: 1, Stalled: 0.1}},
		{Name: "stalls 20 s/2 s", Noise: Noise{Sigma: 0.03, EveryS: 20, StallS: 2, Stalled: 0.2},
			Tuned: true},
		{Name: "wave 5 %, .5 s", Noise: Noise{Wave: 0.05, MemoryS: 0.5}, Tuned: true},
		{Name: "wave 5 %, 2 s", Noise: Noise{Wave: 0.05, MemoryS: 2}},
		{Name: "wave 5 %, 5 s", Noise: Noise{Wave: 0.05, MemoryS: 5}, Tuned: true},
		{Name: "wave 10 %, .5 s", Noise: Noise{Wave: 0.1, MemoryS: 0.5}},
		{Name: "wave 10 %, 2 s", Noise: Noise{Wave: 0.1, MemoryS: 2}, Tuned: true},
		{Name: "wave 10 %, 5 s", Noise: Noise{Wave: 0.1, MemoryS: 5}},
		{Name: "wave 20 %, .5 s", Noise: Noise{Wave: 0.2, MemoryS: 0.5}, Tuned: true},
		{Name: "wave 20 %, 2 s", Noise: Noise{Wave: 0.2, MemoryS: 2}},
		{Name: "wave 20 %, 5 s", Noise: Noise{Wave: 0.2, MemoryS: 5}, Tuned: true},
		{Name: "drift 10 %", Noise: Noise{Sigma: 0.03, Drift: 0.1}},
		{Name: "flush .2 s", Noise: Noise{Sigma: 0.03, FlushS: 0.2}, Tuned: true},
		{Name: "start .05 s", Noise: Noise{Sigma: 0.05, PerFileS: 0.05}},
		{Name: "4 KB to 50 GB", Noise: Noise{Sigma: 0.05, PerFileS: 0.0002},
			Sizes: LogUniform(4e3, 50e9)},
		{Name: "50 KB to 2 GB", Noise: Noise{Sigma: 0.1, PerFileS: 0.001},
			Sizes: LogUniform(50e3, 2e9), Tuned: true},
	}
}

// FilesOf are files one after another: seconds and bytes.
func FilesOf(each ...[2]float64) *trace.DiskRecord {
	d := &trace.DiskRecord{Name: "A", Op: trace.Write}
	at := 0.0
	for i, f := range each {
		d.Files = append(d.Files, trace.File{Seq: i, Bytes: int64(f[1]),
			StartNS: int64(math.Round(at * 1e9)),
			EndNS:   int64(math.Round((at + f[0]) * 1e9))})
		at += f[0]
	}
	return d
}

// Sampled gives files that move evenly progress ten times a second.
func Sampled(d *trace.DiskRecord) *trace.DiskRecord {
	for i := range d.Files {
		f := &d.Files[i]
		for at := f.StartNS + 1e8; at < f.EndNS; at += 1e8 {
			f.AddSample(trace.Sample{TNS: at,
				Bytes: int64(float64(f.Bytes) * float64(at-f.StartNS) / float64(f.EndNS-
					f.StartNS))})
		}
	}
	return d
}

// FilesAt returns a disk whose files of some 50 MB have progress each tenth of a second, at a rate
// that depends on the second.
func FilesAt(rate func(second int) float64, seconds int) *trace.DiskRecord {
	const stepNS = 5e7
	d := &trace.DiskRecord{Op: trace.Write}
	var f trace.File
	done := func() {
		if f.Bytes > 0 {
			f.Seq = len(d.Files)
			d.Files = append(d.Files, f)
		}
		f = trace.File{}
	}
	for now := int64(0); now < int64(seconds)*1e9; now += stepNS {
		bytes := int64(rate(int(now/1e9)) * stepNS / 1e9)
		if bytes == 0 {
			done()
			continue
		}
		if f.Bytes == 0 {
			f.StartNS = now
		}
		f.Bytes += bytes
		f.EndNS = now + stepNS
		if f.EndNS%1e8 == 0 {
			f.AddSample(trace.Sample{TNS: f.EndNS, Bytes: f.Bytes})
		}
		if f.Bytes > 49e6 {
			done()
		}
	}
	done()
	return d
}

// Steps returns a rate that changes at given seconds; it fluctuates by 1 %.
func Steps(first float64, changes ...[2]float64) func(int) float64 {
	flat := Flat(first, changes...)
	return func(s int) float64 { return flat(s) * (1 + 0.01*math.Sin(float64(s*s))) }
}

// Flat returns a rate without noise that changes at given seconds.
func Flat(first float64, changes ...[2]float64) func(int) float64 {
	return func(s int) float64 {
		rate := first
		for _, c := range changes {
			if float64(s) >= c[0] {
				rate = c[1]
			}
		}
		return rate
	}
}

// Blurred returns a disk's trace as a clock sees it that is off by an error of its own whenever it
// is read, in seconds: normal, or even when it ticks. Times that would go back stay.
func Blurred(d *trace.DiskRecord, rnd *rand.Rand, off float64, ticks bool) *trace.DiskRecord {
	last := int64(0)
	read := func(ns int64) int64 {
		t := float64(ns) + off*1e9*rnd.NormFloat64()
		if ticks {
			t = math.Floor(float64(ns)/(off*1e9)) * math.Round(off*1e9)
		}
		last = max(last, int64(t))
		return last
	}
	out := *d
	out.Files = nil
	for _, f := range d.Files {
		f.StartNS, f.EndNS, f.Progress = read(f.StartNS), read(f.EndNS), nil
		out.Files = append(out.Files, f)
	}
	return &out
}
