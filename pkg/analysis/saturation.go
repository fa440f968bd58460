package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// How a disk's fast cache is told to be back, or to have been used up again.
const (
	apartS     = 2 // seconds of a stretch, and how many
	apartLeast = 5 // there must be on either side of a fall: all of one above all of the other by chance is 1 in 252
)

// Saturation is where a disk's fast cache ends, what others gain then, and when it is back: what the steps of the
// preset saturation show of one disk.
type Saturation struct {
	Of         string         `json:"of"` // the scenario's phase
	Disk       string         `json:"disk"`
	Alone      string         `json:"alone"`       // the phase in which it wrote alone
	WroteBytes float64        `json:"wrote_bytes"` // in that
	Fall       *Fall          `json:"fall"`        // null if it was not seen to fall
	Bursts     []ledger.Burst `json:"bursts"`      // after rests, the shortest first
	Back       *Back          `json:"back"`        // null if no burst shows it
	Together   *FallTogether  `json:"together"`    // null if it did not fall beside others as it had alone
	Text       string         `json:"text"`
}

// Fall is the end of a disk's fast writing: from its first rate to where it falls no further.
type Fall struct {
	AtBytes  float64        `json:"at_bytes"`
	CI95     stats.Interval `json:"ci95"` // of at_bytes
	AtS      float64        `json:"at_s"`
	FromRate float64        `json:"from_rate"`
	ToRate   float64        `json:"to_rate"`
	Steps    []ledger.Step  `json:"steps"` // one after another; the last ends where the keys above say
	Cause    string         `json:"cause"` // heat | cache_full | unknown
}

// Back is the rest after which a disk's cache takes as much as at first.
type Back struct {
	RestS    *float64        `json:"rest_s"`   // null if the bursts only bound it
	CI95     *stats.Interval `json:"ci95"`     // of rest_s
	AfterS   float64         `json:"after_s"`  // the longest rest that was too short; 0 if none was
	WithinS  *float64        `json:"within_s"` // the shortest that was enough; null if none was
	Bytes    float64         `json:"bytes"`    // that it took then
	Whole    bool            `json:"whole"`    // and that was all of the cache; else the burst was too short to tell
	Regained float64         `json:"regained"` // share of the cache after the longest rest that was tried, or 1
	AtLeast  bool            `json:"at_least"` // and maybe more: that burst was too short to tell
}

// FallTogether is a disk's fall beside others.
type FallTogether struct {
	Phase string `json:"phase"`
	ledger.Step
	Told  bool   `json:"told"`  // nothing else happened about then: what others gained, they gained by this fall
	Gains []Gain `json:"gains"` // beyond noise
}

// Gain is by how much more a disk moves after another's fall.
type Gain struct {
	Disk       string         `json:"disk"`
	FromRate   float64        `json:"from_rate"`
	ToRate     float64        `json:"to_rate"`
	Difference float64        `json:"gain"`
	CI95       stats.Interval `json:"ci95"`
}

// saturations are what the steps of the preset saturation come to, disk by disk.
func saturations(phases []*phase) []Saturation {
	var all []Saturation
	for _, p := range phases {
		step := p.trace.Saturation
		if step == nil || step.Step != trace.SaturationAlone || len(p.parts) != 1 {
			continue
		}
		part := p.parts[0]
		s := Saturation{
			Of: step.Of, Disk: part.Name(), Alone: p.out.Name, WroteBytes: float64(part.Curve.At(math.MaxInt64)),
			Bursts: []ledger.Burst{},
		}
		if t := part.out.Throttle; t != nil && t.Recovered == nil { // it was seen to fall lastingly
			cache := ledger.NewCache(&part.Disk, t.Steps)
			last, off := t.Steps[len(t.Steps)-1], dated(cache.Levels)
			s.Fall = &Fall{
				AtBytes: last.AtBytes, CI95: stats.Interval{last.AtBytes - off, last.AtBytes + off}, AtS: last.AtS,
				FromRate: t.Steps[0].FromRate, ToRate: last.ToRate, Steps: t.Steps, Cause: t.Cause,
			}
			s.rest(phases, cache)
		}
		all = append(all, s)
	}
	return all
}

// dated is by how many bytes the last fall may have come earlier or later, with 95 % confidence. The estimated time
// of a change of size d between noisy levels is off by at most 11 s²/d² in 19 of 20 cases (Bai, Estimation of a
// change point in multiple regression models, Review of Economics and Statistics 79, 1997), with s² the noise of a
// rate over a second; and it is seen in steps of one sample.
func dated(levels []ledger.CacheRate) float64 {
	high, low := levels[len(levels)-2], levels[len(levels)-1]
	noise := func(l ledger.CacheRate) float64 { return square(l.Rate*l.Error) * l.SeenS }
	return high.Rate * (11*max(noise(high), noise(low))/square(high.Rate-low.Rate) + float64(ledger.SampleNS)/1e9)
}

// rest takes in what rests have given back of the disk's cache, and what the others gained when it was full, all of
// the phase working: the disk fell there after about as many bytes as alone. That others rise at that moment is then
// no reason to think that they took what it lost.
func (s *Saturation) rest(phases []*phase, c ledger.Cache) {
	for _, p := range phases {
		part, step := p.part(s.Disk), p.trace.Saturation
		if step == nil || step.Of != s.Of || part == nil {
			continue
		}
		switch {
		case step.Step == trace.SaturationTogether:
			s.Together = p.fallTogether(part, s.Fall)
		case step.Step == trace.SaturationBurst && step.Disk == s.Disk && len(p.parts) == 1 && len(part.Active) > 0:
			b := c.Regained(float64(part.Curve.At(math.MaxInt64)), overlap.Seconds(part.Active))
			b.Phase, b.RestS = p.out.Name, float64(step.RestNS)/1e9
			s.Bursts = append(s.Bursts, b)
		}
	}
	slices.SortStableFunc(s.Bursts, func(a, b ledger.Burst) int { return cmp.Compare(a.RestS, b.RestS) })
	s.Back = s.back(c)
}

// back is after how long a rest the disk was as fast as at first; nil if no burst shows it.
func (s *Saturation) back(c ledger.Cache) *Back {
	if len(s.Bursts) == 0 {
		return nil
	}
	b := &Back{}
	first := len(s.Bursts)
	for i, burst := range s.Bursts {
		if c.IsBack(burst) {
			first = i
			b.WithinS, b.Bytes = number(burst.RestS), min(burst.FastBytes, c.Bytes)
			b.Whole = burst.FastBytes >= ledger.Growing*c.Bytes
			break
		}
		b.AfterS = burst.RestS
		b.Regained, b.AtLeast = burst.FastBytes/c.Bytes, burst.AtLeast
	}
	if b.WithinS == nil {
		return b
	}
	b.Regained, b.AtLeast = 1, false
	rest, ci := c.Refill(s.Bursts[:first], b.AfterS, *b.WithinS)
	b.RestS, b.CI95 = rest, ci
	return b
}

func (p *phase) fallTogether(part *part, alone *Fall) *FallTogether {
	levels := part.Solid
	for i := 1; i < len(levels); i++ {
		at := levels[i].StartNS
		bytes := float64(part.Curve.At(at))
		if levels[i].Rate > maxDrop*levels[i-1].Rate || math.Abs(math.Log(bytes/alone.AtBytes)) >= math.Log(sameBudget) {
			continue
		}
		step := ledger.Step{AtBytes: bytes, AtS: seconds(at), FromRate: levels[i-1].Rate, ToRate: levels[i].Rate}
		f := &FallTogether{Phase: p.out.Name, Step: step, Gains: []Gain{}}
		before := overlap.Span{StartNS: min(at-beforeNS, max(at-2*beforeNS, levels[i-1].StartNS)), EndNS: at}
		after := overlap.Span{StartNS: at + clearOfFallNS, EndNS: at + clearOfFallNS + 2*beforeNS}
		if f.Told = !p.eventsIn(before.StartNS, after.EndNS) && !p.othersFall(part, before.StartNS, after.EndNS); f.Told {
			p.gains(part, f, before, after)
		}
		return f
	}
	return nil
}

// othersFall reports whether another disk falls between two times: then it is not known whose fall others gained from.
func (p *phase) othersFall(part *part, fromNS, toNS int64) bool {
	for _, other := range p.parts {
		for i := 1; i < len(other.Solid) && other != part; i++ {
			l := other.Solid[i]
			if fromNS < l.StartNS && l.StartNS < toNS && l.Rate <= maxDrop*other.Solid[i-1].Rate {
				return true
			}
		}
	}
	return false
}

// gains fills in by how much more each other disk moved after the fall, if that is beyond noise.
func (p *phase) gains(part *part, f *FallTogether, before, after overlap.Span) {
	for _, other := range p.others(part) {
		if other.Work.Limited() {
			continue
		}
		all := overlap.Span{StartNS: other.StartNS(), EndNS: other.EndNS()}
		was, is := other.Differ(before.Within(all), after.Within(all))
		if min(before.Seconds(), after.Seconds()) >= ledger.LongS {
			was.Free, is.Free = max(was.Free, ledger.FreeOfLong), max(is.Free, ledger.FreeOfLong)
		}
		if was.Rate <= 0 || is.Rate <= 0 || is.ChanceAbove(was) > p.alpha.after && !other.apart(before, after) ||
			other.roseBefore(after.StartNS-clearOfFallNS, before.StartNS, after.EndNS) {
			continue
		}
		gain := is.Rate - was.Rate
		// Is.Free is the same.
		half := stats.StudentQuantile(0.975, was.Free) * math.Hypot(was.Rate*was.Error, is.Rate*is.Error)
		f.Gains = append(f.Gains, Gain{
			Disk: other.Name(), FromRate: was.Rate, ToRate: is.Rate, Difference: gain, CI95: stats.Interval{gain - half, gain + half},
		})
	}
}

// apart reports whether the disk was faster in every stretch of one time than in any of another by a share that is
// told. If requests are few, noise is not known well enough to show even that.
func (p *part) apart(before, after overlap.Span) bool {
	stretches := func(in overlap.Span) []float64 {
		return p.Curve.Rates([]overlap.Span{in}, int(in.Seconds()/apartS+0.5))
	}
	was, is := stretches(before), stretches(after)
	return min(len(was), len(is)) >= apartLeast && slices.Min(is) >= (1+freedShare)*slices.Max(was)
}

// roseBefore reports whether the disk's rate between two times rose clearly before a third: then not by what happened
// there.
func (p *part) roseBefore(ns, fromNS, toNS int64) bool {
	fromNS, toNS = max(fromNS, p.StartNS()), min(toNS, p.EndNS())
	const binNS = 5 * ledger.SampleNS
	n := int((toNS - fromNS) / binNS)
	rates := p.Curve.Rates([]overlap.Span{{StartNS: fromNS, EndNS: fromNS + int64(n)*binNS}}, n)
	rose, then := stats.Split(rates, 5), int((ns-foreseenNS-fromNS)/binNS)
	return rose < then && dateIsOff(rates, then, rose)
}
