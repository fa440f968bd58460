package progress

import (
	"time"

	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
)

// cost is how long a phase takes by the plan alone, in the model's time if disks are simulated. A
// search has its tries one after the other, each with a rest of its own.
type cost struct {
	rest   time.Duration
	timed  time.Duration    // timed is the time of a phase that ends by the clock.
	move   time.Duration    // move is the time of another, by the links at their best.
	before map[string]int64 // before has the bytes that are written first, by disk.
	tries  int              // tries are those left of a search; 1 for other phases.
	atMost bool             // It may end earlier.
}

func costOf(phase *scenario.Phase) cost {
	c := cost{
		rest: phase.Cooldown, timed: max(phase.Limit, phase.Target), before: map[string]int64{},
		tries: 1, atMost: phase.UntilIdle || phase.Steady > 0,
	}
	if phase.Search != nil {
		c.tries, c.timed, c.atMost = search.New(phase).MaxTries(), phase.Search.Hold, true
	}
	if c.timed == 0 {
		c.move, _, _ = phase.Time()
	}
	return c
}

// prepare is how long it takes to write what is written first, by the links at their best.
func (c *cost) prepare() time.Duration {
	most := int64(0)
	for _, bytes := range c.before {
		most = max(most, bytes)
	}
	return time.Duration(float64(most) / scenario.LinkRate * float64(time.Second))
}

// left returns how long the run goes on, and whether it may end earlier. How much slower the disks
// are than their links is known once they have moved something; until then it is the least time.
func (s *state) left() (left time.Duration, atMost, known bool) {
	var moves time.Duration
	for _, c := range s.costs[s.index:] {
		left += time.Duration(c.tries) * (c.rest + c.timed)
		moves += c.prepare() + c.move
		atMost = atMost || c.atMost
	}
	c := s.costs[s.index]
	switch {
	case s.cooling:
		left -= min(s.passed(), c.rest)
	case s.works():
		left -= c.rest + min(s.passed(), c.timed)
	default:
		left -= c.rest
	}
	done, spent := s.moved()
	moves = max(0, moves-done)
	done += s.movedPlan
	spent += s.movedTime
	known = moves == 0
	if done > 0 && spent >= firstRate {
		known = true
		moves = time.Duration(float64(moves) * float64(spent) / float64(done))
	}
	return time.Duration(float64(left+moves) / s.speedup), atMost, known
}

// moved returns what the plan gives for what the stage has moved, and what that took.
func (s *state) moved() (planned, took time.Duration) {
	c := s.costs[s.index]
	switch {
	case s.cooling:
	case s.life == life.GettingReady:
		planned = c.prepare()
	case s.works():
		planned = c.move
	}
	if planned == 0 {
		return 0, 0
	}
	return time.Duration(s.share() * float64(planned)), s.passed()
}

// share is how much of its work a stage has done: as much as the disk that is farthest behind.
func (s *state) share() float64 {
	share := 1.0
	for i := range s.disks {
		d := &s.disks[i]
		switch {
		case s.life == life.GettingReady && d.before > 0:
			share = min(share, float64(d.prepared)/float64(d.before))
		case s.works() && !d.job.HasNoFiles():
			share = min(share, float64(d.moved())/float64(d.job.Bytes()))
		}
	}
	return share
}

// leftText says how long the run goes on, and when it will be done, if that can be said.
func (s *state) leftText() (left, done string) {
	if s.life == life.Cleaning { // The phase is cut short, and none follows.
		return "", ""
	}
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
