package analysis

import (
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

// A disk that reads and writes at once is held against itself at the same mix, and has no part in what one direction's disks
// share.
func TestMixedDisks(t *testing.T) {
	mixed := func(name string, reads float64, disks ...*trace.DiskTrace) *trace.Phase {
		p := tracetest.Phase(name, disks...)
		p.Work = map[string]work.Work{"A": {Reads: reads}}
		return p
	}
	alone := func(name string, rate float64) *trace.DiskTrace {
		return diskOf(name, trace.Write, 1e8, pace{15, rate})
	}
	both := func(a, b, c float64) []*trace.DiskTrace {
		return []*trace.DiskTrace{diskOf("A", trace.Write, 1e8, pace{20, a}), diskOf("B", trace.Write, 1e8, pace{20, b}), diskOf("C", trace.Write, 1e8, pace{20, c})}
	}
	a := Analyze(tracetest.Run(
		mixed("A 30/70", 0.3, alone("A", 1.6e9)), tracetest.Phase("A writes", alone("A", 2e9)), mixed("A 50/50", 0.5, alone("A", 1.9e9)),
		tracetest.Phase("B", alone("B", 1.5e9)), tracetest.Phase("C", alone("C", 1.5e9)),
		mixed("all", 0.3, both(1.5e9, 0.5e9, 0.5e9)...), tracetest.Phase("all write", both(1.5e9, 0.5e9, 0.5e9)...)), Options{})
	c := a.Phases[5].Contention
	if r := c.Disks["A"]; r.ReferenceFrom != "A 30/70" || r.Held || *r.Retention < 0.93 || *r.Retention > 0.95 {
		t.Errorf("A at 30/70 is held against %q: %+v", r.ReferenceFrom, r)
	}
	if len(c.Steals) > 0 || c.Disks["A"].AboveEven != 0 || c.Disks["B"].AboveEven != 0 || !c.Disks["B"].Held {
		t.Errorf("beside a disk that does both: %+v", c)
	}
	if c := a.Phases[6].Contention; len(c.Steals) != 2 || c.Disks["A"].ReferenceFrom != "A writes" {
		t.Errorf("if all write, A takes from both: %+v", c)
	}
	if n := len(a.Summary.Contests); n != 1 || a.Summary.Contests[0].Phases[0] != "all write" {
		t.Errorf("contests %+v, want the one phase in which all write", a.Summary.Contests)
	}
}
