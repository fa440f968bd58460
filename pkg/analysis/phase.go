package analysis

import (
	"cmp"
	"maps"
	"runtime"
	"sync"

	"github.com/hubbench/hubbench/pkg/change"
	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/size"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// run is what the phases of a run under analysis share.
type run struct {
	phases    []*phase
	disks     int             // It counts those of all phases together.
	noSizes   bool            // It is from Options.
	hardware  *hardware.Setup // It is nil if unknown.
	simulated bool            // Simulated disks begin at once, whenever their processes did.
	alpha     alphas
	solos     effect.Solos // They are nil until they are needed.
	scale     unit.Scale
	settings  [][]*phase // Each has phases that repeat one another.
	table     *effect.Table
}

// phase is one phase under analysis.
type phase struct {
	*run
	trace  *trace.Phase
	parts  []*diskPart
	stages []overlap.Stage
	window []overlap.Span
	whole  *effect.State // whole is when all disks worked; nil if they never did.
	// The contenders are the disks of a phase of several that all worked at once.
	contenders []*contender
	meters     meter.Gauges
	out        *PhaseResult
	events     []change.Event
}

// diskPart is one working disk's part in the phase: its rate over time, and what is found of it.
type diskPart struct {
	ledger.History
	connection string
	rise       *Change         // rise is from earlyRise, or the rise that ends a warm-up.
	warmS      float64         // warmS is when its warm-up was over.
	warmIn     []string        // warmIn are the phases that show its warm-up; nil if it has none.
	inFiles    []overlap.Span  // A file was in transfer in these.
	files      []size.Transfer // files are those that have a rate of their own.
	all        size.Totals     // all is the sum over the disk's files.
	lines      []quantile.Line // lines have its latencies.
	out        DiskResult
	warnings   []Warning // warnings go to the phase.
}

// InParallel does the same with all, on as many cores as there are.
func InParallel[T any](all []T, do func(T)) {
	next := make(chan T)
	var working sync.WaitGroup
	for range min(len(all), runtime.GOMAXPROCS(0)) {
		working.Go(func() {
			for one := range next {
				do(one)
			}
		})
	}
	for _, one := range all {
		next <- one
	}
	close(next)
	working.Wait()
}

// eachDisk does the same with all disks of all phases, on as many cores as there are, and takes
// their warnings in order.
func (r *run) eachDisk(do func(*phase, *diskPart)) {
	InParallel(r.phases, func(p *phase) {
		InParallel(p.parts, func(part *diskPart) { do(p, part) })
		p.collectWarnings()
	})
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// newRun finds out what the rate of each disk did over time.
func newRun(recorded *trace.Run, opts Options) *run {
	r := &run{hardware: recorded.Hardware, alpha: newAlphas(recorded), noSizes: opts.NoSizes}
	r.simulated = len(recorded.Disks) > 0
	connections := map[string]string{}
	for _, d := range recorded.Disks {
		connections[d.Name] = d.Connection
		r.simulated = r.simulated && d.Profile != ""
	}
	for _, t := range recorded.Phases {
		p := r.newPhase(t)
		p.out.Title = recorded.Title(t)
		for _, d := range t.Disks {
			part := &diskPart{connection: cmp.Or(t.Connections[d.Name], connections[d.Name])}
			part.Trace = d
			p.parts = append(p.parts, part)
		}
		r.disks += len(p.parts)
		r.phases = append(r.phases, p)
	}
	r.eachDisk(func(p *phase, part *diskPart) { part.read(p.trace, opts) })
	for _, p := range r.phases {
		active := make([][]overlap.Span, len(p.parts))
		for i, part := range p.parts {
			active[i] = part.Active
		}
		p.stages = overlap.Stages(active)
		p.window = overlap.Window(p.stages, len(p.parts))
	}
	r.eachDisk((*phase).settle)
	excursions := map[side]float64{} // They are the longest in any phase.
	for _, p := range r.phases {
		for _, part := range p.parts {
			excursions[part.side()] = max(excursions[part.side()], part.LongestBurstS)
		}
	}
	r.eachDisk(func(_ *phase, part *diskPart) { part.Trim(excursions[part.side()]) })
	InParallel(r.phases, (*phase).explain)
	return r
}

// side is a disk in one direction.
type side struct {
	disk string
	op   trace.Role
}

func (p *diskPart) side() side { return side{p.Name(), p.Trace.Op} }

// fastest is the highest rate of the run: of a disk, or of all in a window.
func (r *run) fastest() float64 {
	fastest := 0.0
	for _, p := range r.phases {
		for _, part := range p.parts {
			if part.all.BusyS > 0 {
				fastest = max(fastest, float64(part.all.Bytes)/part.all.BusyS)
			}
		}
		if p.out.Overlap != nil {
			fastest = max(fastest, p.out.Overlap.Rate)
		}
	}
	return fastest
}

func (r *run) newPhase(t *trace.Phase) *phase {
	p := &phase{run: r, trace: t, meters: meter.New(t), out: &PhaseResult{
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
		Disks:       map[string]DiskResult{},
		Warnings:    []Warning{},
	}}
	maps.Copy(p.out.Roles, t.Roles)
	return p
}

// read takes the disk's rate over time from its part of the trace.
func (p *diskPart) read(t *trace.Phase, opts Options) {
	// The machine slept, or hubbench or the disk's worker was stopped, in these.
	var stops []overlap.Span
	for _, g := range t.Gauges {
		if g.Name == trace.Stopped && (g.Disk == p.Trace.Name || g.Disk == "") {
			stops = append(stops, overlap.Between(g.TNS-int64(g.Value*1e9), g.TNS))
		}
	}
	p.History = ledger.New(p.Trace, t.WorkOf(p.Trace), opts.GapNS, stops...)
	p.inFiles = overlap.Active(p.Trace, noPauseNS)
	p.files, p.all = size.Apart(p.Trace.Files)
}

// settle finds what the disk's rate does over time.
func (p *phase) settle(part *diskPart) {
	var neighbourNS []int64 // Other disks start and end at these moments.
	for _, o := range p.others(part) {
		for _, v := range o.Active {
			neighbourNS = append(neighbourNS, v.StartNS, v.EndNS)
		}
	}
	part.Settle(p.disks, neighbourNS...)
}

// measure fills in what the phases say by themselves, rates in one unit.
func (r *run) measure() {
	InParallel(r.phases, func(p *phase) {
		p.failures()
		p.stops()
		p.startSkew()
		p.fillStages()
		p.fillOverlap()
	})
	r.scale = unit.ScaleFor(r.fastest())
	if !r.simulated {
		r.devices()
	}
	InParallel(r.phases, func(p *phase) {
		p.out.Links = p.linkUses()
		p.cached()
		p.host()
		p.out.Series = p.series()
		p.streams()
		p.collectWarnings()
	})
}

// devices fills in what the disks' own counters say.
func (r *run) devices() {
	late := meter.Unwritten{}
	for _, p := range r.phases {
		disks := make([]*ledger.History, len(p.parts))
		for i, part := range p.parts {
			disks[i] = &part.History
		}
		devices := meter.Devices(p.trace, p.meters, disks, late)
		for _, part := range p.parts {
			part.out.Device = devices[part.Name()]
		}
	}
}

// part is the part of a disk; nil if it is idle.
func (p *phase) part(disk string) *diskPart {
	for _, part := range p.parts {
		if part.Name() == disk {
			return part
		}
	}
	return nil
}

// others are the working disks but one.
func (p *phase) others(but *diskPart) []*diskPart {
	return only(p.parts, func(o *diskPart) bool { return o != but && len(o.Active) > 0 })
}

// allContend reports whether all of the phase's disks do. Else totals are partly a matter of
// choice, or their directions cannot be separated by disk.
func (p *phase) allContend() bool {
	for _, part := range p.parts {
		if !part.WantsAll() {
			return false
		}
	}
	return true
}

// hasPacedDisk reports whether a disk of the phase does not go as fast as it can.
func (p *phase) hasPacedDisk() bool {
	for _, part := range p.parts {
		if part.IsPaced() {
			return true
		}
	}
	return false
}
