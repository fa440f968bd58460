package analysis

import (
	"math"

	"github.com/hubbench/hubbench/pkg/trace"
)

// linkChange is the greatest change of a disk's link in the phase, or since the one before it, and warns of it. Speeds are
// the last seen, by disk and by what it hangs on: one that is plugged in elsewhere by intent has changed nothing.
func (p *phase) linkChange(disk string, speeds map[string]float64) *LinkChange {
	key := disk + "\x00" + p.hangs[disk]
	var out *LinkChange
	most := 0.0
	for _, r := range p.meters.Of(disk, trace.LinkState) {
		if r.Value <= 0 {
			continue
		}
		was := speeds[key]
		speeds[key] = r.Value
		if was == 0 || was == r.Value {
			continue
		}
		if step := math.Abs(math.Log(r.Value / was)); step > most {
			out, most = &LinkChange{AtS: seconds(r.NS), FromBps: was, ToBps: r.Value}, step
		}
	}
	if out != nil {
		p.warn(Warning{Code: "link_changed", Disk: disk, Values: map[string]float64{"at_s": out.AtS, "from_bps": out.FromBps, "to_bps": out.ToBps}})
	}
	return out
}
