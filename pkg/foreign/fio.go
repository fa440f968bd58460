package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// fioLine reads the numbers of a line of fio's logs: milliseconds, a value, the direction, the block size, and in
// newer ones an offset and a priority; of a histogram's milliseconds, the direction, the block size, and how many
// requests each bin has.
func fioLine(text string) (numbers []int64, ok bool) {
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(field), 0, 63)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, int64(n))
	}
	bins := len(numbers) - 3
	return numbers, numbers[0] < 1e14 && (bins > 0 && bins < fioBins && numbers[2] < 3 ||
		bins >= fioBins && numbers[1] < 3 && fioAllBins%bins == 0 && slices.Max(numbers[3:]) < 1<<32)
}

// fioName takes the name of a log apart: job_bw.1.log.
func fioName(path string) (job, kind, number string) {
	job, isLog := strings.CutSuffix(path, ".log")
	if at := strings.LastIndex(job, "."); at > 0 {
		if _, err := strconv.ParseUint(job[at+1:], 10, 32); err == nil {
			job, number = job[:at], job[at+1:]
		}
	}
	for _, kind := range append(fioKinds(), "bw", "slat", "iops", "slat_hist") {
		if job, ok := strings.CutSuffix(job, "_"+kind); ok && isLog {
			return job, kind, number
		}
	}
	return "", "", ""
}

// epochMS is a time in ms that must be the wall clock's: of 2001.
const epochMS = 1e12

// fioLog reads a log of bandwidth or of times. Of an averaged one of bandwidth (log_avg_msec) a line is a rate in
// KiB/s over the time before it, as long as lines are apart; where one is missing nothing was moved. Of others a
// line is one request, of the size that it says, and its rate says how long it took.
func fioLog(f File) ([]*job, []*fioTimes, error) {
	name, kind, _ := fioName(f.Name)
	if kind == "" {
		return nil, nil, errors.New("of which measure the log is stands in its name, as fio writes it: NAME_bw.1.log")
	}
	times := &fioTimes{source: f.Name, kind: kind}
	for i, text := range strings.Split(strings.TrimSpace(string(f.Data)), "\n") {
		if text == "" && kind != "bw" {
			break // engines that do not queue have no slat
		}
		v, ok := fioLine(text)
		if hist := strings.HasSuffix(kind, "_hist"); !ok || hist != (len(v)-3 >= fioBins) {
			return nil, nil, fmt.Errorf("line %d: %.40q is no line of fio's log of %s", i+1, strings.TrimSpace(text), kind)
		}
		times.numbers = len(v)
		if len(v)-3 >= fioBins {
			times.bins = append(times.bins, v)
		} else if v[2] < 2 { // else it is a trim
			times.lines = append(times.lines, fioEntry{v[0], v[1], v[2], v[3]})
			times.single = times.single || v[3] > 0
		}
	}
	lines := times.lines
	switch {
	case kind != "bw":
		return nil, []*fioTimes{times}, nil
	case len(lines) == 0:
		return nil, nil, errors.New("the log has no reads and no writes")
	}
	slices.SortStableFunc(lines, func(a, b fioEntry) int { return cmp.Compare(a.ms, b.ms) })
	var last [2]int64
	var apart []int64
	for _, l := range lines {
		if last[l.op] > 0 {
			apart = append(apart, l.ms-last[l.op])
		}
		last[l.op] = l.ms
	}
	slices.Sort(apart)
	window := int64(1)
	if len(apart) > 0 {
		window = max(window, apart[len(apart)/2])
	}
	j := &job{disk: filepath.Base(name), tool: "fio"}
	// What is read and what is written at once is added up: both directions have their own windows.
	for op := range int64(2) {
		j.steps = merged(j.steps, stepsOf(lines, op, window))
	}
	if lines[0].ms >= epochMS {
		zero := j.steps[0].fromNS
		for i := range j.steps {
			j.steps[i].fromNS, j.steps[i].toNS = j.steps[i].fromNS-zero, j.steps[i].toNS-zero
		}
		j.began = zero
	}
	j.settle()
	return []*job{j}, nil, nil
}

// fioEntry is a line of a log; its value is in KiB/s, or the time that a request took.
type fioEntry struct{ ms, value, op, block int64 }

func stepsOf(lines []fioEntry, op, window int64) (steps []step) {
	before := int64(0)
	if lines[0].ms >= epochMS {
		before = lines[0].ms - window
	}
	for _, l := range lines {
		if l.op != op {
			continue
		}
		s := step{fromNS: max(before, l.ms-window*3/2) * 1e6, toNS: l.ms * 1e6}
		if l.block > 0 { // a request that ended then
			took := float64(l.block) / 1024 / float64(max(1, l.value)) * 1e9
			s.fromNS, s.bytes = max(before*1e6, s.toNS-int64(took)), l.block
		} else {
			s.bytes = int64(float64(l.value) * 1024 * float64(s.toNS-s.fromNS) / 1e9)
		}
		before = l.ms
		if op == 0 {
			s.read = s.bytes
		}
		switch n := len(steps); {
		case n > 0 && s.toNS <= steps[n-1].toNS: // in the same millisecond
			steps[n-1].bytes, steps[n-1].read = steps[n-1].bytes+s.bytes, steps[n-1].read+s.read
			continue
		case n > 0:
			s.fromNS = max(s.fromNS, steps[n-1].toNS)
		default:
			s.toNS = max(s.toNS, s.fromNS+1e6)
		}
		steps = append(steps, s)
	}
	return steps
}

// merged adds two lists of steps up: each is cut at the other's edges, and its bytes spread over the parts.
func merged(a, b []step) []step {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	var edges []int64
	for _, s := range slices.Concat(a, b) {
		edges = append(edges, s.fromNS, s.toNS)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var out []step
	for i := range edges[:len(edges)-1] {
		s := step{fromNS: edges[i], toNS: edges[i+1]}
		covered := false
		for _, list := range [][]step{a, b} {
			k, _ := slices.BinarySearchFunc(list, s.fromNS, func(of step, at int64) int { return cmp.Compare(of.toNS, at+1) })
			if k < len(list) && list[k].fromNS <= s.fromNS {
				of := list[k]
				share := func(bytes int64) int64 {
					upTo := func(at int64) int64 {
						return int64(float64(bytes) * float64(at-of.fromNS) / float64(of.toNS-of.fromNS))
					}
					return upTo(s.toNS) - upTo(s.fromNS)
				}
				s.bytes, s.read, covered = s.bytes+share(of.bytes), s.read+share(of.read), true
			}
		}
		if covered {
			out = append(out, s)
		}
	}
	return out
}

type fioResult struct {
	name    string
	index   int   // in its file, from 1
	began   int64 // Unix time in ns; 0: not known
	bytes   int64
	ios     int64 // requests
	version string
	grouped bool // it may stand for several
}

type fioOptions struct {
	NumJobs string  `json:"numjobs"`
	Grouped *string `json:"group_reporting"`
}

// fioJSON reads json or json+ output, of which several documents may stand in one file, with lines of text between.
func fioJSON(f File) (list []fioResult, err error) {
	text := f.Data
	for {
		at := bytes.Index(text, []byte("{"))
		if at < 0 {
			break
		}
		var doc struct {
			Version string     `json:"fio version"`
			EndMS   int64      `json:"timestamp_ms"`
			Global  fioOptions `json:"global options"`
			Jobs    []struct {
				Name        string     `json:"jobname"`
				Start       int64      `json:"job_start"` // ms, from 3.36 on
				Runtime     int64      `json:"job_runtime"`
				Options     fioOptions `json:"job options"`
				Read, Write struct {
					Bytes int64 `json:"io_bytes"`
					IOs   int64 `json:"total_ios"`
				}
			}
		}
		dec := json.NewDecoder(bytes.NewReader(text[at:]))
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errors.New("the json output is cut short")
		case err != nil || doc.Version == "":
			text = text[at+1:] // a brace in a line of text
			continue
		}
		text = text[at+int(dec.InputOffset()):]
		for i, j := range doc.Jobs {
			r := fioResult{name: j.Name, index: i + 1, bytes: j.Read.Bytes + j.Write.Bytes, ios: j.Read.IOs + j.Write.IOs, version: doc.Version}
			r.grouped = cmp.Or(j.Options.Grouped, doc.Global.Grouped) != nil ||
				cmp.Or(j.Options.NumJobs, doc.Global.NumJobs, "1") != "1" && len(doc.Jobs) == 1
			switch {
			case j.Start > 0:
				r.began = j.Start * 1e6
			case doc.EndMS > 0 && len(doc.Jobs) == 1: // of several, only the last ended when the report was written
				r.began = (doc.EndMS - j.Runtime) * 1e6
			}
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no jobs in the json output")
	}
	return list, nil
}

// tooFarApart is the difference between a log's bytes and the results' above which one of them must be wrong.
const tooFarApart = 0.02

// joinResults takes from the results when logged jobs began and what they moved. A log may not say more than its job
// moved: averaged logs of fast jobs do.
func joinResults(jobs []*job, results []fioResult) (notes []string) {
	logs := map[int][]*job{} // by the result that stands for them
	for _, j := range jobs {
		if j.tool != "fio" {
			continue
		}
		if at := resultOf(j.source, results); at >= 0 {
			logs[at] = append(logs[at], j)
		} else {
			notes = append(notes, j.source+": nothing to check its bytes against; give fio's json output beside it")
		}
	}
	for at, r := range results {
		var sources []string
		logged := int64(0)
		for _, j := range logs[at] {
			sources, logged = append(sources, j.source), logged+moved(j.steps)
			j.tool, j.began = r.version, cmp.Or(j.began, r.began)
		}
		if len(sources) == 0 {
			continue
		}
		apart, done := float64(logged)/float64(max(1, r.bytes))-1, "scaled to these"
		if r.grouped && apart < -tooFarApart {
			done = "left as they are: the results may be of more jobs"
		}
		if max(apart, -apart) > tooFarApart {
			notes = append(notes, fmt.Sprintf("%s: the log's bytes differ from those of the results by %+.1f %%, and are %s",
				strings.Join(sources, ", "), 100*apart, done))
		}
		if r.grouped && apart < -tooFarApart {
			continue
		}
		for _, j := range logs[at] {
			scale(j.steps, int64(float64(r.bytes)*float64(moved(j.steps))/float64(max(1, logged))))
		}
	}
	return notes
}

// resultOf finds the result of a log's job: by the name, and by the number that fio gives logs if that is not enough.
// It is below 0 if there is none.
func resultOf(log string, results []fioResult) int {
	name, _, number := fioName(filepath.Base(log))
	found, named, numbered := -1, 0, 0
	for i, r := range results {
		if r.name == name {
			found = i
			named++
		}
	}
	if named == 1 {
		return found
	}
	for i, r := range results {
		if strconv.Itoa(r.index) == number && (r.name == name || named == 0) {
			found = i
			numbered++
		}
	}
	if numbered != 1 {
		return -1
	}
	return found
}

// scale makes the steps' bytes add up to a sum.
func scale(steps []step, sum int64) {
	var done, scaled int64
	logged := moved(steps)
	for i := range steps {
		done += steps[i].bytes
		upTo := int64(float64(sum) * float64(done) / float64(max(1, logged)))
		steps[i].read = int64(float64(steps[i].read) * float64(upTo-scaled) / float64(max(1, steps[i].bytes)))
		steps[i].bytes, scaled = upTo-scaled, upTo
	}
}

// fioTimes is a log of how long requests took: each of them, or means, or histograms.
type fioTimes struct {
	source, kind string
	lines        []fioEntry
	bins         [][]int64 // milliseconds, the direction, the block size, and the requests of each bin
	numbers      int       // of the last line
	single       bool      // lines are requests, as they have a size
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
	isFio3 := false
	for _, r := range results {
		isFio3 = isFio3 || strings.HasPrefix(r.version, "fio-3.")
	}
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
		case t.bins == nil && !t.single:
			means = append(means, t.source)
		case t.numbers == 4 && !isFio3:
			notes = append(notes, t.source+": left out, as nothing says that it is of fio 3, in ns; give fio's json output beside it")
		default:
			n := t.add(jobs[at])
			if at := resultOf(t.source, results); at >= 0 && !results[at].grouped {
				if ios := results[at].ios; float64(max(n-ios, ios-n)) > tooFarApart*float64(ios) {
					notes = append(notes, fmt.Sprintf("%s: it has the times of %d of %d requests", t.source, n, ios))
				}
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
	for _, l := range t.lines {
		samples = append(samples, sample{l.ms, l.op, l.value, 1})
	}
	for _, line := range t.bins {
		for i, times := range line[3:] {
			if times > 0 && line[1] < 2 { // else trims
				samples = append(samples, sample{line[0], line[1], binNS(i, len(line)-3), times})
			}
		}
	}
	for i := range samples {
		s := &samples[i]
		if s.ms >= epochMS {
			s.ms -= j.began / 1e6
		}
		if t.bins == nil {
			s.ms = (s.ms/1000 + 1) * 1000
		}
	}
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Or(cmp.Compare(a.ms, b.ms), cmp.Compare(a.op, b.op)) })
	end, hist := j.steps[len(j.steps)-1].toNS, latency.New()
	for i, s := range samples {
		latency.Record(hist, s.ns, s.times)
		if n += s.times; i+1 < len(samples) && samples[i+1].ms == s.ms && samples[i+1].op == s.op {
			continue
		}
		e := trace.Event{Type: trace.LatencyType, Op: [...]trace.Role{trace.Read, trace.Write}[s.op], TNS: s.ms * 1e6, Hist: latency.Encode(hist)}
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
