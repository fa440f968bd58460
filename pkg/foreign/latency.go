package foreign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// fioTimes is a log of how long requests took: each of them, or means, or histograms.
type fioTimes struct {
	source, kind string
	lines        []fioEntry
	bins         [][]int64 // milliseconds, the direction, the block size, and the requests of each bin
	numbers      int       // of the last line
}

// fioAllBins are those of a histogram of fio 3; fioBins are the fewest that log_hist_coarseness makes of them.
const (
	fioAllBins = 29 * 64
	fioBins    = 29
)

// fioKinds are those of logs of times, best first: as in runs of hubbench, a request's time is best taken from when
// it was handed to the system, and of each request.
func fioKinds() []string { return []string{"clat", "clat_hist", "lat", "lat_hist"} }

// joinTimes gives each job the times of its requests, from the best of its logs. It says which are left out, and why.
func joinTimes(jobs []*job, times []*fioTimes, results []fioResult) (notes []string) {
	slices.SortStableFunc(times, func(a, b *fioTimes) int {
		return cmp.Compare(slices.Index(fioKinds(), a.kind), slices.Index(fioKinds(), b.kind))
	})
	var means, left []string
	for _, t := range times {
		mine, _, number := fioName(t.source)
		at := slices.IndexFunc(jobs, func(j *job) bool {
			name, _, index := fioName(j.source)
			return name == mine && index == number
		})
		switch {
		case at < 0 || jobs[at].times != nil || !slices.Contains(fioKinds(), t.kind):
			left = append(left, t.source)
		case t.bins == nil && !slices.ContainsFunc(t.lines, func(l fioEntry) bool { return l.block > 0 }):
			means = append(means, t.source)
		case t.numbers == 4 && !slices.ContainsFunc(results, func(r fioResult) bool { return strings.HasPrefix(r.version, "fio-3.") }):
			notes = append(notes, t.source+": left out, as nothing says that it is of fio 3, in ns; give fio's json output beside it")
		default:
			n := t.add(jobs[at])
			if r, ok := resultOf(t.source, results); ok && float64(max(n-r.ios, r.ios-n)) > tooFarApart*float64(r.ios) {
				notes = append(notes, fmt.Sprintf("%s: it has the times of %d of %d requests", t.source, n, r.ios))
			}
		}
	}
	if len(means) > 0 {
		notes = append(notes, strings.Join(means, ", ")+": left out, as means over time are no distribution of requests' times; record "+
			"with log_avg_msec=0, or write_hist_log")
	}
	if len(left) > 0 {
		notes = append(notes, strings.Join(left, ", ")+": left out; the times of a job's requests are taken from its clat, else from its lat")
	}
	return notes
}

// add gives a job the times, by seconds or as the histograms were written, and counts them.
func (t *fioTimes) add(j *job) (n int64) {
	type sample struct{ ms, op, ns, times int64 }
	var samples []sample
	add := func(s sample) {
		if s.ms >= epochMS {
			s.ms -= j.began / 1e6
		}
		if t.bins == nil {
			s.ms = (s.ms/1000 + 1) * 1000
		}
		samples = append(samples, s)
	}
	for _, l := range t.lines {
		add(sample{l.ms, l.op, l.value, 1})
	}
	for _, line := range t.bins {
		for i, times := range line[3:] {
			if times > 0 && line[1] < 2 { // else trims
				add(sample{line[0], line[1], binNS(i, len(line)-3), times})
			}
		}
	}
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Or(cmp.Compare(a.ms, b.ms), cmp.Compare(a.op, b.op)) })
	end, hist := j.steps[len(j.steps)-1].toNS, latency.New()
	for i, s := range samples {
		hist.RecordN(s.ns, s.times)
		if n += s.times; i+1 < len(samples) && samples[i+1].ms == s.ms && samples[i+1].op == s.op {
			continue
		}
		e := trace.Event{Type: trace.LatencyType, Op: [...]trace.Role{trace.Read, trace.Write}[s.op], TNS: s.ms * 1e6, Hist: hist.Encode()}
		if e.TNS > end && e.TNS < end+1e9 {
			e.TNS = end // the last second is no whole one
		}
		j.times = append(j.times, e)
		hist.Reset()
	}
	return n
}

// binNS is the middle of a bin of fio's histogram of so many bins. It has 64 for each doubling (stat.h of fio 3),
// of which a log may put neighbours together (log_hist_coarseness).
func binNS(bin, of int) int64 {
	low := func(i int) int64 {
		i *= fioAllBins / of
		octave := max(0, i/64-1)
		return int64(i-64*octave) << octave
	}
	return (low(bin) + low(bin+1)) / 2
}
