package analysis

import (
	"fmt"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Quote is the one figure to quote for a disk: what a user will see again.
type Quote struct {
	Rate float64 `json:"rate"`
	// Kind is overlap (with all disks busy), later (after a lasting fall) or mean (bytes over
	// time).
	Kind string `json:"kind"`
	Text string `json:"text"` // Text says what it is, and what to know about it.
}

// Score is what the program that a preset imitates would report for the disk: one of its passes
// stands for all.
type Score struct {
	Method string  `json:"method"` // Method is median or best of the counted passes.
	Rate   float64 `json:"rate"`
	N      int     `json:"n"` // N is the number of passes that it was chosen from.
}

// Steady is a disk's steady state, by its rates in windows (see stats.Steady): after the rule of
// SNIA's Solid State Storage Performance Test Specification, whose own windows are rounds of a
// minute.
type Steady struct {
	WindowS float64         `json:"window_s"`
	SinceS  float64         `json:"since_s"` // SinceS lasts to the end.
	Rate    float64         `json:"rate"`
	CI95    *stats.Interval `json:"ci95"`
}

// quote chooses the figure that a user will see again. Beside other disks that is the rate in the
// window; alone it is the mean over time, bytes over the seconds they took, whose expectation is
// the rate in the long run, as neither the mean nor the median of the files' rates is. If the rate
// changed, it is that of the last stretch that is long enough. Warm-ups and stalls never count.
func (p *phase) quote(part *diskPart, of *summary) *Quote {
	quote := func(kind string, rate float64, text string) *Quote {
		return &Quote{Rate: rate, Kind: kind, Text: p.scale.Rate(rate) + text}
	}
	many := len(p.parts) > 1 && p.overlap != nil
	in := part.Active
	if many {
		in = p.window
	}
	if t := of.fall; t != nil {
		last := t.Steps[len(t.Steps)-1]
		later := last.ToRate
		if many { // Only the part of the window in which it was at its last level counts.
			low := overlap.Between(int64(last.AtS*1e9), part.EndNS())
			if t.Recovered != nil {
				low.EndNS = int64((t.Recovered.AtS - t.Recovered.PauseS) * 1e9)
			}
			later = part.settledRate(overlap.Clip(p.window, low))
		}
		if later > 0 {
			return quote(QuoteLater, later, fmt.Sprintf(" after %s; before that %s for %s",
				byteSize(last.AtBytes), p.scale.Rate(t.Steps[0].FromRate),
				unit.FormatSeconds(t.FirstLevelS)))
		}
	}
	all := cutAt(in, p.cuts(part.Name()))
	if len(all) > 1 || len(part.Stalls) > 0 || part.warm != nil {
		for _, stretch := range slices.Backward(all) {
			long := len(all) == 1 || overlap.Seconds(stretch) >= seconds(ledger.MinNS)
			if rate := part.settledRate(stretch); long && rate > 0 {
				return quote(QuoteSettled, rate, " once its rate had settled")
			}
		}
	}
	switch {
	case many:
		return quote(QuoteOverlap, p.overlap.Disks[part.Name()].Rate, " with all disks busy")
	case of.figures.Rate == nil:
		return nil
	}
	text := " over time"
	if modes := of.figures.Modes; modes != nil {
		text += fmt.Sprintf("; its files ran near %s or near %s",
			p.scale.Rate(modes[0]), p.scale.Rate(modes[1]))
	}
	return quote(QuoteMean, *of.figures.Rate, text)
}
