package analysis

import (
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// How a change of level is told from the luck of single files.
const (
	// Files on either side, unless the change lies inside one: of ten that could come in any order, one order in 252 has
	// the five slowest first. A throttled disk may have moved fewer, and is judged by how long it stayed low as well.
	leastFiles = 5
	fewFiles   = 4
	mostOfOne  = 0.35          // of the time on either side, that one file may take
	mostOfFew  = 0.5           // the same of a throttle
	insideNS   = 1_000_000_000 // a change inside a file is seen for so long on either side of it
	sameChange = 0.5           // of the change between the levels that must show inside the file
)

// showsInFiles tells whether a change from one stretch to a later one shows in several files on either side, or inside
// one: file times have heavy tails, and the luck of one or two files is no level.
func (p *part) showsInFiles(before, after overlap.Interval, least int, most float64) bool {
	return p.restsOnFiles(before, least, most) && p.restsOnFiles(after, least, most) || p.showsInsideFile(before, after)
}

func (p *part) restsOnFiles(v overlap.Interval, least int, most float64) bool {
	n, longest := 0, int64(0)
	for i := range p.trace.Files {
		if f := &p.trace.Files[i]; f.Usable() && f.StartNS < v.EndNS && f.EndNS > v.StartNS {
			n++
			longest = max(longest, min(f.EndNS, v.EndNS)-max(f.StartNS, v.StartNS))
		}
	}
	return n >= least && float64(longest) <= most*float64(v.EndNS-v.StartNS)
}

func (p *part) showsInsideFile(before, after overlap.Interval) bool {
	from, to := before.EndNS, after.StartNS
	change := math.Log(p.rateIn(after) / p.rateIn(before))
	for i := range p.trace.Files {
		f := &p.trace.Files[i]
		if len(f.Samples) == 0 || f.StartNS > from-insideNS || f.EndNS < to+insideNS {
			continue
		}
		inside := math.Log(p.rateIn(overlap.Interval{StartNS: to, EndNS: min(f.EndNS, after.EndNS)}) /
			p.rateIn(overlap.Interval{StartNS: max(f.StartNS, before.StartNS), EndNS: from}))
		return inside/change >= sameChange
	}
	return false
}

// mostFitted is how many files a fixed cost is fitted to at most: some of very many will do.
const mostFitted = 500

// sizesExplain tells whether the files of a slower stretch took no longer than those before would have at their sizes: each
// file has a fixed cost, and a run of small ones is slow for that alone.
func (p *part) sizesExplain(before, slower overlap.Interval) bool {
	sizes, times := p.wholeFiles(before)
	small, took := p.wholeFiles(slower)
	if len(sizes) < leastFiles || len(small) == 0 {
		return false
	}
	line, ok := stats.FitCost(sizes, times)
	if !ok {
		return false
	}
	var expected, seen float64
	for i, size := range small {
		expected += line.Time(size)
		seen += took[i]
	}
	return seen < expected/maxDrop
}

// wholeFiles are the bytes and seconds of files that lie within v, or of some where there are very many.
func (p *part) wholeFiles(v overlap.Interval) (sizes, times []float64) {
	var within []int
	for i := range p.trace.Files {
		if f := &p.trace.Files[i]; f.Usable() && f.StartNS >= v.StartNS && f.EndNS <= v.EndNS {
			within = append(within, i)
		}
	}
	for k := 0; k < len(within); k += 1 + len(within)/mostFitted {
		f := &p.trace.Files[within[k]]
		sizes, times = append(sizes, float64(f.Bytes)), append(times, seconds(f.EndNS-f.StartNS))
	}
	return sizes, times
}
