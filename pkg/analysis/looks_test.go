package analysis

import (
	"math"
	"testing"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Of a phase of four disks, four may be claimed to fall by themselves and beside others; and as many, not each after each of
// the others' ends, to rise again. A disk alone has no others, and of one with a pace nothing is claimed.
func TestAlphas(t *testing.T) {
	phase := func(names ...string) *trace.Phase {
		p := &trace.Phase{Paced: map[string]trace.Paced{}}
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
