package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/hubbench/hubbench/pkg/latency"
)

// Load reads a whole trace; name stands for the input in errors and warnings. Disks and phases that have no line
// of their own are inferred from the others. Progress is attached to its file, or to the disk's Open if the
// file never ended.
func Load(r io.Reader, name string) (*Run, error) {
	in := NewReader(r, name)
	b := builder{run: &Run{}, phases: map[string]*phaseBuilder{}}
	for in.Next() {
		if err := cmp.Or(b.add(in.Event(), in.Hist()), b.crowded()); err != nil {
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

const (
	// maxBytes bounds the bytes of a whole trace, so that no sum overflows.
	maxBytes = 1 << 60
	// maxDisks and maxPhases are several times what a plan may have: every disk is set beside every other, in every phase.
	maxDisks  = 256
	maxPhases = 2500
)

// crowded refuses a trace of more disks or phases than can be distinguished.
func (b *builder) crowded() error {
	switch {
	case len(b.run.Disks) > maxDisks:
		return fmt.Errorf("more than %d disks, the limit of a trace: leave some out, or cut it into several", maxDisks)
	case len(b.run.Phases) > maxPhases:
		return fmt.Errorf("more than %d phases, the limit of a trace: cut it into several", maxPhases)
	}
	return nil
}

// builder sorts events into a Run.
type builder struct {
	run      *Run
	headers  int    // run lines
	declared []Disk // in the first of them
	ended    bool
	phases   map[string]*phaseBuilder // the latest take of each
	last     *diskBuilder             // of the last event: most follow one of the same disk
	lastIn   string                   // last's phase
	bytes    int64                    // of all files
	requests int64                    // of all latency lines
	arena    []Sample                 // file samples are cut from it, so that small files cost no allocation each

	repeated, again, overlapping tally // file lines left out
}

type phaseBuilder struct {
	phase    *Phase
	declared bool
	disks    []*diskBuilder
	earlier  []*phaseBuilder // takes of the same phase
}

type diskBuilder struct {
	trace   *DiskTrace
	files   chunks
	others  chunks           // of the direction that the first one had not
	pending map[int][]Sample // by file, until it ends
	free    [][]Sample       // buffers of ended files, to use again
}

// chunks gathers files to be joined once: a list that is appended to is copied again and again as it grows, and of a million
// files the copies are most of what reading allocates.
type chunks [][]File

func (c *chunks) add(f File) {
	last := len(*c) - 1
	if last < 0 || len((*c)[last]) == cap((*c)[last]) {
		last++
		*c = append(*c, make([]File, 0, 16<<min(last, 4)))
	}
	(*c)[last] = append((*c)[last], f)
}

func (c chunks) len() (n int) {
	for _, files := range c {
		n += len(files)
	}
	return n
}

// add takes an event; hist is what the histogram of a latency line says.
func (b *builder) add(e *Event, hist latency.Counts) error {
	switch e.Type {
	case RunType:
		if b.headers > 0 {
			return b.another(e)
		}
		b.headers, b.declared = 1, slices.Clone(e.Disks)
		b.run.Name, b.run.Started, b.run.Hardware = e.Name, e.Started, e.Hardware
		if e.Version > FormatVersion {
			b.warnf("written in version %d of the format; this program knows version %d and may misread it", e.Version, FormatVersion)
		}
		return b.declareDisks(e.Disks)
	case PhaseType:
		p := b.phase(e.Phase)
		if p.declared {
			p = b.restart(p)
		}
		p.declared = true
		p.phase.Roles = e.Roles
		p.phase.Stop, p.phase.Test, p.phase.Score, p.phase.Connections = e.Stop, e.Test, e.Score, e.Connections
		p.phase.Work, p.phase.Search, p.phase.SteadyNS, p.phase.Saturation = e.Work, e.Search, e.SteadyNS, e.Saturation
	case StartType:
		late := e.LateNS
		b.disk(e).trace.LateNS = &late
	case ProgressType:
		b.disk(e).progress(e)
	case FileType:
		if e.Bytes > maxBytes-b.bytes {
			return fmt.Errorf("disk %s: file %d brings the trace to more than %d bytes, beyond what can be counted", e.Disk, e.Seq, int64(maxBytes))
		}
		b.bytes += max(e.Bytes, 0)
		d := b.disk(e)
		if d.trace.Op == "" {
			d.trace.Op = e.Op
		}
		files := &d.files
		if d.trace.Op != e.Op {
			files = &d.others
		}
		files.add(File{
			Seq: e.Seq, Bytes: e.Bytes, StartNS: e.StartNS, EndNS: e.EndNS, Filler: e.Filler, Samples: b.samplesOf(d, e),
		})
	case ErrorType:
		d := b.disk(e)
		d.trace.Errors = append(d.trace.Errors, Failure{Seq: e.Seq, TNS: e.TNS, Error: e.Error})
	case GaugeType:
		p := b.phase(e.Phase).phase
		p.Gauges = append(p.Gauges, Gauge{Disk: e.Disk, Name: e.Name, TNS: e.TNS, Value: e.Value})
	case LatencyType:
		n := hist.N()
		if n > latency.MaxCount-b.requests {
			return fmt.Errorf("disk %s: its latencies bring the trace to more than %d requests, beyond what can be counted", e.Disk, int64(latency.MaxCount))
		}
		b.requests += n
		d := b.disk(e)
		d.trace.Latencies = append(d.trace.Latencies, Latency{Op: e.Op, TNS: e.TNS, Hist: hist})
	case StreamType:
		b.disk(e).stream(e)
	case PhaseEndType:
		b.phase(e.Phase).phase.Status = e.Status
	case EndType:
		b.ended = true
		b.run.Status = e.Status
	}
	return nil
}

// declareDisks takes the run line's disks, keeping any that were seen before it.
func (b *builder) declareDisks(disks []Disk) error {
	seen := b.run.Disks
	b.run.Disks = nil
	for _, d := range disks {
		if b.knows(d.Name) {
			return fmt.Errorf("disk %q named twice in the run line", d.Name)
		}
		b.run.Disks = append(b.run.Disks, d)
	}
	for _, d := range seen {
		if !b.knows(d.Name) {
			b.run.Disks = append(b.run.Disks, d)
		}
	}
	return nil
}

func (b *builder) knows(disk string) bool {
	return slices.ContainsFunc(b.run.Disks, func(d Disk) bool { return d.Name == disk })
}

func (b *builder) phase(name string) *phaseBuilder {
	p := b.phases[name]
	if p == nil {
		p = &phaseBuilder{phase: &Phase{Name: name}}
		b.phases[name] = p
		b.run.Phases = append(b.run.Phases, p.phase)
	}
	return p
}

func (b *builder) disk(e *Event) *diskBuilder {
	if b.last != nil && b.last.trace.Name == e.Disk && b.lastIn == e.Phase {
		return b.last
	}
	p := b.phase(e.Phase)
	i := slices.IndexFunc(p.disks, func(d *diskBuilder) bool { return d.trace.Name == e.Disk })
	if i < 0 {
		if !b.knows(e.Disk) {
			b.run.Disks = append(b.run.Disks, Disk{Name: e.Disk})
		}
		i = len(p.disks)
		p.disks = append(p.disks, &diskBuilder{trace: &DiskTrace{Name: e.Disk}, pending: map[int][]Sample{}})
	}
	b.last, b.lastIn = p.disks[i], e.Phase
	return b.last
}

func (d *diskBuilder) progress(e *Event) {
	samples, ok := d.pending[e.Seq]
	if !ok && len(d.free) > 0 {
		samples = d.free[len(d.free)-1][:0]
		d.free = d.free[:len(d.free)-1]
	}
	d.pending[e.Seq] = append(samples, Sample{TNS: e.TNS, Bytes: e.Bytes})
}

// stream notes a stream's sample.
func (d *diskBuilder) stream(e *Event) {
	i := slices.IndexFunc(d.trace.Streams, func(s Stream) bool { return s.Name == e.Stream })
	if i < 0 {
		i = len(d.trace.Streams)
		d.trace.Streams = append(d.trace.Streams, Stream{Name: e.Stream})
	}
	d.trace.Streams[i].Samples = append(d.trace.Streams[i].Samples, StreamSample{
		TNS: e.TNS, Sample: e.StreamSample(),
	})
}

// samplesOf moves the progress of the file that e ends into the arena.
func (b *builder) samplesOf(d *diskBuilder, e *Event) []Sample {
	if len(d.pending) == 0 {
		return nil
	}
	samples, ok := d.pending[e.Seq]
	if !ok {
		return nil
	}
	delete(d.pending, e.Seq)
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
