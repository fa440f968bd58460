package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
)

// What the base measured and the other run did not, or not to its end, crosses the gate, however the rates of the rest are.
func TestLost(t *testing.T) {
	phase := func(name string, change func(*trace.Phase)) *trace.Phase {
		p := still(name, 1, load{"A", trace.Write, 1e9, 12}, load{"B", trace.Write, 1e9, 12})
		if change != nil {
			change(p)
		}
		return p
	}
	whole := func(label string) Run { return runOf(label, phase("WW", nil), phase("W-last", nil)) }
	last := func(change func(*trace.Phase)) Run { return runOf("new", phase("WW", nil), phase("W-last", change)) }
	reads := func(p *trace.Phase) {
		p.Roles["B"], p.Disks[1].Op = trace.Read, trace.Read
	}
	apart := func(p *trace.Phase) {
		for i := range p.Disks[1].Files {
			f := &p.Disks[1].Files[i]
			f.StartNS, f.EndNS, f.Samples = f.StartNS+1e12, f.EndNS+1e12, nil
		}
	}
	for _, tt := range []struct {
		name string
		new  Run
		want []string
	}{
		{"whole", whole("new"), nil},
		{"missing", runOf("new", phase("WW", nil)), []string{"W-last of new"}},
		{"nothing at all", runOf("new"), []string{"A and B write of new", "W-last of new"}},
		{"cut short", last(func(p *trace.Phase) { p.Status = trace.Partial }), []string{"W-last of new, which was cut short"}},
		{"a disk failed", last(func(p *trace.Phase) {
			p.Status, p.Disks[1].Errors = trace.Partial, []trace.Failure{{Error: "gone"}}
		}), []string{"B in W-last of new"}},
		{"a disk left a file unfinished", last(func(p *trace.Phase) { p.Disks[1].Open = []trace.Sample{{TNS: 31e9, Bytes: 1e6}} }), []string{"B in W-last of new"}},
		{"a disk did nothing", last(func(p *trace.Phase) { p.Disks[1].Files = nil }), []string{"B in W-last of new"}},
		{"a disk did another thing", last(reads), []string{"B in W-last of new"}},
		{"never together", last(apart), []string{"W-last of new, for there is no time in which all disks were active"}},
	} {
		for name, c := range map[string]*Comparison{
			"": Compare(whole("base"), tt.new), ", repeats": Groups([]Run{whole("base"), whole("base 2")}, []Run{whole("other"), tt.new}),
		} {
			g := c.Against(0.05)
			want := map[bool]GateOutcome{true: CrossedIt, false: Passed}[len(tt.want) > 0]
			if !slices.Equal(g.Lost, tt.want) || g.Outcome != want {
				t.Errorf("%s%s: %s, lost %q; want %s, %q", tt.name, name, g.Outcome, g.Lost, want, tt.want)
			}
		}
	}
	for want, second := range map[string]Run{
		"W-last of base 2": runOf("base 2", phase("WW", nil)),
		"W-last, as run 2 of a side is no repeat of its first: ": runOf("base 2", phase("WW", nil), phase("W-last", reads)),
	} {
		g := Groups([]Run{whole("base"), second}, []Run{whole("new")}).Against(0.05)
		if len(g.Lost) != 1 || !strings.HasPrefix(g.Lost[0], want) {
			t.Errorf("in a run of the base: lost %q, want %q", g.Lost, want)
		}
	}
}

// So does a search that has no answer, or that was cut short with one.
func TestLostSearch(t *testing.T) {
	base := searching("hq", 3, 1, 2, 4, 3, 3, 4, 4)
	cut := searching("hq", 3, 1, 2, 4, 3, 3, 4, 4)
	cut.Trace.Phases[5].Status = trace.Partial
	for _, tt := range []struct {
		name string
		new  Run
		lost int
	}{{"whole", base, 0}, {"without an answer", searching("hq", 3, 1, 2), 1}, {"cut short", cut, 1}} {
		if lost := Compare(base, tt.new).Against(0.05).Lost; len(lost) != tt.lost {
			t.Errorf("%s: lost %q", tt.name, lost)
		}
	}
}
