package analysis

import (
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Version is the version of analysis.json that Analyze fills.
const Version = 1

// Options are the settings of an analysis; the zero value is the usual one.
type Options struct {
	GapNS int64 // longest pause between files within which a disk stays active; overlap.DefaultGapNS where zero
}

// Analyze works out everything that can be said of a run. It never fails: what cannot be had is null, with a
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
	}
	for _, w := range run.Warnings {
		a.Warnings = append(a.Warnings, Warning{Code: "trace", Text: w})
	}
	if run.Status == trace.Partial {
		a.Warnings = append(a.Warnings, Warning{Code: "partial", Text: "the run ended early: phases may be missing or incomplete"})
	}
	phases := make([]*phase, 0, len(run.Phases))
	for _, t := range run.Phases {
		p := newPhase(run, t, opts)
		p.measure()
		phases = append(phases, p)
	}
	solos := soloRates(phases)
	for _, p := range phases {
		p.compare(solos)
	}
	ceilings(phases, solos)
	for _, p := range phases {
		a.Phases = append(a.Phases, *p.out)
	}
	duplexGains(a.Phases)
	a.Matrix = matrix(a.Phases)
	a.Findings = findings(a.Phases, a.Order, solos)
	return a
}

// number is v, or nil where v is NaN or infinite.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
