package ledger

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// findStalls finds when the disk stood still within a file for a second or more; that time is left
// out of its levels. Only progress samples show it, so most files must have some, and only if files
// follow one another. An ordinary flush, after a file's last bytes, is no stall.
func (d *History) findStalls() {
	isLong := func(f trace.File) bool { return f.Usable() && f.EndNS-f.StartNS >= stallNS }
	if d.IsPaced() || !slices.ContainsFunc(d.Trace.Files, isLong) {
		return
	}
	moved := 0.0
	busy := overlap.Seconds(d.Active)
	var tails []float64
	for i := range d.Trace.Files {
		f := &d.Trace.Files[i]
		if i > 0 && f.StartNS < d.Trace.Files[i-1].EndNS {
			return // One of several files at once may stand still because it waits for the others.
		}
		moved += float64(f.Bytes)
		if n := len(f.Samples()); n > 0 {
			tails = append(tails, float64(f.EndNS-f.Samples()[n-1].TNS))
		}
	}
	if 2*len(tails) < len(d.Trace.Files) {
		return
	}
	rate := moved / busy / 1e9 // bytes per nanosecond
	flush := longFlush * stats.Median(tails)
	for i := range d.Trace.Files {
		f := &d.Trace.Files[i]
		if !isLong(*f) {
			continue
		}
		from := trace.Sample{TNS: f.StartNS}
		run := overlap.Between(f.StartNS, f.StartNS)
		moved := int64(0) // bytes of the run
		add := func(atEnd bool) {
			length := run.EndNS - run.StartNS
			slow := moved >= f.Bytes/2 // A file that is slow as a whole does not stand still.
			if length >= stallNS && !d.Stopped(run) && !slow &&
				(!atEnd || float64(length) > flush) {
				d.Stalls = append(d.Stalls, run)
			}
		}
		end := trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}
		for _, to := range append(slices.Clone(f.Samples()), end) {
			bytes := to.Bytes - from.Bytes
			took := to.TNS - from.TNS
			// A disk that stands still may write no samples: of the time between two, only what the
			// bytes need at the mean rate was work.
			still := stillRate*rate*float64(took) >= float64(bytes)
			gap := took - int64(float64(bytes)/rate)
			if gap >= stallNS-2*SampleNS && float64(bytes) <= betweenSamples*rate*SampleNS {
				still = true
				took = gap
				bytes = 0
			}
			switch {
			case still && run.EndNS == from.TNS:
				run.EndNS = to.TNS
				moved += bytes
			case still:
				run = overlap.Between(to.TNS-took, to.TNS)
				moved = bytes
			default:
				add(false)
				run = overlap.Between(to.TNS, to.TNS)
				moved = 0
			}
			from = to
		}
		add(run.EndNS == f.EndNS)
	}
	slices.SortFunc(d.Stalls, func(a, b overlap.Span) int {
		return cmp.Compare(a.StartNS, b.StartNS)
	})
}

// findStops finds how long the disk stood still for each time in which it was not asked for
// anything: from the last that is known to have moved to the first after it.
func (d *History) findStops(stops []overlap.Span) {
	if len(stops) == 0 {
		return
	}
	var moments []int64
	for i := range d.Trace.Files {
		f := &d.Trace.Files[i]
		moments = append(moments, f.StartNS, f.EndNS)
		for _, s := range f.Samples() {
			moments = append(moments, s.TNS)
		}
	}
	slices.Sort(moments)
	for _, stop := range stops {
		var longest overlap.Span
		first, _ := slices.BinarySearch(moments, stop.StartNS)
		for i := max(first, 1); i < len(moments) && moments[i-1] < stop.EndNS; i++ {
			if moments[i]-moments[i-1] > longest.EndNS-longest.StartNS {
				longest = overlap.Between(moments[i-1], moments[i])
			}
		}
		if longest.EndNS-longest.StartNS >= stallNS && !d.Stopped(longest) {
			d.stopped = append(d.stopped, longest)
		}
	}
	d.Stalls = slices.Clone(d.stopped)
}

// Stopped reports whether a standstill is one in which the disk was not asked for anything.
func (d *History) Stopped(v overlap.Span) bool {
	for _, stop := range d.stopped {
		if stop.StartNS < v.EndNS && v.StartNS < stop.EndNS {
			return true
		}
	}
	return false
}
