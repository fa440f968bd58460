package advise

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/fit"
	"github.com/hubbench/hubbench/pkg/hub"
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
	// The likeliest to fail first.
	slices.SortStableFunc(all, func(a, b *fit.Hub) int { return cmp.Compare(least[a], least[b]) })
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

const (
	// apart is by how much, relative, what a disk gets and what its streams need must differ to skip the
	// simulation: frames come in steps, and rates differ from file to file.
	apart = 0.05
	// apartNoise is the same in standard deviations of a file's rate.
	apartNoise = 4
)

// states are those of caches that count: the used-up one too, if any fills in the time.
func (c *model) states() []cacheState {
	if len(c.full) > 0 {
		return []cacheState{rested, usedUp}
	}
	return []cacheState{rested}
}

// bounds are the minimum and maximum of what a disk gets, relative to what its streams need, whatever the disks
// of other streams do; of the disk that gets least.
func (c *model) bounds(h *fit.Hub, parts []Part) (low, high float64) {
	off := offs(h, parts)
	low, high = math.Inf(1), math.Inf(1)
	for i := range parts {
		if len(parts[i].Streams) == 0 {
			continue
		}
		lowest, highest := math.Inf(1), 0.0
		for _, state := range c.states() {
			a, b := supply(withCaches(h.Profile, state), parts, i)
			lowest, highest = min(lowest, a), max(highest, b)
		}
		need := parts[i].need() / off[parts[i].Disk]
		low, high = min(low, lowest/need), min(high, highest/need)
	}
	return low, high
}

// supply is the minimum and maximum rate of a part's disk while it has something to move, over all combinations
// of the other streams, which come and go.
func supply(p *hub.Profile, parts []Part, of int) (low, high float64) {
	if parts[of].OwnPort {
		low = capOf(p, &parts[of])
		return low, low
	}
	var at []int // other disks on the hub with streams
	claims := []hub.Claim{claim(p, &parts[of])}
	for i := range parts {
		switch part := &parts[i]; {
		case i == of || part.OwnPort || part.Probe:
		case len(part.Streams) > 0:
			at = append(at, i)
		default:
			claims = append(claims, claim(p, part))
		}
	}
	low = math.Inf(1)
	for set := range 1 << len(at) {
		all := slices.Clip(claims)
		for k, i := range at {
			if set&(1<<k) != 0 {
				all = append(all, claim(p, &parts[i]))
			}
		}
		rate := hub.Share(p.Capacity, all)[0]
		low, high = min(low, rate), max(high, rate)
	}
	return low, high
}

func claim(p *hub.Profile, part *Part) hub.Claim {
	most := capOf(p, part)
	return hub.Claim{Op: part.Op, Cap: most, Want: min(part.Pace, most), Weight: p.Disk(part.Disk).Side(part.Op).Weight}
}

// capOf is the maximum rate of a part's disk. The overhead of each file is left out: files are large.
func capOf(p *hub.Profile, part *Part) float64 {
	side := p.Disk(part.Disk).Side(part.Op)
	rate := side.Hub
	if part.OwnPort {
		rate = side.Direct
	}
	if at := side.Knee.AboveBytes; at > 0 && (len(part.Streams) > 0 || fileSize > at) {
		rate *= side.Knee.Factor
	}
	return rate
}

// clean reports whether all streams stay clean on a hub. It simulates them only if the bounds do not decide.
func (c *model) clean(h *fit.Hub, parts []Part, how detail) bool {
	low, high := c.bounds(h, parts)
	wide := 1 + max(apart, apartNoise*h.Profile.Noise)
	switch {
	case low >= wide:
		return true
	case high*wide <= 1 && c.drains(parts, high):
		return false
	}
	for _, state := range c.states() {
		got, err := c.play(h, parts, state, how)
		if err != nil && c.err == nil {
			c.err = err
		}
		if err != nil || !got.clean {
			return false
		}
	}
	return true
}

// drains reports whether streams that get this share of what they need use up their buffers in the time.
func (c *model) drains(parts []Part, got float64) bool {
	for i := range parts {
		for _, s := range parts[i].Streams {
			if (1-got)*c.length.Seconds() < s.Buffer.Seconds() {
				return false
			}
		}
	}
	return true
}
