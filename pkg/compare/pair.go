package compare

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/work"
)

// Pair is a run beside the base.
type Pair struct {
	Side
	// Differs lists what differs: disks, hub, connection, host, work.
	Differs []string `json:"differs"`
	// Headline says what differs, so what can explain a change.
	Headline string       `json:"headline"`
	Doubts   []string     `json:"doubts,omitempty"` // why its rates cannot be trusted
	Method   []Difference `json:"method"`           // what was measured differently
	// Phases are those in both runs, in the base's order, except for tries of searches.
	Phases     []PhasePair  `json:"phases"`
	Searches   []SearchPair `json:"searches,omitempty"`
	OnlyInBase []string     `json:"only_in_base"`
	OnlyInNew  []string     `json:"only_here"`
	// Null: which findings only one of the runs has is no longer told.
	FindingsNew    []analysis.Finding `json:"findings_appeared"`
	FindingsGone   []analysis.Finding `json:"findings_went"`
	FindingsUnsure []analysis.Finding `json:"findings_unsure"`

	// Nil if nothing shows how rates vary from run to run, or from repeat to repeat.
	Variation *Variation `json:"variation,omitempty"`

	Lost []string `json:"-"` // what only the base measured completely: see losses

	Titles map[string]string `json:"-"` // titles of the phases of both runs, by name: see Title
}

// PhasePair is one phase in two runs.
type PhasePair struct {
	Name       string        `json:"phase"`
	Title      string        `json:"title"` // what people call it, as analysis.PhaseResult has it
	Rates      []Rate        `json:"rates"`
	Latencies  []LatencyPair `json:"latencies,omitempty"`
	Recoveries []Recovery    `json:"recoveries"`
	// NewPhase is its name in the other run, if that differs.
	NewPhase string `json:"new_phase,omitempty"`
	// Unlike is what differs in the work of disks, which are not compared for that reason.
	Unlike []Difference `json:"unlike,omitempty"`
	// Lost are the disks of the base that did nothing, something else or failed.
	Lost       []string `json:"lost,omitempty"`
	Incomplete bool     `json:"incomplete,omitempty"` // it was cut short in the other run
	Reason     string   `json:"reason,omitempty"`     // why there are no rates

	Work map[string]work.Work `json:"-"` // work of each disk in the base

	// How often the phase ran on each side, if it was repeated within a run. Such a comparison
	// includes what varies from repeat to repeat.
	Repeats *Repeats `json:"repeats,omitempty"`

	disks []string // disks whose rates are compared
	// What the base measured in it and another run did not, or not completely.
	losses        []string
	neverTogether bool // in one of the other runs only the disks never worked at once
	window        bool // both runs have a window of all disks
}

// Title returns what people call a phase of either run.
func (p *Pair) Title(phase string) string { return cmp.Or(p.Titles[phase], phase) }

// newPair returns all that two runs, or several repeats of each, differ in but rates.
func newPair(base, other []*matchedRun) Pair {
	b := base[0]
	n := other[0]
	p := Pair{
		Side: sideOf(other), Phases: []PhasePair{}, Titles: map[string]string{},
		Searches: searches(base, other),
	}
	for _, part := range slices.Concat(n.parts, b.parts) {
		p.Titles[part.name] = part.title()
	}
	p.OnlyInBase = p.onlyIn(b, other...)
	p.OnlyInNew = p.onlyIn(n, base...)
	for _, part := range b.parts {
		if part.traced.Search == nil && haveAll(part.name, slices.Concat(base, other)) {
			p.Phases = append(p.Phases, newPhase(b, part, other))
		}
	}
	for i := range p.Phases {
		phase := &p.Phases[i]
		why := cmp.Or(whyNotRepeats(base, phase.Name), whyNotRepeats(other, phase.Name))
		if phase.Reason == "" && why != "" {
			phase.Reason = why
		}
		if why != "" && phase.losses == nil {
			phase.losses = append(phase.losses, phase.Title+": "+why)
		}
	}
	p.Method = differences(b, n, p.Phases)
	p.explain(b, n)
	// A phase that one of the base's runs lacks is not compared.
	for _, r := range slices.Concat(base[1:], other) {
		for _, phase := range p.onlyIn(b, r) {
			p.Lost = append(p.Lost, strconv.Quote(p.Title(phase))+" of "+r.Label)
		}
	}
	for _, phase := range p.Phases {
		p.Lost = append(p.Lost, phase.losses...)
	}
	p.Lost = append(p.Lost, p.unansweredSearches(other)...)
	p.addDoubts(base, other)
	return p
}

// onlyIn lists the phases of a run that one of the others has not; of a search that is not
// compared, its name in place of its tries.
func (p *Pair) onlyIn(run *matchedRun, others ...*matchedRun) []string {
	only := []string{}
	for _, part := range run.parts {
		name := part.name
		missing := !haveAll(name, others)
		if part.traced.Search != nil {
			name = part.traced.Search.Search
			missing = !p.searched(name)
		}
		if missing && !slices.Contains(only, name) {
			only = append(only, name)
		}
	}
	return only
}

// haveAll reports whether each of some runs has a phase.
func haveAll(phase string, runs []*matchedRun) bool {
	for _, r := range runs {
		if r.part(phase) == nil {
			return false
		}
	}
	return true
}

// searched reports whether a search is compared.
func (p *Pair) searched(name string) bool {
	for _, s := range p.Searches {
		if s.Name == name {
			return true
		}
	}
	return false
}

// compare compares the disks' rates and latencies in all phases.
func (p *Pair) compare(base, other []*matchedRun, earlier []Measurements) {
	source := FromRepeats
	switch {
	case len(earlier) > 0:
		source = FromHistory
	case len(base)+len(other) > 2:
		source = FromRuns
	}
	sides := [][]Measurements{p.samples(base, base[0], source), p.samples(other, base[0], source)}
	groups := append(sides, renamed(earlier, base[0].parts))
	p.Variation = NewVariation(source, false, groups...)
	ofLatencies := NewVariation(source, true, groups...)
	for i := range p.Phases {
		phase := &p.Phases[i]
		if phase.Reason != "" {
			continue
		}
		lead := base[0].part(phase.Name)
		before, after := poolOf(base, phase.Name), poolOf(other, phase.Name)
		if len(before)+len(after) > len(base)+len(other) {
			phase.Repeats = &Repeats{len(before), len(after)}
		}
		for _, disk := range phase.disks {
			key := RateKey(phase.Name, disk, lead.result)
			r := Rate{Disk: disk, Op: lead.result.Roles[disk], Measure: Window}
			r.Base, r.New = r.fill(p.Variation, key, sides)
			if r.Reason != "" {
				r.explainNoInterval("in the base, ", base[0].part(phase.Name), disk)
				r.explainNoInterval("", other[0].part(phase.Name), disk)
			}
			phase.Rates = append(append(phase.Rates, r),
				levelRates(p.Variation, key, r, before, after)...)
			for _, quantile := range []Quantile{P50, P99} {
				l := LatencyPair{Disk: disk, Op: r.Op, Quantile: quantile}
				before, after := l.fill(ofLatencies,
					MeasurementKey{Phase: phase.Name, Disk: disk, What: quantile}, sides)
				if before != nil && after != nil {
					l.BaseNS, l.NewNS = new(int64(math.Round(*before))),
						new(int64(math.Round(*after)))
					phase.Latencies = append(phase.Latencies, l)
				}
			}
		}
		if phase.window {
			r := Rate{Measure: Window}
			r.Base, r.New = r.fill(p.Variation, RateKey(phase.Name, "", lead.result), sides)
			phase.Rates = append(phase.Rates, r)
		}
	}
}

// samples returns what each run measured, the means of repeats; if these are the unit, what the
// first of all phases measured, what the second did, and so on.
func (p *Pair) samples(runs []*matchedRun, base *matchedRun, unit string) (list []Measurements) {
	var phases []string
	for _, phase := range p.Phases {
		if phase.Reason == "" {
			phases = append(phases, phase.Name)
		}
	}
	for _, r := range runs {
		repeats := r.repeats(base, phases)
		if unit != FromRepeats {
			repeats = []Measurements{Pooled(repeats)}
		}
		list = append(list, repeats...)
	}
	return list
}
