package search

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

// The error rates assumed of a single try, and how sure an answer must be.
const (
	falseFail = 0.25 // the chance that a try at or below the limit is not clean: another program, a hiccup of the disk
	falsePass = 0.05 // that one above the limit is clean
	sure      = 0.95
)

// How many tries a search may take beyond those that halve the steps, and of these for each halving.
const (
	spare        = 6
	spareHalving = 2
)

// ladder looks for the limit: the highest of the steps 1 ... top at which streams stay clean, except by chance; 0
// if they do at none. Any single try may mislead, so it weighs each limit by the verdicts on all steps (Bayes) and
// halves the interval that most probably holds the limit. If the tries of one of its ends contradict the others, it
// repeats that one first; if the ends are neighbours, it repeats the one that separates the likely limits, until
// the limit is sure or no tries are left. This is probabilistic bisection (Horstein 1963; Waeber, Frazier and
// Henderson 2013, SIAM Journal on Control and Optimization 51(3)).
type ladder struct {
	top       int
	begins    begin
	tried     map[int]tally
	values    map[int]float64 // of the steps that were tried
	unlimited bool            // the top one is no limit at all
	over      bool            // there are no more tries
}

type begin int

const (
	halving begin = iota // in the middle
	rising               // at 1, doubling
	fromTop              // at the top, which may well be the limit
)

type tally struct{ clean, of int }

// doubtful reports whether the step's few tries contradict those of other steps.
func (t tally) doubtful(clean bool) bool { return t.of < 3 && (2*t.clean > t.of) == clean }

// gap is the limits from a tried step, or 0, up to below the next tried one.
type gap struct {
	low, high int
	chance    float64
}

func newLadder(top int, begins begin) *ladder {
	return &ladder{top: top, begins: begins, tried: map[int]tally{}, values: map[int]float64{}}
}

// gaps are the limits between tried steps, with their chances, and where among them the limit most probably lies.
//
// Before any try they are all alike, except that if steps rise, a limit twice as high is half as probable; and if they
// begin at the top, that is a sixteenth as probable as all others together.
func (l *ladder) gaps() (all []gap, best int) {
	steps := slices.Sorted(maps.Keys(l.tried))
	all = make([]gap, len(steps)+1)
	all[len(steps)].high = l.top + 1
	var log float64 // of the likelihood, for a limit of 0
	for i, s := range steps {
		all[i].high, all[i+1].low = s, s
		t := l.tried[s]
		log += float64(t.clean)*math.Log(falsePass) + float64(t.of-t.clean)*math.Log(1-falsePass)
	}
	logs := make([]float64, len(all))
	for i, g := range all {
		if i > 0 {
			t := l.tried[g.low]
			log += float64(t.clean)*math.Log((1-falseFail)/falsePass) + float64(t.of-t.clean)*math.Log(falseFail/(1-falsePass))
		}
		prior := float64(g.high - g.low)
		switch {
		case l.begins == rising:
			prior = math.Log(float64(g.high+1) / float64(g.low+1))
		case l.begins == fromTop && g.high > l.top:
			prior = float64(g.high-1-g.low) + max(1, float64(l.top)/16)
		}
		logs[i] = log + math.Log(prior)
	}
	largest, sum := slices.Max(logs), 0.0
	for i := range all {
		all[i].chance = math.Exp(logs[i] - largest)
		sum += all[i].chance
	}
	for i := range all {
		all[i].chance /= sum
		if all[i].chance > all[best].chance {
			best = i
		}
	}
	return all, best
}

// step is the next to try; ok is false if there is none.
func (l *ladder) step() (step int, ok bool) {
	all, at := l.gaps()
	g := all[at]
	switch {
	case l.found(g) || l.left() == 0:
		return 0, false
	case g.high-g.low == 1:
	case g.low > 0 && l.tried[g.low].doubtful(false):
		return g.low, true
	case g.high <= l.top && l.tried[g.high].doubtful(true):
		return g.high, true
	case l.begins == rising && g.high > l.top:
		return min(max(1, 2*g.low), l.top), true
	default:
		return (g.low + g.high) / 2, true
	}
	var below, above float64
	for _, lower := range all[:at] {
		below += lower.chance
	}
	for _, higher := range all[at+1:] {
		above += higher.chance
	}
	if g.chance < sure && above >= below || g.low == 0 || l.tried[g.low].of > 1 && g.chance >= sure {
		return g.high, true
	}
	return g.low, true
}

// found reports whether a gap is a single limit and sure. A step's only try never decides.
func (l *ladder) found(g gap) bool {
	twice := (g.low == 0 || l.tried[g.low].of > 1) && (g.high > l.top || l.tried[g.high].of > 1)
	return g.high-g.low == 1 && g.chance >= sure && twice
}

func (l *ladder) add(try trace.Try, clean bool) {
	t := l.tried[try.Step]
	if t.of++; clean {
		t.clean++
	}
	l.tried[try.Step], l.values[try.Step] = t, try.Value
	l.unlimited = l.unlimited || try.Unlimited
}

// highest is the highest step that may be the limit.
func (l *ladder) highest() int {
	all, at := l.gaps()
	if l.found(all[at]) {
		return all[at].low
	}
	_, high := l.between()
	return high
}

// result is the limit; nil if the verdicts do not allow one, or not yet. When all tries are made, it lies between two
// others then. It is open if it is the top, and nil and open if that is no limit at all.
func (l *ladder) result() (limit *float64, between *Between, open bool) {
	all, at := l.gaps()
	switch g := all[at]; {
	case l.found(g) && l.unlimited && g.low == l.top:
		return nil, nil, true
	case l.found(g):
		return new(l.values[g.low]), nil, g.high > l.top
	case l.left() > 0:
		return nil, nil, false
	}
	low, high := l.between()
	between = &Between{Low: l.values[low]}
	switch value, tried := l.values[high]; {
	case !tried: // of streams, that rise
		between.High = new(float64(high))
	case high < l.top || !l.unlimited:
		between.High = &value
	}
	return nil, between, false
}

// between is from where to where the limit lies, but for the tails: tried steps, 0 or the top.
func (l *ladder) between() (low, high int) {
	const tail = (1 - sure) / 2
	var below float64
	all, _ := l.gaps()
	for _, g := range all {
		if below <= tail {
			low = g.low
		}
		if below < 1-tail {
			high = min(g.high, l.top)
			if g.high-g.low == 1 {
				high = g.low
			}
		}
		below += g.chance
	}
	return low, high
}

func (l *ladder) maxTries() int {
	halvings := bits.Len(uint(l.top))
	switch {
	case l.top == 0:
		return 0
	case l.begins == rising:
		return spare + (spareHalving+2)*halvings
	}
	return spare + (spareHalving+1)*halvings
}

func (l *ladder) left() int {
	if all, at := l.gaps(); l.over || l.found(all[at]) {
		return 0
	}
	n := l.maxTries()
	for _, t := range l.tried {
		n -= t.of
	}
	return max(0, n)
}
