// Package overlap says which disks were active together, and how many bytes moved meanwhile. It works on intervals and
// bytes alone: what the numbers mean (rates, fairness, recovery) is for analysis to say.
//
// A disk is active from the start of its first file to the end of its last, gaps between its files longer than
// half a second (a setting) excepted; an unfinished file counts from its first progress sample to its last. A stage
// is a maximal interval with an unchanged set of active disks, and the window is the union of all stages in which
// every disk is active. That is not fio's rule (all bytes over the longest job) nor elbencho's (up to the first
// disk's end): both mix in time when some disk did not take part.
//
// Bytes at the edge of an interval come from progress samples. Without them a file's bytes are taken to flow evenly
// between the two nearest known points, and Amount's bounds say how wrong that can be.
//
// Start at Active, Stages and Window for the time, and at Curve for the bytes.
package overlap

import (
	"cmp"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/trace"
)

// DefaultGapNS is the longest pause between two files of a disk that does not make it inactive.
const DefaultGapNS = 500_000_000

// Interval is the time from StartNS to just before EndNS.
type Interval struct {
	StartNS int64
	EndNS   int64
}

// Seconds is the interval's length.
func (v Interval) Seconds() float64 { return float64(v.EndNS-v.StartNS) / 1e9 }

// Within is the part of the interval that lies in another; its end lies before its start if there is none.
func (v Interval) Within(other Interval) Interval {
	return Interval{max(v.StartNS, other.StartNS), min(v.EndNS, other.EndNS)}
}

// Of is the time of a file.
func Of(f *trace.File) Interval { return Interval{f.StartNS, f.EndNS} }

// Seconds is the length of all intervals together.
func Seconds(intervals []Interval) float64 {
	var sum float64
	for _, v := range intervals {
		sum += v.Seconds()
	}
	return sum
}

// Active returns the intervals in which the disk was active, disjoint and ascending. Pauses of up to gapNS between
// files are bridged.
func Active(d *trace.DiskTrace, gapNS int64) []Interval {
	var spans []Interval
	add := func(v Interval) {
		if n := len(spans); n > 0 && v.StartNS-spans[n-1].EndNS <= gapNS {
			spans[n-1].EndNS = max(spans[n-1].EndNS, v.EndNS)
			return
		}
		spans = append(spans, v)
	}
	open, left := openSpan(d)
	for i := range d.Files {
		f := &d.Files[i]
		if !f.Usable() {
			continue
		}
		if left && open.StartNS <= f.StartNS {
			add(open)
			left = false
		}
		add(Of(f))
	}
	if left {
		add(open)
	}
	return spans
}

func openSpan(d *trace.DiskTrace) (Interval, bool) {
	n := len(d.Open)
	if n == 0 || d.Open[n-1].TNS <= d.Open[0].TNS {
		return Interval{}, false
	}
	return Interval{d.Open[0].TNS, d.Open[n-1].TNS}, true
}

// Stage is a maximal interval with an unchanged, non-empty set of active disks.
type Stage struct {
	Interval
	Active []int // indices of the disks, ascending
}

// Stages sweeps over the active intervals of each disk. The stages are disjoint and ascending; time in which no disk
// is active belongs to none.
func Stages(active [][]Interval) []Stage {
	type edge struct {
		ns   int64
		disk int
		on   bool
	}
	var edges []edge
	for disk, spans := range active {
		for _, v := range spans {
			edges = append(edges, edge{v.StartNS, disk, true}, edge{v.EndNS, disk, false})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.ns, b.ns) })

	var stages []Stage
	on := make([]bool, len(active))
	for i := 0; i < len(edges); {
		at := edges[i].ns
		for ; i < len(edges) && edges[i].ns == at; i++ {
			on[edges[i].disk] = edges[i].on
		}
		var now []int
		for disk, isOn := range on {
			if isOn {
				now = append(now, disk)
			}
		}
		if len(now) > 0 && i < len(edges) {
			stages = append(stages, Stage{Interval{at, edges[i].ns}, now})
		}
	}
	return stages
}

// Window returns the parts of the stages in which all n disks are active, disjoint and ascending; none if they
// never were.
func Window(stages []Stage, n int) []Interval {
	var window []Interval
	for _, s := range stages {
		if n > 0 && len(s.Active) == n {
			window = append(window, s.Interval)
		}
	}
	return window
}

// Clip returns the parts of ascending, disjoint intervals that lie within v.
func Clip(list []Interval, v Interval) []Interval {
	var in []Interval
	first := sort.Search(len(list), func(i int) bool { return list[i].EndNS > v.StartNS })
	for i := first; i < len(list) && list[i].StartNS < v.EndNS; i++ {
		in = append(in, list[i].Within(v))
	}
	return in
}

// Without is what is left of intervals when others are taken out; both are ascending and disjoint.
func Without(intervals, out []Interval) []Interval {
	if len(out) == 0 {
		return intervals
	}
	var left []Interval
	for _, v := range intervals {
		for _, o := range out {
			if o.EndNS <= v.StartNS || o.StartNS >= v.EndNS {
				continue
			}
			if v.StartNS < o.StartNS {
				left = append(left, Interval{StartNS: v.StartNS, EndNS: o.StartNS})
			}
			v.StartNS = o.EndNS
		}
		if v.StartNS < v.EndNS {
			left = append(left, v)
		}
	}
	return left
}
