package analysis

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// TestFieldNotesPair is the published case: C writes 46.7 GB in 19 s and takes the bandwidth of A,
// which comes back about 4 s later and then has 46.7 GB to write as well.
func TestFieldNotesPair(t *testing.T) {
	a := diskOf("A", "write", 100e6, pace{23, 0.742e9}, pace{23 + (46.7-23*0.742)/1.5, 1.5e9})
	c := diskOf("C", "write", 100e6, pace{19, 2.458e9})
	got := Analyze(runOf(a, c), Options{}).Phases[0]
	o := got.Overlap
	if o == nil {
		t.Fatal("no overlap")
	}
	check.Near(t, "window", 19, o.DurationS, 0.05)
	check.Near(t, "rate", 3.2e9, o.Rate, 0.01e9)
	check.Near(t, "rate of A", 0.742e9, o.Disks["A"].Rate, 0.005e9)
	check.Near(t, "rate of C", 2.458e9, o.Disks["C"].Rate, 0.01e9)
	check.Near(t, "share of A", 0.232, o.Disks["A"].Share, 0.002)
	if len(got.Recoveries) != 1 {
		t.Fatalf("recoveries %+v, want one", got.Recoveries)
	}
	r := got.Recoveries[0]
	check.Near(t, "lag", 4, *r.LagS, 0.2)
	check.Near(t, "rate before", 0.742e9, r.FromRate, 0.01e9)
	check.Near(t, "rate after", 1.5e9, *r.ToRate, 0.02e9)
}

func TestWarnings(t *testing.T) {
	late := func(d *trace.DiskRecord, ns int64) *trace.DiskRecord {
		d.Files[0].StartNS += ns
		return d
	}
	steady := func(name string) *trace.DiskRecord {
		return diskOf(name, "write", 100e6, pace{10, 1e9})
	}
	broken := steady("A")
	broken.Errors = []trace.Failure{{Seq: 7, TNS: 3e9, Error: "no space left"}}
	open := steady("A")
	open.Open = []trace.Sample{{TNS: 10e9, Bytes: 0}, {TNS: 11e9, Bytes: 1e9}}
	odd := steady("A")
	odd.Files = append(odd.Files, trace.File{StartNS: 11e9, EndNS: 10e9, Bytes: 5},
		trace.File{StartNS: 12e9, EndNS: 13e9})
	double := steady("A")
	double.Files[1].StartNS -= 1000
	tests := []struct {
		name  string
		disks []*trace.DiskRecord
		want  []string
	}{
		{"clean", []*trace.DiskRecord{steady("A"), steady("B")}, nil},
		{"skew", []*trace.DiskRecord{late(steady("A"), 0), late(steady("B"), 1_100_000)},
			[]string{"start_skew"}},
		{"small skew", []*trace.DiskRecord{late(steady("A"), 0), late(steady("B"), 900_000)}, nil},
		{"failed", []*trace.DiskRecord{broken}, []string{"partial"}},
		{"unfinished", []*trace.DiskRecord{open}, []string{"partial"}},
		{"unusable", []*trace.DiskRecord{odd}, []string{"unusable_files"}},
		{"overlapping", []*trace.DiskRecord{double}, []string{"overlapping_files"}},
		{"thin", []*trace.DiskRecord{diskOf("A", "write", 100e6, pace{1, 1e9})},
			[]string{"thin_window"}},
		{"few", []*trace.DiskRecord{diskOf("A", "write", 2e9, pace{5, 1e9})},
			[]string{"few_files"}},
		{"silent", []*trace.DiskRecord{steady("A"), {Name: "B", Op: "write"}},
			[]string{"no_overlap"}},
	}
	for _, tt := range tests {
		var got []string
		for _, w := range Analyze(runOf(tt.disks...), Options{}).Phases[0].Warnings {
			got = append(got, w.Code)
			if w.Text == "" {
				t.Errorf("%s: %s says nothing", tt.name, w.Code)
			}
		}
		check.Same(t, tt.name, tt.want, got)
	}
}

// TestStopped: a phase in which the machine slept says so, and other gauges do not.
func TestStopped(t *testing.T) {
	run := runOf(diskOf("A", "write", 100e6, pace{10, 1e9}))
	run.Phases[0].Gauges = []trace.Gauge{
		{Name: trace.CPU, TNS: 1e9, Value: 50}, {Name: trace.Stopped, TNS: 2e9},
	}
	if got := Analyze(run, Options{}).Phases[0].Warnings; len(got) > 0 {
		t.Errorf("without a stop: %v", got)
	}
	run.Phases[0].Gauges = append(run.Phases[0].Gauges,
		trace.Gauge{Name: trace.Stopped, TNS: 9e9, Value: 6},
		trace.Gauge{Name: trace.Stopped, TNS: 20e9, Value: 0.5})
	want := []Warning{{Code: "stopped", Values: StoppedValues{Seconds: 6.5, Times: 2, AtS: 3},
		Text: "everything stopped for 6.5 s at 3 s: the computer slept, or hubbench was stopped, " +
			"2 times; measure this phase again"}}
	check.Same(t, "with two", want, Analyze(run, Options{}).Phases[0].Warnings)
	// The worker of a disk that was stopped with all of it, and one that was stopped alone.
	run.Phases[0].Gauges = append(run.Phases[0].Gauges,
		trace.Gauge{Disk: "A", Name: trace.Stopped, TNS: 9.3e9, Value: 6.2},
		trace.Gauge{Disk: "A", Name: trace.Stopped, TNS: 30e9, Value: 7})
	want = append(want, Warning{Code: "stopped", Disk: "A",
		Values: StoppedValues{Seconds: 7, Times: 1, AtS: 23},
		Text:   "disk A stalled for 7 s at 23 s: its worker was stopped; measure this phase again"})
	check.Same(t, "with a disk's", want, Analyze(run, Options{}).Phases[0].Warnings)
}

// TestCached: a hub cannot be faster than its link, so a cache was; an internal disk can.
func TestCached(t *testing.T) {
	for connection, want := range map[string]bool{"hub": true, "internal": false, "": false} {
		run := runOf(diskOf("A", "read", 100e6, pace{10, 12e9}))
		run.Disks[0].Connection = connection
		warnings := Analyze(run, Options{}).Phases[0].Warnings
		check.Same(t, fmt.Sprintf("connection %q: warned of a cache", connection), want,
			slices.ContainsFunc(warnings, func(w Warning) bool { return w.Code == "cached" }))
	}
}

// Simulated disks begin as one, whenever their processes did.
func TestNoSkewWarningOnASimulatedHub(t *testing.T) {
	run := runOf(diskOf("A", "write", 100e6, pace{10, 1e9}),
		diskOf("B", "write", 100e6, pace{10, 1e9}))
	for i, late := range []int64{0, 5e6} {
		run.Phases[0].Disks[i].LateNS = &late
		run.Disks[i].Profile = run.Disks[i].Name
	}
	p := Analyze(run, Options{}).Phases[0]
	if len(p.Warnings) > 0 {
		t.Errorf("got warnings %v, want none", p.Warnings)
	}
	if p.StartSkewS == nil || *p.StartSkewS != 0.005 {
		t.Errorf("got skew %v, want the processes' 5 ms all the same", p.StartSkewS)
	}
}

// A disk whose worker was stopped for 3 s of 15 stalled for that long, by no fault of its own, and
// did not fall: with files too small for samples, and with one that has them.
func TestStoppedWorker(t *testing.T) {
	for _, size := range []float64{0.02, 1} {
		stopped := diskOf("A", "write", size*1e9, pace{12, 1e9})
		for i := range stopped.Files {
			f := &stopped.Files[i]
			if f.EndNS > 9e9 {
				f.EndNS += 3e9
			}
			if f.StartNS >= 9e9 {
				f.StartNS += 3e9
			}
			for k := range f.Samples() {
				if f.Samples()[k].TNS > 9e9 {
					f.Samples()[k].TNS += 3e9
				}
			}
		}
		run := runOf(stopped, diskOf("B", "write", 20e6, pace{15, 1e9}))
		run.Phases[0].Gauges = []trace.Gauge{
			{Disk: "A", Name: trace.Stopped, TNS: 12.1e9, Value: 3.4},
		}
		a := Analyze(run, Options{})
		var stalls int
		for _, c := range a.Phases[0].Changes {
			switch {
			case c.Kind == KindStall && c.Cause == CauseHost && math.Abs(c.EndS-c.StartS-3) < 0.1:
				stalls++
			case c.Kind != KindEnd:
				t.Errorf("files of %v GB: %+v", size, c)
			}
		}
		if stalls != 1 {
			t.Errorf("files of %v GB: %d standstills of the host's, want 1", size, stalls)
		}
		for _, f := range a.Findings {
			if slices.Contains(f.Disks, "A") && f.Code != KindStall {
				t.Errorf("files of %v GB: found %+v", size, f)
			}
		}
	}
}

// A phase is called by who does what if its name is a pattern; two of one title also have their
// names.
func TestTitles(t *testing.T) {
	run := &trace.Run{Disks: []trace.Disk{{Name: "A"}, {Name: "B"}}}
	for _, name := range []string{"WR", "RW", "A W, B R", "edit"} {
		roles := map[string]trace.Role{"A": trace.Write, "B": trace.Read}
		if name == "RW" {
			roles = map[string]trace.Role{"A": trace.Write, "B": trace.Write}
		}
		run.Phases = append(run.Phases, &trace.Phase{Name: name, Roles: roles})
	}
	a := Analyze(run, Options{})
	for i, want := range []string{
		"A writes, B reads (WR)", "RW", "A writes, B reads (A W, B R)", "edit",
	} {
		p := a.Phases[i]
		if p.Title != want || a.Title(p.Name) != want {
			t.Errorf("phase %s is called %q, want %q", p.Name, p.Title, want)
		}
	}
}

// Each disk that stays after the end of another is a chance for noise to look like a recovery.
func TestChancesOfRecoveries(t *testing.T) {
	for _, tt := range []struct{ disks, paced, want int }{
		{1, 0, 1}, {2, 0, 1}, {3, 0, 3}, {4, 0, 6}, {12, 0, 66}, {2, 1, 1}, {4, 2, 5}, {3, 3, 1},
	} {
		p := &trace.Phase{Work: map[string]work.Work{}}
		for i := range tt.disks {
			name := string(rune('A' + i))
			p.Disks = append(p.Disks, &trace.DiskRecord{Name: name})
			if i < tt.paced {
				p.Work[name] = work.Work{Pace: 1e6}
			}
		}
		got := newAlphas(&trace.Run{Phases: []*trace.Phase{p}}).perRecovery
		check.Near(t, fmt.Sprintf("comparisons of %+v", tt), float64(tt.want), falseClaimRate/got,
			1e-9)
	}
}
