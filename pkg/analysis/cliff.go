package analysis

import (
	"math"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
)

// cliff is how fast a disk writes with so much of its fast cache used up, as it did alone: at one level after another,
// the last of which it keeps.
type cliff struct {
	bytes  float64 // that the cache takes
	levels []cacheLevel
}

// cacheLevel is a rate, over how many bytes of the cache the disk has it, and for how long that was seen.
type cacheLevel struct {
	level.Measured
	bytes float64
	seenS float64
}

func newCliff(part *part, f *Fall) cliff {
	c := cliff{bytes: f.AtBytes}
	from, began := part.StartNS(), 0.0
	for i, step := range f.Steps {
		at, until := int64(step.AtS*1e9), part.EndNS()
		if i+1 < len(f.Steps) {
			until = int64(f.Steps[i+1].AtS * 1e9)
		}
		before, after := overlap.Interval{StartNS: from, EndNS: at}, overlap.Interval{StartNS: at, EndNS: until}
		high, low := part.Differ(before, after)
		high.Rate, low.Rate = step.FromRate, step.ToRate
		c.levels = append(c.levels, cacheLevel{Measured: high, bytes: step.AtBytes - began, seenS: before.Seconds()})
		if i == len(f.Steps)-1 {
			c.levels = append(c.levels, cacheLevel{Measured: low, bytes: math.Inf(1), seenS: after.Seconds()})
		}
		from, began = at, step.AtBytes
	}
	return c
}

// burst is how much a disk writes that begins with some of its cache left.
type burst struct {
	bytes float64
	error float64 // standard error: the noise of each rate counts twice, where it was measured and in the burst itself
	first int     // level that it is at in the beginning
	last  int     // and in the end
}

// write is what the disk writes in a time with so much of its cache left.
func (c cliff) write(left, length float64) burst {
	b := burst{first: -1}
	used := c.bytes - left
	for i, l := range c.levels {
		if used >= l.bytes {
			used -= l.bytes
			continue
		}
		if b.first < 0 {
			b.first = i
		}
		time := min((l.bytes-used)/l.Rate, length)
		if time > 0 {
			b.bytes += time * l.Rate
			b.error = math.Hypot(b.error, time*l.Rate*l.Error*math.Sqrt(1+l.seenS/time))
			b.last = i
		}
		if length -= time; length <= 0 {
			break
		}
		used = 0
	}
	return b
}

// regained is how much of the cache was left when the disk began to write so many bytes in a time: the least that
// explains them.
func (c cliff) regained(bytes, length float64) Burst {
	full := c.write(c.bytes, length)
	low, high := 0.0, c.bytes
	const halvings = 60 // to the last bit
	for range halvings {
		if middle := (low + high) / 2; c.write(middle, length).bytes >= min(bytes, full.bytes) {
			high = middle
		} else {
			low = middle
		}
	}
	if bytes <= c.write(0, length).bytes {
		high = 0
	}
	b := c.write(high, length)
	slowest := len(c.levels) - 1
	// What the cache has left counts only by how much faster the disk is with it than after it.
	from, to := c.levels[min(b.first, slowest-1)].Rate, c.levels[min(max(b.last, b.first+1), slowest)].Rate
	return Burst{
		FastBytes: high, SEBytes: b.error / (1 - to/from),
		AtLeast:    b.first == b.last && b.first < slowest,
		Throughout: full.last < slowest && bytes >= fullShare*full.bytes,
	}
}

// isBack reports whether the cache took as much as at first, or all of the burst.
func (c cliff) isBack(b Burst) bool {
	return b.Throughout || b.FastBytes >= backShare*c.bytes || b.FastBytes+2*b.SEBytes >= c.bytes && b.FastBytes >= growing*c.bytes
}

// refill is the rest that gives all of the cache back, by a line through zero and what shorter rests gave; nil where there
// are too few of these, they lie on no such line, or it does not lead to where the cache was seen to be back.
func (c cliff) refill(bursts []Burst, b Back) (restS *float64, ci *Interval) {
	var xy, xx float64
	var line []Burst
	for _, p := range bursts {
		if p.FastBytes < growing*c.bytes && p.SEBytes > 0 && !p.AtLeast {
			w := 1 / (p.SEBytes * p.SEBytes)
			xy += w * p.RestS * p.FastBytes
			xx += w * p.RestS * p.RestS
			line = append(line, p)
		}
	}
	if len(line) < 2 || xy <= 0 {
		return nil, nil
	}
	slope, se := xy/xx, 1/math.Sqrt(xx)
	var off float64
	for _, p := range line {
		z := (p.FastBytes - slope*p.RestS) / p.SEBytes
		off += z * z / float64(len(line)-1)
	}
	if off > oddsOfLine {
		return nil, nil
	}
	low, high := c.bytes/(slope+2*se), c.bytes/max(slope-2*se, slope/10)
	if high < b.AfterS || low > *b.WithinS {
		return nil, nil
	}
	return number(c.bytes / slope), &Interval{low, high}
}
