// Package gauge reads the machine's own meters: what each disk has moved by its own count, for any program, how
// warm it is, what its link has negotiated, and how busy the host's cores are. It draws no conclusions (see
// pkg/analysis), and knows no run: the coordinator decides what is read and when.
//
// What cannot be read has no source, and its gauge is missing from the trace: nothing is guessed. Start at Finder for what
// can be read here, at Sampler for reading it beside a phase, and at Count for one disk's counters.
package gauge

import (
	"context"
	"errors"
	"sync"
	"time"
)

// How often sources are read. Counters of the kernel cost microseconds. To ask a disk by SMART, which drivetemp does too,
// delays its requests for a moment, and some are said to warm up by it.
const (
	Every     = time.Second
	slowEvery = 5 * time.Second
)

// Disk is a disk whose gauges are wanted: its name in the scenario, and a folder on it.
type Disk struct {
	Name string
	Path string
}

// Source is something that can be read again and again.
type Source struct {
	Name  string // for the log
	Every time.Duration
	Total bool // its counters are to be read at a phase's end as well, so that totals can be compared
	Read  func(ctx context.Context) ([]Reading, error)
}

// Finder finds what can be read of disks. It lives as long as a run: it remembers when a disk was last asked by SMART.
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

// Reading is one value; Disk is empty for the host's. Name is one of pkg/trace's names of gauges.
type Reading struct {
	Disk  string
	Name  string
	Value float64
}

// Counters are what a device has moved since it was plugged in, in bytes.
type Counters struct {
	Read, Written int64
	Discarded     int64 // trimmed; 0 if it is not counted
}

// Sum moves whenever the device does anything.
func (c Counters) Sum() int64 { return c.Read + c.Written + c.Discarded }

// errUnknown marks a folder on no disk that counts what it moves: a network, a memory disk.
var errUnknown = errors.New("no disk with counters")
