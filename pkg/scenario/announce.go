package scenario

import (
	"cmp"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// Event is the first line of a trace of the plan, begun at a wall time (a label; empty if nothing ran).
func (p *Plan) Event(started string) trace.Event {
	e := trace.Event{Type: trace.RunType, Version: trace.FormatVersion, Name: p.Name, Started: started}
	for _, d := range p.Disks {
		e.Disks = append(e.Disks, trace.Disk{Name: d.Name, Path: d.Path, Connection: d.Connection, Profile: d.Profile})
	}
	return e
}

// Event is the first line of the phase in a trace.
func (p *Phase) Event() trace.Event {
	return trace.Event{
		Type: trace.PhaseType, Phase: p.Name, Roles: p.Roles, Stop: p.Stop, Test: p.Test, Score: p.Score, Connections: p.Connections, Work: p.Works(),
		Search: p.Try, SteadyNS: p.Steady.Nanoseconds(), Saturation: p.Saturation,
	}
}

// Works is the work of each of the phase's disks.
func (p *Phase) Works() map[string]work.Work {
	works := make(map[string]work.Work, len(p.Jobs))
	for _, j := range p.Jobs {
		w := j.Work()
		w.Test, w.Fill = p.Test, p.Precondition
		works[j.Disk] = w
	}
	return works
}

// Work is the job's work, except for what it shares with the other jobs of its phase.
func (j *Job) Work() work.Work {
	w := work.Work{
		Op: j.Role, Sizes: j.Source, Order: j.Order,
		Mode: j.IO.Mode, Verify: j.IO.Verify, Footprint: j.IO.Footprint, WarmUp: j.IO.Discard,
		OneFile: j.IO.OneFile, Cap: j.IO.Cap, Rest: j.IO.Rest,
		Pace: j.Pace, Reads: j.Reads, Streams: j.Streams, Every: j.Probe,
	}
	if j.IO.Mode == ModeDirect {
		w.Block, w.Depth, w.Access = j.IO.Block, j.IO.Depth, cmp.Or(j.IO.Access, AccessSequential)
	}
	if j.Writes() > 0 {
		w.Flush, w.Preallocate = j.IO.Flush, j.IO.Preallocate
	}
	if j.Probe > 0 {
		w.Probe = j.IO.Block
	}
	return w
}
