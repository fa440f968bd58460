package analysis

import "math"

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
		done := float64(part.curve.At(end))
		own := seconds(end - part.startNS())
		if own <= 0 {
			continue
		}
		bytes += done
		longest = max(longest, own)
		o.SoloSumRate += done / own
		start, first, last = min(start, part.startNS()), min(first, end), max(last, end)
	}
	if longest == 0 {
		return nil
	}
	var early float64
	for i := range p.parts {
		early += float64(p.parts[i].curve.At(first))
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
