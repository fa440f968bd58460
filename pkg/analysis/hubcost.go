package analysis

import (
	"cmp"
	"math"
	"slices"

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

	morePhases int // They are further ones on the hub.
}

// hubCosts compares the disks' rates alone on the hub with those on their own ports, the greatest
// loss first.
func hubCosts(order []string, solos soloRates, alpha float64) []HubCost {
	var out []HubCost
	for _, hub := range solos {
		moved := *hub.disk
		moved.connection = trace.Direct
		direct := solos.lookup(&moved)
		if hub.disk.connection != trace.OnHub || direct == nil {
			continue
		}
		kept := hub.Rate / direct.Rate
		c := HubCost{
			Disk: hub.disk.Name(), Op: hub.disk.Trace.Op,
			Phase: hub.phases[0], DirectPhase: direct.phases[0], morePhases: len(hub.phases) - 1,
			Rate: hub.Rate, DirectRate: direct.Rate, Loss: 1 - kept,
		}
		c.Lost = hub.Rate <= minRetained*direct.Rate && direct.ChanceAbove(hub.Measured) <= alpha
		if free := min(hub.DegreesOfFreedom, direct.DegreesOfFreedom); free > 0 {
			half := math.Hypot(hub.Error, direct.Error) * stats.StudentQuantile(0.975, free)
			c.CI95 = &stats.Interval{1 - kept*math.Exp(half), 1 - kept*math.Exp(-half)}
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
