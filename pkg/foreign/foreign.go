// Package foreign reads what other tools recorded and makes a trace of it, so that their jobs are analysed as a
// run: fio's logs and results, elbencho's live statistics, DiskSpd's XML, what iostat says of devices, and any
// table over time. It takes and gives values and opens no file.
//
// Tools that count from each job's own start say nothing of how jobs lie in time; Import takes that from the logs' own
// clock, from the tool's results, or from the caller, and refuses to guess. Start at Import.
package foreign

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// File is a file of another tool.
type File struct {
	Name string
	Data []byte
}

// Options say what the files leave open.
type Options struct {
	Format   string               // of all files; empty: by their content
	Disks    map[string]string    // by the name of a file or a device, that of the disk; of a file's devices, those that are named count
	Starts   map[string]time.Time // by disk, when its job began
	Map      map[string]string    // of a table, the columns by what they are: time_s, bytes, rate ...
	Interval time.Duration        // from one report to the next, of files of iostat without times
}

// Imported is a trace, and what is to be said of where it is from.
type Imported struct {
	Tool    string
	Started time.Time // zero if no file says when
	Events  []byte    // events.jsonl
	Notes   []string
}

// job is what one job did to one disk in one direction.
type job struct {
	disk, phase string
	op          trace.Role
	began       int64   // Unix time in ns of the zero of steps; 0: not known
	reads       float64 // the share of what was read, if it did both at once
	steps       []step
	times       []trace.Event // of its requests, on the clock of steps
	device      bool          // one of those that the system has
	tool        string
	source      string
	note        string // to be said of it
}

// step is a stretch of a job's time and what it moved in it, and how much of that was read, where that is told apart.
type step struct{ fromNS, toNS, bytes, read int64 }

func (s step) rate() float64 { return float64(s.bytes) / float64(s.toNS-s.fromNS) }

func moved(steps []step) (bytes int64) {
	for _, s := range steps {
		bytes += s.bytes
	}
	return bytes
}

// small is the share below which something is taken for a part of something else.
const small = 0.01

func (j *job) settle() {
	var all, read float64
	for _, s := range j.steps {
		all, read = all+float64(s.bytes), read+float64(s.read)
	}
	j.op = trace.Write
	if 2*read >= all {
		j.op = trace.Read
	}
	if share := read / max(1, all); min(share, 1-share) >= small {
		j.reads = math.Round(share*100) / 100
	}
}

// Formats are the names of those that are read.
func Formats() []string {
	return []string{"csv", "diskspd-xml", "elbencho-live", "fio-json", "fio-log", "iostat"}
}

type content struct {
	jobs    []*job
	times   []*fioTimes
	results []fioResult
}

func read(f File, opts Options) (c content, err error) {
	name := cmp.Or(opts.Format, detect(f, opts))
	switch {
	case len(bytes.TrimSpace(f.Data)) == 0 && name != "fio-log":
		err = errors.New("the file is empty")
	case name == "fio-log":
		c.jobs, c.times, err = fioLog(f)
	case name == "fio-json":
		c.results, err = fioJSON(f)
	case name == "csv":
		c.jobs, err = table(f, opts.Map)
	case name == "iostat":
		c.jobs, err = iostat(f, opts.Interval)
	case name == "elbencho-live":
		c.jobs, err = elbenchoLive(f)
	case name == "diskspd-xml":
		c.jobs, err = diskSpdXML(f)
	default:
		err = fmt.Errorf("not recognised; known: %s; any other table over time can be read with --map",
			strings.Join(Formats(), ", "))
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", f.Name, err)
	}
	if len(c.jobs) > 0 && c.jobs[0].device {
		c.jobs = choose(c.jobs, opts.Disks)
	}
	disk := cmp.Or(opts.Disks[f.Name], opts.Disks[filepath.Base(f.Name)])
	for _, j := range c.jobs {
		if disk != "" && j.disk != c.jobs[0].disk {
			return c, fmt.Errorf("%s: it has several disks, and --disk one name for all; leave --disk %s out", f.Name, disk)
		}
	}
	for _, j := range c.jobs {
		j.source = f.Name
		j.disk = cmp.Or(disk, opts.Disks[j.disk], j.disk)
	}
	return c, nil
}

// nameOf is the name of a disk of which a file says none.
func nameOf(f File) string {
	return cmp.Or(strings.TrimSuffix(filepath.Base(f.Name), filepath.Ext(f.Name)), "disk")
}

// Import makes one trace of files that belong together.
func Import(files []File, opts Options) (*Imported, error) {
	var all content
	out := &Imported{}
	for _, f := range files {
		f.Data = decoded(f.Data)
		c, err := read(f, opts)
		if err != nil {
			return nil, err
		}
		all.jobs = append(all.jobs, c.jobs...)
		all.times = append(all.times, c.times...)
		all.results = append(all.results, c.results...)
	}
	jobs := all.jobs
	for _, of := range slices.Sorted(maps.Keys(opts.Disks)) {
		if !slices.ContainsFunc(files, func(f File) bool { return f.Name == of || filepath.Base(f.Name) == of }) &&
			!slices.ContainsFunc(jobs, func(j *job) bool { return j.disk == opts.Disks[of] }) {
			return nil, fmt.Errorf("--disk %s=%s: there is no such file, and no device of that name that moved anything", opts.Disks[of], of)
		}
	}
	if len(jobs) == 0 {
		return nil, errors.New("no file says when bytes moved, as fio's json output and its logs of times do not; give its logs of bandwidth (write_bw_log) too")
	}
	out.Notes = append(joinResults(jobs, all.results), joinTimes(jobs, all.times, all.results)...)
	for _, j := range jobs {
		if j.note != "" {
			out.Notes = append(out.Notes, j.source+": "+j.note)
		}
		if at, ok := opts.Starts[j.disk]; ok {
			j.began = at.UnixNano()
		}
		if out.Tool != "" && out.Tool != j.tool {
			out.Tool = "several tools"
		} else {
			out.Tool = j.tool
		}
	}
	if err := align(jobs); err != nil {
		return nil, err
	}
	if first := jobs[0].began; first > 0 {
		out.Started = time.Unix(0, first).UTC()
	}
	jobs, err := joinJobs(jobs, opts.Disks)
	if err != nil {
		return nil, err
	}
	out.Events = events(jobs, out.Started)
	return out, nil
}

// decoded is a text without its byte order mark, and in UTF-8 if the mark says that it is in UTF-16, as Windows
// writes it.
func decoded(data []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	case !bytes.HasPrefix(data, []byte("\xff\xfe")):
		return bytes.TrimPrefix(data, []byte("\ufeff"))
	}
	var units []uint16
	for data = data[2:]; len(data) > 1; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	return []byte(string(utf16.Decode(units)))
}

func detect(f File, opts Options) string {
	text := strings.TrimSpace(string(f.Data))
	head, _, _ := strings.Cut(text, "\n")
	switch {
	case opts.Map != nil:
		return "csv"
	case strings.Contains(text, `"fio version"`):
		return "fio-json"
	}
	_, kind, _ := fioName(f.Name)
	_, isLine := fioLine(head)
	switch {
	case isLine || text == "" && kind != "" && kind != "bw":
		return "fio-log"
	case strings.Contains("\n"+text, "\nDevice") &&
		(strings.Contains(text, "%util") || strings.Contains(text, "_wrtn/s")):
		return "iostat"
	case strings.HasPrefix(head, "Label,Phase,RuntimeMS,"):
		return "elbencho-live"
	case strings.Contains(text, "<Results>") && strings.Contains(text, "<TimeSpan>"):
		return "diskspd-xml"
	}
	return ""
}

// align puts the jobs on one clock, from the first one's beginning, and sorts them by that. Several must all say when
// they began.
func align(jobs []*job) error {
	var unknown []string
	several := false
	first := int64(math.MaxInt64)
	for _, j := range jobs {
		if j.began <= 0 {
			unknown = append(unknown, j.disk)
		}
		several = several || j.source != jobs[0].source
		first = min(first, j.began+j.steps[0].fromNS)
	}
	if len(unknown) > 0 && several {
		return fmt.Errorf("nothing says when the job of %s began, and times count from there: record with log_unix_epoch=1, add fio's "+
			"json output, or give --start %s=TIME", unit.List(unknown), unknown[0])
	}
	for _, j := range jobs {
		for i := range j.steps {
			j.steps[i].fromNS += j.began - first
			j.steps[i].toNS += j.began - first
		}
		for i := range j.times {
			j.times[i].TNS += j.began - first
		}
		j.began = 0
		if len(unknown) < len(jobs) {
			j.began = first
		}
	}
	slices.SortStableFunc(jobs, func(a, b *job) int { return cmp.Compare(a.steps[0].fromNS, b.steps[0].fromNS) })
	return nil
}

// joinJobs adds up what several jobs did to one disk in one phase. Files of one name in several folders are more likely
// of several disks.
func joinJobs(jobs []*job, named map[string]string) (list []*job, err error) {
	for _, j := range jobs {
		if j.reads == 0 && j.op == trace.Read {
			for i := range j.steps {
				j.steps[i].read = j.steps[i].bytes
			}
		}
		at := slices.IndexFunc(list, func(of *job) bool { return of.disk == j.disk && of.phase == j.phase })
		if at < 0 {
			list = append(list, j)
			continue
		}
		of := list[at]
		base := filepath.Base(j.source)
		if base == filepath.Base(of.source) && j.source != of.source && named[j.source] == "" {
			return nil, fmt.Errorf("%s and %s would be of one disk, %s; say of which they are, such as --disk A=%s,B=%s",
				of.source, j.source, j.disk, of.source, j.source)
		}
		of.steps, of.times = merged(of.steps, j.steps), append(of.times, j.times...)
		of.settle()
	}
	return list, nil
}

// pauseNS is a gap between steps from which on nothing was asked for, as the overlap has it; in a shorter one a request
// was on its way.
const pauseNS = 500_000_000

// events writes the jobs as a trace. Steps without a pause between them are one file with its progress.
func events(jobs []*job, started time.Time) []byte {
	run := trace.Event{Type: trace.RunType, Version: trace.FormatVersion, Name: "imported"}
	if !started.IsZero() {
		run.Started = started.Format(time.RFC3339)
	}
	var phases, disks []string
	for _, j := range jobs {
		disks = append(disks, j.disk)
		if j.phase = cmp.Or(j.phase, "imported"); !slices.Contains(phases, j.phase) {
			phases = append(phases, j.phase)
		}
	}
	slices.Sort(disks)
	disks = slices.Compact(disks)
	for _, disk := range disks {
		run.Disks = append(run.Disks, trace.Disk{Name: disk})
	}
	out := trace.AppendEvent(nil, &run)
	for _, phase := range phases {
		roles, mixes := map[string]trace.Role{}, map[string]work.Work{}
		for _, disk := range disks {
			roles[disk] = trace.Idle
		}
		for _, j := range jobs {
			if j.phase == phase {
				roles[j.disk] = j.op
				if j.reads > 0 {
					mixes[j.disk] = work.Work{Reads: j.reads}
				}
			}
		}
		out = trace.AppendEvent(out, &trace.Event{Type: trace.PhaseType, Phase: phase, Roles: roles, Work: mixes})
		for _, j := range jobs {
			if j.phase == phase {
				out = j.append(out)
			}
		}
	}
	return trace.AppendEvent(out, &trace.Event{Type: trace.EndType, Status: trace.Complete})
}

// append adds the job's files to a trace. What is read and what is written at once are two files, as a trace has them.
func (j *job) append(out []byte) []byte {
	ops := []trace.Role{j.op}
	if j.reads > 0 {
		ops = []trace.Role{trace.Read, trace.Write}
	}
	for pass, i := 0, 0; i < len(j.steps); pass++ {
		end := i + 1
		for end < len(j.steps) && j.steps[end].fromNS-j.steps[end-1].toNS < pauseNS {
			end++
		}
		for k, op := range ops {
			file := trace.Event{Phase: j.phase, Disk: j.disk, Seq: pass*len(ops) + k, StartNS: j.steps[i].fromNS}
			for n, s := range j.steps[i:end] {
				if file.Type, file.TNS = trace.ProgressType, file.EndNS; n > 0 {
					out = trace.AppendEvent(out, &file)
				}
				if file.TNS = s.fromNS; n > 0 && s.fromNS > file.EndNS {
					out = trace.AppendEvent(out, &file)
				}
				switch {
				case j.reads == 0:
					file.Bytes += s.bytes
				case op == trace.Read:
					file.Bytes += s.read
				default:
					file.Bytes += s.bytes - s.read
				}
				file.EndNS = s.toNS
			}
			file.Type, file.Op, file.TNS = trace.FileType, op, 0
			if file.Bytes > 0 || j.reads == 0 {
				out = trace.AppendEvent(out, &file)
			}
		}
		i = end
	}
	for _, t := range j.times {
		t.Phase, t.Disk = j.phase, j.disk
		out = trace.AppendEvent(out, &t)
	}
	return out
}
