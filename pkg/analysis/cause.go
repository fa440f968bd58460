package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// The causes of a throttle.
const (
	CauseHeat      = "heat"
	CauseCacheFull = "cache_full"
	CauseUnknown   = "unknown"
)

// How heat is distinguished from a full cache. Disks slow down at 60 to 85 °C by their own sensor; one that writes gets warmer
// whether it throttles or not, so that a rise alone says nothing. Temperatures come in whole degrees.
const (
	hotC         = 55 // less is not hot enough to throttle for
	surelyHotC   = 65 // from here on a small rise will do
	smallRiseC   = 3
	clearRiseC   = 8
	settledC     = 5              // a disk that throttles for heat holds its temperature about there ...
	lagShare     = 0.3            // ... or, its sensor lagging, goes on by a part of its rise
	flatC        = 3              // what a sensor wanders by itself
	notCoolC     = 70             // a disk this warm may have throttled for heat however little it warmed up
	aroundFallNS = 15_000_000_000 // readings further away say nothing of the fall
	minBefore    = 3              // readings before the fall
	sameBudget   = 1.3            // two falls after numbers of bytes that differ by less come of one budget
	eventNearNS  = 10_000_000_000
)

// causes fills in what gauges say of each disk, and of each throttle its cause, as far as temperatures and other
// phases show it.
func causes(phases []*phase) {
	speeds, stuck := map[string]float64{}, stuckSensors(phases)
	for _, p := range phases {
		for i := range p.parts {
			name := p.parts[i].Name()
			d := p.out.Disks[name]
			d.Device, d.Temperature, d.LinkChange = p.devicesOf[name], p.temperature(name, stuck[name]), p.linkChange(name, speeds)
			p.out.Disks[name] = d
			if d.Throttle != nil {
				p.cause(&p.parts[i], &d, phases, stuck[name])
				p.freed(&p.parts[i], d.Throttle)
				for k := range p.out.Changes {
					if c := &p.out.Changes[k]; c.Kind == KindOwnFall && c.concerns(name) {
						c.Cause = d.Throttle.Cause
					}
				}
			}
		}
	}
}

func (p *phase) cause(part *part, d *Disk, phases []*phase, stuck bool) {
	t := d.Throttle
	e := p.warmth(part, int64(t.Steps[0].AtS*1e9))
	e.Events = newEvents(p.meters.Of(part.Name(), trace.Throttles), int64(t.AtS*1e9))
	e.Stuck = e.AtC != nil && stuck
	e.CoresBusy = p.coresBusy(part, t)
	budget(part, d, e, phases)
	t.Evidence, t.Cause = *e, CauseUnknown
	change := d.LinkChange
	elsewhere := e.CoresBusy || change != nil && change.ToBps < change.FromBps
	foreign := d.Device != nil && d.Device.Foreign != nil
	switch {
	case e.Events > 0 || e.hot() && !e.Stuck && !elsewhere:
		t.Cause = CauseHeat
	case part.Trace.Op == trace.Write && e.flat() && !e.Stuck && e.aBudget() && !elsewhere && !foreign:
		t.Cause = CauseCacheFull
	}
}

// aBudget reports whether other phases let the number of bytes be what a cache holds: the disk neither went past it at
// full speed nor, when the cache should have been as empty, fell sooner.
func (e *Evidence) aBudget() bool {
	return e.PassedBytes == 0 && (e.SoonerBytes == 0 || e.SameBudget > 0)
}

// coresBusy reports whether the host's cores had nothing to spare while the disk was slow, but had before.
func (p *phase) coresBusy(part *part, t *Throttle) bool {
	at := int64(t.AtS * 1e9)
	all := p.meters.Of("", trace.CPU)
	before := meter.Median(meter.In(all, overlap.Interval{StartNS: part.StartNS(), EndNS: at}))
	after := meter.Median(meter.In(all, overlap.Interval{StartNS: at, EndNS: part.EndNS()}))
	return after >= busyCPU && !(before >= busyCPU)
}

// hot reports whether the disk warmed up to where disks throttle, and stayed about there.
func (e *Evidence) hot() bool {
	if e.AtC == nil {
		return false
	}
	at, rise := *e.AtC, *e.AtC-*e.StartC
	return at >= hotC && (rise >= clearRiseC || rise >= smallRiseC && at >= surelyHotC) && *e.AfterC <= at+max(settledC, lagShare*rise)
}

// flat reports whether the disk stayed as warm as it was, and cool.
func (e *Evidence) flat() bool {
	return e.AtC != nil && math.Abs(*e.AtC-*e.StartC) <= flatC && math.Abs(*e.AfterC-*e.StartC) <= flatC && *e.AtC < notCoolC
}

// warmth is how warm the disk was at its start, when it fell, and at most after that: medians, for one reading may be
// an error. They are null if there are too few readings.
func (p *phase) warmth(part *part, at int64) *Evidence {
	e := &Evidence{}
	all := p.meters.Of(part.Name(), trace.Temperature)
	before := meter.In(all, overlap.Interval{StartNS: math.MinInt64, EndNS: at})
	after := meter.In(all, overlap.Interval{StartNS: at + 1, EndNS: part.EndNS()})
	if len(before) < minBefore || len(after) == 0 {
		return e
	}
	// Three readings about the fall: those before it alone would be old if it is read only now and then.
	near := slices.Concat(before[len(before)-2:], after[:1])
	if at-near[1].NS > aroundFallNS || near[2].NS-at > aroundFallNS {
		return e
	}
	top := math.Inf(-1)
	for i := range after {
		top = max(top, meter.Median(after[i:min(len(after), i+minBefore)]))
	}
	e.StartC, e.AtC, e.AfterC = number(meter.Median(before[:minBefore])), number(meter.Median(near)), number(top)
	return e
}

// stuckSensors are the disks whose temperature never moves in the whole run.
func stuckSensors(phases []*phase) map[string]bool {
	all := map[string][]meter.Reading{}
	for _, p := range phases {
		for key, readings := range p.meters {
			if disk, name := key[0], key[1]; name == trace.Temperature {
				all[disk] = append(all[disk], readings...)
			}
		}
	}
	stuck := map[string]bool{}
	for name, readings := range all {
		stuck[name] = !meter.Moves(readings)
	}
	return stuck
}

// newEvents is by how much the device's own count of throttles grew about the fall.
func newEvents(all []meter.Reading, at int64) float64 {
	near := meter.In(all, overlap.Interval{StartNS: at - eventNearNS, EndNS: at + eventNearNS})
	if len(near) < 2 {
		return 0
	}
	return max(0, near[len(near)-1].Value-near[0].Value)
}

// budget looks at what the disk did in the other phases: whether it fell after as many bytes there, went clearly past that
// number at full speed, or had fallen sooner in an earlier one. In a later one it may fall sooner: a cache takes a while to
// be emptied.
func budget(part *part, d *Disk, e *Evidence, phases []*phase) {
	t := d.Throttle
	before := true // the current phase
	for _, p := range phases {
		other, ok := p.out.Disks[part.Name()]
		if p.trace.Disk(part.Name()) == part.Trace {
			before = false
			continue
		}
		if !ok || other.Op != d.Op || other.Rate == nil {
			continue
		}
		full := float64(other.Bytes)
		switch fell := other.Throttle; {
		case fell != nil && math.Abs(math.Log(fell.AtBytes/t.AtBytes)) < math.Log(sameBudget):
			e.SameBudget++
			continue
		case fell != nil:
			full = fell.AtBytes
			if before && full < t.AtBytes {
				e.SoonerBytes = max(e.SoonerBytes, full)
			}
		case *other.Rate < maxDrop*t.FromRate:
			continue // it was never as fast
		}
		if full > sameBudget*t.AtBytes {
			e.PassedBytes = max(e.PassedBytes, full)
		}
	}
}

// What a neighbour must gain to be reported with a disk's fall.
const (
	freedShare    = 0.10          // of its own rate
	clearOfFallNS = 1_000_000_000 // after the fall
)

// freed says what the other disks gained when a disk fell.
func (p *phase) freed(part *part, t *Throttle) {
	at := int64(t.AtS * 1e9)
	for k := range p.parts {
		other := &p.parts[k]
		if other.Trace == part.Trace || len(other.Active) == 0 || other.StartNS() > at-beforeNS/2 || other.EndNS() < at+clearOfFallNS+beforeNS/2 {
			continue
		}
		before := overlap.Interval{StartNS: max(other.StartNS(), at-beforeNS), EndNS: at}
		after := overlap.Interval{StartNS: at + clearOfFallNS, EndNS: min(other.EndNS(), at+clearOfFallNS+2*beforeNS)}
		if p.eventsIn(before.StartNS, after.EndNS) {
			continue
		}
		was, is := other.Differ(before, after)
		if is.Rate < (1+freedShare)*was.Rate || is.ChanceAbove(was) > p.alpha.after {
			continue
		}
		t.Freed = append(t.Freed, Freed{Disk: other.Name(), FromRate: was.Rate, ToRate: is.Rate})
	}
}

// eventsIn reports whether a disk starts or ends between two times.
func (p *phase) eventsIn(fromNS, toNS int64) bool {
	for i := range p.parts {
		for _, v := range p.parts[i].Active {
			if fromNS < v.StartNS && v.StartNS < toNS || fromNS < v.EndNS && v.EndNS < toNS {
				return true
			}
		}
	}
	return false
}

// temperature is a disk's over the phase; nil if none was read.
func (p *phase) temperature(disk string, isStuck bool) *Temperature {
	all := p.meters.Of(disk, trace.Temperature)
	if len(all) == 0 {
		return nil
	}
	t := &Temperature{FirstC: all[0].Value, MaxC: math.Inf(-1), LastC: all[len(all)-1].Value, Stuck: isStuck && len(all) >= minStuck}
	values := make([]float64, len(all))
	for i, r := range all {
		values[i] = r.Value
		t.MaxC = max(t.MaxC, r.Value)
	}
	t.MedianC = stats.Median(values)
	return t
}

// minStuck is how many readings must be alike for the gauge to be called stuck.
const minStuck = 10

// Temperature is how warm a disk was by its own sensor.
type Temperature struct {
	FirstC  float64 `json:"first_c"`
	MedianC float64 `json:"median_c"`
	MaxC    float64 `json:"max_c"`
	LastC   float64 `json:"last_c"`
	Stuck   bool    `json:"stuck"` // it never moves in the whole run: no evidence of anything
}

// Evidence is what a throttle's cause rests on. Temperatures are medians of a few readings, null if there were too
// few.
type Evidence struct {
	StartC      *float64 `json:"start_c"`
	AtC         *float64 `json:"at_c"`         // just before the fall
	AfterC      *float64 `json:"after_c"`      // at most after it
	Stuck       bool     `json:"stuck"`        // the temperature never moves
	Events      float64  `json:"events"`       // throttles that the device counted about the fall
	SameBudget  int      `json:"same_budget"`  // other phases in which it fell after about as many bytes
	PassedBytes float64  `json:"passed_bytes"` // at most moved in another phase at full speed, if that is clearly more; else 0
	SoonerBytes float64  `json:"sooner_bytes"` // after which it fell in an earlier phase, if that is clearly less; else 0
	CoresBusy   bool     `json:"cores_busy"`   // the host's cores were busy from about the fall on, and not before
}

// LinkChange is a disk's link that negotiated another speed, in bits per second.
type LinkChange struct {
	AtS     float64 `json:"at_s"` // when it was seen; 0 or less if it was so before the phase began
	FromBps float64 `json:"from_bps"`
	ToBps   float64 `json:"to_bps"`
}

// Freed is what a disk gained when another one fell.
type Freed struct {
	Disk     string  `json:"disk"`
	FromRate float64 `json:"from_rate"`
	ToRate   float64 `json:"to_rate"`
}

// linkChange is the greatest change of a disk's link in the phase, or since the one before it, and warns of it. Speeds are
// the last seen, by disk and by its connection: one that is plugged in elsewhere on purpose is no change.
func (p *phase) linkChange(disk string, speeds map[string]float64) *LinkChange {
	key := disk + "\x00" + p.connections[disk]
	var out *LinkChange
	highest := 0.0
	for _, r := range p.meters.Of(disk, trace.LinkState) {
		if r.Value <= 0 {
			continue
		}
		was := speeds[key]
		speeds[key] = r.Value
		if was == 0 || was == r.Value {
			continue
		}
		if step := math.Abs(math.Log(r.Value / was)); step > highest {
			out, highest = &LinkChange{AtS: seconds(r.NS), FromBps: was, ToBps: r.Value}, step
		}
	}
	if out != nil {
		p.warn(Warning{Code: "link_changed", Disk: disk, Values: *out})
	}
	return out
}

// busyCPU is the share of all cores' time, in percent, from which the host has nothing to spare.
const busyCPU = 95

// host is how busy the host's cores were in the window.
func (p *phase) host() {
	var all []meter.Reading
	for _, v := range p.window {
		all = append(all, meter.In(p.meters.Of("", trace.CPU), v)...)
	}
	if len(all) < 3 {
		return
	}
	var sum float64
	for _, r := range all {
		sum += r.Value
	}
	p.out.CPUPercent = number(sum / float64(len(all)))
}

// gauges reports what the meters found in a phase.
func (f *finder) gauges() {
	p := f.phase
	if c := p.CPUPercent; c != nil && *c >= busyCPU {
		f.once(Finding{Code: "host_bound", Values: PercentValues{Percent: *c}, Weight: 0.8})
	}
	for _, name := range f.order {
		d := p.Disks[name].Device
		if d == nil || d.Disks[0] != name {
			continue
		}
		if t := d.Foreign; t != nil {
			share := t.Bytes / float64(max(1, d.CountedReadBytes+d.CountedWriteBytes))
			f.strongest(about(d.Disks, Finding{Code: "foreign_traffic", Weight: 1 + min(1, share),
				Values: ForeignValues{Bytes: t.Bytes, Rate: t.Rate, FromS: t.FromS, ToS: t.ToS, Share: share}}))
		}
		if d.CachedBytes > 0 {
			share := float64(d.CachedBytes) / float64(d.CountedReadBytes)
			f.strongest(about(d.Disks, Finding{Code: "cached", Weight: 1 + share,
				Values: CachedValues{Bytes: float64(d.CachedBytes), Share: share, Counted: float64(d.CountedReadBytes), Device: float64(*d.ReadBytes)}}))
		}
	}
}
