package analysis

import (
	"math"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// together is a phase of disks that are named A, B and so on.
func together(disks ...*trace.DiskRecord) *phase {
	p := &phase{
		trace: &trace.Phase{}, out: &PhaseResult{},
		run: &run{alpha: alphas{comparisons: 1, perDisk: 0.01, perPhase: 0.01, perRecovery: 0.01}},
	}
	var active [][]overlap.Span
	for i, d := range disks {
		d.Name = string(rune('A' + i))
		p.parts = append(p.parts, &diskPart{History: ledger.New(d, work.Work{}, 5e8)})
		p.parts[i].Settle(1)
		active = append(active, p.parts[i].Active)
	}
	p.stages = overlap.Stages(active)
	p.window = overlap.Window(p.stages, len(p.parts))
	return p
}

// sampled is a phase of disks that are sampled finely, each with a rate by the second, MB/s; zero
// is a pause.
func sampled(seconds int, rates ...func(second int) float64) *phase {
	var disks []*trace.DiskRecord
	for _, rate := range rates {
		disks = append(disks, tracetest.FilesAt(func(s int) float64 {
			return 1e6 * rate(s)
		}, seconds))
	}
	return together(disks...)
}

// A falls at 20 s; what the others do then explains it, or does not.
func TestWhatExplainsAFall(t *testing.T) {
	falls := tracetest.Steps(100, [2]float64{20, 50})
	for _, tt := range []struct {
		name  string
		other func(int) float64
		kind  string
	}{
		{"nothing happens", tracetest.Steps(100), KindOwnFall},
		{"B begins then", tracetest.Steps(0, [2]float64{20, 50}), KindStart},
		{"B began before", tracetest.Steps(0, [2]float64{10, 50}), KindOwnFall},
		{"B ends a second before", tracetest.Steps(100, [2]float64{19, 0}), KindUnknown},
		{"B ends three seconds before", tracetest.Steps(100, [2]float64{17, 0}), KindOwnFall},
		{"B ends a second later", tracetest.Steps(100, [2]float64{21, 0}), KindOwnFall},
		{"B gains half of it", tracetest.Steps(100, [2]float64{20, 127}), KindUnknown},
		{"B gains all of it", tracetest.Steps(100, [2]float64{20, 150}), KindRedistribution},
		{"B gains less than half", tracetest.Steps(100, [2]float64{20, 120}), KindOwnFall},
		{"B gains what A left", tracetest.Steps(100, [2]float64{21, 150}), KindOwnFall},
		{"B falls by the same factor", tracetest.Steps(80, [2]float64{20, 40}), KindSharedFall},
		{"B falls by another factor", tracetest.Steps(100, [2]float64{20, 75}), KindUnknown},
	} {
		p := sampled(60, falls, tt.other)
		a := p.parts[0]
		if len(a.Levels) != 2 || math.Abs(seconds(a.Levels[1].StartNS)-20) > 0.2 {
			t.Fatalf("%s: levels %v", tt.name, a.Levels)
		}
		changeFinder{p}.fillChanges()
		check.Same(t, tt.name+": reported as", tt.kind, a.kinds[1])
		got := fallExplainer{p}.throttle(a)
		if (got != nil) != (tt.kind == KindOwnFall) {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if got == nil {
			continue
		}
		check.Near(t, tt.name+": at", 20, got.AtS, 0.1)
		check.Near(t, tt.name+": after", 2000e6, got.AtBytes, 20e6)
		check.Near(t, tt.name+": from", 100e6, got.FromRate, 1e6)
		check.Near(t, tt.name+": to", 50e6, got.ToRate, 1e6)
		check.Near(t, tt.name+": held", 20, got.FirstLevelS, 0.1)
		check.Near(t, tt.name+": lasts", 40, got.LastLevelS, 0.1)
	}
	// Another's recovery then explains it, a second away or nearer.
	p := sampled(60, falls, tracetest.Steps(100))
	lag := 5.0
	for at, want := range map[float64]bool{14.2: true, 15.8: true, 13.8: false, 16.2: false} {
		p.out.Recoveries = []Recovery{{Disk: "B", AtS: at, LagS: &lag, ToRate: &lag}}
		changeFinder{p}.fillChanges()
		if got := p.parts[0].kinds[1]; (got == KindRedistribution) != want {
			t.Errorf("B recovers at %v s: A's fall is reported as %q", at+lag, got)
		}
		p.out.Recoveries = []Recovery{
			{Disk: "A", AtS: at, LagS: &lag, ToRate: &lag}, {Disk: "B", AtS: at},
		}
		changeFinder{p}.fillChanges()
		check.Same(t, "A's own recovery explains its fall", KindOwnFall, p.parts[0].kinds[1])
	}
}

// A falls at 20 s. Another has gained by it that rises by a tenth, works from 2.5 s before it to
// 3.5 s after it, and during which nothing else happens.
func TestGainsFromAFall(t *testing.T) {
	rises := [2]float64{20, 120}
	for _, tt := range []struct {
		name     string
		b, c     func(int) float64
		gains    bool
		fromRate float64
	}{
		{"it rises", tracetest.Steps(80, rises), tracetest.Steps(40), true, 80e6},
		{"by less than a tenth", tracetest.Steps(112, rises), tracetest.Steps(40), false, 0},
		{"it begins three seconds before", tracetest.Steps(0, [2]float64{17, 80}, rises),
			tracetest.Steps(40), true, 80e6},
		{"two", tracetest.Steps(0, [2]float64{18, 80}, rises), tracetest.Steps(40), false, 0},
		{"a second later", tracetest.Steps(0, [2]float64{21, 80}, [2]float64{22, 120}),
			tracetest.Steps(40), false, 0},
		{"it ends four seconds later", tracetest.Steps(80, rises, [2]float64{24, 0}),
			tracetest.Steps(40), true, 80e6},
		{"three", tracetest.Steps(80, rises, [2]float64{23, 0}), tracetest.Steps(40), false, 0},
		{"another ends then", tracetest.Steps(80, rises), tracetest.Steps(40, [2]float64{25, 0}),
			false, 0},
		{"another begins long after", tracetest.Steps(80, rises),
			tracetest.Steps(0, [2]float64{32, 40}), true, 80e6},
	} {
		p := sampled(60, tracetest.Steps(100, [2]float64{20, 50}), tt.b, tt.c)
		// which does nothing
		p.parts = append(p.parts, &diskPart{History: ledger.History{Trace: &trace.DiskRecord{Name: "D"}}})
		fell := &Throttle{Step: ledger.Step{AtS: 20}}
		fallExplainer{p}.neighbourGains(p.parts[0], fell)
		if (len(fell.NeighbourGains) == 1) != tt.gains || tt.gains &&
			fell.NeighbourGains[0].Disk != "B" {
			t.Errorf("%s: %+v", tt.name, fell.NeighbourGains)
			continue
		}
		if tt.gains {
			check.Near(t, tt.name+": from", tt.fromRate, fell.NeighbourGains[0].FromRate, 1e6)
			check.Near(t, tt.name+": to", 120e6, fell.NeighbourGains[0].ToRate, 1e6)
		}
		p.alpha.perRecovery, fell.NeighbourGains = 0, nil
		fallExplainer{p}.neighbourGains(p.parts[0], fell)
		if len(fell.NeighbourGains) != 0 {
			t.Errorf("%s: %+v, which may be chance", tt.name, fell.NeighbourGains)
		}
	}
}
