package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/coordinator"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

func plan() *scenario.Plan {
	phase := scenario.Phase{Name: "WRR", Jobs: []scenario.Job{
		{Disk: "C", Role: trace.Write, Sizes: []int64{20e9, 10e9}},
		{Disk: "A", Role: trace.Read, Sizes: []int64{10e9}},
		{Disk: "B", Role: trace.Read, Sizes: []int64{10e9}},
	}}
	last := phase
	last.Name = "again"
	return &scenario.Plan{Phases: []scenario.Phase{phase, last}}
}

// follow shows a run up to a time after the first release, by a clock of its own: C moves 2 GB/s, A and B 1.
func follow(live bool, p *scenario.Plan, upTo time.Duration) (*Progress, *bytes.Buffer) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	shown := New(&out, live, p)
	shown.clock = func() time.Time { return now }
	shown.PhaseBegins(0, p.Phases[0])
	shown.Moved("A", 0, 1) // before the release nothing is shown
	shown.Released()
	for now.Sub(time.Unix(0, 0)) < upTo {
		now = now.Add(500 * time.Millisecond)
		s := now.Sub(time.Unix(0, 0)).Seconds()
		shown.Moved("C", int(s/10), int64(2e9*s))
		shown.Moved("A", 0, int64(1e9*s))
		shown.Moved("B", 0, int64(1e9*s))
	}
	return shown, &out
}

func TestLines(t *testing.T) {
	p := plan()
	p.Phases[0].Jobs[0].Sizes = []int64{200e9, 100e9}
	shown, out := follow(false, p, 35*time.Second)
	shown.PhaseEnds([]coordinator.Failure{{Phase: "WRR", Disk: "A", Cause: "unplugged"}})
	want := `[1/2] WRR: C writes; A, B read; 4 files, 320 GB
      30 s, about 3 min 30 s left in all: C 3 of 2 files, 2.00 GB/s; A 0 of 1 files, 1.00 GB/s; B 0 of 1 files, 1.00 GB/s
      disk A, phase WRR: unplugged
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTerminal(t *testing.T) {
	shown, out := follow(true, plan(), 8*time.Second)
	screen := out.String()[strings.LastIndex(out.String(), "\x1b[J")+len("\x1b[J"):]
	want := `      C  0 of 2 files  16 GB   2.00 GB/s  50 %
      A  0 of 1 files  7.5 GB  1.00 GB/s  25 %
      B  0 of 1 files  7.5 GB  1.00 GB/s  25 %
      8 s, about 18 s left in all
`
	if diff := cmp.Diff(want, screen); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}
	shown.PhaseEnds(nil)
	if got := out.String(); !strings.HasSuffix(got, "\x1b[4A\x1b[J      done in 8 s\n") {
		t.Errorf("got %q, want the drawing wiped", got[len(got)-60:])
	}
}

func TestRatesAreTheModels(t *testing.T) {
	p := plan()
	p.Hub = &scenario.Hub{Speedup: 10}
	shown, _ := follow(false, p, 8*time.Second)
	if got := shown.state.disks[0].rate(shown.state.speedup); got != 0.2e9 {
		t.Errorf("got %g B/s, want 2e8 in the model's time", got)
	}
}

func TestLeft(t *testing.T) {
	p := plan()
	shown, _ := follow(false, p, 10*time.Second)
	if left, known := shown.state.left(); !known || left != 15*time.Second {
		t.Errorf("40 of 100 GB in 10 s: got %s, %v; want 15 s", left, known)
	}
	p.Phases[1].Stop, p.Phases[1].Limit = scenario.StopTime, time.Second
	if _, known := shown.state.left(); known {
		t.Error("it foretells a phase that ends by the clock")
	}
}

func TestWork(t *testing.T) {
	for want, p := range map[string]scenario.Phase{
		"for 30 s":     {Stop: scenario.StopTime, Limit: 30 * time.Second},
		"about 40 s":   {Target: 40 * time.Second},
		"1 files, 5 B": {Jobs: []scenario.Job{{Sizes: []int64{5}}}},
	} {
		if got := work(&p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
