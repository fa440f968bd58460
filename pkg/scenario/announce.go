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
		Type: trace.PhaseType, Phase: p.Name, Roles: p.Roles, Stop: p.Stop, Test: p.Test, Score: p.Score, Connections: p.Connections,
	}
}
