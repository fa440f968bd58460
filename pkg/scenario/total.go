package scenario

import (
	"cmp"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
)

// LinkRate is what a Thunderbolt 3 or 4 link carries in one direction, in bytes per second: measured over tens
// of seconds, 3.2 to 3.4 GB/s. It stands for what is not known of disks before they are measured.
const LinkRate = 3.4e9

// Total is what a plan asks of one disk, in bytes.
type Total struct {
	Written int64 // measured writes, and the files that must be there beforehand: the disk's wear
	Space   int64 // most test files at one time
	Bound   Bound // of Written
}

// Bound says on which side of an amount that a plan states the truth lies.
type Bound string

// The bounds, in the words that stand before an amount.
const (
	Exact   Bound = ""
	AtMost  Bound = "at most"  // passes end when their time is up
	AtLeast Bound = "at least" // a disk that holds goes on as long as the others need
	About   Bound = "about"    // the time is given and the work follows
)

// With is the bound of a sum of two amounts.
func (b Bound) With(other Bound) Bound {
	if b == other || b == Exact || other == Exact {
		return cmp.Or(b, other)
	}
	return About
}

// Totals sums the plan up, disk by disk.
func (p *Plan) Totals() []Total {
	totals := make([]Total, len(p.Disks))
	for i, d := range p.Disks {
		t := &totals[i]
		for k, stock := range p.Stock(d.Name) {
			t.Space = max(t.Space, stock.Space)
			j, ok := p.Phases[k].Job(d.Name)
			if !ok {
				continue
			}
			moves, bound := p.Phases[k].Moves(j)
			t.Written += stock.Before
			if j.Role == trace.Write {
				t.Written += moves
				t.Bound = t.Bound.With(bound)
			}
		}
	}
	return totals
}

// Moves is what a job of the phase moves and measures, filler included.
func (p Phase) Moves(j Job) (int64, Bound) {
	if timed := cmp.Or(p.Limit, p.Target); timed > 0 { // as if the disks shared one link evenly
		return int64(LinkRate * timed.Seconds() / float64(len(p.Jobs))), About
	}
	bound := Exact
	if j.IO.Cap > 0 {
		bound = AtMost
	}
	if p.Stop == StopHold && len(p.Jobs) > 1 {
		bound = bound.With(AtLeast)
	}
	return j.Bytes(), bound
}

// Bytes is the job's whole work.
func (j Job) Bytes() int64 { return sum(j.Sizes) }

// Job finds a disk's job; there is none where the disk is idle.
func (p Phase) Job(disk string) (Job, bool) {
	for _, j := range p.Jobs {
		if j.Disk == disk {
			return j, true
		}
	}
	return Job{}, false
}

// Bytes is the measured work of all disks in the phase.
func (p Phase) Bytes() int64 {
	var sum int64
	for _, j := range p.Jobs {
		sum += j.Bytes()
	}
	return sum
}

// Files is how many transfers are measured in the phase.
func (p Phase) Files() int {
	n := 0
	for _, j := range p.Jobs {
		n += len(j.Sizes)
	}
	return n
}

// Who says which disks do what in the phase: "C writes; A, B read".
func (p Phase) Who() string {
	var roles []trace.Role
	disks := map[trace.Role][]string{}
	for _, j := range p.Jobs {
		if disks[j.Role] == nil {
			roles = append(roles, j.Role)
		}
		disks[j.Role] = append(disks[j.Role], j.Disk)
	}
	var parts []string
	for _, role := range roles {
		verb := string(role)
		if len(disks[role]) == 1 {
			verb += "s"
		}
		parts = append(parts, strings.Join(disks[role], ", ")+" "+verb)
	}
	return strings.Join(parts, "; ")
}
