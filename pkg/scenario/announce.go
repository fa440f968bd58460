package scenario

import "github.com/hubbench/hubbench/pkg/trace"

// Event is the first line of a trace of the plan, begun at a wall time (a label; empty where nothing ran).
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
		Type: trace.PhaseType, Phase: p.Name, Roles: p.Roles, Stop: p.Stop, Test: p.Test, Score: p.Score, Connections: p.Connections, Paced: p.paced(),
		Search: p.Try, SteadyNS: p.Steady.Nanoseconds(), Saturation: p.Saturation,
	}
}

// paced is what the phase's line in a trace says of the disks that do not work as fast as they can.
func (p *Phase) paced() map[string]trace.Paced {
	var paced map[string]trace.Paced
	for _, j := range p.Jobs {
		work := trace.Paced{Rate: j.Pace, Streams: j.Streams, Reads: j.Reads}
		if j.Probe > 0 {
			work.Probe = j.IO.Block
		}
		if work.Limited() || work.Reads > 0 {
			if paced == nil {
				paced = map[string]trace.Paced{}
			}
			paced[j.Disk] = work
		}
	}
	return paced
}
