// Package meter reads what the machine's own gauges say of a phase: readings over time, and what
// each device moved by its own counters beside what was counted of its disks, which shows other
// traffic and reads from a cache. Start at New and Devices.
package meter

import (
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Reading is one value of a gauge.
type Reading struct {
	NS    int64
	Value float64
}

// Gauges are a phase's gauges, each by time, by disk (empty: the host) and name.
type Gauges map[[2]string][]Reading

// New sorts the gauges of a phase; of two readings at one time the first counts.
func New(t *trace.Phase) Gauges {
	m := Gauges{}
	for _, g := range t.Gauges {
		key := [2]string{g.Disk, g.Name}
		if n := len(m[key]); n == 0 || m[key][n-1].NS < g.TNS {
			m[key] = append(m[key], Reading{g.TNS, g.Value})
		}
	}
	return m
}

// Of returns one gauge of a disk, or of the host if the name is empty.
func (m Gauges) Of(disk, name string) []Reading { return m[[2]string{disk, name}] }

// In returns the readings from one time to another.
func In(all []Reading, v overlap.Span) (in []Reading) {
	for _, r := range all {
		if v.StartNS <= r.NS && r.NS <= v.EndNS {
			in = append(in, r)
		}
	}
	return in
}

// Median returns the median of readings, which one wrong reading does not move; NaN of none.
func Median(all []Reading) float64 {
	values := make([]float64, len(all))
	for i, r := range all {
		values[i] = r.Value
	}
	return stats.Median(values)
}

// Moves reports whether a gauge shows more than one value. One that never moves is stuck: some
// disks report the same temperature for ever.
func Moves(all []Reading) bool {
	for _, r := range all {
		if r.Value != all[0].Value {
			return true
		}
	}
	return false
}

// between returns what a counter that begins with 0 at the release grows by from one time to
// another, evenly from each reading to the next.
func between(all []Reading, v overlap.Span) float64 {
	at := func(ns int64) float64 {
		before := Reading{}
		for _, r := range all {
			if r.NS >= ns {
				share := float64(ns-before.NS) / float64(max(1, r.NS-before.NS))
				return before.Value + max(0, share)*(r.Value-before.Value)
			}
			before = r
		}
		return before.Value
	}
	return at(v.EndNS) - at(v.StartNS)
}

// count is a device's two counters at one time.
type count struct {
	ns    int64
	bytes moved
}

// counts returns a disk's counters. If reads are not known they are zero all along, and reads is
// false. There are none if a counter runs backwards: then the disk was plugged in again.
func (m Gauges) counts(disk string) (counts []count, reads bool) {
	readings := m.Of(disk, trace.DeviceRead)
	at := map[int64]float64{}
	for _, r := range readings {
		at[r.NS] = r.Value
	}
	for _, w := range m.Of(disk, trace.DeviceWrite) {
		r, known := at[w.NS]
		if len(readings) > 0 && !known {
			continue
		}
		if n := len(counts); n > 0 {
			before := counts[n-1].bytes
			if r < before[read] || w.Value < before[write] {
				return nil, false
			}
		}
		counts = append(counts, count{w.NS, moved{r, w.Value}})
	}
	return counts, len(readings) > 0
}
