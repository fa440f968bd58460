package scenario

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// LinkRate is what a Thunderbolt 3 or 4 link carries in one direction, in bytes per second:
// measured over tens of seconds, 3.2 to 3.4 GB/s. It is assumed of disks that have not been
// measured.
const LinkRate = 3.4e9

// LinkMax is what it cannot exceed: four lanes of PCIe 3.0, less their encoding.
const LinkMax = 3.94e9

// Link is one that disks share, or that a disk has to itself.
type Link struct {
	Disks []string // names; none: all
	Rate  float64  // maximum in one direction, in bytes per second
}

func (l Link) has(disk string) bool { return len(l.Disks) == 0 || slices.Contains(l.Disks, disk) }

// LinksOf returns the links of disks: those that a machine reports, and one for all disks whose
// links are not known. There are none if nothing is known about any disk.
func LinksOf(disks []Disk, setup *hardware.Setup) []Link {
	if setup == nil {
		return nil
	}
	var links []Link
	unknown := Link{Rate: LinkRate}
	at := map[string]int{}
	for _, disk := range disks {
		unit := setup.Disks[disk.Name]
		known := false
		for i := range unit.Path.Links {
			link := &unit.Path.Links[i]
			rate := max(link.AtMost(true), link.AtMost(false))
			if rate == 0 {
				continue
			}
			known = true
			id := string(link.Segment) + "\x00" + cmp.Or(link.Hub, link.Port, "disk "+unit.Name)
			k, seen := at[id]
			if !seen {
				k = len(links)
				at[id] = k
				links = append(links, Link{Rate: rate})
			}
			links[k].Rate = min(links[k].Rate, rate)
			links[k].Disks = append(links[k].Disks, disk.Name)
		}
		if !known {
			unknown.Disks = append(unknown.Disks, disk.Name)
		}
	}
	if len(links) > 0 && len(unknown.Disks) > 0 {
		links = append(links, unknown)
	}
	return links
}

// links returns those that are known, or one for all disks.
func (p Phase) links() []Link {
	if len(p.Links) == 0 {
		return []Link{{Rate: LinkRate}}
	}
	return p.Links
}

// max returns what the link carries in one direction at most. An assumed one may carry more than
// such links were measured to.
func (l Link) max() float64 {
	if l.Rate == LinkRate {
		return LinkMax
	}
	return l.Rate
}

// Narrowest returns the link of a disk that carries the least, of those that are known.
func Narrowest(links []Link, disk string) Link {
	narrowest := Link{Rate: math.Inf(1)}
	for _, l := range links {
		if l.has(disk) && l.Rate < narrowest.Rate {
			narrowest = l
		}
	}
	return narrowest
}

func directions() [2]trace.Role { return [2]trace.Role{trace.Read, trace.Write} }

func (j Job) part(op trace.Role) float64 {
	if op == trace.Write {
		return j.Writes()
	}
	return 1 - j.Writes()
}

// Carried returns what the phase's links carry in a direction at most, all together, in bytes per
// second.
func (p Phase) Carried(op trace.Role) float64 {
	sum := 0.0
	var counted []Link
	for _, j := range p.Jobs {
		l := Narrowest(p.links(), j.Disk)
		same := func(c Link) bool { return c.Rate == l.Rate && slices.Equal(c.Disks, l.Disks) }
		if j.part(op) > 0 && !slices.ContainsFunc(counted, same) {
			counted = append(counted, l)
			sum += l.max()
		}
	}
	return sum
}

// Time returns how long the phase takes at least if nothing but its links limits its disks, and at
// most, unless that is open, as it is if files have no cap. Of a search it is the time of one try.
func (p Phase) Time() (shortest, longest time.Duration, open bool) {
	if timed := max(p.Limit, p.Target); timed > 0 {
		if p.Steady > 0 {
			return min(timed, stats.SteadyWindows*p.Steady), timed, false
		}
		return timed, timed, false
	}
	for _, job := range p.Movers() {
		last := len(job.Sizes) - 1
		rate := Narrowest(p.links(), job.Disk).Rate / max(job.part(trace.Read),
			job.part(trace.Write))
		if job.Pace > 0 {
			rate = min(rate, job.Pace)
		}
		moving := timeOf(float64(job.Bytes()), rate)
		capped := time.Duration(last+1) * job.IO.Cap
		shortest = max(shortest,
			moving+time.Duration(last)*job.IO.pause(moving/time.Duration(last+1)))
		longest = max(longest, capped+time.Duration(last)*job.IO.pause(job.IO.Cap))
		open = open || capped == 0
	}
	for _, link := range p.links() { // if those on it took turns, beside streams and probes
		for _, op := range directions() {
			bytes := 0.0
			left := link.Rate
			for _, job := range p.Jobs {
				switch part := job.part(op); {
				case !link.has(job.Disk): // not on it
				case job.HasNoFiles():
					left -= job.Rate() * part
				default:
					bytes += float64(job.Bytes()) * part
				}
			}
			shortest = max(shortest, timeOf(bytes, max(left, link.Rate/10)))
		}
	}
	if !open {
		shortest = min(shortest, longest)
	}
	return shortest, longest, open
}

// pause returns how long the disk does nothing after a file that has taken so long, if another
// follows.
func (io *IO) pause(took time.Duration) time.Duration {
	if io.Step > 0 { // from start to start
		return max(0, io.Step-took)
	}
	return io.Rest + io.ThinkTime()
}

// within returns what a job moves in a time at a rate, in bytes, with its pauses between files.
func (j Job) within(t time.Duration, rate float64) int64 {
	took := timeOf(float64(j.Bytes())/float64(len(j.Sizes)), rate)
	if j.IO.Cap > 0 {
		took = min(took, j.IO.Cap)
	}
	if pause := j.IO.pause(took); pause > 0 {
		return int64(math.Round(rate * t.Seconds() * took.Seconds() / (took + pause).Seconds()))
	}
	return int64(rate * t.Seconds())
}

// bothWays is how much more a link moves in both directions than in one: 4.3 to 4.8 GB/s were
// measured of one that carries 3.4.
const bothWays = 1.4

// linkShare returns what a job moves in a second if only its links limit it: a job with a pace of
// its own takes that, and the others the rest in equal parts, in each direction.
func (p Phase) linkShare(j Job) float64 {
	if rate := j.Rate(); rate > 0 {
		return rate
	}
	share := math.Inf(1)
	for _, link := range p.links() {
		if !link.has(j.Disk) {
			continue
		}
		var left, others [2]float64
		for i, op := range directions() {
			for _, job := range p.Jobs {
				switch rate := job.Rate(); {
				case !link.has(job.Disk): // not on it
				case rate > 0:
					left[i] -= rate * job.part(op)
				case job.part(op) > 0:
					others[i]++
				}
			}
		}
		carries := link.Rate
		if others[0] > 0 && others[1] > 0 {
			carries *= bothWays / 2
		}
		for i, op := range directions() {
			if part := j.part(op); part > 0 {
				share = min(share, max(left[i]+carries, link.Rate/10)/others[i]/part)
			}
		}
	}
	return share
}

// maxRate returns a job's maximum rate with all others idle; of a search, in any of its tries.
func (p Phase) maxRate(j Job) float64 {
	rate := p.most(j).Rate()
	if p.Search != nil && p.Search.Kind == trace.SearchPace && p.Search.Disk == j.Disk {
		rate = p.Search.Max // zero: it is tried without a limit
	}
	link := Narrowest(p.links(), j.Disk).max() / max(j.part(trace.Read), j.part(trace.Write))
	if rate == 0 {
		return link
	}
	return min(rate, link)
}

// aloneMargin is how much faster than in its short measurement a disk may be.
const aloneMargin = 1.1

func timeOf(bytes, rate float64) time.Duration {
	return time.Duration(bytes / rate * float64(time.Second))
}

// Total is what a plan moves on one disk, in bytes.
type Total struct {
	Written int64 // measured writes, and the files that must be there beforehand: the disk's wear
	Space   int64 // maximum of test files at one time
	Bound   Bound // bound of Written
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

// With returns the bound of a sum of two amounts.
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

// Moves returns what a job of the phase moves and measures, filler included. If that is a maximum,
// as of a phase that ends when its rates are steady, or of one try of a search, each disk may have
// most of the link, but all together have no more of it: see Carried.
func (p Phase) Moves(j Job) (int64, Bound) {
	timed := cmp.Or(p.Limit, p.Target)
	if timed == 0 && j.HasNoFiles() {
		timed, _, _ = p.Time()
	}
	switch {
	case p.AtMost():
		return j.within(timed, p.maxRate(j)), AtMost
	case timed > 0 && j.Alone > 0 && j.Pace == 0:
		inFlight := j.IO.Block * int64(j.IO.Depth) // when the time is over
		return j.within(timed, aloneMargin*j.Alone) + inFlight, AtMost
	case timed > 0:
		return j.within(timed, p.linkShare(j)), About
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

// AtMost reports whether what the phase moves is known only to be no more than its links carry in
// its time.
func (p Phase) AtMost() bool { return p.Search != nil || p.Steady > 0 || p.Saturation != nil }
