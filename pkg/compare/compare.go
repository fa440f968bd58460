package compare

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// Version is the version of the JSON that a Comparison marshals to.
const Version = 1

// Chance is the chance, for a whole comparison, that any rate is called faster or slower by mistake.
const Chance = 0.05

// Run is one of the runs to compare.
type Run struct {
	Label    string // what its user calls it, such as its path
	Trace    *trace.Run
	Analysis *analysis.Analysis // of the trace
	Method   *Method            // nil if only the trace is known

	called map[string]string // what the run calls phases that go by the base's names
}

// Comparison is what Compare finds. Rates are in bytes per second, times in seconds, changes are shares: 0.05 is 5 %
// more than in the base. A null is a value that is not known.
type Comparison struct {
	Version int     `json:"version"`
	Level   float64 `json:"level"` // the chance of any false verdict
	Tests   int     `json:"tests"` // of rates, corrected together
	// LatencyTests are those of latencies, which are corrected by themselves.
	LatencyTests int      `json:"latency_tests,omitempty"`
	Base         Side     `json:"base"`
	Pairs        []Pair   `json:"runs"` // each of the others beside the base
	Gate         *Gate    `json:"gate,omitempty"`
	Repeats      *Repeats `json:"repeats,omitempty"` // if there are several runs of each side

	Warnings []string `json:"warnings"` // what is not known about the runs
}

// Side names a run.
type Side struct {
	Label   string `json:"label"`
	Name    string `json:"name"`
	Started string `json:"started,omitempty"`
	Partial bool   `json:"partial,omitempty"`
}

// Pair is a run beside the base.
type Pair struct {
	Side
	Differs  []string           `json:"differs"`          // of disks, hub, connection, host, work
	Headline string             `json:"headline"`         // what differs, so what can explain a change
	Doubts   []string           `json:"doubts,omitempty"` // why its rates cannot be trusted
	Method   []Difference       `json:"method"`           // what was measured differently
	Phases   []Phase            `json:"phases"`           // in both runs, in the base's order, but for tries of searches
	Searches []Search           `json:"searches,omitempty"`
	OnlyBase []string           `json:"only_in_base"`
	OnlyHere []string           `json:"only_here"`
	Appeared []analysis.Finding `json:"findings_appeared"` // of phases in both
	Went     []analysis.Finding `json:"findings_went"`
	Unsure   []analysis.Finding `json:"findings_unsure"` // in one run only, by rates that did not change

	Lost []string `json:"-"` // what only the base measured completely: see losses

	Titles map[string]string `json:"-"` // of the phases of both runs, by name: see Title
}

// Phase is one phase in two runs.
type Phase struct {
	Phase      string       `json:"phase"`
	Title      string       `json:"title"` // what people call it, as analysis.Phase has it
	Rates      []Rate       `json:"rates"`
	Latencies  []Latency    `json:"latencies,omitempty"`
	Recoveries []Recovery   `json:"recoveries"`
	NewPhase   string       `json:"new_phase,omitempty"`  // its name in the other run, if that differs
	Unlike     []Difference `json:"unlike,omitempty"`     // in the work of disks, which are not compared for that reason
	Lost       []string     `json:"lost,omitempty"`       // disks of the base that did nothing, something else or failed
	Incomplete bool         `json:"incomplete,omitempty"` // it was cut short in the other run
	Reason     string       `json:"reason,omitempty"`     // why there are no rates

	Unmeasured bool                 `json:"-"` // in the other run only, for that reason
	Work       map[string]work.Work `json:"-"` // of each disk in the base
}

// Measure is which of a disk's rates a Rate is.
type Measure string

// The measures. Of the disks together there is only the window.
const (
	Window Measure = "window" // bytes over time while all disks were active
	Level  Measure = "level"  // the same over a part of that time, before or after the rate stepped up or down
	File   Measure = "file"   // the typical file in the window
)

// Verdict is what a test says.
type Verdict string

// The verdicts. No significant difference does not mean that there is none: the interval says how large it may be.
const (
	Faster    Verdict = "faster"
	Slower    Verdict = "slower"
	Longer    Verdict = "longer" // of latencies
	Shorter   Verdict = "shorter"
	NotShown  Verdict = "no_difference_shown"
	TooLittle Verdict = "too_little_data"
)

// Test is how something changed from one run to another, and how sure that is.
type Test struct {
	Change    *float64           `json:"change"`  // new / base - 1
	CI95      *analysis.Interval `json:"ci95"`    // of the change, by itself
	Interval  *analysis.Interval `json:"ci_holm"` // as the verdict is: all hold with a chance of 95 %
	Unit      string             `json:"unit"`    // of the evidence: wave, file, pair of files, second, or run
	N         int                `json:"n"`       // units, in the run that has fewer
	P         *float64           `json:"p"`
	Corrected *float64           `json:"p_holm"` // among the rates, or among the latencies
	Verdict   Verdict            `json:"verdict"`
	Reason    string             `json:"reason,omitempty"` // for too little data

	evidence stats.Estimate // of the logarithm of new / base
}

// Rate is one rate in two runs.
type Rate struct {
	Disk    string     `json:"disk"` // empty: all together
	Op      trace.Role `json:"op,omitempty"`
	Measure Measure    `json:"measure"`
	Base    *float64   `json:"base"`
	New     *float64   `json:"new"`
	Test

	// ExcludedFall is the smallest fall that the data exclude, each rate by itself at a level of 5 %.
	ExcludedFall *float64 `json:"excluded_fall"`
	Outcome      Outcome  `json:"outcome,omitempty"` // against a gate's limit
	// The time of a level, in seconds of the base's window and of the new run's.
	BaseSpan *[2]float64 `json:"base_span_s,omitempty"`
	Span     *[2]float64 `json:"span_s,omitempty"`
}

// Recovery is a disk's recovery in two runs. It happens once in a run, so there is nothing to test.
type Recovery struct {
	Disk     string     `json:"disk"`
	Op       trace.Role `json:"op"`
	After    string     `json:"after"`
	BaseLagS *float64   `json:"base_lag_s"` // null if it was not seen, or not to its end
	LagS     *float64   `json:"lag_s"`
}

// Compare sets each of the others beside the base.
func Compare(base Run, others ...Run) *Comparison {
	c := &Comparison{Version: Version, Level: Chance, Base: base.side(), Pairs: make([]Pair, 0, len(others)),
		Warnings: base.warnings()}
	others = slices.Clone(others)
	for i, other := range others {
		others[i] = other.as(base)
		c.Pairs = append(c.Pairs, newPair(base, others[i]))
		c.Pairs[i].doubt([]Run{base}, others[i:i+1])
		c.Warnings = append(c.Warnings, other.warnings()...)
	}
	c.judge(true)
	for i, other := range others {
		c.Pairs[i].findings([]Run{base}, []Run{other})
	}
	return c
}

func (r Run) side() Side {
	return Side{Label: r.Label, Name: r.Analysis.Name, Started: r.Trace.Started, Partial: r.Trace.Status == trace.Partial}
}

func (r Run) warnings() []string {
	list := []string{}
	for _, w := range r.Analysis.Warnings {
		list = append(list, r.Label+": "+w.Text)
	}
	if r.Method == nil {
		list = append(list, r.Label+" has no run.json, so only its events tell how it was measured")
	}
	return list
}

// Title is what people call a phase of either run.
func (p *Pair) Title(phase string) string { return cmp.Or(p.Titles[phase], phase) }

// phase finds a phase by its name.
func (r Run) phase(name string) (found *analysis.Phase, traced *trace.Phase) {
	for i := range r.Analysis.Phases {
		if r.Analysis.Phases[i].Phase == name {
			found = &r.Analysis.Phases[i]
		}
	}
	for _, t := range r.Trace.Phases {
		if t.Name == name {
			traced = t
		}
	}
	return found, traced
}

func newPair(base, other Run) Pair {
	p := Pair{
		Side: other.side(), Phases: []Phase{}, Titles: map[string]string{},
		Appeared: []analysis.Finding{}, Went: []analysis.Finding{}, Unsure: []analysis.Finding{},
	}
	for _, a := range []*analysis.Analysis{other.Analysis, base.Analysis} {
		for i := range a.Phases {
			p.Titles[a.Phases[i].Phase] = a.Phases[i].Title
		}
	}
	p.Searches = searches([]Run{base}, []Run{other})
	p.OnlyBase, p.OnlyHere = p.onlyIn(base, other), p.onlyIn(other, base)
	for _, b := range base.Trace.Phases {
		if _, n := other.phase(b.Name); n != nil && b.Search == nil {
			p.Phases = append(p.Phases, newPhase(base, other, b.Name))
		}
	}
	p.Method = differences(base, other, p.Phases)
	p.about(base, other)
	p.Lost = p.losses(other)
	return p
}
