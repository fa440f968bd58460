package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

// recording gathers what iostat, sar or dstat says of devices: their rates from one instant to the next.
type recording struct {
	tool    string
	every   time.Duration // of files without times, as the caller says
	instant []int64       // in ns
	begun   bool          // it is known when the next report begins
	open    bool          // it is known when the present one began: the first is of all the time since the system started
	wall    bool          // instants are the wall clock's with its zone, else of a day
	devices map[string]*job
	note    string
}

// stamp reads a time: one with its zone, Unix time in seconds, or the time of day in any text. Dates without a zone say
// nothing beside other files, and are written in many ways: a new day is told by the time going back.
func (r *recording) stamp(text string) (ns int64, ok bool) {
	for _, layout := range []string{"2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 UTC"} {
		if t, err := time.Parse(layout, text); err == nil {
			r.wall = true
			return t.UnixNano(), true
		}
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > epochMS/1e3 && s < epochMS/1e2 {
		r.wall = true
		return int64(s*1e3) * 1e6, true
	}
	const day = int64(24 * time.Hour)
	words := append(strings.Fields(text), "")
	for i, word := range words[:len(words)-1] {
		layout := "15:04:05"
		if half := words[i+1]; half == "AM" || half == "PM" {
			layout, word = "03:04:05PM", word+half
		}
		if t, err := time.Parse(layout, word); err == nil {
			ns = int64(t.Sub(t.Truncate(24 * time.Hour)))
			if n := len(r.instant); n > 0 {
				if ns += r.instant[n-1] / day * day; ns < r.instant[n-1]-day/2 {
					ns += day
				}
			}
			return ns, true
		}
	}
	return 0, false
}

// next begins a report up to a time, or one of a file without times.
func (r *recording) next(text string) error {
	at, ok := r.stamp(text)
	if n := len(r.instant); !ok && n > 0 {
		at = r.instant[n-1] + int64(r.every)
	}
	r.instant, r.open, r.begun = append(r.instant, at), r.begun, true
	if !ok && r.every <= 0 {
		return errors.New("its reports have no times: record with iostat -t or dstat --time, or say how far apart they " +
			"are, such as --interval 1s")
	}
	return nil
}

// add adds a device's rates to the last report. Columns go by their unit: sectors have 512 bytes, kB are KiB and MB
// MiB.
func (r *recording) add(disk string, row map[string]string) error {
	for names, unit := range map[string]float64{
		"read writ": 1, "rsec/s wsec/s": 512, "rd_sec/s wr_sec/s": 512, "Blk_read/s Blk_wrtn/s": 512, "rkB/s wkB/s": 1 << 10,
		"kB_read/s kB_wrtn/s": 1 << 10, "rMB/s wMB/s": 1 << 20, "MB_read/s MB_wrtn/s": 1 << 20,
	} {
		read, write, _ := strings.Cut(names, " ")
		if row[read] == "" || row[write] == "" {
			continue
		}
		var rates [2]float64
		for i, text := range []string{row[read], row[write]} {
			v, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64) // many languages have a comma
			if rates[i] = v * unit; err != nil || !(rates[i] >= 0 && rates[i] < 1e14) {
				return fmt.Errorf("%s: %q is no rate", disk, text)
			}
		}
		if r.open && rates[0]+rates[1] > 0 { // else it was idle
			if r.devices[disk] == nil {
				r.devices[disk] = &job{disk: disk, tool: r.tool, device: true}
			}
			d := r.devices[disk]
			d.steps = append(d.steps, step{toNS: int64(len(r.instant) - 1), bytes: int64(rates[0] + rates[1]), read: int64(rates[0])})
		}
		return nil
	}
	return fmt.Errorf("%s: nothing says what it read and what it wrote; record with iostat -x (without -s), sar -d or dstat -d", disk)
}

// sysstat reads what iostat (-x -t, or -d -t) and sar (-d) print, and what sadf makes of sar's files (-d).
func sysstat(f File, tool string, every time.Duration) ([]*job, error) {
	r := &recording{tool: tool, every: every, devices: map[string]*job{}}
	var heads []string // of the table of devices, if we are in it
	lines, stamped, last := strings.Split(strings.TrimSpace(string(f.Data)), "\n"), "", ""
	for i, line := range lines {
		line = strings.TrimSpace(line)
		cells := cellsOf(line)
		var err error
		switch {
		case len(cells) == 0:
			heads = nil
		case strings.TrimSuffix(cells[0], ":") == "Device":
			heads, err = append([]string{"DEV"}, cells[1:]...), r.next(stamped)
			stamped = ""
		case slices.Contains(cells, "DEV"):
			heads = append([]string{"timestamp"}, cells[1:]...)
			if at, ok := r.stamp(cells[0]); ok && last != cells[0] { // of sar: when the first report begins
				r.instant, r.begun = append(r.instant, at), true
			} else if cells[0] == "hostname" {
				heads = cells
			}
		case heads == nil && cells[0] == "Linux": // recorded anew
			r.begun = false
		case heads == nil:
			if _, ok := r.stamp(line); ok {
				stamped = line
			}
		case strings.HasPrefix(line, "# ") || strings.HasSuffix(cells[0], ":"): // another table, or the average
			heads = nil
		case len(cells) > 1 && cells[1] == "-1": // the system started
			r.begun = false
		case len(cells) != len(heads) && i == len(lines)-1:
			r.note = "it is cut short, within its last report"
		case len(cells) != len(heads):
			err = fmt.Errorf("%d cells below %d heads; give the file as it was written", len(cells), len(heads))
		default:
			row := map[string]string{}
			for k, head := range heads {
				row[head] = cells[k]
			}
			if at := row["timestamp"]; at != last {
				if before, e := strconv.ParseInt(row["interval"], 10, 32); e == nil && !r.begun {
					first, _ := r.stamp(at)
					r.instant, r.begun = append(r.instant, first-before*1e9), true
				}
				err, last = r.next(at), at
			}
			err = cmp.Or(err, r.add(row["DEV"], row))
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return r.jobs()
}

// cellsOf splits a line at semicolons, or else at spaces, of which a time has one before AM and PM.
func cellsOf(line string) []string {
	if cells := strings.Split(strings.TrimPrefix(line, "# "), ";"); len(cells) > 1 {
		return cells
	}
	cells := strings.Fields(line)
	if len(cells) > 1 && (cells[1] == "AM" || cells[1] == "PM") {
		cells = append([]string{cells[0] + " " + cells[1]}, cells[2:]...)
	}
	return cells
}

// dstat reads the CSV files of dstat and dool: a line of groups, of which those of disks count, one of names, and rows.
func dstat(f File, every time.Duration) ([]*job, error) {
	r := &recording{tool: "dstat", every: every, devices: map[string]*job{}}
	var groups, names []string
	for i, line := range strings.Split(strings.TrimSpace(string(f.Data)), "\n") {
		cells := strings.Split(strings.NewReplacer(`"`, "", "\r", "").Replace(line), ",")
		switch {
		case strings.Contains(line, " CSV output"): // recorded anew
			groups, names = nil, nil
		case strings.Contains(line, `"dsk/`) && (names != nil || groups == nil):
			groups, names, r.begun = cells, nil, false
		case groups != nil && names == nil:
			names = cells
		case groups != nil && len(cells) >= len(groups):
			at := ""
			for k, name := range names {
				if k < len(cells) && (name == "epoch" || name == "time" && at == "") {
					at = cells[k]
				}
			}
			err := r.next(at)
			for k, group := range groups {
				if disk, ok := strings.CutPrefix(group, "dsk/"); ok && k+1 < len(cells) { // it has two columns
					err = cmp.Or(err, r.add(disk, map[string]string{"read": cells[k], "writ": cells[k+1]}))
				}
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		case groups != nil:
			r.note = fmt.Sprintf("line %d is cut short, and left out", i+1)
		}
	}
	return r.jobs()
}

// jobs makes of each device that moved anything a job. Times are whole seconds: where reports at even intervals explain
// them, they were at even intervals.
func (r *recording) jobs() ([]*job, error) {
	if len(r.devices) == 0 {
		return nil, errors.New("no device moves anything after the first report, which counts from the start of the system")
	}
	n, first := int64(len(r.instant)-1), r.instant[0]
	every := ((r.instant[n]-first)/n + 5e8) / 1e9 * 1e9
	even := every > 0
	for i, at := range r.instant {
		off := at - first - int64(i)*every
		even = even && max(off, -off) <= 1e9 && at%1e9 == 0
	}
	for i := range r.instant {
		if r.instant[i] -= first; even {
			r.instant[i] = int64(i) * every
		}
		if i > 0 && r.instant[i] <= r.instant[i-1] {
			return nil, errors.New("its times go back; give a file of one recording")
		}
	}
	var list []*job
	for _, disk := range slices.Sorted(maps.Keys(r.devices)) {
		j := r.devices[disk]
		for i, s := range j.steps {
			s.fromNS, s.toNS = r.instant[s.toNS-1], r.instant[s.toNS]
			seconds := float64(s.toNS-s.fromNS) / 1e9
			s.bytes, s.read = int64(float64(s.bytes)*seconds), int64(float64(s.read)*seconds)
			j.steps[i] = s
		}
		if r.wall {
			j.began = first
		}
		list = append(list, j)
	}
	list[0].note = r.note
	return list, nil
}

// choose takes of devices those that are named, or else those that were at work: no parts of others or what is made of
// them, as their bytes would count twice, and none that moved next to nothing. A device works from when it first moves
// more than next to nothing to when it last does.
func choose(jobs []*job, names map[string]string) (list []*job) {
	bytes, most, left := map[string]int64{}, int64(0), []string(nil)
	for _, j := range jobs {
		fastest := slices.MaxFunc(j.steps, func(a, b step) int { return cmp.Compare(a.rate(), b.rate()) }).rate()
		works := func(s step) bool { return s.rate() >= small*fastest }
		j.steps = j.steps[slices.IndexFunc(j.steps, works):]
		for !works(j.steps[len(j.steps)-1]) {
			j.steps = j.steps[:len(j.steps)-1]
		}
		bytes[j.disk] += moved(j.steps)
		if j.settle(); names[j.disk] != "" {
			list = append(list, j)
		}
	}
	if len(list) > 0 {
		return list
	}
	counted := func(name string) bool {
		part := strings.TrimRight(name, "0123456789") // sda1 of sda, nvme0n1p1 of nvme0n1
		return part != name && bytes[part]+bytes[strings.TrimSuffix(part, "p")] > 0 || slices.ContainsFunc(
			[]string{"dm-", "md", "loop", "dev9-", "dev7-", "total"}, func(kind string) bool { return strings.HasPrefix(name, kind) })
	}
	for name, all := range bytes {
		if !counted(name) {
			most = max(most, all)
		}
	}
	for _, j := range jobs {
		if most > 0 && (counted(j.disk) || float64(bytes[j.disk]) < small*float64(most)) {
			left = append(left, j.disk)
		} else {
			list = append(list, j)
		}
	}
	if len(left) > 0 {
		list[0].note = strings.TrimPrefix(jobs[0].note+"; "+unit.List(left)+" left out, as next to nothing or counted elsewhere; "+
			"--disk NAME=DEVICE names those that count", "; ")
	}
	return list
}
