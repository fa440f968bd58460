package overlap

import (
	"github.com/hubbench/hubbench/pkg/stats"
)

// ShortS is the length, in seconds, below which a window is too short for its rates to settle.
const ShortS = 2

// A flow is cut into bins of 0.1 s, or into that many if there would be more.
const (
	binS    = 0.1
	maxBins = 600
)

// Flow returns the disk's rate over the window, whose parts are joined end to end, and the files
// behind it: what estimates of it rest on.
func (c *Curve) Flow(window []Span) stats.Flow {
	length := Seconds(window)
	f := stats.Flow{
		Length: length, Rates: c.Rates(window, max(1, min(int(length/binS+1e-9), maxBins))),
	}
	if length < ShortS {
		return f
	}
	step := int64(length / float64(len(f.Rates)) * 1e9)
	for _, v := range window {
		f.Known += len(c.Points(v, step)) - 1
	}
	f.Spread = c.spread(window)
	return f
}

// spread returns how the files in the window differ, as far as they lie in it. If it holds very
// many, noise over time shows all of that.
func (c *Curve) spread(window []Span) stats.Spread {
	const many = 2000 // files of equal length
	share := min(Seconds(window)/c.seconds, 1)
	if share*c.seconds*c.seconds > many*c.squares {
		return stats.Spread{Items: int(share * float64(len(c.files)))}
	}
	var it stats.Items
	add := func(v Span, bytes int64) {
		if bytes > 0 {
			it.Size, it.Time = append(it.Size, float64(bytes)), append(it.Time, v.Seconds())
		}
	}
	part := 0
	for i := range c.files {
		f := &c.files[i]
		for part < len(window) && window[part].EndNS <= f.StartNS {
			part++
		}
		for k := part; k < len(window) && window[k].StartNS < f.EndNS; k++ {
			v := window[k].Within(Of(f))
			bytes := f.Bytes
			if v != Of(f) {
				bytes = doneOf(f, v.EndNS).Bytes - doneOf(f, v.StartNS).Bytes
			}
			add(v, bytes)
		}
	}
	if n := len(c.open); n > 0 {
		for _, w := range window {
			v := w.Within(Span{c.open[0].TNS, c.open[n-1].TNS})
			add(v, c.doneOfOpen(v.EndNS).Bytes-c.doneOfOpen(v.StartNS).Bytes)
		}
	}
	return it.Spread()
}
