package analysis

import (
	"math"
	"testing"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

// Of a phase of four disks, four may be claimed to fall by themselves and beside others; and as many, not each after each of
// the others' ends, to rise again. A disk alone has no others, and of one with a pace nothing is claimed.
func TestAlphas(t *testing.T) {
	phase := func(names ...string) *trace.Phase {
		p := &trace.Phase{Work: map[string]work.Work{}}
		for _, name := range names {
			p.Disks = append(p.Disks, &trace.DiskTrace{Name: name})
		}
		return p
	}
	for _, tc := range []struct {
		phases               []*trace.Phase
		own, shared, afterOf float64
	}{
		{[]*trace.Phase{phase("A")}, 1, 1, 1},
		{[]*trace.Phase{phase("A", "B")}, 2, 2, 1},
		{[]*trace.Phase{phase("A", "B", "C", "D")}, 4, 4, 4},
		{[]*trace.Phase{phase("A"), phase("A", "B", "C")}, 4, 3, 3},
	} {
		got := newAlphas(&trace.Run{Phases: tc.phases})
		for name, pair := range map[string][2]float64{"own": {got.own, tc.own}, "shared": {got.shared, tc.shared}, "after": {got.after, tc.afterOf}} {
			if math.Abs(pair[0]-chance/pair[1]) > 1e-15 {
				t.Errorf("%s of %d phases: one of %v, want one of %v", name, len(tc.phases), chance/pair[0], pair[1])
			}
		}
	}
}

// Of a disk that has a pace and is known alone the median and p99 are compared, each by its part of the chance.
func TestLatencyAlpha(t *testing.T) {
	with := func(name, disks string, paced map[string]work.Work) *phase {
		p := played(name, disks, trace.Read, 1)
		p.trace.Work = paced
		for i := range p.parts {
			p.parts[i].Work = paced[p.parts[i].Name()]
			p.parts[i].Trace.Latencies = []trace.Latency{{TNS: ns(1), Op: trace.Read, Hist: tracetest.Took(100)}}
		}
		return p
	}
	probes := map[string]work.Work{"A": {Probe: 4096}, "B": {Probe: 4096}}
	a, b := with("A", "A", probes), with("B", "B", probes)
	for _, tt := range []struct {
		name   string
		phases []*phase
		want   float64 // disks that are compared
	}{
		{"none", []*phase{a}, 1},
		{"one", []*phase{a, with("AB", "AB", probes)}, 1},
		{"two", []*phase{a, b, with("AB", "AB", probes)}, 2},
		{"twice", []*phase{a, b, with("AB", "AB", probes), with("ABC", "ABC", probes)}, 4},
		{"other work", []*phase{a, b, with("AB", "AB", map[string]work.Work{"A": {Probe: 8192}, "B": {Probe: 4096}})}, 1},
		{"as fast as they can", []*phase{with("A", "A", nil), with("AB", "AB", nil), with("ABC", "ABC", nil)}, 1},
	} {
		within(t, tt.name, latenciesAlone(tt.phases).alpha(tt.phases), 0.01/(2*tt.want), 1e-15)
	}
}

func TestNumber(t *testing.T) {
	for _, v := range []float64{0, -1, 1e300} {
		if got := number(v); got == nil || *got != v {
			t.Errorf("%v: %v", v, got)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := number(v); got != nil {
			t.Errorf("%v is reported", v)
		}
	}
}

// A try of a search that was cut short has no verdict, whatever its streams came to.
func TestStreamVerdict(t *testing.T) {
	p := &phase{trace: &trace.Phase{}, out: &Phase{Streams: []Stream{{Verdict: stream.Clean}, {Verdict: stream.Drops}, {Verdict: stream.Strained}}}}
	if got := p.streamVerdict(); got != stream.Drops {
		t.Errorf("verdict %q, want the worst", got)
	}
	p.trace.Status = trace.Partial
	if got := p.streamVerdict(); got != "" {
		t.Errorf("verdict %q of a phase that was cut short", got)
	}
}
