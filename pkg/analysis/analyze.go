package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Version is the version of analysis.json that Analyze fills.
const Version = 1

// chance is the probability that noise alone makes a claim, in a whole run.
const chance = 0.01

// Options are the settings of an analysis; the zero value is the usual one.
type Options struct {
	GapNS int64 // longest pause between files within which a disk stays active; overlap.DefaultGapNS if zero
}

// Analyze computes everything that is known of a run. It never fails: what is missing is null, with a
// warning that says why. The result shares nothing with the run and marshals to JSON without NaN or infinity.
func Analyze(run *trace.Run, opts Options) *Analysis {
	if opts.GapNS == 0 {
		opts.GapNS = overlap.DefaultGapNS
	}
	a := &Analysis{
		Version:  Version,
		Name:     run.Name,
		Order:    make([]string, 0, len(run.Disks)),
		Phases:   make([]Phase, 0, len(run.Phases)),
		Warnings: []Warning{},
	}
	for _, d := range run.Disks {
		a.Order = append(a.Order, d.Name)
		a.ProfileOrigin = cmp.Or(a.ProfileOrigin, d.Origin)
	}
	for _, w := range run.Warnings {
		a.Warnings = append(a.Warnings, Warning{Code: "trace", Other: w})
	}
	if run.Status == trace.Partial {
		a.Warnings = append(a.Warnings, Warning{Code: "partial"})
	}
	a.Warnings = append(a.Warnings, competitors(run.Hardware)...)
	alpha := newAlphas(run)
	phases := make([]*phase, 0, len(run.Phases))
	late := meter.Unwritten{}
	for _, t := range run.Phases {
		p := newPhase(run, t, opts, alpha)
		p.measure()
		if !p.simulated {
			p.devicesOf = meter.Devices(t, p.meters, p.disks(), late)
		}
		phases = append(phases, p)
	}
	shareScatter(phases)
	for _, p := range phases {
		p.recoveries(nil)
		p.fillChanges()
	}
	for _, p := range phases {
		p.run = phases
	}
	warmUps(phases)
	solos := soloRates(phases)
	for _, p := range phases {
		p.compare(solos)
	}
	alone := latenciesAlone(phases)
	longer := alone.alpha(phases)
	for _, p := range phases {
		p.steady()
		p.latencies(alone, longer)
	}
	causes(phases)
	ceilings(phases, solos)
	duplexGains(phases)
	markRepeats(phases)
	a.Warnings = append(a.Warnings, unlike(phases)...)
	for _, p := range phases {
		a.Phases = append(a.Phases, *p.out)
	}
	titles(a.Phases)
	a.Matrix = matrix(a.Phases)
	a.LatencyMatrix = latencyMatrix(phases, a.Order)
	a.Searches = searches(phases)
	a.Saturations = saturations(phases)
	a.Summary = summarize(phases)
	a.Findings = findings(a.Phases, a.Order, solos, a.Saturations, alpha.own)
	a.Decide()
	return a
}

// titles sets apart phases of one title by their names.
func titles(phases []Phase) {
	times := map[string]int{}
	for i := range phases {
		times[phases[i].Title]++
	}
	for i := range phases {
		if p := &phases[i]; times[p.Title] > 1 && p.Title != p.Phase {
			p.Title += " (" + p.Phase + ")"
		}
	}
}

// Title is what to call a phase where a person reads of it; of none of the run's the name itself.
func (a *Analysis) Title(phase string) string {
	for i := range a.Phases {
		if a.Phases[i].Phase == phase {
			return cmp.Or(a.Phases[i].Title, phase)
		}
	}
	return phase
}

// Named is the name of the phase that a person calls so, by its name or its title, whatever their case; false if none is.
func (a *Analysis) Named(text string) (name string, ok bool) {
	for _, of := range []func(p *Phase) bool{
		func(p *Phase) bool { return p.Phase == text },
		func(p *Phase) bool { return strings.EqualFold(p.Phase, text) },
		func(p *Phase) bool { return strings.EqualFold(p.Title, text) },
	} {
		if i := slices.IndexFunc(a.Phases, func(p Phase) bool { return of(&p) }); i >= 0 {
			return a.Phases[i].Phase, true
		}
	}
	return "", false
}

// alphas are the chances by which noise alone may make one claim of one disk, so that it makes any of that kind in the
// whole run with a chance of no more than chance (Bonferroni's correction).
type alphas struct {
	looks  int     // disks and phases in the run: how often chance may pass for a claim
	own    float64 // of a disk by itself, in any phase
	shared float64 // of a disk beside others
	after  float64 // of a disk after another's end
}

func newAlphas(run *trace.Run) alphas {
	all, beside, after := 0, 0, 0
	for _, p := range run.Phases {
		n, others := 0, len(p.Disks)-1
		for _, d := range p.Disks {
			if !p.Work[d.Name].Limited() { // of which nothing is claimed
				n++
			}
		}
		all += n
		if others > 0 {
			beside += n
			after += min(n, n*others/2) // of the disks that stay after each end, those that can rise again are few
		}
	}
	per := func(looks int) float64 { return chance / float64(max(looks, 1)) }
	return alphas{looks: max(all, 1), own: per(all), shared: per(beside), after: per(after)}
}

// number is v, or nil if v is NaN or infinite.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
