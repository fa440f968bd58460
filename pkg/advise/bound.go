package advise

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/fit"
	"github.com/hubbench/hubbench/pkg/hub"
)

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
