package analysis

import (
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// leastIntervalS is the length of a window below which no interval is given: a stall of a second or two, or noise that
// lasts so long, may fill it or be missing from it, and nothing in it tells.
const leastIntervalS = 5

// windowIntervals are the 95 % intervals of the total rate and of each disk's, nil where the window does not show them.
func (p *phase) windowIntervals() (total *Interval, each []*Interval) {
	each = make([]*Interval, len(p.parts))
	if length := overlap.Seconds(p.window); length < leastIntervalS {
		if length >= overlap.ShortS { // below, all of its rates are in doubt
			p.warn(Warning{Code: "no_interval", Values: map[string]float64{"seconds": length}})
		}
		return nil, each
	}
	flows := make([]stats.Flow, len(p.parts))
	for i := range p.parts {
		flows[i] = p.parts[i].Curve.Flow(p.window)
		each[i] = intervalOf(flows[i])
		switch doubt := flows[i].Doubt(); {
		case doubt != stats.NoDoubt && p.parts[i].Limited(): // its rate is that of its work
		case doubt == stats.TooFew:
			p.warn(Warning{Code: "no_interval", Disk: p.parts[i].Name(), Values: map[string]float64{"files": float64(flows[i].Spread.Items)}})
		case doubt == stats.TooShort:
			p.warn(Warning{Code: "no_interval", Disk: p.parts[i].Name(), Values: map[string]float64{"moments": float64(flows[i].Known + 1)}})
		}
	}
	return intervalOf(stats.Total(flows)), each
}

func intervalOf(f stats.Flow) *Interval {
	if f.Doubt() != stats.NoDoubt {
		return nil
	}
	v := f.Estimate().Interval()
	return &Interval{max(0, v[0]), v[1]}
}
