package analysis

import (
	"github.com/hubbench/hubbench/pkg/overlap"
)

// The kinds of figures that Quote recommends.
const (
	QuoteOverlap = "overlap"
	QuoteLater   = "later"
	QuoteMean    = "mean"
)

// quote chooses the figure that a user meets again. Beside other disks that is the rate in the window. After a lasting
// fall it is the later level, in the window where there is one. Else it is the mean over time, bytes over the seconds
// they took, whose expectation is the rate in the long run; that of the files' rates or of their middle is not.
func (p *phase) quote(part *part, d *Disk) *Quote {
	many := len(p.parts) > 1 && p.out.Overlap != nil
	if t := d.Throttle; t != nil {
		later := t.Steps[len(t.Steps)-1].ToRate
		if many {
			later = p.laterInWindow(part, t)
		}
		if later > 0 {
			return &Quote{Rate: later, Kind: QuoteLater}
		}
	}
	if many {
		return &Quote{Rate: p.out.Overlap.Disks[part.name()].Rate, Kind: QuoteOverlap}
	}
	if d.Rate == nil {
		return nil
	}
	return &Quote{Rate: *d.Rate, Kind: QuoteMean}
}

// laterInWindow is the disk's rate in that part of the window in which it was at its last level, 0 where that is too
// short.
func (p *phase) laterInWindow(part *part, t *Throttle) float64 {
	low := overlap.Interval{StartNS: int64(t.Steps[len(t.Steps)-1].AtS * 1e9), EndNS: part.endNS()}
	if t.Recovered != nil {
		low.EndNS = int64((t.Recovered.AtS - t.Recovered.PauseS) * 1e9)
	}
	var bytes, length float64
	for _, v := range p.window {
		v.StartNS, v.EndNS = max(v.StartNS, low.StartNS), min(v.EndNS, low.EndNS)
		if v.StartNS < v.EndNS {
			bytes += float64(part.curve.Between(v).Bytes)
			length += v.Seconds()
		}
	}
	if length < overlap.ShortS {
		return 0
	}
	return bytes / length
}
