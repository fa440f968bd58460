package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
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

// To the last byte of any disk: A's 10 s at 100 MB/s, and B's from then on for 5 s at 50.
func TestSeriesOfAPhase(t *testing.T) {
	at := func(name string, fromS float64, files ...[2]float64) part {
		d := tracetest.FilesOf(files...)
		d.Name = name
		for i := range d.Files {
			d.Files[i].StartNS += ns(fromS)
			d.Files[i].EndNS += ns(fromS)
		}
		return partOf(d)
	}
	p := &phase{parts: []part{at("A", 0, [2]float64{10, 1000e6}), at("B", 10, [2]float64{5, 250e6}), {Disk: level.Disk{Trace: &trace.DiskTrace{Name: "C"}, Curve: overlap.NewCurve(&trace.DiskTrace{})}}}}
	s := p.series()
	if s == nil || s.EndS != 15 || len(s.Disks) != 3 {
		t.Fatalf("%+v", s)
	}
	sums := map[string]float64{}
	for k := range s.Total {
		for name, rates := range s.Disks {
			sums[name] += rates[k] * s.StepS
		}
		if got := s.Disks["A"][k] + s.Disks["B"][k]; s.Total[k] != got {
			t.Errorf("step %d: %v in all, want %v", k, s.Total[k], got)
		}
	}
	if diff := cmp.Diff(map[string]float64{"A": 1000e6, "B": 250e6, "C": 0}, sums, cmpopts.EquateApprox(1e-3, 0)); diff != "" {
		t.Errorf("bytes (-want +got):\n%s", diff)
	}
	if s := (&phase{parts: p.parts[2:]}).series(); s != nil {
		t.Errorf("of a disk that moved nothing: %+v", s)
	}
	if got := spans([]overlap.Interval{span(1, 2.5), span(4, 5)}); !cmp.Equal(got, [][2]float64{{1, 2.5}, {4, 5}}) {
		t.Errorf("spans %v", got)
	}
}

func TestSignificant(t *testing.T) {
	for rate, want := range map[float64]float64{0.4: 0, 0.6: 1, 9999.4: 9999, 10004: 10000, 10006: 10010, 123456789: 123500000, 1e9: 1e9} {
		if got := significant(rate); got != want {
			t.Errorf("%v rounds to %v, want %v", rate, got, want)
		}
	}
}
