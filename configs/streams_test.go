package configs

import (
	"testing"

	"github.com/hubbench/hubbench/pkg/stream"
)

// The demo of streams shows what its comments promise: a phase that is clean, one that is not, and two searches that agree
// with them.
func TestStreamsDemo(t *testing.T) {
	data, ok := Scenario("streams-demo")
	if !ok {
		t.Fatal("no built-in scenario streams-demo")
	}
	run := play(t, load(t, "goshen-ridge"), data)
	for phase, want := range map[string]stream.Verdict{"edit": stream.Clean, "ingest beside one": stream.Clean, "ingest beside two": stream.Drops} {
		p := run.phases[phase]
		if p == nil || len(p.Streams) != 4 {
			t.Errorf("%s: %+v", phase, p)
			continue
		}
		for _, s := range p.Streams {
			if s.Verdict != want {
				t.Errorf("%s: stream %s is %q, want %q", phase, s.Name, s.Verdict, want)
			}
		}
	}
	if len(run.searches) != 2 {
		t.Fatalf("%d searches", len(run.searches))
	}
	many, fast := run.searches[0], run.searches[1]
	if many.Alone == nil || many.Found == nil || *many.Found >= 4 || *many.Alone <= *many.Found {
		t.Errorf("how many: %v alone, %v beside the others; four drop frames beside them", many.Alone, many.Found)
	}
	const whole = 2.15e9 // what C takes beside the four cameras if it may
	if fast.Found == nil || *fast.Found <= 0.5e9 || *fast.Found >= whole {
		t.Errorf("how fast: %v, want less than what makes A drop frames", fast.Found)
	}
}
