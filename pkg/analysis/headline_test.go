package analysis

import (
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// steady is a phase of disks on the hub that hold their rates for 20 s: "A w 1.5" each.
func steady(name string, jobs ...steadyJob) *trace.Phase {
	var disks []*trace.DiskRecord
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

// ideas are the headline of a run and all else that there is to say, each of which could be a
// headline.
func ideas(t *testing.T, a *Analysis) string {
	t.Helper()
	all := Each(in(a).ideas(), func(i idea) string { return i.text })
	for _, idea := range all {
		if strings.Contains(idea, ";") || strings.HasSuffix(idea, ".") {
			t.Errorf("%q is no headline", idea)
		}
	}
	return strings.Join(all, " | ")
}

// The ideas say who crowds out whom, and the advice how to connect the disks and what that gains.
func TestHeadline(t *testing.T) {
	solos := []*trace.Phase{
		steady("A W", writes("A", 1.5)), steady("B W", writes("B", 1.45)),
		steady("C W", writes("C", 2.8)),
		steady("A R", reads("A", 2.6)), steady("B R", reads("B", 2.6)),
		steady("C R", reads("C", 2.6)),
	}
	tests := []struct {
		name   string
		phases []*trace.Phase
		ideas  string
		advice string
	}{
		{
			"a matrix of three", append(solos,
				steady("A+B W", writes("A", 1.5), writes("B", 1.45)),
				steady("A+C W", writes("A", 0.77), writes("C", 2.4)),
				steady("B+C W", writes("B", 0.77), writes("C", 2.4)),
				steady("A+B R", reads("A", 1.5), reads("B", 1.5)),
				steady("A+C R", reads("A", 1.5), reads("C", 1.5)),
				steady("B+C R", reads("B", 1.5), reads("C", 1.5)),
				steady("all W", writes("A", 0.7), writes("B", 0.7), writes("C", 2.1)),
				steady("all R", reads("A", 1.1), reads("B", 1.1), reads("C", 1.1)),
			),
			"C crowds out A and B: they drop to 47% when all three write | The hub is shared " +
				"evenly: each drops to 42% when all three read",
			"Move C to its own port: A and B then write at 1.48 GB/s each instead of 0.700, and " +
				"read at 1.50 GB/s each instead of 1.10.",
		},
		{
			"no pairs: what the others had after one ended", []*trace.Phase{
				tracetest.Phase("WWW", disk("A", "write", pace{20, 0.7}, pace{40, 1.5}),
					disk("B", "write", pace{20, 0.7}, pace{40, 1.5}),
					disk("C", "write", pace{20, 2.1})),
				steady("RRR", reads("A", 1.1), reads("B", 1.1), reads("C", 1.1)),
			},
			"C crowds out A and B: they drop to 47% when all three write | The disks share " +
				"evenly when all three read",
			"Move C to its own port: A and B then write at 1.50 GB/s each instead of 0.700.",
		},
		{
			"two that share a limit alike", []*trace.Phase{
				steady("A R", reads("A", 2.6)), steady("B R", reads("B", 2.6)),
				steady("RR", reads("A", 1.5), reads("B", 1.5)),
			},
			"The hub is shared evenly: each drops to 58% when both read",
			"Move one of A and B to its own port. It makes little difference to the others which " +
				"one.",
		},
		{
			"two that do not disturb each other", []*trace.Phase{
				steady("A R", reads("A", 2.6)), steady("B W", writes("B", 1.4)),
				steady("both", reads("A", 2.6), writes("B", 1.4)),
			},
			"No disk is measurably slowed when A reads and B writes",
			"Leave them on one hub. Every disk keeps at least 90% of its speed.",
		},
		{
			"nothing to hold it against", []*trace.Phase{
				steady("WW", writes("A", 0.8), writes("B", 0.8)),
				steady("RR", reads("A", 1), reads("B", 1)),
			},
			"The disks share evenly when both write | The disks share evenly when both read",
			"Measure without each disk in turn (study: matrix). Which to move is unknown.",
		},
		{
			"uneven, and nothing to hold it against", []*trace.Phase{
				steady("WW", writes("A", 0.8), writes("B", 1.6)),
				steady("RW", reads("A", 1), writes("B", 2)),
			},
			"The disks share unevenly when both write | No baseline shows who is slowed when A " +
				"reads and B writes",
			"Measure without each disk in turn (study: matrix). Which to move is unknown.",
		},
		{
			"the winner is in all of them", []*trace.Phase{
				steady("A W", writes("A", 1.5)), steady("C W", writes("C", 2.8)),
				steady("AC", writes("A", 0.8), writes("C", 2.6)),
				steady("ACD", writes("A", 0.6), writes("C", 2.6), writes("D", 0.6)),
			},
			"C crowds out A: it drops to 40% when all three write",
			"Measure without each of A and C in turn (study: matrix). Which to move is unknown.",
		},
		{
			"two hubs below the hub", []*trace.Phase{
				steady("A", writes("A", 1)), steady("B", writes("B", 1)),
				steady("C", writes("C", 1)), steady("D", writes("D", 1)),
				steady("without A", writes("B", 1), writes("C", 0.8), writes("D", 0.4)),
				steady("without B", writes("A", 1), writes("C", 0.8), writes("D", 0.4)),
				steady("without C", writes("A", 0.9), writes("B", 0.5), writes("D", 1)),
				steady("without D", writes("A", 0.9), writes("B", 0.5), writes("C", 1)),
				steady("all", writes("A", 0.9), writes("B", 0.5), writes("C", 0.8),
					writes("D", 0.4)),
			},
			"A crowds out B: it drops to 50% when all four write | C crowds out D: it drops to " +
				"40% when all four write",
			"Move one of A and C to its own port. It makes little difference to the others which " +
				"one.",
		},
	}
	for _, tt := range tests {
		a := told(tt.phases...)
		check.Same(t, tt.name, tt.ideas, ideas(t, a))
		check.Same(t, tt.name, tt.advice, a.Answer.Advice[0].Text)
	}
	check.Same(t, "disks that never worked together",
		"C writes fastest, at 2.80 GB/s | The disks read at up to 2.60 GB/s",
		ideas(t, told(solos...)))
	check.Same(t, "one disk", "A writes at 1.50 GB/s and reads at 2.60 GB/s",
		ideas(t, told(solos[0], solos[3])))
}

// What a hub costs disks that were measured on their own ports as well is said first, but for who
// is slowed by others.
func TestHeadlineOfAHubsCost(t *testing.T) {
	onHub := []*trace.Phase{
		steady("A W", writes("A", 1.5)), steady("B W", writes("B", 1.5)),
		steady("A R", reads("A", 2.6)),
	}
	together := steady("WW", writes("A", 0.8), writes("B", 0.8))
	direct := func(p *trace.Phase) *trace.Phase {
		p.Connections = map[string]string{p.Disks[0].Name: trace.Direct}
		return p
	}
	const slowed = "The hub is shared evenly: each drops to 53% when both write"
	for _, tt := range []struct {
		name   string
		direct []*trace.Phase
		want   string
	}{
		{"a third of one", []*trace.Phase{direct(steady("A W direct", writes("A", 2.24)))},
			"Your hub costs A 33% of its write speed"},
		{"more of reads", []*trace.Phase{
			direct(steady("A W direct", writes("A", 2.24))),
			direct(steady("A R direct", reads("A", 5.2))),
			direct(steady("B W direct", writes("B", 1.5))),
		},
			"Your hub costs A 50% of its read speed | Your hub costs A 33% of its write speed"},
		{"nothing of one", []*trace.Phase{direct(steady("A W direct", writes("A", 1.5)))},
			"Your hub costs nothing: A is as fast as on its own port"},
		{"nothing of two, each way", []*trace.Phase{
			direct(steady("A W direct", writes("A", 1.5))),
			direct(steady("B W direct", writes("B", 1.49))),
			direct(steady("A R direct", reads("A", 2.58))),
		},
			"Your hub costs nothing: A and B are as fast as on ports of their own"},
		{
			"not sure",
			[]*trace.Phase{
				direct(tracetest.Phase("A W direct", disk("A", "write", pace{0.3, 1.5}))),
			},
			"Whether your hub costs A any write speed is not sure",
		},
	} {
		phases := slices.Concat(onHub, tt.direct)
		check.Same(t, tt.name, tt.want, ideas(t, told(phases...)))
		check.Same(t, tt.name+", and both together", slowed+" | "+tt.want,
			ideas(t, told(append(phases, together)...)))
	}
	a := told(append(onHub, together, direct(steady("A W direct", writes("A", 2.24))))...)
	check.Same(t, "sentence", "Your hub costs A 33% of its write speed.", a.Answer.Sentence)
}

// The sentence behind the headline has the speed of the disk that crowds out the others, and one
// more idea.
func TestSentence(t *testing.T) {
	a := told(steady("A W", writes("A", 1.5)), steady("C W", writes("C", 2.8)),
		steady("WW", writes("A", 0.7), writes("C", 2.4)))
	check.Same(t, "headline", "C crowds out A: it drops to 47% when both write", a.Answer.Headline)
	check.Same(t, "sentence", "C still writes at 2.40 of 3.10 GB/s in total.", a.Answer.Sentence)
	a = told(steady("WW", writes("A", 0.8), writes("B", 0.8)),
		steady("RR", reads("A", 1), reads("B", 1)), steady("RW", reads("A", 1), writes("B", 0.9)))
	all := in(a).ideas()
	if len(all) < 3 {
		t.Fatalf("%d ideas", len(all))
	}
	rest := Each(all[2:], func(i idea) string { return i.text })
	check.Same(t, "the others, without the one in the sentence", rest, a.Answer.More)
	if !strings.HasSuffix(a.Answer.Sentence, all[1].second+".") {
		t.Errorf("the sentence is %q, without %q", a.Answer.Sentence, all[1].second)
	}
}

// A loss that noise may explain is told as one that may be, whoever else loses beyond doubt.
func TestHeadlineOfADoubtfulLoss(t *testing.T) {
	rate := 1e9
	c := Contest{Phases: []string{"WW"}, Disks: map[string]ContestDisk{
		"A": {Op: trace.Write, Rate: 0.5e9, Reference: &rate, Kept: 0.5, Solo: true}, "B": {
			Op: trace.Write, Rate: 0.8e9, Reference: &rate, Kept: 0.8, Solo: true, Lost: true,
		},
	}}
	a := &Analysis{Order: []string{"A", "B"}, Summary: Summary{Contests: []Contest{c}}}
	a.Answer = a.Decide()
	const want = "B drops to 80% when both write | It is unclear whether A is slowed when both " +
		"write"
	check.Same(t, "headline", want, ideas(t, a))
	// Too few repeats show it for it to count as a loss, and yet its interval leaves little room.
	doubtful := c.Disks["A"]
	doubtful.KeptCI = &stats.Interval{0.4, 0.6}
	c.Disks["A"] = doubtful
	check.Same(t, "with an interval", want, ideas(t, a))
	if got := Methods(a)[0]; !strings.Contains(got,
		"a longer phase of it alone, or more time after the others finish, would tell") {
		t.Errorf("a loss in doubt: %s", got)
	}
}

// How sure the numbers are says the largest margin, that some have none, and that nothing was
// repeated. Two repeats say little of how far a third one may lie off.
func TestSure(t *testing.T) {
	a := told(steady("WW", writes("A", 0.8), writes("B", 0.8)),
		steady("WW-2", writes("A", 0.9), writes("B", 0.8)))
	if got := in(a).precision(); !strings.Contains(got, "±43%") ||
		!strings.Contains(got, "from repeated phases") {
		t.Errorf("repeats 12%% apart: %s", got)
	}
	a.Summary.Contests[0].Disks["A"] = ContestDisk{Rate: 0.3e9, CI95: &stats.Interval{0, 1.2e9}}
	a.Answer = a.Decide()
	if got := a.Answer.Headline; !strings.Contains(got, "A's margin of error is ±300%") {
		t.Errorf("an interval wider than its rate: %s", got)
	}
	short := told(tracetest.Phase("WW", disk("A", "write", pace{3, 1}),
		disk("B", "write", pace{3, 1})))
	if got := in(short).precision(); !strings.Contains(got, "Too little was measured") ||
		!slices.ContainsFunc(Methods(short), func(text string) bool {
			return strings.Contains(text, "Not every phase was repeated")
		}) {
		t.Errorf("three seconds: %s", got)
	}
}

// Disks whose rates have no interval are not said to keep theirs.
func TestTooLittleToTell(t *testing.T) {
	a := &Analysis{Order: []string{"A", "B"}}
	found := &Contest{
		Phases: []string{"RW"},
		Disks: map[string]ContestDisk{
			"A": {Op: trace.Read, Rate: 1e9}, "B": {Op: trace.Write, Rate: 1e9},
		},
	}
	check.Same(t, "without intervals",
		"too little was measured to say who is slowed when A reads and B writes",
		in(a).contest(*found)[0].text)
}

// A run whose numbers cannot be trusted leads with why, and with no verdict; one that can be has no
// doubts.
func TestDoubts(t *testing.T) {
	both := func() *trace.Run {
		return tracetest.Run(
			steady("A W", writes("A", 1.5)), steady("B W", writes("B", 1.5)),
			tracetest.Phase("WW", disk("A", "write", pace{20, 0.7}),
				disk("B", "write", pace{20, 0.7})),
		)
	}
	busy, failed, ended, cached, short := both(), both(), both(), both(), both()
	for s := range 20 {
		busy.Phases[2].Gauges = append(busy.Phases[2].Gauges,
			trace.Gauge{Name: trace.CPU, TNS: int64(s) * 1e9, Value: 100})
	}
	failed.Status = trace.Partial
	failed.Phases[2].Disks[1].Errors = []trace.Failure{
		{TNS: 19e9, Seq: 7, Error: "disk B: write: input/output error"},
	}
	ended.Status, ended.Phases[2].Status = trace.Partial, trace.Partial
	lazy := disk("A", "read", pace{10, 0.3})
	cached.Phases = append(cached.Phases, tracetest.Phase("R", lazy))
	cached.Phases[3].Gauges = tracetest.Counters(lazy, 10, 0,
		tracetest.Traffic{ToS: 10, Rate: -150e6})
	// The rates swing so much, for so short a time, that they say nothing.
	short.Phases[2] = tracetest.Phase("WW", uncertain("A"), uncertain("B"))
	model, small := both(), both()
	for _, run := range []*trace.Run{model, small} {
		requests := work.Work{Op: trace.Write, Mode: "direct", Block: 4096, Depth: 1}
		run.Phases[2].Work = map[string]work.Work{"A": requests, "B": requests}
	}
	for i := range model.Disks {
		model.Disks[i].Profile = "A"
	}
	for _, tt := range []struct {
		name  string
		run   *trace.Run
		codes []string
		lead  string
	}{
		{"trusted", both(), nil, "The hub is shared evenly: each drops to 47% when both write"},
		{
			"a busy computer", busy, []string{CaveatHostBound},
			"The hub is shared evenly: each drops to 47% when both write",
		},
		{"a disk that failed", failed, []string{CaveatFailed},
			"Disk B failed (A and B write): write: input/output error."},
		{"an early end", ended, []string{CaveatPartial},
			"Partial run: one phase (A and B write) ended early"},
		{"a cache", cached, []string{CaveatCached},
			"50% of what A read (A reads) came from a cache"},
		{"wide intervals", short, []string{CaveatImprecise},
			"Too uncertain to say who is slowed: "},
		{
			"small requests of a model", model, []string{CaveatModel},
			"The model covers only large requests: only a run on real disks shows how fast small " +
				"ones are (A and B write).",
		},
		{"small requests of disks", small, nil, "The disks share evenly when both write"},
	} {
		a := Analyze(tt.run, Options{})
		var codes []string
		for _, d := range a.Answer.Caveats {
			codes = append(codes, d.Code)
		}
		if strings.Join(codes, " ") != strings.Join(tt.codes, " ") ||
			!strings.HasPrefix(a.Answer.Headline, tt.lead) {
			t.Errorf("%s: %q leads with %q, sure %+v, want %q and %q", tt.name, codes,
				a.Answer.Headline, a.Answer.Sure, tt.codes, tt.lead)
		}
		if !a.Answer.Stands && codes != nil && (a.Answer.Sentence != "" || a.Answer.More != nil) {
			t.Errorf("%s: in doubt, and yet it says %q and %q", tt.name, a.Answer.Sentence,
				a.Answer.More)
		}
	}
}

// uncertain is a disk whose few files differ many times over.
func uncertain(name string) *trace.DiskRecord {
	d := &trace.DiskRecord{Name: name, Op: trace.Write}
	at := int64(0)
	for i := range 14 {
		took := int64(0.05e9)
		if i%7 == 3 {
			took = 6e9
		}
		d.Files = append(d.Files, trace.File{Seq: i, Bytes: 500e6, StartNS: at, EndNS: at + took})
		at += took
	}
	return d
}

// An interval is no proof if nothing was measured; if a model stands behind the rates, that is
// said.
func TestSureOfAModel(t *testing.T) {
	ci := &stats.Interval{0.99e9, 1.01e9}
	for _, tt := range []struct {
		origin    hub.Source
		has, hasn string
	}{
		{"", "Margin of error: ±1.0% or less", "simulated"},
		{
			hub.Specified,
			"The disks are simulated, with figures from specifications: neither the hub nor its " +
				"disks were measured: how far real ones differ is not known.",
			"±",
		},
		{hub.Measured, "Margin of error: ±1.0% or less", "specifications"},
		{
			hub.Measured,
			"The disks are simulated, with figures that were measured: the margins of error are " +
				"the model's",
			"specifications",
		},
		{hub.Fitted, "with figures that were fitted to runs:", "specifications"},
	} {
		a := &Analysis{Order: []string{"A"}, ProfileOrigin: string(tt.origin)}
		a.Summary.Contests = []Contest{
			{Phases: []string{"W"}, Disks: map[string]ContestDisk{"A": {Rate: 1e9, CI95: ci}}},
		}
		a.Answer = a.Decide()
		if got := strings.Join(append(Methods(a), in(a).precision()), " "); !strings.Contains(got,
			tt.has) || strings.Contains(got, tt.hasn) {
			t.Errorf("%q: %s", tt.origin, got)
		}
	}
}

// TestInCommon: what all disks of a phase did at once comes before who slows whom, and their rates
// are of the stretch that shares are of.
func TestInCommon(t *testing.T) {
	names := []string{"A", "B", "C", "D"}
	study := func(paces func(name string) []pace) *Analysis {
		var phases []*trace.Phase
		var all []*trace.DiskRecord
		for _, name := range names {
			phases = append(phases, tracetest.Phase(name, diskOf(name, "write", 200e6, pace{20, 1.9e9})))
			all = append(all, diskOf(name, "write", 200e6, paces(name)...))
		}
		return Analyze(tracetest.Run(append(phases, tracetest.Phase("WWWW", all...))...), Options{})
	}
	a := study(func(string) []pace { return []pace{{30, 0.8e9}, {60, 0.4e9}} })
	check.Same(t, "headline", "Each drops to 50% after 30 s when all four write", a.Answer.Headline)
	for _, c := range a.Summary.Contests {
		check.Near(t, "rate of A", 0.8e9, c.Disks["A"].Rate, 0.01e9)
	}
	a = study(func(name string) []pace {
		paces := []pace{{30, 0.8e9}}
		if name == "A" {
			paces = append(paces, pace{60, 0.4e9})
		}
		return append(paces, pace{60, 0.8e9})
	})
	check.Same(t, "one of four slows down", false, strings.HasPrefix(a.Answer.Headline, "Each drops"))
}
