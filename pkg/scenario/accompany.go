package scenario

import (
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

// accompanying makes the job of a disk that has no files to move. Its requests always bypass the system's cache, one at a
// time in a frame or a probe, whatever the workload says.
func (s *Scenario) accompanying(spec PhaseSpec, disk string, j Job) Job {
	io := spec.Workload.IO
	j.IO = IO{Mode: ModeDirect, Block: io.Block, Depth: io.Depth, Flush: FlushNone, Verify: VerifyOff, Preallocate: true, Keep: io.Keep, Footprint: io.Footprint}
	if probe, ok := spec.Probes[disk]; ok {
		j.Probe = probe.Every
		j.IO.Block, j.IO.Depth, j.IO.Access = probe.Block, 1, AccessRandom
		j.Sizes = []int64{probe.Block * max(1, int64(time.Second/probe.Every))}
		return j
	}
	j.Streams = slices.Clone(spec.Streams[disk])
	j.IO.Block = streamBlock(j.Streams, io.Block)
	j.Sizes = []int64{streamSecond(j.Streams)}
	j.Stretch = stretch(spec.most(j).Streams, io.Footprint)
	return j
}

// most is the job with as many streams as a search will try at most.
func (p PhaseSpec) most(j Job) Job { return Phase{Search: p.Search}.most(j) }

// most is the job with as many streams as a search will try at most. The job itself is that of one try.
func (p Phase) most(j Job) Job {
	if p.Search != nil && p.Search.Kind == trace.SearchStreams && p.Search.Disk == j.Disk {
		j.Streams = slices.Clone(j.Streams)
		j.Streams[0].Count = int(p.Search.Max)
	}
	return j
}

// Rate is what the job moves in a second if nothing holds it up, in bytes; 0 if it is unlimited.
func (j Job) Rate() float64 {
	switch {
	case len(j.Streams) > 0:
		return float64(streamSecond(j.Streams))
	case j.Probe > 0:
		return float64(j.IO.Block) / j.Probe.Seconds()
	}
	return j.Pace
}

// Writes is the share of writes in what the job moves.
func (j Job) Writes() float64 {
	switch {
	case j.Reads > 0:
		return 1 - j.Reads
	case j.Role == trace.Write:
		return 1
	}
	return 0
}
