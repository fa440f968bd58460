package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

// A rise that brings the same disks back to what they had is the end of their last fall, and what
// is small is not reported.
func TestInOrder(t *testing.T) {
	one := func(kind string, atS, from, to float64, disks ...string) Change {
		c := Change{
			StartS: atS, EndS: atS, Kind: kind, FromRate: from, ToRate: to, Disks: disks,
			AtCI: &stats.Interval{atS, atS},
		}
		for _, name := range disks {
			if len(disks) > 1 {
				c.Each = append(c.Each, Shift{name, from / float64(len(disks)),
					to / float64(len(disks))})
			}
		}
		return c
	}
	type reported struct {
		Kind         string
		StartS, EndS float64
	}
	for _, tt := range []struct {
		name string
		all  []Change
		want []reported
	}{
		{"undone", []Change{one(KindUnknown, 20, 50, 100, "A"), one(KindOwnFall, 10, 100, 50, "A")},
			[]reported{{KindOwnFall, 10, 20}}},
		{
			"undone except for a tenth",
			[]Change{one(KindOwnFall, 10, 100, 50, "A"), one(KindUnknown, 20, 50, 90, "A")},
			[]reported{{KindOwnFall, 10, 20}},
		},
		{
			"undone except for a fifth",
			[]Change{one(KindOwnFall, 10, 100, 50, "A"), one(KindUnknown, 20, 50, 80, "A")},
			[]reported{{KindOwnFall, 10, 10}, {KindUnknown, 20, 20}},
		},
		{
			"another disk's rise",
			[]Change{one(KindOwnFall, 10, 100, 50, "A"), one(KindUnknown, 20, 50, 100, "B")},
			[]reported{{KindOwnFall, 10, 10}, {KindUnknown, 20, 20}},
		},
		{
			"one of two disks",
			[]Change{
				one(KindSharedFall, 10, 200, 100, "A", "B"), one(KindUnknown, 20, 50, 100, "A"),
			},
			[]reported{{KindSharedFall, 10, 10}, {KindUnknown, 20, 20}},
		},
		{
			"both of two disks",
			[]Change{
				one(KindSharedFall, 10, 200, 100, "A", "B"),
				one(KindSharedRise, 20, 100, 200, "A", "B"),
			},
			[]reported{{KindSharedFall, 10, 20}},
		},
		{"a shared rise of its own", []Change{one(KindSharedRise, 20, 100, 200, "A", "B")},
			[]reported{{KindSharedRise, 20, 20}}},
		{
			"a stall between",
			[]Change{
				one(KindOwnFall, 10, 100, 50, "A"), one(KindStall, 15, 50, 0, "A"),
				one(KindUnknown, 20, 50, 100, "A"),
			},
			[]reported{{KindOwnFall, 10, 20}, {KindStall, 15, 15}},
		},
		{
			"another change between",
			[]Change{
				one(KindOwnFall, 10, 100, 50, "A"), one(KindStart, 15, 50, 40, "A"),
				one(KindUnknown, 20, 40, 100, "A"),
			},
			[]reported{{KindOwnFall, 10, 10}, {KindStart, 15, 15}, {KindUnknown, 20, 20}},
		},
		{
			"a recovery undoes nothing",
			[]Change{one(KindOwnFall, 10, 100, 50, "A"), one(KindRecovery, 20, 50, 100, "A")},
			[]reported{{KindOwnFall, 10, 10}, {KindRecovery, 20, 20}},
		},
		{"small", []Change{one(KindOwnFall, 10, 100, 86, "A")}, []reported{}},
		{"large enough", []Change{one(KindOwnFall, 10, 100, 84, "A")},
			[]reported{{KindOwnFall, 10, 10}}},
	} {
		got := []reported{}
		for _, c := range inOrder(tt.all) {
			got = append(got, reported{c.Kind, c.StartS, c.EndS})
		}
		check.Same(t, tt.name, tt.want, got)
	}
}

func TestAdvice(t *testing.T) {
	gain := func(disk string, by, off float64, gaining ...string) Removal {
		c := RemovalCase{Disks: map[string]RemovalFor{}}
		for _, name := range gaining {
			c.Disks[name] = RemovalFor{}
		}
		return Removal{Disk: disk, Gain: by, Error: off, Cases: []RemovalCase{c}}
	}
	keeps := func(kept float64) Contest {
		each := ContestDisk{Op: trace.Write, Rate: 1, Kept: kept}
		return Contest{
			Phases: []string{"WWW"}, Disks: map[string]ContestDisk{"A": each, "B": each, "C": each},
		}
	}
	without := func(disk string) MissingPhase {
		roles := map[string]trace.Role{"A": trace.Write, "B": trace.Write, "C": trace.Write}
		delete(roles, disk)
		return MissingPhase{disk, roles}
	}
	most := []Removal{gain("A", 0.04, 0), gain("B", 0.04, 0)}
	for _, tt := range []struct {
		name string
		s    Summary
		want []Advice
	}{
		{"nothing together", Summary{}, []Advice{}},
		{"all keep their rates", Summary{Contests: []Contest{keeps(0.95)}},
			[]Advice{{Kind: AdviceShare, Disks: []string{}}}},
		{
			"no phase without a disk", Summary{Contests: []Contest{keeps(0.5)}},
			[]Advice{
				{Kind: AdviceUnmeasured, Disks: []string{},
					Missing: []MissingPhase{without("A"), without("B"), without("C")}},
			},
		},
		{
			"one that could tell", Summary{Contests: []Contest{keeps(0.5)}, Removals: most},
			[]Advice{
				{Kind: AdviceUnmeasured, Disks: []string{}, Missing: []MissingPhase{without("C")}},
			},
		},
		{
			"too little to gain",
			Summary{
				Contests: []Contest{keeps(0.5)},
				Removals: append([]Removal{gain("C", 0.09, 0, "A")}, most...),
			},
			[]Advice{{Kind: AdviceNone, Disks: []string{}}},
		},
		{
			"no disk shown to gain",
			Summary{
				Contests: []Contest{keeps(0.5)},
				Removals: append([]Removal{gain("C", 0.5, 0)}, most...),
			},
			[]Advice{{Kind: AdviceNone, Disks: []string{}, Gain: 0.5}},
		},
		{
			"one",
			Summary{
				Contests: []Contest{keeps(0.5)},
				Removals: []Removal{
					gain("C", 0.5, 0.1, "A"), gain("B", 0.3, 0.1, "A"), gain("A", 0, 0),
				},
			},
			[]Advice{{Kind: AdviceOwnPort, Disks: []string{"C"}, Gain: 0.5, Error: 0.1}},
		},
		{
			"any of three",
			Summary{
				Contests: []Contest{keeps(0.5)},
				Removals: []Removal{
					gain("C", 0.5, 0, "A"), gain("B", 0.48, 0, "A"), gain("A", 0.46, 0, "B"),
				},
			},
			[]Advice{{Kind: AdviceAnyOwnPort, Disks: []string{"C", "A", "B"}, Gain: 0.5}},
		},
		{
			"within the errors",
			Summary{
				Contests: []Contest{keeps(0.5)},
				Removals: []Removal{
					gain("C", 0.5, 0.2, "A"), gain("B", 0.3, 0.1, "A"), gain("A", 0, 0),
				},
			},
			[]Advice{{Kind: AdviceNone, Disks: []string{}, Gain: 0.5, Error: 0.2}},
		},
	} {
		a := &Analysis{Order: []string{"A", "B", "C"}, Summary: tt.s}
		a.Decide()
		check.Same(t, tt.name, tt.want, a.Answer.Advice,
			cmpopts.IgnoreFields(Advice{}, "Title", "Detail", "Text"))
	}
}

// Who wins and loses, and how surely.
func TestDecide(t *testing.T) {
	a := &Analysis{Order: []string{"A", "B", "C", "D"}, Summary: Summary{Contests: []Contest{
		{Phases: []string{"WW", "WW-2"}, Disks: map[string]ContestDisk{
			"C": {Rate: 100, Kept: 1, Won: true, CI95: &stats.Interval{99, 101}},
			"A": {Rate: 50, Kept: 0.5, Lost: true, CI95: &stats.Interval{48, 52}},
			"B": {Rate: 70, Changed: KindSwing, CI95: &stats.Interval{1, 139}},
		}},
		{Phases: []string{"RR"}, Disks: map[string]ContestDisk{"D": {Rate: 10, Won: true}}},
	}}}
	a.Decide()
	want := RunAnswer{
		Wins: []ContestOutcome{
			{Disk: "C", Phases: []string{"WW", "WW-2"}, Rate: 100, Kept: number(1)},
			{Disk: "D", Phases: []string{"RR"}, Rate: 10},
		},
		Loses: []ContestOutcome{{Disk: "A", Phases: []string{"WW", "WW-2"}, Rate: 50,
			Kept: number(0.5)}},
		Sure: Sure{Widest: 0.04, Disk: "A", Phase: "WW", Unknown: true},
	}
	check.Same(t, "answer", want, a.Answer,
		cmpopts.IgnoreFields(RunAnswer{}, "Advice", "Headline", "Sentence", "More"))
}

// Of a phase of four disks, four may be claimed to fall by themselves and beside others; and as
// many, not each after each of the others' ends, to rise again. A disk alone has no others, and of
// one with a pace nothing is claimed.
func TestAlphas(t *testing.T) {
	phase := func(names ...string) *trace.Phase {
		p := &trace.Phase{Work: map[string]work.Work{}}
		for _, name := range names {
			p.Disks = append(p.Disks, &trace.DiskRecord{Name: name})
		}
		return p
	}
	for _, tc := range []struct {
		phases               []*trace.Phase
		own, shared, afterOf float64
	}{
		{[]*trace.Phase{phase("A")}, 1, 1, 1},
		{[]*trace.Phase{phase("A", "B")}, 2, 2, 1},
		{[]*trace.Phase{phase("A", "B", "C", "D")}, 4, 4, 4},
		{[]*trace.Phase{phase("A"), phase("A", "B", "C")}, 4, 3, 3},
	} {
		got := newAlphas(&trace.Run{Phases: tc.phases})
		for name, pair := range map[string][2]float64{
			"own": {got.perDisk, tc.own}, "shared": {got.perPhase, tc.shared},
			"after": {got.perRecovery, tc.afterOf},
		} {
			if math.Abs(pair[0]-falseClaimRate/pair[1]) > 1e-15 {
				t.Errorf("%s of %d phases: one of %v, want one of %v", name, len(tc.phases),
					falseClaimRate/pair[0], pair[1])
			}
		}
	}
}

// Three disks share what a hub carries; C ends at 30 s, and 0.5 s later A and B get its part for 4
// s. If nobody gets it, no rise is reported.
func TestRiseTogether(t *testing.T) {
	const n = 60
	reported, spurious := 0, 0
	for seed := range uint64(n) {
		for _, gain := range []float64{3.06e9, 2.27e9} {
			rnd := rand.New(rand.NewPCG(seed, 77))
			h := tracetest.Hub{
				Capacity: 3.4e9, LagS: 0.5, Outside: true,
				Turns: []tracetest.Turn{{AtS: 30, Hub: tracetest.Hub{Capacity: gain}}},
			}
			var disks []tracetest.Disk
			for i, untilS := range []float64{34.5, 52, 30} {
				disks = append(disks, tracetest.Disk{
					Name: string(rune('A' + i)), Levels: []tracetest.Level{{UntilS: untilS,
						Rate: 2.5e9}},
					Sizes: tracetest.Between(2e6, 2e9), Noise: tracetest.Noise{Sigma: 0.1},
				})
			}
			a := Analyze(tracetest.Run(tracetest.Phase("WWW", h.Play(rnd, disks...)...)), Options{})
			for _, r := range a.Phases[0].Recoveries {
				switch {
				case r.After != "C" || r.LagS == nil:
				case gain < 3e9:
					spurious++
				case math.Abs(*r.LagS-0.5) <= 0.5:
					reported++
				}
			}
		}
	}
	if reported < 2*n*3/4 {
		t.Errorf("%d of %d rises reported, want three quarters", reported, 2*n)
	}
	if spurious > 1 {
		t.Errorf("%d rises reported that are chance", spurious)
	}
}

// A falls by two fifths 1 s after C has ended. What A had in that second is little to go by; the
// level that it had all along tells.
func TestFallNextToAnEnd(t *testing.T) {
	const n = 60
	reported := 0
	for seed := range uint64(n) {
		rnd := rand.New(rand.NewPCG(seed, 79))
		disk := func(name string, levels ...tracetest.Level) *trace.DiskRecord {
			return tracetest.Disk{Name: name, Levels: levels,
				Noise: tracetest.Noise{Sigma: 0.1}}.Play(rnd)
		}
		a := Analyze(tracetest.Run(tracetest.Phase("WW",
			disk("A", tracetest.Level{UntilS: 26, Rate: 0.8e9},
				tracetest.Level{UntilS: 55, Rate: 0.48e9}),
			disk("C", tracetest.Level{UntilS: 25, Rate: 2.4e9}))), Options{})
		if slices.ContainsFunc(a.Phases[0].Changes, func(c Change) bool {
			return c.concerns("A") && c.ToRate < c.FromRate && math.Abs(c.StartS-26) < 1
		}) {
			reported++
		}
	}
	if reported < n*3/4 {
		t.Errorf("%d of %d falls reported, want three quarters", reported, n)
	}
}

func TestStreamSeries(t *testing.T) {
	at := func(s float64, bufferMS int64, late int) trace.StreamSample {
		return trace.StreamSample{
			TNS: ns(s), Sample: stream.Sample{BufferNS: bufferMS * 1e6, Late: late},
		}
	}
	got := streamSeries(trace.Stream{
		Samples: []trace.StreamSample{
			at(-1, 900, 0), at(0.05, 700, 0), at(0.1, 500, 2), at(0.32, 800, 2), at(0.35, 600, 1),
			at(0.45, 650, 5),
		},
	})
	want := &StreamSeries{
		StepS: 0.1, BufferS: []float64{0.5, 0.5, 0.5, 0.6, 0.65}, Late: []int{2, 0, 0, 0, 3},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for endS, want := range map[float64][2]float64{
		30: {0.1, 300}, 30.1: {0.2, 151}, 90: {0.3, 300},
	} {
		if got := streamSeries(trace.Stream{Samples: []trace.StreamSample{at(endS, 1,
			0)}}); math.Abs(got.StepS-want[0]) > 1e-12 || len(got.Late) != int(want[1]) {
			t.Errorf("%v s in %d steps of %v s", endS, len(got.Late), got.StepS)
		}
	}
	if got := streamSeries(trace.Stream{Samples: []trace.StreamSample{at(0.05, 0, 3),
		at(0.15, 0, 4)}}); !slices.Equal(got.Late, []int{3, 1}) {
		t.Errorf("late from the first sample on: %v, want 3 and 1", got.Late)
	}
	for _, samples := range [][]trace.StreamSample{nil, {at(0, 1, 1)}} {
		if got := streamSeries(trace.Stream{Samples: samples}); got != nil {
			t.Errorf("of %v: %+v", samples, got)
		}
	}
	total := totalOf([]StreamOutcome{
		{Verdict: stream.Clean, Due: 10, LowestBufferS: 0.8, BufferS: 1, LongestStallS: 0.1},
		{Verdict: stream.Drops, Due: 20, Late: 3, LowestBufferS: 0.2, BufferS: 2,
			LongestStallS: 0.5},
		{Verdict: stream.Strained, Due: 30, LowestBufferS: 0.4, BufferS: 3, LongestStallS: 0.3},
	})
	wantTotal := StreamTotal{
		Streams: 3, Clean: 1, Strained: 1, Drops: 1, Due: 60, Late: 3, LongestStallS: 0.5,
		LowestBufferS: 0.2, BufferS: 2, Verdict: stream.Drops,
	}
	check.Same(t, "the sum", wantTotal, total)
}

func TestNoOverlapIsSaid(t *testing.T) {
	d := func(name string, active ...overlap.Span) *diskPart {
		return &diskPart{History: ledger.History{Trace: &trace.DiskRecord{Name: name},
			Active: active}}
	}
	for _, tt := range []struct {
		name  string
		parts []*diskPart
		want  NoOverlap
	}{
		{"one moved nothing", []*diskPart{d("A", span(0, 1)), d("B"), d("C")},
			NoOverlap{Disks: []string{"B", "C"}}},
		{"one after another", []*diskPart{d("A", span(5, 9)), d("B", span(1, 3)),
			d("C", span(0, 4))},
			NoOverlap{Disks: []string{"B", "A"}, EndedS: 3, BeganS: 5}},
		{"just then", []*diskPart{d("A", span(0, 3)), d("B", span(3, 4))},
			NoOverlap{Disks: []string{"A", "B"}, EndedS: 3, BeganS: 3}},
		{"pauses", []*diskPart{d("A", span(0, 1), span(2, 3)), d("B", span(1, 2), span(3, 4))},
			NoOverlap{}},
		{"nobody", nil, NoOverlap{}},
	} {
		check.Same(t, tt.name, tt.want, *(&phase{parts: tt.parts}).noOverlap())
	}
	for _, tt := range []struct {
		d           OverlapDisk
		read, write float64
	}{
		{OverlapDisk{Op: "read", Rate: 5}, 5, 0}, {OverlapDisk{Op: "write", Rate: 5}, 0, 5},
		{OverlapDisk{Op: "read", Rate: 5, ReadRate: 3}, 3, 2},
		{OverlapDisk{Op: "write", Rate: 5, ReadRate: 3}, 3, 2},
	} {
		if r, w := tt.d.rateOf(trace.Read), tt.d.rateOf(trace.Write); r != tt.read ||
			w != tt.write {
			t.Errorf("%+v reads %v and writes %v", tt.d, r, w)
		}
	}
}

func TestCut(t *testing.T) {
	named := func(name string, active ...overlap.Span) *diskPart {
		return &diskPart{History: ledger.History{Trace: &trace.DiskRecord{Name: name},
			Active: active}}
	}
	p := &phase{
		parts: []*diskPart{
			named("A", span(0, 40)), named("B", span(0, 20), span(25, 30)), named("C"),
			named("D", span(10, 35)),
		},
	}
	for s, want := range map[float64]Cut{
		40: {Why: "ended", Disk: "A"}, 30: {Why: "ended", Disk: "B"}, 35: {Why: "ended", Disk: "D"},
		25: {Why: "started", Disk: "B"}, 10: {Why: "started", Disk: "D"}, 20: {Why: "paused"},
	} {
		want.Rose, want.AfterS = true, 3
		if got := p.cut(p.parts[0], ns(s), 3, true); *got != want {
			t.Errorf("at %v s: %+v, want %+v", s, *got, want)
		}
	}
	p.stages = overlap.Stages([][]overlap.Span{
		p.parts[0].Active, p.parts[1].Active, nil, p.parts[3].Active,
	})
	for _, tt := range []struct {
		disk int
		s    float64
		want float64
	}{{0, 20, 10}, {0, 10, 0}, {1, 25, 25}, {1, 30, 25}, {0, 0, 0}, {3, 10, 10}, {3, 25, 10}} {
		if got := p.worksSince(tt.disk, ns(tt.s)); got != ns(tt.want) {
			t.Errorf("disk %d before %v s: works since %v s, want %v", tt.disk, tt.s, seconds(got),
				tt.want)
		}
	}
	short := &phase{
		stages: []overlap.Stage{
			{Span: span(0, 5), Active: []int{0}}, {Span: span(5, 5.4), Active: []int{0, 1}},
			{Span: span(5.4, 5.9), Active: []int{1}},
		},
	}
	if got := short.worksSince(0, ns(5.4)); got != 0 {
		t.Errorf("another began 0.4 s before: works since %v s", seconds(got))
	}
	if got := short.worksSince(1, ns(5.9)); got != ns(5) {
		t.Errorf("another ended 0.5 s before: works since %v s", seconds(got))
	}
}
