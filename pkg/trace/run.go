package trace

import (
	"math"
	"regexp"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/work"
)

// Run is a whole trace, sorted out by phase and disk.
type Run struct {
	Name     string
	Started  string
	Hardware *hardware.Setup // what it was measured on; nil if that was not recorded
	Disks    []Disk          // in the scenario's order; from the file lines if there is no run line
	Phases   []*Phase        // in order of appearance
	Status   string          // Complete, Partial, or empty if the end line is missing
	Warnings []string        // what the reader tolerated: a torn last line, a missing header
}

// Phase is what happened in one phase.
type Phase struct {
	Name  string
	Roles map[string]Role
	Disks []*DiskRecord // the working disks, in the run's order
	// Complete, Partial (also of one that was going on when the run was cut short), or empty if
	// nothing says how it ended
	Status string

	Stop        string            // race (also if empty) | hold | time
	Test        string            // name of the preset's test; empty if it has one
	Score       string            // median | best, if the preset's original has a score of its own
	Connections map[string]string // connections that differ from the run's line
	Gauges      []Gauge           // what the machine read off its devices meanwhile, by time
	// What each disk was to do; of other tools' and old traces what little they say. See WorkOf
	Work       map[string]work.Work
	Search     *Try        // the try of a search; nil if it is none
	Saturation *Saturation // the step of the preset saturation; nil if it is none
	SteadyNS   int64       // length of the windows for steady rates; 0: nobody waited for that
}

// DiskRecord is one disk's part in a phase.
type DiskRecord struct {
	Name string
	Op   Role
	// How long after the release the worker started, by the wall clock; nil if not recorded.
	LateNS *int64
	Files  []File   // by start time
	Open   []Sample // progress of a file that never ended (a killed worker, a full disk)
	Errors []Failure

	// It reads and writes at once: its files are passes in which it did both, and Op is what it
	// does more
	Both bool
	// The files and the progress of each direction; nil unless Both is set.
	Reads, Writes *DiskRecord

	Latencies []Latency // latencies of its requests by time; none if they were not recorded
	Streams   []Stream  // in the order of their appearance
}

// Latency is how long requests took that ended in about a second.
type Latency struct {
	Op   Role
	TNS  int64 // the end of that second
	Hist *latency.Histogram
}

// Stream is what became of one stream's frames.
type Stream struct {
	Name    string
	Samples []StreamSample // by time
}

// StreamSample is what a stream had come to by a time.
type StreamSample struct {
	TNS int64
	stream.Sample
}

// Gauge is one value read off a device, or off the host if Disk is empty.
type Gauge struct {
	Disk  string
	Name  string // Temperature, DeviceRead ...
	TNS   int64
	Value float64
}

// File is one measured transfer.
type File struct {
	Seq      int
	Bytes    int64
	StartNS  int64
	EndNS    int64
	Filler   bool      // keeps the disk busy for the others' sake and is no part of its work
	Progress *Progress // what is known of the time in between; nil if nothing is
}

// Progress is how a file got on. A run may have millions of files, few of them so long that they
// have any.
type Progress struct {
	Samples []Sample // bytes done by time, ascending
}

// Samples returns those of the file's progress.
func (f *File) Samples() []Sample {
	if f.Progress == nil {
		return nil
	}
	return f.Progress.Samples
}

// AddSample adds one to the file's progress.
func (f *File) AddSample(s Sample) {
	if f.Progress == nil {
		f.Progress = &Progress{}
	}
	f.Progress.Samples = append(f.Progress.Samples, s)
}

// Sample is a point of a file's progress.
type Sample struct {
	TNS   int64
	Bytes int64
}

// Failure is an error line.
type Failure struct {
	Seq   int
	TNS   int64
	Error string
}

// Usable reports whether the file can be counted: bytes moved, in a time above zero. Others are
// reported, never averaged in.
func (f *File) Usable() bool { return f.Bytes > 0 && f.EndNS > f.StartNS }

// Disk returns the part of the named disk, nil if it did nothing.
func (p *Phase) Disk(name string) *DiskRecord {
	for _, d := range p.Disks {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// WorkOf returns what a disk was to do: by the phase's line, else as far as its files show.
func (p *Phase) WorkOf(d *DiskRecord) work.Work {
	w := p.Work[d.Name]
	w.Op = d.Op
	w.Test = p.Test // as it was done
	if w.Sizes.IsZero() && !w.HasNoFiles() && w.Seen == nil {
		w.Seen = d.Seen()
	}
	return w
}

// Seen returns what the disk's files show of its work.
func (t *DiskRecord) Seen() *work.Seen {
	sizes := make([]int64, 0, len(t.Files))
	smallest := int64(math.MaxInt64)
	largest := int64(0)
	for i := range t.Files {
		if f := &t.Files[i]; !f.Filler && f.Usable() {
			sizes = append(sizes, f.Bytes)
			smallest = min(smallest, f.EndNS-f.StartNS)
			largest = max(largest, f.EndNS-f.StartNS)
		}
	}
	return work.See(sizes, smallest, largest)
}

// Title returns what to call a phase where a person reads of it: its name or, if that is only a
// pattern, who does what.
func (r *Run) Title(p *Phase) string {
	disks := make([]string, len(r.Disks))
	all := map[string]work.Work{}
	for i, d := range r.Disks {
		w := p.Work[d.Name]
		w.Op = p.Roles[d.Name]
		disks[i] = d.Name
		all[d.Name] = w
	}
	return work.Title(p.Name, disks, all)
}

// Unnumbered returns a phase's name without the number that distinguishes it from others of that
// name: "WWW" of "WWW-2".
func Unnumbered(name string) string {
	name = regexp.MustCompile(` \([0-9-]+\)$`).ReplaceAllString(name, "")
	at := strings.LastIndexByte(name, '-')
	if at > 0 && at < len(name)-1 && strings.Trim(name[at+1:], "0123456789") == "" {
		return name[:at]
	}
	return name
}
