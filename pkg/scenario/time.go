package scenario

import (
	"time"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Time is how long the phase takes at the least, where all its disks share one link and nothing else holds them up; and
// at most, unless that is open, as it is where files have no cap. Of a search it is the time of one try.
func (p Phase) Time() (least, most time.Duration, open bool) {
	if timed := max(p.Limit, p.Target); timed > 0 {
		if p.Steady > 0 {
			return min(timed, stats.SteadyWindows*p.Steady), timed, false
		}
		return timed, timed, false
	}
	var together time.Duration // were they to take turns
	for _, job := range p.Movers() {
		last := len(job.Sizes) - 1
		rate := LinkRate
		if job.Pace > 0 {
			rate = min(rate, job.Pace)
		}
		moving, gaps := timeOf(job.Bytes(), rate), time.Duration(last)*job.IO.Rest
		capped := time.Duration(last+1) * job.IO.Cap
		together += timeOf(job.Bytes(), p.left())
		if job.IO.Step > 0 { // from start to start: only the last file counts by itself
			moving, gaps = timeOf(job.Sizes[last], rate), time.Duration(last)*job.IO.Step
			capped = job.IO.Cap
		}
		least, most = max(least, gaps+moving), max(most, gaps+capped)
		open = open || capped == 0
	}
	least = max(least, together)
	if !open {
		least = min(least, most)
	}
	return least, most, open
}

// left is what a link carries beside streams and probes, in bytes per second: some of it at any rate.
func (p Phase) left() float64 {
	left := LinkRate
	for _, job := range p.Jobs {
		if job.Accompanies() {
			left -= job.Rate()
		}
	}
	return max(left, LinkRate/10)
}

// linkShare is what a job moves in a second as if the disks shared one link: what has a pace of its own takes that, and
// the others the rest in equal parts.
func (p Phase) linkShare(j Job) float64 {
	left, others := LinkRate, 0.0
	for _, job := range p.Jobs {
		if rate := job.Rate(); rate > 0 {
			left -= rate
		} else {
			others++
		}
	}
	if rate := j.Rate(); rate > 0 {
		return rate
	}
	return max(left, LinkRate/10) / others
}

// mostRate is what a job moves in a second at most in any try of the phase's search.
func (p Phase) mostRate(j Job) float64 {
	rate := p.most(j).Rate()
	if p.Search.Kind == trace.SearchPace && p.Search.Disk == j.Disk {
		rate = p.Search.Most // zero: it is tried without a limit
	}
	if rate == 0 {
		return LinkRate
	}
	return min(rate, LinkRate)
}

// timeOf is how long so many bytes take at a rate.
func timeOf(bytes int64, rate float64) time.Duration {
	return time.Duration(float64(bytes) / rate * float64(time.Second))
}
