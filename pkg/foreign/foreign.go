// Package foreign reads what other tools recorded and makes a trace of it, so that their jobs are
// analysed as a run: logs and results of fio, elbencho and DiskSpd, what iostat says of devices,
// and any table over time. It takes and returns values and opens no file.
//
// Each format is an entry of formats with its reader. A reader gives series: of each disk the steps
// of its time and the bytes that it moved in them. Tools that count from each job's own start don't
// say how jobs lie in time; Import takes that from the files' own clocks, from the tool's results
// or from the caller, and refuses to guess. Results without a timeline become one step, and say so.
// Start at Import.
package foreign

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// InputFile is a file of another tool.
type InputFile struct {
	Name string
	Data []byte
}

// Options say what the files leave open.
type Options struct {
	// Format is that of all files; if it is empty, it is found by their content.
	Format string
	// Disks has the names of disks by that of a file, a job or a device. If some of a file's
	// devices are named, the others don't count.
	Disks    map[string]string
	Starts   map[string]time.Time // when the job of a disk began
	Map      map[string]string    // columns of a table, by what they hold: time_s, bytes, rate ...
	Interval time.Duration        // between reports of iostat without times
}

// Imported is a trace, and what a reader of its results has to know about its source.
type Imported struct {
	Tool    string
	Started time.Time // zero if no file says when
	Events  []byte    // events.jsonl
	Notes   []string
}

// A format is a kind of file. One without a reader is only recognised: its advice says what to do.
type format struct {
	name    string
	pattern *regexp.Regexp
	read    func(*input) error
	advice  string
}

// formats returns all that are known. Those of one name stand together.
func formats() []format {
	return []format{
		{"csv", regexp.MustCompile(`^$`), (*input).table, ""}, // only with --map
		{"diskspd", regexp.MustCompile(`<Results>[\s\S]*<TimeSpan>`), (*input).diskSpdXML, ""},
		{"diskspd", regexp.MustCompile(`Results for timespan`), (*input).diskSpdText, ""},
		{"elbencho", regexp.MustCompile(`^(ISO Date,)?Label,Phase,RuntimeMS,`),
			(*input).elbenchoLive, ""},
		{"elbencho", regexp.MustCompile(`^ISO date,label,`), (*input).elbenchoResult, ""},
		{"fio-json", fioDocument, (*input).fioJSON, ""},
		{"fio-log", regexp.MustCompile(`^\d+, *\d+, *\d+,`), (*input).fioLog, ""},
		{"iostat", regexp.MustCompile(`^\{\s*"sysstat"`), (*input).iostatJSON, ""},
		{"iostat", regexp.MustCompile(`(?m)^ *Device.*/s|/s.* Device\s*$`),
			(*input).iostatText, ""},
		{"", regexp.MustCompile(`: \(groupid=\d+, jobs=|(?m)^\d;fio-`), nil,
			"this is fio's text output: run fio with --output-format=json"},
		{"", regexp.MustCompile(`(?m)^OPERATION +RESULT TYPE`), nil,
			"this is elbencho's text output: run elbencho with --livecsv or --csvfile"},
		{"", regexp.MustCompile(`KB/t +(tps|xfrs) +MB/s`), nil,
			"this is iostat of macOS or BSD, which does not tell reads from writes"},
	}
}

// Formats returns the names of those that are read.
func Formats() (names []string) {
	for _, f := range formats() {
		if f.read != nil {
			names = append(names, f.name)
		}
	}
	return slices.Compact(names)
}

// input is the file that is being read, and what all files gave so far.
type input struct {
	InputFile
	opts    Options
	line    int // the one at hand; 0: an error is about the file
	series  []*series
	results []*fioResult
	times   []*fioTimes
	notes   []string
}

// read adds what a file holds.
func (in *input) read(f InputFile) error {
	in.InputFile = f
	in.Data = bytes.TrimRight(decoded(f.Data), " \r\n")
	if len(in.Data) == 0 {
		if _, kind, _ := fioName(f.Name); kind != "" && kind != "bw" {
			return nil // Engines without a queue have no slat.
		}
		return errors.New("the file is empty")
	}
	name := in.opts.Format
	if name == "" && in.opts.Map != nil {
		name = "csv"
	}
	var of format
	for _, f := range formats() {
		if name != "" && name != f.name {
			continue
		}
		isFirst := name != "" && of.read == nil
		if matches := f.pattern.Match(bytes.TrimSpace(in.Data)); matches || isFirst {
			of = f
			if matches {
				break
			}
		}
	}
	if of.read == nil {
		return errors.New(cmp.Or(of.advice, "not recognised; known: "+strings.Join(Formats(), ", ")+
			"; any other table over time can be read with --map"))
	}
	before := len(in.series)
	if err := of.read(in); err != nil {
		return err
	}
	in.line = 0
	added := in.series[before:]
	disk := cmp.Or(in.opts.Disks[f.Name], in.opts.Disks[filepath.Base(f.Name)])
	for _, s := range added {
		if disk != "" && s.disk != added[0].disk {
			return fmt.Errorf("it has several disks, and --disk one name for all; leave --disk "+
				"%s out",
				disk)
		}
	}
	for _, s := range added {
		s.source = f.Name
		s.disk = cmp.Or(disk, in.opts.Disks[s.disk], s.disk)
	}
	return nil
}

// add begins the series of a disk in a phase. Without a name the disk has the file's.
func (in *input) add(tool, disk, phase string, steps ...step) *series {
	base := filepath.Base(in.Name)
	name := cmp.Or(disk, strings.TrimSuffix(base, filepath.Ext(base)), "disk")
	in.series = append(in.series, &series{disk: name, phase: phase, tool: tool, steps: steps})
	return in.series[len(in.series)-1]
}

// lines yields the file's lines. in.line is the number of the one at hand.
func (in *input) lines() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(string(in.Data)) {
			if in.line++; !yield(strings.TrimSpace(line)) {
				return
			}
		}
		in.line = 0
	}
}

// decode reads the JSON value at an offset.
func (in *input) decode(at int, into any) error {
	err := json.NewDecoder(bytes.NewReader(in.Data[at:])).Decode(into)
	if err == nil {
		return nil
	}
	text := in.Data
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		text = text[:min(len(text), at+int(syntax.Offset))]
	}
	in.line = 1 + bytes.Count(text, []byte("\n"))
	return fmt.Errorf("its JSON is cut short or broken: %w", err)
}

// number reads an amount: neither negative, infinite nor NaN.
func number(text string) (float64, error) {
	const most = 1e18
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(v >= 0 && v < most) {
		return 0, fmt.Errorf("%q is no amount", text)
	}
	return v, nil
}

// decoded returns a text without its byte order mark, and in UTF-8 if the mark says that it is in
// UTF-16, as Windows writes it.
func decoded(data []byte) []byte {
	order := map[string]binary.ByteOrder{
		"\xff\xfe": binary.LittleEndian, "\xfe\xff": binary.BigEndian,
	}[string(data[:min(2, len(data))])]
	if order == nil {
		return bytes.TrimPrefix(data, []byte("\ufeff"))
	}
	var units []uint16
	for data = data[2:]; len(data) > 1; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	return []byte(string(utf16.Decode(units)))
}

// Import makes one trace of files that belong together.
func Import(files []InputFile, opts Options) (*Imported, error) {
	in := &input{opts: opts}
	known := map[string]bool{}
	for _, f := range files {
		in.line = 0
		if err := in.read(f); err != nil {
			if in.line > 0 {
				err = fmt.Errorf("line %d: %w", in.line, err)
			}
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		known[opts.Disks[f.Name]] = true
		known[opts.Disks[filepath.Base(f.Name)]] = true
	}
	in.joinResults()
	in.joinTimes()
	out := &Imported{}
	for _, s := range in.series {
		known[s.disk] = true
		if out.Tool = cmp.Or(out.Tool, s.tool); out.Tool != s.tool {
			out.Tool = "several tools"
		}
		if at, ok := opts.Starts[s.disk]; ok {
			s.began = at.UnixNano()
		}
	}
	for _, of := range slices.Sorted(maps.Keys(opts.Disks)) {
		if !known[opts.Disks[of]] {
			return nil, fmt.Errorf("--disk %s=%s: there is no such file, and no job or device of "+
				"that name that moved anything", opts.Disks[of], of)
		}
	}
	if err := in.align(); err != nil {
		return nil, err
	}
	in.splitMeans()
	if first := in.series[0].steps[0].fromNS; first >= epochMS*1e6 {
		out.Started = time.Unix(0, first).UTC()
	}
	out.Events = in.events(out.Started)
	out.Notes = in.notes
	return out, nil
}
