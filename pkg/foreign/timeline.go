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
	last := map[string][2]int64{} // milliseconds and bytes
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
		var numbers [2]int64
		for k, column := range []string{"RuntimeMS", "DoneBytes"} {
			if numbers[k], err = strconv.ParseInt(row[column], 10, 64); err != nil {
				return nil, fmt.Errorf("line %d: %s %q is no number", i+2, column, row[column])
			}
		}
		key := row["Phase"]
		if jobs[key] == nil {
			jobs[key] = &job{disk: cmp.Or(row["Label"], nameOf(f)), phase: key, op: op, tool: "elbencho"}
			list = append(list, jobs[key])
		}
		if from := last[key]; numbers[0] > from[0] && numbers[1] >= from[1] {
			done := step{fromNS: from[0] * 1e6, toNS: numbers[0] * 1e6, bytes: numbers[1] - from[1]}
			jobs[key].steps = append(jobs[key].steps, done)
			last[key] = numbers
		}
	}
	list = slices.DeleteFunc(list, func(j *job) bool { return len(j.steps) == 0 })
	if len(list) == 0 {
		return nil, errors.New("no rows of reading or writing")
	}
	return list, nil
}

// table reads any table over time, by what its columns are. A row is of the time since the row before of its disk; rows
// of one time are of the two directions.
func table(f File, columns map[string]string) ([]*job, error) {
	head, all, err := rows(f.Data)
	if err != nil {
		return nil, err
	}
	times, amounts := []string{"time_s", "time_ms", "time_ns", "time"}, []string{"bytes", "done_bytes", "rate"}
	known := slices.Concat(times, amounts, []string{"disk", "op", "phase"})
	for field, column := range columns {
		if !slices.Contains(known, field) {
			return nil, fmt.Errorf("--map %s=%s: a column is one of %s", column, field, strings.Join(known, ", "))
		}
		if !slices.Contains(head, column) {
			return nil, fmt.Errorf("--map %s=%s: the table has no such column; it has %s", column, field, strings.Join(head, ", "))
		}
	}
	given := func(fields []string) string {
		for _, field := range fields {
			if columns[field] != "" {
				return field
			}
		}
		return ""
	}
	clock, amount := given(times), given(amounts)
	if clock == "" || amount == "" {
		return nil, errors.New("name the columns of the time and of the bytes or the rate, such as --map Seconds=time_s,Bytes=bytes")
	}
	of := map[series][]point{}
	instants := map[[2]string][]int64{} // at which a disk has any row, by phase and disk
	for i, row := range all {
		s := series{row[columns["phase"]], cmp.Or(row[columns["disk"]], nameOf(f)), string(trace.Write)}
		if strings.HasPrefix(strings.ToLower(row[columns["op"]]), "r") {
			s[2] = string(trace.Read)
		}
		now, err := next(of[s], row[columns[clock]], clock, row[columns[amount]], amount)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		place := [2]string(s[:2])
		of[s], instants[place] = append(of[s], now), append(instants[place], now.ns)
	}
	var list []*job
	for _, s := range slices.SortedFunc(maps.Keys(of), func(a, b series) int { return slices.Compare(a[:], b[:]) }) {
		at := instants[[2]string(s[:2])]
		slices.Sort(at)
		j := &job{phase: s[0], disk: s[1], op: trace.Role(s[2]), tool: "a table", steps: between(of[s], at, amount)}
		if len(j.steps) > 0 {
			list = append(list, j)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no two rows of one disk")
	}
	return list, nil
}

// series is what rows are of: the phase, the disk and the direction.
type series [3]string

type point struct {
	ns    int64
	value float64
}

// next reads a row's time and its bytes or rate, after the rows before.
func next(rows []point, at, clock, value, amount string) (now point, err error) {
	if now.ns, err = timeOf(at, clock); err != nil {
		return now, err
	}
	if now.value, err = strconv.ParseFloat(value, 64); err != nil || !(now.value >= 0 && now.value < 1e18) {
		return now, fmt.Errorf("%q is no number of bytes", value)
	}
	if n := len(rows); n > 0 {
		switch before := rows[n-1]; {
		case now.ns <= before.ns:
			return now, errors.New("its time is not after that of the row before; if a column tells the rows apart, map it " +
				"as disk, op or phase")
		case amount == "done_bytes" && now.value < before.value:
			return now, errors.New("fewer bytes are done than in the row before; map the column as bytes or rate if it has these")
		}
	}
	return now, nil
}

// between has what was moved in a direction from one instant of its disk to the next.
func between(rows []point, instants []int64, amount string) (steps []step) {
	for i, p := range rows {
		part := step{fromNS: p.ns, toNS: p.ns, bytes: int64(p.value)}
		if n, _ := slices.BinarySearch(instants, p.ns); n > 0 {
			part.fromNS = instants[n-1]
		}
		switch {
		case amount == "rate":
			part.bytes = int64(p.value * float64(part.toNS-part.fromNS) / 1e9)
		case amount == "done_bytes" && i > 0:
			before := rows[i-1]
			part.fromNS, part.bytes = before.ns, int64(p.value-before.value)
		case amount == "done_bytes":
			continue
		}
		if part.toNS > part.fromNS {
			steps = append(steps, part)
		}
	}
	return steps
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
