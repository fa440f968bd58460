// Package overlap says which disks were active together, and how many bytes moved meanwhile. It
// works on times and bytes alone: what the numbers mean (rates, fairness, recovery) is for analysis
// to say.
//
// A disk is active from the start of its first file to the end of its last, gaps between its files
// longer than half a second (a setting) excepted; an unfinished file counts from its first progress
// sample to its last. A stage is a maximal span with an unchanged set of active disks, and the
// window is the union of all stages in which every disk is active. That is not fio's rule (all
// bytes over the longest job) nor elbencho's (up to the first disk's end): both mix in time when
// some disk did not take part.
//
// Bytes at the edge of a span come from progress samples. Without them a file's bytes are taken to
// flow evenly between the two nearest known points, and Amount's bounds say how wrong that can be.
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

// Span is the time from StartNS to just before EndNS.
type Span struct {
	StartNS int64
	EndNS   int64
}

// Between returns the span from one time to another.
func Between(startNS, endNS int64) Span { return Span{startNS, endNS} }

// Seconds returns the span's length.
func (v Span) Seconds() float64 { return float64(v.EndNS-v.StartNS) / 1e9 }

// Within returns the part of the span that lies in another; its end lies before its start if there
// is none.
func (v Span) Within(other Span) Span {
	return Span{max(v.StartNS, other.StartNS), min(v.EndNS, other.EndNS)}
}

// Of returns the time of a file.
func Of(f *trace.File) Span { return Span{f.StartNS, f.EndNS} }

// Seconds returns the length of all spans together.
func Seconds(spans []Span) float64 {
	var sum float64
	for _, v := range spans {
		sum += v.Seconds()
	}
	return sum
}

// Active returns the spans in which the disk was active, disjoint and ascending. Pauses of up to
// gapNS between files are bridged.
func Active(d *trace.DiskRecord, gapNS int64) []Span {
	var spans []Span
	add := func(v Span) {
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

func openSpan(d *trace.DiskRecord) (Span, bool) {
	n := len(d.Open)
	if n == 0 || d.Open[n-1].TNS <= d.Open[0].TNS {
		return Span{}, false
	}
	return Span{d.Open[0].TNS, d.Open[n-1].TNS}, true
}

// Stage is a maximal span with an unchanged, non-empty set of active disks.
type Stage struct {
	Span
	Active []int // Active has the indices of the disks, ascending.
}

// Stages sweeps over the active spans of each disk. The stages are disjoint and ascending; time in
// which no disk is active belongs to none.
func Stages(active [][]Span) []Stage {
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
			stages = append(stages, Stage{Span{at, edges[i].ns}, now})
		}
	}
	return stages
}

// Window returns the parts of the stages in which all n disks are active, disjoint and ascending;
// none if they never were.
func Window(stages []Stage, n int) []Span {
	var window []Span
	for _, s := range stages {
		if n > 0 && len(s.Active) == n {
			window = append(window, s.Span)
		}
	}
	return window
}

// Clip returns the parts of ascending, disjoint spans that lie within v.
func Clip(list []Span, v Span) []Span {
	var in []Span
	first := sort.Search(len(list), func(i int) bool { return list[i].EndNS > v.StartNS })
	for i := first; i < len(list) && list[i].StartNS < v.EndNS; i++ {
		in = append(in, list[i].Within(v))
	}
	return in
}

// Without returns what is left of spans when others are taken out; both are ascending and disjoint.
func Without(spans, out []Span) []Span {
	if len(out) == 0 {
		return spans
	}
	var left []Span
	for _, v := range spans {
		for _, o := range out {
			if o.EndNS <= v.StartNS || o.StartNS >= v.EndNS {
				continue
			}
			if v.StartNS < o.StartNS {
				left = append(left, Span{StartNS: v.StartNS, EndNS: o.StartNS})
			}
			v.StartNS = o.EndNS
		}
		if v.StartNS < v.EndNS {
			left = append(left, v)
		}
	}
	return left
}
