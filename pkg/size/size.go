// Package size estimates how the time of files depends on their size: a step of the rate at one size, the cost of a
// file, and the typical rate of each without it. It looks at files of one disk that met the same conditions. Start
// at Apart, which picks the files that have a rate of their own, and at FindKnee.
package size

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	modeFiles  = 500 // typical rates: of more files, that many evenly spread over time will do
	fewSamples = 4   // progress samples needed for a file's typical rate
)

// File is a usable file with a rate of its own.
type File struct{ Trace *trace.File }

// Bytes are the file's size.
func (f File) Bytes() float64 { return float64(f.Trace.Bytes) }

// Seconds are the time it took.
func (f File) Seconds() float64 { return seconds(f.Trace.EndNS - f.Trace.StartNS) }

// Rate is bytes per second.
func (f File) Rate() float64 { return f.Bytes() / f.Seconds() }

// Totals are the sums over a disk's files.
type Totals struct {
	Work, Usable int // files: all that are work, and those with bytes and time
	Bytes        int64
	BusyS        float64 // in which one was in transfer
}

// Apart returns the usable files that share no time with another one of their disk, and the sums over all. Filler,
// which keeps the disk busy for the others' sake, is in none of these.
func Apart(files []trace.File) (list []File, all Totals) {
	single := make([]bool, len(files))
	latest := -1 // the usable file so far that ends last
	var busy int64
	ended := int64(math.MinInt64)
	for i := range files {
		f := &files[i]
		if f.Filler {
			continue
		}
		all.Work++
		if !f.Usable() {
			continue
		}
		all.Usable++
		all.Bytes += f.Bytes
		busy += max(0, f.EndNS-max(f.StartNS, ended))
		single[i] = f.StartNS >= ended
		if !single[i] {
			single[latest] = false
		}
		if f.EndNS > ended {
			latest, ended = i, f.EndNS
		}
	}
	all.BusyS = seconds(busy)
	list = make([]File, 0, all.Usable)
	for i := range files {
		if single[i] {
			list = append(list, File{&files[i]})
		}
	}
	return list, all
}

// TypicalRates are the logarithms of the files' rates in the order of time, of modeFiles at most: the rate of a
// file's middle byte if samples show it, which a stall within the file does not move; else that of all its bytes
// with the fixed cost taken out, unless it took most of the time.
func TypicalRates(files []File) []float64 {
	some := thinned(files, modeFiles)
	sizes, times := make([]float64, len(some)), make([]float64, len(some))
	for i, f := range some {
		sizes[i], times[i] = f.Bytes(), f.Seconds()
	}
	line, _ := stats.FitCost(sizes, times)
	var rates []float64
	for _, f := range some {
		r := middleRate(f.Trace)
		if own := f.Seconds() - line.Cost; r == 0 && own > f.Seconds()/2 {
			r = f.Bytes() / own
		}
		if r > 0 {
			rates = append(rates, math.Log(r))
		}
	}
	return rates
}

// thinned is a copy of the files, of at most limit, evenly spread over time.
func thinned(files []File, limit int) []File {
	some := make([]File, min(len(files), limit))
	for i := range some {
		some[i] = files[i*len(files)/len(some)]
	}
	return some
}

// middleRate is the rate at which half of the file's bytes moved at most, 0 if there are too few samples.
func middleRate(f *trace.File) float64 {
	if len(f.Samples()) < fewSamples {
		return 0
	}
	var rates, bytes []float64
	last := trace.Sample{TNS: f.StartNS}
	for _, s := range append(slices.Clone(f.Samples()), trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}) {
		took, moved := s.TNS-last.TNS, float64(s.Bytes-last.Bytes)
		if took > 0 || moved > 0 { // what moved in no time did so faster than all else
			rates, bytes = append(rates, moved/seconds(max(took, 0))), append(bytes, moved)
		}
		last = s
	}
	if rate := stats.WeightedMedian(rates, bytes); !math.IsInf(rate, 1) {
		return rate
	}
	return 0
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
