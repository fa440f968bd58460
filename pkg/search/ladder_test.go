package search

import (
	"math"
	"math/rand/v2"
	"testing"
)

// climb steps a ladder to its end by a verdict on each step, and checks that the number of tries keeps to what was said
// before each.
func climb(t *testing.T, l *ladder, clean func(step int) bool) (tries []int) {
	t.Helper()
	bound := l.left()
	for {
		if got := len(tries) + l.left(); got > bound {
			t.Fatalf("after %v: at most %d tries in all, %d was said before", tries, got, bound)
		}
		bound = len(tries) + l.left()
		step, ok := l.step()
		if !ok {
			break
		}
		if step < 1 || step > l.top {
			t.Fatalf("after %v: step %d of %d", tries, step, l.top)
		}
		l.tell(clean(step))
		tries = append(tries, step)
	}
	if l.left() != 0 {
		t.Fatalf("over after %v, and %d tries are left", tries, l.left())
	}
	return tries
}

// Where the verdicts are those of a true limit, that is the answer.
func TestLadderFindsTheLimit(t *testing.T) {
	for _, rises := range []bool{true, false} {
		for top := range 130 {
			for limit := range top + 1 {
				l := newLadder(top, rises)
				tries := climb(t, l, func(step int) bool { return step <= limit })
				if got, ok := l.answer(); !ok || got != limit {
					t.Fatalf("top %d, rises %v: found %d, %v; want %d", top, rises, got, ok, limit)
				}
				if confirmed := count(tries, limit); limit > 0 && confirmed != CleanTries {
					t.Errorf("top %d, limit %d: %d tries of the answer, want %d: %v", top, limit, confirmed, CleanTries, tries)
				}
			}
		}
	}
}

func count(tries []int, step int) (n int) {
	for _, s := range tries {
		if s == step {
			n++
		}
	}
	return n
}

// The bound is reached: it promises no more tries than there can be.
func TestLadderBoundIsTight(t *testing.T) {
	for _, rises := range []bool{true, false} {
		for _, top := range []int{1, 2, 5, 12, 24} {
			first := newLadder(top, rises).left()
			if got := longest(top, rises, nil); got > first || got < first-CleanTries {
				t.Errorf("top %d, rises %v: at most %d tries were said, the longest search takes %d", top, rises, first, got)
			}
		}
	}
}

// longest is the most tries that any verdicts lead to.
func longest(top int, rises bool, verdicts []bool) int {
	l := newLadder(top, rises)
	for _, v := range verdicts {
		l.tell(v)
	}
	if _, ok := l.step(); !ok {
		return len(verdicts)
	}
	n := len(verdicts)
	with := func(v bool) []bool { return append(verdicts[:n:n], v) }
	return max(longest(top, rises, with(true)), longest(top, rises, with(false)))
}

// Near the limit verdicts change from try to try. The answer was clean in all its tries, and lies near the limit.
func TestLadderWithNoise(t *testing.T) {
	const top, runs = 24, 4000
	rng := rand.New(rand.NewPCG(11, 14))
	none, off := 0, 0
	for run := range runs {
		limit := 1.5 + rng.Float64()*20
		seen := map[int][]bool{}
		l := newLadder(top, run%2 == 0)
		climb(t, l, func(step int) bool {
			// A step of 1 above the limit is clean in one try of 50, one of 1 below fails in as many.
			clean := rng.Float64() < 1/(1+math.Exp(4*(float64(step)-limit)))
			seen[step] = append(seen[step], clean)
			return clean
		})
		got, ok := l.answer()
		if !ok {
			none++
			continue
		}
		for _, clean := range seen[got] {
			if !clean {
				t.Fatalf("found %d, which was not clean in %v", got, seen[got])
			}
		}
		if got > 0 && len(seen[got]) < CleanTries {
			t.Fatalf("found %d after %d tries of it", got, len(seen[got]))
		}
		if d := float64(got) - limit; d > 0.5 || d < -2.5 {
			off++
		}
	}
	if none > runs/100 || off > runs*5/100 {
		t.Errorf("of %d noisy searches %d found nothing, %d were off by more than half a step above or two and a half below", runs, none, off)
	}
	t.Logf("of %d noisy searches %d found nothing, %d were off", runs, none, off)
}

// Answers that fail again and again end the search without one.
func TestLadderGivesUp(t *testing.T) {
	l, seen := newLadder(24, true), map[int]int{}
	tries := climb(t, l, func(step int) bool {
		seen[step]++
		return step <= 10 && seen[step] < CleanTries
	})
	if got, ok := l.answer(); ok {
		t.Errorf("found %d after %v", got, tries)
	}
	if l.highest() != 6 { // 10, 9 and 7 have failed
		t.Errorf("the highest step that is not known to fail is %d, want 6: %v", l.highest(), tries)
	}
}
