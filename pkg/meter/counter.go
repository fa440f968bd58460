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
	offShare = 0.02    // Less than this share of what was counted is no other traffic.
	offBytes = 4 << 20 // Superblocks, journals and what a system does now and then are less.
	offFile  = 64 << 10
	// A file cut short is known by its last sample, and a reading's time to so much of the disk's
	// rate.
	offRateNS = 1e8
)

// Devices holds what was counted of a phase's disks against their devices' own counters, by disk.
// Disks with the same counters share a device.
func Devices(t *trace.Phase, m Gauges, disks []*ledger.History, late Unwritten) map[string]*Device {
	found := map[string]*Device{}
	for len(disks) > 0 {
		counts, reads := m.counts(disks[0].Name())
		known := len(counts) > 1
		sound := known && t.Status != trace.Partial
		d := device{counts: counts, reads: reads}
		if !known { // Nobody saw how much reached the device, so nothing did.
			d.counts = []count{{ns: math.MinInt64}, {ns: math.MaxInt64}}
		}
		var others []*ledger.History
		for i, disk := range disks {
			same, _ := m.counts(disk.Name())
			if i > 0 && !(known && slices.Equal(counts, same)) {
				others = append(others, disk)
				continue
			}
			d.add(disk, m.Of(disk.Name(), trace.ReadBack))
			sound = sound && len(disk.Trace.Errors) == 0 && len(disk.Active) > 0
		}
		disks = others
		out := d.compare(t.Stop, late)
		if m.movesMore(out.Disks) {
			out.Foreign = nil
		}
		if sound {
			for _, name := range out.Disks {
				found[name] = out
			}
		}
	}
	return found
}

// movesMore reports whether the device moves more than is counted of one of its disks, by what
// hubbench does itself.
func (m Gauges) movesMore(disks []string) bool {
	for _, disk := range disks {
		if len(m.Of(disk, trace.CachedWrites)) > 0 || len(m.Of(disk, trace.FilledFiles)) > 0 {
			return true
		}
	}
	return false
}

// The directions index what was moved.
const (
	read = iota
	write
)

// moved are bytes by direction.
type moved [2]float64

// device is a physical device and the disks on it.
type device struct {
	counts []count
	reads  bool // reads is whether its reads are known.
	disks  []*ledger.History
	curves [2][]*overlap.Curve // curves are the disks', by direction.
	backs  [][]Reading         // what each disk read once more, to verify
}

// add adds a disk, and the counter of what it read once more.
func (d *device) add(p *ledger.History, back []Reading) {
	d.disks = append(d.disks, p)
	d.backs = append(d.backs, back)
	for op, role := range []trace.Role{trace.Read, trace.Write} {
		curve := p.Curve
		if p.Trace.Both || p.Trace.Op != role {
			curve = overlap.NewCurve(p.Trace.Direction(role))
		}
		d.curves[op] = append(d.curves[op], curve)
	}
}

// own returns what the disks were counted to move, and how far that may be off.
func (d *device) own(v overlap.Span) (bytes moved, doubt float64) {
	for op, curves := range d.curves {
		for _, c := range curves {
			a := c.Between(v)
			bytes[op] += float64(a.Bytes)
			doubt += float64(a.High - a.Low)
		}
	}
	return bytes, doubt
}

// readBack returns what the disks read once more, to verify.
func (d *device) readBack(v overlap.Span) (bytes float64) {
	for _, counter := range d.backs {
		bytes += between(counter, v)
	}
	return bytes
}

// compare sets the device's counters against what was counted.
func (d *device) compare(stop string, unwritten Unwritten) *Device {
	first := d.counts[0]
	last := d.counts[len(d.counts)-1]
	all := overlap.Between(first.ns, last.ns)
	own, off := d.own(all)
	back := d.readBack(all)
	off += offBytes + offShare*(own[read]+own[write]+back)
	out := &Device{
		ReadBackBytes:     int64(back),
		WriteBytes:        int64(last.bytes[write] - first.bytes[write]),
		CountedReadBytes:  int64(own[read]),
		CountedWriteBytes: int64(own[write]),
	}
	for _, p := range d.disks {
		out.Disks = append(out.Disks, p.Name())
		off += offFile * float64(len(p.Trace.Files))
		if len(p.Active) == 0 {
			continue
		}
		work := overlap.Between(p.StartNS(), p.EndNS())
		doubts := 0.0
		if stop == scenario.StopHold || stop == scenario.StopTime || len(p.Trace.Open) > 0 {
			doubts++
		}
		for _, ns := range []int64{first.ns, last.ns} {
			// Amid the work, all depends on when exactly that was.
			if work.StartNS < ns && ns < work.EndNS {
				doubts++
			}
		}
		off += doubts * offRateNS / 1e9 * p.RateIn(work)
	}
	late := unwritten.of(out.Disks)
	var excess moved // excess is beyond what was counted, and what was still to be written before.
	for op := range excess {
		excess[op] = last.bytes[op] - first.bytes[op] - own[op]
	}
	excess[write] -= *late
	*late = max(0, -excess[write])
	if d.reads {
		out.ReadBytes = new(int64(last.bytes[read] - first.bytes[read]))
		if -excess[read] > off {
			out.CachedBytes = int64(-excess[read])
		}
		excess[read] -= back // which a cache may serve: it makes up for no missing reads
	}
	if max(0, excess[read])+max(0, excess[write]) > off {
		out.Foreign = d.foreign(excess)
	}
	return out
}

// foreign says when the device moved more than was counted, in the directions with an excess, and
// how much: over the stretch of readings that has most of it.
func (d *device) foreign(excess moved) *Foreign {
	more := make([]float64, len(d.counts)-1) // more is from one reading to the next.
	from := 0
	to := 0
	best := math.Inf(-1)
	start := 0
	sum := 0.0
	for i := range more {
		a := d.counts[i]
		b := d.counts[i+1]
		own, _ := d.own(overlap.Between(a.ns, b.ns))
		own[read] += d.readBack(overlap.Between(a.ns, b.ns))
		for op := range own {
			if excess[op] > 0 {
				more[i] += b.bytes[op] - a.bytes[op] - own[op]
			}
		}
		if sum <= 0 {
			start = i
			sum = 0
		}
		if sum += more[i] - offShare*(own[read]+own[write]); sum > best {
			from = start
			to = i + 1
			best = sum
		}
	}
	first, last := d.counts[from], d.counts[to]
	var bytes float64
	for _, extra := range more[from:to] {
		bytes += extra
	}
	f := &Foreign{
		Bytes: bytes,
		Rate:  bytes / float64(last.ns-first.ns) * 1e9,
		FromS: max(0, float64(first.ns)/1e9),
		ToS:   float64(last.ns) / 1e9,
	}
	// Between its first two readings and its last two the traffic may have lasted for part of the
	// time.
	if inner := bytes - more[from] - more[to-1]; to-from > 2 && inner > 0 {
		f.Rate = inner / float64(d.counts[to-1].ns-d.counts[from+1].ns) * 1e9
	}
	return f
}

// Device is what the disk's device moved by its own counters, beside what was counted of it, from
// the first reading of the phase to the last.
type Device struct {
	// Disks are on this device: more than one if names stand for one disk.
	Disks []string `json:"disks"`
	// ReadBytes is null if the device does not count its reads.
	ReadBytes         *int64 `json:"read_bytes"`
	WriteBytes        int64  `json:"write_bytes"`
	CountedReadBytes  int64  `json:"counted_read_bytes"`
	CountedWriteBytes int64  `json:"counted_write_bytes"`
	// ReadBackBytes were read once more to verify them, apart from what is counted.
	ReadBackBytes int64 `json:"read_back_bytes"`
	// CachedBytes were read without the device; 0 if that may be chance.
	CachedBytes int64 `json:"cached_bytes"`
	// Null if the device moved no more than was counted, or if it always does with such work
	Foreign *Foreign `json:"foreign"`
}

// Foreign is traffic on a device that is not the run's.
type Foreign struct {
	Bytes float64 `json:"bytes"`
	Rate  float64 `json:"rate"`
	FromS float64 `json:"from_s"`
	ToS   float64 `json:"to_s"`
}

// Unwritten is how much of what was written to a disk has not been seen to reach its device yet, by
// disk. It may follow in any later phase: a system holds writes back for half a minute, and longer
// than short phases last. Disks on one device share a number.
type Unwritten map[string]*float64

// of returns the number that disks on one device share from now on.
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
