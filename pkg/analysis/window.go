package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// measured is what a phase says by itself.
type measured struct {
	startSkewS *float64
	stageList  []Stage // the first of its stages
	overlap    *Overlap
	noOverlap  *NoOverlap // nil if there is an overlap
	warnings
}

func (p *phase) measure() (m measured) {
	var skewed, many, unsure warnings
	m.startSkewS, skewed = p.startSkew()
	m.stageList, many = p.listStages()
	m.overlap, unsure = p.measureOverlap()
	if m.overlap == nil {
		m.noOverlap = p.whatKeptApart()
		unsure.add("", "no_overlap", nil, "no overlap: %s", noOverlap(m.noOverlap))
	}
	m.warnings = slices.Concat(p.failures(), p.stops(), skewed, many, unsure)
	return m
}

// listStages returns the phase's stages, or the first of them if they are many.
func (p *phase) listStages() (listed []Stage, many warnings) {
	if n := len(p.stages); n > maxStages {
		many.add("", "many_stages", StagesValues{Stages: float64(n), Listed: maxStages},
			"the disks start and pause so often that there are %d stages; the first %d are listed",
			n, maxStages)
	}
	listed = []Stage{}
	for _, s := range p.stages[:min(len(p.stages), maxStages)] {
		out := Stage{
			StartS: seconds(s.StartNS),
			EndS:   seconds(s.EndNS),
			Active: []string{},
			Disks:  map[string]StageDisk{},
		}
		for _, i := range s.Active {
			part := p.parts[i]
			bytes := part.Curve.Between(s.Span).Bytes
			rate := float64(bytes) / s.Seconds()
			out.Active = append(out.Active, part.Name())
			out.Disks[part.Name()] = StageDisk{Bytes: bytes, Rate: rate}
			out.Rate += rate
		}
		listed = append(listed, out)
	}
	return listed, many
}

// readIn returns how many bytes a disk that reads and writes has read in the window.
func (p *phase) readIn(part *diskPart) float64 {
	reads := overlap.NewCurve(part.Trace.Direction(trace.Read))
	return float64(reads.BytesIn(p.window))
}

// measureOverlap measures the window: what each disk moved in it, and how precisely its rate is
// known; nil if the disks were never busy at once.
func (p *phase) measureOverlap() (o *Overlap, warned warnings) {
	if len(p.window) == 0 {
		return nil, nil
	}
	length := overlap.Seconds(p.window)
	o = &Overlap{
		StartS:    seconds(p.window[0].StartNS),
		EndS:      seconds(p.window[len(p.window)-1].EndNS),
		DurationS: length,
		Spans:     spans(p.window),
		Disks:     map[string]OverlapDisk{},
	}
	// The warning of a thin window covers all rates of a shorter one.
	if length < minIntervalS && length >= overlap.ShortS {
		warned.add("", "no_interval", SecondsValues{length}, "no error bars: the overlap is only "+
			"%s long, and a stall may fill so short a time or be missing from it",
			unit.FormatSeconds(length))
	}
	var flows []stats.Flow
	var contending []float64 // rates
	tooSlow := false
	for _, part := range p.parts {
		d := OverlapDisk{Op: part.Trace.Op}
		if length >= minIntervalS {
			flow := part.Curve.Flow(p.window)
			flows = append(flows, flow)
			var doubt stats.Doubt
			var unsure warnings
			d.Estimate, doubt, unsure = p.errorOf(part, flow)
			tooSlow = tooSlow || doubt == stats.TooSlow
			warned = append(warned, unsure...)
		}
		for _, v := range p.window {
			a := part.Curve.Between(v)
			d.Bytes += a.Bytes
			d.BytesLow += a.Low
			d.BytesHigh += a.High
		}
		d.Rate = float64(d.Bytes) / length
		d.Estimate.Mean = d.Rate
		d.CI95 = interval(d.Estimate)
		var readRate float64
		switch {
		case part.Trace.Both:
			readRate = p.readIn(part) / length
			d.ReadRate = readRate
		case part.Trace.Op != trace.Write:
			readRate = d.Rate
		}
		o.ReadRate += readRate
		o.WriteRate = o.WriteRate + d.Rate - readRate
		o.Bytes += d.Bytes
		o.BytesLow += d.BytesLow
		o.BytesHigh += d.BytesHigh
		if part.WantsAll() {
			contending = append(contending, d.Rate)
		}
		o.Disks[part.Name()] = d
	}
	o.Estimate = p.errorOfTotal(flows, tooSlow)
	o.Rate = float64(o.Bytes) / length
	o.Estimate.Mean = o.Rate
	o.CI95 = interval(o.Estimate)
	if o.Bytes > 0 {
		if len(contending) > 1 || len(contending) == len(p.parts) {
			o.Jain = stats.Jain(contending)
		}
		for name, d := range o.Disks {
			d.Share = float64(d.Bytes) / float64(o.Bytes)
			o.Disks[name] = d
		}
	}
	return o, append(warned, o.edges()...)
}

// edges warns of an overlap that is short, and of files that cross its edges.
func (o *Overlap) edges() (warned warnings) {
	if length := o.DurationS; length < overlap.ShortS {
		warned.add("", "thin_window", SecondsValues{length}, "the overlap is only %s long: too "+
			"short for the rates to settle; give the disks more to do", unit.FormatSeconds(length))
	}
	if doubt := float64(o.BytesHigh-o.BytesLow) / 2; doubt > maxEdgeError*float64(o.Bytes) {
		share := doubt / float64(o.Bytes)
		warned.add("", "edges", ShareValues{share}, "some files cross the overlap's edges; their "+
			"bytes are estimated to %.0f%%", 100*share)
	}
	return warned
}

// errorOf returns a disk's rate in the overlap with its error, or warns why that is not known. With
// a doubt of TooSlow it is not because the noise lasts as long as the phase: nothing in it shows
// how far the rate may be off.
func (p *phase) errorOf(
	part *diskPart, flow stats.Flow,
) (rate stats.Estimate, doubt stats.Doubt, why warnings) {
	whole, doubt := flow.Estimate()
	e := whole
	if doubt == stats.TooSlow {
		if part.isUnsettled() {
			return whole, stats.NoDoubt, nil
		}
		// A change that the ledger names is no noise, so the longest stretch between changes must
		// show it as well.
		flow = part.Curve.Flow(longest(cutAt(p.window, p.cuts(part.Name()))))
		if e, doubt = flow.Estimate(); doubt != stats.TooSlow {
			return whole, stats.NoDoubt, nil
		}
	}
	switch {
	case doubt == stats.NoDoubt:
		return whole, doubt, nil
	case part.IsPaced(): // Its rate is that of its work.
	case doubt == stats.TooFew:
		why.add(part.Name(), "no_interval", FilesValues{Files: float64(flow.Spread.Items)},
			"no error bars: one or two files took almost all of its time in the overlap, so how "+
				"files differ cannot be seen; move more files, or smaller ones")
	case doubt == stats.TooShort:
		why.add(part.Name(), "no_interval", MomentsValues{float64(flow.Known + 1)},
			"no error bars: its progress is known at only %d moments of the overlap", flow.Known+1)
	case doubt == stats.TooSlow:
		memoryS := e.Memory * flow.Length
		why.add(part.Name(), "no_interval", MemoryValues{MemoryS: memoryS}, "no error bars: its "+
			"noise lasts as long as the phase (each swing of its rate goes on for some %s), so the "+
			"mean of a longer phase may differ by any amount; measure for longer",
			unit.FormatSeconds(memoryS))
	}
	return stats.Estimate{}, doubt, why
}

// errorOfTotal returns how well the disks' rate together is known; the zero value if it is not. The
// noise of the sum may last as long as the phase though none of the disks shows that; but a change
// that the ledger names is no noise, so the longest stretch between changes must show it as well.
func (p *phase) errorOfTotal(flows []stats.Flow, tooSlow bool) stats.Estimate {
	if flows == nil || tooSlow {
		return stats.Estimate{}
	}
	e, doubt := stats.Total(flows).Estimate()
	if doubt == stats.TooSlow && !p.hasUnsettled() {
		stretch := longest(cutAt(p.window, p.cuts("")))
		var undisturbed []stats.Flow
		for _, part := range p.parts {
			undisturbed = append(undisturbed, part.Curve.Flow(stretch))
		}
		_, doubt = stats.Total(undisturbed).Estimate()
		if doubt == stats.TooSlow {
			return stats.Estimate{}
		}
		doubt = stats.NoDoubt
	}
	if doubt == stats.NoDoubt || doubt == stats.TooSlow {
		return e
	}
	return stats.Estimate{}
}

// hasUnsettled reports whether a disk of the phase has no settled rate.
func (p *phase) hasUnsettled() bool {
	for _, part := range p.parts {
		if part.isUnsettled() {
			return true
		}
	}
	return false
}

// whatKeptApart returns what kept the disks from being active together.
func (p *phase) whatKeptApart() *NoOverlap {
	var idle []string
	for _, part := range p.parts {
		if len(part.Active) == 0 {
			idle = append(idle, part.Name())
		}
	}
	if len(idle) > 0 || len(p.parts) == 0 {
		return &NoOverlap{Disks: idle}
	}
	byStart := func(a, b *diskPart) int { return cmp.Compare(a.StartNS(), b.StartNS()) }
	byEnd := func(a, b *diskPart) int { return cmp.Compare(a.EndNS(), b.EndNS()) }
	last, first := slices.MaxFunc(p.parts, byStart), slices.MinFunc(p.parts, byEnd)
	if first.EndNS() > last.StartNS() {
		return &NoOverlap{}
	}
	return &NoOverlap{
		Disks:  []string{first.Name(), last.Name()},
		EndedS: seconds(first.EndNS()),
		BeganS: seconds(last.StartNS()),
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

// interval returns the interval of a rate to show; nil if its error is not known. No rate is below
// 0, so the interval says less of a poorly known one than its error does.
func interval(e stats.Estimate) *stats.Interval {
	if !e.Known() {
		return nil
	}
	v := e.Interval()
	return &stats.Interval{max(0, v[0]), v[1]}
}

// series follows all disks to the last byte of any. It is nil if none moved anything.
func (p *phase) series() *RateSeries {
	var endNS int64
	curves := make([]*overlap.Curve, len(p.parts))
	for i, part := range p.parts {
		curves[i] = part.Curve
		if len(part.Active) > 0 {
			endNS = max(endNS, part.EndNS())
		}
	}
	if endNS <= 0 {
		return nil
	}
	stepNS, all := overlap.Series(curves, endNS)
	out := &RateSeries{StepS: seconds(stepNS), EndS: seconds(endNS), Disks: map[string][]float64{}}
	out.Total = make([]float64, len(all[0]))
	for i, rates := range all {
		for k, rate := range rates {
			rates[k] = significant(rate) // Finer is noise, and would be most of analysis.json.
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

// spans are intervals in seconds.
func spans(window []overlap.Span) [][2]float64 {
	out := make([][2]float64, len(window))
	for i, v := range window {
		out[i] = [2]float64{seconds(v.StartNS), seconds(v.EndNS)}
	}
	return out
}
