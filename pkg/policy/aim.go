package policy

import (
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// aim decides, while a job with a target runs, how many files it has: as many as end nearest to the target, so
// that all disks of a phase end together however they share the hub. It goes by the job's own rate in the phase,
// which the contention has already made what it is, and checks it again and again.
type aim struct {
	job    *scenario.Job
	target time.Duration
	last   point   // the latest known
	checks []point // at each check so far, and at the release
}

// A check comes every twentieth of the target, the first after a tenth and the last before a tenth is left. The rate
// that counts is that of the last fifth.
const (
	aimSteps  = 20
	aimFirst  = 2
	aimLast   = 18
	aimWindow = 4
)

// point is how far a job was at a time since the release.
type point struct {
	ns    int64
	bytes float64
}

func newAim(job *scenario.Job, target time.Duration) *aim {
	return &aim{job: job, target: target, checks: []point{{}}}
}

// moved notes that the job has moved that many bytes in all by tNS. At a check it returns the number of files.
func (a *aim) moved(bytes, tNS int64) (files int, decided bool) {
	now := point{tNS, float64(bytes)}
	for k := len(a.checks); k <= aimLast && now.ns >= a.checkNS(k); k++ {
		at := between(a.last, now, a.checkNS(k))
		from := a.checks[max(0, k-aimWindow)]
		a.checks = append(a.checks, at)
		if k < aimFirst {
			continue
		}
		rate := (at.bytes - from.bytes) / float64(at.ns-from.ns)
		files, decided = a.files(at.bytes+rate*float64(a.target.Nanoseconds()-at.ns), bytes), true
	}
	a.last = now
	return files, decided
}

func (a *aim) checkNS(k int) int64 { return a.target.Nanoseconds() * int64(k) / aimSteps }

// between is where a job was at ns, between the last point and this one: so it does not matter when points come.
func between(last, now point, ns int64) point {
	part := float64(ns-last.ns) / float64(max(1, now.ns-last.ns))
	return point{ns, last.bytes + part*(now.bytes-last.bytes)}
}

// files is how many files come nearest to that many bytes, and hold what is moved already.
func (a *aim) files(bytes float64, moved int64) int {
	var sum int64
	for n := 0; ; n++ {
		next := sum + a.job.Size(n)
		if sum >= moved && n > 0 && float64(sum)+float64(next) >= 2*bytes {
			return n
		}
		sum = next
	}
}
