package analysis

import (
	"maps"
	"slices"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// maxSkewS is the time between the disks' starts above which a phase carries a warning.
const maxSkewS = 0.001

// phase is one phase under analysis.
type phase struct {
	trace  *trace.Phase
	parts  []part
	stages []overlap.Stage
	window []overlap.Interval
	// simulated disks begin as one in the model's time, whenever their processes did.
	simulated   bool
	connections map[string]string // each disk's connection
	alpha       alphas
	meters      meter.Gauges
	devicesOf   map[string]*meter.Device // by disk, if its device counts by itself
	figures     map[string]knownFigures  // of the disks' latencies
	reached     []level.Measured         // the new level of each recovery of out
	out         *Phase
	run         []*phase        // all of the run, this one among them
	hardware    *hardware.Setup // nil if it is not known
}

// part is one working disk's part in the phase: its rate over time, and what the ledger says of it.
type part struct {
	level.Disk
	kinds  []string // of the change to each of the solid levels, as the ledger has it; empty for what it leaves out
	warmNS int64    // when its warm-up was over, and
	warmIn []string // in which phases it was seen; nil if it has none
}

// kind is what the ledger has the change to a solid level for; empty if it leaves it out.
func (p *part) kind(level int) string {
	if level >= len(p.kinds) {
		return ""
	}
	return p.kinds[level]
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

func newPhase(run *trace.Run, t *trace.Phase, opts Options, alpha alphas) *phase {
	p := &phase{trace: t, hardware: run.Hardware, simulated: len(run.Disks) > 0, connections: map[string]string{}, alpha: alpha, meters: meter.New(t), figures: map[string]knownFigures{}, out: &Phase{
		Phase:       t.Name,
		Title:       run.Title(t),
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
	for _, d := range run.Disks {
		p.connections[d.Name] = d.Connection
		p.simulated = p.simulated && d.Profile != ""
	}
	maps.Copy(p.connections, t.Connections)
	active := make([][]overlap.Interval, len(t.Disks))
	for i, d := range t.Disks {
		p.parts = append(p.parts, part{Disk: level.New(d, t.WorkOf(d), opts.GapNS, stopsOf(t, d.Name)...)})
		active[i] = p.parts[i].Active
	}
	p.stages = overlap.Stages(active)
	p.window = overlap.Window(p.stages, len(p.parts))
	for i := range p.parts {
		part := &p.parts[i]
		var given []int64
		for k, spans := range active {
			if k != i {
				for _, v := range spans {
					given = append(given, v.StartNS, v.EndNS)
				}
			}
		}
		if part.Settle(given, p.alpha.own); !part.Limited() && part.Swing == nil {
			part.Drift = p.driftOf(i)
		}
	}
	return p
}

func (p *phase) disks() []*level.Disk {
	all := make([]*level.Disk, len(p.parts))
	for i := range p.parts {
		all[i] = &p.parts[i].Disk
	}
	return all
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

// compare fills in what takes the disks' rates alone to say, and what rests on that.
func (p *phase) compare(solos solos) {
	p.recoveries(solos)
	p.fillContention(solos)
	for i := range p.parts {
		p.out.Disks[p.parts[i].Name()] = p.summarize(&p.parts[i])
	}
}

func (p *phase) warn(w Warning) { p.out.Warnings = append(p.out.Warnings, w) }

// failures warns of disks that did not finish their work.
func (p *phase) failures() {
	for i := range p.parts {
		d := p.parts[i].Trace
		switch {
		case len(d.Errors) > 0:
			e := d.Errors[0]
			p.warn(Warning{Code: "partial", Disk: d.Name, Other: e.Error, Values: PartialValues{AtS: seconds(e.TNS), Seq: float64(e.Seq)}})
		case len(d.Open) > 0 && p.parts[i].HasFiles() && p.trace.Stop != scenario.StopHold && p.trace.Stop != scenario.StopTime: // they cut off the last file
			p.warn(Warning{Code: "partial", Disk: d.Name})
		}
	}
	if p.trace.Status == trace.Partial && len(p.out.Warnings) == 0 {
		p.warn(Warning{Code: "partial"})
	}
}

// stops warns of times in which the machine slept or the run was stopped, and of those in which only the worker of a disk was:
// the rates count them as work.
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
		p.warn(Warning{Code: "stopped", Disk: disk, Values: StoppedValues{
			Seconds: sum, Times: float64(len(alone)), AtS: max(seconds(alone[0].TNS)-alone[0].Value, 0)}})
	}
}

// stopsOf are the times in which the machine slept, hubbench was stopped, or the worker of one disk.
func stopsOf(t *trace.Phase, disk string) (stops []overlap.Interval) {
	for _, g := range t.Gauges {
		if g.Name == trace.Stopped && (g.Disk == disk || g.Disk == "") {
			stops = append(stops, overlap.Interval{StartNS: g.TNS - int64(g.Value*1e9), EndNS: g.TNS})
		}
	}
	return stops
}

// startSkew is how far apart the disks began, by their first requests.
func (p *phase) startSkew() {
	if len(p.parts) < 2 {
		return
	}
	var late, first []int64
	for i := range p.parts {
		part := &p.parts[i]
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
		p.warn(Warning{Code: "start_skew", Values: SecondsValues{Seconds: skew}})
	}
}

// allContend reports whether all of the phase's disks do. Else totals are partly a matter of choice, or their directions
// cannot be separated by disk.
func (p *phase) allContend() bool {
	return !slices.ContainsFunc(p.parts, func(part part) bool { return !part.Contends() })
}

// shareScatter lets the phases in which a disk moved few files know how its files differ in those of the same direction in which
// it moved more: the largest spread counts.
func shareScatter(phases []*phase) {
	type side struct {
		disk string
		op   trace.Role
	}
	known := map[side]float64{}
	for _, p := range phases {
		for i := range p.parts {
			if part := &p.parts[i]; part.HasFiles() && len(part.Trace.Files) >= 2*level.MinFiles {
				s := side{part.Name(), part.Trace.Op}
				known[s] = max(known[s], part.FileScatter())
			}
		}
	}
	for _, p := range phases {
		for i := range p.parts {
			p.parts[i].Scatter = known[side{p.parts[i].Name(), p.parts[i].Trace.Op}]
		}
	}
}
