package analysis

import (
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// othersSay works out the phase by other tools' rules.
func (p *phase) othersSay() *OthersSay {
	var o OthersSay
	var bytes, longest float64
	start, first, last := int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MinInt64)
	for i := range p.parts {
		part := &p.parts[i]
		if len(part.active) == 0 {
			continue
		}
		end := part.workEndNS()
		own := overlap.Interval{StartNS: part.startNS(), EndNS: end}
		if end <= own.StartNS {
			continue
		}
		done := float64(part.curve.Between(own).Bytes)
		bytes += done
		longest = max(longest, own.Seconds())
		o.SoloSumRate += done / own.Seconds()
		start, first, last = min(start, part.startNS()), min(first, end), max(last, end)
	}
	if longest == 0 {
		return nil
	}
	var early float64
	for i := range p.parts {
		if part := &p.parts[i]; len(part.active) > 0 && part.startNS() < first {
			early += float64(part.curve.Between(overlap.Interval{StartNS: part.startNS(), EndNS: first}).Bytes)
		}
	}
	o.FioRate = bytes / longest
	o.FirstDoneRate = early / seconds(first-start)
	o.LastDoneRate = bytes / seconds(last-start)
	return &o
}

// workEndNS is when the disk had done its work: its last moment, filler aside.
func (p *part) workEndNS() int64 {
	end, filler := p.startNS(), false
	for i := range p.trace.Files {
		f := &p.trace.Files[i]
		if f.Filler {
			filler = true
		} else if f.Usable() {
			end = max(end, f.EndNS)
		}
	}
	if !filler {
		return p.endNS()
	}
	return end
}
