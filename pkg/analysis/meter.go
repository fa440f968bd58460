package analysis

import (
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// reading is one value of a gauge.
type reading struct {
	ns    int64
	value float64
}

// meters are a phase's gauges, each by time, by disk (empty: the host) and name.
type meters map[[2]string][]reading

func newMeters(t *trace.Phase) meters {
	m := meters{}
	for _, g := range t.Gauges {
		key := [2]string{g.Disk, g.Name}
		if n := len(m[key]); n == 0 || m[key][n-1].ns < g.TNS {
			m[key] = append(m[key], reading{g.TNS, g.Value})
		}
	}
	return m
}

func (m meters) of(disk, name string) []reading { return m[[2]string{disk, name}] }

// readingsIn are the readings from one time to another.
func readingsIn(all []reading, v overlap.Interval) []reading {
	from := sort.Search(len(all), func(i int) bool { return all[i].ns >= v.StartNS })
	to := sort.Search(len(all), func(i int) bool { return all[i].ns > v.EndNS })
	return all[from:max(from, to)]
}

// middle is the median of readings, which one slip of a sensor does not move; NaN of none.
func middle(all []reading) float64 {
	values := make([]float64, len(all))
	for i, r := range all {
		values[i] = r.value
	}
	return stats.Median(values)
}

// moves reports whether a gauge shows more than one value. One that never moves is stuck: some disks report the same
// temperature for ever.
func moves(all []reading) bool {
	return slices.ContainsFunc(all, func(r reading) bool { return r.value != all[0].value })
}

// count is a device's two counters at one time.
type count struct {
	ns          int64
	read, write float64
}

// counts are a disk's counters. Where reads are not known they are zero all along, and reads is false. There are none
// where a counter runs backwards: then the disk was plugged in anew.
func (m meters) counts(disk string) (counts []count, reads bool) {
	written, read := m.of(disk, trace.DeviceWrite), m.of(disk, trace.DeviceRead)
	at := map[int64]float64{}
	for _, r := range read {
		at[r.ns] = r.value
	}
	for _, w := range written {
		r, known := at[w.ns]
		if len(read) > 0 && !known {
			continue
		}
		c := count{w.ns, r, w.value}
		if n := len(counts); n > 0 && (c.read < counts[n-1].read || c.write < counts[n-1].write) {
			return nil, false
		}
		counts = append(counts, c)
	}
	return counts, len(read) > 0
}
