package analysis

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// The causes of a throttle.
const (
	CauseHeat      = "heat"
	CauseCacheFull = "cache_full"
	CauseUnknown   = "unknown"
)

// stuck returns the disks whose temperature never moves in the whole run: it is no evidence.
func stuck(phases []*phase) map[string]bool {
	temperatures := map[string][]meter.Reading{}
	for _, p := range phases {
		for key, readings := range p.meters {
			if disk, name := key[0], key[1]; name == trace.Temperature {
				temperatures[disk] = append(temperatures[disk], readings...)
			}
		}
	}
	all := map[string]bool{}
	for name, readings := range temperatures {
		all[name] = !meter.Moves(readings)
	}
	return all
}

// changesWithCauses returns the phase's ledger. A fall that is a throttle has its cause.
func (p *phase) changesWithCauses() []Change {
	all := slices.Clone(p.changes)
	for i := range all {
		for _, part := range p.parts {
			if t := part.throttle; t != nil && all[i].Kind == KindOwnFall &&
				all[i].concerns(part.Name()) && t.isOf(&all[i]) {
				all[i].Cause = t.Cause
			}
		}
	}
	return all
}

// isOf reports whether a fall of the disk's own is a step of the throttle.
func (t *Throttle) isOf(c *Change) bool {
	for _, step := range t.Steps {
		if abs(nanoseconds(step.AtS)-nanoseconds(c.StartS)) <= explainsNS {
			return true
		}
	}
	return false
}

// cause returns the disk's throttle with what caused it, as far as gauges and other phases show it,
// and what others gained by it; nil if it had none.
func (p *phase) cause(part *diskPart, stuck bool) *Throttle {
	if part.fall == nil {
		return nil
	}
	t := *part.fall
	at := int64(t.AtS * 1e9)
	e := p.warmth(part, int64(t.Steps[0].AtS*1e9))
	// By how much the device's own count of throttles grew about the fall.
	counted := meter.In(p.meters.Of(part.Name(), trace.Throttles),
		overlap.Between(at-eventNearNS, at+eventNearNS))
	if n := len(counted); n > 1 {
		e.Events = max(0, counted[n-1].Value-counted[0].Value)
	}
	e.Stuck = e.AtC != nil && stuck
	e.CoresBusy = p.cpu(at, part.EndNS()) >= busyCPU && !(p.cpu(part.StartNS(), at) >= busyCPU)
	e.SameBudget, e.PassedBytes, e.SoonerBytes = p.budget(part)
	t.Evidence = e
	t.Cause = CauseUnknown
	change := part.linkChange
	elsewhere := e.CoresBusy || change != nil && change.ToBps < change.FromBps
	foreign := part.device != nil && part.device.Foreign != nil
	// Other phases let the number of bytes be what a cache holds: the disk neither went past it at
	// full speed nor, when the cache should have been as empty, fell sooner.
	aBudget := e.PassedBytes == 0 && (e.SoonerBytes == 0 || e.SameBudget > 0)
	switch {
	case e.Events > 0 || e.hot() && !e.Stuck && !elsewhere:
		t.Cause = CauseHeat
	case usb2Low <= t.ToRate && t.ToRate <= usb2High && t.FromRate > 2*usb2High:
		t.Cause = CauseLink
	case part.Trace.Op == trace.Write && e.flat() && !e.Stuck && aBudget && !elsewhere && !foreign:
		t.Cause = CauseCacheFull
	}
	for _, s := range p.gains(part.Name(), nanoseconds(t.AtS)) {
		t.NeighbourGains = append(t.NeighbourGains, Shift{s.Disk, s.From, s.To})
	}
	return &t
}

// cpu returns how busy the host's cores were at the median between two times, in percent; NaN if
// that was not read.
func (p *phase) cpu(fromNS, toNS int64) float64 {
	in := overlap.Between(fromNS, toNS)
	return meter.Median(meter.In(p.meters.Of("", trace.CPU), in))
}

// hot reports whether the disk warmed up to where disks throttle, and stayed about there.
func (e Evidence) hot() bool {
	if e.AtC == nil {
		return false
	}
	at := *e.AtC
	rise := *e.AtC - *e.StartC
	return at >= hotC && (rise >= clearRiseC || rise >= smallRiseC && at >= surelyHotC) &&
		*e.AfterC <= at+max(settledC, lagShare*rise)
}

// flat reports whether the disk stayed as warm as it was, and cool.
func (e Evidence) flat() bool {
	return e.AtC != nil && *e.AtC < notCoolC &&
		math.Abs(*e.AtC-*e.StartC) <= flatC && math.Abs(*e.AfterC-*e.StartC) <= flatC
}

// warmth returns how warm the disk was at its start, when it fell, and at most after that: medians,
// for one reading may be an error. They are null if there are too few readings.
func (p *phase) warmth(part *diskPart, at int64) (e Evidence) {
	all := p.meters.Of(part.Name(), trace.Temperature)
	before := meter.In(all, overlap.Between(math.MinInt64, at))
	after := meter.In(all, overlap.Between(at+1, part.EndNS()))
	if len(before) < minBefore || len(after) == 0 {
		return e
	}
	// Three readings about the fall: those before it alone would be old if it is read only now and
	// then.
	near := slices.Concat(before[len(before)-2:], after[:1])
	if at-near[1].NS > aroundFallNS || near[2].NS-at > aroundFallNS {
		return e
	}
	top := math.Inf(-1)
	for i := range after {
		top = max(top, meter.Median(after[i:min(len(after), i+minBefore)]))
	}
	e.StartC = number(meter.Median(before[:minBefore]))
	e.AtC = number(meter.Median(near))
	e.AfterC = number(top)
	return e
}

// budget looks at what the disk did in the other phases: in how many it fell after as many bytes,
// how many it moved at full speed in one if that is clearly more, and after how many it had fallen
// in an earlier one if that is clearly less. In a later one it may fall sooner: a cache takes a
// while to be emptied.
func (p *phase) budget(part *diskPart) (same int, passed, sooner float64) {
	t := part.fall
	before := true // The other phase precedes this one.
	for _, q := range p.phases {
		other := q.part(part.Name())
		if q == p {
			before = false
		}
		if other == nil || other == part || other.Trace.Op != part.Trace.Op ||
			other.figures.Rate == nil {
			continue
		}
		full := float64(other.all.Bytes)
		switch fell := other.fall; {
		case fell != nil && math.Abs(math.Log(fell.AtBytes/t.AtBytes)) < math.Log(sameBudget):
			same++
			continue
		case fell != nil:
			full = fell.AtBytes
			if before && full < t.AtBytes {
				sooner = max(sooner, full)
			}
		case *other.figures.Rate < maxDrop*t.FromRate:
			continue // It was never as fast.
		}
		if full > sameBudget*t.AtBytes {
			passed = max(passed, full)
		}
	}
	return same, passed, sooner
}

// temperature returns a disk's over the phase; nil if none was read.
func (p *phase) temperature(disk string, isStuck bool) *Temperature {
	all := p.meters.Of(disk, trace.Temperature)
	if len(all) == 0 {
		return nil
	}
	t := &Temperature{
		FirstC: all[0].Value, MaxC: math.Inf(-1), LastC: all[len(all)-1].Value,
		Stuck: isStuck && len(all) >= minStuck,
	}
	for _, r := range all {
		t.MaxC = max(t.MaxC, r.Value)
	}
	t.MedianC = meter.Median(all)
	return t
}

// Temperature is how warm a disk was by its own sensor.
type Temperature struct {
	FirstC  float64 `json:"first_c"`
	MedianC float64 `json:"median_c"`
	MaxC    float64 `json:"max_c"`
	LastC   float64 `json:"last_c"`
	Stuck   bool    `json:"stuck"` // It never moves in the whole run, so it is no evidence.
}

// Evidence is what a throttle's cause rests on. Temperatures are medians of a few readings, null if
// there were too few.
type Evidence struct {
	StartC     *float64 `json:"start_c"`
	AtC        *float64 `json:"at_c"`        // AtC is from just before the fall.
	AfterC     *float64 `json:"after_c"`     // AfterC is the maximum after it.
	Stuck      bool     `json:"stuck"`       // Stuck says that the temperature never moves.
	Events     float64  `json:"events"`      // Events are throttles that the device counted then.
	SameBudget int      `json:"same_budget"` // It fell after about as many bytes in other phases.
	// PassedBytes is how much it moved at full speed in another phase, if that is clearly more;
	// else 0.
	PassedBytes float64 `json:"passed_bytes"`
	// SoonerBytes is after how much it fell in an earlier phase, if that is clearly less; else 0.
	SoonerBytes float64 `json:"sooner_bytes"`
	// CoresBusy says that the host's cores were busy from about the fall on, and not before.
	CoresBusy bool `json:"cores_busy"`
}

// LinkChange is a disk's link that negotiated another speed, in bits per second.
type LinkChange struct {
	AtS     float64 `json:"at_s"` // AtS is 0 or less if the link had changed before the phase.
	FromBps float64 `json:"from_bps"`
	ToBps   float64 `json:"to_bps"`
}

// linkChanges returns the greatest change of each disk's link in a phase, or since the one before
// it. Speeds are compared by disk and by its connection: one that is plugged in elsewhere on
// purpose is no change.
func linkChanges(phases []*phase) map[*diskPart]*LinkChange {
	type link struct{ disk, connection string }
	speeds := map[link]float64{} // the last seen
	all := map[*diskPart]*LinkChange{}
	for _, p := range phases {
		for _, part := range p.parts {
			key := link{part.Name(), part.connection}
			highest := 0.0
			for _, r := range p.meters.Of(part.Name(), trace.LinkState) {
				if r.Value <= 0 {
					continue
				}
				was := speeds[key]
				speeds[key] = r.Value
				if was == 0 || was == r.Value {
					continue
				}
				if step := math.Abs(math.Log(r.Value / was)); step > highest {
					all[part] = &LinkChange{AtS: seconds(r.NS), FromBps: was, ToBps: r.Value}
					highest = step
				}
			}
		}
	}
	return all
}

// troubles warns of a link that changed its speed, and of requests that failed or were repeated
// below the file system, by the driver's own count: each waits for seconds, or for the link to be
// set up again, and shows in no file's result.
func (p *phase) troubles(part *diskPart) (all warnings) {
	disk := part.Name()
	if change := part.linkChange; change != nil {
		when := "before this phase"
		if change.AtS > 0 {
			when = fmt.Sprintf("%.1f s into the phase", change.AtS)
		}
		all.add(disk, "link_changed", *change, "its link went from %s to %s %s: rates before and "+
			"after that do not compare (check its cable and port)",
			hardware.Speed(int64(change.FromBps)), hardware.Speed(int64(change.ToBps)), when)
	}
	counts := p.meters.Of(disk, trace.DeviceFailures)
	if len(counts) == 0 {
		return all
	}
	if n := counts[len(counts)-1].Value - counts[0].Value; n > 0 {
		all.add(disk, "failed_requests", TimesValues{Times: n}, "its driver counted %.0f requests "+
			"that failed or had to be repeated: its rates are not what it can do (check its "+
			"cable, port and power)", n)
	}
	return all
}

// workerCPU returns how much of a core the disk's worker used, if it works as fast as it can with
// one request in flight: then one that used all of its core waited for the processor, not for the
// disk.
func (p *phase) workerCPU(part *diskPart) *float64 {
	if part.WantsAll() && part.Work.Declared() && part.Work.Depth <= 1 {
		return p.load(part.Name(), trace.WorkerCPU)
	}
	return nil
}

// load returns the mean of a gauge of processors in the window; nil of too few readings.
func (p *phase) load(disk, gauge string) *float64 {
	var all []meter.Reading
	for _, v := range p.window {
		all = append(all, meter.In(p.meters.Of(disk, gauge), v)...)
	}
	if len(all) < 3 {
		return nil
	}
	var sum float64
	for _, r := range all {
		sum += r.Value
	}
	return number(sum / float64(len(all)))
}
