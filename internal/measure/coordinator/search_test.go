package coordinator

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// play is a worker on a disk that plays three streams alone and one beside another disk. Of a job without streams it is the
// other disk's.
func play(conn *wire.Conn) {
	m, _ := conn.Receive()
	job := m.Job.Job
	_ = conn.Send(wire.Message{Kind: wire.ReadyKind, Effective: &trace.Effective{Engine: "fake"}})
	_, _ = conn.Receive()
	limit := 1
	if strings.Contains(job.Phase, "alone") {
		limit = 3
	}
	var events []trace.Event
	for _, p := range stream.Players(job.Streams) {
		e := trace.Event{Type: trace.StreamType, Phase: job.Phase, Disk: job.Disk, Stream: p.Name, TNS: 10e9, Due: 225, BufferNS: 1e9}
		if job.Streams[0].Count > limit {
			e.Late, e.BufferNS = 9, 0
		}
		events = append(events, e)
	}
	for second := range int64(10) {
		events = append(events, trace.Event{Type: trace.ProgressType, Phase: job.Phase, Disk: job.Disk, Op: job.Role, Bytes: (second + 1) * 1e5, TNS: (second + 1) * 1e9})
	}
	m = wire.Message{Kind: wire.EventsKind}
	for i := range events {
		m.Lines = trace.AppendEvent(m.Lines, &events[i])
	}
	_ = conn.Send(m)
	_ = conn.Send(wire.Message{Kind: wire.DoneKind})
}

// searchPlan has a search between two phases of the second disk.
func searchPlan(t *testing.T) *scenario.Plan {
	p := plan(2, 1e6)
	p.Hub = nil
	for i := range p.Disks {
		p.Disks[i] = scenario.Disk{Name: p.Disks[i].Name, Path: t.TempDir()}
	}
	sought := scenario.Phase{
		Name: "edit", Search: &scenario.Search{Kind: trace.SearchStreams, Disk: "one", Hold: 10 * time.Second, Max: 8},
		Roles: map[string]trace.Role{"one": trace.Read, "two": trace.Write},
		Jobs: []scenario.Job{
			{Disk: "one", Role: trace.Read, Sizes: []int64{1e6}, Streams: []stream.Spec{{Rate: 1e6, Frame: 40 * time.Millisecond, Count: 1, Buffer: time.Second}}},
			{Disk: "two", Role: trace.Write, Sizes: []int64{1e6}},
		},
	}
	p.Phases = slices.Insert(p.Phases, 1, sought)
	return p
}

// recordSearch runs that plan.
func recordSearch(t *testing.T, change func(*Options), kind string) (Outcome, *memory) {
	t.Helper()
	return record(t, t.Context(), searchPlan(t), func(o *Options) {
		o.Profile, o.Janitor = nil, bystander
		if change != nil {
			change(o)
		}
	}, kind)
}

// phases are the names of the phases that a run recorded as complete.
func phases(seen *memory) (names []string) {
	for _, e := range seen.events {
		if e.Type == trace.PhaseEndType && e.Status == trace.Complete {
			names = append(names, e.Phase)
		}
	}
	return names
}

func TestSearch(t *testing.T) {
	out, seen := recordSearch(t, nil, "playing")
	if out.Status != trace.Complete {
		t.Fatalf("got status %q, failures %v", out.Status, out.Failures)
	}
	want := []string{
		"WW-1", "edit alone 1 stream", "edit alone 2 streams", "edit alone 4 streams", "edit alone 3 streams", "edit alone 4 streams 2", "edit alone 4 streams 3", "edit alone 3 streams 2", "edit alone 4 streams 4",
		"edit 2 streams", "edit 1 stream", "edit 2 streams 2", "edit 2 streams 3", "edit 1 stream 2", "WW-2",
	}
	if diff := cmp.Diff(want, phases(seen)); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	var outcomes []search.Outcome
	for _, try := range seen.tried {
		outcomes = append(outcomes, try.outcome)
	}
	last := seen.tried[len(seen.tried)-1]
	if diff := cmp.Diff(search.Result{Alone: new(3.0), Found: new(1.0)}, last.search.Result()); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}

	// From wherever it goes on, the rest is the same.
	for done := range len(outcomes) {
		_, rest := recordSearch(t, func(o *Options) { o.Done, o.Tried = 1, outcomes[:done] }, "playing")
		if diff := cmp.Diff(want[1+done:], phases(rest)); diff != "" {
			t.Errorf("after %d tries (-want +got):\n%s", done, diff)
		}
	}
	_, rest := recordSearch(t, func(o *Options) { o.Done = 2 }, "playing")
	if diff := cmp.Diff([]string{"WW-2"}, phases(rest)); diff != "" {
		t.Errorf("after the search (-want +got):\n%s", diff)
	}
}

// A try that is no whole phase ends the run.
func TestSearchEndsWithItsTry(t *testing.T) {
	for kind, want := range map[string]string{
		"failing": "disk one, phase edit alone 1 stream: no space left on device",
		"quick":   "phase edit alone 1 stream: disk one: no frame of stream 1 was due within 10s",
	} {
		out, seen := recordSearch(t, func(o *Options) { o.Done = 1 }, kind)
		if out.Status != trace.Partial || len(out.Failures) != 1 || !strings.HasPrefix(out.Failures[0].String(), want) {
			t.Errorf("%s: got status %q, failures %v; want %q", kind, out.Status, out.Failures, want)
		}
		if got := phases(seen); len(got) > 0 || seen.count(trace.PhaseType) != 1 || len(seen.tried) > 0 {
			t.Errorf("%s: %v are complete, of %d that began; %d tries", kind, got, seen.count(trace.PhaseType), len(seen.tried))
		}
	}
}

// On simulated disks the tries are those of the simulation, wherever a run goes on.
func TestSearchEqualsSimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it takes long on emulated systems, and depends on no system")
	}
	for name, sought := range map[string]*scenario.Search{
		"streams": {Kind: trace.SearchStreams, Disk: "one", Hold: 6 * time.Second, Max: 16},
		"pace":    {Kind: trace.SearchPace, Disk: "two", Hold: 6 * time.Second},
	} {
		tight := profile()
		tight.Capacity.Read, tight.Capacity.Write, tight.Capacity.Both = 1.2e9, 1.2e9, 1.2e9
		tight.Noise = 0.02
		p := plan(2, 3e9, 5e8, 2e9, 1e9)
		p.Hub.Speedup = 400
		streams(9)(&p.Phases[0])
		p.Phases[0].Search, p.Phases[0].Cooldown = sought, time.Second
		p.Phases[0].Roles = map[string]trace.Role{"one": trace.Read, "two": trace.Write}
		var want []trace.Event
		if err := hub.Simulate(p, tight, func(e *trace.Event) error { want = append(want, *e); return nil }); err != nil {
			t.Fatal(err)
		}
		out, seen := record(t, t.Context(), p, func(o *Options) { o.Profile = tight }, "good")
		if out.Status != trace.Complete {
			t.Fatalf("%s: failures: %v", name, out.Failures)
		}
		if diff := cmp.Diff(lines(want), lines(seen.events)); diff != "" {
			t.Errorf("%s (-simulated +run):\n%s", name, diff)
		}
		r := seen.tried[len(seen.tried)-1].search.Result()
		if r.Found == nil || *r.Found == 0 || len(seen.tried) < 8 {
			t.Errorf("%s: found %+v in %d tries: too easy a case", name, r, len(seen.tried))
		}

		var outcomes []search.Outcome
		for _, try := range seen.tried {
			outcomes = append(outcomes, try.outcome)
		}
		done := len(outcomes) / 2
		out, rest := record(t, t.Context(), p, func(o *Options) { o.Profile, o.Tried = tight, outcomes[:done] }, "good")
		begins := slices.IndexFunc(seen.events, func(e trace.Event) bool { return e.Phase == phases(seen)[done] })
		if diff := cmp.Diff(lines(seen.events[begins:]), lines(rest.events)); diff != "" || out.Status != trace.Complete {
			t.Errorf("%s, after %d tries: %v (-whole +resumed):\n%s", name, done, out.Failures, diff)
		}
	}
}
