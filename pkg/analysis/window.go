package analysis

import (
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// maxStages is how many stages are listed. A run has as many as disks start, end and pause: more than this are of use
// to no one, and cost more than all the rest.
const maxStages = 10_000

func (p *phase) fillStages() {
	if n := len(p.stages); n > maxStages {
		p.warn(Warning{Code: "many_stages", Values: map[string]float64{"stages": float64(n), "listed": maxStages}})
	}
	for _, s := range p.stages[:min(len(p.stages), maxStages)] {
		out := Stage{
			StartS: seconds(s.StartNS),
			EndS:   seconds(s.EndNS),
			Active: make([]string, 0, len(s.Active)),
			Disks:  make(map[string]StageDisk, len(s.Active)),
		}
		for _, i := range s.Active {
			part := &p.parts[i]
			bytes := part.Curve.Between(s.Interval).Bytes
			rate := float64(bytes) / s.Seconds()
			out.Active = append(out.Active, part.Name())
			out.Disks[part.Name()] = StageDisk{Bytes: bytes, Rate: rate}
			out.Rate += rate
		}
		p.out.Stages = append(p.out.Stages, out)
	}
}

func (p *phase) fillOverlap() {
	if len(p.window) == 0 {
		p.out.NoOverlap = p.noOverlap()
		p.warn(Warning{Code: "no_overlap"})
		return
	}
	length := overlap.Seconds(p.window)
	o := &Overlap{
		StartS:    seconds(p.window[0].StartNS),
		EndS:      seconds(p.window[len(p.window)-1].EndNS),
		DurationS: length,
		Spans:     spans(p.window),
		Disks:     map[string]OverlapDisk{},
	}
	total, each := p.windowIntervals()
	o.CI95 = total
	rates := make([]float64, 0, len(p.parts))
	for i := range p.parts {
		part := &p.parts[i]
		d := OverlapDisk{Op: part.Trace.Op, CI95: each[i]}
		for _, v := range p.window {
			a := part.Curve.Between(v)
			d.Bytes += a.Bytes
			d.BytesLow += a.Low
			d.BytesHigh += a.High
		}
		d.Rate = float64(d.Bytes) / length
		read := float64(p.readOf(part, d.Bytes)) / length
		if part.Trace.Both {
			d.ReadRate = read
		}
		o.ReadRate += read
		o.WriteRate += d.Rate - read
		o.Bytes += d.Bytes
		o.BytesLow += d.BytesLow
		o.BytesHigh += d.BytesHigh
		if part.Contends() {
			rates = append(rates, d.Rate)
		}
		o.Disks[part.Name()] = d
	}
	o.Rate = float64(o.Bytes) / length
	if o.Bytes > 0 {
		if len(rates) > 1 || len(rates) == len(p.parts) {
			o.Jain = stats.Jain(rates)
		}
		for name, d := range o.Disks {
			d.Share = float64(d.Bytes) / float64(o.Bytes)
			o.Disks[name] = d
		}
	}
	p.out.Overlap = o
	if length < overlap.ShortS {
		p.warn(Warning{Code: "thin_window", Values: map[string]float64{"seconds": length}})
	}
	if doubt := float64(o.BytesHigh-o.BytesLow) / 2; doubt > maxEdgeDoubt*float64(o.Bytes) {
		p.warn(Warning{Code: "edges", Values: map[string]float64{"share": doubt / float64(o.Bytes)}})
	}
}

// rateOf is what the disk moved in one direction.
func (d OverlapDisk) rateOf(op trace.Role) float64 {
	switch {
	case d.ReadRate > 0 && op == trace.Read:
		return d.ReadRate
	case d.Op == op || d.ReadRate > 0:
		return d.Rate - d.ReadRate
	}
	return 0
}

// readOf is how much of the bytes that a disk moved in the window was read.
func (p *phase) readOf(part *part, bytes int64) int64 {
	switch {
	case part.Trace.Both:
		read := overlap.NewCurve(part.Trace.Direction(trace.Read))
		bytes = 0
		for _, v := range p.window {
			bytes += read.Between(v).Bytes
		}
		return bytes
	case part.Trace.Op == trace.Write:
		return 0
	}
	return bytes
}

// maxEdgeDoubt is the share of the window's bytes up to which it does not matter when exactly they moved.
const maxEdgeDoubt = 0.02

// noOverlap says what kept the disks from being active together.
func (p *phase) noOverlap() *NoOverlap {
	n := &NoOverlap{}
	for i := range p.parts {
		if len(p.parts[i].Active) == 0 {
			n.Disks = append(n.Disks, p.parts[i].Name())
		}
	}
	if len(n.Disks) > 0 || len(p.parts) == 0 {
		return n
	}
	last, first := &p.parts[0], &p.parts[0]
	for i := range p.parts {
		if p.parts[i].StartNS() > last.StartNS() {
			last = &p.parts[i]
		}
		if p.parts[i].EndNS() < first.EndNS() {
			first = &p.parts[i]
		}
	}
	if first.EndNS() <= last.StartNS() {
		return &NoOverlap{Disks: []string{first.Name(), last.Name()}, EndedS: seconds(first.EndNS()), BeganS: seconds(last.StartNS())}
	}
	return n
}
