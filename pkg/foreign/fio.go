package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var fioLogName = regexp.MustCompile(`^(.*)_(bw|iops|slat|clat|lat|slat_hist|clat_hist|lat_hist)` +
	`(?:\.(\d+))?\.log$`)

// fioName takes the name of a log apart: job_bw.1.log.
func fioName(path string) (job, kind, number string) {
	parts := fioLogName.FindStringSubmatch(path)
	if parts == nil {
		return "", "", ""
	}
	return strings.TrimSuffix(parts[1], "_clat"), parts[2], parts[3]
}

// epochMS is a time in ms that must be the wall clock's: of 2001.
const epochMS = 1e12

// fioEntry is a line of a log; its value is in KiB/s, or the time that a request took.
type fioEntry struct{ ms, value, op, block int64 }

// fioLog reads a log of bandwidth or of times. A line has milliseconds, a value, the direction, the
// block size, and in newer ones an offset and a priority; in a histogram milliseconds, the
// direction, the block size, and how many requests each bin has. A line of an averaged log
// (log_avg_msec) is a rate in KiB/s over the time before it, as long as lines are apart; if a line
// is missing, nothing moved. A line of others is one request with its size, and its rate says how
// long it took.
func (in *input) fioLog() error {
	name, kind, _ := fioName(in.Name)
	if kind == "" {
		return errors.New("what the log measures stands in its name, as fio writes it: " +
			"NAME_bw.1.log")
	}
	log := &fioTimes{source: in.Name, kind: kind}
	windowMS, err := in.fioLines(log)
	switch {
	case err != nil:
		return err
	case kind != "bw":
		in.times = append(in.times, log)
		return nil
	case len(log.entries) == 0:
		return errors.New("the log has no reads and no writes")
	}
	in.addFioBandwidth(filepath.Base(name), log.entries, windowMS)
	return nil
}

// fioLines reads the lines into a log, and returns how far apart they usually are.
func (in *input) fioLines(log *fioTimes) (windowMS int64, err error) {
	var last [3]int64 // by direction
	var apart []int64
	for text := range in.lines() {
		v, err := log.parse(text)
		if err != nil {
			return 0, err
		}
		op := v[2]
		if log.isHist() {
			op = v[1]
		}
		if op >= int64(len(last)) || v[0] < last[op] {
			return 0, errors.New("its time is before that of the line before, or its direction " +
				"is none; a log that jobs share (per_job_logs=0) does not tell them apart")
		}
		if last[op] > 0 && v[0] > last[op] {
			apart = append(apart, v[0]-last[op])
		}
		last[op] = v[0]
		switch {
		case op > write: // a trim
		case log.isHist():
			log.bins = append(log.bins, v)
		default:
			log.entries = append(log.entries, fioEntry{v[0], v[1], op, v[3]})
			log.isSingle = log.isSingle || v[3] > 0
		}
	}
	if len(apart) == 0 {
		return 1, nil
	}
	slices.Sort(apart)
	return apart[len(apart)/2], nil
}

// isHist says whether the lines are histograms.
func (log *fioTimes) isHist() bool { return strings.HasSuffix(log.kind, "_hist") }

// parse returns the numbers of a line, which has as many columns as the first.
func (log *fioTimes) parse(text string) ([]int64, error) {
	const lastMS = 1e14
	var v []int64
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(field), 0, 63) // a priority may be in hex
		if err == nil {
			v = append(v, int64(n))
		}
	}
	log.columns = cmp.Or(log.columns, strings.Count(text, ",")+1)
	bins := len(v) - 3
	isHist := log.isHist()
	if len(v) != log.columns || bins < 1 || isHist != (bins >= fioBins) || v[0] > lastMS ||
		isHist && (fioAllBins%bins != 0 || slices.Max(v[2:]) > math.MaxUint32) {
		return nil, fmt.Errorf("%.40q is no line of fio's log of %s", text, log.kind)
	}
	return v, nil
}

// addFioBandwidth adds the series of a log of bandwidth.
func (in *input) addFioBandwidth(disk string, entries []fioEntry, windowMS int64) {
	s := in.add("fio", disk, "")
	zero := int64(0)
	if first := entries[0].ms; first >= epochMS {
		zero = first - windowMS
		s.began = zero * 1e6
	}
	var before [2]int64 // Both directions have their own windows.
	for _, e := range entries {
		at := (e.ms - zero) * 1e6
		s.steps = append(s.steps, e.step(before[e.op], at, windowMS))
		before[e.op] = at
	}
}

// step returns what an entry says of the time until it, in which the one before it ended at before.
func (e fioEntry) step(before, at, windowMS int64) step {
	from := at - windowMS*3/2*1e6
	bytes := e.block
	if e.block > 0 { // a request that ended then
		from = at - int64(float64(e.block)/1024/float64(max(1, e.value))*1e9)
	}
	from = max(from, before)
	if e.block == 0 {
		bytes = int64(float64(e.value) * 1024 * float64(at-from) / 1e9)
	}
	if at <= from { // in the same millisecond as the one before
		from = at - 1e6
	}
	return step{e.op, from, at, bytes}
}

// fioResult is what the json output says of a job, or of a group of them.
type fioResult struct {
	version   string
	index     int   // in its document, from 1
	requests  int64 // number of requests it made
	isGrouped bool  // it may stand for several jobs
	job       string
	mean      *series
}

type fioJob struct {
	Host        string         `json:"hostname"`
	Name        string         `json:"jobname"`
	Group       int            `json:"groupid"`
	Error       int            `json:"error"`
	StartMS     int64          `json:"job_start"` // from 3.36 on
	Options     map[string]any `json:"job options"`
	Read, Write fioDirection
}

type fioDirection struct {
	Bytes     int64 `json:"io_bytes"` // KiB before fio 3
	RuntimeMS int64 `json:"runtime"`
	Requests  int64 `json:"total_ios"`
}

// fioOutput is a document of the json output.
type fioOutput struct {
	Version string         `json:"fio version"`
	EndMS   int64          `json:"timestamp_ms"`
	Global  map[string]any `json:"global options"`
	Jobs    []fioJob
	Clients []fioJob `json:"client_stats"` // fio --client writes these instead of jobs
}

var fioDocument = regexp.MustCompile(`\{\s*"fio version"`)

// fioJSON reads json or json+ output. A file may have several documents and text between them.
func (in *input) fioJSON() error {
	guessed := false
	for _, at := range fioDocument.FindAllIndex(in.Data, -1) {
		var doc fioOutput
		if err := in.decode(at[0], &doc); err != nil {
			return err
		}
		doc.Jobs = append(doc.Jobs, doc.Clients...)
		if in.fioJobs(&doc) {
			guessed = true
		}
	}
	if guessed {
		in.notes = append(in.notes, in.Name+": fio before 3.36 does not say when each of its jobs "+
			"began; they are taken to have started together")
	}
	return nil
}

// fioJobs adds the results of a document's jobs. It says whether it guessed that they started
// together.
func (in *input) fioJobs(doc *fioOutput) (guessed bool) {
	unit := int64(1)
	if doc.Version < "fio-3" {
		unit = 1024
	}
	longestMS, inRow := doc.longestMS(), doc.inRow()
	for i, j := range doc.Jobs {
		if j.Name == "All clients" {
			continue
		}
		if j.Error != 0 {
			in.notes = append(in.notes, fmt.Sprintf("%s: job %s ended with error %d", in.Name,
				j.Name, j.Error))
		}
		began := j.StartMS * 1e6
		phase := ""
		if j.StartMS == 0 && len(doc.Jobs) > 1 {
			guessed = guessed || !inRow
			if inRow {
				phase = j.Name
			}
		}
		if began == 0 && phase == "" && doc.EndMS > 0 {
			began = (doc.EndMS - longestMS) * 1e6
		}
		r := in.earlierResult(j.Name, i+1, began)
		if r == nil {
			r = in.addResult(doc, i, began, phase)
		}
		runtimeNS := max(j.Read.RuntimeMS, j.Write.RuntimeMS) * 1e6
		r.mean.steps = []step{{read, 0, runtimeNS, j.Read.Bytes * unit},
			{write, 0, runtimeNS, j.Write.Bytes * unit}}
		r.requests = j.Read.Requests + j.Write.Requests
	}
	return guessed
}

// longestMS returns how long the longest job ran.
func (doc *fioOutput) longestMS() (longest int64) {
	for _, j := range doc.Jobs {
		longest = max(longest, j.Read.RuntimeMS, j.Write.RuntimeMS)
	}
	return longest
}

// inRow says whether some jobs waited for others, or for a time, before they started.
func (doc *fioOutput) inRow() bool {
	for _, j := range doc.Jobs {
		if j.Group != doc.Jobs[0].Group {
			return true
		}
		for _, option := range []string{"startdelay", "wait_for"} {
			if j.Options[option] != nil || doc.Global[option] != nil {
				return true
			}
		}
	}
	return false
}

// earlierResult finds what the file said of the same job before: with --status-interval fio writes
// what a job has done so far, and then again. It is nil if the job is new.
func (in *input) earlierResult(job string, index int, began int64) (r *fioResult) {
	for _, other := range in.results {
		apart := time.Duration(other.mean.began - began).Abs()
		if other.mean.source == "" && other.job == job && other.index == index &&
			apart < time.Second {
			r = other
		}
	}
	return r
}

// addResult begins the result of a document's job, with its series of means.
func (in *input) addResult(doc *fioOutput, job int, began int64, phase string) *fioResult {
	j := doc.Jobs[job]
	_, isGrouped := j.Options["group_reporting"]
	name := strings.TrimPrefix(j.Host+":"+j.Name, ":")
	r := &fioResult{job: j.Name, index: job + 1, version: doc.Version,
		isGrouped: isGrouped || doc.Global["group_reporting"] != nil,
		mean:      in.add(doc.Version, name, phase)}
	r.mean.began = began
	r.mean.isMean = true
	in.results = append(in.results, r)
	return r
}

// joinResults takes from the results when logged jobs began and what they moved. A log may not say
// more than its job moved: averaged logs of fast jobs do. Results without a log stay as means.
func (in *input) joinResults() {
	logs := map[*fioResult][]*series{}
	for _, s := range in.series {
		if s.tool != "fio" {
			continue
		}
		if r := in.resultOf(s.source); r != nil {
			logs[r] = append(logs[r], s)
		} else {
			in.notes = append(in.notes, s.source+": nothing to check its bytes against; "+
				"give fio's json output with it")
		}
	}
	for _, r := range in.results {
		if len(logs[r]) == 0 {
			continue
		}
		in.series = slices.DeleteFunc(in.series, func(s *series) bool { return s == r.mean })
		var sources []string
		logged := int64(0)
		total := max(1, r.mean.moved())
		for _, s := range logs[r] {
			sources = append(sources, s.source)
			logged += s.moved()
			s.tool = r.version
			s.phase = r.mean.phase
			s.began = cmp.Or(s.began, r.mean.began)
		}
		apart := float64(logged)/float64(total) - 1
		isLess := r.isGrouped && apart < -tooFarApart
		if math.Abs(apart) > tooFarApart {
			done := "scaled to these"
			if isLess {
				done = "left as they are: the results may be of more jobs"
			}
			in.notes = append(in.notes, fmt.Sprintf("%s: the log's bytes differ from those of the "+
				"results by %+.1f%%, and are %s", strings.Join(sources, ", "), 100*apart, done))
		}
		for _, s := range logs[r] {
			if !isLess {
				s.scale(int64(float64(total) * float64(s.moved()) / float64(logged)))
			}
		}
	}
}

// resultOf finds the result of a log's job: by the name, and by the number that fio gives logs if
// that is not enough. It is nil if there is none.
func (in *input) resultOf(log string) *fioResult {
	name, _, number := fioName(filepath.Base(log))
	var named, numbered []*fioResult
	for _, r := range in.results {
		if r.job == name {
			named = append(named, r)
		}
	}
	if len(named) == 1 {
		return named[0]
	}
	for _, r := range in.results {
		if strconv.Itoa(r.index) == number && (r.job == name || len(named) == 0) {
			numbered = append(numbered, r)
		}
	}
	if len(numbered) != 1 {
		return nil
	}
	return numbered[0]
}
