package coordinator

import (
	"slices"
	"testing"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// BenchmarkStartSkew releases three worker processes a hundred times and reports how far apart they
// started, by the median and the 99th percentile.
func BenchmarkStartSkew(b *testing.B) {
	p := plan(100, 1e6)
	p.Disks = append(p.Disks, scenario.Disk{Name: "three", Profile: "A"})
	for i := range p.Phases {
		job := p.Phases[i].Jobs[0]
		job.Disk = "three"
		p.Phases[i].Jobs = append(p.Phases[i].Jobs, job)
	}
	var skews []float64 // µs
	for b.Loop() {
		out, seen := record(b, b.Context(), p, nil, "good")
		if out.Status != trace.Complete {
			b.Fatal(out.Failures)
		}
		lates := map[string][]int64{}
		for _, e := range seen.events {
			if e.Type == trace.StartType {
				lates[e.Phase] = append(lates[e.Phase], e.LateNS)
			}
		}
		for _, late := range lates {
			skews = append(skews, float64(slices.Max(late)-slices.Min(late))/1e3)
		}
	}
	slices.Sort(skews)
	b.ReportMetric(skews[len(skews)/2], "p50-µs")
	b.ReportMetric(skews[len(skews)*99/100], "p99-µs")
	b.ReportMetric(0, "ns/op") // how long it all took says nothing
}
