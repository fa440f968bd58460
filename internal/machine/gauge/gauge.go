// Package gauge reads the machine's own meters: what each disk has moved by its own count, for any
// program, how warm it is, what its link has negotiated, and how busy the host's cores are. It
// draws no conclusions (see pkg/analysis), and knows no run: the coordinator decides what is read
// and when.
//
// What cannot be read has no source, and its gauge is missing from the trace: nothing is guessed.
// gopsutil is not used: it counts no discards, asks udev of every disk at each reading, knows
// drives by letters on Windows, and on macOS brings a runtime of its own (purego), which tests on
// other systems cannot load.
//
// Start at Finder for what can be read here, at Sampler for reading it during a phase, and at Count
// for one disk's counters.
package gauge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

// How often sources are read. Counters of the kernel cost microseconds. To ask a disk by SMART,
// which drivetemp does too, delays its requests for a moment, and some are said to warm up by it.
const (
	Every     = time.Second
	slowEvery = 5 * time.Second
)

// Target is a disk whose gauges are wanted: its name in the scenario, and a folder on it.
type Target struct {
	Name string
	Path string
}

// Source is something that can be read again and again.
type Source struct {
	Name  string // Name is for the log.
	Every time.Duration
	AtEnd bool // read at a phase's end as well
	// Total is set if it has counters: their totals are compared, so it is read at a phase's end
	// too, and slow readings are left out.
	Total bool
	Read  func(ctx context.Context) ([]Reading, error)
}

// Finder finds what can be read of disks. It lives as long as a run: it remembers when a disk was
// last asked by SMART.
type Finder struct {
	mu    sync.Mutex
	asked map[string]time.Time
}

// may reports whether a device may be asked by SMART again, and notes that it is.
func (f *Finder) may(device string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.asked[device]) < slowEvery*9/10 {
		return false
	}
	if f.asked == nil {
		f.asked = map[string]time.Time{}
	}
	f.asked[device] = time.Now()
	return true
}

// Find returns what can be read of the disks and of this host.
func (f *Finder) Find(ctx context.Context, disks []Target) (sources []Source) {
	meters := group(ctx, disks, find)
	for _, m := range meters {
		sources = append(append(sources, m.counters()), m.more...)
		if s, ok := f.thermometer(m); ok && !m.warm {
			sources = append(sources, s)
		}
	}
	return append(sources, whole(ctx, meters)...)
}

// Count reads the counters of the disk behind a folder.
func Count(ctx context.Context, folder string) (Counters, error) {
	m, err := find(ctx, folder)
	if err != nil {
		return Counters{}, err
	}
	return m.count(ctx)
}

// Reading is one value; Disk is empty for the host's. Name is one of pkg/trace's names of gauges.
type Reading struct {
	Disk  string
	Name  string
	Value float64
}

// Counters are what a device has moved since it was plugged in, in bytes.
type Counters struct {
	Read, Written int64
	Discarded     int64 // Discarded counts trimmed bytes; 0 if that is not counted.
	// Failures counts requests that failed or were repeated; nil if that is not counted.
	Failures *int64
}

// Sum moves whenever the device does anything.
func (c Counters) Sum() int64 { return c.Read + c.Written + c.Discarded }

// errUnknown marks a folder on no disk that counts what it moves: a network, a memory disk.
var errUnknown = errors.New("no disk with counters")

// meter is one physical device and the disks on it: two names may stand for one.
type meter struct {
	key   string // key is the system's name of the device.
	disks []string
	// parts are its physical devices, as smartctl knows them; several for a RAID set.
	parts []string
	count func(ctx context.Context) (Counters, error)
	every time.Duration // every is the time between counts if they cost much; else 0.
	more  []Source      // more are its other sources.
	warm  bool          // warm says that its temperature is among more.
}

// group groups disks by device; find is called for each. Disks that are not on a known device are
// left out.
func group(
	ctx context.Context, disks []Target,
	find func(ctx context.Context, folder string) (*meter, error),
) []*meter {
	var meters []*meter
	for _, d := range disks {
		m, err := find(ctx, d.Path)
		if err != nil {
			continue
		}
		i := slices.IndexFunc(meters, func(known *meter) bool { return known.key == m.key })
		if i >= 0 {
			m = meters[i]
		} else {
			meters = append(meters, m)
		}
		m.disks = append(m.disks, d.Name)
	}
	return meters
}

// counters returns the source of a device's counters.
func (m *meter) counters() Source {
	read := func(ctx context.Context) ([]Reading, error) {
		c, err := m.count(ctx)
		if err != nil {
			return nil, err
		}
		reads := m.each(trace.DeviceRead, float64(c.Read))
		reads = append(reads, m.each(trace.DeviceWrite, float64(c.Written))...)
		if c.Failures != nil {
			reads = append(reads, m.each(trace.DeviceFailures, float64(*c.Failures))...)
		}
		return reads, nil
	}
	return Source{
		Name: "counters of " + m.key, Every: cmp.Or(m.every, Every), Total: true, Read: read,
	}
}

// each returns a value of the device, for every disk on it.
func (m *meter) each(name string, value float64) []Reading {
	out := make([]Reading, 0, 2*len(m.disks))
	for _, disk := range m.disks {
		out = append(out, Reading{Disk: disk, Name: name, Value: value})
	}
	return out
}

// thermometer returns the source of a device's temperature by SMART, if smartctl is installed and
// finds one. However short the phases are, the disk is asked no more often than slowEvery.
func (f *Finder) thermometer(m *meter) (Source, bool) {
	tool, err := exec.LookPath("smartctl")
	if err != nil || len(m.parts) != 1 { // No disk stands for a whole set.
		return Source{}, false
	}
	return Source{Name: "temperature of " + m.key, Every: slowEvery,
		Read: func(ctx context.Context) ([]Reading, error) {
			if !f.may(m.parts[0]) {
				return nil, nil
			}
			// Bits of its exit status are about the disk's health; the answer is complete anyway.
			text, runErr := exec.CommandContext(ctx, tool, "--json", "-A", m.parts[0]).Output()
			var answer struct { // https://www.smartmontools.org
				Temperature struct{ Current float64 }
			}
			err := json.Unmarshal(text, &answer)
			if celsius := answer.Temperature.Current; celsius > 0 { // Zero stands for none.
				return m.each(trace.Temperature, celsius), nil
			}
			return nil, fmt.Errorf("smartctl: no temperature: %w", cmp.Or(err, runErr, errUnknown))
		}}, true
}

// cpuTimes is how long all cores together were busy, and how long there was, in any unit.
type cpuTimes struct{ busy, total float64 }

// parseStat reads the first line of Linux' /proc/stat: user, nice, system, idle, iowait, irq,
// softirq, steal. A core that waits for a disk is not busy; one that a hypervisor has given to
// another guest is not available.
func parseStat(text string) (cpuTimes, error) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 5 || fields[0] != "cpu" {
		return cpuTimes{}, fmt.Errorf("/proc/stat: its first line is %q", line)
	}
	var t cpuTimes
	// The user's time includes that of guests.
	for i, field := range fields[1:min(len(fields), 9)] {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return cpuTimes{}, fmt.Errorf("/proc/stat: %w", err)
		}
		t.total += ticks
		if i != 3 && i != 4 {
			t.busy += ticks
		}
	}
	return t, nil
}

// cpuSource reads how busy the cores were since the reading before; the first has no value.
func cpuSource(read func() (cpuTimes, error)) Source {
	var last cpuTimes
	return Source{Name: "CPU", Every: Every, Read: func(context.Context) ([]Reading, error) {
		now, err := read()
		if err != nil {
			return nil, err
		}
		was := last
		last = now
		if was.total == 0 || now.total <= was.total {
			return nil, nil
		}
		percent := 100 * (now.busy - was.busy) / (now.total - was.total)
		if percent < 0 || percent > 100.5 {
			return nil, errors.New("CPU times run backwards")
		}
		return []Reading{{Name: trace.CPU, Value: min(percent, 100)}}, nil
	}}
}

// Options are what a Sampler needs.
type Options struct {
	Now func() int64 // nanoseconds
	// Fail is called when a source is given up, by several goroutines at once.
	Fail func(source string, err error)
}

// Readings are what a source read at one time.
type Readings struct {
	AtNS  int64
	Reads []Reading
}

// Sampler reads sources during a run, each in a goroutine of its own: one that hangs holds up
// neither the others nor the run. Each is read at once, then as often as it allows, and those with
// totals and links once more at the end.
type Sampler struct {
	Readings chan Readings // They must be taken soon: until then the source waits.
	opts     Options
	last     chan struct{} // Once it is closed, the totals are read for the last time.
	cancel   context.CancelFunc
	group    sync.WaitGroup
}

const (
	// maxFailures is how many failures in a row a source is allowed: one may be a disk that is
	// busy.
	maxFailures = 3
	// maxReadTime is how long the reading of totals may take: the time of a slower one is
	// uncertain, and what is moved meanwhile would count as someone else's.
	maxReadTime = 500 * time.Millisecond
	// endWait is how long the end of a phase waits for the last readings.
	endWait = 500 * time.Millisecond
	// waiting is how many readings may wait to be taken: more than there are sources.
	waiting = 256
)

// Start begins to read.
func Start(sources []Source, opts Options) *Sampler {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Sampler{
		Readings: make(chan Readings, waiting), opts: opts, last: make(chan struct{}),
		cancel: cancel,
	}
	for _, source := range sources {
		s.group.Go(func() { s.follow(ctx, source) })
	}
	return s
}

// Stop reads the totals once more, has all that was read taken, and ends. A source that hangs in
// the kernel is left behind.
func (s *Sampler) Stop(take func(Readings)) {
	close(s.last)
	defer s.cancel()
	ended := make(chan struct{})
	go func() {
		s.group.Wait()
		close(ended)
	}()
	late := time.NewTimer(endWait)
	defer late.Stop()
	for waits := true; waits || len(s.Readings) > 0; {
		select {
		case r := <-s.Readings:
			take(r)
		case <-ended:
			waits = false
			ended = nil
		case <-late.C:
			waits = false
		}
	}
}

// follow reads one source until the end.
func (s *Sampler) follow(ctx context.Context, source Source) {
	tick := time.NewTicker(source.Every)
	defer tick.Stop()
	failed := 0
	for ending := false; ; {
		beganNS := s.opts.Now()
		reads, err := source.Read(ctx)
		if ctx.Err() != nil {
			return
		}
		if failed++; err == nil {
			failed = 0
		}
		tookNS := s.opts.Now() - beganNS
		if len(reads) > 0 && !(source.Total && tookNS > int64(maxReadTime)) {
			select {
			case s.Readings <- Readings{beganNS + tookNS/2, reads}:
			case <-ctx.Done():
				return
			}
		}
		if failed == maxFailures {
			s.opts.Fail(source.Name, err)
		}
		if ending || failed == maxFailures {
			return
		}
		select {
		case <-tick.C:
		case <-s.last:
			if ending = true; !source.Total && !source.AtEnd {
				return
			}
		}
	}
}
