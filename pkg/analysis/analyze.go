package analysis

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
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
	InParallel(r.phases, func(p *phase) { p.measured, p.played = p.measure(), p.play() })
	r.scale = unit.ScaleFor(r.fastest())
	a.Scale = r.scale
	all, whole := states(r.phases)
	r.table = effect.Compare(all)
	for _, p := range r.phases {
		p.whole = whole[p]
	}
	r.settings = settings(r.phases)
	for _, p := range slices.Concat(r.settings...) {
		if len(p.parts) > 1 {
			p.contenders = p.contend()
			p.contention = p.share()
		}
	}
	devices := r.devices()
	links := linkChanges(r.phases)
	latencies := r.soloLatencies()
	alpha := r.slowerByChance(latencies)
	r.eachDisk(func(p *phase, part *diskPart) {
		part.device, part.linkChange = devices[part], links[part]
		part.latency = p.latencyOf(part, latencies, alpha)
		part.summary = p.summarize(part)
	})
	unmoved := stuck(r.phases)
	r.eachDisk(func(p *phase, part *diskPart) {
		part.throttle = p.cause(part, unmoved[part.Name()])
	})
	a.Warnings = append(a.Warnings, r.unlike()...)
	a.Phases = make([]PhaseResult, len(r.phases))
	InParallel(r.phases, func(p *phase) {
		a.Phases[slices.Index(r.phases, p)] = p.result(unmoved)
	})
	for i := range a.Phases {
		a.Phases[i].Verdict = in(a).verdict(&a.Phases[i])
	}
	a.Matrix = matrix(a.Phases)
	a.Searches = searches(r.phases)
	a.Saturations = in(a).saturations(r.phases)
	a.Effects = r.table.Effects
	a.Summary = Summary{Contests: contests(r.settings), Removals: removals(r)}
	a.HubCosts = hubCosts(a.Order, r.solos, r.alpha.perDisk)
	a.Findings = findings(a)
	a.Answer = a.Decide()
	return a
}

// result puts together what was found of the phase.
func (p *phase) result(unmoved map[string]bool) PhaseResult {
	links := p.linkUses()
	r := PhaseResult{
		Name: p.trace.Name, Title: p.title, Roles: map[string]trace.Role{},
		Connections: maps.Clone(p.trace.Connections), Test: p.trace.Test, Stop: p.trace.Stop,
		Saturation: p.trace.Saturation, Search: p.trace.Search, Repeats: p.repeats,
		Work: maps.Clone(p.trace.Work), Paced: work.PacedOf(p.trace.Work),
		StartSkewS: p.startSkewS, Overlap: p.overlap, NoOverlap: p.noOverlap,
		Contention: p.contention, Links: links, Streams: p.streams, StreamTotals: p.streamTotals,
		Stages: p.stageList, Changes: p.changesWithCauses(), Recoveries: p.recoveries,
		Disks: map[string]DiskResult{}, CPUPercent: p.load("", trace.CPU), Series: p.series(),
		Warnings: []Warning{},
	}
	for _, some := range []warnings{p.warnings, p.cached(links), p.hostLate} {
		r.Warnings = append(r.Warnings, some...)
	}
	maps.Copy(r.Roles, p.trace.Roles)
	for _, part := range p.parts {
		d := part.figures
		d.Throttle, d.Latency, d.Device = part.throttle, part.latency, part.device
		d.LinkChange, d.WorkerCPUPercent = part.linkChange, p.workerCPU(part)
		d.Temperature = p.temperature(part.Name(), unmoved[part.Name()])
		r.Disks[part.Name()] = d
		r.Warnings = append(r.Warnings, part.warnings...)
	}
	r.Warnings = append(r.Warnings, p.leftOut()...)
	for _, part := range p.parts {
		r.Warnings = append(r.Warnings, p.troubles(part)...)
	}
	return r
}

// Title returns what to call a phase where a person reads of it; of none of the run's the name
// itself.
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
	comparisons int     // the disks of all phases, which chance may make a claim about
	perDisk     float64 // for claims about a disk by itself, in any phase
	perPhase    float64 // for claims about a disk with others busy
	perRecovery float64 // for claims about a disk after another's end
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
