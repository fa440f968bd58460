package progress

import (
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
)

// cost is how long a phase takes on the clock, by the plan alone. A search has its tries one after
// the other, each with a rest of its own.
type cost struct {
	rest  time.Duration
	timed time.Duration // of a phase that ends by the clock
	// By the links at their best: how much slower the disks are is known once they have moved
	// something.
	prepare, move time.Duration
	tries         int  // that are left of a search; 1 of other phases
	atMost        bool // it may end earlier
}

// costOf returns what a phase costs that has that many bytes to write before it on one disk.
func (s *state) costOf(phase *scenario.Phase, before int64) cost {
	shortest, _, _ := phase.Time()
	c := cost{
		rest: s.real(phase.Cooldown), timed: s.real(max(phase.Limit, phase.Target)),
		prepare: time.Duration(float64(before) / scenario.LinkRate * float64(time.Second)),
		tries:   1,
		atMost:  phase.UntilIdle || phase.Steady > 0,
	}
	if phase.Search != nil {
		c.tries, c.timed, c.atMost = search.New(phase).AtMost(), s.real(phase.Search.Hold), true
	}
	if c.timed == 0 {
		c.move = s.real(shortest)
	}
	return c
}

// real is how long a time of the plan takes on the clock.
func (s *state) real(d time.Duration) time.Duration {
	return time.Duration(float64(d) / s.speedup)
}

// left returns how long the run goes on, and whether it may end earlier. It is known once the disks
// have moved something, or if all phases end by the clock; until then it is the least time.
func (s *state) left() (left time.Duration, atMost, known bool) {
	var moves time.Duration
	for _, c := range s.costs[s.index:] {
		left += time.Duration(c.tries) * (c.rest + c.timed)
		moves += c.prepare + c.move
		atMost = atMost || c.atMost
	}
	c, elapsed := s.costs[s.index], s.now.Sub(s.since)
	switch s.stage {
	case cooling:
		left -= min(elapsed, c.rest)
	case working:
		left -= c.rest + min(elapsed, c.timed)
	default:
		left -= c.rest
	}
	done, spent := s.moved()
	moves -= done
	done += s.movedPlan
	spent += s.movedTime
	switch {
	case moves <= 0:
		return left, atMost, true
	case done <= 0 || spent < firstRate:
		return left + moves, atMost, false
	}
	return left + time.Duration(float64(moves)*float64(spent)/float64(done)), atMost, true
}

// moved returns what the plan gives for what the stage has moved, and what that took.
func (s *state) moved() (planned, took time.Duration) {
	switch s.stage {
	case preparing:
		planned = s.costs[s.index].prepare
	case working:
		planned = s.costs[s.index].move
	default:
	}
	if planned == 0 {
		return 0, 0
	}
	return time.Duration(s.share() * float64(planned)), s.now.Sub(s.since)
}

// share is how much of its work a stage has done: as much as the disk that is farthest behind.
func (s *state) share() float64 {
	share := 1.0
	for i := range s.disks {
		d := &s.disks[i]
		switch {
		case s.stage == preparing && d.before > 0:
			share = min(share, float64(d.prepared)/float64(d.before))
		case s.stage == working && !d.job.Accompanies():
			share = min(share, float64(d.moved())/float64(d.job.Bytes()))
		}
	}
	return share
}

// leftText says how long the run goes on, and when it will be done, if that can be said.
func (s *state) leftText() (left, done string) {
	d, atMost, known := s.left()
	step := time.Second
	if d >= time.Minute {
		step = time.Minute
	}
	left = seconds(max(d.Round(step), step)) + " left"
	done = s.now.Add(d).Format("15:04")
	switch {
	case !known:
		return "at least " + left, ""
	case atMost:
		return "at most " + left, ", done by " + done
	}
	return left, ", done at " + done
}

// percent is how much of the run's time has passed, as far as that is known.
func (s *state) percent() float64 {
	left, _, known := s.left()
	if !known {
		return 0
	}
	spent := s.now.Sub(s.began)
	return 100 * float64(spent) / float64(max(spent+left, 1))
}
