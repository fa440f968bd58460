package foreign

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

// recording gathers what iostat says of devices: their rates from one instant to the next.
type recording struct {
	every   time.Duration // of files without times, as the caller says
	instant []int64       // in ns
	begun   bool          // it is known when the next report begins
	open    bool          // it is known when the present one began: the first is of all the time since the system started
	wall    bool          // instants are the wall clock's with its zone, else of a day
	devices map[string]*job
	note    string
}

// stamp reads a time: one with its zone, or the time of day in any text. Dates without a zone say nothing beside other
// files, and are written in many ways: a new day is told by the time going back.
func (r *recording) stamp(text string) (ns int64, ok bool) {
	if t, err := time.Parse("2006-01-02T15:04:05-0700", text); err == nil {
		r.wall = true
		return t.UnixNano(), true
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
		return errors.New("its reports have no times: record with iostat -t, or say how far apart they are, " +
			"such as --interval 1s")
	}
	return nil
}

// add adds a device's rates to the last report. Columns go by their unit: sectors have 512 bytes, kB are KiB and MB
// MiB.
func (r *recording) add(heads, cells []string) error {
	disk := cells[0]
	for names, unit := range map[string]float64{
		"rsec/s wsec/s": 512, "Blk_read/s Blk_wrtn/s": 512, "rkB/s wkB/s": 1 << 10,
		"kB_read/s kB_wrtn/s": 1 << 10, "rMB/s wMB/s": 1 << 20, "MB_read/s MB_wrtn/s": 1 << 20,
	} {
		var rates [2]float64
		found := 0
		for i, name := range strings.Fields(names) {
			column := slices.Index(heads, name)
			if column < 0 {
				continue
			}
			found++
			v, err := strconv.ParseFloat(strings.Replace(cells[column], ",", ".", 1), 64) // many languages have a comma
			if rates[i] = v * unit; err != nil || !(rates[i] >= 0 && rates[i] < 1e14) {
				return fmt.Errorf("%s: %q is no rate", disk, cells[column])
			}
		}
		if found < len(rates) {
			continue
		}
		if r.open && rates[0]+rates[1] > 0 { // else it was idle
			if r.devices[disk] == nil {
				r.devices[disk] = &job{disk: disk, tool: "iostat", device: true}
			}
			d := r.devices[disk]
			d.steps = append(d.steps, step{toNS: int64(len(r.instant) - 1), bytes: int64(rates[0] + rates[1]), read: int64(rates[0])})
		}
		return nil
	}
	return fmt.Errorf("%s: nothing says what it read and what it wrote; record with iostat -x (without -s)", disk)
}

// iostat reads what iostat (-x -t, or -d -t) prints.
func iostat(f File, every time.Duration) ([]*job, error) {
	r := &recording{every: every, devices: map[string]*job{}}
	var heads []string // of the table of devices, if we are in it
	stamped := ""
	lines := strings.Split(strings.TrimSpace(string(f.Data)), "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		cells := strings.Fields(line)
		var err error
		switch {
		case len(cells) == 0:
			heads = nil
		case strings.TrimSuffix(cells[0], ":") == "Device":
			heads, err = cells, r.next(stamped)
			stamped = ""
		case heads == nil && cells[0] == "Linux": // recorded anew
			r.begun = false
		case heads == nil:
			if _, ok := r.stamp(line); ok {
				stamped = line
			}
		case len(cells) != len(heads) && i == len(lines)-1:
			r.note = "it is cut short, within its last report"
		case len(cells) != len(heads):
			err = fmt.Errorf("%d cells below %d heads; give the file as it was written", len(cells), len(heads))
		default:
			err = r.add(heads, cells)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
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
		fastest := 0.0
		for _, s := range j.steps {
			fastest = max(fastest, s.rate())
		}
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
		return part != name && bytes[part]+bytes[strings.TrimSuffix(part, "p")] > 0 ||
			strings.HasPrefix(name, "dm-") || strings.HasPrefix(name, "md") || strings.HasPrefix(name, "loop")
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
