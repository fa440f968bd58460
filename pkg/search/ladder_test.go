package search

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
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

// If the verdicts are those of a true limit, that is the answer: few tries find it, and none decides alone.
func TestLadderFindsTheLimit(t *testing.T) {
	for _, begins := range []begin{rising, halving, fromTop} {
		for _, top := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 20, 24, 60, 64, 97, 128} {
			for limit := range top + 1 {
				l := newLadder(top, begins)
				tries := climb(t, l, func(step int) bool { return step <= limit })
				if got, between, _ := l.result(); got == nil || *got != float64(limit) || between != nil {
					t.Fatalf("top %d, begins %v: found %v, %v; want %d", top, begins, got, between, limit)
				}
				if limit > 0 && l.tried[limit].of < 2 || limit < top && l.tried[limit+1].of < 2 {
					t.Errorf("top %d, limit %d: a single try at the edge decides: %v", top, limit, tries)
				}
				if allowed := l.maxTries() - (spareHalving-1)*bits.Len(uint(top)); len(tries) > allowed {
					t.Errorf("top %d, limit %d: %d tries, want %d at most: %v", top, limit, len(tries), allowed, tries)
				}
			}
		}
	}
}

// One try that has bad luck, whichever it is, changes no answer.
func TestLadderBearsOneUnluckyTry(t *testing.T) {
	for _, begins := range []begin{rising, halving, fromTop} {
		for _, top := range []int{1, 2, 5, 12, 30} {
			for limit := range top + 1 {
				for bad := range 12 {
					l, n := newLadder(top, begins), 0
					tries := climb(t, l, func(step int) bool { n++; return step <= limit && n != bad+1 })
					if got, _, _ := l.result(); got == nil || *got != float64(limit) {
						t.Errorf("top %d, limit %d, try %d unlucky: found %v after %v", top, limit, bad+1, got, tries)
					}
				}
			}
		}
	}
}

// noisy is what came of searches on a disk whose tries have bad luck now and then.
type noisy struct{ right, wrong, unsure, outside, tries float64 }

// withNoise searches again and again for limits drawn as the ladder expects them, when a try at or below the limit fails with
// a chance, and one above is clean with another. The shares are of all searches.
func withNoise(t *testing.T, top int, begins begin, falseFail, falsePass float64) (out noisy) {
	t.Helper()
	const runs = 300
	rng := rand.New(rand.NewPCG(11, 14))
	for range runs {
		limit := rng.IntN(top + 1)
		if begins == rising {
			limit = int(math.Exp(rng.Float64()*math.Log(float64(top+2)))) - 1
		}
		l := newLadder(top, begins)
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
			if out.unsure += 1. / runs; between.Low > float64(limit) || *between.High < float64(limit) {
				out.outside += 1. / runs
			}
		}
	}
	return out
}

// Of a disk whose tries have bad luck with a chance from 0 to 0.3, so many answers are right, and so many tries are made; what
// is not right is mostly told as unsure. A search that trusted each try that is not clean would be right in one half at 0.15.
func TestLadderWithNoise(t *testing.T) {
	for _, tt := range []struct {
		falseFail, falsePass float64
		right, wrong         float64 // at least, and at most
	}{
		{0, 0, 1, 0}, {0.05, 0, 0.99, 0.01}, {0.1, 0, 0.99, 0.01}, {0.1, 0.05, 0.95, 0.04}, {0.15, 0, 0.97, 0.02}, {0.2, 0, 0.95, 0.03}, {0.3, 0, 0.77, 0.09},
	} {
		for _, l := range []struct {
			top    int
			begins begin
		}{{12, rising}, {64, rising}, {12, halving}, {128, fromTop}} {
			got := withNoise(t, l.top, l.begins, tt.falseFail, tt.falsePass)
			t.Logf("bad luck %.2f, good luck %.2f, %3d steps, begins %d: right %5.1f %%, wrong %4.1f %%, unsure %4.1f %% (limit outside: %.1f %%), %.1f tries",
				tt.falseFail, tt.falsePass, l.top, l.begins, 100*got.right, 100*got.wrong, 100*got.unsure, 100*got.outside, got.tries)
			if got.right < tt.right-1e-9 || got.wrong > tt.wrong || got.outside > 0.02 {
				t.Errorf("bad luck %.2f, %d steps: %+v, want %.2f right, %.2f wrong", tt.falseFail, l.top, got, tt.right, tt.wrong)
			}
		}
	}
}

// If the verdicts on a step change from try to try and stay so, the answer is between which steps the limit lies.
func TestLadderIsUnsure(t *testing.T) {
	l, n := newLadder(12, rising), map[int]int{}
	tries := climb(t, l, func(step int) bool {
		n[step]++
		return step <= 3 && n[step]%4 != 0 || step == 4 && n[step]%3 == 2 || step == 5 && n[step]%6 == 1
	})
	limit, between, open := l.result()
	if limit != nil || between == nil || open {
		t.Fatalf("found %v, %v after %v", limit, between, tries)
	}
	if between.Low < 2 || between.Low > 4 || *between.High > 6 || *between.High <= between.Low {
		t.Errorf("between %v and %v after %v", between.Low, *between.High, tries)
	}
	if len(tries) != l.maxTries() || slices.Max(tries) > 8 {
		t.Errorf("%d of %d tries: %v", len(tries), l.maxTries(), tries)
	}
}
