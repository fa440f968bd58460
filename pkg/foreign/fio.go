package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
)

// fioLine is a line of fio's logs: milliseconds, a value, the direction, the block size, and in newer ones an offset and
// a priority.
var fioLine = regexp.MustCompile(`^\s*\d+\s*,\s*\d+\s*,\s*[0-2]\s*,\s*\d+(\s*,\s*\w+)*\s*$`)

// fioName is the name of a log: job_bw.1.log.
var fioName = regexp.MustCompile(`^(.*)_(bw|lat|clat|slat|iops)(?:\.(\d+))?\.log$`)

// epochMS is a time in ms that must be the wall clock's: of 2001.
const epochMS = 1e12

// fioLog reads a log of bandwidth. Of an averaged one (log_avg_msec) a line is a rate in KiB/s over the time before it, as
// long as lines are apart; where one is missing nothing was moved. Of others a line is one request, of the size that
// it says, and its rate says how long it took.
func fioLog(f File) ([]*job, error) {
	name := fioName.FindStringSubmatch(filepath.Base(f.Name))
	switch {
	case name == nil:
		return nil, errors.New("of which measure the log is stands in its name, as fio writes it: NAME_bw.1.log")
	case name[2] != "bw":
		return nil, fmt.Errorf("a log of %s has no bytes; give the one of bw", name[2])
	}
	var lines []fioEntry
	for i, text := range strings.Split(strings.TrimSpace(string(f.Data)), "\n") {
		if !fioLine.MatchString(strings.TrimSuffix(text, "\r")) {
			return nil, fmt.Errorf("line %d: %q is no line of fio's log", i+1, text)
		}
		var v [4]int64
		for k, field := range strings.Split(text, ",")[:4] {
			v[k], _ = strconv.ParseInt(strings.TrimSpace(field), 10, 64) // fioLine has looked at it
		}
		if v[2] < 2 { // else it is a trim
			lines = append(lines, fioEntry{v[0], v[1], v[2], v[3]})
		}
	}
	if len(lines) == 0 {
		return nil, errors.New("the log is empty")
	}
	slices.SortStableFunc(lines, func(a, b fioEntry) int { return cmp.Compare(a.ms, b.ms) })
	var moved, last [2]int64
	var apart []int64
	for _, l := range lines {
		if last[l.op] > 0 {
			apart = append(apart, l.ms-last[l.op])
		}
		moved[l.op], last[l.op] = moved[l.op]+max(l.block, l.kib), l.ms
	}
	slices.Sort(apart)
	window := int64(1)
	if len(apart) > 0 {
		window = max(window, apart[len(apart)/2])
	}
	j := &job{disk: name[1], op: trace.Read, tool: "fio"}
	if moved[1] > moved[0] {
		j.op = trace.Write
	}
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
	return []*job{j}, nil
}

// fioEntry is a line of a log.
type fioEntry struct{ ms, kib, op, block int64 }

// stepsOf are those of one direction.
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
			took := float64(l.block) / 1024 / float64(max(1, l.kib)) * 1e9
			s.fromNS, s.bytes = max(before*1e6, s.toNS-int64(took)), l.block
		} else {
			s.bytes = int64(float64(l.kib) * 1024 * float64(s.toNS-s.fromNS) / 1e9)
		}
		before = l.ms
		if n := len(steps); s.fromNS == s.toNS && n > 0 {
			steps[n-1].bytes += s.bytes // in the same millisecond
			continue
		}
		s.toNS = max(s.toNS, s.fromNS+1e6)
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
		s := step{edges[i], edges[i+1], 0}
		covered := false
		for _, list := range [][]step{a, b} {
			k, _ := slices.BinarySearchFunc(list, s.fromNS, func(of step, at int64) int { return cmp.Compare(of.toNS, at+1) })
			if k < len(list) && list[k].fromNS <= s.fromNS {
				of := list[k]
				share := func(at int64) int64 {
					return int64(float64(of.bytes) * float64(at-of.fromNS) / float64(of.toNS-of.fromNS))
				}
				s.bytes, covered = s.bytes+share(s.toNS)-share(s.fromNS), true
			}
		}
		if covered {
			out = append(out, s)
		}
	}
	return out
}

// fioResult is a job of fio's json output.
type fioResult struct {
	name    string
	index   int   // in its file, from 1
	began   int64 // Unix time in ns; 0: not known
	bytes   int64
	version string
	grouped bool // it stands for several
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
			Version string `json:"fio version"`
			EndMS   int64  `json:"timestamp_ms"`
			Jobs    []struct {
				Name    string `json:"jobname"`
				Start   int64  `json:"job_start"` // ms, from 3.36 on
				Runtime int64  `json:"job_runtime"`
				Options struct {
					NumJobs string  `json:"numjobs"`
					Grouped *string `json:"group_reporting"`
				} `json:"job options"`
				Read, Write struct {
					Bytes int64 `json:"io_bytes"`
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
			r := fioResult{name: j.Name, index: i + 1, bytes: j.Read.Bytes + j.Write.Bytes, version: doc.Version}
			r.grouped = j.Options.Grouped != nil || cmp.Or(j.Options.NumJobs, "1") != "1" && len(doc.Jobs) == 1
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
	for _, j := range jobs {
		if j.tool != "fio" {
			continue
		}
		r, ok := resultOf(j, results)
		if !ok {
			notes = append(notes, j.source+": nothing to check its bytes against; give fio's json output beside it")
			continue
		}
		j.tool = r.version
		if j.began == 0 {
			j.began = r.began
		}
		var logged int64
		for _, s := range j.steps {
			logged += s.bytes
		}
		apart := float64(logged)/float64(max(1, r.bytes)) - 1
		if apart > tooFarApart || apart < -tooFarApart {
			notes = append(notes, fmt.Sprintf("%s: the log's bytes differ from those of the results by %+.1f %%, and are scaled to these",
				j.source, 100*apart))
		}
		scale(j.steps, r.bytes)
	}
	return notes
}

// resultOf finds the result of a log's job: by the name, else by the number that fio gives logs.
func resultOf(j *job, results []fioResult) (fioResult, bool) {
	name := fioName.FindStringSubmatch(filepath.Base(j.source))
	for _, mine := range []func(r fioResult) bool{
		func(r fioResult) bool { return r.name == name[1] },
		func(r fioResult) bool { return strconv.Itoa(r.index) == name[3] },
	} {
		var found []fioResult
		for _, r := range results {
			if mine(r) {
				found = append(found, r)
			}
		}
		if len(found) > 0 {
			return found[0], len(found) == 1 && !found[0].grouped
		}
	}
	return fioResult{}, false
}

// scale makes the steps' bytes add up to a sum.
func scale(steps []step, sum int64) {
	var logged, done, scaled int64
	for _, s := range steps {
		logged += s.bytes
	}
	for i := range steps {
		done += steps[i].bytes
		upTo := int64(float64(sum) * float64(done) / float64(max(1, logged)))
		steps[i].bytes, scaled = upTo-scaled, upTo
	}
}
