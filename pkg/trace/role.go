package trace

import "github.com/hubbench/hubbench/pkg/work"

// Role is what a disk does in a phase.
type Role = work.Role

// The three roles, as they stand in scenario files and traces.
const (
	Read  = work.Read
	Write = work.Write
	Idle  = work.Idle
)
