// Package search looks for the largest value with which all streams of a phase stay clean: how many streams a disk plays
// beside the others, or how fast another disk may go beside them. It does so by trying: each try is a phase of its own, and
// what it shows decides what is tried next.
//
// The number of streams rises (1, 2, 4, 8 ...) until a try is not clean, and then the gap is halved until nothing is left of
// it: first with the disk alone, then with the phase's other disks, where the answer cannot be above that. A pace is first
// tried without a limit, and then below the rate that the disk has reached so, in steps of 4 %. The answer must be clean in two
// tries more. Where it is not, the search goes on below it; a third answer that fails ends the search without one.
//
// Clean means clean for as long as a try lasts. A shortfall that does not halve the buffer in that time is not seen: with a
// buffer of 1 s and tries of 30 s one of 1.7 % of the streams' rate.
//
// The same verdicts lead to the same tries, so a run, a simulation and a run that is resumed all step the same Search. Start
// at New. Judge makes an Outcome of a try's events. Nothing here runs a try.
package search

import (
	"math"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// The paces that are tried lie so far apart, and go down to about a hundredth of what the disk reaches without a limit.
// Halved again and again they take seven tries.
const (
	paceStep  = 1.04
	paceSteps = 127
)

// mostStreams is more than any disk plays.
const mostStreams = 1e6

// Outcome is what a try has shown.
type Outcome struct {
	Verdict stream.Verdict // the worst of its streams
	Rate    float64        // bytes per second that the search's disk moved
}

// Result is what a search has found.
type Result struct {
	Alone     *float64 // the largest clean value without the other disks, 0: none; nil: not sought, or not found
	Found     *float64 // with them
	Unlimited bool     // the disk needs no limit: there is no Found
}

// Search is one search under way.
type Search struct {
	phase *scenario.Phase
	alone *ladder // of streams without the other disks; nil where there are none
	free  int     // clean tries of the highest pace
	with  *ladder // with all disks; nil before its time
	top   float64 // bytes per second that the paces of with lie below
	made  int
	times map[trace.Try]int // that each was made
}

// New begins the search of a phase.
func New(phase *scenario.Phase) *Search {
	s := &Search{phase: phase, times: map[trace.Try]int{}}
	switch most := int(min(max(1, phase.Search.Most), mostStreams)); {
	case s.pace():
	case hasNeighbours(phase):
		s.alone = newLadder(most, true)
	default:
		s.with = newLadder(most, true)
	}
	return s
}

func (s *Search) pace() bool { return s.phase.Search.Kind == trace.SearchPace }

// hasNeighbours reports whether other disks work in the phase whose streams are counted. A probe does not disturb.
func hasNeighbours(phase *scenario.Phase) bool {
	for i := range phase.Jobs {
		if j := &phase.Jobs[i]; j.Disk != phase.Search.Disk && j.Probe == 0 {
			return true
		}
	}
	return false
}

// Next is the phase to run next; ok is false when the search is over.
func (s *Search) Next() (try scenario.Phase, ok bool) {
	t, ok := s.next()
	if !ok {
		return scenario.Phase{}, false
	}
	try = s.phase.WithTry(t, s.times[t]+1)
	if s.made > 0 {
		try.Pause = "" // what is to be done by hand is done
	}
	return try, true
}

// next is what to try next.
func (s *Search) next() (trace.Try, bool) {
	t := trace.Try{Search: s.phase.Name, Kind: s.phase.Search.Kind, Disk: s.phase.Search.Disk}
	if s.alone != nil {
		if step, ok := s.alone.step(); ok {
			t.Value, t.Alone = float64(step), true
			return t, true
		}
	}
	if s.with == nil {
		t.Value, t.Unlimited = s.phase.Search.Most, s.phase.Search.Most == 0
		return t, s.free < CleanTries
	}
	step, ok := s.with.step()
	t.Value = s.value(step)
	return t, ok
}

// value is what a step stands for.
func (s *Search) value(step int) float64 {
	if !s.pace() || step == 0 {
		return float64(step)
	}
	return figures(s.top * math.Pow(paceStep, float64(step-1-paceSteps)))
}

// figures rounds to three significant figures, as a rate is written.
func figures(v float64) float64 {
	size := math.Pow(10, math.Floor(math.Log10(v))-2)
	return math.Round(v/size) * size
}

// Tell takes the outcome of the phase that Next gives.
func (s *Search) Tell(o Outcome) {
	t, ok := s.next()
	if !ok {
		return
	}
	clean := o.Verdict == stream.Clean
	s.made++
	s.times[t]++
	switch {
	case t.Alone:
		s.alone.tell(clean)
		if _, more := s.alone.step(); !more {
			s.with = newLadder(s.alone.highest(), false)
		}
	case s.with != nil:
		s.with.tell(clean)
	case clean:
		s.free++
	default: // a limit matters only below what the disk has moved
		s.top, s.with = o.Rate, newLadder(paceSteps, false)
		if most := s.phase.Search.Most; most > 0 {
			s.top = min(s.top, most)
		}
		if s.top <= 0 {
			s.with = newLadder(0, false)
		}
	}
}

// Made is how many tries have been made.
func (s *Search) Made() int { return s.made }

// AtMost is how many tries the search takes in all, at most. It falls as the search goes on.
func (s *Search) AtMost() int {
	switch {
	case s.with != nil:
		return s.made + s.with.left()
	case s.alone != nil:
		return s.made + s.alone.left() + newLadder(s.alone.highest(), false).left()
	case s.free == CleanTries:
		return s.made
	}
	return s.made + CleanTries - s.free + newLadder(paceSteps, false).left()
}

// Result is what the search has found. Before it is over, that is what is certain already.
func (s *Search) Result() Result {
	var r Result
	if s.alone != nil {
		r.Alone = s.answer(s.alone)
	}
	switch {
	case s.with != nil:
		r.Found = s.answer(s.with)
	case s.pace() && s.free == CleanTries && s.phase.Search.Most > 0:
		r.Found = &s.phase.Search.Most
	case s.pace() && s.free == CleanTries:
		r.Unlimited = true
	}
	return r
}

// answer is what a ladder has found; nil: nothing, or not yet.
func (s *Search) answer(l *ladder) *float64 {
	step, ok := l.answer()
	if !ok {
		return nil
	}
	value := s.value(step)
	return &value
}
