package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
)

// climb steps a ladder to its end by a verdict on each step, and checks that the number of tries
// keeps to what was said before each.
func climb(t *testing.T, l *ladder, clean func(step int) bool) (tries []int) {
	t.Helper()
	bound := l.left()
	for {
		if got := len(tries) + l.left(); got > bound {
			t.Fatalf("after %v: at most %d tries in all, %d was said before", tries, got, bound)
		}
		step, ok := l.step()
		if !ok {
			break
		}
		if step < 1 || step > l.top {
			t.Fatalf("after %v: step %d of %d", tries, step, l.top)
		}
		l.add(trace.Try{Step: step, Value: float64(step)}, clean(step))
		tries = append(tries, step)
	}
	if l.left() != 0 {
		t.Fatalf("over after %v, and %d tries are left", tries, l.left())
	}
	return tries
}

// If the verdicts are those of a true limit, that is the answer: few tries find it, and none
// decides alone.
func TestLadderFindsTheLimit(t *testing.T) {
	for _, top := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 20, 24, 60, 64, 97, 128} {
		for _, start := range []int{1, (top + 1) / 2, top} {
			for limit := range top + 1 {
				l := newLadder(top, start)
				tries := climb(t, l, func(step int) bool { return step <= limit })
				if got, between, _ := l.result(); got == nil || *got != float64(limit) ||
					between != nil {
					t.Fatalf("top %d, start %d: found %v, %v; want %d", top, start, got, between,
						limit)
				}
				if limit > 0 && l.tried[limit].of < 2 || limit < top && l.tried[limit+1].of < 2 {
					t.Errorf("top %d, limit %d: a single try at the edge decides: %v", top, limit,
						tries)
				}
				if allowed := l.maxTries() - 5; len(tries) > allowed {
					t.Errorf("top %d, limit %d: %d tries, want %d at most: %v", top, limit,
						len(tries), allowed, tries)
				}
			}
		}
	}
}

// noisy is what came of searches on a disk whose tries have bad luck now and then.
type noisy struct{ right, wrong, unsure, outside, tries float64 }

// withNoise searches again and again for limits, each as probable as its inverse if steps double
// from 1, when a try at or below the limit fails with a chance, and one above is clean with
// another. The shares are of all searches.
func withNoise(t *testing.T, top, start int, falseFail, falsePass float64) (out noisy) {
	t.Helper()
	const runs = 1000
	rng := rand.New(rand.NewPCG(11, 14)) // The ladder's numbers were chosen with seeds 21 and 22.
	for range runs {
		limit := rng.IntN(top + 1)
		if start == 1 {
			limit = int(math.Exp(rng.Float64()*math.Log(float64(top+2)))) - 1
		}
		l := newLadder(top, start)
		out.tries += float64(len(climb(t, l, func(step int) bool {
			if step <= limit {
				return rng.Float64() >= falseFail
			}
			return rng.Float64() < falsePass
		}))) / runs
		switch got, between, _ := l.result(); {
		case got != nil && *got == float64(limit):
			out.right += 1. / runs
		case got != nil:
			out.wrong += 1. / runs
		default:
			out.unsure += 1. / runs
			if between.Low > float64(limit) || *between.High < float64(limit) {
				out.outside += 1. / runs
			}
		}
	}
	return out
}

// Of a disk whose tries have bad luck with a chance from 0 to 0.15, so many answers are right. A
// search that trusted each try that is not clean would be right in one half at 0.15.
func TestLadderWithNoise(t *testing.T) {
	for _, tt := range []struct {
		falseFail, falsePass float64
		right, wrong         float64 // at least, and at most; ranges without the limit are wrong
	}{
		{0, 0, 1, 0}, {0.05, 0, 0.98, 0.02}, {0.05, 0.02, 0.97, 0.02}, {0.1, 0, 0.92, 0.04},
		{0.1, 0.05, 0.87, 0.06}, {0.15, 0, 0.83, 0.1},
	} {
		for _, l := range [][2]int{{12, 1}, {64, 1}, {12, 6}, {paceSteps + 1, paceSteps + 1}} {
			got := withNoise(t, l[0], l[1], tt.falseFail, tt.falsePass)
			t.Logf("bad luck %.2f, good luck %.2f, %3d steps from %3d: right %5.1f %%, wrong %4.1f %%, unsure %4.1f %% (limit outside: %.1f %%), %.1f tries",
				tt.falseFail, tt.falsePass, l[0], l[1], 100*got.right, 100*got.wrong,
				100*got.unsure, 100*got.outside, got.tries)
			if got.right < tt.right-1e-9 || got.wrong+got.outside > tt.wrong {
				t.Errorf("bad luck %.2f, %d steps: %+v, want %.2f right, %.2f wrong", tt.falseFail,
					l[0], got, tt.right, tt.wrong)
			}
		}
	}
}

// If the tries of the step above the limit disagree, the answer is between the two.
func TestLadderIsUnsure(t *testing.T) {
	l, n := newLadder(12, 1), map[int]int{}
	tries := climb(t, l, func(step int) bool {
		n[step]++
		return step <= 4 || step == 5 && (n[5] == 2 || n[5] == 4)
	})
	limit, between, open := l.result()
	if limit != nil || between == nil || open || between.Low != 4 || *between.High != 5 {
		t.Fatalf("found %v, %v after %v, want between 4 and 5", limit, between, tries)
	}
}

// Whatever the verdicts, a search ends.
func TestLadderEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 42))
	for range 2000 {
		top := 1 + rng.IntN(130)
		l := newLadder(top, 1+rng.IntN(top))
		chance := rng.Float64()
		climb(t, l, func(int) bool { return rng.Float64() < chance })
		limit, between, _ := l.result()
		if (limit == nil) == (between == nil) {
			t.Fatalf("%d steps, clean by a chance of %.2f: %v and %v", top, chance, limit, between)
		}
	}
}
