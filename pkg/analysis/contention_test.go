package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// fieldNotes is a run like the published ones: every disk alone, then pairs, then all three.
func fieldNotes() *trace.Run {
	write := func(name string, paces ...pace) *trace.DiskRecord {
		return diskOf(name, "write", 100e6, paces...)
	}
	read := func(name string, paces ...pace) *trace.DiskRecord {
		return diskOf(name, "read", 100e6, paces...)
	}
	return tracetest.Run(
		tracetest.Phase("WWW", write("A", pace{43, 0.7e9}, pace{60, 1.4e9}),
			write("B", pace{43, 0.7e9}, pace{60, 1.4e9}), write("C", pace{33, 2.1e9})),
		tracetest.Phase("RRR", read("A", pace{30, 1.15e9}), read("B", pace{30, 1.15e9}),
			read("C", pace{30, 1.15e9})),
		tracetest.Phase("CA writing", write("A", pace{23, 0.74e9}, pace{40, 1.5e9}),
			write("C", pace{19, 2.46e9})),
		tracetest.Phase("C writing, A and B reading", read("A", pace{38, 1e9}, pace{50, 2.5e9}),
			read("B", pace{38, 1e9}, pace{50, 2.5e9}), write("C", pace{27, 2.8e9})),
		tracetest.Phase("A writes", write("A", pace{20, 1.5e9})),
		tracetest.Phase("B writes", write("B", pace{20, 1.5e9})),
		tracetest.Phase("C writes", write("C", pace{20, 2.8e9})),
		tracetest.Phase("A reads", read("A", pace{20, 2.6e9})),
		tracetest.Phase("B reads", read("B", pace{20, 2.6e9})),
		tracetest.Phase("C reads", read("C", pace{20, 2.7e9})),
	)
}

func phaseNamed(t *testing.T, a *Analysis, name string) *PhaseResult {
	t.Helper()
	for i := range a.Phases {
		if a.Phases[i].Name == name {
			return &a.Phases[i]
		}
	}
	t.Fatalf("no phase %q", name)
	return nil
}

func TestContention(t *testing.T) {
	a := Analyze(fieldNotes(), Options{})
	www := phaseNamed(t, a, "WWW").Contention
	check.Near(t, "retention of A", 0.7/1.5, *www.Disks["A"].Retention, 0.01)
	check.Near(t, "retention of C", 0.75, *www.Disks["C"].Retention, 0.01)
	if d := www.Disks["A"]; d.Reference != "solo" || d.ReferenceFrom != "A writes" {
		t.Errorf("reference of A: %q from %q, want its own phase", d.Reference, d.ReferenceFrom)
	}
	want := []Steal{
		{From: "A", By: "C", Rate: 0.7e9, Share: 0.5},
		{From: "B", By: "C", Rate: 0.7e9, Share: 0.5},
	}
	check.Same(t, "steals", want, www.Steals, cmpopts.EquateApprox(0.02, 0))
	rrr := phaseNamed(t, a, "RRR").Contention
	if len(rrr.Steals) > 0 {
		t.Errorf("steals among even readers: %+v", rrr.Steals)
	}
	mixed := phaseNamed(t, a, "C writing, A and B reading").Contention
	check.Near(t, "duplex gain", 4.8/3.5, *mixed.DuplexGain, 0.01)
	if www.DuplexGain != nil {
		t.Errorf("duplex gain of writes alone: %v, want none", *www.DuplexGain)
	}
	if solo := phaseNamed(t, a, "A writes").Contention; solo != nil {
		t.Errorf("contention of a disk alone: %+v, want none", solo)
	}
}

// TestHold: filler keeps the disks together in the window, and counts in no total of the disk's own
// work.
func TestHold(t *testing.T) {
	a, c := diskOf("A", "write", 100e6, pace{30, 1e9}), diskOf("C", "write", 100e6, pace{30, 2e9})
	for i := range c.Files {
		c.Files[i].Filler = c.Files[i].EndNS > 15e9
	}
	// cut off when A was done
	c.Open = []trace.Sample{{TNS: 30.01e9, Bytes: 0}, {TNS: 30.04e9, Bytes: 60e6}}
	p := tracetest.Phase("p", a, c)
	p.Stop = "hold"
	got := Analyze(tracetest.Run(p), Options{}).Phases[0]
	check.Near(t, "window", 30, got.Overlap.DurationS, 0.01)
	check.Near(t, "rate of C in it", 2e9, got.Overlap.Disks["C"].Rate, 0.01e9)
	if d := got.Disks["C"]; d.Files != 300 || d.Bytes != 30e9 {
		t.Errorf("C: %d files, %d bytes; want its 300 of work, 30 GB", d.Files, d.Bytes)
	}
	if len(got.Recoveries) > 0 || len(got.Warnings) > 0 {
		t.Errorf("recoveries %v, warnings %v; want none", got.Recoveries, got.Warnings)
	}
}

// TestScore: what the original of a preset would say stands beside what we say, and its warm-up is
// in neither.
func TestScore(t *testing.T) {
	a := diskOf("A", "read", 1e9, pace{1, 3e9}, pace{2, 1e9}, pace{3, 2e9}, pace{5, 1e9})
	b := diskOf("B", "read", 1e9, pace{5, 1e9})
	for _, d := range []*trace.DiskRecord{a, b} {
		for i := range d.Files {
			d.Files[i].Filler = d.Files[i].StartNS < 1e9
		}
	}
	for method, want := range map[string]float64{"median": 1e9, "best": 2e9} {
		p := tracetest.Phase("p", a, b)
		p.Score = method
		got := Analyze(tracetest.Run(p), Options{}).Phases[0]
		d := got.Disks["A"]
		if d.Score == nil || d.Score.Method != method || d.Score.N != d.Files {
			t.Fatalf("%s: got score %+v of %d files", method, d.Score, d.Files)
		}
		check.Near(t, method, want, d.Score.Rate, 0.01e9)
		check.Near(t, "start of the window", 1, got.Overlap.StartS, 0.01)
	}
	if got := Analyze(runOf(a, b), Options{}).Phases[0].Disks["A"].Score; got != nil {
		t.Errorf("got score %+v for a phase that copies no program", got)
	}
}

func TestCensoredRecovery(t *testing.T) {
	solo := tracetest.Phase("A alone", diskOf("A", "write", 100e6, pace{20, 1.5e9}))
	tests := []struct {
		name string
		a    []pace
		solo bool
		want *Cut // nil: no recovery at all
	}{
		{"rises just before its end: too short to tell", []pace{{22, 0.7e9}, {22.8, 1.5e9}}, true,
			nil},
		{"ends before it rises", []pace{{21, 0.7e9}}, true,
			&Cut{AfterS: 2, Why: "ended", Disk: "A"}},
		{"ends before it rises, and nothing says that it would have", []pace{{21, 0.7e9}}, false,
			nil},
		{"nothing changes", []pace{{30, 1.5e9}}, true, nil},
	}
	for _, tt := range tests {
		phases := []*trace.Phase{
			tracetest.Phase("pair", diskOf("A", "write", 100e6, tt.a...),
				diskOf("C", "write", 100e6, pace{19, 2.4e9})),
		}
		if tt.solo {
			phases = append(phases, solo)
		}
		got := Analyze(tracetest.Run(phases...), Options{}).Phases[0].Recoveries
		if tt.want == nil {
			if len(got) > 0 {
				t.Errorf("%s: recoveries %+v, want none", tt.name, got)
			}
			continue
		}
		if len(got) != 1 || got[0].LagS != nil || got[0].ToRate != nil ||
			!cmp.Equal(got[0].Cut, tt.want, cmpopts.EquateApprox(0.05, 0)) {
			t.Errorf("%s: recoveries %+v, want one without a lag, cut off by %+v", tt.name, got,
				tt.want)
		}
	}
}

// A disk that reads and writes at once is held against itself at the same mix, and has no part in
// what one direction's disks share.
func TestMixedDisks(t *testing.T) {
	mixed := func(name string, reads float64, disks ...*trace.DiskRecord) *trace.Phase {
		p := tracetest.Phase(name, disks...)
		p.Work = map[string]work.Work{"A": {Reads: reads}}
		return p
	}
	alone := func(name string, rate float64) *trace.DiskRecord {
		return diskOf(name, trace.Write, 1e8, pace{15, rate})
	}
	both := func(a, b, c float64) []*trace.DiskRecord {
		return []*trace.DiskRecord{
			diskOf("A", trace.Write, 1e8, pace{20, a}), diskOf("B", trace.Write, 1e8, pace{20, b}),
			diskOf("C", trace.Write, 1e8, pace{20, c}),
		}
	}
	a := Analyze(tracetest.Run(
		mixed("A 30/70", 0.3, alone("A", 1.6e9)), tracetest.Phase("A writes", alone("A", 2e9)),
		mixed("A 50/50", 0.5, alone("A", 1.9e9)),
		tracetest.Phase("B", alone("B", 1.5e9)), tracetest.Phase("C", alone("C", 1.5e9)),
		mixed("all", 0.3, both(1.5e9, 0.5e9, 0.5e9)...),
		tracetest.Phase("all write", both(1.5e9, 0.5e9, 0.5e9)...),
		tracetest.Phase("B and C write", both(0, 1e9, 1e9)[1:]...)), Options{})
	c := a.Phases[5].Contention
	if r := c.Disks["A"]; r.ReferenceFrom != "A 30/70" || r.Slowed || *r.Retention < 0.93 ||
		*r.Retention > 0.95 {
		t.Errorf("A at 30/70 is held against %q: %+v", r.ReferenceFrom, r)
	}
	if len(c.Steals) > 0 || !c.Disks["B"].Slowed {
		t.Errorf("beside a disk that does both: %+v", c)
	}
	if c := a.Phases[6].Contention; len(c.Steals) != 2 || c.Disks["A"].ReferenceFrom != "A writes" {
		t.Errorf("if all write, A takes from both: %+v", c)
	}
	if n := len(a.Summary.Contests); n != 1 || a.Summary.Contests[0].Phases[0] != "all write" {
		t.Errorf("contests %+v, want the one phase in which all write", a.Summary.Contests)
	}
}

// What others gain without a disk is claimed beyond noise only, and not of a disk that is on a port
// of its own already.
func TestRemovals(t *testing.T) {
	phases := func() []*trace.Phase {
		return []*trace.Phase{
			tracetest.Phase("A", hold20("A", 1.5)), tracetest.Phase("B", hold20("B", 1.45)),
			tracetest.Phase("AB", hold20("A", 0.7), hold20("B", 1.45)),
		}
	}
	removals := Analyze(tracetest.Run(phases()...), Options{}).Summary.Removals
	if len(removals) != 2 || removals[0].Disk != "B" || removals[0].Gain < 1.1 ||
		removals[1].Gain > 0.01 {
		t.Fatalf("%+v, want B's first, without which A has twice as much", removals)
	}
	if with, without := removals[0].Cases[0], removals[1].Cases[0]; len(with.Disks) != 1 ||
		len(without.Disks) != 0 || with.Without != "A" {
		t.Errorf("without B %+v, without A %+v: want a gain of A alone", with, without)
	}
	moved := phases()
	own := tracetest.Phase("B direct", hold20("B", 2.9))
	own.Connections = map[string]string{"B": trace.Direct}
	removals = Analyze(tracetest.Run(append(moved, own)...), Options{}).Summary.Removals
	if got := removals[0].Own["write"]; got < 2.8e9 || got > 3e9 {
		t.Errorf("B on its own port has %g, want 2.9e9", got)
	}
	moved[2].Connections = map[string]string{"B": trace.Direct}
	for _, r := range Analyze(tracetest.Run(moved...), Options{}).Summary.Removals {
		if r.Disk == "B" {
			t.Errorf("advised to give B a port of its own, which it has: %+v", r)
		}
	}
}

// TestSoloMustBeComparable: the same disk on a port of its own, or in another test, says nothing of
// it on the hub.
func TestSoloMustBeComparable(t *testing.T) {
	for name, change := range map[string]func(p *trace.Phase){
		"direct":       func(p *trace.Phase) { p.Connections = map[string]string{"A": "direct"} },
		"another test": func(p *trace.Phase) { p.Test = "RND4K QD1" },
	} {
		run := fieldNotes()
		for _, p := range run.Phases {
			if p.Name == "A writes" {
				change(p)
			}
		}
		if got := phaseNamed(t, Analyze(run, Options{}),
			"WWW").Contention.Disks["A"].Reference; got == "solo" {
			t.Errorf("%s: taken as the rate alone on the hub", name)
		}
	}
}

// hold20 is a disk that writes for 20 s at a rate in GB/s.
func hold20(name string, rate float64) *trace.DiskRecord {
	return diskOf(name, "write", 100e6, pace{20, rate * 1e9})
}
