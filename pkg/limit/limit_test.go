package limit

import (
	"fmt"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

func rate(value, half float64) analysis.OverlapDisk {
	d := analysis.OverlapDisk{Rate: value, Estimate: stats.Estimate{Mean: value}}
	if half > 0 {
		d.CI95 = &stats.Interval{value - half, value + half}
		d.Estimate = measured(value, half)
	}
	return d
}

// measured is a value with a margin of error from five cosines.
func measured(value, half float64) stats.Estimate {
	const free = 5
	return stats.Estimate{Mean: value, SE: half / stats.StudentQuantile(0.975, free),
		DegreesOfFreedom: free}
}

// run has a phase WW, recorded twice, in which A has this rate.
func run(of analysis.OverlapDisk) *analysis.Analysis {
	phase := func(name string) analysis.PhaseResult {
		return analysis.PhaseResult{
			Name: name, Roles: map[string]trace.Role{"A": trace.Write, "B": trace.Write,
				"C": trace.Idle},
			Overlap: &analysis.Overlap{Rate: 3e9, Estimate: stats.Estimate{Mean: 3e9},
				Disks: map[string]analysis.OverlapDisk{"A": of, "B": rate(2e9, 1e7)}},
		}
	}
	return &analysis.Analysis{Order: []string{"A", "B", "C"},
		Phases: []analysis.PhaseResult{phase("WW-1"), phase("WW-2")}}
}

// within is a limit that holds within the margin of error.
const within Judgement = "within the margin of error"

// What a limit on A's rate of at least 1 GB/s says of runs of every kind.
func TestVerdicts(t *testing.T) {
	partial, apart, recovering, cut := run(rate(2e9, 1e7)), run(rate(2e9, 1e7)),
		run(rate(2e9, 1e7)), run(rate(2e9, 1e7))
	partial.Phases[1].Warnings = []analysis.Warning{{Code: "partial"}}
	still := run(rate(2e9, 1e7))
	for i := range 2 {
		apart.Phases[i].Overlap, still.Phases[i].Overlap = nil, nil
		apart.Phases[i].Disks = map[string]analysis.DiskResult{"A": {Bytes: 1}}
	}
	killed, part := run(rate(2e9, 1e7)), run(rate(2e9, 1e7))
	killed.Origin, part.Origin = &analysis.Origin{}, &analysis.Origin{Status: "partial"}
	part.Phases = append(part.Phases,
		analysis.PhaseResult{Name: "-W",
			Roles: map[string]trace.Role{"A": trace.Idle, "B": trace.Write}})
	resting := *part
	resting.Origin = &analysis.Origin{Status: "complete"}
	lag := 4.0
	recovering.Phases[1].Recoveries = []analysis.Recovery{{Disk: "A", After: "B", LagS: &lag}}
	cut.Phases[1].Recoveries = []analysis.Recovery{{Disk: "A", After: "B"}}
	missing := run(rate(2e9, 1e7))
	missing.Phases = missing.Phases[:0]
	slow := int64(4e6)
	timed, rough := run(rate(2e9, 1e7)), run(rate(2e9, 1e7))
	for i := range 2 {
		timed.Phases[i].Disks = map[string]analysis.DiskResult{"A": {Latency: &analysis.LatencyResult{Figures: quantile.Figures{P99NS: &slow, P99CI95: &[2]int64{3e6, 5e6}}}}}
		rough.Phases[i].Disks = map[string]analysis.DiskResult{"A": {Latency: &analysis.LatencyResult{Figures: quantile.Figures{P99NS: &slow}}}}
	}
	fast := "{phase: WW, disk: A, rate: {min: 1 GB/s}}"
	for _, tt := range []struct {
		name, limit string
		run         *analysis.Analysis
		want        Judgement
	}{
		{"well above", fast, run(rate(2e9, 1e7)), Pass},
		{"equal", fast, run(rate(1e9, 1e7)), within},
		{"below by less than is known", fast, run(rate(0.96e9, 5e7)), within},
		{"above by less than is known", fast, run(rate(1.04e9, 5e7)), within},
		{"below by 4%", fast, run(rate(0.96e9, 1e7)), Fail},
		{"below by 10%", fast, run(rate(0.9e9, 5e7)), Fail},
		{"too short, and above", fast, run(rate(2e9, 0)), Pass},
		{"too short, and below", fast, run(rate(0.99e9, 0)), Fail},
		{"never together", fast, apart, Unsure},
		{"incomplete", fast, partial, Fail},
		{"killed between phases", fast, killed, Fail},
		{"stopped between phases", fast, part, Fail},
		{"the disk is idle in another phase", "{disk: A, rate: {min: 1 GB/s}}", &resting, Pass},
		{"the disk moved nothing", fast, still, Fail},
		{"the disk is idle in all of them", "{disk: C, rate: {min: 1 GB/s}}", run(rate(2e9, 1e7)),
			Fail},
		{"no such phase", fast, missing, Fail},
		{"no such disk", "{disk: Z, rate: {min: 1 GB/s}}", run(rate(2e9, 1e7)), Fail},
		{"the disk is idle", "{phase: WW, disk: C, rate: {min: 1 GB/s}}", run(rate(2e9, 1e7)),
			Fail},
		{"of every disk one is too slow", "{rate: {min: 1.5 GB/s}}", run(rate(1e9, 1e7)), Fail},
		{"every disk", "{rate: {min: 1.5 GB/s}}", run(rate(2e9, 1e7)), Pass},
		{"within both bounds", "{disk: A, rate: {min: 1 GB/s, max: 3 GB/s}}", run(rate(2e9, 1e7)),
			Pass},
		{"above the upper one", "{disk: A, rate: {max: 1 GB/s}}", run(rate(2e9, 1e7)), Fail},
		{"of all together, without an interval", "{together: {min: 1 GB/s}}", run(rate(2e9, 1e7)),
			Pass},
		{"a share", "{disk: A, share: {max: 50%}}", run(rate(2e9, 1e7)), Pass},
		{"recovered in time", "{recovery: {max: 5 s}}", recovering, Pass},
		{"recovered too late", "{recovery: {max: 3 s}}", recovering, Fail},
		{"no view of the recovery", "{recovery: {max: 3 s}}", cut, Unsure},
		{"nothing recovered", "{recovery: {max: 3 s}}", run(rate(2e9, 1e7)), Unsure},
		{"slow requests", "{disk: A, p99: {max: 6 ms}}", timed, Pass},
		{"too slow requests", "{disk: A, p99: {max: 2 ms}}", timed, Fail},
		{"too slow requests of too few seconds", "{disk: A, p99: {max: 3 ms}}", rough, Fail},
		{"no latencies", "{disk: A, p99: {max: 6 ms}}", run(rate(2e9, 1e7)), Unsure},
		{"no streams", "{late_frames: {max: 0}}", run(rate(2e9, 1e7)), Unsure},
	} {
		limits, err := scenario.LoadLimits("limits.yaml", []byte("expect: ["+tt.limit+"]"))
		check.Must(t, err)
		results := Check(tt.run, limits, History{})
		got := Worst(results)
		for _, r := range results {
			if r.WithinMargin && got == Pass {
				got = within
			}
			if (r.Why == "") != (r.Verdict == Pass || r.Verdict == Fail && r.Value != nil) {
				t.Errorf("%s: %s because %q", tt.name, r.Verdict, r.Why)
			}
			// A limit fails just where the interval lies wholly beyond it.
			if r.Low != nil {
				beyond := r.Min != nil && *r.High < *r.Min || r.Max != nil && *r.Low > *r.Max
				check.Same(t, tt.name+": fails", beyond, r.Verdict == Fail)
				inside := (r.Min == nil || *r.Low >= *r.Min) && (r.Max == nil || *r.High <= *r.Max)
				check.Same(t, tt.name+": is within the margin", !inside && !beyond, r.WithinMargin)
			}
		}
		check.Same(t, fmt.Sprintf("%s: %+v", tt.name, results), tt.want, got)
	}
}

// The limits of a run are read as they are written, and the run holds them.
func TestFromRun(t *testing.T) {
	a := run(rate(2e9, 1e7))
	lag := 4.0
	for i := range a.Phases {
		p := &a.Phases[i]
		p.Overlap.CI95 = &stats.Interval{2.9e9, 3.1e9}
		p.Overlap.Estimate = measured(3e9, 0.1e9)
		p.Recoveries = []analysis.Recovery{{Disk: "A", After: "B", LagS: &lag},
			{Disk: "B", After: "A", LagS: &lag}}
		p.Contention = &analysis.Contention{Disks: map[string]analysis.DiskContention{"A": {Reference: "later", Slowed: true}, "B": {Reference: "later"}}}
		p.StreamTotals = []analysis.StreamTotal{{Disk: "B", Due: 100}}
	}
	text := scenario.WriteLimits(FromRun(a))
	want := `version: 1
expect:
  - {phase: "WW", together: {min: 2.70 GB/s}}
  - {phase: "WW", disk: "A", rate: {min: 1.90 GB/s}, recovery: {max: 6.2 s}}
  - {phase: "WW", disk: "B", rate: {min: 1.90 GB/s}, late_frames: {max: 0}}
`
	check.Same(t, "limits", want, text)
	limits, err := scenario.LoadLimits("limits.yaml", []byte(text))
	check.Must(t, err)
	if results := Check(a, limits, History{}); Worst(results) != Pass || len(results) != 10 {
		t.Errorf("%d results: %+v", len(results), results)
	}
	a.Phases[1].Overlap.Disks["A"] = rate(1.8e9, 1e7)
	a.Phases[0].StreamTotals[0].Late = 1
	failed := 0
	for _, r := range Check(a, limits, History{}) {
		if r.Verdict == Fail {
			failed++
		}
	}
	check.Same(t, "failed: A's rate and B's late frame", 2, failed)
}
