package compare

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Version is the version of the JSON that a Comparison marshals to.
const Version = 1

// Input is one of the runs to compare.
type Input struct {
	Label    string // what its user calls it, such as its path
	Trace    *trace.Run
	Analysis *analysis.Analysis // analysis of the trace
	Method   *Method            // nil if only the trace is known
}

// Comparison is what Runs finds. Rates are in bytes per second, times in seconds, changes are
// shares: 0.05 is 5 % more than in the base. A null is a value that is not known.
type Comparison struct {
	Version int     `json:"version"`
	Level   float64 `json:"level"` // the chance of any false verdict
	Tests   int     `json:"tests"` // number of tests of rates, corrected together
	// LatencyTests are those of latencies, which are corrected by themselves.
	LatencyTests int      `json:"latency_tests,omitempty"`
	Base         Side     `json:"base"`
	Pairs        []Pair   `json:"runs"`              // each of the others beside the base
	Ranking      *Ranking `json:"ranking,omitempty"` // of three runs or more
	Gate         *Gate    `json:"gate,omitempty"`
	Repeats      *Repeats `json:"repeats,omitempty"` // if there are several runs of each side

	Earlier int `json:"earlier,omitempty"` // runs of the history that count
	// LeftOut says how many runs of the history do not count, and why.
	LeftOut  string   `json:"left_out,omitempty"`
	Named    bool     `json:"-"`        // the labels are names that a person gave two states
	Warnings []string `json:"warnings"` // what is not known about the runs
}

// Repeats is how often each side of a comparison was run. Such a comparison includes what varies
// from run to run.
type Repeats struct {
	Base int `json:"base"`
	New  int `json:"new"`
}

// Side names a run.
type Side struct {
	Label   string `json:"label"`
	Name    string `json:"name"`
	Started string `json:"started,omitempty"`
	Partial bool   `json:"partial,omitempty"`
}

// Measure is which of a disk's rates a Rate is.
type Measure string

// The measures. Of the disks together there is only the window.
const (
	Window Measure = "window" // bytes over time while all disks were active
	Level  Measure = "level"  // the same over a part of that time, before or after the rate changed
)

// TestResult is what a test says.
type TestResult string

// The verdicts. No significant difference does not mean that there is none: the interval says how
// large it may be.
const (
	Faster    TestResult = "faster"
	Slower    TestResult = "slower"
	Longer    TestResult = "longer" // for latencies
	Shorter   TestResult = "shorter"
	NotShown  TestResult = "no_difference_shown"
	TooLittle TestResult = "too_little_data"
)

// Test is how something changed from one run to another, and how sure that is.
type Test struct {
	Change    *float64        `json:"change"`  // new / base - 1
	CI95      *stats.Interval `json:"ci95"`    // interval of the change by itself
	Interval  *stats.Interval `json:"ci_holm"` // as the verdict is: all hold with a chance of 95 %
	Unit      string          `json:"unit"`    // unit of the evidence: run, or repeat
	N         int             `json:"n"`       // units, in the run that has fewer
	P         *float64        `json:"p"`
	Corrected *float64        `json:"p_holm"` // among the rates, or among the latencies
	Verdict   TestResult      `json:"verdict"`
	Reason    string          `json:"reason,omitempty"` // for too little data

	evidence stats.Estimate // estimate of the logarithm of new / base
	lasting  bool           // in a run its noise lasts as long as the phase, so it has no interval
	stepped  bool           // levels of the disk are compared
}

// Rate is one rate in two runs.
type Rate struct {
	Disk    string     `json:"disk"` // empty: all together
	Op      trace.Role `json:"op,omitempty"`
	Measure Measure    `json:"measure"`
	Base    *float64   `json:"base"`
	New     *float64   `json:"new"`
	Test

	// ExcludedFall is the smallest fall that the data exclude, each rate by itself at a level of 5
	// %.
	ExcludedFall *float64    `json:"excluded_fall"`
	Outcome      FallOutcome `json:"outcome,omitempty"` // against a gate's limit
	// The time of a level, in seconds of the base's window and of the new run's.
	BaseSpan *[2]float64 `json:"base_span_s,omitempty"`
	Span     *[2]float64 `json:"span_s,omitempty"`
}

// Quantile names a quantile of a disk's latencies.
type Quantile string

// The quantiles that are compared. Rarer requests depend more on chance than on the disk.
const (
	P50 Quantile = "p50"
	P99 Quantile = "p99"
)

// LatencyPair is a quantile of a disk's latencies in the window, in two runs. Times are in
// nanoseconds.
type LatencyPair struct {
	Disk     string     `json:"disk"`
	Op       trace.Role `json:"op"`
	Quantile Quantile   `json:"quantile"`
	BaseNS   *int64     `json:"base_ns"`
	NewNS    *int64     `json:"new_ns"`
	Test
}

// Recovery is a disk's recovery in two runs. It happens once in a run, so there is nothing to test.
type Recovery struct {
	Disk     string     `json:"disk"`
	Op       trace.Role `json:"op"`
	After    string     `json:"after"`
	BaseLagS *float64   `json:"base_lag_s"` // null if it was not seen, or not to its end
	LagS     *float64   `json:"lag_s"`
}

// Runs sets each of the others beside the base.
func Runs(base Input, others ...Input) *Comparison {
	return Groups([]Input{base}, slices.Collect(slices.Chunk(others, 1)), nil)
}

// Groups sets each of the others, a run or several repeats of one, beside the base. How far rates
// vary from run to run is learned from the repeats and from earlier runs of the same setup, whose
// phases are named without the numbers of repeats; if there are neither, from the repeats of
// phases within the runs (see Variation). What was measured differently is found from the first
// run of either side.
func Groups(base []Input, others [][]Input, earlier []Measurements) *Comparison {
	first := newParts(base[0])
	b := matchAll(base, first)
	c := &Comparison{
		Version:  Version,
		Level:    falseClaimRate,
		Base:     sideOf(b),
		Pairs:    []Pair{},
		Earlier:  len(earlier),
		Warnings: warnings(b),
	}
	runs := slices.Clone(b)
	for _, other := range others {
		n := matchAll(other, first)
		runs = append(runs, n...)
		pair := newPair(b, n)
		pair.compare(b, n, earlier)
		c.Pairs = append(c.Pairs, pair)
		c.Warnings = append(c.Warnings, warnings(n)...)
		if len(base)+len(other) > 2 {
			c.Repeats = &Repeats{len(base), len(other)}
		}
	}
	c.judge()
	if len(others) > 1 {
		c.Ranking = c.rank(runs, earlier)
	}
	return c
}

func matchAll(runs []Input, base []*matchedPhase) (list []*matchedRun) {
	for _, r := range runs {
		list = append(list, match(r, base))
	}
	return list
}

// sideOf is one run, or several as one.
func sideOf(runs []*matchedRun) Side {
	side := Side{Name: runs[0].Analysis.Name, Started: runs[0].Trace.Started}
	var labels []string
	for _, r := range runs {
		labels = append(labels, r.Label)
		side.Partial = side.Partial || r.Trace.Status == trace.Partial
	}
	if side.Label = labels[0]; len(labels) > 1 {
		side.Label = shortList(labels, ", ")
	}
	return side
}

func warnings(runs []*matchedRun) []string {
	list := []string{}
	for _, r := range runs {
		for _, w := range r.Analysis.Warnings {
			list = append(list, r.Label+": "+w.Text)
		}
		if r.Method == nil {
			list = append(list, r.Label+
				" has no run.json, so only its events tell how it was measured")
		}
	}
	return list
}

const neverAtOnce = "the disks never worked all at once"

// explainNoInterval says why the rate of a disk has no interval, if a part is why.
func (t *Test) explainNoInterval(where string, p *matchedPhase, disk string) {
	for _, w := range p.result.Warnings {
		if w.Code == "no_interval" && (w.Disk == disk || w.Disk == "") {
			_, lasting := w.Values.(analysis.MemoryValues)
			t.Reason = where + w.Text
			t.lasting = t.lasting || lasting
		}
	}
}

// poolOf returns those of a phase in each run, with all its repeats.
func poolOf(runs []*matchedRun, phase string) (list []*matchedPhase) {
	for _, r := range runs {
		list = append(list, r.part(phase).comparable()...)
	}
	return list
}

// repeats returns what the first of all phases measured, what the second did, and so on, by the
// names that the base has for them.
func (r *matchedRun) repeats(base *matchedRun, phases []string) []Measurements {
	list := []Measurements{{}}
	for _, name := range phases {
		for i, part := range r.part(name).comparable() {
			if i == len(list) {
				list = append(list, Measurements{})
			}
			list[i].add(part.result, name, base.part(name).result)
		}
	}
	return list
}

// renamed are samples by the names that phases have in the base.
func renamed(earlier []Measurements, base []*matchedPhase) (list []Measurements) {
	for _, sample := range earlier {
		out := Measurements{}
		for key, e := range sample {
			for _, p := range base {
				if trace.Unnumbered(p.name) == key.Phase {
					out[MeasurementKey{p.name, key.Disk, key.Work, key.What}] = e
				}
			}
		}
		list = append(list, out)
	}
	return list
}
