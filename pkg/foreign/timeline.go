package foreign

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

// rows are the lines of a CSV file by the names of its columns.
func rows(data []byte) (head []string, all []map[string]string, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	lines, err := r.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	if len(lines) < 2 {
		return nil, nil, errors.New("the table has no rows")
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line[:min(len(line), len(lines[0]))] {
			row[strings.TrimSpace(lines[0][i])] = strings.TrimSpace(cell)
		}
		all = append(all, row)
	}
	return lines[0], all, nil
}

// elbenchoLive reads elbencho's live statistics: of each phase the bytes done so far, by rank or in all.
func elbenchoLive(f File) ([]*job, error) {
	_, all, err := rows(f.Data)
	if err != nil {
		return nil, err
	}
	jobs := map[string]*job{}
	last := map[string][2]int64{}
	var list []*job
	for i, row := range all {
		if row["Rank"] != "Total" || row["MixType"] != "" && row["MixType"] != row["Phase"] && row["MixType"] != "Total" {
			continue
		}
		op := trace.Write
		switch {
		case strings.Contains(strings.ToUpper(row["Phase"]), "READ"):
			op = trace.Read
		case !strings.Contains(strings.ToUpper(row["Phase"]), "WRITE"):
			continue // it makes or removes entries
		}
		ms, err := strconv.ParseInt(row["RuntimeMS"], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: RuntimeMS %q is no number", i+2, row["RuntimeMS"])
		}
		done, err := strconv.ParseInt(row["DoneBytes"], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: DoneBytes %q is no number", i+2, row["DoneBytes"])
		}
		key := row["Phase"]
		if jobs[key] == nil {
			jobs[key] = &job{disk: cmp.Or(row["Label"], nameOf(f)), phase: key, op: op, tool: "elbencho"}
			list = append(list, jobs[key])
		}
		if from := last[key]; ms > from[0] && done >= from[1] {
			jobs[key].steps = append(jobs[key].steps, step{fromNS: from[0] * 1e6, toNS: ms * 1e6, bytes: done - from[1]})
			last[key] = [2]int64{ms, done}
		}
	}
	if list = slices.DeleteFunc(list, (*job).idle); len(list) == 0 {
		return nil, errors.New("no rows of reading or writing")
	}
	return list, nil
}

// fields are what a column of a table may be: one of the times, and one of the amounts, is needed.
func fields() (times, amounts, all []string) {
	times, amounts = []string{"time_s", "time_ms", "time_ns", "time"}, []string{"bytes", "done_bytes", "rate"}
	return times, amounts, slices.Concat(times, amounts, []string{"disk", "op", "phase"})
}

// table reads any table over time, by what its columns are. A row is of the time since the row before of its disk; rows
// of one time are of the two directions.
func table(f File, columns map[string]string) ([]*job, error) {
	head, all, err := rows(f.Data)
	if err != nil {
		return nil, err
	}
	times, amounts, known := fields()
	for field, column := range columns {
		if !slices.Contains(known, field) {
			return nil, fmt.Errorf("--map %s=%s: a column is one of %s", column, field, strings.Join(known, ", "))
		}
		if !slices.Contains(head, column) {
			return nil, fmt.Errorf("--map %s=%s: the table has no such column; it has %s", column, field, strings.Join(head, ", "))
		}
	}
	given := func(fields []string) string {
		at := slices.IndexFunc(fields, func(field string) bool { return columns[field] != "" })
		if at < 0 {
			return ""
		}
		return fields[at]
	}
	clock, amount := given(times), given(amounts)
	if clock == "" || amount == "" {
		return nil, errors.New("name the columns of the time and of the bytes or the rate, such as --map Seconds=time_s,Bytes=bytes")
	}
	t := points{of: map[series][]point{}, instants: map[place][]int64{}}
	for i, row := range all {
		s := series{place{row[columns["phase"]], cmp.Or(row[columns["disk"]], nameOf(f))}, trace.Write}
		if strings.HasPrefix(strings.ToLower(row[columns["op"]]), "r") {
			s.op = trace.Read
		}
		if err := t.add(s, row[columns[clock]], clock, row[columns[amount]], amount); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	list := t.jobs(amount)
	if len(list) == 0 {
		return nil, errors.New("no two rows of one disk")
	}
	return list, nil
}

// points are the rows of a table, by what they are of, and the times at which each disk has any.
type points struct {
	of       map[series][]point
	instants map[place][]int64
}

type place struct{ phase, disk string }

type series struct {
	place
	op trace.Role
}

type point struct {
	ns    int64
	value float64
}

// add reads a row's time and its bytes or rate.
func (t points) add(s series, at, clock, value, amount string) error {
	ns, err := timeOf(at, clock)
	if err != nil {
		return err
	}
	now := point{ns: ns}
	if now.value, err = strconv.ParseFloat(value, 64); err != nil || !(now.value >= 0 && now.value < 1e18) {
		return fmt.Errorf("%q is no number of bytes", value)
	}
	if n := len(t.of[s]); n > 0 {
		switch before := t.of[s][n-1]; {
		case now.ns <= before.ns:
			return errors.New("its time is not after that of the row before; if a column tells the rows apart, map it " +
				"as disk, op or phase")
		case amount == "done_bytes" && now.value < before.value:
			return errors.New("fewer bytes are done than in the row before; map the column as bytes or rate if it has these")
		}
	}
	t.of[s], t.instants[s.place] = append(t.of[s], now), append(t.instants[s.place], now.ns)
	return nil
}

// jobs has what was moved in each direction between one time of a disk and the next.
func (t points) jobs(amount string) (list []*job) {
	for _, s := range slices.SortedFunc(maps.Keys(t.of), func(a, b series) int {
		return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.disk, b.disk), cmp.Compare(a.op, b.op))
	}) {
		j := &job{disk: s.disk, phase: s.phase, op: s.op, tool: "a table"}
		instants := t.instants[s.place]
		slices.Sort(instants)
		for i, p := range t.of[s] {
			part := step{fromNS: p.ns, toNS: p.ns, bytes: int64(p.value)}
			if n, _ := slices.BinarySearch(instants, p.ns); n > 0 {
				part.fromNS = instants[n-1]
			}
			switch {
			case amount == "rate":
				part.bytes = int64(p.value * float64(part.toNS-part.fromNS) / 1e9)
			case amount == "done_bytes" && i > 0:
				before := t.of[s][i-1]
				part.fromNS, part.bytes = before.ns, int64(p.value-before.value)
			case amount == "done_bytes":
				continue
			}
			if part.toNS > part.fromNS {
				j.steps = append(j.steps, part)
			}
		}
		if len(j.steps) > 0 {
			list = append(list, j)
		}
	}
	return list
}

// timeOf reads a time of a table, in ns.
func timeOf(text, clock string) (int64, error) {
	if clock == "time" {
		t, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return 0, fmt.Errorf("%q is no time as RFC 3339 has it; map time_s, time_ms or time_ns", text)
		}
		return t.UnixNano(), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	ns := v * map[string]float64{"time_s": 1e9, "time_ms": 1e6, "time_ns": 1}[clock]
	if err != nil || !(math.Abs(ns) < math.MaxInt64) {
		return 0, fmt.Errorf("%q is no time", text)
	}
	return int64(ns), nil
}

// diskSpdTarget is what one thread did to one file, in DiskSpd's XML. Requests per second are those of the time up
// to EndMS.
type diskSpdTarget struct {
	Path                                         string
	ReadBytes, ReadCount, WriteBytes, WriteCount int64
	Buckets                                      []struct {
		EndMS       int64   `xml:"SampleMillisecond,attr"`
		Read, Write float64 `xml:",attr"`
	} `xml:"Iops>Bucket"`
}

// diskSpdXML reads DiskSpd's XML (-Rxml) with requests by interval (-D). What the threads of a path moved is added
// up, and held against the totals.
func diskSpdXML(f File) (list []*job, err error) {
	var doc struct {
		Spans []struct {
			Targets []diskSpdTarget `xml:"Thread>Target"`
		} `xml:"TimeSpan"`
	}
	if err := xml.NewDecoder(bytes.NewReader(f.Data)).Decode(&doc); err != nil {
		return nil, fmt.Errorf("its XML is torn: %w; save it again as diskspd wrote it", err)
	}
	for i, span := range doc.Spans {
		jobs, totals := map[string]*job{}, map[string]int64{}
		for _, t := range span.Targets {
			if t.ReadBytes+t.WriteBytes <= 0 {
				continue
			}
			steps, err := t.steps()
			if err != nil {
				return nil, fmt.Errorf("timespan %d, %s: %w", i+1, t.Path, err)
			}
			if jobs[t.Path] == nil {
				jobs[t.Path] = &job{disk: t.Path, phase: fmt.Sprintf("timespan %d", i+1), tool: "diskspd"}
				list = append(list, jobs[t.Path])
			}
			jobs[t.Path].steps = merged(jobs[t.Path].steps, steps)
			totals[t.Path] += t.ReadBytes + t.WriteBytes
		}
		for _, path := range slices.Sorted(maps.Keys(totals)) {
			j, total := jobs[path], totals[path]
			if apart := float64(moved(j.steps))/float64(total) - 1; max(apart, -apart) > tooFarApart {
				return nil, fmt.Errorf("%s, %s: the bytes of the intervals differ from the total by %+.1f %%, so one of them is wrong; run it again",
					j.phase, path, 100*apart)
			}
			scale(j.steps, total)
			j.settle()
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no thread in it moved anything")
	}
	return list, nil
}

// steps are a target's: of each interval the requests of both directions, each by its size.
func (t *diskSpdTarget) steps() (steps []step, err error) {
	if len(t.Buckets) == 0 {
		return nil, errors.New("no rates over time; run diskspd with -D beside -Rxml")
	}
	const longest = 1e10 // ms: four months
	read, write := float64(t.ReadBytes)/float64(max(1, t.ReadCount)), float64(t.WriteBytes)/float64(max(1, t.WriteCount))
	before := int64(0)
	for _, b := range t.Buckets {
		if b.EndMS <= before || b.EndMS > longest {
			return nil, fmt.Errorf("the interval up to %d ms does not follow the one up to %d ms; save it again as diskspd wrote it", b.EndMS, before)
		}
		seconds := float64(b.EndMS-before) / 1e3
		done := int64(b.Read * read * seconds)
		steps = append(steps, step{before * 1e6, b.EndMS * 1e6, done + int64(b.Write*write*seconds), done})
		before = b.EndMS
	}
	return steps, nil
}
