package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/hubbench/hubbench/pkg/latency"
)

const (
	// maxBytes bounds the bytes of a whole trace, so that no sum overflows.
	maxBytes = 1 << 60
	// maxDisks and maxPhases are several times what a plan may have: every disk is set beside every
	// other, in every phase.
	maxDisks  = 256
	maxPhases = 2500
)

// Load reads a whole trace; name stands for the input in errors and warnings. Disks and phases that
// have no line of their own are inferred from the others. Progress is attached to its file, or to
// the disk's Open if the file never ended.
func Load(r io.Reader, name string) (*Run, error) {
	in := NewReader(r, name)
	b := builder{run: &Run{}, phases: map[string]*phase{}}
	for in.Next() {
		err := b.add(in.last())
		switch {
		case err != nil:
		case len(b.run.Disks) > maxDisks:
			err = fmt.Errorf("more than %d disks, the limit of a trace: leave some out, or cut "+
				"it into several", maxDisks)
		case len(b.run.Phases) > maxPhases:
			err = fmt.Errorf("more than %d phases, the limit of a trace: cut it into several",
				maxPhases)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, in.line+in.last().line, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	b.finish()
	b.run.Warnings = append(in.Warnings(), b.run.Warnings...)
	return b.run, nil
}

// builder sorts events into a Run.
type builder struct {
	run      *Run
	declared bool // by a run line
	ended    bool
	phases   map[string]*phase
	last     *phase   // phase of the last event: most events follow one of the same phase
	bytes    int64    // size of all files
	requests int64    // number of requests in all latency lines
	left     int      // file lines that are not counted
	leftAt   []string // disks they belong to
}

// phase is what was read of a phase so far.
type phase struct {
	*Phase
	declared bool // by a line of its own
	disks    []*disk
}

// disk is a disk in a phase, or one direction of a disk that reads and writes at once.
type disk struct {
	trace      *DiskRecord
	files      [][]numbers      // in blocks
	count      int              // how many these are
	progress   []fileProgress   // of those that have any, in order
	pending    map[int][]Sample // by file, until it ends
	mixed      bool             // its files are of both directions, though its work is not
	directions []*disk          // what it reads, and what it writes, if it does both at once
}

// fileProgress is the progress of a disk's file at an index. It is kept apart from the file's
// numbers, which are most of a trace and hold no pointers that the garbage collector would follow.
type fileProgress struct {
	at int
	*Progress
}

func newDisk(name string, op Role) *disk {
	return &disk{trace: &DiskRecord{Name: name, Op: op}, pending: map[int][]Sample{}}
}

// of returns where the file of that number belongs: a pass of a disk that does both is an even one
// read and an odd one written.
func (d *disk) of(seq int64) *disk {
	if d.directions == nil {
		return d
	}
	return d.directions[seq&1]
}

// inBlocks appends a file to a list that is gathered in blocks: one list would be copied again and
// again as it grows.
func inBlocks(blocks [][]numbers, f numbers) [][]numbers {
	const doublings = 9 // A block holds 8 files, the next twice as many, up to 4096.
	last := len(blocks) - 1
	if last < 0 || len(blocks[last]) == cap(blocks[last]) {
		last++
		blocks = append(blocks, make([]numbers, 0, 8<<min(last, doublings)))
	}
	blocks[last] = append(blocks[last], f)
	return blocks
}

// add takes the event of a line.
func (b *builder) add(line *decoded) error {
	e := line.event
	switch e.Type {
	case RunType:
		return b.header(e)
	case PhaseType:
		t := b.phase(e.Phase)
		if t.declared {
			return fmt.Errorf("phase %s begins for the second time: a trace holds one run, "+
				"analyse the parts one by one", t.Name)
		}
		t.declared = true
		*t.Phase = Phase{
			Name: t.Name, Disks: t.Disks, Status: t.Status, Gauges: t.Gauges,
			Roles: e.Roles, Stop: e.Stop, Test: e.Test, Score: e.Score, Connections: e.Connections,
			Work:   e.Work,
			Search: e.Search, SteadyNS: e.SteadyNS, Saturation: e.Saturation,
		}
	case GaugeType:
		t := b.phase(e.Phase)
		t.Gauges = append(t.Gauges, Gauge{Disk: e.Disk, Name: e.Name, TNS: e.TNS, Value: e.Value})
	case PhaseEndType:
		b.phase(e.Phase).Status = e.Status
	case EndType:
		b.ended = true
		b.run.Status = e.Status
	default:
		return b.addToDisk(b.disk(e), line)
	}
	return nil
}

// header takes the run line. Its disks come before those that were seen earlier.
func (b *builder) header(e *Event) error {
	if b.declared {
		return fmt.Errorf("second run line: a trace holds one run, analyse the parts one by one")
	}
	b.declared = true
	b.run.Name = e.Name
	b.run.Started = e.Started
	b.run.Hardware = e.Hardware
	if e.Version > FormatVersion {
		b.warnf("written in version %d of the format; this program knows version %d and may "+
			"misread it", e.Version,
			FormatVersion)
	}
	seen := b.run.Disks
	b.run.Disks = nil
	for _, d := range e.Disks {
		if b.knows(d.Name) {
			return fmt.Errorf("disk %q named twice in the run line", d.Name)
		}
		b.run.Disks = append(b.run.Disks, d)
	}
	for _, d := range seen {
		b.know(d)
	}
	return nil
}

func (b *builder) knows(name string) bool {
	return slices.ContainsFunc(b.run.Disks, func(d Disk) bool { return d.Name == name })
}

func (b *builder) know(d Disk) {
	if !b.knows(d.Name) {
		b.run.Disks = append(b.run.Disks, d)
	}
}

func (b *builder) phase(name string) *phase {
	if b.last != nil && b.last.Name == name {
		return b.last
	}
	if b.last = b.phases[name]; b.last == nil {
		b.last = &phase{Phase: &Phase{Name: name}}
		b.phases[name] = b.last
		b.run.Phases = append(b.run.Phases, b.last.Phase)
	}
	return b.last
}

func (b *builder) disk(e *Event) *disk {
	t := b.phase(e.Phase)
	i := slices.IndexFunc(t.disks, func(d *disk) bool { return d.trace.Name == e.Disk })
	if i < 0 {
		b.know(Disk{Name: e.Disk})
		i = len(t.disks)
		d := newDisk(e.Disk, "")
		if t.Work[e.Disk].Reads > 0 {
			d.directions = []*disk{newDisk(e.Disk, Read), newDisk(e.Disk, Write)}
		}
		t.disks = append(t.disks, d)
	}
	return t.disks[i]
}

// addToDisk takes an event of a disk.
func (b *builder) addToDisk(d *disk, line *decoded) error {
	t := d.trace
	e := line.event
	n := &line.numbers
	switch e.Type {
	case StartType:
		t.LateNS = new(e.LateNS)
	case ProgressType:
		seq := int(n.seq)
		pending := d.of(n.seq).pending
		pending[seq] = append(pending[seq], Sample{TNS: n.tNS, Bytes: n.bytes})
	case FileType:
		if n.bytes > maxBytes-b.bytes {
			return fmt.Errorf("disk %s: file %d brings the trace to more than %d bytes, beyond "+
				"what can be counted", e.Disk,
				n.seq, int64(maxBytes))
		}
		b.bytes += max(n.bytes, 0)
		t.Op = cmp.Or(t.Op, e.Op)
		if both := d.directions; both != nil && e.Op == Write {
			d = both[1]
		} else if both != nil {
			d = both[0]
		}
		d.mixed = d.mixed || d.trace.Op != e.Op
		if samples, ok := d.pending[int(n.seq)]; ok {
			d.progress = append(d.progress, fileProgress{d.count, &Progress{Samples: samples}})
			delete(d.pending, int(n.seq))
		}
		d.files = inBlocks(d.files, *n)
		d.count++
	case ErrorType:
		t.Errors = append(t.Errors, Failure{Seq: e.Seq, TNS: e.TNS, Error: e.Error})
	case LatencyType:
		requests := line.hist.TotalCount()
		if requests > latency.MaxCount-b.requests {
			return fmt.Errorf("disk %s: its latencies bring the trace to more than %d requests, "+
				"beyond what can be counted",
				e.Disk, int64(latency.MaxCount))
		}
		b.requests += requests
		t.Latencies = append(t.Latencies, Latency{Op: e.Op, TNS: e.TNS, Hist: line.hist})
	case StreamType:
		i := slices.IndexFunc(t.Streams, func(s Stream) bool { return s.Name == e.Stream })
		if i < 0 {
			i = len(t.Streams)
			t.Streams = append(t.Streams, Stream{Name: e.Stream})
		}
		t.Streams[i].Samples = append(t.Streams[i].Samples,
			StreamSample{TNS: e.TNS, Sample: e.StreamSample()})
	}
	return nil
}

func (b *builder) warnf(format string, args ...any) {
	b.run.Warnings = append(b.run.Warnings, fmt.Sprintf(format, args...))
}
