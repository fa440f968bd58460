package trace

import "github.com/hubbench/hubbench/pkg/scenario"

// RunEvent is the first line of a run of a plan, begun at a wall time (a label; empty where nothing ran).
func RunEvent(plan *scenario.Plan, started string) Event {
	e := Event{Type: RunType, Version: FormatVersion, Name: plan.Name, Started: started}
	for _, d := range plan.Disks {
		e.Disks = append(e.Disks, Disk{Name: d.Name, Path: d.Path, Connection: d.Connection, Profile: d.Profile})
	}
	return e
}

// PhaseEvent is the first line of a phase.
func PhaseEvent(p *scenario.Phase) Event {
	return Event{Type: PhaseType, Phase: p.Name, Roles: p.Roles, Stop: p.Stop, Test: p.Test, Score: p.Score, Connections: p.Connections}
}
