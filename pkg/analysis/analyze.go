package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Version is the version of analysis.json that Analyze fills.
const Version = 1

// Options are the settings of an analysis; the zero value is the usual one.
type Options struct {
	// GapNS is the longest pause between files within which a disk stays active; if zero,
	// overlap.DefaultGapNS.
	GapNS  int64
	Origin *Origin // Origin is nil if unknown.
	// NoSizes leaves out rates by file size and their fits, which take long for millions of files.
	NoSizes bool
}

// Analyze computes everything that is known of a run. It never fails: what is missing is null, with
// a warning that says why. The result shares nothing with the run and marshals to JSON without NaN
// or infinity.
func Analyze(recorded *trace.Run, opts Options) *Analysis {
	opts.GapNS = cmp.Or(opts.GapNS, overlap.DefaultGapNS)
	a := &Analysis{
		Version:  Version,
		Name:     recorded.Name,
		Origin:   opts.Origin,
		Order:    []string{},
		Phases:   []PhaseResult{},
		Warnings: []Warning{},
	}
	for _, d := range recorded.Disks {
		a.Order = append(a.Order, d.Name)
		a.ProfileOrigin = cmp.Or(a.ProfileOrigin, d.Origin)
	}
	for _, w := range recorded.Warnings {
		a.Warnings = append(a.Warnings, Warning{Code: "trace", Other: w, Text: w})
	}
	if recorded.Status == trace.Partial {
		a.Warnings = append(a.Warnings, Warning{Code: "partial",
			Text: "the run ended early: phases may be missing or incomplete"})
	}
	a.Warnings = append(a.Warnings, competitors(recorded.Hardware)...)
	r := newRun(recorded, opts)
	a.modelled = r.simulated
	for _, p := range r.phases {
		p.fillChanges()
	}
	warmUps(r.phases)
	r.solos = solos(r.phases)
	for _, p := range r.phases {
		p.cutRecoveries()
	}
	r.measure()
	a.Scale = r.scale
	r.compareStates()
	for _, set := range r.settings {
		for _, p := range set {
			if len(p.parts) > 1 {
				p.contenders = p.contend()
				p.out.Contention = p.contention()
			}
		}
	}
	r.eachDisk((*phase).summarize)
	r.eachDisk((*phase).steady)
	r.latencies()
	causes(r.phases)
	duplexGains(r.phases)
	markRepeats(r.phases)
	a.Warnings = append(a.Warnings, r.unlike()...)
	titles := map[string]int{}
	for _, p := range r.phases {
		titles[p.out.Title]++
		for _, part := range p.parts {
			p.out.Disks[part.Name()] = part.out
		}
	}
	for _, p := range r.phases {
		if titles[p.out.Title] > 1 && p.out.Title != p.out.Name {
			p.out.Title += " (" + p.out.Name + ")"
		}
		for i := range p.out.Recoveries {
			if r := &p.out.Recoveries[i]; r.Cut != nil {
				r.Reason = reason(r)
			}
		}
		p.out.Verdict = in(a).verdict(p.out)
		a.Phases = append(a.Phases, *p.out)
	}
	a.Matrix = matrix(a.Phases)
	a.Searches = searches(r.phases)
	a.Saturations = saturations(r.phases)
	a.Effects = r.table.Effects
	a.Summary = Summary{Contests: contests(r.settings), Removals: removals(r)}
	a.HubCosts = hubCosts(a.Order, r.solos, r.alpha.perDisk)
	a.Findings = findings(a)
	a.Decide()
	return a
}

// Title is what to call a phase where a person reads of it; of none of the run's the name itself.
func (a *Analysis) Title(phase string) string {
	if p := a.phase(phase); p != nil {
		return cmp.Or(p.Title, phase)
	}
	return phase
}

// phase returns the phase of a name, or nil.
func (a *Analysis) phase(name string) *PhaseResult {
	for i := range a.Phases {
		if a.Phases[i].Name == name {
			return &a.Phases[i]
		}
	}
	return nil
}

// alphas are the rates at which noise alone may make one claim about one disk, so that it makes any
// of that kind in the whole run at a rate of no more than falseClaimRate (Bonferroni's correction).
type alphas struct {
	comparisons int     // They count the disks of all phases, which chance may make a claim about.
	perDisk     float64 // It holds for claims about a disk by itself, in any phase.
	perPhase    float64 // It holds for claims about a disk with others busy.
	perRecovery float64 // It holds for claims about a disk after another's end.
}

func newAlphas(run *trace.Run) alphas {
	all, shared, after := 0, 0, 0
	for _, p := range run.Phases {
		n := 0
		for _, d := range p.Disks {
			if !p.Work[d.Name].IsPaced() { // Nothing is claimed about disks with a pace.
				n++
			}
		}
		all += n
		paced := len(p.Disks) - n
		if len(p.Disks) > 1 {
			shared += n
		}
		// After each end, each disk that stays may rise; most may if those with a pace end first.
		after += n*(n-1)/2 + n*paced
	}
	per := func(comparisons int) float64 { return falseClaimRate / float64(max(comparisons, 1)) }
	return alphas{max(all, 1), per(all), per(shared), per(after)}
}

// number is v, or nil if v is NaN or infinite.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// matrix lists all phases, those of one disk first, then those of two, and so on, in the order of
// the run.
func matrix(phases []PhaseResult) []MatrixRow {
	rows := []MatrixRow{}
	for i := range phases {
		p := &phases[i]
		row := MatrixRow{
			Phase:      p.Name,
			Roles:      p.Roles,
			Working:    len(p.Disks),
			Rates:      map[string]float64{},
			Departures: map[string]float64{},
		}
		if o := p.Overlap; o != nil {
			row.Total, row.ReadRate, row.WriteRate = o.Rate, o.ReadRate, o.WriteRate
			for disk, d := range o.Disks {
				row.Rates[disk] = d.Rate
			}
		}
		if p.Contention != nil {
			for disk, d := range p.Contention.Disks {
				if d.Retention != nil && math.Abs(*d.Retention-1) > minEffect {
					row.Departures[disk] = *d.Retention
				}
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b MatrixRow) int { return a.Working - b.Working })
	return rows
}
