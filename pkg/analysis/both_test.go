package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// A disk that reads and writes at once counts in both directions, pass by pass and in the one that
// the end of the phase cut short, whatever the other disks do. The truth is known: A reads 700 MB/s
// and writes 300 MB/s, B writes 500 MB/s.
func TestBothDirections(t *testing.T) {
	for _, role := range []trace.Role{trace.Read, trace.Write} {
		reads := map[trace.Role]float64{trace.Read: 0.7, trace.Write: 0.3}[role]
		var text []byte
		add := func(e trace.Event) { text = trace.AppendEvent(text, &e) }
		add(trace.Event{
			Type: trace.RunType, Version: 1, Name: "mix",
			Disks: []trace.Disk{{Name: "A"}, {Name: "B"}},
		})
		add(trace.Event{Type: trace.PhaseType, Phase: "p", Stop: "time",
			Roles: map[string]trace.Role{"A": role, "B": trace.Write},
			Work:  map[string]work.Work{"A": {Reads: reads}}})
		both := func(e trace.Event) {
			r, w := policy.Both(e, int64(reads*float64(e.Bytes)))
			add(r)
			add(w)
		}
		const pass, step = 300_000_000, 50_000_000 // A moves a byte a nanosecond
		for at := int64(0); at <= 10e9; at += step {
			if done := at % pass; done > 0 {
				both(trace.Event{
					Type: trace.ProgressType, Phase: "p", Disk: "A", Seq: int(at / pass),
					Bytes: done, TNS: at,
				})
			} else if at > 0 {
				both(trace.Event{
					Type: trace.FileType, Phase: "p", Disk: "A", Op: role, Seq: int(at/pass) - 1,
					Bytes: pass, StartNS: at - pass, EndNS: at,
				})
			}
		}
		for seq := range 20 {
			add(trace.Event{
				Type: trace.FileType, Phase: "p", Disk: "B", Op: trace.Write, Seq: seq,
				Bytes: 250e6, StartNS: int64(seq) * 5e8, EndNS: int64(seq+1) * 5e8,
			})
		}
		for at := int64(0); at <= 10e9; at += 1e9 { // the disks' own counters agree
			for _, c := range []struct {
				disk, name string
				rate       float64
			}{
				{"A", trace.DeviceRead, reads}, {"A", trace.DeviceWrite, 1 - reads},
				{"B", trace.DeviceRead, 0}, {"B", trace.DeviceWrite, 0.5},
			} {
				add(trace.Event{
					Type: trace.GaugeType, Phase: "p", Disk: c.disk, TNS: at, Name: c.name,
					Value: c.rate * float64(at),
				})
			}
		}
		add(trace.Event{Type: trace.PhaseEndType, Phase: "p", Status: trace.Complete})
		add(trace.Event{Type: trace.EndType, Status: trace.Complete})

		run, err := trace.Load(strings.NewReader(string(text)), "test")
		check.Must(t, err)
		if len(run.Warnings) > 0 {
			t.Errorf("warnings: %q", run.Warnings)
		}
		got := Analyze(run, Options{})
		o := got.Phases[0].Overlap
		near := func(what string, got, want float64) {
			t.Helper()
			check.Near(t, fmt.Sprintf("%s: %s is", role, what), want, got, 1e-6*want)
		}
		// A file that never ended counts from its first sample on: so A lacks what it moved from
		// 9.9 to 9.95 s.
		a := 1e9 - step/10.0
		near("duration", o.DurationS, 10)
		near("read rate", o.ReadRate, a*reads)
		near("write rate", o.WriteRate, a*(1-reads)+500e6)
		near("rate", o.Rate, a+500e6)
		near("A's rate", o.Disks["A"].Rate, a)
		near("A's read rate", o.Disks["A"].ReadRate, a*reads)
		if a := got.Phases[0].Disks["A"]; a.Op != role || a.Files != 33 {
			t.Errorf("A has the op %s and %d files, want %s and 33 passes", a.Op, a.Files, role)
		}
		for name, d := range got.Phases[0].Disks {
			if d.Device == nil || d.Device.Foreign != nil || d.Device.CachedBytes > 0 {
				t.Errorf("%s: of disk %s its counters say %+v, want no other traffic and no cache",
					role, name, d.Device)
			}
		}
		if len(got.Phases[0].Warnings) > 0 {
			t.Errorf("%s: warnings %+v", role, got.Phases[0].Warnings)
		}
	}
}
