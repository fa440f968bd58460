package analysis

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// otherToolRates works out the phase by other tools' rules.
func (p *phase) otherToolRates() *OtherToolRates {
	var o OtherToolRates
	var bytes float64
	var reads, writes fioGroup
	start, first, last := int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MinInt64)
	for _, part := range p.parts {
		if len(part.Active) == 0 {
			continue
		}
		end := part.workEndNS()
		own := overlap.Interval{StartNS: part.StartNS(), EndNS: end}
		if end <= own.StartNS {
			continue
		}
		done := float64(part.Curve.Between(own).Bytes)
		bytes += done
		way := &reads
		if part.Trace.Op == trace.Write {
			way = &writes
		}
		way.bytes += done
		way.longest = max(way.longest, own.Seconds())
		o.SoloSumRate += done / own.Seconds()
		start, first, last = min(start, part.StartNS()), min(first, end), max(last, end)
	}
	if reads.longest+writes.longest == 0 {
		return nil
	}
	var early float64
	for i := range p.parts {
		if part := p.parts[i]; len(part.Active) > 0 && part.StartNS() < first {
			early += float64(part.Curve.Between(overlap.Interval{StartNS: part.StartNS(), EndNS: first}).Bytes)
		}
	}
	o.FioReadRate, o.FioWriteRate = reads.rate(), writes.rate()
	if o.FioReadRate == nil || o.FioWriteRate == nil {
		o.FioRate = cmp.Or(o.FioReadRate, o.FioWriteRate)
		o.FioReadRate, o.FioWriteRate = nil, nil
	}
	o.FirstDoneRate = early / seconds(first-start)
	o.LastDoneRate = bytes / seconds(last-start)
	return &o
}

// fioGroup is one line of fio's group report, which lists reads and writes separately.
type fioGroup struct{ bytes, longest float64 }

// rate is all bytes over the longest job's own time, nil for no jobs.
func (g fioGroup) rate() *float64 { return number(g.bytes / g.longest) }

// oneWay is the total in one direction and half of its 95 % interval; false if there is none. In mixed phases the
// interval is that of disks that vary by themselves.
func (o *Overlap) oneWay(op trace.Role) (rate, half float64, ok bool) {
	rate = o.ReadRate
	if op == trace.Write {
		rate = o.WriteRate
	}
	mixed := false
	for _, name := range slices.Sorted(maps.Keys(o.Disks)) {
		d := o.Disks[name]
		switch {
		case d.Op != op:
			mixed = true
		case d.CI95 == nil:
			return rate, 0, false
		default:
			half = math.Hypot(half, (d.CI95[1]-d.CI95[0])/2)
		}
	}
	if !mixed && o.CI95 != nil {
		half = (o.CI95[1] - o.CI95[0]) / 2
	}
	return rate, half, rate > 0
}

// workEndNS is when the disk had done its work: its last moment, filler aside.
func (p *part) workEndNS() int64 {
	end, filler := p.StartNS(), false
	for i := range p.Trace.Files {
		f := &p.Trace.Files[i]
		if f.Filler {
			filler = true
		} else if f.Usable() {
			end = max(end, f.EndNS)
		}
	}
	if !filler {
		return p.EndNS()
	}
	return end
}

// misleading is the relative error of fio's rule worth reporting.
const misleading = 0.10
