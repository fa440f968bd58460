// Package search looks for the largest value with which all streams of a phase stay clean: how many streams a disk
// plays beside the others, or how fast another disk may go beside them. It does so by trying: each try is a phase
// of its own, and what it shows decides what is tried next.
//
// Any try may fail or succeed by chance: see ladder for how each is weighed and which is repeated. First the number
// of streams rises with the disk alone (1, 2, 4, 8 ...), until a try is not clean, and the gap is halved; then the
// same with the phase's other disks; the answer cannot be above that. A pace is first tried without a limit, and
// then below the rate that the disk reached without one, in steps of 4 %. The answer is the limit that all tries
// together make sure. If they contradict each other too much, the answer is a range.
//
// Clean means clean for as long as a try lasts. A shortfall that does not halve the buffer in that time is not
// seen: with a buffer of 1 s and tries of 30 s one of 1.7 % of the streams' rate.
//
// The same verdicts lead to the same tries, so a run, a simulation and a run that is resumed all step the same
// Search. Start at New; Recall finds the same by a trace of the tries. Judge makes an Outcome of a try's events.
// Nothing here runs a try.
package search

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// The ratio between neighbouring paces, which go down to about a hundredth of what the disk reaches without a
// limit: seven halvings. The step above them is the pace that is tried first.
const (
	paceStep  = 1.04
	paceSteps = 127
)

const maxStreams = 1e6

// Outcome is what a try has shown.
type Outcome struct {
	Verdict stream.Verdict // the worst of its streams
	Rate    float64        // bytes per second that the search's disk moved
}

// Result is what a search has found: the largest clean value without the other disks, and with them.
type Result struct {
	Alone        *float64 `json:"alone"`                   // 0: none; nil: not sought, not yet found, or not sure
	Found        *float64 `json:"found"`                   // the same with the other disks
	Unlimited    bool     `json:"unlimited,omitempty"`     // the disk needs no limit: there is no Found
	AloneOpen    bool     `json:"alone_open,omitempty"`    // it is the largest value tried
	FoundOpen    bool     `json:"found_open,omitempty"`    //
	AloneBetween *Between `json:"alone_between,omitempty"` // of what is not sure after all tries
	FoundBetween *Between `json:"found_between,omitempty"` //
}

// Between is the 95 % interval of a limit.
type Between struct {
	Low  float64  `json:"low"`  // 0: there may be none
	High *float64 `json:"high"` // null: the disk may need no limit
}

// Search is a search in progress.
type Search struct {
	phase *scenario.Phase
	alone *ladder // of streams without the other disks; nil if there are none
	with  *ladder // with all disks; nil before its time
	top   float64 // bytes per second that the paces of with lie below, but for its top step; 0: not known yet
	made  int
	times map[trace.Try]int // that each was made
}

// New begins the search of a phase.
func New(phase *scenario.Phase) *Search {
	s := &Search{phase: phase, times: map[trace.Try]int{}}
	besides := slices.ContainsFunc(phase.Jobs, func(j scenario.Job) bool { // a probe disturbs none
		return j.Disk != phase.Search.Disk && j.Probe == 0
	})
	switch limit := int(min(max(1, phase.Search.Max), maxStreams)); {
	case s.pace():
		s.with = newLadder(paceSteps+1, fromTop)
	case besides:
		s.alone = newLadder(limit, rising)
	default:
		s.with = newLadder(limit, rising)
	}
	return s
}

func (s *Search) pace() bool { return s.phase.Search.Kind == trace.SearchPace }

// Next is the phase to run next; ok is false when the search is over.
func (s *Search) Next() (try scenario.Phase, ok bool) {
	t, ok := s.next()
	if !ok {
		return scenario.Phase{}, false
	}
	try = s.phase.WithTry(t, s.times[t]+1)
	if s.made > 0 {
		try.Pause = "" // done by hand already
	}
	return try, true
}

func (s *Search) next() (trace.Try, bool) {
	t := trace.Try{Search: s.phase.Name, Kind: s.phase.Search.Kind, Disk: s.phase.Search.Disk}
	l := s.with
	if l == nil {
		l, t.Alone = s.alone, true
	}
	step, ok := l.step()
	t.Step, t.Steps = step, l.top
	switch {
	case !s.pace():
		t.Value = float64(step)
	case step == l.top || s.top == 0:
		t.Step, t.Value, t.Unlimited = l.top, s.phase.Search.Max, s.phase.Search.Max == 0
	default:
		pace := s.top * math.Pow(paceStep, float64(step-1-paceSteps))
		figure := math.Pow(10, math.Floor(math.Log10(pace))-2) // the third, as a rate is written
		t.Value = math.Round(pace/figure) * figure
	}
	return t, ok
}

// Add takes the outcome of the phase that Next gives.
func (s *Search) Add(o Outcome) {
	t, ok := s.next()
	if !ok {
		return
	}
	clean := o.Verdict == stream.Clean
	s.made++
	s.times[t]++
	if !t.Alone {
		s.with.add(t, clean)
		if s.pace() && s.top == 0 && !clean { // a limit matters only below what the disk has moved
			s.top = o.Rate
			if limit := s.phase.Search.Max; limit > 0 {
				s.top = min(s.top, limit)
			}
		}
		return
	}
	s.alone.add(t, clean)
	if _, more := s.alone.step(); !more {
		s.with = newLadder(s.alone.highest(), halving)
	}
}

// Made is how many tries have been made.
func (s *Search) Made() int { return s.made }

// AtMost is how many tries the search takes in all, at most. It falls as the search goes on.
func (s *Search) AtMost() int {
	if s.with == nil {
		return s.made + s.alone.left() + newLadder(s.alone.highest(), halving).maxTries()
	}
	return s.made + s.with.left()
}

// Result is what has been found so far.
func (s *Search) Result() Result { return result(s.alone, s.with) }

func result(alone, with *ladder) (r Result) {
	if alone != nil {
		r.Alone, r.AloneBetween, r.AloneOpen = alone.result()
	}
	if with == nil {
		return r
	}
	r.Found, r.FoundBetween, r.FoundOpen = with.result()
	r.FoundOpen = r.FoundOpen && (alone == nil || r.AloneOpen)
	if r.Unlimited = r.Found == nil && r.FoundOpen; r.Unlimited {
		r.FoundOpen = false
	}
	return r
}

// Made is a try that was made.
type Made struct {
	trace.Try
	Verdict stream.Verdict
}

// Recall is what a search has found by its tries, in any order. In traces that do not say which of how many steps a
// try is of, the steps are the numbers of streams up to the most, or the paces that were tried, and there are no
// more tries.
func Recall(tries []Made) Result {
	var sides [2]*ladder
	for i, alone := range []bool{true, false} {
		its := slices.DeleteFunc(slices.Clone(tries), func(m Made) bool { return m.Alone != alone || m.Verdict == "" })
		if len(its) > 0 {
			sides[i] = recall(its, alone || sides[0] == nil)
		}
	}
	return result(sides[0], sides[1])
}

func recall(tries []Made, first bool) *ladder {
	l := newLadder(0, halving)
	switch {
	case tries[0].Kind == trace.SearchPace:
		l.begins = fromTop
	case first:
		l.begins = rising
	}
	var paces []float64
	for i := range tries {
		t := &tries[i]
		if t.Step < 1 || t.Step > t.Steps {
			t.Steps = 0
		}
		if t.Unlimited {
			t.Value = math.Inf(1)
		}
		switch {
		case t.Steps > 0:
		case t.Kind == trace.SearchStreams:
			t.Step = int(min(max(1, t.Value), maxStreams))
		default:
			paces = append(paces, t.Value)
		}
	}
	l.over = tries[0].Steps == 0
	slices.Sort(paces)
	paces = slices.Compact(paces)
	for i := range tries {
		t := &tries[i]
		if at, ok := slices.BinarySearch(paces, t.Value); ok && t.Steps == 0 {
			t.Step = at + 1
		}
		l.top = max(l.top, t.Step, t.Steps)
		l.add(t.Try, t.Verdict == stream.Clean)
	}
	return l
}
