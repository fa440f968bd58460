package analysis

import (
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// maxStages is how many stages are listed. A run has as many as disks start, end and pause: more than this help
// nobody, and cost more than all the rest.
const maxStages = 10_000

func (p *phase) fillStages() {
	if n := len(p.stages); n > maxStages {
		p.warn(Warning{Code: "many_stages", Values: StagesValues{Stages: float64(n), Listed: maxStages}})
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
		p.warn(Warning{Code: "thin_window", Values: SecondsValues{Seconds: length}})
	}
	if doubt := float64(o.BytesHigh-o.BytesLow) / 2; doubt > maxEdgeDoubt*float64(o.Bytes) {
		p.warn(Warning{Code: "edges", Values: ShareValues{Share: doubt / float64(o.Bytes)}})
	}
}

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

// minIntervalS is the length of a window below which no interval is given: a stall of a second or two, or noise that
// lasts that long, may fill it or be missing from it, and nothing in it shows that.
const minIntervalS = 5

// windowIntervals are the 95 % intervals of the total rate and of each disk's, nil if the window does not show them.
func (p *phase) windowIntervals() (total *Interval, each []*Interval) {
	each = make([]*Interval, len(p.parts))
	if length := overlap.Seconds(p.window); length < minIntervalS {
		if length >= overlap.ShortS { // below, all of its rates are in doubt
			p.warn(Warning{Code: "no_interval", Values: SecondsValues{Seconds: length}})
		}
		return nil, each
	}
	flows := make([]stats.Flow, len(p.parts))
	for i := range p.parts {
		flows[i] = p.parts[i].Curve.Flow(p.window)
		each[i] = intervalOf(flows[i])
		switch doubt := flows[i].Doubt(); {
		case doubt != stats.NoDoubt && p.parts[i].Limited(): // its rate is that of its work
		case doubt == stats.TooFew:
			p.warn(Warning{Code: "no_interval", Disk: p.parts[i].Name(), Values: FilesValues{Files: float64(flows[i].Spread.Items)}})
		case doubt == stats.TooShort:
			p.warn(Warning{Code: "no_interval", Disk: p.parts[i].Name(), Values: MomentsValues{Moments: float64(flows[i].Known + 1)}})
		}
	}
	return intervalOf(stats.Total(flows)), each
}

func intervalOf(f stats.Flow) *Interval {
	if f.Doubt() != stats.NoDoubt {
		return nil
	}
	v := f.Estimate().Interval()
	return &Interval{max(0, v[0]), v[1]}
}

// Series is the phase's rates over time, in steps of one length from the release on; the last step ends with EndS.
type Series struct {
	StepS float64              `json:"step_s"`
	EndS  float64              `json:"end_s"`
	Total []float64            `json:"total"`
	Disks map[string][]float64 `json:"disks"`
}

// series follows all disks to the last byte of any. It is nil if none moved anything.
func (p *phase) series() *Series {
	var endNS int64
	curves := make([]*overlap.Curve, len(p.parts))
	for i := range p.parts {
		curves[i] = p.parts[i].Curve
		if len(p.parts[i].Active) > 0 {
			endNS = max(endNS, p.parts[i].EndNS())
		}
	}
	if endNS <= 0 {
		return nil
	}
	stepNS, all := overlap.Series(curves, endNS)
	out := &Series{StepS: seconds(stepNS), EndS: seconds(endNS), Disks: map[string][]float64{}}
	out.Total = make([]float64, len(all[0]))
	for i, rates := range all {
		for k, rate := range rates {
			rates[k] = significant(rate) // finer is noise, and would be most of analysis.json
			out.Total[k] += rates[k]
		}
		out.Disks[p.parts[i].Name()] = rates
	}
	return out
}

// significant rounds a rate to four figures, and to whole bytes per second.
func significant(rate float64) float64 {
	if rate < 1e4 {
		return math.Round(rate)
	}
	step := math.Pow10(int(math.Log10(rate)) - 3)
	return math.Round(rate/step) * step
}

// spans are the window's parts in seconds.
func spans(window []overlap.Interval) [][2]float64 {
	out := make([][2]float64, len(window))
	for i, v := range window {
		out[i] = [2]float64{seconds(v.StartNS), seconds(v.EndNS)}
	}
	return out
}
