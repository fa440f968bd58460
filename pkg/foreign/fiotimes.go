package foreign

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// fioTimes is a log of how long requests took: each of them, or means, or histograms.
type fioTimes struct {
	source, kind string
	entries      []fioEntry
	// bins are lines of milliseconds, the direction, the block size, and the requests of each bin.
	bins     [][]int64
	columns  int
	isSingle bool // entries are requests, as they have a size
}

const (
	// fioAllBins are those of a histogram of fio 3.
	fioAllBins = 29 * 64
	// fioBins are the fewest that log_hist_coarseness makes of them.
	fioBins = 29
)

// joinTimes gives each job the times of its requests, and says why logs are left out. As in runs of
// hubbench, a request's time is best taken from when it was handed to the system (clat), and from
// each request.
func (in *input) joinTimes() {
	kinds := []string{"clat", "clat_hist", "lat", "lat_hist"}
	rank := func(log *fioTimes) int { return slices.Index(kinds, log.kind) }
	slices.SortStableFunc(in.times, func(a, b *fioTimes) int {
		return cmp.Compare(rank(a), rank(b))
	})
	left := map[string][]string{} // by the reason
	for _, log := range in.times {
		s := in.seriesOf(log)
		r := in.resultOf(log.source)
		reason := ""
		switch {
		case s == nil || s.times != nil || rank(log) < 0:
			reason = "the times of a job's requests are taken from its clat, else from its lat"
		case log.bins == nil && !log.isSingle:
			reason = "means over time are no distribution; record with log_avg_msec=0 or " +
				"write_hist_log"
		case log.columns == 4 && (r == nil || !strings.HasPrefix(r.version, "fio-3.")):
			reason = "nothing says that it is of fio 3, in ns; give fio's json output with it"
		}
		if reason != "" {
			left[reason] = append(left[reason], log.source)
			continue
		}
		n := log.add(s)
		if r != nil && !r.isGrouped && math.Abs(float64(n-r.requests)) > tooFarApart*float64(n) {
			in.notes = append(in.notes, fmt.Sprintf("%s: it has the times of %d of %d requests",
				log.source, n, r.requests))
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		in.notes = append(in.notes, strings.Join(left[reason], ", ")+": left out; "+reason)
	}
}

// seriesOf finds the series of the bandwidth of a log's job; nil if there is none.
func (in *input) seriesOf(log *fioTimes) *series {
	job, _, number := fioName(log.source)
	for _, s := range in.series {
		of, kind, index := fioName(s.source)
		if kind == "bw" && of == job && index == number {
			return s
		}
	}
	return nil
}

// add gives a job the times, by seconds or as the histograms were written, and counts them.
func (log *fioTimes) add(s *series) (n int64) {
	hists := map[[2]int64]*latency.Histogram{} // by the end in ms and the direction
	record := func(ms, op, ns, times int64) {
		if ms >= epochMS {
			ms -= s.began / 1e6
		}
		if log.bins == nil {
			ms = (ms/1000 + 1) * 1000
		}
		key := [2]int64{ms, op}
		if hists[key] == nil {
			hists[key] = latency.New()
		}
		latency.Record(hists[key], ns, times)
		n += times
	}
	for _, e := range log.entries {
		record(e.ms, e.op, e.value, 1)
	}
	for _, line := range log.bins {
		for i, times := range line[3:] {
			if times > 0 {
				record(line[0], line[1], binNS(i, len(line)-3), times)
			}
		}
	}
	byTime := func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(hists), byTime) {
		e := trace.Event{Type: trace.LatencyType, TNS: key[0] * 1e6,
			Hist: latency.Encode(hists[key]),
			Op:   [...]trace.Role{trace.Read, trace.Write}[key[1]]}
		if e.TNS > s.end() && e.TNS < s.end()+1e9 {
			e.TNS = s.end() // The last second is no whole one.
		}
		s.times = append(s.times, e)
	}
	return n
}

// binNS returns the middle of a bin of fio's histogram of so many bins. It has 64 for each doubling
// (stat.h of fio 3), and a log may put neighbours together (log_hist_coarseness).
func binNS(bin, of int) int64 {
	low := func(i int) int64 {
		i *= fioAllBins / of
		octave := max(0, i/64-1)
		return int64(i-64*octave) << octave
	}
	return (low(bin) + low(bin+1)) / 2
}
