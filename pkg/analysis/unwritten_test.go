package analysis

import (
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// A system holds writes back for longer than a short phase lasts, and no phase that cannot be judged makes them someone
// else's: what reaches the device late is foreign in no later phase, and what is more than that is.
func TestLateWritesOfEarlierPhases(t *testing.T) {
	read := func(name, disk string, late float64) *trace.Phase {
		d := evenDisk(disk, trace.Read, 5, 1e8)
		p := tracetest.Phase(name, d)
		p.Gauges = tracetest.Counters(d, 5, late/float64(len(d.Files)))
		return p
	}
	write := func(disks ...string) *trace.Phase { // 1.8 GB that the device does not see
		var work []*trace.DiskTrace
		var gauges []trace.Gauge
		for _, disk := range disks {
			d := evenDisk(disk, trace.Write, 10, 1e8)
			work = append(work, d)
			gauges = append(gauges, tracetest.Counters(d, 10, 0, tracetest.Traffic{ToS: 10, Rate: -180e6})...)
		}
		p := tracetest.Phase("w", work...)
		p.Gauges = gauges
		return p
	}
	failed, partial, unseen, shared := write("A"), write("A"), write("A"), write("A", "B")
	failed.Disks[0].Errors = []trace.Failure{{Seq: 3, TNS: 5e9, Error: "no space left on device"}}
	partial.Status = trace.Partial
	unseen.Gauges = nil
	for name, tc := range map[string]struct {
		phases []*trace.Phase
		want   bool
	}{
		"two phases later":    {[]*trace.Phase{write("A"), read("r1", "A", 0.8e9), read("r2", "A", 0.9e9)}, false},
		"after a failure":     {[]*trace.Phase{failed, read("r", "A", 1.5e9)}, false},
		"after a partial one": {[]*trace.Phase{partial, read("r", "A", 1.5e9)}, false},
		"after an unseen one": {[]*trace.Phase{unseen, read("r", "A", 1.5e9)}, false},
		"of a shared device":  {[]*trace.Phase{shared, read("r", "B", 3e9)}, false},
		"more than was late":  {[]*trace.Phase{write("A"), read("r1", "A", 1.7e9), read("r2", "A", 0.9e9)}, true},
		"another disk's":      {[]*trace.Phase{write("A"), read("r", "C", 1e9)}, true},
	} {
		if f := findingOf(Analyze(tracetest.Run(tc.phases...), Options{}), "foreign_traffic"); (f != nil) != tc.want {
			t.Errorf("%s: foreign traffic %+v, want any: %v", name, f, tc.want)
		}
	}
}

// A first or a last reading from amid the work is as good as its time, which a busy machine makes some 0.1 s wrong.
func TestReadingsAmidTheWork(t *testing.T) {
	d := evenDisk("A", trace.Read, 3, 1e8)
	all := tracetest.Counters(d, 3, 0)
	late := all[2 : len(all)-2] // the first second's and the last
	for i := range late[:2] {
		late[i].TNS += 90e6
	}
	for _, g := range [][]trace.Gauge{late, late[:len(late)-2]} {
		if a := Analyze(gauged(g, d), Options{}); findingOf(a, "cached") != nil || findingOf(a, "foreign_traffic") != nil {
			t.Errorf("%v of %d readings, the first 0.09 s late", codes(a), len(g))
		}
	}
}
