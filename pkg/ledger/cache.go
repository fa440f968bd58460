package ledger

import (
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// Step is a change from one level to the next.
type Step struct {
	AtBytes  float64 `json:"at_bytes"`
	AtS      float64 `json:"at_s"`
	FromRate float64 `json:"from_rate"`
	ToRate   float64 `json:"to_rate"`
}

// Burst is a short time of writing after a rest.
type Burst struct {
	Phase      string  `json:"phase"`
	RestS      float64 `json:"rest_s"`
	FastBytes  float64 `json:"fast_bytes"` // FastBytes is how much of the cache it had left.
	SEBytes    float64 `json:"se_bytes"`   // SEBytes is the standard error of FastBytes.
	AtLeast    bool    `json:"at_least"`   // The burst was too short to show how much more it had.
	Throughout bool    `json:"throughout"` // The burst moved as much as at first, and might go on.
}

// Cache is how fast a disk writes with that much of its fast cache used up, as it did alone: at one
// level after another, the last of which it keeps.
type Cache struct {
	Bytes  float64 // Bytes is what the cache takes.
	Levels []CacheRate
}

// CacheRate is a rate, over how many bytes of the cache the disk has it, and for how long that was
// seen.
type CacheRate struct {
	Measured
	Bytes float64
	SeenS float64
}

// NewCache returns the cache of a disk that fell in these steps.
func NewCache(d *History, steps []Step) Cache {
	c := Cache{Bytes: steps[len(steps)-1].AtBytes}
	from := d.StartNS()
	startBytes := 0.0
	for i, step := range steps {
		at := int64(step.AtS * 1e9)
		until := d.EndNS()
		if i+1 < len(steps) {
			until = int64(steps[i+1].AtS * 1e9)
		}
		before := overlap.Between(from, at)
		after := overlap.Between(at, until)
		high, low := d.Compare(before, after)
		high.Rate = step.FromRate
		low.Rate = step.ToRate
		c.Levels = append(c.Levels, CacheRate{high, step.AtBytes - startBytes, before.Seconds()})
		if i == len(steps)-1 {
			c.Levels = append(c.Levels, CacheRate{low, math.Inf(1), after.Seconds()})
		}
		from = at
		startBytes = step.AtBytes
	}
	return c
}

// burst is how much a disk writes that begins with some of its cache left.
type burst struct {
	bytes float64
	// The standard error counts the noise of each rate twice: as it was measured, and in the burst
	// itself.
	error float64
	first int // first is the level at which it begins.
	last  int // last is the level at which it ends.
}

// predict returns what the disk writes in a time with that much of its cache left.
func (c Cache) predict(remaining, length float64) burst {
	b := burst{first: -1}
	used := c.Bytes - remaining
	for i, l := range c.Levels {
		if used >= l.Bytes {
			used -= l.Bytes
			continue
		}
		if b.first < 0 {
			b.first = i
		}
		time := min((l.Bytes-used)/l.Rate, length)
		if time > 0 {
			b.bytes += time * l.Rate
			b.error = math.Hypot(b.error, time*l.Rate*l.Error*math.Sqrt(1+l.SeenS/time))
			b.last = i
		}
		if length -= time; length <= 0 {
			break
		}
		used = 0
	}
	return b
}

// EstimateRemaining returns how much of the cache was left when the disk began to write that many
// bytes in a time: the minimum that explains them.
func (c Cache) EstimateRemaining(bytes, length float64) Burst {
	full := c.predict(c.Bytes, length)
	low := 0.0
	high := c.Bytes
	const halvings = 60 // They find the value to the last bit.
	for range halvings {
		if middle := (low + high) / 2; c.predict(middle, length).bytes >= min(bytes, full.bytes) {
			high = middle
		} else {
			low = middle
		}
	}
	if bytes <= c.predict(0, length).bytes {
		high = 0
	}
	b := c.predict(high, length)
	slowest := len(c.Levels) - 1
	// What the cache has left counts only by how much faster the disk is with it than after it.
	fastRate := c.Levels[min(b.first, slowest-1)].Rate
	slowRate := c.Levels[min(max(b.last, b.first+1), slowest)].Rate
	return Burst{
		FastBytes: high, SEBytes: b.error / (1 - slowRate/fastRate),
		AtLeast:    b.first == b.last && b.first < slowest,
		Throughout: full.last < slowest && bytes >= fullShare*full.bytes,
	}
}

// HasRecovered reports whether the cache took as much as at first, or all of the burst.
func (c Cache) HasRecovered(b Burst) bool {
	withinNoise := b.FastBytes+2*b.SEBytes >= c.Bytes && b.FastBytes >= RefillShare*c.Bytes
	return b.Throughout || b.FastBytes >= backShare*c.Bytes || withinNoise
}

// Refill returns the rest that gives all of the cache back, by a line through zero and what shorter
// rests gave; nil if there are too few of these, they lie on no such line, or it does not lead to
// where the cache was seen to be back.
func (c Cache) Refill(
	bursts []Burst, afterS, withinS float64,
) (restS *float64, ci *stats.Interval) {
	var xy, xx float64
	var line []Burst
	for _, p := range bursts {
		if p.FastBytes < RefillShare*c.Bytes && p.SEBytes > 0 && !p.AtLeast {
			w := 1 / (p.SEBytes * p.SEBytes)
			xy += w * p.RestS * p.FastBytes
			xx += w * p.RestS * p.RestS
			line = append(line, p)
		}
	}
	if len(line) < 2 || xy <= 0 {
		return nil, nil
	}
	slope := xy / xx
	se := 1 / math.Sqrt(xx)
	var misfit float64
	for _, p := range line {
		z := (p.FastBytes - slope*p.RestS) / p.SEBytes
		misfit += z * z / float64(len(line)-1)
	}
	if misfit > maxLineMisfit {
		return nil, nil
	}
	low := c.Bytes / (slope + 2*se)
	high := c.Bytes / max(slope-2*se, slope/10)
	if high < afterS || low > withinS {
		return nil, nil
	}
	return new(c.Bytes / slope), &stats.Interval{low, high}
}
