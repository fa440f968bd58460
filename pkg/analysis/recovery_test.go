package analysis

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// endAt is the disk's trace, cut at that second.
func endAt(s float64, d *trace.DiskTrace) *trace.DiskTrace {
	for i := range d.Files {
		f := &d.Files[i]
		if f.EndNS < ns(s) {
			continue
		}
		f.Bytes = overlap.NewCurve(&trace.DiskTrace{Files: d.Files[i : i+1]}).At(ns(s))
		for len(f.Samples) > 0 && f.Samples[len(f.Samples)-1].TNS > ns(s) {
			f.Samples = f.Samples[:len(f.Samples)-1]
		}
		f.EndNS, d.Files = ns(s), d.Files[:i+1]
		break
	}
	return d
}

// B ends at 30 s. What A is claimed to have gained, by each of the conditions for it.
func TestRecoveryConditions(t *testing.T) {
	rising := tracetest.Flat(700, [2]float64{32, 1200})
	long := func(d *trace.DiskTrace, each int) *trace.DiskTrace { // of that many files each, nothing finer known
		out := &trace.DiskTrace{Op: d.Op}
		for i, f := range d.Files {
			if i%each > 0 {
				last := &out.Files[len(out.Files)-1]
				last.Bytes, last.EndNS = last.Bytes+f.Bytes, f.EndNS
				continue
			}
			f.Samples = nil
			out.Files = append(out.Files, f)
		}
		return out
	}
	rates := func(f func(int) float64, seconds int) *trace.DiskTrace {
		return tracetest.FilesAt(func(s int) float64 { return 1e6 * f(s) }, seconds)
	}
	b := tracetest.Flat(1000, [2]float64{30, 0})
	rose := &Cut{Rose: true, S: 28, Why: "ended", Disk: "A"}
	waits := &Cut{S: 30, Why: "ended", Disk: "A"}
	for _, tt := range []struct {
		name  string
		a, b  *trace.DiskTrace
		after float64 // the chance of a claim by noise alone
		alone float64 // A's rate, MB/s; 0: not known
		lag   float64 // below zero: none
		cut   *Cut
	}{
		{"it rises", rates(rising, 60), rates(b, 60), 0.01, 0, 2, nil},
		{"at once", rates(tracetest.Flat(700, [2]float64{30, 1200}), 60), rates(b, 60), 0.01, 0, 0, nil},
		{"by more than a tenth", rates(tracetest.Flat(700, [2]float64{32, 770.5}), 60), rates(b, 60), 0.01, 0, 2, nil},
		{"by less", rates(tracetest.Flat(700, [2]float64{32, 769.5}), 60), rates(b, 60), 0.01, 0, -1, nil},
		{"chance may have made it", rates(rising, 60), rates(b, 60), 0, 0, -1, nil},
		{"its old level was seen for two seconds", rates(rising, 60), rates(tracetest.Flat(0, [2]float64{28, 1000}, [2]float64{30, 0}), 60), 0.01, 0, 2, nil},
		{"for one", rates(rising, 60), rates(tracetest.Flat(0, [2]float64{29, 1000}, [2]float64{30, 0}), 60), 0.01, 0, -1, nil},
		{"by the luck of a few files", long(rates(rising, 60), 140), rates(b, 60), 0.99, 0, -1, nil},
		{"its new level was seen for three seconds", rates(tracetest.Flat(700, [2]float64{57, 1200}), 60), rates(b, 60), 0.01, 0, 27, nil},
		{"for two", rates(tracetest.Flat(700, [2]float64{58, 1100}), 60), rates(b, 60), 0.01, 0, -1, nil},
		{"for two, and is what it has alone", rates(tracetest.Flat(700, [2]float64{58, 1100}), 60), rates(b, 60), 0.01, 1200, -1, rose},
		{"for two, and is less", rates(tracetest.Flat(700, [2]float64{58, 1100}), 60), rates(b, 60), 0.01, 1250, -1, nil},
		{"for two, by more than bursts do", rates(tracetest.Flat(700, [2]float64{58, 1200}), 60), rates(b, 60), 0.01, 0, 28, nil},
		{"for two, and it falls again", rates(tracetest.Flat(700, [2]float64{40, 1100}, [2]float64{42, 700}), 60), rates(b, 60), 0.01, 1200, -1, nil},
		{"it waits to the end", rates(tracetest.Flat(700), 60), rates(b, 60), 0.01, 876, -1, waits},
		{"for little more than it has", rates(tracetest.Flat(700), 60), rates(b, 60), 0.01, 874, -1, nil},
		{"chance may have made that", rates(tracetest.Flat(700), 60), rates(b, 60), 0, 900, -1, nil},
		{"or the luck of a few files", long(rates(tracetest.Flat(700), 60), 140), rates(b, 60), 0.99, 1400, -1, nil},
		{"B ends half a second before it", rates(tracetest.Flat(70), 40), endAt(39.5, rates(tracetest.Flat(160), 40)), 0.01, 150, -1, &Cut{S: 0.5, Why: "ended", Disk: "A"}},
		{"B ends with it", rates(tracetest.Flat(70), 40), endAt(39.7, rates(tracetest.Flat(160), 40)), 0.01, 150, -1, nil},
	} {
		p := together(tt.a, tt.b)
		p.alpha.after = tt.after
		p.recoveries(alone(p, tt.alone))
		if tt.lag < 0 && tt.cut == nil {
			if got := p.out.Recoveries; len(got) != 0 || len(p.reached) != 0 {
				t.Errorf("%s: %+v", tt.name, got)
			}
			continue
		}
		if len(p.out.Recoveries) != 1 || len(p.reached) != 1 {
			t.Errorf("%s: %+v", tt.name, p.out.Recoveries)
			continue
		}
		got := p.out.Recoveries[0]
		if (got.LagS != nil) != (tt.lag >= 0) || (got.ToRate != nil) != (tt.lag >= 0) || got.Disk != "A" || got.After != "B" {
			t.Errorf("%s: %+v", tt.name, got)
			continue
		}
		if diff := cmp.Diff(tt.cut, got.Cut, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Errorf("%s: cut (-want +got):\n%s", tt.name, diff)
		}
		if tt.lag >= 0 {
			within(t, tt.name+": lag", *got.LagS, tt.lag, 0.05)
			within(t, tt.name+": to", *got.ToRate, p.reached[0].Rate, 0)
		}
	}
	for to, want := range map[float64]bool{10.9: false, 11: true, 12: true} {
		if got := rises(level.Measured{Rate: 10}, level.Measured{Rate: to}); got != want {
			t.Errorf("from 10 to %v is a rise: %v", to, got)
		}
	}
	p := together(rates(rising, 60), rates(b, 60))
	p.parts[0].Work.Pace = 700e6
	if p.recoveries(solos{}); len(p.out.Recoveries) > 0 {
		t.Errorf("of a disk that has a pace: %+v", p.out.Recoveries)
	}
	// Another starts at 45 s, before which A has not risen: it may have later.
	p = together(rates(tracetest.Flat(700), 60), rates(b, 60), rates(tracetest.Flat(0, [2]float64{45, 100}), 60))
	if p.recoveries(alone(p, 900)); len(p.out.Recoveries) > 0 {
		t.Errorf("a start hides the rest: %+v", p.out.Recoveries)
	}
}

// C ends at 20 s, and 11 s later A and B rise together. A ends two seconds after that, and B, which has had its level for those
// two seconds only, rises again.
func TestClimbAfterAClimb(t *testing.T) {
	p := besides(35,
		tracetest.Steps(50, [2]float64{31, 75}, [2]float64{33, 0}),
		tracetest.Steps(50, [2]float64{31, 75}, [2]float64{33, 130}),
		tracetest.Steps(100, [2]float64{20, 0}),
	)
	p.recoveries(nil)
	var got []string
	for _, r := range p.out.Recoveries {
		if r.LagS == nil {
			t.Fatalf("%+v", r)
		}
		got = append(got, fmt.Sprintf("%s after %s, %.0f s", r.Disk, r.After, *r.LagS))
	}
	if want := []string{"A after C, 11 s", "B after C, 11 s", "B after A, 0 s"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
