package rundir

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// searched is a plan with a search between two phases, and the events of a run of it: A plays two streams alone, and one beside B.
func searched() (plan *scenario.Plan, all []trace.Event, verdicts []stream.Verdict) {
	plan = &scenario.Plan{Phases: []scenario.Phase{
		{Name: "R", Roles: map[string]trace.Role{"A": trace.Read}},
		{
			Name: "edit", Search: &scenario.Search{Kind: trace.SearchStreams, Disk: "A", Hold: 10 * time.Second, Max: 3},
			Roles: map[string]trace.Role{"A": trace.Read, "B": trace.Write},
			Jobs: []scenario.Job{
				{Disk: "A", Role: trace.Read, Streams: []stream.Spec{{Rate: 1e6, Frame: 40 * time.Millisecond, Count: 1, Buffer: time.Second}}},
				{Disk: "B", Role: trace.Write, Sizes: []int64{1e9}},
			},
		},
		{Name: "W", Roles: map[string]trace.Role{"A": trace.Write}},
	}}
	end := func(phase string) trace.Event {
		return trace.Event{Type: trace.PhaseEndType, Phase: phase, Status: trace.Complete}
	}
	all = []trace.Event{plan.Phases[0].Event(), end("R")}
	s := search.New(&plan.Phases[1])
	for try, ok := s.Next(); ok; try, ok = s.Next() {
		o := search.Outcome{Verdict: stream.Clean}
		late := 0
		if limit := map[bool]float64{true: 2, false: 1}[try.Try.Alone]; try.Try.Value > limit {
			o.Verdict, late = stream.Drops, 7
		}
		all = append(all, try.Event())
		for _, p := range stream.Players(try.Jobs[0].Streams) {
			all = append(all, trace.Event{Type: trace.StreamType, Phase: try.Name, Disk: "A", Stream: p.Name, TNS: 10e9, Due: 225, Late: late, BufferNS: 1e9})
		}
		for second := range int64(10) {
			all = append(all, trace.Event{Type: trace.ProgressType, Phase: try.Name, Disk: "A", Op: trace.Read, Bytes: (second + 1) * 1e6, TNS: (second + 1) * 1e9})
		}
		if !try.Try.Alone {
			all = append(all, trace.Event{Type: trace.FileType, Phase: try.Name, Disk: "B", Op: trace.Write, Bytes: 1e9, EndNS: 10e9})
		}
		all, verdicts = append(all, end(try.Name)), append(verdicts, o.Verdict)
		s.Add(o)
	}
	return plan, append(all, plan.Phases[2].Event(), end("W")), verdicts
}

// readPast is how far a run got by its events, and how many bytes of them stay.
func readPast(t *testing.T, plan *scenario.Plan, text []byte) (p *past, keep int64, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), EventsFile)
	write(t, file, string(text))
	p = &past{plan: plan}
	keep, err = p.read(file)
	return p, keep, err
}

// However many of the events there are, the past ends with the last complete phase or try, and its verdicts are those told.
func TestPast(t *testing.T) {
	plan, all, verdicts := searched()
	last := slices.IndexFunc(all, func(e trace.Event) bool { return e.Phase == "W" })
	var text []byte
	ends, keep := 0, int64(0)
	for n := range len(all) + 1 {
		p, got, err := readPast(t, plan, text)
		if err != nil || got != keep {
			t.Errorf("%d events: keeps %d bytes, %v; want %d", n, got, err, keep)
		}
		wantDone, wantTried := min(ends, 1), max(0, ends-1)
		if tries := len(verdicts); n >= last {
			wantDone, wantTried = ends-tries+1, 0 // all tries are one phase
		}
		if p.done != wantDone || len(p.tried) != wantTried {
			t.Errorf("%d events: %d phases done, %d tries; want %d and %d", n, p.done, len(p.tried), wantDone, wantTried)
		}
		for i, o := range p.tried {
			if o.Verdict != verdicts[i] {
				t.Errorf("try %d: %s, want %s", i+1, o.Verdict, verdicts[i])
			}
		}
		if n < len(all) {
			if text = trace.AppendEvent(text, &all[n]); all[n].Type == trace.PhaseEndType {
				ends, keep = ends+1, int64(len(text))
			}
		}
	}
}

// A try that says nothing is made again, though an earlier hubbench took it for one: here A hung in the third. Tries that the
// verdicts do not lead to are another run's.
func TestPastOfOtherTries(t *testing.T) {
	plan, all, _ := searched()
	var silent, verdict, name []byte
	ends, keep := 0, 0
	for _, e := range all {
		if e.Type != trace.ProgressType || e.Disk != "A" || ends != 3 {
			silent = trace.AppendEvent(silent, &e)
		}
		if e.Type == trace.PhaseEndType {
			if ends++; ends == 3 {
				keep = len(silent)
			}
		}
		clean, renamed := e, e
		if e.Type == trace.StreamType {
			clean.Late = 0
		}
		renamed.Phase = strings.Replace(e.Phase, "edit", "cut", 1)
		verdict, name = trace.AppendEvent(verdict, &clean), trace.AppendEvent(name, &renamed)
	}
	if p, got, err := readPast(t, plan, silent); err != nil || got != int64(keep) || len(p.tried) != 2 {
		t.Errorf("keeps %d bytes and %d tries, %v; want %d and 2", got, len(p.tried), err, keep)
	}
	for what, text := range map[string][]byte{"verdict": verdict, "name": name} {
		if _, keep, err := readPast(t, plan, text); err == nil {
			t.Errorf("another %s: kept %d bytes and said nothing", what, keep)
		}
	}
}
