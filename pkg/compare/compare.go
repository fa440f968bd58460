package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
}

// Comparison is what Runs finds. Rates are in bytes per second, times in seconds, changes are shares: 0.05 is 5 %
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

// Repeats is how often each side of a comparison was run. Such a comparison includes what varies from run to run.
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
	Name       string       `json:"phase"`
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

	// How often the phase ran on each side, if it was repeated within a run. Such a comparison includes what varies
	// from repeat to repeat.
	Repeats *Repeats `json:"repeats,omitempty"`

	disks []string // whose rates are compared
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
	Change    *float64        `json:"change"`  // new / base - 1
	CI95      *stats.Interval `json:"ci95"`    // of the change, by itself
	Interval  *stats.Interval `json:"ci_holm"` // as the verdict is: all hold with a chance of 95 %
	Unit      string          `json:"unit"`    // of the evidence: wave, file, pair of files, second, repeat, or run
	N         int             `json:"n"`       // units, in the run that has fewer
	P         *float64        `json:"p"`
	Corrected *float64        `json:"p_holm"` // among the rates, or among the latencies
	Verdict   Verdict         `json:"verdict"`
	Reason    string          `json:"reason,omitempty"` // for too little data

	evidence stats.Estimate // of the logarithm of new / base
	memory   float64        // how long the noise of a rate over time lasts, as a share of the time
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

// Runs sets each of the others beside the base.
func Runs(base Run, others ...Run) *Comparison {
	return compare([]Run{base}, slices.Collect(slices.Chunk(others, 1))...)
}

// Groups compares the repeats of a run with those of another, at least three in all. The unit of evidence is
// the run: a rate's mean over the runs of each side, with the variance between them (stats.RepeatedDifference).
// Of a run with repeats it is the mean over these. Levels are not compared. What was measured differently is found
// from the first run of either side.
func Groups(base, other []Run) *Comparison {
	c := compare(base, other)
	c.Repeats = &Repeats{len(base), len(other)}
	if p := &c.Pairs[0]; p.Label == c.Base.Label { // both in one folder
		c.Base.Label, p.Label = few(labels(base), ", "), few(labels(other), ", ")
	}
	return c
}

func compare(base []Run, others ...[]Run) *Comparison {
	first := newParts(base[0])
	matchAll := func(runs []Run) (list []*matched) {
		for _, r := range runs {
			list = append(list, match(r, first))
		}
		return list
	}
	b := matchAll(base)
	c := &Comparison{Version: Version, Level: Chance, Base: sideOf(b), Pairs: []Pair{}, Warnings: warnings(b)}
	news := make([][]*matched, len(others))
	for i, other := range others {
		news[i] = matchAll(other)
		c.Pairs = append(c.Pairs, newPair(b, news[i]))
		c.Warnings = append(c.Warnings, warnings(news[i])...)
	}
	c.judge()
	for i := range news {
		c.Pairs[i].findings(b, news[i])
	}
	return c
}

// sideOf is one run, or several as one.
func sideOf(runs []*matched) Side {
	side := Side{Name: runs[0].Analysis.Name, Started: runs[0].Trace.Started}
	labels := make([]string, len(runs))
	for i, r := range runs {
		labels[i] = r.Label
		side.Partial = side.Partial || r.Trace.Status == trace.Partial
	}
	if side.Label = labels[0]; len(labels) > 1 {
		side.Label = groupName(labels)
	}
	return side
}

func labels(runs []Run) (list []string) {
	for _, r := range runs {
		list = append(list, r.Label)
	}
	return list
}

// groupName names repeats by what their paths have in common, up to a whole word of a name: "farm/bench07, 10
// runs". Those with nothing in common are listed.
func groupName(labels []string) string {
	name := labels[0]
	for _, label := range labels[1:] {
		n := 0
		for n < min(len(name), len(label)) && name[n] == label[n] {
			n++
		}
		const ends = `/\-_. `
		ended := func(text string) bool { return n == len(text) || strings.ContainsRune(ends, rune(text[n])) }
		if !ended(name) || !ended(label) {
			n = strings.LastIndexAny(name[:n], ends) + 1
		}
		name = name[:n]
	}
	if name = strings.TrimRight(name, `/\-_. `); name == "" {
		return few(labels, ", ")
	}
	return fmt.Sprintf("%s, %d runs", name, len(labels))
}

func warnings(runs []*matched) []string {
	list := []string{}
	for _, r := range runs {
		for _, w := range r.Analysis.Warnings {
			list = append(list, r.Label+": "+w.Text)
		}
		if r.Method == nil {
			list = append(list, r.Label+" has no run.json, so only its events tell how it was measured")
		}
	}
	return list
}

// Title is what people call a phase of either run.
func (p *Pair) Title(phase string) string { return cmp.Or(p.Titles[phase], phase) }

// newPair compares two runs, or several repeats of each.
func newPair(base, other []*matched) Pair {
	p := beside(base[0], other[0])
	p.Side = sideOf(other)
	p.doubt(base, other)
	for _, r := range other[1:] {
		p.Lost = append(p.Lost, beside(base[0], r).Lost...)
	}
	for _, r := range base[1:] { // a phase that one of the base's runs lacks is not compared
		for _, phase := range beside(base[0], r).OnlyBase {
			p.Lost = append(p.Lost, strconv.Quote(p.Title(phase))+" of "+r.Label)
		}
	}
	p.Searches = searches(base, other)
	all := slices.Concat(base, other)
	p.Phases = slices.DeleteFunc(p.Phases, func(q Phase) bool {
		return slices.ContainsFunc(all, func(r *matched) bool { return r.part(q.Name) == nil })
	})
	var compared []*Phase
	for i := range p.Phases {
		if p.Phases[i].Reason == "" {
			compared = append(compared, &p.Phases[i])
		}
	}
	analysis.InParallel(compared, func(phase *Phase) { phase.rates(base, other) })
	for _, phase := range compared {
		known := func(lost string) bool { return strings.Contains(lost, phase.Title) }
		if phase.Reason != "" && !slices.ContainsFunc(p.Lost, known) {
			p.Lost = append(p.Lost, phase.Title+": "+phase.Reason)
		}
	}
	return p
}

// beside is all that two runs differ in but rates and findings.
func beside(base, other *matched) Pair {
	p := Pair{
		Side: sideOf([]*matched{other}), Phases: []Phase{}, Titles: map[string]string{},
		Appeared: []analysis.Finding{}, Went: []analysis.Finding{}, Unsure: []analysis.Finding{},
	}
	for _, part := range slices.Concat(other.parts, base.parts) {
		p.Titles[part.name] = part.called()
	}
	p.Searches = searches([]*matched{base}, []*matched{other})
	p.OnlyBase, p.OnlyHere = p.onlyIn(base, other), p.onlyIn(other, base)
	for _, b := range base.parts {
		if n := other.part(b.name); n != nil && b.traced.Search == nil {
			phase := newPhase(base, b, n)
			phase.Incomplete = phase.Incomplete || len(n.all) < len(b.all) && other.Trace.Status == trace.Partial
			p.Phases = append(p.Phases, phase)
		}
	}
	p.Method = differences(base, other, p.Phases)
	p.about(base, other)
	p.Lost = p.losses(other)
	return p
}

const neverAtOnce = "the disks never worked all at once"

// newPhase is a phase that is in both runs, without its rates.
func newPhase(base *matched, b, n *part) Phase {
	out := Phase{Name: b.name, Title: b.called(), Rates: []Rate{}, Recoveries: recoveries(b.found, n.found), Work: b.works}
	for _, again := range n.all {
		for _, disk := range lost(base, b, again) {
			if !slices.Contains(out.Lost, disk) {
				out.Lost = append(out.Lost, disk)
			}
		}
		out.Incomplete = out.Incomplete || again.traced.Status == trace.Partial
		out.Unmeasured = out.Unmeasured || len(again.window) == 0
	}
	if n.own != b.name {
		out.NewPhase = n.own
	}
	for _, name := range base.Analysis.Order {
		if role := b.found.Roles[name]; moves(role) && n.found.Roles[name] == role {
			out.disks = append(out.disks, name)
		}
	}
	switch {
	case len(out.disks) == 0:
		out.Reason = "no disk has the same role in both runs"
	case len(b.window) == 0:
		out.Reason = "in the base, the disks never worked all at once"
	case len(n.window) == 0:
		out.Reason = neverAtOnce
	}
	out.Unmeasured = out.Unmeasured && (out.Reason == "" || out.Reason == neverAtOnce)
	out.disks = slices.DeleteFunc(out.disks, func(disk string) bool {
		unlike := b.unlike(n, disk)
		out.Unlike = append(out.Unlike, unlike...)
		return len(unlike) > 0
	})
	if out.Reason == "" && len(out.disks) == 0 {
		out.Reason = "no disk has the same work in both runs"
	}
	return out
}

// recoveries matches recoveries by the disk and by the one that ended before.
func recoveries(base, other *analysis.Phase) []Recovery {
	type key struct{ disk, after string }
	list := []Recovery{}
	at := map[key]int{}
	for _, r := range base.Recoveries {
		at[key{r.Disk, r.After}] = len(list)
		list = append(list, Recovery{Disk: r.Disk, Op: r.Op, After: r.After, BaseLagS: r.LagS})
	}
	for _, r := range other.Recoveries {
		i, ok := at[key{r.Disk, r.After}]
		if !ok {
			i = len(list)
			list = append(list, Recovery{Disk: r.Disk, Op: r.Op, After: r.After})
		}
		list[i].LagS = r.LagS
	}
	return list
}

// rates compares the disks' rates and latencies, of one run of each side or of all its repeats.
func (p *Phase) rates(base, other []*matched) {
	if p.Reason = cmp.Or(unrepeated(base, p.Name), unrepeated(other, p.Name)); p.Reason != "" {
		return
	}
	unit := "run"
	if len(base)+len(other) == 2 {
		unit = "repeat"
	}
	before, after := partsOf(base, p.Name, unit == "repeat"), partsOf(other, p.Name, unit == "repeat")
	b, n := base[0].part(p.Name), other[0].part(p.Name)
	repeated := len(before)+len(after) > 2
	if times := (Repeats{len(slices.Concat(before...)), len(slices.Concat(after...))}); times.Base+times.New > len(base)+len(other) {
		p.Repeats = &times
	}
	add := func(disks []string, r Rate) {
		switch {
		case repeated:
			r.repeat(unit, before, after)
			p.Rates = append(p.Rates, r)
		case r.Measure == File:
			p.Rates = append(p.Rates, r) // It is compared below.
		default:
			p.Rates = append(p.Rates, windowRates(r, b, n, disks)...)
		}
	}
	for _, disk := range p.disks {
		r := Rate{Disk: disk, Op: b.found.Roles[disk], Measure: Window}
		add([]string{disk}, r)
		if r.Measure = File; !b.works[disk].Limited() && !n.works[disk].Limited() {
			add([]string{disk}, r)
		}
		x, y := b.requests(disk), n.requests(disk)
		if x == nil || y == nil {
			continue
		}
		for _, q := range []Quantile{P50, P99} {
			l := Latency{Disk: disk, Op: r.Op, Quantile: q}
			if repeated {
				l.repeat(unit, before, after)
			} else {
				l.compare(x, y)
			}
			p.Latencies = append(p.Latencies, l)
		}
	}
	if n := len(p.disks); n > 1 && n == len(base[0].part(p.Name).traced.Disks) && n == len(other[0].part(p.Name).traced.Disks) {
		add(p.disks, Rate{Measure: Window})
	}
	if repeated {
		return
	}
	var ofFiles []*Rate
	for i := range p.Rates {
		if p.Rates[i].Measure == File {
			ofFiles = append(ofFiles, &p.Rates[i])
		}
	}
	analysis.InParallel(ofFiles, func(r *Rate) { *r = fileRate(*r, b.files(r.Disk), n.files(r.Disk)) })
}

// unrepeated is why the runs of a side are not repeats of one another in a phase; empty if they are.
func unrepeated(runs []*matched, phase string) string {
	a := runs[0].part(phase)
	for i, r := range runs[1:] {
		b := r.part(phase)
		for _, d := range a.traced.Disks {
			for _, key := range a.differs(b, d.Name) {
				return fmt.Sprintf("run %d of a side is not a repeat of the first: %s of %s is %s, not %s", i+2, key,
					d.Name, b.works[d.Name].Value(key), a.works[d.Name].Value(key))
			}
		}
	}
	return ""
}
