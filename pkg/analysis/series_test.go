package analysis

import (
	"testing"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Two disks are stopped by the clock in the middle of a file: to the end of the window the total is that of both.
func TestSeriesCountsTheFileUnderWay(t *testing.T) {
	disk := func(name string, rate int64) *trace.DiskTrace {
		d := &trace.DiskTrace{Name: name, Op: trace.Write}
		for i := range int64(9) {
			d.Files = append(d.Files, trace.File{Seq: int(i), Bytes: rate, StartNS: i * 1e9, EndNS: (i + 1) * 1e9})
		}
		for ns := int64(9e9); ns <= 10e9; ns += 5e7 {
			d.Open = append(d.Open, trace.Sample{TNS: ns, Bytes: rate * (ns - 9e9) / 1e9})
		}
		return d
	}
	run := &trace.Run{Disks: []trace.Disk{{Name: "A"}, {Name: "C"}}, Phases: []*trace.Phase{{
		Name: "WW", Stop: scenario.StopTime, Roles: map[string]trace.Role{"A": trace.Write, "C": trace.Write},
		Disks: []*trace.DiskTrace{disk("A", 0.84e9), disk("C", 2.51e9)},
	}}}
	p := Analyze(run, Options{}).Phases[0]
	if n := len(p.Series.Total); p.Series.EndS != 10 || p.Series.Total[n-1] != 3.35e9 || p.Series.Disks["A"][n-1] != 0.84e9 {
		t.Errorf("the series ends at %g s with %g B/s, A at %g; want 10 s, 3.35e9, 0.84e9", p.Series.EndS, p.Series.Total[n-1], p.Series.Disks["A"][n-1])
	}
	if spans := p.Overlap.Spans; len(spans) != 1 || spans[0] != [2]float64{0, 10} {
		t.Errorf("spans %v, want one from 0 to 10", spans)
	}
}

func TestSignificant(t *testing.T) {
	for rate, want := range map[float64]float64{0.4: 0, 0.6: 1, 9999.4: 9999, 10004: 10000, 10006: 10010, 123456789: 123500000, 1e9: 1e9} {
		if got := significant(rate); got != want {
			t.Errorf("%v rounds to %v, want %v", rate, got, want)
		}
	}
}
