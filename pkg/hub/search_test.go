package hub

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// found is what the tries in a simulation come to, told by its events alone.
func found(t *testing.T, plan *scenario.Plan, p *Profile) (r search.Result, tries int) {
	t.Helper()
	sought := search.New(&plan.Phases[0])
	try, _ := sought.Next()
	judge := search.NewJudge(&try)
	for _, e := range record(t, plan, p) {
		judge.Add(&e)
		if e.Type != trace.PhaseEndType {
			continue
		}
		if e.Phase != try.Name {
			t.Fatalf("tried %s, want %s", e.Phase, try.Name)
		}
		o, err := judge.Outcome()
		if err != nil {
			t.Fatal(err)
		}
		sought.Add(o)
		var more bool
		if try, more = sought.Next(); !more {
			return sought.Result(), sought.Made()
		}
		judge = search.NewJudge(&try)
	}
	t.Fatalf("the simulation ends before %s", try.Name)
	return r, tries
}

// clean reports whether a phase by itself is.
func clean(t *testing.T, plan *scenario.Plan, p *Profile, phase scenario.Phase) bool {
	t.Helper()
	one := *plan
	phase.Search, phase.Stop, phase.Limit = nil, scenario.StopTime, plan.Phases[0].Search.Hold
	one.Phases = []scenario.Phase{phase}
	streams, _ := outcomes(record(t, &one, p))
	for _, o := range streams {
		if o.Verdict(time.Second.Nanoseconds()) != stream.Clean {
			return false
		}
	}
	return true
}

// randomHub draws capacities, caps and weights.
func randomHub(rng *rand.Rand) *Profile {
	p := round()
	for i := range p.Disks {
		for _, s := range []*Side{&p.Disks[i].Read, &p.Disks[i].Write} {
			s.Hub, s.Weight = (0.8+2*rng.Float64())*1e9, 0.5+rng.Float64()
		}
	}
	p.Capacity.Read, p.Capacity.Write = (1.5+2*rng.Float64())*1e9, (1.5+2*rng.Float64())*1e9
	p.Capacity.Both = max(p.Capacity.Read, p.Capacity.Write) * (1 + 0.5*rng.Float64())
	return p
}

// The number of streams that a search finds is the largest that is clean by itself, alone and beside the others.
func TestSearchFindsTheMaximumOfStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for i := range 8 {
		spec := uhd(1)
		spec.Rate, spec.Record = 200e6, i%2 == 0
		plan := playing(spec, 0, busy("B", write), busy("C", []trace.Role{read, write}[rng.IntN(2)]))
		p := randomHub(rng)
		phase := &plan.Phases[0]
		phase.Search = &scenario.Search{Kind: trace.SearchStreams, Disk: "A", Hold: 8 * time.Second, Max: 48}
		want := func(phase scenario.Phase) float64 {
			n := 0
			for clean(t, plan, p, phase.WithStreams("A", n+1)) {
				n++
			}
			return float64(n)
		}
		got, tries := found(t, plan, p)
		alone, with := want(phase.Alone("A")), want(*phase)
		if got.Alone == nil || *got.Alone != alone || got.Found == nil || *got.Found != with {
			t.Errorf("hub %d: found %v alone and %v beside the others in %d tries, want %g and %g", i, got.Alone, got.Found, tries, alone, with)
		}
	}
}

// The pace that a search finds is clean, and one of 5 % more is not.
func TestSearchFindsTheFastestPace(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 2))
	limited := 0
	for i := range 8 {
		plan := playing(uhd(12+rng.IntN(8)), 0, busy("B", write))
		p := randomHub(rng)
		phase := &plan.Phases[0]
		phase.Search = &scenario.Search{Kind: trace.SearchPace, Disk: "B", Hold: 8 * time.Second}
		got, tries := found(t, plan, p)
		switch {
		case got.Unlimited:
			if !clean(t, plan, p, *phase) {
				t.Errorf("hub %d: no limit, but without one it is not clean", i)
			}
		case got.Found == nil:
			t.Errorf("hub %d: found nothing in %d tries", i, tries)
		default:
			limited++
			if clean(t, plan, p, phase.WithPace("B", *got.Found*1.05)) || *got.Found > 0 && !clean(t, plan, p, phase.WithPace("B", *got.Found)) {
				t.Errorf("hub %d: found %.4g, which is not clean, or 5 %% more is", i, *got.Found)
			}
		}
	}
	if limited < 3 || limited == 8 {
		t.Errorf("%d of 8 cases need a limit", limited)
	}
}
