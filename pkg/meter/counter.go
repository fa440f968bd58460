package meter

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// How far a device's own counters may be off what was counted for no reason worth reporting.
const (
	offShare  = 0.02    // of what was counted
	offBytes  = 4 << 20 // superblocks, journals and what a system does now and then
	offFile   = 64 << 10
	offRateNS = 1e8 // of the disk's rate: a file cut short is known by its last sample, and a reading's time to that much
)

// Devices holds what was counted of a phase's disks against their devices' own counters, by disk. Disks with the same
// counters share a device.
func Devices(t *trace.Phase, m Gauges, disks []*ledger.Disk, late Unwritten) map[string]*Device {
	found, seen := map[string]*Device{}, map[string]bool{}
	for i, disk := range disks {
		if seen[disk.Name()] {
			continue
		}
		counts, reads := m.counts(disk.Name())
		d := device{counts: counts, reads: reads}
		if len(counts) < 2 { // nobody saw how much of it reached the device
			d.add(disk)
			own, _ := d.own(overlap.Span{StartNS: math.MinInt64, EndNS: math.MaxInt64})
			*late.of([]string{disk.Name()}) += own.write
			continue
		}
		sound := t.Status != trace.Partial
		for _, other := range disks[i:] {
			if same, _ := m.counts(other.Name()); slices.Equal(counts, same) {
				d.add(other)
				seen[other.Name()] = true
				sound = sound && len(other.Trace.Errors) == 0 && len(other.Active) > 0
			}
		}
		if out := d.compare(t.Stop, late); sound {
			for _, name := range out.Disks {
				found[name] = out
			}
		}
	}
	return found
}

// device is a physical device and the disks on it.
type device struct {
	counts []count
	reads  bool // that its reads are known
	parts  []*ledger.Disk
	flows  []flow // of the parts
}

// flow is what a disk moved in one direction.
type flow struct {
	op    trace.Role
	curve *overlap.Curve
}

// add adds a disk.
func (d *device) add(p *ledger.Disk) {
	d.parts = append(d.parts, p)
	if !p.Trace.Both {
		d.flows = append(d.flows, flow{p.Trace.Op, p.Curve})
		return
	}
	for _, op := range []trace.Role{trace.Read, trace.Write} {
		d.flows = append(d.flows, flow{op, overlap.NewCurve(p.Trace.Direction(op))})
	}
}

// moved are bytes in both directions.
type moved struct{ read, write float64 }

// own is what the disks were counted to move, and how far that may be off.
func (d *device) own(v overlap.Span) (m moved, doubt float64) {
	for _, f := range d.flows {
		a := f.curve.Between(v)
		doubt += float64(a.High - a.Low)
		if f.op == trace.Write {
			m.write += float64(a.Bytes)
		} else {
			m.read += float64(a.Bytes)
		}
	}
	return m, doubt
}

// compare sets the device's counters against what was counted.
func (d *device) compare(stop string, unwritten Unwritten) *Device {
	first, last := d.counts[0], d.counts[len(d.counts)-1]
	all := overlap.Span{StartNS: first.ns, EndNS: last.ns}
	own, doubt := d.own(all)
	total := moved{last.read - first.read, last.write - first.write}
	out := &Device{WriteBytes: int64(total.write), CountedReadBytes: int64(own.read), CountedWriteBytes: int64(own.write)}
	for _, p := range d.parts {
		out.Disks = append(out.Disks, p.Name())
		doubt += offFile * float64(len(p.Trace.Files))
		if len(p.Active) == 0 {
			continue
		}
		work, doubts := overlap.Span{StartNS: p.StartNS(), EndNS: p.EndNS()}, 0.0
		if stop == scenario.StopHold || stop == scenario.StopTime || len(p.Trace.Open) > 0 {
			doubts++
		}
		for _, ns := range []int64{first.ns, last.ns} {
			if work.StartNS < ns && ns < work.EndNS { // amid the work, all rests on when exactly that was
				doubts++
			}
		}
		doubt += doubts * offRateNS / 1e9 * p.RateIn(work)
	}
	off := offBytes + doubt + offShare*(own.read+own.write)
	if d.reads {
		out.ReadBytes = new(int64(total.read))
		if lack := own.read - total.read; lack > off {
			out.CachedBytes = int64(lack)
		}
	}
	held := unwritten.of(out.Disks)
	late := min(*held, max(0, total.write-own.write))
	*held += max(0, own.write-total.write) - late
	more := max(0, total.write-own.write-late)
	if d.reads {
		more += max(0, total.read-own.read)
	}
	if more > off {
		out.Foreign = d.foreign(total.read > own.read, total.write-late > own.write)
	}
	return out
}

// foreign says when the device moved more than was counted, and how much: over the stretch of readings that has most of
// it.
func (d *device) foreign(reads, writes bool) *Foreign {
	more := make([]float64, len(d.counts)-1) // from one reading to the next
	from, to, best := 0, 0, math.Inf(-1)
	start, sum := 0, 0.0
	for i := range more {
		a, b := d.counts[i], d.counts[i+1]
		own, _ := d.own(overlap.Span{StartNS: a.ns, EndNS: b.ns})
		if reads {
			more[i] += b.read - a.read - own.read
		}
		if writes {
			more[i] += b.write - a.write - own.write
		}
		if sum <= 0 {
			start, sum = i, 0
		}
		if sum += more[i] - offShare*(own.read+own.write); sum > best {
			from, to, best = start, i+1, sum
		}
	}
	f := &Foreign{}
	for _, v := range more[from:to] {
		f.Bytes += v
	}
	first, last := d.counts[from], d.counts[to]
	f.FromS = max(0, float64(first.ns)/1e9)
	f.ToS = float64(last.ns) / 1e9
	f.Rate = f.Bytes / float64(last.ns-first.ns) * 1e9
	// Between its first two readings and its last two the traffic may have lasted for part of the time.
	if inner := f.Bytes - more[from] - more[to-1]; to-from > 2 && inner > 0 {
		f.Rate = inner / float64(d.counts[to-1].ns-d.counts[from+1].ns) * 1e9
	}
	return f
}

// Device is what the disk's device moved by its own counters, beside what was counted of it, from the first reading of
// the phase to the last.
type Device struct {
	Disks             []string `json:"disks"`      // on this device: more than one if names stand for one disk
	ReadBytes         *int64   `json:"read_bytes"` // null if the run read more than it counted, to verify
	WriteBytes        int64    `json:"write_bytes"`
	CountedReadBytes  int64    `json:"counted_read_bytes"`
	CountedWriteBytes int64    `json:"counted_write_bytes"`
	CachedBytes       int64    `json:"cached_bytes"` // read without the device; 0 if that is no more than chance
	Foreign           *Foreign `json:"foreign"`      // null if the device moved no more than was counted
}

// Foreign is traffic on a device that is not the run's.
type Foreign struct {
	Bytes float64 `json:"bytes"`
	Rate  float64 `json:"rate"`
	FromS float64 `json:"from_s"`
	ToS   float64 `json:"to_s"`
}

// Unwritten is how much of what was written to a disk has not been seen to reach its device yet, by disk. It may
// follow in any later phase: a system holds writes back for half a minute, and longer than short phases last. Disks on
// one device share a number.
type Unwritten map[string]*float64

// of is the number that disks on one device share from now on.
func (u Unwritten) of(disks []string) *float64 {
	var sum float64
	var seen []*float64
	for _, disk := range disks {
		if v := u[disk]; v != nil && !slices.Contains(seen, v) {
			seen = append(seen, v)
			sum += *v
		}
	}
	for _, disk := range disks {
		u[disk] = &sum
	}
	return &sum
}
