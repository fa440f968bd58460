package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// The kinds of figures that Quote recommends.
const (
	QuoteOverlap = "overlap"
	QuoteLater   = "later"
	QuoteSettled = "settled"
	QuoteMean    = "mean"
)

// quote chooses the figure that a user will see again. Beside other disks that is the rate in the window; alone it is the mean
// over time, bytes over the seconds they took, whose expectation is the rate in the long run, as neither the mean nor the
// median of the files' rates is. If the rate changed, it is that of the last stretch that is long enough. Warm-ups and stalls
// never count.
func (p *phase) quote(part *part, d *Disk) *Quote {
	many := len(p.parts) > 1 && p.out.Overlap != nil
	in := part.Active
	if many {
		in = p.window
	}
	if t := d.Throttle; t != nil {
		later := t.Steps[len(t.Steps)-1].ToRate
		if many {
			later = p.laterInWindow(part, t)
		}
		if later > 0 {
			return &Quote{Rate: later, Kind: QuoteLater}
		}
	}
	all := cutAt(in, p.cuts(part.Name()))
	if len(all) > 1 || len(part.Stalls) > 0 || part.warmIn != nil {
		for _, stretch := range slices.Backward(all) {
			if rate := part.settledRate(stretch); rate > 0 && (overlap.Seconds(stretch) >= seconds(level.MinNS) || len(all) == 1) {
				return &Quote{Rate: rate, Kind: QuoteSettled}
			}
		}
	}
	switch {
	case many:
		return &Quote{Rate: p.out.Overlap.Disks[part.Name()].Rate, Kind: QuoteOverlap}
	case d.Rate == nil:
		return nil
	default:
		return &Quote{Rate: *d.Rate, Kind: QuoteMean}
	}
}

// laterInWindow is the disk's rate in that part of the window in which it was at its last level, 0 if that is too short.
func (p *phase) laterInWindow(part *part, t *Throttle) float64 {
	low := overlap.Interval{StartNS: int64(t.Steps[len(t.Steps)-1].AtS * 1e9), EndNS: part.EndNS()}
	if t.Recovered != nil {
		low.EndNS = int64((t.Recovered.AtS - t.Recovered.PauseS) * 1e9)
	}
	return part.settledRate(overlap.Clip(p.window, low))
}

// settledRate is the disk's rate over the intervals without standstills, 0 if they are too short.
func (p *part) settledRate(in []overlap.Interval) float64 {
	in = overlap.Without(in, p.Stalls)
	if overlap.Seconds(in) < overlap.ShortS {
		return 0
	}
	var bytes float64
	for _, v := range in {
		bytes += float64(p.Curve.Between(v).Bytes)
	}
	return bytes / overlap.Seconds(in)
}

// Steady is a disk's steady state, by its rates in windows (see stats.Steady): after the rule of SNIA's Solid State Storage
// Performance Test Specification, whose own windows are rounds of a minute.
type Steady struct {
	WindowS float64   `json:"window_s"`
	SinceS  float64   `json:"since_s"` // to the end
	Rate    float64   `json:"rate"`
	CI95    *Interval `json:"ci95"`
}

// steady fills in since when each disk was steady, in a phase that was to go on until all are. Of one that was not at the
// end no rate is given. Writes that were steady and never fell may have gone to a fast cache that was not full yet.
func (p *phase) steady() {
	if p.trace.SteadyNS <= 0 {
		return
	}
	for _, part := range p.parts {
		if part.Limited() || len(part.Active) == 0 {
			continue
		}
		d := &part.out
		var fell bool
		d.Steady, fell = part.steadyIn(p.trace.SteadyNS)
		switch {
		case d.Steady == nil:
			p.warn(Warning{Code: "not_steady", Disk: part.Name(), Values: WindowValues{WindowS: seconds(p.trace.SteadyNS)}})
		case !fell && part.Trace.Op == trace.Write && p.trace.Saturation == nil:
			p.warn(Warning{Code: "steady_unfallen", Disk: part.Name(), Values: UnfallenValues{Rate: d.Steady.Rate, Bytes: d.Steady.Rate * seconds(part.EndNS())}})
		}
	}
}

// steadyIn is the last stretch of windows in which the disk was steady (see stats.SteadySince), nil if it was not at the end;
// and whether its rate was clearly higher before.
func (p *part) steadyIn(windowNS int64) (s *Steady, fell bool) {
	n := max(0, int(p.EndNS()/windowNS)) // below zero if all ended before the release
	rates := p.Curve.Rates([]overlap.Interval{{EndNS: int64(n) * windowNS}}, n)
	since, ok := stats.SteadySince(rates)
	if !ok {
		return nil, false
	}
	window := overlap.Interval{StartNS: int64(since) * windowNS, EndNS: p.EndNS()}
	return &Steady{
		WindowS: seconds(windowNS), SinceS: seconds(window.StartNS), Rate: p.RateIn(window), CI95: intervalOf(p.Curve.Flow([]overlap.Interval{window})),
	}, stats.Fell(rates, since)
}
