package tracetest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Warmth is what a disk's temperature does, as its own sensor has it: in whole degrees, late, and
// with errors.
type Warmth struct {
	EveryS float64                 // between readings
	At     func(s float64) float64 // the true temperature, in °C
	Noise  float64                 // deviation of a reading, before it is rounded
}

// Play makes the gauges of a disk from a phase's release to its end.
func (w Warmth) Play(rnd *rand.Rand, disk string, endS float64) []trace.Gauge {
	var out []trace.Gauge
	for s := 0.0; s <= endS; s += w.EveryS {
		value := math.Round(w.At(s) + w.Noise*rnd.NormFloat64())
		out = append(out, trace.Gauge{Disk: disk, Name: trace.Temperature, TNS: ns(s),
			Value: value})
	}
	return out
}

// Traffic is what a device moves beside what the disk was counted to move, in bytes per second, or
// less than that. Of writes it is added to the count of writes.
type Traffic struct{ FromS, ToS, Rate float64 }

// Counters makes a device's counters beside a disk's trace: once a second from the release to the
// end, with all that was counted, with the traffic, and with that many bytes more for each file, as
// file systems need.
func Counters(d *trace.DiskRecord, endS, perFile float64, more ...Traffic) []trace.Gauge {
	var out []trace.Gauge
	const from = 7e12 // whatever it moved before
	for s := 0.0; s < endS+1; s++ {
		at := min(s, endS)
		moved, files := done(d, ns(at))
		for _, t := range more {
			moved += t.Rate * max(0, min(at, t.ToS)-t.FromS)
		}
		read, written := from, from+perFile*files
		if d.Op == trace.Write {
			written += moved
		} else {
			read += moved
		}
		out = append(out, trace.Gauge{Disk: d.Name, Name: trace.DeviceRead, TNS: ns(at),
			Value: math.Round(read)},
			trace.Gauge{Disk: d.Name, Name: trace.DeviceWrite, TNS: ns(at),
				Value: math.Round(written)})
	}
	return out
}

// done returns what a disk has moved by a time, and how many files it has begun.
func done(d *trace.DiskRecord, at int64) (bytes, files float64) {
	for i := range d.Files {
		f := &d.Files[i]
		if f.StartNS >= at {
			break
		}
		files++
		before, after := trace.Sample{TNS: f.StartNS}, trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}
		for _, s := range f.Samples() {
			if s.TNS > at {
				after = s
				break
			}
			before = s
		}
		share := min(1, float64(at-before.TNS)/float64(max(1, after.TNS-before.TNS)))
		bytes += float64(before.Bytes) + share*float64(after.Bytes-before.Bytes)
	}
	return bytes, files
}

// Readings are of one gauge, a value every second from 1 on.
func Readings(disk, name string, values ...float64) []trace.Gauge {
	var list []trace.Gauge
	for i, v := range values {
		list = append(list, trace.Gauge{Disk: disk, Name: name, TNS: int64(i+1) * 1e9, Value: v})
	}
	return list
}

// Latency is how long a generated disk's requests take: log-normal about a median, some of them in
// a slow part of their own, and all of them longer or shorter together for as long as the noise
// remembers.
type Latency struct {
	Op       trace.Role // Write if empty
	PerS     int        // requests a second
	MedianNS float64
	Sigma    float64 // standard deviation of the logarithm
	Slow     float64 // share of the slow ones
	SlowNS   float64 // their median
	// All take exp of this wave times as long, in the second: a first-order autoregression of
	// deviation Wave and this memory.
	Wave, MemoryS float64
	// By is what they take as many times as long at a time; nil: once.
	By func(s float64) float64
}

// Play makes the latency lines from the release to a time, one a second, and notes every request by
// its time if each is not nil.
func (l Latency) Play(rnd *rand.Rand, endS float64, each func(s, ns float64)) []trace.Latency {
	var out []trace.Latency
	wave, rho := rnd.NormFloat64(), 0.0
	if l.MemoryS > 0 {
		rho = math.Exp(-1 / l.MemoryS)
	}
	for from := 0.0; from < endS; from++ {
		h := latency.New()
		to := math.Min(from+1, endS)
		n := int(math.Round(float64(l.PerS) * (to - from)))
		for i := range n {
			at := from + (to-from)*float64(i)/float64(n)
			ns := l.MedianNS
			if rnd.Float64() < l.Slow {
				ns = l.SlowNS
			}
			ns = ns * math.Exp(l.Sigma*rnd.NormFloat64()) * math.Exp(l.Wave*wave)
			if l.By != nil {
				ns *= l.By(at)
			}
			latency.Record(h, int64(ns), 1)
			if each != nil {
				each(at, ns)
			}
		}
		out = append(out, trace.Latency{Op: cmp.Or(l.Op, trace.Write), TNS: ns(to), Hist: h})
		wave = rho*wave + math.Sqrt(1-rho*rho)*rnd.NormFloat64()
	}
	return out
}

// LatencyClass is a kind of noise that requests' times show.
type LatencyClass struct {
	Name    string
	Latency Latency
	Bursts  bool // every 8 s or so, all take 20 times as long for 0.3 s
}

// LatencyClasses returns those that thresholds were chosen by.
func LatencyClasses() []LatencyClass {
	return []LatencyClass{
		{"independent", Latency{PerS: 100, MedianNS: 120e3, Sigma: 0.5}, false},
		{"one in 50 is slow", Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.3, Slow: 0.02,
			SlowNS: 10e6}, false},
		{"wave 30 %, 1 s", Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.5, Wave: 0.3, MemoryS: 1},
			false},
		{"wave 30 %, 2 s", Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.5, Wave: 0.3, MemoryS: 2},
			false},
		{"wave 30 %, 5 s", Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.5, Wave: 0.3, MemoryS: 5},
			false},
		{"wave 100 %, 1 s", Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.5, Wave: 1, MemoryS: 1},
			false},
		{"bursts", Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.3}, true},
	}
}

// Play makes the lines of a class, and notes each request's time.
func (c LatencyClass) Play(rnd *rand.Rand, endS float64, each func(s, ns float64)) []trace.Latency {
	l := c.Latency
	if c.Bursts {
		var at []float64
		for s := 8 * rnd.Float64(); s < endS; s += 4 + 8*rnd.Float64() {
			at = append(at, s)
		}
		l.By = func(s float64) float64 {
			if i, _ := slices.BinarySearch(at, s); i > 0 && s-at[i-1] < 0.3 {
				return 20
			}
			return 1
		}
	}
	return l.Play(rnd, endS, each)
}

// Took counts requests of these times.
func Took(times ...int64) *latency.Histogram {
	h := latency.New()
	for _, ns := range times {
		latency.Record(h, ns, 1)
	}
	return h
}
