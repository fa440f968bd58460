package tracetest

import (
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/pkg/trace"
)

// FilesOf are files one after another: seconds and bytes.
func FilesOf(each ...[2]float64) *trace.DiskRecord {
	d := &trace.DiskRecord{Name: "A", Op: trace.Write}
	at := 0.0
	for i, f := range each {
		d.Files = append(d.Files, trace.File{Seq: i, Bytes: int64(f[1]), StartNS: int64(math.Round(at * 1e9)),
			EndNS: int64(math.Round((at + f[0]) * 1e9))})
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
				Bytes: int64(float64(f.Bytes) * float64(at-f.StartNS) / float64(f.EndNS-f.StartNS))})
		}
	}
	return d
}

// FilesAt is a disk whose files of some 50 MB have progress each tenth of a second, at a rate that depends on the
// second.
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

// SampledAt is a disk whose files of a second have progress each tenth, at a rate that depends on the second.
func SampledAt(rate func(second int) float64, seconds int) *trace.DiskRecord {
	var each [][2]float64
	for s := range seconds {
		each = append(each, [2]float64{1, rate(s)})
	}
	return Sampled(FilesOf(each...))
}

// Steps is a rate that changes at given seconds; it fluctuates by 1 %.
func Steps(first float64, changes ...[2]float64) func(int) float64 {
	flat := Flat(first, changes...)
	return func(s int) float64 { return flat(s) * (1 + 0.01*math.Sin(float64(s*s))) }
}

// Flat is a rate without noise that changes at given seconds.
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

// Blurred is a disk's trace as a clock sees it that is off by an error of its own whenever it is read, in seconds:
// normal, or even when it ticks. Times that would go back stay.
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
