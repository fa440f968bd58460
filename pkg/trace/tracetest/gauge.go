package tracetest

import (
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Warmth is what a disk's temperature does, as its own sensor has it: in whole degrees, late, and with errors.
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
		out = append(out, trace.Gauge{Disk: disk, Name: trace.Temperature, TNS: ns(s), Value: value})
	}
	return out
}

// Approach is a temperature that goes from one to another with a time constant, from a moment on.
func Approach(from, to, sinceS, constantS float64) func(s float64) float64 {
	return func(s float64) float64 {
		return to + (from-to)*math.Exp(-max(0, s-sinceS)/constantS)
	}
}

// Traffic is what a device moves beside what the disk was counted to move, in bytes per second, or less than that. Of
// writes it is added to the count of writes.
type Traffic struct{ FromS, ToS, Rate float64 }

// Counters makes a device's counters beside a disk's trace: once a second from the release to the end, with all that
// was counted, with the traffic, and with that many bytes more for each file, as file systems need.
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
		out = append(out, trace.Gauge{Disk: d.Name, Name: trace.DeviceRead, TNS: ns(at), Value: math.Round(read)},
			trace.Gauge{Disk: d.Name, Name: trace.DeviceWrite, TNS: ns(at), Value: math.Round(written)})
	}
	return out
}

// done is what a disk has moved by a time, and how many files it has begun.
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
