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

// Link is one that disks share, or that a disk has to itself.
type Link struct {
	Disks []string // names; none: all
	Rate  float64  // that it carries in one direction at the most, in bytes per second
}

func (l Link) has(disk string) bool { return len(l.Disks) == 0 || slices.Contains(l.Disks, disk) }

// LinksOf are the links that disks hang on: those that a machine tells of, and one for all disks of whose way nothing is
// known. There are none if nothing is known of any.
func LinksOf(disks []Disk, setup *hardware.Setup) []Link {
	if setup == nil {
		return nil
	}
	var links []Link
	unknown := Link{Rate: LinkRate}
	at := map[string]int{}
	for _, disk := range disks {
		unit, known := setup.Disks[disk.Name], false
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
				at[id], links = k, append(links, Link{Rate: rate})
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

// links are those that are known, or one for all disks.
func (p Phase) links() []Link {
	if len(p.Links) == 0 {
		return []Link{{Rate: LinkRate}}
	}
	return p.Links
}

// Narrowest is the link of a disk that carries least, of those that are known.
func Narrowest(links []Link, disk string) Link {
	least := Link{Rate: math.Inf(1)}
	for _, l := range links {
		if l.has(disk) && l.Rate < least.Rate {
			least = l
		}
	}
	return least
}

// Carried is what the phase's links carry at the most, all together, in bytes per second.
func (p Phase) Carried() float64 {
	sum := 0.0
	var counted []Link
	for _, j := range p.Jobs {
		l := Narrowest(p.links(), j.Disk)
		if !slices.ContainsFunc(counted, func(c Link) bool { return c.Rate == l.Rate && slices.Equal(c.Disks, l.Disks) }) {
			counted, sum = append(counted, l), sum+l.Rate
		}
	}
	return sum
}

// Time is how long the phase takes at the least, if nothing but its links holds its disks up; and at most, unless that is
// open, as it is where files have no cap. Of a search it is the time of one try.
func (p Phase) Time() (least, most time.Duration, open bool) {
	if timed := max(p.Limit, p.Target); timed > 0 {
		if p.Steady > 0 {
			return min(timed, stats.SteadyWindows*p.Steady), timed, false
		}
		return timed, timed, false
	}
	for _, job := range p.Movers() {
		last := len(job.Sizes) - 1
		rate := Narrowest(p.links(), job.Disk).Rate
		if job.Pace > 0 {
			rate = min(rate, job.Pace)
		}
		moving, gaps := timeOf(job.Bytes(), rate), time.Duration(last)*job.IO.Rest
		capped := time.Duration(last+1) * job.IO.Cap
		if job.IO.Step > 0 { // from start to start: only the last file counts by itself
			moving, gaps = timeOf(job.Sizes[last], rate), time.Duration(last)*job.IO.Step
			capped = job.IO.Cap
		}
		least, most = max(least, gaps+moving), max(most, gaps+capped)
		open = open || capped == 0
	}
	for _, link := range p.links() { // were those on it to take turns
		least = max(least, timeOf(p.over(link), p.left(link)))
	}
	if !open {
		least = min(least, most)
	}
	return least, most, open
}

// over is what goes over a link, beside streams and probes.
func (p Phase) over(link Link) (bytes int64) {
	for _, job := range p.Movers() {
		if link.has(job.Disk) {
			bytes += job.Bytes()
		}
	}
	return bytes
}

// left is what a link carries beside streams and probes, in bytes per second: some of it at any rate.
func (p Phase) left(link Link) float64 {
	left := link.Rate
	for _, job := range p.Jobs {
		if job.Accompanies() && link.has(job.Disk) {
			left -= job.Rate()
		}
	}
	return max(left, link.Rate/10)
}

// linkShare is what a job moves in a second if only its links limit it: what has a pace of its own takes that, and the
// others the rest in equal parts.
func (p Phase) linkShare(j Job) float64 {
	if rate := j.Rate(); rate > 0 {
		return rate
	}
	share := math.Inf(1)
	for _, link := range p.links() {
		if !link.has(j.Disk) {
			continue
		}
		left, others := link.Rate, 0.0
		for _, job := range p.Jobs {
			switch rate := job.Rate(); {
			case !link.has(job.Disk): // is elsewhere
			case rate > 0:
				left -= rate
			default:
				others++
			}
		}
		share = min(share, max(left, link.Rate/10)/others)
	}
	return share
}

// mostRate is what a job moves in a second at most in any try of the phase's search.
func (p Phase) mostRate(j Job) float64 {
	rate, link := p.most(j).Rate(), Narrowest(p.links(), j.Disk).Rate
	if p.Search.Kind == trace.SearchPace && p.Search.Disk == j.Disk {
		rate = p.Search.Most // zero: it is tried without a limit
	}
	if rate == 0 {
		return link
	}
	return min(rate, link)
}

// timeOf is how long so many bytes take at a rate.
func timeOf(bytes int64, rate float64) time.Duration {
	return time.Duration(float64(bytes) / rate * float64(time.Second))
}
