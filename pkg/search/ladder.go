package search

import (
	"math/bits"

	"github.com/hubbench/hubbench/pkg/trace"
)

// How often the two steps at the limit are tried, the last that is clean and the first that is not.
// Of 4,000 searches of 12, 64 and 128 steps each, in which a try that should be clean fails with a
// chance of 0.1, these find the limit in 94 %; the majority of three tries finds it in 88 %.
const (
	minClean = 2 // So many tries show that a step is clean if all of them are.
	majority = 3 // Otherwise so many of five tries decide, either way.
	// spare is how many tries a search may take beyond two for each halving of its steps.
	spare = 8
)

// ladder looks for the limit: the highest of the steps 1 ... top at which streams stay clean; 0 if
// they do at none. It brackets the limit by steps that double until one is not clean, and halves
// the bracket until two neighbours are left. These are tried again, since a single try may fail or
// succeed by chance: by their majority, a step may turn out to lie on the other side, and then the
// bracket opens again.
type ladder struct {
	top       int
	start     int // start is the first step that is tried.
	tried     map[int]tally
	made      int
	unlimited bool // The top step is no limit at all.
}

// tally is what the tries of a step have shown.
type tally struct {
	clean, of int
	value     float64
}

func (t tally) isClean() bool { return 2*t.clean > t.of }

// isSettled reports whether a step needs no more tries.
func (t tally) isSettled() bool {
	return max(t.clean, t.of-t.clean) >= majority || t.clean == t.of && t.of >= minClean
}

func newLadder(top, start int) *ladder {
	return &ladder{top: top, start: start, tried: map[int]tally{}}
}

// bracket returns the lowest step that is not clean, and the highest clean one below it. These are
// one above the top and 0 if none was tried.
func (l *ladder) bracket() (low, high int) {
	high = l.top + 1
	for step, t := range l.tried {
		if !t.isClean() {
			high = min(high, step)
		}
	}
	for step, t := range l.tried {
		if t.isClean() && step < high {
			low = max(low, step)
		}
	}
	return low, high
}

// value returns what a step stands for: a pace that was tried, or so many streams.
func (l *ladder) value(step int) float64 {
	if t, ok := l.tried[step]; ok {
		return t.value
	}
	return float64(step)
}

// answer returns the lowest and the highest step that may be the limit, and whether the search is
// over. They are one step if the tries at the limit decide, and no more than one of the step above
// was clean.
func (l *ladder) answer() (low, high int, over bool) {
	low, high = l.bracket()
	below := l.tried[low]
	above := l.tried[high]
	decided := high-low == 1 && (low == 0 || below.isSettled()) &&
		(high > l.top || above.isSettled())
	if decided && above.clean <= 1 {
		high = low
	}
	return low, min(high, l.top), decided || l.made >= l.maxTries()
}

// step returns the next to try; ok is false if there is none.
func (l *ladder) step() (step int, ok bool) {
	if _, _, over := l.answer(); over {
		return 0, false
	}
	low, high := l.bracket()
	switch {
	case high > l.top && low < l.top:
		return min(max(l.start, 2*low), l.top), true
	case high-low > 1:
		return (low + high) / 2, true
	case high <= l.top && !l.tried[high].isSettled():
		return high, true
	}
	return low, true
}

func (l *ladder) add(try trace.Try, clean bool) {
	t := l.tried[try.Step]
	t.value = try.Value
	t.of++
	if clean {
		t.clean++
	}
	l.tried[try.Step] = t
	l.made++
	l.unlimited = l.unlimited || try.Unlimited
}

func (l *ladder) maxTries() int { return spare + 2*bits.Len(uint(l.top)) }

// left returns how many more tries there are at most.
func (l *ladder) left() int {
	if _, _, over := l.answer(); over {
		return 0
	}
	return l.maxTries() - l.made
}

// result returns the limit, or between which it lies; both are nil if the search is not over. It is
// open if it is the top, and nil and open if that is no limit at all.
func (l *ladder) result() (limit *float64, between *Between, open bool) {
	low, high, over := l.answer()
	unlimited := l.unlimited && high == l.top
	switch {
	case !over:
		return nil, nil, false
	case low < high && unlimited:
		return nil, &Between{Low: l.value(low)}, false
	case low < high:
		return nil, &Between{l.value(low), new(l.value(high))}, false
	case unlimited:
		return nil, nil, true
	}
	return new(l.value(low)), nil, low == l.top
}
