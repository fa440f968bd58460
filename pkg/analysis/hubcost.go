package analysis

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// HubCost is what a disk alone loses by being on the hub.
type HubCost struct {
	Disk        string     `json:"disk"`
	Op          trace.Role `json:"op"`
	Phase       string     `json:"phase"` // Phase is that on the hub.
	DirectPhase string     `json:"direct_phase"`
	Rate        float64    `json:"rate"`
	DirectRate  float64    `json:"direct_rate"`
	// Loss is the part of the direct rate that the hub costs; it is below 0 if the disk is faster
	// there.
	Loss float64 `json:"loss"`
	// CI95 is that of Loss; null if a rate has no margin of error.
	CI95 *stats.Interval `json:"ci95"`
	// Lost says that it loses a tenth or more beyond noise, Nothing that it surely loses less.
	Lost    bool `json:"lost"`
	Nothing bool `json:"nothing"`

	morePhases int // on the hub
}

// hubCosts compares the disks' rates alone on the hub with those on their own ports, the greatest
// loss first.
func hubCosts(order []string, solos effect.Solos, alpha float64) []HubCost {
	var out []HubCost
	for _, hub := range solos {
		onPort := hub.Actor
		onPort.Connection = trace.Direct
		direct := solos.Of(onPort)
		if hub.Connection != trace.OnHub || direct == nil {
			continue
		}
		pair := effect.Pair{With: hub.Rate, Without: direct.Rate}
		c := HubCost{
			Disk: hub.Disk, Op: hub.Op,
			Phase: hub.Phases[0], DirectPhase: direct.Phases[0], morePhases: len(hub.Phases) - 1,
			Rate: hub.Mean, DirectRate: direct.Mean, Loss: 1 - pair.Kept(),
			Lost: pair.Loses(alpha),
		}
		if kept := pair.KeptCI(); kept != nil {
			c.CI95 = &stats.Interval{1 - kept[1], 1 - kept[0]}
			c.Nothing = c.CI95[1] < minEffect
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b HubCost) int {
		return cmp.Or(cmp.Compare(b.Loss, a.Loss),
			slices.Index(order, a.Disk)-slices.Index(order, b.Disk))
	})
	return out
}
