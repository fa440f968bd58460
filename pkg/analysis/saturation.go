package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/change"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Saturation is where a disk's fast cache ends, what others gain then, and when it is back: what
// the steps of the preset saturation show of one disk.
type Saturation struct {
	Of         string         `json:"of"` // Of is the scenario's phase.
	Disk       string         `json:"disk"`
	Alone      string         `json:"alone"`       // Alone is the phase in which it wrote alone.
	WroteBytes float64        `json:"wrote_bytes"` // WroteBytes is what it wrote in that.
	Fall       *Fall          `json:"fall"`        // Fall is null if it was not seen to fall.
	Bursts     []ledger.Burst `json:"bursts"`      // Bursts follow rests, the shortest first.
	Back       *Back          `json:"back"`        // Back is null if no burst shows it.
	// Together is null if it did not fall beside others as it had alone.
	Together *FallTogether `json:"together"`
	Text     string        `json:"text"`
}

// Fall is the end of a disk's fast writing: from its first rate to where it falls no further.
type Fall struct {
	AtBytes  float64        `json:"at_bytes"`
	CI95     stats.Interval `json:"ci95"` // CI95 is that of AtBytes.
	AtS      float64        `json:"at_s"`
	FromRate float64        `json:"from_rate"`
	ToRate   float64        `json:"to_rate"`
	// Steps follow one another; the last ends where the keys above say.
	Steps []ledger.Step `json:"steps"`
	Cause string        `json:"cause"` // Cause is heat, cache_full or unknown.
}

// Back is the rest after which a disk's cache takes as much as at first.
type Back struct {
	RestS *float64        `json:"rest_s"` // RestS is null if the bursts only bound it.
	CI95  *stats.Interval `json:"ci95"`   // CI95 is that of RestS.
	// AfterS is the longest rest that was too short; 0 if none was.
	AfterS float64 `json:"after_s"`
	// WithinS is the shortest rest that was enough; null if none was.
	WithinS *float64 `json:"within_s"`
	Bytes   float64  `json:"bytes"` // Bytes is what the cache took then.
	// Whole says that this was all of the cache; else the burst was too short.
	Whole bool `json:"whole"`
	// Regained is the share of the cache after the longest rest that was tried, or 1.
	Regained float64 `json:"regained"`
	// AtLeast says that the burst was too short to tell if there was more.
	AtLeast bool `json:"at_least"`
}

// FallTogether is a disk's fall beside others.
type FallTogether struct {
	Phase string `json:"phase"`
	ledger.Step
	// Reported says that nothing else happened then, so others gained by this fall.
	Reported bool   `json:"told"`
	Gains    []Gain `json:"gains"` // Gains are beyond noise.
}

// Gain is by how much more a disk moves after another's fall.
type Gain struct {
	Disk       string         `json:"disk"`
	FromRate   float64        `json:"from_rate"`
	ToRate     float64        `json:"to_rate"`
	Difference float64        `json:"gain"`
	CI95       stats.Interval `json:"ci95"`
}

// saturations returns what the steps of the preset saturation come to, disk by disk.
func (w writer) saturations(phases []*phase) []Saturation {
	var all []Saturation
	for _, p := range phases {
		step := p.trace.Saturation
		if step == nil || step.Step != trace.SaturationAlone || len(p.parts) != 1 {
			continue
		}
		part := p.parts[0]
		s := Saturation{
			Of: step.Of, Disk: part.Name(), Alone: p.trace.Name,
			WroteBytes: float64(part.Curve.At(math.MaxInt64)), Bursts: []ledger.Burst{},
		}
		if t := part.throttle; t != nil && t.Recovered == nil { // It fell for good.
			s.fell(part, t, phases)
		}
		s.Text = strings.Join(w.saturation(s, true), "; ")
		all = append(all, s)
	}
	return all
}

// fell fills in how a disk fell that wrote alone, what rests gave back of its cache, and what the
// others gained when it was full with all of the phase working: the disk fell there after about as
// many bytes as alone. That others rise at that moment is then no reason to think that they took
// what it lost.
func (s *Saturation) fell(alone *diskPart, t *Throttle, phases []*phase) {
	cache := ledger.NewCache(&alone.History, t.Steps)
	last := t.Steps[len(t.Steps)-1]
	// The estimated time of a change of size d between noisy levels is off by at most 11 s²/d² in
	// 19 of 20 cases (Bai, Estimation of a change point in multiple regression models, Review of
	// Economics and Statistics 79, 1997), with s² the noise of a rate over a second; and it is seen
	// in steps of one sample.
	high := cache.Levels[len(t.Steps)-1]
	low := cache.Levels[len(t.Steps)]
	noise := max(square(high.Rate*high.Error)*high.SeenS, square(low.Rate*low.Error)*low.SeenS)
	off := high.Rate * (11*noise/square(high.Rate-low.Rate) + seconds(ledger.SampleNS))
	s.Fall = &Fall{
		AtBytes: last.AtBytes, CI95: stats.Interval{last.AtBytes - off, last.AtBytes + off},
		AtS: last.AtS, FromRate: t.Steps[0].FromRate, ToRate: last.ToRate,
		Steps: t.Steps, Cause: t.Cause,
	}
	for _, p := range phases {
		part := p.part(s.Disk)
		step := p.trace.Saturation
		switch {
		case part == nil || step == nil || step.Of != s.Of:
		case step.Step == trace.SaturationTogether:
			s.Together = p.fallTogether(part, s.Fall)
		case step.Step == trace.SaturationBurst && len(p.parts) == 1 && len(part.Active) > 0:
			b := cache.EstimateRemaining(float64(part.Curve.At(math.MaxInt64)),
				overlap.Seconds(part.Active))
			b.Phase = p.trace.Name
			b.RestS = seconds(step.RestNS)
			s.Bursts = append(s.Bursts, b)
		}
	}
	slices.SortStableFunc(s.Bursts, func(a, b ledger.Burst) int {
		return cmp.Compare(a.RestS, b.RestS)
	})
	s.Back = s.back(cache)
}

// back is after how long a rest the disk was as fast as at first; nil if no burst shows it.
func (s *Saturation) back(c ledger.Cache) *Back {
	if len(s.Bursts) == 0 {
		return nil
	}
	b := &Back{}
	tooShort := s.Bursts
	first := slices.IndexFunc(s.Bursts, c.HasRecovered)
	if first >= 0 {
		tooShort = s.Bursts[:first]
	}
	for _, burst := range tooShort {
		b.AfterS = burst.RestS
		b.Regained = burst.FastBytes / c.Bytes
		b.AtLeast = burst.AtLeast
	}
	if first >= 0 {
		burst := s.Bursts[first]
		b.WithinS = &burst.RestS
		b.Bytes = min(burst.FastBytes, c.Bytes)
		b.Whole = burst.FastBytes >= ledger.RefillShare*c.Bytes
		b.Regained = 1
		b.AtLeast = false
		b.RestS, b.CI95 = c.Refill(tooShort, b.AfterS, burst.RestS)
	}
	return b
}

// fallTogether returns the disk's fall beside others after about as many bytes as alone, and what the
// others took of what it left; nil if it did not fall there. That others took all of it at once is
// then no reason to think that they began.
func (p *phase) fallTogether(part *diskPart, alone *Fall) *FallTogether {
	for i := range p.events {
		e := &p.events[i]
		shift, ok := e.Of(part.Name())
		bytes := float64(part.Curve.At(e.AtNS))
		isOwn := e.Kind == change.OwnFall || e.Kind == change.Redistribution && e.By == ""
		if !ok || !isOwn || shift.To > maxDrop*shift.From ||
			math.Abs(math.Log(bytes/alone.AtBytes)) >= math.Log(sameBudget) {
			continue
		}
		f := &FallTogether{Phase: p.trace.Name, Gains: []Gain{}, Reported: true, Step: ledger.Step{
			AtBytes: bytes, AtS: seconds(e.AtNS), FromRate: shift.From, ToRate: shift.To}}
		for _, s := range p.gains(part.Name(), e.AtNS) {
			gain := s.To - s.From
			half := stats.StudentQuantile(0.975, ledger.LongDegreesOfFreedom) * s.To * s.Error
			f.Gains = append(f.Gains, Gain{
				Disk: s.Disk, FromRate: s.From, ToRate: s.To, Difference: gain,
				CI95: stats.Interval{gain - half, gain + half},
			})
		}
		return f
	}
	return nil
}

// gains returns what other disks took when one fell at a time, less what is too small to report.
func (p *phase) gains(fallen string, ns int64) (gains []change.Shift) {
	for i := range p.events {
		e := &p.events[i]
		_, fell := e.Of(fallen)
		took := e.By == fallen || e.By == "" && fell
		if e.Kind != change.Redistribution || !took || abs(e.AtNS-ns) > explainsNS {
			continue
		}
		for _, s := range e.Shifts {
			if s.To > s.From && isLarge(s.From, s.To) {
				gains = append(gains, s)
			}
		}
	}
	return gains
}

// saturation says where a disk's fast cache ends, when it is empty again, and what others gain
// while it is full; and how surely, if that is wanted: "A's fast cache holds 23.9 ± 0.2 GB: 2.30
// GB/s falls to 0.67 GB/s", "it recovered after 2 min 30 s of rest".
func (w writer) saturation(s Saturation, surely bool) []string {
	if s.Fall == nil {
		return []string{s.Disk + " wrote " + byteSize(s.WroteBytes) + " without slowing down"}
	}
	what := pick(s.Fall.Cause == "heat", " slows down as it heats up after ",
		"'s fast cache holds ")
	falls := "to " + w.Rate(s.Fall.ToRate)
	if len(s.Fall.Steps) > 1 {
		falls = w.falls(s.Fall.Steps)
	}
	parts := []string{s.Disk + what + plusMinus(s.Fall.AtBytes, s.Fall.CI95.Half()) +
		pick(surely, " (95% confidence)", "") + ": " +
		w.Rate(s.Fall.FromRate) + " falls " + falls}
	if s.Back != nil {
		parts = append(parts, back(s.Back, surely))
	}
	if s.Together != nil && s.Together.Reported {
		parts = append(parts, w.gained(s.Together.Gains, surely))
	}
	return parts
}

// cache says for a headline how much a disk writes fast and how far its rate then drops, and what
// else is known of its fast cache: "A writes 23.9 GB fast, then drops by 71%", "2.30 GB/s until its
// cache is full after 10 s, and 0.67 GB/s from then on".
func (w writer) cache(s Saturation) []string {
	parts := w.saturation(s, false)
	f := s.Fall
	if f == nil || len(f.Steps) > 1 || f.Cause == "heat" {
		return parts
	}
	return append([]string{
		fmt.Sprintf("%s writes %s fast, then drops by %.0f%%", s.Disk, byteSize(f.AtBytes),
			100*(1-f.ToRate/f.FromRate)),
		fmt.Sprintf("%s until its cache is full after %s, and %s from then on", w.Rate(f.FromRate),
			unit.FormatSeconds(f.AtS), w.Rate(f.ToRate)),
	}, parts[1:]...)
}

// plusMinus returns a size with half of its interval, in one unit and to the same digit: "23.9 ±
// 0.2 GB".
func plusMinus(bytes, half float64) string {
	scale := 1e9
	name := "GB"
	switch {
	case bytes >= 1e12:
		scale = 1e12
		name = "TB"
	case bytes < 1e9:
		scale = 1e6
		name = "MB"
	}
	digits := max(0, 2-int(math.Floor(math.Log10(bytes/scale))))
	text := fmt.Sprintf("%.*f ", digits, bytes/scale)
	if half > 0 {
		text += fmt.Sprintf("± %.*f ", digits, max(half/scale, math.Pow10(-digits)))
	}
	return text + name
}

// falls returns "to 1.66 GB/s after 12 GB and to 0.50 GB/s after 52 GB".
func (w writer) falls(steps []ledger.Step) string {
	return strings.Join(Each(steps, func(step ledger.Step) string {
		return "to " + w.Rate(step.ToRate) + " after " + byteSize(step.AtBytes)
	}), " and ")
}

// fell says from which rate a disk fell, and to which after how many bytes.
func (w writer) fell(disk string, steps []ledger.Step) string {
	return disk + " fell from " + w.Rate(steps[0].FromRate) + " " + w.falls(steps)
}

// gained says who moved more after the fall: "B and C gained 0.45 GB/s each (0.43 to 0.50 GB/s)".
func (w writer) gained(gains []Gain, surely bool) string {
	if len(gains) == 0 {
		return "no other disk measurably gained from it"
	}
	var names []string
	by := map[string]Gain{}
	for _, g := range gains {
		names = append(names, g.Disk)
		by[g.Disk] = g
	}
	groups := withinTenth(names, func(n string) float64 { return by[n].Difference })
	return strings.Join(Each(groups, func(group []string) string {
		sum := 0.0
		low := math.Inf(1)
		high := math.Inf(-1)
		for _, n := range group {
			sum += by[n].Difference
			low, high = min(low, by[n].CI95[0]), max(high, by[n].CI95[1])
		}
		text := unit.List(group) + " gained " + w.each(sum/float64(len(group)), len(group))
		return text + pick(surely, " (95% confidence: "+w.Rate(low)+" to "+w.Rate(high)+")", "")
	}), ", ")
}

// EnoughS returns the rest that was enough, if one was: as measured, or else the shortest tried.
func (b *Back) EnoughS() float64 { return *cmp.Or(b.RestS, b.WithinS) }

// back says after how long a rest a disk's cache takes as much as at first, as far as that is
// known.
func back(b *Back, surely bool) string {
	after := unit.FormatSeconds(b.AfterS)
	switch {
	case b.WithinS == nil && b.Regained < 0.005:
		return "it was still slow after " + after + " of rest"
	case b.WithinS == nil:
		return fmt.Sprintf("after %s of rest %s%.0f%% of the cache was back", after,
			pick(b.AtLeast, "at least ", ""), 100*b.Regained)
	}
	text := "it recovered after " + unit.FormatSeconds(b.EnoughS()) + " of rest"
	switch {
	case b.RestS == nil:
		text += pick(b.AfterS > 0, " but not after "+after, " or less") +
			pick(b.Whole, "", ", at least for "+byteSize(b.Bytes))
	case surely:
		low, high := unit.FormatSeconds(b.CI95[0]), unit.FormatSeconds(b.CI95[1])
		text += " (95% confidence: " + low + " to " + high + ")"
	}
	return text
}
