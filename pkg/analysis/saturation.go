package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// How a disk's fast cache is told to be back, or to have been used up again.
const (
	backShare  = 0.95 // of what the cache took at first: less is not all of it
	fullShare  = 0.98 // of a burst at the fast rate: it did not come to the cache's end
	growing    = 0.90 // of the cache, up to which what a rest gives back grows with it
	oddsOfLine = 4.0  // times the noise that the points may lie off a line through zero
)

// Saturation is where a disk's fast cache ends, what others gain then, and when it is back: what the steps of the preset
// saturation show of one disk.
type Saturation struct {
	Of         string        `json:"of"` // the scenario's phase
	Disk       string        `json:"disk"`
	Alone      string        `json:"alone"`       // the phase in which it wrote alone
	WroteBytes float64       `json:"wrote_bytes"` // in that
	Fall       *Fall         `json:"fall"`        // null where it was not seen to fall
	Bursts     []Burst       `json:"bursts"`      // after rests, the shortest first
	Back       *Back         `json:"back"`        // null where no burst tells
	Together   *FallTogether `json:"together"`    // null where it did not fall beside others as it had alone
	Text       string        `json:"text"`        // filled in by say
}

// Fall is the end of a disk's fast writing.
type Fall struct {
	AtBytes  float64 `json:"at_bytes"`
	AtS      float64 `json:"at_s"`
	FromRate float64 `json:"from_rate"`
	ToRate   float64 `json:"to_rate"`
	Cause    string  `json:"cause"` // heat | cache_full | unknown
}

// Burst is a short time of writing after a rest.
type Burst struct {
	Phase      string  `json:"phase"`
	RestS      float64 `json:"rest_s"`
	FastBytes  float64 `json:"fast_bytes"` // moved at the rate before the fall
	SEBytes    float64 `json:"se_bytes"`   // standard error of that
	Throughout bool    `json:"throughout"` // the burst was fast to its end: it may have gone on
}

// Back is the rest after which a disk's cache takes as much as at first.
type Back struct {
	RestS    *float64  `json:"rest_s"`   // null where the bursts only bound it
	CI95     *Interval `json:"ci95"`     // of rest_s
	AfterS   float64   `json:"after_s"`  // the longest rest that was too short; 0 where none was
	WithinS  *float64  `json:"within_s"` // the shortest that was enough; null where none was
	Bytes    float64   `json:"bytes"`    // that it took then
	Whole    bool      `json:"whole"`    // and that was all of the cache; else the burst was too short to tell
	Regained float64   `json:"regained"` // share of the cache after the longest rest that was tried, or 1
}

// FallTogether is a disk's fall beside others.
type FallTogether struct {
	Phase    string  `json:"phase"`
	AtBytes  float64 `json:"at_bytes"`
	AtS      float64 `json:"at_s"`
	FromRate float64 `json:"from_rate"`
	ToRate   float64 `json:"to_rate"`
	Told     bool    `json:"told"`  // nothing else happened about then: what others gained, they gained by this fall
	Gains    []Gain  `json:"gains"` // beyond noise
}

// Gain is by how much more a disk moves after another's fall.
type Gain struct {
	Disk     string   `json:"disk"`
	FromRate float64  `json:"from_rate"`
	ToRate   float64  `json:"to_rate"`
	Gain     float64  `json:"gain"`
	CI95     Interval `json:"ci95"`
}

// saturations are what the steps of the preset saturation come to, disk by disk.
func saturations(phases []*phase) []Saturation {
	var all []Saturation
	for _, p := range phases {
		step := p.trace.Saturation
		if step == nil || step.Step != trace.SaturationAlone || len(p.parts) != 1 {
			continue
		}
		part := &p.parts[0]
		s := Saturation{
			Of: step.Of, Disk: part.name(), Alone: p.out.Phase, WroteBytes: float64(part.curve.At(math.MaxInt64)),
			Bursts: []Burst{}, Fall: fallOf(p, part),
		}
		if s.Fall != nil {
			cliff := newCliff(part, s.Fall)
			s.bursts(phases, cliff)
			s.Back = s.back(cliff)
			s.together(phases)
		}
		all = append(all, s)
	}
	return all
}

// fallOf is the end of the fast writing, where the disk was seen to fall lastingly.
func fallOf(p *phase, part *part) *Fall {
	t := p.out.Disks[part.name()].Throttle
	if t == nil || t.Recovered != nil {
		return nil
	}
	return &Fall{AtBytes: t.AtBytes, AtS: t.AtS, FromRate: t.FromRate, ToRate: t.ToRate, Cause: t.Cause}
}

// cliff is a disk's rate before and after the fall, as it was alone, each with how long that was seen.
type cliff struct {
	bytes        float64
	fast, slow   measured
	fastS, slowS float64
}

func newCliff(part *part, f *Fall) cliff {
	at := int64(f.AtS * 1e9)
	before, after := overlap.Interval{StartNS: part.startNS(), EndNS: at}, overlap.Interval{StartNS: at, EndNS: part.endNS()}
	fast, slow := part.differ(before, after)
	fast.rate, slow.rate = f.FromRate, f.ToRate
	return cliff{bytes: f.AtBytes, fast: fast, slow: slow, fastS: before.Seconds(), slowS: after.Seconds()}
}

// fastTime is how long a disk was fast that moved so many bytes in a time, having been first the one, then the other, and
// its standard error: the noise of each rate counts twice, where it was measured and in the burst itself.
func (c cliff) fastTime(bytes, length float64) (seconds, se float64) {
	gap := c.fast.rate - c.slow.rate
	t := min(max((bytes-c.slow.rate*length)/gap, 0), length)
	off := func(time float64, m measured, seen float64) float64 { // bytes
		if time == 0 {
			return 0
		}
		return time * m.rate * m.error * math.Sqrt(1+seen/time)
	}
	return t, math.Hypot(off(t, c.fast, c.fastS), off(length-t, c.slow, c.slowS)) / gap
}

// bursts are what the disk moved at the fast rate after its rests.
func (s *Saturation) bursts(phases []*phase, c cliff) {
	for _, p := range phases {
		step := p.trace.Saturation
		if step == nil || step.Step != trace.SaturationBurst || step.Of != s.Of || step.Disk != s.Disk || len(p.parts) != 1 || len(p.parts[0].active) == 0 {
			continue
		}
		part := &p.parts[0]
		length := overlap.Seconds(part.active)
		t, se := c.fastTime(float64(part.curve.At(math.MaxInt64)), length)
		b := Burst{Phase: p.out.Phase, RestS: float64(step.RestNS) / 1e9, FastBytes: c.fast.rate * t, SEBytes: c.fast.rate * se}
		b.Throughout = t >= fullShare*length
		s.Bursts = append(s.Bursts, b)
	}
	slices.SortStableFunc(s.Bursts, func(a, b Burst) int { return cmp.Compare(a.RestS, b.RestS) })
}

// isBack reports whether the cache took as much as at first, or all of the burst.
func (c cliff) isBack(b Burst) bool {
	return b.Throughout || b.FastBytes >= backShare*c.bytes || b.FastBytes+2*b.SEBytes >= c.bytes && b.FastBytes >= growing*c.bytes
}

// back is after how long a rest the disk was as fast as at first; nil where no burst tells.
func (s *Saturation) back(c cliff) *Back {
	if len(s.Bursts) == 0 {
		return nil
	}
	b := &Back{}
	first := len(s.Bursts)
	for i, burst := range s.Bursts {
		if c.isBack(burst) {
			first = i
			b.WithinS, b.Bytes = number(burst.RestS), min(burst.FastBytes, c.bytes)
			b.Whole = burst.FastBytes >= growing*c.bytes
			break
		}
		b.AfterS = burst.RestS
		b.Regained = burst.FastBytes / c.bytes
	}
	if b.WithinS == nil {
		return b
	}
	b.Regained = 1
	b.RestS, b.CI95 = c.refill(s.Bursts[:first], *b)
	return b
}

// refill is the rest that gives all of the cache back, by a line through zero and what shorter rests gave; nil where there
// are too few of these, they lie on no such line, or it does not lead to where the cache was seen to be back.
func (c cliff) refill(bursts []Burst, b Back) (restS *float64, ci *Interval) {
	var xy, xx float64
	n := 0
	for _, p := range bursts {
		if w := 1 / (p.SEBytes * p.SEBytes); p.FastBytes < growing*c.bytes && p.SEBytes > 0 {
			xy += w * p.RestS * p.FastBytes
			xx += w * p.RestS * p.RestS
			n++
		}
	}
	if n < 2 || xy <= 0 {
		return nil, nil
	}
	slope, se := xy/xx, 1/math.Sqrt(xx)
	var off float64
	for _, p := range bursts {
		if p.SEBytes > 0 {
			z := (p.FastBytes - slope*p.RestS) / p.SEBytes
			off += z * z / float64(n-1)
		}
	}
	if off > oddsOfLine {
		return nil, nil
	}
	low, high := c.bytes/(slope+2*se), c.bytes/max(slope-2*se, slope/10)
	if high < b.AfterS || low > *b.WithinS {
		return nil, nil
	}
	return number(c.bytes / slope), &Interval{low, high}
}

// together is what the others gained when the disk's cache was full, all of the phase working: the disk fell there after
// about as many bytes as alone. That others rise at that moment is then no reason to think that they took what it lost.
func (s *Saturation) together(phases []*phase) {
	for _, p := range phases {
		step := p.trace.Saturation
		if step == nil || step.Step != trace.SaturationTogether || step.Of != s.Of {
			continue
		}
		for i := range p.parts {
			if part := &p.parts[i]; part.name() == s.Disk {
				s.Together = p.fallTogether(part, s.Fall)
			}
		}
	}
}

func (p *phase) fallTogether(part *part, alone *Fall) *FallTogether {
	levels := part.solid
	for i := 1; i < len(levels); i++ {
		at := levels[i].StartNS
		bytes := float64(part.curve.At(at))
		if levels[i].rate > maxDrop*levels[i-1].rate || math.Abs(math.Log(bytes/alone.AtBytes)) >= math.Log(sameBudget) {
			continue
		}
		f := &FallTogether{Phase: p.out.Phase, AtBytes: bytes, AtS: seconds(at), FromRate: levels[i-1].rate, ToRate: levels[i].rate, Gains: []Gain{}}
		before := overlap.Interval{StartNS: at - beforeNS, EndNS: at}
		after := overlap.Interval{StartNS: at + clearOfFallNS, EndNS: at + clearOfFallNS + 2*beforeNS}
		if f.Told = !p.eventsIn(before.StartNS, after.EndNS) && !p.othersFall(part, before.StartNS, after.EndNS); f.Told {
			p.gains(part, f, before, after)
		}
		return f
	}
	return nil
}

// othersFall reports whether another disk falls between two times: then it is not known whose fall others gained from.
func (p *phase) othersFall(part *part, fromNS, toNS int64) bool {
	for k := range p.parts {
		other := &p.parts[k]
		for i := 1; i < len(other.solid) && other.trace != part.trace; i++ {
			l := other.solid[i]
			if fromNS < l.StartNS && l.StartNS < toNS && l.rate <= maxDrop*other.solid[i-1].rate {
				return true
			}
		}
	}
	return false
}

// gains fills in by how much more each other disk moved after the fall, where that is beyond noise.
func (p *phase) gains(part *part, f *FallTogether, before, after overlap.Interval) {
	for k := range p.parts {
		other := &p.parts[k]
		if other.trace == part.trace || len(other.active) == 0 || other.paced.Limited() {
			continue
		}
		was, is := other.differ(before.Within(overlap.Interval{StartNS: other.startNS(), EndNS: other.endNS()}), after.Within(overlap.Interval{StartNS: other.startNS(), EndNS: other.endNS()}))
		if was.rate <= 0 || is.chanceAbove(was) > p.alpha.after {
			continue
		}
		gain := is.rate - was.rate
		half := stats.StudentQuantile(0.975, min(was.free, is.free)) * math.Hypot(was.rate*was.error, is.rate*is.error)
		f.Gains = append(f.Gains, Gain{Disk: other.name(), FromRate: was.rate, ToRate: is.rate, Gain: gain, CI95: Interval{gain - half, gain + half}})
	}
}
