package say

import (
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// steady is a phase of disks on the hub that hold their rates for 20 s: "A w 1.5" each.
func steady(name string, jobs ...steadyJob) *trace.Phase {
	var disks []*trace.DiskTrace
	for _, j := range jobs {
		disks = append(disks, disk(j.disk, j.op, pace{20, j.rate}))
	}
	return tracetest.Phase(name, disks...)
}

type steadyJob struct {
	disk string
	op   trace.Role
	rate float64
}

func writes(disk string, rate float64) steadyJob { return steadyJob{disk, trace.Write, rate} }
func reads(disk string, rate float64) steadyJob  { return steadyJob{disk, trace.Read, rate} }

// The opening says who wins and who loses, and the advice how to plug in and what that gains.
func TestOpening(t *testing.T) {
	solos := []*trace.Phase{
		steady("A W", writes("A", 1.5)), steady("B W", writes("B", 1.45)), steady("C W", writes("C", 2.8)),
		steady("A R", reads("A", 2.6)), steady("B R", reads("B", 2.6)), steady("C R", reads("C", 2.6)),
	}
	tests := []struct {
		name     string
		phases   []*trace.Phase
		headline string
		advice   string
	}{
		{
			"a matrix of three", append(solos,
				steady("A+B W", writes("A", 1.5), writes("B", 1.45)), steady("A+C W", writes("A", 0.77), writes("C", 2.4)), steady("B+C W", writes("B", 0.77), writes("C", 2.4)),
				steady("A+B R", reads("A", 1.5), reads("B", 1.5)), steady("A+C R", reads("A", 1.5), reads("C", 1.5)), steady("B+C R", reads("B", 1.5), reads("C", 1.5)),
				steady("all W", writes("A", 0.7), writes("B", 0.7), writes("C", 2.1)), steady("all R", reads("A", 1.1), reads("B", 1.1), reads("C", 1.1)),
			),
			"C wins, A and B lose when all three write; all lose alike when all three read.",
			"Give C a port of its own: without it A and B write 1.48 GB/s each instead of 0.700, and read 1.50 instead of 1.10.",
		},
		{
			"no pairs: what the others had after one ended", []*trace.Phase{
				tracetest.Phase("WWW", disk("A", "write", pace{20, 0.7}, pace{40, 1.5}), disk("B", "write", pace{20, 0.7}, pace{40, 1.5}), disk("C", "write", pace{20, 2.1})),
				steady("RRR", reads("A", 1.1), reads("B", 1.1), reads("C", 1.1)),
			},
			"C wins, A and B lose when all three write; the disks share evenly when all three read.",
			"Give C a port of its own: without it A and B write 1.50 GB/s each instead of 0.700.",
		},
		{
			"two that share a limit alike", []*trace.Phase{
				steady("A R", reads("A", 2.6)), steady("B R", reads("B", 2.6)), steady("RR", reads("A", 1.5), reads("B", 1.5)),
			},
			"All lose alike when both read.",
			"Give one of A and B a port of its own; which one makes little difference to the others.",
		},
		{
			"two that do not disturb each other", []*trace.Phase{
				steady("A R", reads("A", 2.6)), steady("B W", writes("B", 1.4)), steady("both", reads("A", 2.6), writes("B", 1.4)),
			},
			"No disk measurably loses when A reads and B writes.",
			"Together on one hub, none of them loses more than a tenth of its rate.",
		},
		{
			"nothing to hold it against", []*trace.Phase{steady("WW", writes("A", 0.8), writes("B", 0.8)), steady("RR", reads("A", 1), reads("B", 1))},
			"The disks share evenly when both write, and when both read.",
			"How to connect them: not measured; phases in which one disk at a time is idle would show it (study: matrix).",
		},
	}
	for _, tt := range tests {
		a := told(tt.phases...)
		if got := Opening(a); got != tt.headline {
			t.Errorf("%s\n got %s\nwant %s", tt.name, got, tt.headline)
		}
		if got := a.Answer.Advice[0].Text; got != tt.advice {
			t.Errorf("%s\n got %s\nwant %s", tt.name, got, tt.advice)
		}
	}
	if got := Opening(told(solos...)); got != "" {
		t.Errorf("disks that never worked together: %q, want nothing", got)
	}
}

// A loss that noise may explain is told as one that may be, whoever else loses beyond doubt.
func TestOpeningOfADoubtfulLoss(t *testing.T) {
	rate := 1e9
	c := analysis.Contest{Phases: []string{"WW"}, Disks: map[string]analysis.ContestDisk{
		"A": {Op: trace.Write, Rate: 0.5e9, Reference: &rate, Solo: true}, "B": {Op: trace.Write, Rate: 0.8e9, Reference: &rate, Solo: true, Lost: true},
	}}
	a := &analysis.Analysis{Order: []string{"A", "B"}, Summary: analysis.Summary{Contests: []analysis.Contest{c}}}
	a.Decide()
	a.Answer.Headline = Opening(a)
	if want := "B loses, A may lose when both write."; a.Answer.Headline != want {
		t.Errorf("got %s, want %s", a.Answer.Headline, want)
	}
	if got := Methods(a)[0]; !strings.Contains(got, "a longer phase of it alone, or more time after the others finish, would tell") {
		t.Errorf("a loss in doubt: %s", got)
	}
}

// Which disk to move is not said where the gains' intervals leave it open.
func TestLayoutLeavesOpen(t *testing.T) {
	gain := func(disk string, by float64) analysis.Removal {
		return analysis.Removal{Disk: disk, Gain: by, Error: 0.2, Cases: []analysis.RemovalCase{{Phase: "WW", Without: "W", Disks: map[string]analysis.RemovalFor{"X": {Op: trace.Write, From: 1e9, To: 2e9}}}}}
	}
	for best, want := range map[float64]string{0.9: "Give one of A and B a port of its own;", 1.2: "Give A a port of its own:"} {
		a := &analysis.Analysis{Order: []string{"A", "B", "X"}, Summary: analysis.Summary{Contests: []analysis.Contest{{Phases: []string{"WW"}}}, Removals: []analysis.Removal{gain("A", best), gain("B", 0.7)}}}
		a.Decide()
		if got := in(a).advice(); !strings.HasPrefix(got, want) {
			t.Errorf("gains %g and 0.7, each ± 0.2: %q, want %q", best, got, want)
		}
	}
}

// How sure the numbers are says the widest interval, that some have none, and that nothing was repeated.
func TestSure(t *testing.T) {
	a := told(steady("WW", writes("A", 0.8), writes("B", 0.8)), steady("WW-2", writes("A", 0.9), writes("B", 0.8)))
	if got := in(a).sure(); !strings.Contains(got, "±5.9 %") || !strings.Contains(got, "from repeated phases") {
		t.Errorf("repeats 12 %% apart: %s", got)
	}
	a.Summary.Contests[0].Disks["A"] = analysis.ContestDisk{Rate: 0.3e9, CI95: &analysis.Interval{0, 1.2e9}}
	a.Decide()
	Fill(a)
	if got := a.Answer.Headline; !strings.Contains(got, "A's rate is known only to ±200 %") {
		t.Errorf("an interval wider than its rate: %s", got)
	}
	short := told(tracetest.Phase("WW", disk("A", "write", pace{3, 1}), disk("B", "write", pace{3, 1})))
	if got := in(short).sure(); !strings.Contains(got, "Too little was moved") || !slices.ContainsFunc(Methods(short), func(text string) bool { return strings.Contains(text, "Not every phase was repeated") }) {
		t.Errorf("three seconds: %s", got)
	}
}

// Rates that changed by themselves have no interval here, which does not mean that too little was moved.
func TestSureOfChangingRates(t *testing.T) {
	a := &analysis.Analysis{Order: []string{"A", "B"}, Summary: analysis.Summary{Contests: []analysis.Contest{{Phases: []string{"WW"}, Disks: map[string]analysis.ContestDisk{
		"A": {Rate: 1e9, Changed: analysis.KindSwing, CI95: &analysis.Interval{0.9e9, 1.1e9}},
		"B": {Rate: 1e9, Changed: analysis.KindDrift, CI95: &analysis.Interval{0.9e9, 1.1e9}},
	}}}}}
	a.Decide()
	if text := in(a).sure(); strings.Contains(text, "oo little was moved") {
		t.Error(text)
	}
}

// Disks whose rates have no interval are not said to keep theirs.
func TestTooLittleToTell(t *testing.T) {
	a := &analysis.Analysis{Order: []string{"A", "B"}}
	found := &analysis.Contest{Phases: []string{"RW"}, Disks: map[string]analysis.ContestDisk{"A": {Op: trace.Read, Rate: 1e9}, "B": {Op: trace.Write, Rate: 1e9}}}
	if got := (english{Analysis: a}).contest(*found).outcome(); got != "too little was moved to tell who loses" {
		t.Errorf("without intervals: %q", got)
	}
}
