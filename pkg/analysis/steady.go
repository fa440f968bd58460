package analysis

import (
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

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
	for i := range p.parts {
		part := &p.parts[i]
		if part.Limited() || len(part.Active) == 0 {
			continue
		}
		d := p.out.Disks[part.Name()]
		var fell bool
		d.Steady, fell = part.steadyIn(p.trace.SteadyNS)
		switch {
		case d.Steady == nil:
			p.warn(Warning{Code: "not_steady", Disk: part.Name(), Values: map[string]float64{"window_s": seconds(p.trace.SteadyNS)}})
		case !fell && part.Trace.Op == trace.Write && p.trace.Saturation == nil:
			p.warn(Warning{Code: "steady_unfallen", Disk: part.Name(), Values: map[string]float64{"rate": d.Steady.Rate, "bytes": d.Steady.Rate * seconds(part.EndNS())}})
		}
		p.out.Disks[part.Name()] = d
	}
}

// steadyIn is the last stretch of windows in which the disk was steady (see stats.SteadySince), nil where it was not at the end;
// and whether its rate was clearly higher before.
func (p *part) steadyIn(windowNS int64) (s *Steady, fell bool) {
	n := max(0, int(p.EndNS()/windowNS)) // below zero where all ended before the release
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
