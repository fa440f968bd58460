package hub

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// triple is a plan of three disks with files of random sizes from 2 MB to 2 GB.
func triple(pattern string, count int) *scenario.Plan {
	plan := &scenario.Plan{Name: "triple"}
	phase := scenario.Phase{Name: pattern, Roles: map[string]trace.Role{}}
	rng := rand.New(rand.NewPCG(7, 7))
	for i, letter := range pattern {
		name := string(rune('A' + i))
		plan.Disks = append(plan.Disks, scenario.Disk{Name: name, Profile: name, Connection: "hub"})
		role := map[rune]trace.Role{'R': read, 'W': write, '-': trace.Idle}[letter]
		phase.Roles[name] = role
		if role == trace.Idle {
			continue
		}
		sizes := make([]int64, count)
		for i := range sizes {
			sizes[i] = 2e6 + rng.Int64N(2e9-2e6)
		}
		phase.Jobs = append(phase.Jobs,
			scenario.Job{Disk: name, Role: role, Sizes: sizes, Seed: uint64(i)})
	}
	plan.Phases = []scenario.Phase{phase}
	return plan
}

func record(t testing.TB, plan *scenario.Plan, p *Profile) []trace.Event {
	t.Helper()
	var events []trace.Event
	check.Must(t, Simulate(plan, p,
		func(e *trace.Event) error { events = append(events, *e); return nil }))
	return events
}

func TestSimulate(t *testing.T) {
	plan := &scenario.Plan{
		Name: "small",
		Disks: []scenario.Disk{{Name: "A", Profile: "C"},
			{Name: "B", Path: "/b", Connection: "direct"}},
		Phases: []scenario.Phase{
			{Name: "W-", Roles: map[string]trace.Role{"A": write, "B": trace.Idle},
				Jobs: []scenario.Job{
					{Disk: "A", Role: write, Sizes: []int64{100e6, 150e6}},
				}},
			{Name: "WR", Roles: map[string]trace.Role{"A": write, "B": read}, Jobs: []scenario.Job{
				{Disk: "A", Role: write, Sizes: []int64{20e6}},
				{Disk: "B", Role: read, Sizes: []int64{70e6}},
			}},
		},
	}
	// A (C on the hub) writes at 2 GB/s, B reads at 3.5 on its own port.
	want := []trace.Event{
		// No disk was measured, whatever its path.
		{Type: trace.RunType, Version: 1, Name: "small",
			Disks: []trace.Disk{{Name: "A", Profile: "C"},
				{Name: "B", Path: "/b", Connection: "direct", Profile: "B"}}},
		{Type: trace.PhaseType, Phase: "W-", Roles: plan.Phases[0].Roles,
			Work: plan.Phases[0].Works()},
		{Type: trace.FileType, Phase: "W-", Disk: "A", Op: write, Bytes: 100e6, EndNS: 50e6},
		{Type: trace.ProgressType, Phase: "W-", Disk: "A", Seq: 1, Bytes: 128e6, TNS: 114e6},
		{Type: trace.FileType, Phase: "W-", Disk: "A", Op: write, Seq: 1, Bytes: 150e6,
			StartNS: 50e6, EndNS: 125e6},
		{Type: trace.PhaseEndType, Phase: "W-", Status: trace.Complete},
		{Type: trace.PhaseType, Phase: "WR", Roles: plan.Phases[1].Roles,
			Work: plan.Phases[1].Works()},
		{Type: trace.FileType, Phase: "WR", Disk: "A", Op: write, Bytes: 20e6, EndNS: 10e6},
		{Type: trace.FileType, Phase: "WR", Disk: "B", Op: read, Bytes: 70e6, EndNS: 20e6},
		{Type: trace.PhaseEndType, Phase: "WR", Status: trace.Complete},
		{Type: trace.EndType, Status: trace.Complete},
	}
	got := record(t, plan, round())
	check.Same(t, "events", want, got)
}

func TestSimulateFails(t *testing.T) {
	plan := triple("WWW", 1)
	plan.Disks[1].Profile = "X"
	err := Simulate(plan, round(), func(*trace.Event) error { return nil })
	check.Refused(t, "unknown disk", err, `simulate phase WWW: disk B joins the hub: profile round has no disk "X"`)
	full := errors.New("full")
	for n := range 5 { // whichever event it is
		left := n
		err := Simulate(triple("W--", 2), round(), func(*trace.Event) error {
			if left--; left < 0 {
				return full
			}
			return nil
		})
		if !errors.Is(err, full) {
			t.Errorf("after %d events: %v", n, err)
		}
	}
}

// BenchmarkSimulate plays a triple of 100 files a disk, and reports how much faster than real time
// that is.
func BenchmarkSimulate(b *testing.B) {
	plan, p := triple("WWW", 100), round()
	p.Noise = 0.03
	var modelNS int64
	for b.Loop() {
		err := Simulate(plan, p,
			func(e *trace.Event) error { modelNS = max(modelNS, e.EndNS); return nil })
		check.Must(b, err)
	}
	perOp := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(modelNS)/float64(perOp), "x-real-time")
}

// stopped is a plan of one phase in which all three disks write until it stops.
func stopped(stop string, limit, target time.Duration) *scenario.Plan {
	plan := triple("WWW", 30)
	phase := &plan.Phases[0]
	phase.Stop, phase.Limit, phase.Target = stop, limit, target
	return plan
}

// lastWork is when each disk ended the last file of its work, and lastSeen the last thing known of
// it.
func lastWork(events []trace.Event) (work, seen map[string]int64, fillers int) {
	work, seen = map[string]int64{}, map[string]int64{}
	for _, e := range events {
		switch {
		case e.Type == trace.FileType && e.Filler:
			fillers++
			seen[e.Disk] = max(seen[e.Disk], e.EndNS)
		case e.Type == trace.FileType:
			work[e.Disk] = max(work[e.Disk], e.EndNS)
			seen[e.Disk] = max(seen[e.Disk], e.EndNS)
		case e.Type == trace.ProgressType:
			seen[e.Disk] = max(seen[e.Disk], e.TNS)
		}
	}
	return work, seen, fillers
}

// endShortlyBefore checks that every disk was last seen within some time before an end.
func endShortlyBefore(t *testing.T, seen map[string]int64, endNS, withinNS int64) {
	t.Helper()
	for disk, at := range seen {
		if left := endNS - at; left < 0 || left > withinNS {
			t.Errorf("disk %s was last seen at %d, want shortly before %d", disk, at, endNS)
		}
	}
}

func TestHold(t *testing.T) {
	work, seen, fillers := lastWork(record(t, stopped(scenario.StopHold, 0, 0), round()))
	end := max(work["A"], work["B"], work["C"])
	if fillers == 0 {
		t.Fatal("nobody filled")
	}
	endShortlyBefore(t, seen, end, 200e6)
	race, _, _ := lastWork(record(t, stopped(scenario.StopRace, 0, 0), round()))
	check.Same(t, "the end of C's work, as in a race", race["C"], work["C"])
}

func TestStopByTime(t *testing.T) {
	limit := 20 * time.Second
	_, seen, fillers := lastWork(record(t, stopped(scenario.StopTime, limit, 0), round()))
	if fillers > 0 {
		t.Errorf("got %d fillers, want none", fillers)
	}
	endShortlyBefore(t, seen, int64(limit), 200e6)
}

func TestTarget(t *testing.T) {
	work, _, _ := lastWork(record(t, stopped("", 0, 40*time.Second), round()))
	for disk, at := range work {
		if off := math.Abs(float64(at)/40e9 - 1); off > 0.05 {
			t.Errorf("disk %s ended after %.1f s, want 40 s within 5 %%", disk, float64(at)/1e9)
		}
	}
}

// All disks go on until all are steady: by the rates at the ends of windows, and not across the
// fall of a cache.
func TestUntilSteady(t *testing.T) {
	p := round()
	p.Disk("A").Cache = &Cache{Bytes: 8e9, After: 0.2e9}
	plan := stopped(scenario.StopTime, time.Hour, 0)
	plan.Phases[0].Steady = 4 * time.Second
	events := record(t, plan, p)
	_, seen, fillers := lastWork(events)
	if fillers > 0 {
		t.Errorf("got %d fillers, want none", fillers)
	}
	var fullNS, before int64 // when A has no fast writing left, within a sample
	for _, e := range events {
		if e.Disk == "A" && fullNS == 0 && before+e.Bytes >= 8e9 {
			fullNS = max(e.TNS, e.EndNS)
		}
		if e.Disk == "A" && e.Type == trace.FileType {
			before += e.Bytes
		}
	}
	// Five windows after the one in which it fell, and half a window to hear of it.
	want := (fullNS/4e9+1+5)*4e9 + 2e9
	endShortlyBefore(t, seen, want, 600e6)
}

// What a cache regains before the next phase counts from when the disks were steady, not from the
// time they had for that.
func TestRestAfterSteady(t *testing.T) {
	p := round()
	p.Disk("C").Cache = &Cache{Bytes: 8e9, After: 0.5e9, Refill: 0.1e9}
	phase := func(name string) scenario.Phase {
		return scenario.Phase{
			Name: name, Stop: scenario.StopTime, Limit: time.Hour, Steady: time.Second,
			AfterFall: true, Cooldown: 20 * time.Second,
			Jobs: []scenario.Job{{Disk: "C", Role: write, Sizes: []int64{1e9}}},
		}
	}
	plan := &scenario.Plan{Disks: []scenario.Disk{{Name: "C", Profile: "C"}},
		Phases: []scenario.Phase{phase("first"), phase("second")}}
	fast := map[string]int64{} // bytes of files at 2 GB/s
	for _, e := range record(t, plan, p) {
		if e.Type == trace.FileType && e.EndNS-e.StartNS < 6e8 {
			fast[e.Phase] += e.Bytes
		}
	}
	if fast["first"] != 8e9 || fast["second"] != 2e9 {
		t.Errorf("the cache took %v, want 8 GB, and 2 GB after 20 s", fast)
	}
}
