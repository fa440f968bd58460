// Package search looks for the largest value with which all streams of a phase stay clean: how many
// streams a disk plays beside the others, or how fast another disk may go beside them. It does so
// by trying: each try is a phase of its own, and what it shows decides what is tried next.
//
// First the number of streams rises with the disk alone (1, 2, 4, 8 ...), until a try is not clean,
// and the gap is halved; then the same with the phase's other disks, from the middle; the answer
// cannot be above that. A pace is first tried without a limit, and then below the rate that the
// disk reached without one, in steps of 4 %. Any try may fail or succeed by chance, so both steps
// at the limit are tried up to five times: see ladder. If the tries of one of them disagree, the
// answer is a range.
//
// Clean means clean for as long as a try lasts. A shortfall that does not halve the buffer in that
// time is not seen: with a buffer of 1 s and tries of 30 s one of 1.7 % of the streams' rate.
//
// The same verdicts lead to the same tries, so a run, a simulation and a run that is resumed all
// step the same Finder. Start at New; FromTries finds the same by a trace of the tries. Judge makes
// a TryOutcome of a try's events. Nothing here runs a try.
package search

import (
	"math"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// The ratio between neighbouring paces, which go down to about a hundredth of what the disk reaches
// without a limit: seven halvings. The step above them is the pace that is tried first.
const (
	paceStep  = 1.04
	paceSteps = 127
)

const maxStreams = 1e6

// TryOutcome is what a try has shown.
type TryOutcome struct {
	Verdict stream.Verdict // the worst of its streams
	Rate    float64        // bytes per second that the search's disk moved
}

// Result is what a search has found: the largest clean value without the other disks, and with
// them.
type Result struct {
	// Alone is 0 if no value is clean, and nil if it was not sought, not yet found, or is not sure.
	Alone *float64 `json:"alone"`
	Found *float64 `json:"found"` // the same with the other disks
	// Unlimited says that the disk needs no limit: there is no Found.
	Unlimited bool `json:"unlimited,omitempty"`
	AloneOpen bool `json:"alone_open,omitempty"` // it is the largest value tried
	FoundOpen bool `json:"found_open,omitempty"`
	// AloneBetween bounds what is not sure after all tries, as FoundBetween does.
	AloneBetween *Between `json:"alone_between,omitempty"`
	FoundBetween *Between `json:"found_between,omitempty"`
}

// Between is where a limit lies whose tries disagree.
type Between struct {
	Low  float64  `json:"low"`  // 0: there may be none
	High *float64 `json:"high"` // null: the disk may need no limit
}

// Finder is a search in progress.
type Finder struct {
	phase *scenario.Phase
	alone *ladder // alone has the streams without the other disks; nil if there are none.
	with  *ladder // with has all disks; nil before its time.
	// reached is the rate in bytes per second below which the paces lie, except for the top step;
	// 0: not known yet.
	reached float64
}

// New begins the search of a phase.
func New(phase *scenario.Phase) *Finder {
	s := &Finder{phase: phase}
	hasOthers := false
	for _, j := range phase.Jobs {
		if j.Disk != phase.Search.Disk && j.Probe == 0 { // A probe disturbs none.
			hasOthers = true
		}
	}
	switch limit := int(min(max(1, phase.Search.Max), maxStreams)); {
	case s.isPace():
		s.with = newLadder(paceSteps+1, paceSteps+1)
	case hasOthers:
		s.alone = newLadder(limit, 1)
	default:
		s.with = newLadder(limit, 1)
	}
	return s
}

func (s *Finder) isPace() bool { return s.phase.Search.Kind == trace.SearchPace }

// ladder returns the ladder that the next try is of.
func (s *Finder) ladder() *ladder {
	if s.with == nil {
		return s.alone
	}
	return s.with
}

// Next returns the phase to run next; ok is false when the search is over.
func (s *Finder) Next() (try scenario.Phase, ok bool) {
	t, ok := s.next()
	if !ok {
		return scenario.Phase{}, false
	}
	try = s.phase.WithTry(t, s.ladder().tried[t.Step].of+1)
	if s.Tries() > 0 {
		try.Pause = "" // It was done by hand already.
	}
	return try, true
}

func (s *Finder) next() (trace.Try, bool) {
	l := s.ladder()
	step, ok := l.step()
	t := trace.Try{
		Search: s.phase.Name, Kind: s.phase.Search.Kind, Disk: s.phase.Search.Disk,
		Alone: s.with == nil, Step: step, Steps: l.top,
	}
	switch {
	case !s.isPace():
		t.Value = float64(step)
	case step == l.top:
		t.Value = s.phase.Search.Max
		t.Unlimited = s.phase.Search.Max == 0
	default:
		pace := s.reached * math.Pow(paceStep, float64(step-1-paceSteps))
		figure := math.Pow(10, math.Floor(math.Log10(pace))-2) // the third, as a rate is written
		t.Value = math.Round(pace/figure) * figure
	}
	return t, ok
}

// Add takes the outcome of the phase that Next gives.
func (s *Finder) Add(o TryOutcome) {
	t, ok := s.next()
	if !ok {
		return
	}
	clean := o.Verdict == stream.Clean
	s.ladder().add(t, clean)
	// A limit matters only below what the disk has moved.
	if s.isPace() && s.reached == 0 && !clean {
		s.reached = o.Rate
		if limit := s.phase.Search.Max; limit > 0 {
			s.reached = min(s.reached, limit)
		}
	}
	if s.with == nil {
		if _, top, over := s.alone.answer(); over {
			s.with = newLadder(top, (top+1)/2)
		}
	}
}

// Tries returns how many tries have been made.
func (s *Finder) Tries() int {
	made := 0
	for _, l := range []*ladder{s.alone, s.with} {
		if l != nil {
			made += l.made
		}
	}
	return made
}

// MaxTries returns how many tries the search takes in all, at most. It falls as the search goes on.
func (s *Finder) MaxTries() int {
	most := s.Tries() + s.ladder().left()
	if s.with == nil {
		most += newLadder(s.alone.top, 1).left()
	}
	return most
}

// Result returns what has been found so far.
func (s *Finder) Result() Result { return result(s.alone, s.with) }

func result(alone, with *ladder) (r Result) {
	if alone != nil {
		r.Alone, r.AloneBetween, r.AloneOpen = alone.result()
	}
	if with == nil {
		return r
	}
	r.Found, r.FoundBetween, r.FoundOpen = with.result()
	r.Unlimited = r.Found == nil && r.FoundOpen
	r.FoundOpen = r.FoundOpen && !r.Unlimited && (alone == nil || r.AloneOpen)
	return r
}

// JudgedTry is a try that was made.
type JudgedTry struct {
	trace.Try
	Verdict stream.Verdict
}

// FromTries returns what a search has found by its tries, in any order. Tries without a verdict
// count nothing, nor do those that do not say which of how many steps they are.
func FromTries(tries []JudgedTry) Result {
	var alone, with *ladder
	for _, m := range tries {
		if m.Verdict == "" || m.Step < 1 || m.Step > m.Steps {
			continue
		}
		side := &with
		if m.Alone {
			side = &alone
		}
		if *side == nil {
			*side = newLadder(m.Steps, 1)
		}
		(*side).add(m.Try, m.Verdict == stream.Clean)
	}
	return result(alone, with)
}
