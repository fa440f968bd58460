package analysis

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/size"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// maxSkewS is the time between the disks' starts above which a phase carries a warning.
const maxSkewS = 0.001

// run is what the phases of a run under analysis share.
type run struct {
	phases    []*phase
	disks     int             // of all phases together
	hardware  *hardware.Setup // nil if it is not known
	simulated bool            // disks begin as one in the model's time, whenever their processes did
	alpha     alphas
	solos     solos // nil until they are needed
	scale     unit.Scale
	settings  []*setting
	effects   []*Effect
}

// phase is one phase under analysis.
type phase struct {
	*run
	trace    *trace.Phase
	parts    []*part
	stages   []overlap.Stage
	window   []overlap.Span
	compared []overlap.Span // the part of the window that is compared with other phases (see stretch)
	states   []*state       // the whole one last, if there is one
	meters   meter.Gauges
	out      *Phase
}

// part is one working disk's part in the phase: its rate over time, and what is found of it.
type part struct {
	ledger.Disk
	connection string
	device     *meter.Device  // if it counts by itself
	kinds      []string       // of the change to each of the solid levels, as the ledger has it; empty for what it leaves out
	rise       *Change        // see earlyRise; of a disk that warms up, the rise that ends it, too,
	warmS      float64        // when its warm-up was over, and
	warmIn     []string       // in which phases it was seen; nil if it has none
	risenNS    int64          // when it reached the new level of its latest recovery so far; 0 if it has none
	files      []overlap.Span // in which one was in transfer; nil until they are needed
	window     stretchRate
	kept       DiskContention  // of the window, against what it has without the others
	lines      []quantile.Line // of its latencies
	out        Disk
	doubts     []Warning // for the phase
	slow       bool      // its noise lasts too long for an interval
}

func (p *part) warn(w Warning) {
	w.Disk, w.Text = p.Name(), "disk "+p.Name()+": "+w.Text
	p.doubts = append(p.doubts, w)
}

// InParallel does the same with all, on as many cores as there are.
func InParallel[T any](all []T, do func(T)) {
	var next atomic.Int64
	var working sync.WaitGroup
	for range min(len(all), runtime.GOMAXPROCS(0)) {
		working.Go(func() {
			for i := next.Add(1); i <= int64(len(all)); i = next.Add(1) {
				do(all[i-1])
			}
		})
	}
	working.Wait()
}

// eachDisk does the same with all disks of all phases, on as many cores as there are, and takes their doubts in order.
func (r *run) eachDisk(do func(*phase, *part)) {
	type one struct {
		*phase
		*part
	}
	var all []one
	for _, p := range r.phases {
		for _, part := range p.parts {
			all = append(all, one{p, part})
		}
	}
	InParallel(all, func(o one) { do(o.phase, o.part) })
	for _, o := range all {
		o.phase.out.Warnings = append(o.phase.out.Warnings, o.doubts...)
		o.doubts = nil
	}
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// newRun measures what each phase says by itself.
func newRun(recorded *trace.Run, opts Options) *run {
	r := &run{hardware: recorded.Hardware, simulated: len(recorded.Disks) > 0, alpha: newAlphas(recorded)}
	connections := map[string]string{}
	for _, d := range recorded.Disks {
		connections[d.Name] = d.Connection
		r.simulated = r.simulated && d.Profile != ""
	}
	for _, t := range recorded.Phases {
		p := newPhase(t)
		p.run, p.out.Title = r, recorded.Title(t)
		for _, d := range t.Disks {
			part := &part{connection: connections[d.Name]}
			part.Trace = d
			if elsewhere, ok := t.Connections[d.Name]; ok {
				part.connection = elsewhere
			}
			p.parts = append(p.parts, part)
			r.disks++
		}
		r.phases = append(r.phases, p)
	}
	r.eachDisk(func(p *phase, part *part) { part.read(p.trace, opts) })
	for _, p := range r.phases {
		active := make([][]overlap.Span, len(p.parts))
		for i, part := range p.parts {
			active[i] = part.Active
		}
		p.stages = overlap.Stages(active)
		p.window = overlap.Window(p.stages, len(p.parts))
	}
	r.scale = unit.ScaleFor(r.fastest())
	r.eachDisk((*phase).settle)
	excursions := r.largest(func(part *part) float64 { return part.ExcursionS })
	r.eachDisk(func(_ *phase, part *part) { part.Trim(excursions[part.side()]) })
	InParallel(r.phases, (*phase).measure)
	late := meter.Unwritten{}
	for _, p := range r.phases {
		if r.simulated {
			break
		}
		disks := make([]*ledger.Disk, len(p.parts))
		for i, part := range p.parts {
			disks[i] = &part.Disk
		}
		devices := meter.Devices(p.trace, p.meters, disks, late)
		for _, part := range p.parts {
			part.device = devices[part.Name()]
		}
	}
	return r
}

// largest is the largest figure of a disk in one direction in all phases.
func (r *run) largest(of func(*part) float64) map[side]float64 {
	out := map[side]float64{}
	for _, p := range r.phases {
		for _, part := range p.parts {
			out[part.side()] = max(out[part.side()], of(part))
		}
	}
	return out
}

// side is a disk in one direction.
type side struct {
	disk string
	op   trace.Role
}

func (p *part) side() side { return side{p.Name(), p.Trace.Op} }

// fastest is the highest rate of the run: of a disk, or of all in a window.
func (r *run) fastest() float64 {
	fastest := 0.0
	for _, p := range r.phases {
		together := 0.0 // bytes in the window
		for _, part := range p.parts {
			if _, all := size.Apart(part.Trace.Files); all.BusyS > 0 {
				fastest = max(fastest, float64(all.Bytes)/all.BusyS)
			}
			for _, v := range p.window {
				together += float64(part.Curve.Between(v).Bytes)
			}
		}
		if together > 0 {
			fastest = max(fastest, together/overlap.Seconds(p.window))
		}
	}
	return fastest
}

func newPhase(t *trace.Phase) *phase {
	p := &phase{trace: t, meters: meter.New(t), out: &Phase{
		Name:        t.Name,
		Roles:       map[string]trace.Role{},
		Connections: maps.Clone(t.Connections),
		Test:        t.Test,
		Saturation:  t.Saturation,
		Stop:        t.Stop,
		Work:        maps.Clone(t.Work),
		Paced:       work.PacedOf(t.Work),
		Search:      t.Search,
		Stages:      []Stage{},
		Changes:     []Change{},
		Recoveries:  []Recovery{},
		Disks:       map[string]Disk{},
		Warnings:    []Warning{},
	}}
	maps.Copy(p.out.Roles, t.Roles)
	return p
}

// read takes the disk's rate over time from its part of the trace.
func (p *part) read(t *trace.Phase, opts Options) {
	var stops []overlap.Span // in which the machine slept, hubbench was stopped, or the disk's worker
	for _, g := range t.Gauges {
		if g.Name == trace.Stopped && (g.Disk == p.Trace.Name || g.Disk == "") {
			stops = append(stops, overlap.Span{StartNS: g.TNS - int64(g.Value*1e9), EndNS: g.TNS})
		}
	}
	p.Disk = ledger.New(p.Trace, t.WorkOf(p.Trace), opts.GapNS, stops...)
}

// settle finds what the disk's rate does over time.
func (p *phase) settle(part *part) {
	var given []int64 // the moments at which others start and end
	for _, o := range p.others(part) {
		for _, v := range o.Active {
			given = append(given, v.StartNS, v.EndNS)
		}
	}
	part.Settle(p.disks, given...)
}

// measure fills in what the phase says by itself.
func (p *phase) measure() {
	p.failures()
	p.stops()
	p.startSkew()
	p.fillStages()
	p.fillOverlap()
	p.out.Links = p.linkUses()
	p.cached()
	p.host()
	p.out.Series = p.series()
	p.streams()
	p.out.OtherToolRates = p.otherToolRates()
}

func (p *phase) warn(w Warning) { p.out.Warnings = append(p.out.Warnings, w) }

// warnOf warns of a disk.
func (p *phase) warnOf(disk string, w Warning) {
	w.Disk, w.Text = disk, "disk "+disk+": "+w.Text
	p.warn(w)
}

// withoutDisk is an error that a worker recorded, without the name of its disk, which has been said.
func withoutDisk(recorded, disk string) string {
	return strings.TrimPrefix(recorded, "disk "+disk+": ")
}

// failures warns of disks that did not finish their work.
func (p *phase) failures() {
	for i := range p.parts {
		d := p.parts[i].Trace
		switch {
		case len(d.Errors) > 0:
			e := d.Errors[0]
			p.warn(Warning{Code: "partial", Disk: d.Name, Other: e.Error,
				Values: PartialValues{AtS: seconds(e.TNS), Seq: float64(e.Seq)},
				Text: fmt.Sprintf("disk %s failed %.1f s into the phase, at file %d: %s", d.Name, seconds(e.TNS), e.Seq,
					withoutDisk(e.Error, d.Name))})
		// They cut off the last file.
		case len(d.Open) > 0 && p.parts[i].HasFiles() && p.trace.Stop != scenario.StopHold &&
			p.trace.Stop != scenario.StopTime:
			p.warn(Warning{Code: "partial", Disk: d.Name,
				Text: "disk " + d.Name + " left its last file unfinished; it counts as far as its progress is known"})
		}
	}
	if p.trace.Status == trace.Partial && len(p.out.Warnings) == 0 {
		p.warn(Warning{Code: "partial", Text: "the phase ended early"})
	}
}

// stops warns of times in which the machine slept or the run was stopped, and of those in which only the worker of a
// disk was: the rates count them as work.
func (p *phase) stops() {
	all := map[string][]trace.Gauge{} // by disk; the host's by no name
	for _, g := range p.trace.Gauges {
		if g.Name == trace.Stopped && g.Value > 0 {
			all[g.Disk] = append(all[g.Disk], g)
		}
	}
	for _, disk := range slices.Sorted(maps.Keys(all)) {
		alone := all[disk]
		if disk != "" { // what stopped all of it stopped the worker too
			alone = slices.DeleteFunc(alone, func(g trace.Gauge) bool {
				return slices.ContainsFunc(all[""], func(host trace.Gauge) bool {
					return seconds(g.TNS)-g.Value < seconds(host.TNS) && seconds(host.TNS)-host.Value < seconds(g.TNS)
				})
			})
		}
		if len(alone) == 0 {
			continue
		}
		sum := 0.0
		for _, g := range alone {
			sum += g.Value
		}
		what, how := "everything stopped", "the computer slept, or hubbench was stopped"
		if disk != "" {
			what, how = "disk "+disk+" stalled", "its worker was stopped"
		}
		if len(alone) > 1 {
			how += fmt.Sprintf(", %d times", len(alone))
		}
		at := max(seconds(alone[0].TNS)-alone[0].Value, 0)
		p.warn(Warning{Code: "stopped", Disk: disk,
			Values: StoppedValues{Seconds: sum, Times: float64(len(alone)), AtS: at},
			Text: fmt.Sprintf("%s for %s at %s: %s; measure this phase again", what, unit.FormatSeconds(sum),
				unit.FormatSeconds(at), how)})
	}
}

// startSkew is how far apart the disks began, by their first requests.
func (p *phase) startSkew() {
	if len(p.parts) < 2 {
		return
	}
	var late, first []int64
	for _, part := range p.parts {
		if part.Trace.LateNS != nil {
			late = append(late, *part.Trace.LateNS)
		}
		if files := part.Trace.Files; len(files) > 0 {
			first = append(first, files[0].StartNS)
		}
	}
	// The first request is what counts. If there is none of every disk's, or only the model's, the moment in which
	// a worker was released has to do.
	starts := first
	if len(first) < len(p.parts) || p.simulated && len(late) == len(p.parts) {
		starts = late
	}
	if len(starts) < len(p.parts) {
		return
	}
	skew := float64(slices.Max(starts)-slices.Min(starts)) / 1e9
	p.out.StartSkewS = &skew
	if skew > maxSkewS && !p.simulated {
		p.warn(Warning{Code: "start_skew", Values: SecondsValues{Seconds: skew},
			Text: fmt.Sprintf("the disks started %s apart; the overlap excludes that time", unit.FormatSeconds(skew))})
	}
}

// part is the part of a disk; nil if it is idle.
func (p *phase) part(disk string) *part {
	if i := slices.IndexFunc(p.parts, func(part *part) bool { return part.Name() == disk }); i >= 0 {
		return p.parts[i]
	}
	return nil
}

// others are the working disks but one.
func (p *phase) others(but *part) []*part {
	return slices.DeleteFunc(slices.Clone(p.parts), func(o *part) bool { return o == but || len(o.Active) == 0 })
}

// allContend reports whether all of the phase's disks do. Else totals are partly a matter of choice, or their
// directions cannot be separated by disk.
func (p *phase) allContend() bool {
	return !slices.ContainsFunc(p.parts, func(part *part) bool { return !part.Contends() })
}
