package analysis

import (
	"fmt"
	"maps"
	"strings"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Limits beyond which a phase's numbers carry a warning.
const (
	maxSkewS    = 0.001 // between the disks' starts
	thinWindowS = 2.0   // a shorter window has hardly settled
)

// phase is one phase under analysis.
type phase struct {
	trace  *trace.Phase
	parts  []part
	stages []overlap.Stage
	window []overlap.Interval
	// simulated disks begin as one in the model's time, whenever their processes did.
	simulated bool
	out       *Phase
}

// part is one working disk's part in a phase.
type part struct {
	trace  *trace.DiskTrace
	active []overlap.Interval
	curve  *overlap.Curve
}

// startS and endS are the part's first and last active moment; it must have one.
func (p *part) startS() float64 { return seconds(p.active[0].StartNS) }
func (p *part) endS() float64   { return seconds(p.active[len(p.active)-1].EndNS) }

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

func newPhase(t *trace.Phase, opts Options) *phase {
	p := &phase{trace: t, out: &Phase{
		Phase:      t.Name,
		Roles:      map[string]scenario.Role{},
		Stages:     []Stage{},
		Recoveries: []Recovery{},
		Disks:      map[string]Disk{},
		Warnings:   []Warning{},
	}}
	maps.Copy(p.out.Roles, t.Roles)
	active := make([][]overlap.Interval, len(t.Disks))
	for i, d := range t.Disks {
		active[i] = overlap.Active(d, opts.GapNS)
		p.parts = append(p.parts, part{d, active[i], overlap.NewCurve(d)})
	}
	p.stages = overlap.Stages(active)
	p.window = overlap.Window(p.stages, len(p.parts))
	return p
}

func (p *phase) analyze() *Phase {
	p.failures()
	p.startSkew()
	for i := range p.parts {
		p.out.Disks[p.parts[i].trace.Name] = p.summarize(&p.parts[i])
	}
	p.fillStages()
	p.fillOverlap()
	p.recoveries()
	p.out.Verdict = p.verdict()
	return p.out
}

func (p *phase) warnf(code, disk, format string, args ...any) {
	p.out.Warnings = append(p.out.Warnings, Warning{Code: code, Disk: disk, Text: fmt.Sprintf(format, args...)})
}

// failures warns of disks that did not finish their work.
func (p *phase) failures() {
	for _, part := range p.parts {
		d := part.trace
		switch {
		case len(d.Errors) > 0:
			e := d.Errors[0]
			p.warnf("partial", d.Name, "disk %s failed %.1f s into the phase, at file %d: %s", d.Name, seconds(e.TNS), e.Seq, e.Error)
		case len(d.Open) > 0:
			p.warnf("partial", d.Name, "disk %s left its last file unfinished; it counts as far as its progress is known", d.Name)
		}
	}
}

// startSkew compares the workers' starts by the wall clock where recorded, else their first files' starts.
func (p *phase) startSkew() {
	if len(p.parts) < 2 {
		return
	}
	var late, first []int64
	for _, part := range p.parts {
		if part.trace.LateNS != nil {
			late = append(late, *part.trace.LateNS)
		}
		if len(part.active) > 0 {
			first = append(first, part.active[0].StartNS)
		}
	}
	starts := first
	if len(late) == len(p.parts) {
		starts = late
	}
	if len(starts) < len(p.parts) {
		return
	}
	low, high := starts[0], starts[0]
	for _, ns := range starts {
		low, high = min(low, ns), max(high, ns)
	}
	skew := float64(high-low) / 1e9
	p.out.StartSkewS = &skew
	if skew > maxSkewS && !p.simulated {
		p.warnf("start_skew", "", "the disks started %s apart; the overlap window leaves that time out, but they did not begin as equals", duration(skew))
	}
}

func (p *phase) fillStages() {
	for _, s := range p.stages {
		out := Stage{
			StartS: seconds(s.StartNS),
			EndS:   seconds(s.EndNS),
			Active: make([]string, 0, len(s.Active)),
			Disks:  make(map[string]StageDisk, len(s.Active)),
		}
		for _, i := range s.Active {
			part := &p.parts[i]
			bytes := part.curve.Between(s.Interval).Bytes
			rate := float64(bytes) / s.Seconds()
			out.Active = append(out.Active, part.trace.Name)
			out.Disks[part.trace.Name] = StageDisk{Bytes: bytes, Rate: rate}
			out.Rate += rate
		}
		p.out.Stages = append(p.out.Stages, out)
	}
}

func (p *phase) fillOverlap() {
	if len(p.window) == 0 {
		p.warnf("no_overlap", "", "no overlap: %s", p.whyNoOverlap())
		return
	}
	length := overlap.Seconds(p.window)
	o := &Overlap{
		StartS:    seconds(p.window[0].StartNS),
		EndS:      seconds(p.window[len(p.window)-1].EndNS),
		DurationS: length,
		Disks:     map[string]OverlapDisk{},
	}
	rates := make([]float64, 0, len(p.parts))
	for _, part := range p.parts {
		d := OverlapDisk{Op: part.trace.Op}
		for _, v := range p.window {
			a := part.curve.Between(v)
			d.Bytes += a.Bytes
			d.BytesLow += a.Low
			d.BytesHigh += a.High
		}
		d.Rate = float64(d.Bytes) / length
		if d.Op == scenario.Write {
			o.WriteRate += d.Rate
		} else {
			o.ReadRate += d.Rate
		}
		o.Bytes += d.Bytes
		o.BytesLow += d.BytesLow
		o.BytesHigh += d.BytesHigh
		rates = append(rates, d.Rate)
		o.Disks[part.trace.Name] = d
	}
	o.Rate = float64(o.Bytes) / length
	if o.Bytes > 0 {
		o.Jain = stats.Jain(rates)
		for name, d := range o.Disks {
			d.Share = float64(d.Bytes) / float64(o.Bytes)
			o.Disks[name] = d
		}
	}
	p.out.Overlap = o
	if length < thinWindowS {
		p.warnf("thin_window", "", "the window is only %s long: too short for the rates to settle; give the disks more to do", duration(length))
	}
}

// whyNoOverlap says what kept the disks from being active together.
func (p *phase) whyNoOverlap() string {
	if len(p.parts) == 0 {
		return "no disk worked in this phase"
	}
	var silent []string
	for _, part := range p.parts {
		if len(part.active) == 0 {
			silent = append(silent, part.trace.Name)
		}
	}
	if len(silent) > 0 {
		return fmt.Sprintf("disk %s moved nothing", list(silent))
	}
	last, first := &p.parts[0], &p.parts[0]
	for i := range p.parts {
		if p.parts[i].startS() > last.startS() {
			last = &p.parts[i]
		}
		if p.parts[i].endS() < first.endS() {
			first = &p.parts[i]
		}
	}
	if first.endS() <= last.startS() {
		return fmt.Sprintf("disk %s ended at %.1f s, before disk %s began at %.1f s", first.trace.Name, first.endS(), last.trace.Name, last.startS())
	}
	return "the disks' pauses left no moment in which all were active"
}

// list joins names as in a sentence: "A, B and C".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
