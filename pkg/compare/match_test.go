package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// doing is a phase of A and B at a rate, whose work was written down.
func doing(name string, rate float64, change func(*work.Work)) *trace.Phase {
	p := still(name, 1, load{"A", trace.Write, rate, 9}, load{"B", trace.Write, rate, 9})
	p.Work = map[string]work.Work{}
	for _, disk := range []string{"A", "B"} {
		w := work.Work{Op: trace.Write, Mode: "direct", Sizes: work.Sizes{List: []int64{1e9}},
			Flush: "full"}
		if change != nil {
			change(&w)
		}
		p.Work[disk] = w
	}
	return p
}

// Phases are matched by their work before their names, and those of unlike work are not compared,
// or only with what differs.
func TestMatch(t *testing.T) {
	small := func(w *work.Work) { w.Sizes.List = []int64{1e6} }
	unflushed := func(w *work.Work) { w.Flush = "none" }
	base := runOf("base", doing("WW", 1e9, nil), doing("WW-2", 0.2e9, small),
		doing("W-last", 1e9, nil))
	for _, tt := range []struct {
		name   string
		other  Input
		phases map[string]string // compared, by the base's name, and how the other run calls them
		unlike []Difference
		only   []string // here
	}{
		{"the same", base, map[string]string{"WW": "", "WW-2": "", "W-last": ""}, nil, nil},
		{"the other way round", runOf("n", doing("WW", 0.2e9, small), doing("WW-2", 1e9, nil),
			doing("W-last", 1e9, nil)),
			map[string]string{"WW": "WW-2", "WW-2": "WW", "W-last": ""}, nil, nil},
		{"only small files", runOf("n", doing("WW", 0.2e9, small)), map[string]string{"WW-2": "WW"},
			nil, nil},
		{"other files by the same name", runOf("n", doing("W-last", 0.2e9, small)),
			map[string]string{},
			[]Difference{{"sizes", "A", "1 GB", "1 MB", ""}, {"sizes", "B", "1 GB", "1 MB", ""}},
			nil},
		{"not flushed", runOf("n", doing("W-last", 1.5e9, unflushed)),
			map[string]string{"W-last": ""}, nil, nil},
		{"a name that is taken", runOf("n", doing("WW", 0.2e9, small), doing("WW-2", 0.2e9, small)),
			map[string]string{"WW-2": ""},
			[]Difference{{"sizes", "A", "1 GB", "1 MB", ""}, {"sizes", "B", "1 GB", "1 MB", ""}},
			nil},
		{"another name", runOf("n", doing("other", 1e9, nil)), map[string]string{}, nil,
			[]string{"other"}},
	} {
		c := Runs(base, tt.other)
		p := c.Pairs[0]
		if lost := strings.Join(c.Against(0.05, false).Lost, "; "); strings.Contains(lost,
			"A (") != (len(tt.unlike) > 0) {
			t.Errorf("%s: a gate goes by %q", tt.name, lost)
		}
		got := map[string]string{}
		var unlike []Difference
		for _, phase := range p.Phases {
			if len(phase.Rates) > 0 {
				got[phase.Name] = phase.NewPhase
			} else if !strings.Contains(phase.Reason, "has the same work") {
				t.Errorf("%s: %s has no rates: %s", tt.name, phase.Name, phase.Reason)
			}
			unlike = append(unlike, phase.Unlike...)
		}
		check.Same(t, tt.name, tt.phases, got)
		check.Same(t, tt.name+": unlike", tt.unlike, unlike)
		if !slices.Equal(tt.only, p.OnlyInNew) && len(tt.only)+len(p.OnlyInNew) > 0 {
			t.Errorf("%s: only here %v, want %v", tt.name, p.OnlyInNew, tt.only)
		}
	}
	flushed := Runs(base, runOf("n", doing("W-last", 1.5e9, unflushed))).Pairs[0]
	if !slices.Contains(flushed.Differs, "work") ||
		!strings.Contains(flushed.Headline, "flush: full → none") {
		t.Errorf("not flushed: %v, %q", flushed.Differs, flushed.Headline)
	}
}

// What a change can be about is what differs: another hub's profile has other disks, so no change
// is the hub's alone.
func TestAbout(t *testing.T) {
	edit := func(change func(*hardware.Setup)) Input { return onSetup("3.2", change) }
	base := edit(nil)
	profile := func(name string) Input {
		r := planned(name)
		r.Method.Simulated = true
		r.Method.Plan.Hub = &scenario.Hub{Profile: name}
		return r
	}
	for _, tt := range []struct {
		name        string
		base, other Input
		differs     []string
		says        string
	}{
		{"nothing", base, edit(nil), []string{}, "a change would be run-to-run variation"},
		{"nothing known", planned("a"), planned("b"), []string{}, "not recorded in both"},
		{"the hub", base, edit(func(s *hardware.Setup) {
			s.Hub.Name = "Dock"
		}), []string{"hub"}, "), which may be the cause."},
		{"a disk", base,
			edit(func(s *hardware.Setup) { u := s.Disks["B"]; u.Model = "T7"; s.Disks["B"] = u }),
			[]string{"disks"}, "model B: 990 PRO → T7), which may be the cause."},
		{"both", base,
			edit(func(s *hardware.Setup) {
				u := s.Disks["B"]
				u.Model = "T7"
				s.Disks["B"],
					s.Hub.Name = u, "Dock"
			}), []string{"disks", "hub"}, "any of them may be the cause"},
		{"a profile", profile("goshen-ridge"), profile("other.yaml"), []string{"disks", "hub"},
			"hub model: goshen-ridge → other.yaml): any of them may be the cause."},
	} {
		p := Runs(tt.base, tt.other).Pairs[0]
		if !slices.Equal(p.Differs, tt.differs) || !strings.Contains(p.Headline, tt.says) {
			t.Errorf("%s: %v, %q", tt.name, p.Differs, p.Headline)
		}
	}
}
