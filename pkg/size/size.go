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
type Transfer = trace.File

// secondsOf returns the time that a file took.
func secondsOf(f *Transfer) float64 { return seconds(f.EndNS - f.StartNS) }

// Rate returns a file's bytes per second.
func Rate(f *Transfer) float64 { return float64(f.Bytes) / secondsOf(f) }

func bySize(a, b Transfer) int { return cmp.Compare(a.Bytes, b.Bytes) }

// Totals are the sums over a disk's files.
type Totals struct {
	Work, Usable int // They count all files that are work, and those with bytes and time.
	Bytes        int64
	BusyS        float64 // BusyS counts the seconds in which one was in transfer.
}

// Apart returns the usable files that share no time with another one of their disk, and the sums
// over all. Filler, which keeps the disk busy for the others' sake, is in none of these. The files
// are not copied if all are as usable.
func Apart(files []trace.File) ([]Transfer, Totals) {
	var all Totals
	for i := range files {
		f := &files[i]
		if f.Filler {
			continue
		}
		all.Work++
		if f.Usable() {
			all.Usable++
			all.Bytes += f.Bytes
		}
	}
	usable := only(files, all.Usable, func(i int) bool {
		return !files[i].Filler && files[i].Usable()
	})
	alone := make([]bool, len(usable))
	count := 0
	var busyNS int64
	ended := int64(math.MinInt64)
	for i := range usable {
		f := &usable[i]
		if f.StartNS >= ended && (i+1 == len(usable) || usable[i+1].StartNS >= f.EndNS) {
			alone[i] = true
			count++
		}
		busyNS += max(0, f.EndNS-max(f.StartNS, ended))
		ended = max(ended, f.EndNS)
	}
	all.BusyS = seconds(busyNS)
	return only(usable, count, func(i int) bool { return alone[i] }), all
}

// only returns the files of which keep is true, and whose number is known: the list itself if these
// are all.
func only(files []trace.File, count int, keep func(int) bool) []trace.File {
	if count == len(files) {
		return files
	}
	kept := make([]trace.File, 0, count)
	for i := range files {
		if keep(i) {
			kept = append(kept, files[i])
		}
	}
	return kept
}

// ratesWithoutCost returns the files that take at least some seconds, and the logarithms of their
// rates without the fixed cost that a line of time over size has. Files of which the cost takes
// most of the time are left out.
func ratesWithoutCost(files []Transfer, line stats.Line, minS float64) (kept []Transfer,
	rates []float64) {
	for _, f := range files {
		own := secondsOf(&f) - line.Intercept
		if usual := line.At(float64(f.Bytes)); usual >= minS && line.Intercept <= usual/2 && own > 0 {
			kept = append(kept, f)
			rates = append(rates, math.Log(float64(f.Bytes)/own))
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

// alike reports whether all files are of one size.
func alike(files []Transfer) bool {
	for i := range files {
		if files[i].Bytes != files[0].Bytes {
			return false
		}
	}
	return true
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
