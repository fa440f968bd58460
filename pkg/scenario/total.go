package scenario

import (
	"cmp"
	"slices"
)

// LinkRate is what a Thunderbolt 3 or 4 link carries in one direction, in bytes per second: measured over tens
// of seconds, 3.2 to 3.4 GB/s. It is assumed of disks that have not been measured.
const LinkRate = 3.4e9

// LinkMax is what it cannot exceed: four lanes of PCIe 3.0, less their encoding.
const LinkMax = 3.94e9

// Total is what a plan moves on one disk, in bytes.
type Total struct {
	Written int64 // measured writes, and the files that must be there beforehand: the disk's wear
	Space   int64 // maximum of test files at one time
	Bound   Bound // of Written
}

// Bound says whether an amount in a plan is exact, a limit or an estimate.
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
			if writes := j.Writes(); writes > 0 {
				t.Written += int64(float64(moves) * writes)
				t.Bound = t.Bound.With(bound)
			}
		}
	}
	return totals
}

// Moves is what a job of the phase moves and measures, filler included. If that is a maximum, as of a phase that ends when its
// rates are steady, or of one try of a search, each disk may have most of the link, but all together have no more of it: see
// Carried.
func (p Phase) Moves(j Job) (int64, Bound) {
	timed := cmp.Or(p.Limit, p.Target)
	if timed == 0 && j.Accompanies() {
		timed, _, _ = p.Time()
	}
	switch {
	case p.AtMost():
		return int64(p.maxRate(j) * timed.Seconds()), AtMost
	case timed > 0:
		return int64(p.linkShare(j) * timed.Seconds()), About
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

// AtMost reports whether what the phase moves is known only to be no more than its links carry in its time.
func (p Phase) AtMost() bool { return p.Search != nil || p.Steady > 0 || p.Saturation != nil }

// Bytes is the job's whole work; of one that accompanies others, what it moves in a second.
func (j Job) Bytes() int64 { return sum(j.Sizes) }

// Job finds a disk's job; there is none if the disk is idle.
func (p Phase) Job(disk string) (Job, bool) {
	for _, j := range p.Jobs {
		if j.Disk == disk {
			return j, true
		}
	}
	return Job{}, false
}

// Movers are the jobs that have files to move, and do not only accompany others.
func (p Phase) Movers() []Job {
	return slices.DeleteFunc(slices.Clone(p.Jobs), Job.Accompanies)
}

// Bytes is the work of all disks in the phase that have files to move.
func (p Phase) Bytes() int64 {
	var sum int64
	for _, j := range p.Movers() {
		sum += j.Bytes()
	}
	return sum
}

// Files is the number of files to move in the phase.
func (p Phase) Files() int {
	n := 0
	for _, j := range p.Movers() {
		n += len(j.Sizes)
	}
	return n
}
