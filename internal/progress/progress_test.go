package progress

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/coordinator"
	"github.com/hubbench/hubbench/pkg/scenario"
)

func phase() scenario.Phase {
	return scenario.Phase{Name: "WRR", Jobs: []scenario.Job{
		{Disk: "C", Role: scenario.Write, Sizes: []int64{2e9, 1e9}},
		{Disk: "A", Role: scenario.Read, Sizes: []int64{1e9}},
		{Disk: "B", Role: scenario.Read, Sizes: []int64{1e9}},
	}}
}

func TestLines(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, false, 4)
	p.PhaseBegins(2, phase())
	p.Released()
	p.Moved("A", 5e8)
	p.PhaseEnds([]coordinator.Failure{{Phase: "WRR", Disk: "A", Cause: "unplugged"}})
	want := "[3/4] WRR: C writes; A, B read; 4 files, 5 GB\n      disk A, phase WRR: unplugged\n"
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLive(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, true, 1)
	p.PhaseBegins(0, phase())
	p.Moved("A", 1) // before the release nothing is drawn
	if strings.Contains(out.String(), "\r") {
		t.Errorf("drew before the release: %q", out.String())
	}
	p.Released()
	p.Moved("A", 5e8)
	if want := "C 0 %   A 50 %   B 0 %"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("got %q, want it to end with %q", out.String(), want)
	}
	p.PhaseEnds(nil)
	if got := out.String(); !strings.Contains(got, "\r\033[K      done in ") {
		t.Errorf("got %q, want the live line wiped", got)
	}
}
