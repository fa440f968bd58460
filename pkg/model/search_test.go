package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// searched is what a search finds on a hub; zero if it finds no limit.
func searched(t *testing.T, p *hub.Profile, phase string) float64 {
	t.Helper()
	s, err := scenario.Load("s.yaml", []byte("version: 1\nname: s\nhub: {profile: x}\ndisks:\n"+
		"  - {name: A, simulate: {profile: A}}\n  - {name: B, simulate: {profile: B}}\n"+
		"  - {name: C, simulate: {profile: C}}\nphases:\n  - "+phase+"\n"))
	check.Must(t, err)
	plan, err := s.Plan()
	check.Must(t, err)
	sim := hub.NewSim(p)
	finder := search.New(&plan.Phases[0])
	for try, ok := finder.Next(); ok; try, ok = finder.Next() {
		judge := search.NewJudge(&try)
		check.Must(t, sim.Record(plan, &try, func(e *trace.Event) error {
			judge.Add(e)
			return nil
		}))
		outcome, err := judge.Outcome()
		check.Must(t, err)
		finder.Add(outcome)
	}
	r := finder.Result()
	switch {
	case r.Found != nil:
		return *r.Found
	case r.FoundBetween != nil && r.FoundBetween.High != nil:
		return math.Sqrt(max(1, r.FoundBetween.Low) * *r.FoundBetween.High)
	}
	return 0
}

// On a hub that was fitted to a study of a random one, written and read again, searches find the
// number of streams and the pace that they find on that hub itself, within 10 % in 19 of 20.
func TestSearchesOnFittedHubs(t *testing.T) {
	if testing.Short() {
		t.Skip("many searches")
	}
	wrong, tried, limited := 0, 0, 0
	for seed := range uint64(max(*HubsTried, evidence.Trials(6, 2))) {
		rng := rand.New(rand.NewPCG(seed, 41))
		truth := randomProfile(rng, true)
		if truth.Noise = 0.03; seed%2 == 0 {
			truth.Capacity.Pair, truth.Capacity.TwoWriters = between(rng, 0.88, 0.97),
				between(rng, 0.85, 1)
		}
		f := fit(t, observe(t, study(truth.Names(), 3, 20, seed), truth))
		loaded, err := hub.Load("fitted.yaml", f.YAML())
		check.Must(t, err)
		roles := []string{"read", "write"}
		phase := fmt.Sprintf("{name: s, streams: {A: %%s}, search: %%s, roles: {B: %s, C: %s}, "+
			"hold: 10 s}", roles[rng.IntN(2)], roles[rng.IntN(2)])
		stream := "{rate: %d MB/s}"
		if rng.IntN(2) == 0 {
			stream = "{rate: %d MB/s, op: write}"
		}
		ask := func(rate int, search string) float64 {
			text := fmt.Sprintf(phase, fmt.Sprintf(stream, rate), search)
			want, got := searched(t, truth, text), searched(t, loaded, text)
			t.Logf("hub %d: %s: %g, and on the hub itself %g", seed, text, got, want)
			if math.Abs(got-want) > 0.1*want {
				wrong++
			}
			tried++
			if want > 0 {
				limited++
			}
			return want
		}
		// What is a quarter more than survives beside both at full speed, a slower one may leave.
		ask(int(50*ask(40, "{streams: A, most: 64}")), "{pace: C}")
	}
	evidence.Report(t, evidence.AtLeast("searches",
		"searches on fitted hubs that find a limit", limited, tried, tried/2))
	evidence.Report(t, evidence.AtMost("searches",
		"searches on fitted hubs that are more than 10 % off", wrong, tried, max(1, tried/20)))
}
