package search

import "math/bits"

const (
	// CleanTries is how many tries of a step must all be clean for it to be the answer: one that finds it, and two that
	// confirm it.
	CleanTries = 3
	// mostFailures is how many answers may fail to be confirmed. With one more the verdicts change too much from try to
	// try for an answer.
	mostFailures = 2
)

// ladder looks for the highest clean step of 1 ... top. It takes it that the steps below a clean one are clean. Where
// verdicts change from try to try, an answer that further tries do not confirm is given up for a lower step.
type ladder struct {
	top    int
	rises  bool        // from 1, doubling; else it starts in the middle
	low    int         // the highest clean step, or after a failed answer the next to be confirmed; 0: none
	bad    int         // the lowest step that was not clean; top+1: none
	clean  map[int]int // clean tries of each step
	failed int         // answers that were not confirmed
}

func newLadder(top int, rises bool) *ladder {
	return &ladder{top: top, rises: rises, bad: top + 1, clean: map[int]int{}}
}

// step is the next to try; ok is false where there is none.
func (l *ladder) step() (step int, ok bool) {
	switch {
	case l.failed > mostFailures:
		return 0, false
	case l.searching():
		return l.between(l.low, l.bad), true
	}
	return l.low, l.low > 0 && l.clean[l.low] < CleanTries
}

// searching reports whether there is no answer yet to be confirmed.
func (l *ladder) searching() bool { return l.failed == 0 && l.low+1 < l.bad }

// between is the step to try between a clean one and one that is not.
func (l *ladder) between(low, bad int) int {
	if l.rising(bad) {
		return min(max(1, 2*low), l.top)
	}
	return (low + bad) / 2
}

// rising reports whether no step up to the top has failed yet, so that the next is as much higher.
func (l *ladder) rising(bad int) bool { return l.rises && bad > l.top }

// tell takes the verdict on the step.
func (l *ladder) tell(clean bool) {
	step, ok := l.step()
	switch {
	case !ok:
	case clean:
		l.low = step
		l.clean[step]++
	case step > l.low:
		l.bad = step
	default: // it was the answer
		l.failed++
		l.bad = step
		l.low = below(step, l.failed)
	}
}

// below is the answer to confirm instead of one that has failed: lower by 1, then by 2, but not below 1 before that is
// tried.
func below(step, failed int) int { return max(min(1, step-1), step-1<<(failed-1)) }

// answer is the highest clean step, 0 where none is; ok is false where the verdicts do not allow one, or not yet.
func (l *ladder) answer() (step int, ok bool) {
	_, open := l.step()
	return l.low, !open && l.failed <= mostFailures
}

// highest is the highest step that is not known to fail.
func (l *ladder) highest() int {
	if step, ok := l.answer(); ok {
		return step
	}
	return l.bad - 1
}

// left is how many tries there still are at most.
func (l *ladder) left() int {
	if _, open := l.step(); !open {
		return 0
	}
	if l.searching() { // what it finds has been clean once; what is tried where that fails, perhaps never
		return l.tries(l.low, l.bad) + l.confirm(l.bad-1, nil) - 1
	}
	return l.confirm(l.low, l.clean)
}

// confirm is how many tries it takes at most to confirm an answer, or those below it, of which some tries have been made.
func (l *ladder) confirm(step int, made map[int]int) int {
	n := 0
	for failed := l.failed; failed <= mostFailures && step > 0; step = below(step, failed) {
		n += CleanTries - made[step]
		failed++
	}
	return n
}

// tries is how many a search between two steps takes at most.
func (l *ladder) tries(low, bad int) int {
	most := 0
	n := 0
	for ; l.rising(bad) && low < l.top; n++ {
		next := l.between(low, bad)
		most = max(most, n+1+bits.Len(uint(next-low-1))) // it is not clean
		low = next
	}
	if l.rising(bad) {
		return max(most, n)
	}
	return bits.Len(uint(bad - low - 1))
}
