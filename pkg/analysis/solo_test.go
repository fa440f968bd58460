package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// A disk's rate alone is its lowest level, and the mean of all phases that show it at the same work.
func TestSoloRates(t *testing.T) {
	of := func(name string, rates ...func(int) float64) *phase {
		p := besides(40, rates...)
		p.out.Phase = name
		p.fillOverlap()
		return p
	}
	paced, still := of("paced", tracetest.Flat(40)), of("no overlap", tracetest.Flat(30))
	paced.parts[0].Work.Pace = 40e6
	still.out.Overlap = nil
	nothing := of("nothing", tracetest.Flat(20))
	nothing.out.Overlap.Rate = 0
	other := of("another test", tracetest.Flat(300))
	other.trace.Test = "x"
	reads := of("reads", tracetest.Flat(500))
	reads.parts[0].Trace.Op = trace.Read
	first, second := of("one", tracetest.Flat(100, [2]float64{20, 60})), of("two", tracetest.Flat(80))
	got := soloRates([]*phase{first, paced, still, nothing, of("both", tracetest.Flat(10), tracetest.Flat(10)), other, second, reads})
	rates := map[string]float64{}
	for _, s := range got {
		rates[s.phase] = s.Rate
	}
	if diff := cmp.Diff(map[string]float64{"one, two": 70e6, "another test": 300e6, "reads": 500e6}, rates, cmpopts.EquateApprox(1e-6, 0)); diff != "" {
		t.Errorf("rates (-want +got):\n%s", diff)
	}
	if s, ok := got.of(first, &first.parts[0]); !ok || s.phase != "one, two" {
		t.Errorf("of the first: %+v", s)
	}
	first.connections["A"] = trace.Direct
	if s, ok := got.of(first, &first.parts[0]); ok {
		t.Errorf("on another connection: %+v", s)
	}
	second.parts[0].Work.Reads = 0.5
	if s, ok := got.of(second, &second.parts[0]); ok {
		t.Errorf("reading as well: %+v", s)
	}
}
