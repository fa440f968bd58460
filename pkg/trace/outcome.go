package trace

import "fmt"

// Effective is how a job really moved its bytes, which may be less than it asked for.
type Effective struct {
	Engine   string   `json:"engine"` // simulated | threads | io_uring | app
	Cache    string   `json:"cache"`  // direct | cached writes (direct except for them) | cached (direct was asked for and granted, and the cache held them) | buffered | none (simulated)
	Flush    string   `json:"flush"`
	Block    int64    `json:"block"`
	Depth    int      `json:"depth"`
	Priority string   `json:"priority,omitempty"` // macOS: background, or the policy for disk requests: important, throttle ...
	Space    string   `json:"space,omitempty"`    // of new files: one of the following; empty if none was to be reserved
	Warnings []string `json:"warnings,omitempty"` // asked for one thing and got another
}

// How the space of new files was reserved before their time.
const (
	SpaceReserved = "reserved" // to be written in any order
	SpaceInOrder  = "in order" // reserved; what is written ahead of the rest has the system fill the gap with zeros
	SpaceZeros    = "zeros"    // by writing zeros all over it
	SpaceNone     = "none"     // not at all
)

// RunFailure is why a run is not whole: a phase of it, and a disk, if it was one of theirs.
type RunFailure struct {
	Phase string `json:"phase,omitempty"`
	Disk  string `json:"disk,omitempty"`
	Cause string `json:"cause"`
}

func (f RunFailure) String() string {
	switch {
	case f.Phase == "":
		return f.Cause
	case f.Disk == "":
		return fmt.Sprintf("phase %s: %s", f.Phase, f.Cause)
	default:
		return fmt.Sprintf("disk %s, phase %s: %s", f.Disk, f.Phase, f.Cause)
	}
}
