package ledger

import (
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// Climb returns the stretch that a disk rose to from levels[first] before the next start or end,
// and what follows at about that rate. It is empty if nothing rises.
func Climb(levels []Level, first int, at, until int64) overlap.Span {
	top := first
	for i := first + 1; i < len(levels) && levels[i].StartNS < until-HoldNS; i++ {
		if levels[i].Rate > levels[top].Rate {
			top = i
		} else if MinGain*levels[i].Rate < levels[top].Rate {
			break
		}
	}
	if top == first {
		return overlap.Between(at, at)
	}
	half := (levels[first].Rate + levels[top].Rate) / 2
	end := top
	for end+1 < len(levels) && levels[end+1].StartNS < until && levels[end+1].Rate >= half {
		end++
	}
	return overlap.Between(max(levels[top].StartNS, at), min(levels[end].EndNS, until))
}

// Blur returns how much too early a change at ns may be dated: by the scatter of the file before,
// up to MaxBlurNS.
func (d *History) Blur(ns int64) int64 {
	i := sort.Search(len(d.Trace.Files), func(i int) bool { return d.Trace.Files[i].StartNS >= ns })
	if i < 2 {
		return blurNS
	}
	return min(max(blurNS, ns-d.Trace.Files[i-2].StartNS+blurNS), MaxBlurNS)
}

// OutlastsBursts reports whether a new level was seen for longer than any excursion of the disk.
func (d *History) OutlastsBursts(level overlap.Span) bool {
	return level.Seconds() >= max(minRiseS, burstMargin*d.LongestBurstS)
}
