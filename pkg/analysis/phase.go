package analysis

import (
	"cmp"
	"runtime"
	"slices"
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
)

// run is what the phases of a run under analysis share.
type run struct {
	phases    []*phase
	disks     int             // of all phases together
	noSizes   bool            // from Options
	hardware  *hardware.Setup // nil if unknown
	simulated bool            // Simulated disks begin at once, whenever their processes did.
	alpha     alphas
	solos     effect.Solos // nil until they are needed
	scale     unit.Scale
	settings  [][]*phase // Each has phases that repeat one another.
	table     *effect.Table
}

// phase is one phase under analysis. Only newRun and Analyze set its fields, each once, in this
// order: to what a stage returns.
type phase struct {
	*run
	trace      *trace.Phase
	title      string
	repeats    string // name of the first phase in which the same disks do the same, before this
	parts      []*diskPart
	meters     meter.Gauges
	stages     []overlap.Stage
	window     []overlap.Span
	events     []change.Event
	seen       []Recovery // those that the trace does not cut off
	happened   []Change   // what the events come to, before it is known who warmed up
	changes    []Change
	recoveries []Recovery
	measured
	played
	whole *effect.State // when all disks worked; nil if they never did
	// The disks of a phase of several that all worked at once, and how they shared.
	contenders []*contender
	contention *Contention
}

// diskPart is one working disk's part in the phase: its rate over time, and what is found of it, as
// in phase.
type diskPart struct {
	ledger.History
	connection string
	inFiles    []overlap.Span  // A file was in transfer in these.
	files      []size.Transfer // those that have a rate of their own
	all        size.Totals
	lines      []quantile.Line // of latencies
	warm       *warmUp         // nil if it has none
	device     *meter.Device
	summary
	throttle   *Throttle // with its cause
	linkChange *LinkChange
	latency    *LatencyResult
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

// eachDisk does the same with all disks of all phases, on as many cores as there are.
func (r *run) eachDisk(do func(*phase, *diskPart)) {
	InParallel(r.phases, func(p *phase) {
		InParallel(p.parts, func(part *diskPart) { do(p, part) })
	})
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// newRun finds out what the rate of each disk did over time, and what happened in each phase.
func newRun(recorded *trace.Run, opts Options) *run {
	r := &run{hardware: recorded.Hardware, alpha: newAlphas(recorded), noSizes: opts.NoSizes}
	r.simulated = len(recorded.Disks) > 0
	connections := map[string]string{}
	for _, d := range recorded.Disks {
		connections[d.Name] = d.Connection
		r.simulated = r.simulated && d.Profile != ""
	}
	titles := map[string]int{}
	for _, t := range recorded.Phases {
		titles[recorded.Title(t)]++
	}
	for _, t := range recorded.Phases {
		p := &phase{run: r, trace: t, title: recorded.Title(t), meters: meter.New(t)}
		if titles[p.title] > 1 && p.title != t.Name {
			p.title += " (" + t.Name + ")"
		}
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
	excursions := map[side]float64{} // the longest in any phase
	for _, p := range r.phases {
		for _, part := range p.parts {
			excursions[part.side()] = max(excursions[part.side()], part.LongestBurstS)
		}
	}
	r.eachDisk(func(_ *phase, part *diskPart) { part.Trim(excursions[part.side()]) })
	InParallel(r.phases, func(p *phase) {
		events, histories := change.Explain(p.histories())
		for i, part := range p.parts {
			part.History = histories[i]
		}
		p.events = p.ownFalls(events)
		p.seen = p.seenRecoveries()
		p.happened = p.changesOf(p.seen)
	})
	original := originals(r.phases)
	warm := warmUps(r.phases)
	for _, p := range r.phases {
		p.repeats = original[p]
		for _, part := range p.parts {
			if part.warm = warm[part]; part.warm != nil {
				part.Drifts = slices.DeleteFunc(part.Drifts, func(d ledger.Drift) bool {
					return seconds(d.EndNS) <= part.warm.rise.EndS
				})
			}
		}
		p.changes = p.withWarmUps()
	}
	r.solos = solos(r.phases)
	for _, p := range r.phases {
		p.recoveries = append(p.seen, p.cutRecoveries()...)
	}
	return r
}

// side is a disk in one direction.
type side struct {
	disk string
	op   trace.Role
}

func (p *diskPart) side() side { return side{p.Name(), p.Trace.Op} }

// fastest returns the highest rate of the run: of a disk, or of all in a window.
func (r *run) fastest() float64 {
	fastest := 0.0
	for _, p := range r.phases {
		for _, part := range p.parts {
			if part.all.BusyS > 0 {
				fastest = max(fastest, float64(part.all.Bytes)/part.all.BusyS)
			}
		}
		if p.overlap != nil {
			fastest = max(fastest, p.overlap.Rate)
		}
	}
	return fastest
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
	p.lines = quantile.Lines(p.Trace, p.Active)
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

// devices returns what the disks' own counters say.
func (r *run) devices() map[*diskPart]*meter.Device {
	all := map[*diskPart]*meter.Device{}
	if r.simulated {
		return all
	}
	late := meter.Unwritten{}
	for _, p := range r.phases {
		devices := meter.Devices(p.trace, p.meters, p.histories(), late)
		for _, part := range p.parts {
			all[part] = devices[part.Name()]
		}
	}
	return all
}

// part returns the part of a disk; nil if it is idle.
func (p *phase) part(disk string) *diskPart {
	for _, part := range p.parts {
		if part.Name() == disk {
			return part
		}
	}
	return nil
}

func (p *phase) histories() []*ledger.History {
	return Each(p.parts, func(part *diskPart) *ledger.History { return &part.History })
}

// others returns the working disks but one.
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
