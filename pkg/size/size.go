// Package size estimates how the time of files depends on their size: a step of the rate at one
// size, the cost of a file, and the typical rate of each without it. It looks at files of one disk
// that met the same conditions. Start at Apart, which picks the files that have a rate of their
// own, and at FindKnee.
package size

import (
	"cmp"
	"math"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// maxFiles is how many files, evenly spread over time, stand for more in a search for knees and
// modes.
const maxFiles = 2000

// Transfer is a usable file with a rate of its own.
type Transfer struct{ Trace *trace.File }

// Bytes are the file's size.
func (f Transfer) Bytes() float64 { return float64(f.Trace.Bytes) }

// Seconds are the time it took.
func (f Transfer) Seconds() float64 { return seconds(f.Trace.EndNS - f.Trace.StartNS) }

// Rate is bytes per second.
func (f Transfer) Rate() float64 { return f.Bytes() / f.Seconds() }

func bySize(a, b Transfer) int { return cmp.Compare(a.Trace.Bytes, b.Trace.Bytes) }

// Totals are the sums over a disk's files.
type Totals struct {
	Work, Usable int // They count all files that are work, and those with bytes and time.
	Bytes        int64
	BusyS        float64 // BusyS counts the seconds in which one was in transfer.
}

// Apart returns the usable files that share no time with another one of their disk, and the sums
// over all. Filler, which keeps the disk busy for the others' sake, is in none of these.
func Apart(files []trace.File) (list []Transfer, all Totals) {
	usable := make([]Transfer, 0, len(files))
	for i := range files {
		f := &files[i]
		if f.Filler {
			continue
		}
		all.Work++
		if f.Usable() {
			usable = append(usable, Transfer{f})
			all.Bytes += f.Bytes
		}
	}
	all.Usable = len(usable)
	list = usable[:0]
	var busyNS int64
	ended := int64(math.MinInt64)
	for i := range usable {
		f := usable[i].Trace
		if f.StartNS >= ended && (i+1 == len(usable) || usable[i+1].Trace.StartNS >= f.EndNS) {
			list = append(list, Transfer{f})
		}
		busyNS += max(0, f.EndNS-max(f.StartNS, ended))
		ended = max(ended, f.EndNS)
	}
	all.BusyS = seconds(busyNS)
	return list, all
}

// ratesWithoutCost returns the files that take at least some seconds, and the logarithms of their
// rates without the fixed cost that a line of time over size has. Files of which the cost takes
// most of the time are left out.
func ratesWithoutCost(files []Transfer, line stats.Line, minS float64) (kept []Transfer,
	rates []float64) {
	for _, f := range files {
		own := f.Seconds() - line.Intercept
		if usual := line.At(f.Bytes()); usual >= minS && line.Intercept <= usual/2 && own > 0 {
			kept = append(kept, f)
			rates = append(rates, math.Log(f.Bytes()/own))
		}
	}
	return kept, rates
}

// thinned are maxFiles of the files, evenly spread over time, or all of no more.
func thinned(files []Transfer) []Transfer {
	some := make([]Transfer, min(len(files), maxFiles))
	for i := range some {
		some[i] = files[i*len(files)/len(some)]
	}
	return some
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
