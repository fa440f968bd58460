package advise

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/fit"
)

const (
	// marginStep is how finely a margin is found, relative.
	marginStep = 0.002
	// maxFrames is how many frames are simulated one by one; streams with more are folded.
	maxFrames = 20_000
)

// margin is the largest factor for all streams' rates with which they stay clean on the middle hub.
func (c *model) margin(parts []Part) float64 {
	how := c.fine(parts)
	with := func(f float64) bool {
		return c.clean(c.middle, withRates(parts, func(string) float64 { return f }), how)
	}
	_, bound := c.bounds(c.middle, parts)
	low, high := 0.0, bound*(1+2*apart)
	for high > 0 && with(high) { // ends soon: no disk gets more than it can move
		low, high = high, high*2
		if high > 1e6 {
			return low
		}
	}
	if low == 0 {
		for low = high / 2; !with(low); low /= 2 {
			if high = low; low < 1e-6 {
				return 0
			}
		}
	}
	for high > low*(1+marginStep) {
		if f := math.Sqrt(low * high); with(f) {
			low = f
		} else {
			high = f
		}
	}
	return low
}

// fine is the detail of simulations of the middle hub.
func (c *model) fine(parts []Part) detail {
	frames := 0.0
	for i := range parts {
		for _, s := range parts[i].Streams {
			frames += float64(s.Count) * c.length.Seconds() / s.Frame.Seconds()
		}
	}
	if frames > maxFrames {
		return folded
	}
	return full
}

// figureMargin is the margin that the answer needs if a profile holds no observations.
const figureMargin = 1 + fit.FigureError

// marginInterval holds the margins of 95 in 100 hubs, by the share that the worst-served disk gets of what its
// streams need on each and on the middle one; zero without hubs.
func (c *model) marginInterval(parts []Part, margin float64) (low, high float64) {
	n := len(c.hubs)
	if n == 0 {
		return 0, 0
	}
	served := make([]float64, n)
	for i := range c.hubs {
		served[i], _ = c.bounds(&c.hubs[i], parts)
	}
	slices.Sort(served)
	middle, _ := c.bounds(c.middle, parts)
	tail := n / 40
	return margin * min(served[tail]/middle, 1), margin * max(served[n-1-tail]/middle, 1)
}

// unmeasured reports whether the parts are a combination that was not measured, on a hub that no model explains.
func (c *model) unmeasured(parts []Part) bool {
	o := mixOf(parts)
	return c.doubt.Refused != "" && len(o.Disks) > 1 && !c.hubs[0].Measured(&o)
}

// verdict decides by the margin and the number of hubs on which the streams stay clean.
func (c *model) verdict(parts []Part, margin float64, clean int) Verdict {
	n := len(c.hubs)
	switch {
	case c.unmeasured(parts):
		return Unsure
	case n == 0 && margin >= figureMargin, n > 0 && margin >= 1 && clean >= needed(n):
		return Yes
	case n == 0 && margin*figureMargin <= 1, n > 0 && margin < 1 && n-clean >= needed(n):
		return No
	}
	return Unsure
}

// needed is how many of n hubs must agree.
func needed(n int) int { return int(math.Ceil(sure * float64(n))) }

// count counts the hubs on which the streams stay clean. It stops once more than spare are not.
func (c *model) count(parts []Part, spare int) int {
	least := map[*fit.Hub]float64{}
	var all []*fit.Hub
	for i := range c.hubs {
		h := &c.hubs[i]
		all = append(all, h)
		least[h], _ = c.bounds(h, parts)
	}
	slices.SortStableFunc(all, func(a, b *fit.Hub) int {
		return cmp.Compare(least[a],
			least[b])
	}) // the likeliest to fail first
	clean, failed := 0, 0
	for _, h := range all {
		if c.clean(h, parts, folded) {
			clean++
		} else if failed++; failed > spare {
			return clean
		}
	}
	return clean
}

func (c *model) yes(parts []Part) bool {
	n := len(c.hubs)
	if n == 0 {
		return c.clean(c.middle, withRates(parts, func(string) float64 { return figureMargin }), c.fine(parts))
	}
	return !c.unmeasured(parts) && c.clean(c.middle, parts, c.fine(parts)) && c.count(parts, n-needed(n)) >= needed(n)
}
