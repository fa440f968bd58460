package compare

import (
	"math/rand/v2"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// load is what a generated disk does in a phase.
type load struct {
	disk  string
	op    trace.Role
	rate  float64 // bytes per second
	files int
}

// play makes the trace of a phase: files of 2 MB to 2 GB, whose sizes depend on seed alone.
func play(name string, seed uint64, rnd *rand.Rand, n tracetest.Noise, loads ...load) *trace.Phase {
	var disks []*trace.DiskRecord
	for i, l := range loads {
		sizes := rand.New(rand.NewPCG(seed, uint64(i)))
		disks = append(disks, tracetest.Disk{
			Name: l.disk, Op: l.op, Levels: []tracetest.Level{{UntilS: 1e6, Rate: l.rate}},
			Files: l.files, Noise: n,
			Sizes: func(*rand.Rand, int) float64 { return 2e6 + float64(sizes.Int64N(1998e6)) },
		}.Play(rnd))
	}
	return tracetest.Phase(name, disks...)
}

// runOf makes a run of phases, analysed.
func runOf(label string, phases ...*trace.Phase) Input {
	t := traceOf(phases...)
	return Input{Label: label, Trace: t, Analysis: analysis.Analyze(t, analysis.Options{})}
}

func traceOf(phases ...*trace.Phase) *trace.Run {
	t := &trace.Run{Name: "test", Phases: phases, Status: trace.Complete}
	seen := map[string]bool{}
	for _, p := range phases {
		for _, d := range p.Disks {
			if !seen[d.Name] {
				seen[d.Name] = true
				t.Disks = append(t.Disks,
					trace.Disk{Name: d.Name, Path: "/Volumes/" + d.Name, Connection: "hub"})
			}
		}
	}
	return t
}

// quick is runOf for thousands of runs without changes: of the analysis it has no more than rates
// are compared by.
func quick(phases ...*trace.Phase) Input {
	run := Input{Trace: traceOf(phases...), Analysis: &analysis.Analysis{}}
	for _, d := range run.Trace.Disks {
		run.Analysis.Order = append(run.Analysis.Order, d.Name)
	}
	for _, p := range phases {
		found := analysis.PhaseResult{Name: p.Name, Roles: p.Roles,
			Disks:   map[string]analysis.DiskResult{},
			Overlap: &analysis.Overlap{Disks: map[string]analysis.OverlapDisk{}}}
		active := make([][]overlap.Span, len(p.Disks))
		for i, d := range p.Disks {
			active[i] = overlap.Active(d, overlap.DefaultGapNS)
		}
		window := overlap.Window(overlap.Stages(active), len(active))
		for _, v := range window {
			found.Overlap.Spans = append(found.Overlap.Spans,
				[2]float64{float64(v.StartNS) / 1e9, float64(v.EndNS) / 1e9})
		}
		var flows []stats.Flow
		known := true
		for i, d := range p.Disks {
			flow := overlap.NewCurve(d).Flow(window)
			flows = append(flows, flow)
			of := analysis.OverlapDisk{Op: d.Op}
			of.Estimate = rateOf(flow)
			of.Rate = of.Estimate.Mean
			if known = known && of.Estimate.Known(); !of.Estimate.Known() {
				found.Warnings = append(found.Warnings,
					analysis.Warning{Code: "no_interval", Disk: d.Name,
						Values: analysis.MemoryValues{}})
			}
			found.Overlap.Disks[d.Name] = of
			if lines := quantile.Lines(d, active[i]); len(lines) > 0 {
				figures, _ := quantile.Estimate(quantile.Within(lines, window))
				found.Disks[d.Name] = analysis.DiskResult{Op: d.Op,
					Latency: &analysis.LatencyResult{Figures: figures}}
			}
		}
		total := rateOf(stats.Total(flows))
		found.Overlap.Rate = total.Mean
		if found.Overlap.Estimate = total; !known {
			found.Overlap.Estimate = stats.Estimate{Mean: total.Mean}
		}
		run.Analysis.Phases = append(run.Analysis.Phases, found)
	}
	return run
}

// rateOf is a rate with its error as the analysis has them.
func rateOf(flow stats.Flow) stats.Estimate {
	e, doubt := flow.Estimate()
	if doubt != stats.NoDoubt {
		return stats.Estimate{Mean: stats.Mean(flow.Rates)}
	}
	return e
}

func groups(base, other []Input) *Comparison { return Groups(base, [][]Input{other}, nil) }
