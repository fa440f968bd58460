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
	// maxDisks and maxPhases are several times what a plan may have: every disk is set beside every other, in every phase.
	maxDisks  = 256
	maxPhases = 2500
)

// Load reads a whole trace; name stands for the input in errors and warnings. Disks and phases that have no line
// of their own are inferred from the others. Progress is attached to its file, or to the disk's Open if the
// file never ended.
func Load(r io.Reader, name string) (*Run, error) {
	in := NewReader(r, name)
	b := builder{run: &Run{}, takes: map[string][]*take{}}
	for in.Next() {
		err := b.add(in.Event(), in.Hist())
		switch {
		case err != nil:
		case len(b.run.Disks) > maxDisks:
			err = fmt.Errorf("more than %d disks, the limit of a trace: leave some out, or cut it into several", maxDisks)
		case len(b.run.Phases) > maxPhases:
			err = fmt.Errorf("more than %d phases, the limit of a trace: cut it into several", maxPhases)
		}
		if err != nil {
			return nil, in.failf("%w", err)
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
	headers  int    // run lines
	declared []Disk // in the first of them
	ended    bool
	takes    map[string][]*take // of each phase; the last is the current one
	last     *disk              // of the last event: most follow one of the same disk
	lastIn   string             // last's phase
	bytes    int64              // of all files
	requests int64              // of all latency lines
	arena    []Sample           // file samples are cut from it, so that small files cost no allocation each
	left     [leftKinds]leftOut
}

// take is one recording of a phase.
type take struct {
	*Phase
	declared bool // by a line of its own
	disks    []*disk
}

// disk is a disk in a take.
type disk struct {
	trace   *DiskTrace
	files   chunks
	others  chunks           // of the direction that the first one had not
	pending map[int][]Sample // by file, until it ends
	free    [][]Sample       // buffers of ended files, to use again
}

// chunks gathers files to be joined once: a list that is appended to is copied again and again as it grows, and of a
// million files the copies are most of what reading allocates.
type chunks [][]File

func (c *chunks) add(f File) {
	last := len(*c) - 1
	if last < 0 || len((*c)[last]) == cap((*c)[last]) {
		last++
		*c = append(*c, make([]File, 0, 16<<min(last, 8)))
	}
	(*c)[last] = append((*c)[last], f)
}

func (c chunks) len() (n int) {
	for _, files := range c {
		n += len(files)
	}
	return n
}

func (c chunks) joined() []File {
	if len(c) == 0 {
		return nil
	}
	all := make([]File, 0, c.len())
	for _, files := range c {
		all = append(all, files...)
	}
	return all
}

// add takes an event; hist is what the histogram of a latency line says.
func (b *builder) add(e *Event, hist latency.Counts) error {
	switch e.Type {
	case RunType:
		return b.header(e)
	case PhaseType:
		t := b.take(e.Phase)
		if t.declared {
			t = b.begin(e.Phase)
		}
		t.declared = true
		*t.Phase = Phase{
			Name: t.Name, Disks: t.Disks, Status: t.Status, Gauges: t.Gauges,
			Roles: e.Roles, Stop: e.Stop, Test: e.Test, Score: e.Score, Connections: e.Connections, Work: e.Work,
			Search: e.Search, SteadyNS: e.SteadyNS, Saturation: e.Saturation,
		}
	case GaugeType:
		t := b.take(e.Phase)
		t.Gauges = append(t.Gauges, Gauge{Disk: e.Disk, Name: e.Name, TNS: e.TNS, Value: e.Value})
	case PhaseEndType:
		b.take(e.Phase).Status = e.Status
	case EndType:
		b.ended, b.run.Status = true, e.Status
	default:
		return b.addToDisk(b.disk(e), e, hist)
	}
	return nil
}

// header takes a run line, or another one of the same run, or of one like it that was recorded behind it. Its disks
// come before those that were seen earlier.
func (b *builder) header(e *Event) error {
	if b.headers++; b.headers > 1 {
		if e.Name != b.run.Name || !slices.Equal(e.Disks, b.declared) {
			return fmt.Errorf("second run line, of another run: a trace holds one run, analyse the parts one by one")
		}
		return nil
	}
	b.run.Name, b.run.Started, b.run.Hardware = e.Name, e.Started, e.Hardware
	if e.Version > FormatVersion {
		b.warnf("written in version %d of the format; this program knows version %d and may misread it", e.Version,
			FormatVersion)
	}
	b.declared = slices.Clone(e.Disks)
	seen := b.run.Disks
	b.run.Disks = nil
	for _, d := range b.declared {
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

// take is the current one of a phase.
func (b *builder) take(phase string) *take {
	takes := b.takes[phase]
	if takes == nil {
		t := b.begin(phase)
		b.run.Phases = append(b.run.Phases, t.Phase)
		return t
	}
	return takes[len(takes)-1]
}

func (b *builder) begin(phase string) *take {
	t := &take{Phase: &Phase{Name: phase}}
	b.takes[phase] = append(b.takes[phase], t)
	b.last = nil
	return t
}

func (b *builder) disk(e *Event) *disk {
	if b.last != nil && b.last.trace.Name == e.Disk && b.lastIn == e.Phase {
		return b.last
	}
	t := b.take(e.Phase)
	i := slices.IndexFunc(t.disks, func(d *disk) bool { return d.trace.Name == e.Disk })
	if i < 0 {
		b.know(Disk{Name: e.Disk})
		i = len(t.disks)
		t.disks = append(t.disks, &disk{trace: &DiskTrace{Name: e.Disk}, pending: map[int][]Sample{}})
	}
	b.last, b.lastIn = t.disks[i], e.Phase
	return b.last
}

// addToDisk takes an event of a disk.
func (b *builder) addToDisk(d *disk, e *Event, hist latency.Counts) error {
	t := d.trace
	switch e.Type {
	case StartType:
		t.LateNS = new(e.LateNS)
	case ProgressType:
		samples, ok := d.pending[e.Seq]
		if last := len(d.free) - 1; !ok && last >= 0 {
			samples, d.free = d.free[last][:0], d.free[:last]
		}
		d.pending[e.Seq] = append(samples, Sample{TNS: e.TNS, Bytes: e.Bytes})
	case FileType:
		if e.Bytes > maxBytes-b.bytes {
			return fmt.Errorf("disk %s: file %d brings the trace to more than %d bytes, beyond what can be counted", e.Disk,
				e.Seq, int64(maxBytes))
		}
		b.bytes += max(e.Bytes, 0)
		files := &d.files
		if t.Op = cmp.Or(t.Op, e.Op); t.Op != e.Op {
			files = &d.others
		}
		files.add(File{Seq: e.Seq, Bytes: e.Bytes, StartNS: e.StartNS, EndNS: e.EndNS, Filler: e.Filler,
			Samples: b.samplesOf(d, e.Seq)})
	case ErrorType:
		t.Errors = append(t.Errors, Failure{Seq: e.Seq, TNS: e.TNS, Error: e.Error})
	case LatencyType:
		n := hist.N()
		if n > latency.MaxCount-b.requests {
			return fmt.Errorf("disk %s: its latencies bring the trace to more than %d requests, beyond what can be counted",
				e.Disk, int64(latency.MaxCount))
		}
		b.requests += n
		t.Latencies = append(t.Latencies, Latency{Op: e.Op, TNS: e.TNS, Hist: hist})
	case StreamType:
		i := slices.IndexFunc(t.Streams, func(s Stream) bool { return s.Name == e.Stream })
		if i < 0 {
			i = len(t.Streams)
			t.Streams = append(t.Streams, Stream{Name: e.Stream})
		}
		t.Streams[i].Samples = append(t.Streams[i].Samples, StreamSample{TNS: e.TNS, Sample: e.StreamSample()})
	}
	return nil
}

// samplesOf moves the progress of a file that has ended into the arena.
func (b *builder) samplesOf(d *disk, seq int) []Sample {
	samples, ok := d.pending[seq]
	if !ok {
		return nil
	}
	delete(d.pending, seq)
	d.free = append(d.free, samples)
	n := len(samples)
	if cap(b.arena)-len(b.arena) < n {
		b.arena = make([]Sample, 0, max(4096, n))
	}
	start := len(b.arena)
	b.arena = append(b.arena, samples...)
	return b.arena[start : start+n : start+n]
}

func (b *builder) warnf(format string, args ...any) {
	b.run.Warnings = append(b.run.Warnings, fmt.Sprintf(format, args...))
}
