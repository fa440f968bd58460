package analysis

import (
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
)

// A phase is called by who does what if its name is a pattern; two of one title are numbered, and either selects it.
func TestTitles(t *testing.T) {
	run := &trace.Run{Disks: []trace.Disk{{Name: "A"}, {Name: "B"}}}
	for _, name := range []string{"WR", "RW", "A W, B R", "edit"} {
		roles := map[string]trace.Role{"A": trace.Write, "B": trace.Read}
		if name == "RW" {
			roles = map[string]trace.Role{"A": trace.Write, "B": trace.Write}
		}
		run.Phases = append(run.Phases, &trace.Phase{Name: name, Roles: roles})
	}
	a := Analyze(run, Options{})
	for i, want := range []string{"A writes, B reads (WR)", "RW", "A writes, B reads (A W, B R)", "edit"} {
		p := a.Phases[i]
		if p.Title != want || a.Title(p.Phase) != want {
			t.Errorf("phase %s is called %q, want %q", p.Phase, p.Title, want)
		}
		for _, text := range []string{p.Phase, want} {
			if got, ok := a.Named(text); !ok || got != p.Phase {
				t.Errorf("%q selects %q, want %q", text, got, p.Phase)
			}
		}
	}
	if got, ok := a.Named("EDIT"); !ok || got != "edit" {
		t.Errorf("EDIT selects %q", got)
	}
	if got, ok := a.Named("WWW"); ok {
		t.Errorf("WWW selects %q", got)
	}
}
