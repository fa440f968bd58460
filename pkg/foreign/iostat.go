package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

var rateColumn = regexp.MustCompile(`^([rw]?)(sec|Blk|kB|MB)(_read|_wrtn|)/s$`)

// rateOf returns what a column of rates is about, and the bytes of its unit: sectors have 512
// bytes, kB are KiB and MB MiB.
func rateOf(column string) (op int64, unit float64, ok bool) {
	parts := rateColumn.FindStringSubmatch(column)
	if parts == nil || parts[1]+parts[3] == "" {
		return 0, 0, false
	}
	if strings.HasPrefix(strings.TrimPrefix(parts[1]+parts[3], "_"), "w") {
		op = write
	}
	units := map[string]float64{"sec": 512, "Blk": 512, "kB": 1 << 10, "MB": 1 << 20}
	return op, units[parts[2]], true
}

// humanUnits are those of iostat -h, each 1024 times the one before.
const humanUnits = "BkMGTP"

const isoTime = "2006-01-02T15:04:05-0700"

var dayTime = regexp.MustCompile(`\d\d:\d\d:\d\d( [AP]M)?`)

// report is what iostat says of the time since the report before.
type report struct {
	line    int
	atNS    int64
	devices []string
	// isFirst is set if it is about all the time since the system started: it gives only its time.
	isFirst bool
}

// recording gathers what iostat says of devices.
type recording struct {
	*input
	reports []report
	isWall  bool // times are the wall clock's with its zone, else of a day
	// showsIdle is set if a device did nothing in a report: iostat -z would have left it out.
	showsIdle bool
	devices   map[string]*series // the times of steps are numbers of reports, their bytes are rates
}

// begin begins a report up to a time: one with its zone, or the time of day in any text. Dates
// without a zone say nothing next to other files, and are written in many ways.
func (r *recording) begin(text string, isFirst bool) error {
	const dayNS = int64(24 * time.Hour)
	next := report{line: r.line, isFirst: isFirst}
	var before int64
	if n := len(r.reports); n > 0 {
		before = r.reports[n-1].atNS
	}
	if t, err := time.Parse(isoTime, text); err == nil {
		r.isWall = true
		next.atNS = t.UnixNano()
	} else if clock := dayTime.FindString(text); clock != "" {
		layout := "15:04:05"
		if strings.HasSuffix(clock, "M") {
			layout = "03:04:05 PM"
		}
		t, _ := time.Parse(layout, clock)
		ofDay := t.Sub(t.Truncate(24 * time.Hour)).Nanoseconds()
		next.atNS = ofDay + (before-ofDay+dayNS/2)/dayNS*dayNS // The nearest day counts.
	} else if r.opts.Interval > 0 {
		next.atNS = before + int64(r.opts.Interval)
	} else {
		return errors.New("its reports have no times: record with iostat -t, or say how far " +
			"apart they are, such as --interval 1s")
	}
	if next.atNS < before {
		return errors.New("its time is before that of the report before; give one recording")
	}
	r.reports = append(r.reports, next)
	return nil
}

// add adds a row of the present report.
func (r *recording) add(cells map[string]string) error {
	disk := cmp.Or(cells["Device"], cells["Device:"], cells["disk_device"])
	at := len(r.reports) - 1
	if r.devices[disk] == nil {
		r.devices[disk] = &series{disk: disk, tool: "iostat"}
	}
	s := r.devices[disk]
	var found int
	var all float64
	for column, text := range cells {
		op, unit, ok := rateOf(column)
		if !ok || at < 0 {
			continue
		}
		digits := strings.TrimRight(text, humanUnits)
		if digits != text {
			unit = math.Pow(1<<10, float64(strings.Index(humanUnits, text[len(digits):])))
		}
		rate, err := number(strings.Replace(digits, ",", ".", 1)) // many languages have a comma
		if err != nil {
			return fmt.Errorf("%s: %w", disk, err)
		}
		if op == read {
			r.reports[at].devices = append(r.reports[at].devices, disk)
		}
		found++
		all += rate
		if !r.reports[at].isFirst {
			s.steps = append(s.steps, step{op, int64(at - 1), int64(at), int64(rate * unit)})
		}
	}
	if found == 0 {
		return fmt.Errorf("%s: nothing says what it read and what it wrote; record with iostat -x "+
			"(without -s)", disk)
	}
	r.showsIdle = r.showsIdle || found > 1 && all == 0 && !r.reports[at].isFirst
	return nil
}

// iostatText reads what iostat prints. With -h, a report has several tables, and the device is
// last.
func (in *input) iostatText() error {
	r := &recording{input: in, devices: map[string]*series{}}
	var heads []string // heads of the table of devices, if we are in it
	var stamp string
	isFirst := true
	isRates := false
	for line := range in.lines() {
		cells := strings.Fields(line)
		switch {
		case len(cells) == 0:
			heads = nil
		case strings.HasPrefix(cells[0], "Device") || cells[len(cells)-1] == "Device":
			heads = cells
			isRates = len(r.reports) == 0
			for _, head := range heads {
				op, _, ok := rateOf(head)
				isRates = isRates || ok
				if !ok || op == write {
					continue
				}
				if err := r.begin(stamp, isFirst); err != nil {
					return err
				}
				isFirst = false
				stamp = ""
			}
		case heads == nil && cells[0] == "Linux": // recorded anew
			isFirst = true
		case heads == nil:
			if dayTime.MatchString(line) {
				stamp = line
			}
		case len(cells) != len(heads):
			return fmt.Errorf("%d cells below %d heads; give the file as it was written",
				len(cells), len(heads))
		case isRates:
			row := map[string]string{}
			for i, head := range heads {
				row[head] = cells[i]
			}
			if err := r.add(row); err != nil {
				return err
			}
		}
	}
	return r.finish()
}

// iostatJSON reads what iostat -o JSON prints.
func (in *input) iostatJSON() error {
	r := &recording{input: in, devices: map[string]*series{}}
	var doc struct {
		Sysstat struct {
			Hosts []struct {
				Statistics []struct {
					Timestamp string
					Disk      []map[string]any
				}
			}
		}
	}
	if err := in.decode(0, &doc); err != nil {
		return err
	}
	for _, host := range doc.Sysstat.Hosts {
		for i, s := range host.Statistics {
			if err := r.begin(s.Timestamp, i == 0); err != nil {
				return err
			}
			for _, disk := range s.Disk {
				row := map[string]string{}
				for column, cell := range disk {
					row[column] = fmt.Sprint(cell)
				}
				if err := r.add(row); err != nil {
					return err
				}
			}
		}
	}
	return r.finish()
}

// finish makes series of the devices. Times are whole seconds: if reports at even intervals explain
// them, they were at even intervals.
func (r *recording) finish() error {
	last := len(r.reports) - 1
	if last < 1 {
		return errors.New("it has only the first report, which counts from the start of the " +
			"system; record with iostat -dxt 1")
	}
	for i := 1; i <= last && r.showsIdle; i++ {
		got := r.reports[i].devices
		before := r.reports[i-1].devices
		// Devices that come again were there; the last report was cut if it lacks the last ones.
		isCut := i == last && slices.Equal(got, before[:min(len(got), len(before))])
		if len(got) < len(before) && (isCut || i < last && len(r.reports[i+1].devices) > len(got)) {
			r.line = r.reports[i].line
			return fmt.Errorf("the report has %d of %d devices; it is cut, or rows are missing",
				len(got), len(before))
		}
	}
	first := r.reports[0].atNS
	mean := time.Duration((r.reports[last].atNS - first) / int64(last))
	every := mean.Round(time.Second).Nanoseconds()
	isEven := every > 0
	for i, report := range r.reports {
		off := time.Duration(report.atNS - first - int64(i)*every).Abs()
		isEven = isEven && off <= time.Second && report.atNS%1e9 == 0
	}
	for i := range r.reports {
		if r.reports[i].atNS -= first; isEven {
			r.reports[i].atNS = int64(i) * every
		}
	}
	for _, s := range r.devices {
		for i := range s.steps {
			step := &s.steps[i]
			step.fromNS = r.reports[step.fromNS].atNS
			step.toNS = r.reports[step.toNS].atNS
			step.bytes = int64(float64(step.bytes) * float64(step.toNS-step.fromNS) / 1e9)
		}
		s.trim()
		if r.isWall {
			s.began = first
		}
	}
	return r.chooseDevices()
}

var (
	// madeOfOthers are devices that the system makes of others.
	madeOfOthers = regexp.MustCompile(`^(dm-|md|loop)`)
	// partition takes a partition's name apart: sda1 of sda, nvme0n1p1 of nvme0n1.
	partition = regexp.MustCompile(`^([a-z]+|.*\d)p?\d+$`)
)

// chooseDevices takes the devices that are named, or else those that were at work: none whose bytes
// would count twice, and none that moved next to nothing.
func (r *recording) chooseDevices() error {
	var most int64
	isNamed := false
	counted := map[string]bool{}
	for name, s := range r.devices {
		isNamed = isNamed || r.opts.Disks[name] != ""
		part := partition.FindStringSubmatch(name)
		counted[name] = madeOfOthers.MatchString(name) || part != nil && r.devices[part[1]] != nil
		if !counted[name] {
			most = max(most, s.moved())
		}
	}
	var left []string
	for _, name := range slices.Sorted(maps.Keys(r.devices)) {
		s := r.devices[name]
		isIdle := most > 0 && (counted[name] || float64(s.moved()) < negligibleShare*float64(most))
		if isNamed && r.opts.Disks[name] == "" || !isNamed && isIdle {
			left = append(left, name)
		} else {
			r.series = append(r.series, s)
		}
	}
	if len(left) > 0 && !isNamed {
		r.notes = append(r.notes, r.Name+": "+unit.List(left)+" left out, as next to nothing or "+
			"counted elsewhere; --disk NAME=DEVICE names those that count")
	}
	return nil
}
