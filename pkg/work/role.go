package work

// Role is what a disk does in a phase, in plans, traces and models alike; as an event's `op` it is only ever Read or Write.
type Role string

// The three roles, as they stand in scenario files and traces.
const (
	Read  Role = "read"
	Write Role = "write"
	Idle  Role = "idle"
)

// Letter is the role's letter in a pattern: R, W or -.
func (r Role) Letter() byte {
	switch r {
	case Read:
		return 'R'
	case Write:
		return 'W'
	default:
		return '-'
	}
}
