package trace

import (
	"fmt"
	"slices"
)

// Checkup is what `hubbench doctor` found out about a machine and its disks: whether measurements
// there can be trusted. Later runs on the machine carry the problems found.
type Checkup struct {
	Tool   string  `json:"tool"` // hubbench's version
	Date   string  `json:"date"` // RFC 3339
	Host   string  `json:"host"`
	System string  `json:"system"` // operating system, architecture, processors
	Checks []Check `json:"checks"`
}

// Check is the answer to one question.
type Check struct {
	Name     string  `json:"name"`
	Path     string  `json:"path,omitempty"` // the disk's folder; empty if it is about the machine
	Finds    string  `json:"-"`              // what it looks for: "two names for one physical disk"
	Verdict  Verdict `json:"verdict"`
	Measured string  `json:"measured"`
	Text     string  `json:"text"`   // what it means for results
	Advice   string  `json:"advice"` // what to do; empty if nothing is
}

// Verdict is how a check ended.
type Verdict string

// A check that fails says that results cannot be trusted; a warning, that they may be off.
const (
	Pass Verdict = "pass"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
	Skip Verdict = "skip" // it could not be made here
)

// Sentence says what was measured, what that means, and what to try.
func (c Check) Sentence() string {
	text := c.Measured
	if c.Text != "" {
		text += ": " + c.Text
	}
	if c.Advice != "" {
		text += "; " + c.Advice
	}
	return text
}

// Failed returns the checks that failed.
func (c *Checkup) Failed() []Check { return c.with(Fail) }

// Doubts returns the checks that failed or warn.
func (c *Checkup) Doubts() []Check { return append(c.with(Fail), c.with(Warn)...) }

func (c *Checkup) with(verdict Verdict) []Check {
	return slices.DeleteFunc(slices.Clone(c.Checks), func(check Check) bool {
		return check.Verdict != verdict
	})
}

// Subject returns the check's name, and the disk's folder if it is about one.
func (c Check) Subject() string {
	if c.Path == "" {
		return c.Name
	}
	return fmt.Sprintf("%s on %s", c.Name, c.Path)
}

// Effective is how a job really moved its bytes, which may be less than it asked for.
type Effective struct {
	Engine string `json:"engine"` // simulated | threads | io_uring | app
	// direct | cached writes (direct except for them) | cached (direct was asked for and granted,
	// and the cache held them) | buffered | none (simulated)
	Cache string `json:"cache"`
	// SmallWrites says in words what small direct writes did when they were tried, on a system that
	// may pass them through its cache (macOS).
	SmallWrites string `json:"small_writes,omitempty"`
	Flush       string `json:"flush"`
	// FlushReaches is how far the flush brings what was written; empty without a flush.
	FlushReaches string `json:"flush_reaches,omitempty"`
	Block        int64  `json:"block"`
	Depth        int    `json:"depth"`
	// FileSystem is the kind of file system that the files were on, such as apfs: of macOS.
	FileSystem string `json:"file_system,omitempty"`
	// macOS: background, or the policy for disk requests: important, throttle ...
	Priority string `json:"priority,omitempty"`
	// Space is that of new files: one of the following; empty if none was to be reserved.
	Space    string   `json:"space,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // asked for one thing and got another
}

// CacheOfWrites is the cache of a job whose direct writes were too small to go past it.
const CacheOfWrites = "cached writes"

// How far a flush brings what was written.
const (
	ReachesCache  = "the drive's cache"
	ReachesMedium = "the medium"
)

// How the space of new files was reserved before their time.
const (
	SpaceReserved = "reserved" // to be written in any order
	// Reserved; what is written ahead of the rest has the system fill the gap with zeros.
	SpaceInOrder = "in order"
	SpaceZeros   = "zeros" // by writing zeros all over it
	SpaceNone    = "none"  // not at all
)

// RunFailure is why a run is not whole: a phase of it, and a disk, if it was one of theirs.
type RunFailure struct {
	Phase string `json:"phase,omitempty"`
	Disk  string `json:"disk,omitempty"`
	Cause string `json:"cause"`
}

// Interrupted is the cause of a failure that is a person's own doing.
const Interrupted = "interrupted"

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
