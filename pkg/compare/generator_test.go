package compare

import (
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// load is what a generated disk does in a phase.
type load struct {
	disk  string
	op    trace.Role
	rate  float64 // bytes per second
	files int
}

// noise is what is laid over the rates, as shares of them.
type noise struct {
	file float64 // of whole files
	fast float64 // goes together over 0.2 s
	slow float64 // goes together over 1 s, a twentieth of the window and more
}

const tick = 0.05 // seconds between steps of the generator, and between progress samples

// play makes the trace of a phase: files of 2 MB to 2 GB, whose sizes depend on seed alone.
func play(name string, seed uint64, rnd *rand.Rand, n noise, loads ...load) *trace.Phase {
	p := &trace.Phase{Name: name, Roles: map[string]trace.Role{}, Status: trace.Complete}
	for i, l := range loads {
		p.Roles[l.disk] = l.op
		p.Disks = append(p.Disks, l.trace(rand.New(rand.NewPCG(seed, uint64(i))), rnd, n))
	}
	return p
}

func (l load) trace(sizes, rnd *rand.Rand, n noise) *trace.DiskTrace {
	d := &trace.DiskTrace{Name: l.disk, Op: l.op}
	wave := func(deviation, memory float64) func() float64 {
		rho := math.Exp(-tick / memory)
		v := rnd.NormFloat64()
		return func() float64 {
			v = rho*v + math.Sqrt(1-rho*rho)*rnd.NormFloat64()
			return deviation * v
		}
	}
	fast, slow := wave(n.fast, 0.2), wave(n.slow, 1)
	now, next, level := 0.0, tick, 1+fast()+slow()
	for seq := range l.files {
		f := trace.File{Seq: seq, Bytes: 2e6 + sizes.Int64N(1998e6), StartNS: ns(now)}
		factor := max(0.2, 1+n.file*rnd.NormFloat64())
		for done := 0.0; ; {
			rate := l.rate * factor * max(0.1, level)
			left := (float64(f.Bytes) - done) / rate
			if now+left <= next {
				now += left
				break
			}
			done += rate * (next - now)
			now = next
			f.AddSample(trace.Sample{TNS: ns(now), Bytes: int64(done)})
			next, level = next+tick, 1+fast()+slow()
		}
		f.EndNS = ns(now)
		d.Files = append(d.Files, f)
	}
	return d
}

// runOf makes a run of phases, analysed.
func runOf(label string, phases ...*trace.Phase) Run {
	t := traceOf(phases...)
	return Run{Label: label, Trace: t, Analysis: analysis.Analyze(t, analysis.Options{})}
}

func traceOf(phases ...*trace.Phase) *trace.Run {
	t := &trace.Run{Name: "test", Phases: phases, Status: trace.Complete}
	seen := map[string]bool{}
	for _, p := range phases {
		for _, d := range p.Disks {
			if !seen[d.Name] {
				seen[d.Name] = true
				t.Disks = append(t.Disks, trace.Disk{Name: d.Name, Path: "/Volumes/" + d.Name, Connection: "hub"})
			}
		}
	}
	return t
}

// quick is runOf for thousands of runs: of the analysis it has no more than rates are compared by.
func quick(phases ...*trace.Phase) Run {
	run := Run{Trace: traceOf(phases...), Analysis: &analysis.Analysis{}}
	for _, d := range run.Trace.Disks {
		run.Analysis.Order = append(run.Analysis.Order, d.Name)
	}
	for _, p := range phases {
		found := analysis.Phase{Phase: p.Name, Roles: p.Roles, Overlap: &analysis.Overlap{Disks: map[string]analysis.OverlapDisk{}}}
		active := make([][]overlap.Interval, len(p.Disks))
		for i, d := range p.Disks {
			active[i] = overlap.Active(d, overlap.DefaultGapNS)
			found.Overlap.Disks[d.Name] = analysis.OverlapDisk{Op: d.Op}
		}
		for _, v := range overlap.Window(overlap.Stages(active), len(active)) {
			found.Overlap.Spans = append(found.Overlap.Spans, [2]float64{float64(v.StartNS) / 1e9, float64(v.EndNS) / 1e9})
		}
		run.Analysis.Phases = append(run.Analysis.Phases, found)
	}
	return run
}
