package foreign

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

// rows calls a function with the cells of each row by their columns. The last cell may hold more
// commas and quotes, as elbencho's command does.
func (in *input) rows(row func(cells map[string]string) error) error {
	var head []string
	for text := range in.lines() {
		if text == "" {
			continue
		}
		r := csv.NewReader(strings.NewReader(text))
		r.LazyQuotes = true
		cells, err := r.Read()
		if err != nil {
			return err
		}
		if head == nil {
			head = cells
		} else if len(cells) < len(head) ||
			len(cells) > len(head) && head[len(head)-1] != "command" {
			return fmt.Errorf("it has %d cells, and the table %d columns", len(cells), len(head))
		}
		byColumn := map[string]string{}
		for i, column := range head {
			byColumn[strings.TrimSpace(column)] = strings.TrimSpace(cells[i])
		}
		if err := row(byColumn); err != nil {
			return err
		}
	}
	return nil
}

// table reads any table over time, by what its columns hold.
func (in *input) table() error { return in.timeline("a table", in.opts.Map) }

// elbenchoLive reads elbencho's live statistics: of each phase the bytes done so far, in all.
func (in *input) elbenchoLive() error {
	return in.timeline("elbencho", map[string]string{"disk": "Label", "phase": "Phase",
		"op": "Phase", "time_ms": "RuntimeMS", "done_bytes": "DoneBytes"})
}

// direction returns what a cell names. Neither is what an elbencho's phase does that moves no data.
func direction(text string) (op int64, ok bool) {
	text = strings.ToLower(text)
	if text == "r" || strings.Contains(text, "read") {
		return read, true
	}
	return write, text == "" || text == "w" || strings.Contains(text, "write")
}

// tableReader is a table that is being read.
type tableReader struct {
	*input
	tool    string
	columns map[string]string // by what they hold
	clock   string            // what the column of the time holds, such as time_s
	amount  string            // what that of the bytes holds, such as rate
	started int64             // the wall clock's first time, if the table has it
	disks   map[[2]string]*tableDisk
}

// tableDisk is a disk in a phase, as far as its rows are read.
type tableDisk struct {
	*series
	beforeNS, nowNS int64    // the instants of the last rows, or none
	lastNS          [2]int64 // by direction
	done            [2]float64
}

// noInstant is no instant: there was no row before.
const noInstant = math.MinInt64

// nsPerUnit has the units of columns of time. A plain time is the wall clock's.
func nsPerUnit() map[string]float64 {
	return map[string]float64{"time": 0, "time_s": 1e9, "time_ms": 1e6, "time_ns": 1}
}

// timeline reads a table. A row is about the time since the row before of its disk; rows of one
// time are of the two directions.
func (in *input) timeline(tool string, columns map[string]string) error {
	t := &tableReader{input: in, tool: tool, columns: columns, disks: map[[2]string]*tableDisk{}}
	if err := t.findClockAndAmount(); err != nil {
		return err
	}
	err := in.rows(t.row)
	t.trim()
	return err
}

// findClockAndAmount takes from the columns how they give the time and the bytes.
func (t *tableReader) findClockAndAmount() error {
	amounts := []string{"bytes", "done_bytes", "rate"}
	known := slices.Concat(slices.Sorted(maps.Keys(nsPerUnit())), amounts,
		[]string{"disk", "op", "phase"})
	for field, column := range t.columns {
		if !slices.Contains(known, field) {
			return fmt.Errorf("--map %s=%s: a column is one of %s", column, field,
				strings.Join(known, ", "))
		}
		if strings.HasPrefix(field, "time") {
			t.clock = field
		} else if slices.Contains(amounts, field) {
			t.amount = field
		}
	}
	if t.clock == "" || t.amount == "" {
		return errors.New("name the columns of the time and of the bytes or the rate, such as " +
			"--map Seconds=time_s,Bytes=bytes")
	}
	return nil
}

// row adds what a row says to its disk.
func (t *tableReader) row(cells map[string]string) error {
	for field, column := range t.columns {
		if _, ok := cells[column]; !ok {
			return fmt.Errorf("--map %s=%s: the table has no such column; it has %s", column,
				field, strings.Join(slices.Sorted(maps.Keys(cells)), ", "))
		}
	}
	at := func(field string) string { return cells[t.columns[field]] }
	op, ok := direction(at("op"))
	isPart := cmp.Or(cells["Rank"], "Total") != "Total"
	switch {
	case at(t.clock) == t.columns[t.clock] || t.isElbencho() && (isPart || !ok):
		return nil // the head, or one worker's, or its phase moves no data
	case !ok:
		return fmt.Errorf("%q is neither read nor write", at("op"))
	}
	value, err := number(at(t.amount))
	if err != nil {
		return err
	}
	nowNS, ok := t.instant(at(t.clock))
	if !ok {
		return fmt.Errorf("%q is no time, or none as RFC 3339 has it; else map time_s, time_ms or "+
			"time_ns", at(t.clock))
	}
	return t.disk(at("disk"), at("phase")).add(op, nowNS, t.amount, value)
}

// isElbencho says whether the table is elbencho's live statistics.
func (t *tableReader) isElbencho() bool { return t.tool == "elbencho" }

// instant reads a time. That of the wall clock is counted from the table's first.
func (t *tableReader) instant(cell string) (ns int64, ok bool) {
	if t.clock == "time" {
		at, err := time.Parse(time.RFC3339Nano, cell)
		if err != nil {
			return 0, false
		}
		t.started = cmp.Or(t.started, at.UnixNano())
		return at.UnixNano() - t.started, true
	}
	units, err := number(cell)
	inNS := units * nsPerUnit()[t.clock]
	if err != nil || inNS >= math.MaxInt64 {
		return 0, false
	}
	return int64(inNS), true
}

// disk returns the disk of a row, and begins its series if the row is its first.
func (t *tableReader) disk(name, phase string) *tableDisk {
	key := [2]string{phase, name}
	if d := t.disks[key]; d != nil {
		return d
	}
	d := &tableDisk{series: t.add(t.tool, name, phase), beforeNS: noInstant, nowNS: noInstant,
		lastNS: [2]int64{noInstant, noInstant}}
	if t.isElbencho() {
		d.nowNS = 0 // Its bytes count from there.
		d.lastNS = [2]int64{}
	}
	d.began = t.started
	t.disks[key] = d
	return d
}

// add adds the step that ends at a row, by what its amount is: bytes, done_bytes or rate.
func (d *tableDisk) add(op, nowNS int64, amount string, value float64) error {
	before := d.lastNS[op]
	d.lastNS[op] = nowNS
	if nowNS > d.nowNS {
		d.beforeNS = d.nowNS
		d.nowNS = nowNS
	}
	fromNS := d.beforeNS
	switch {
	case nowNS < d.nowNS || nowNS == before:
		return errors.New("its time is not after that of the row before; if a column tells the " +
			"rows apart, map it as disk, op or phase")
	case amount == "rate":
		value *= float64(nowNS-fromNS) / 1e9
	case amount == "done_bytes" && value < d.done[op]:
		return errors.New("fewer bytes are done than in the row before; map the column as bytes " +
			"or rate if it has these")
	case amount == "done_bytes":
		fromNS = before
		value, d.done[op] = value-d.done[op], value
	}
	if fromNS > noInstant { // else nothing says since when
		d.steps = append(d.steps, step{op, fromNS, nowNS, int64(value)})
	}
	return nil
}

// trim cuts off the ends in which next to nothing moved, and notes those that are long.
func (t *tableReader) trim() {
	for _, d := range t.disks {
		last := d.end()
		d.trim()
		if rest := time.Duration(last - d.end()); rest >= pauseNS && len(d.steps) > 0 {
			t.notes = append(t.notes, fmt.Sprintf("%s: next to nothing moved in the last %s of "+
				"%s, which do not count", t.Name, unit.FormatSeconds(rest.Seconds()),
				cmp.Or(d.phase, d.disk)))
		}
	}
}

// elbenchoResult reads elbencho's results: a row for each phase, with means until the last worker
// was done.
func (in *input) elbenchoResult() error {
	phases := map[string]int{}
	return in.rows(func(cells map[string]string) error {
		op, ok := direction(cells["operation"])
		if !ok {
			return nil
		}
		ms, err := number(cells["time ms [last]"])
		amount, errBytes := number(cells["MiB [last]"])
		if err := cmp.Or(err, errBytes); err != nil {
			return err
		}
		phase := cells["operation"]
		if phases[phase]++; phases[phase] > 1 {
			phase = fmt.Sprint(phase, " ", phases[phase])
		}
		all := step{op, 0, int64(ms * 1e6), int64(amount) << 20}
		s := in.add("elbencho", cells["label"], phase, all)
		s.isMean = true
		if at, err := time.Parse(isoTime, cells["ISO date"]); err == nil {
			s.began = at.UnixNano() - s.end()
		}
		return nil
	})
}
