package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hub"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

const (
	read  = trace.Read
	write = trace.Write
	gb    = 1e9
)

// study plans every mix of the disks with at most so many at work, with files of random sizes.
func study(disks []string, atWork, files int, seed uint64) *scenario.Plan {
	plan := &scenario.Plan{Name: "study"}
	for _, name := range disks {
		plan.Disks = append(plan.Disks, scenario.Disk{Name: name, Profile: name, Connection: "hub"})
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	for _, m := range mixes(disks) {
		if len(m.Disks) > atWork {
			continue
		}
		phase := scenario.Phase{Name: pattern(m, disks), Roles: map[string]trace.Role{}}
		for _, disk := range disks {
			phase.Roles[disk] = trace.Idle
		}
		for _, use := range m.Disks {
			sizes := make([]int64, files)
			for i := range sizes {
				sizes[i] = 2e6 + rng.Int64N(2e9-2e6)
			}
			phase.Roles[use.Disk] = use.Op
			phase.Jobs = append(phase.Jobs,
				scenario.Job{Disk: use.Disk, Role: use.Op, Sizes: sizes, Seed: rng.Uint64()})
		}
		plan.Phases = append(plan.Phases, phase)
	}
	return plan
}

// observe simulates a plan and takes its events for evidence.
func observe(t testing.TB, plan *scenario.Plan, p *hub.Profile) *hub.Evidence {
	t.Helper()
	return Observe(play(t, plan, p))
}

func predict(t testing.TB, p *hub.Profile, disks []string) *Prediction {
	t.Helper()
	predicted, err := Predict(p, disks, 1)
	check.Must(t, err)
	return predicted
}

// play simulates a plan.
func play(t testing.TB, plan *scenario.Plan, p *hub.Profile) *trace.Run {
	t.Helper()
	run := &trace.Run{}
	var phase *trace.Phase
	samples := map[string][]trace.Sample{} // of the file in transfer
	err := hub.Simulate(plan, p, func(e *trace.Event) error {
		switch e.Type {
		case trace.RunType:
			run.Disks = e.Disks
		case trace.PhaseType:
			phase = &trace.Phase{Name: e.Phase, Roles: e.Roles, Test: e.Test,
				Connections: e.Connections}
			run.Phases = append(run.Phases, phase)
		case trace.FileType:
			d := phase.Disk(e.Disk)
			if d == nil {
				d = &trace.DiskRecord{Name: e.Disk, Op: e.Op}
				phase.Disks = append(phase.Disks, d)
			}
			d.Files = append(d.Files,
				trace.File{Seq: e.Seq, Bytes: e.Bytes, StartNS: e.StartNS, EndNS: e.EndNS,
					Progress: &trace.Progress{Samples: samples[e.Disk]}})
			samples[e.Disk] = nil
		case trace.ProgressType:
			samples[e.Disk] = append(samples[e.Disk], trace.Sample{TNS: e.TNS, Bytes: e.Bytes})
		default:
		}
		return nil
	})
	check.Must(t, err)
	return run
}

// noisy is a hub as the field reports have it, with 3 % noise.
func noisy() *hub.Profile {
	p := &hub.Profile{
		Name: "noisy", Noise: 0.03,
		Capacity: hub.Capacity{Read: 3.25 * gb, Write: 3.35 * gb, Both: 4.5 * gb, ReadWeight: 1,
			WriteWeight: 1.37},
		Lags: hub.Lags{
			WriteAfterWrite: []time.Duration{4 * time.Second, 10 * time.Second},
			ReadAfterWrite:  []time.Duration{2 * time.Second, 11 * time.Second},
		},
	}
	for i, caps := range [][2]float64{{2.6, 1.5}, {2.65, 1.5}, {2.75, 2.8}} {
		p.Disks = append(p.Disks, hub.DiskModel{
			Name:  string(rune('A' + i)),
			Read:  hub.Side{Hub: caps[0] * gb, Direct: 3.5 * gb, Weight: 1},
			Write: hub.Side{Hub: caps[1] * gb, Direct: 2.5 * gb, Weight: 1},
		})
	}
	p.Disks[2].Write.Weight = 3.2
	return p
}

// Every rate observed lies about the model's as its error says, held stretches and all.
func TestObserveRates(t *testing.T) {
	p := noisy()
	var sum, squares, n float64
	mixesSeen := map[string]bool{}
	for seed := range uint64(10) {
		e := observe(t, study([]string{"A", "B", "C"}, 3, 30, seed), p)
		for _, o := range e.Rates {
			mixesSeen[o.Mix()] = true
			for i, want := range p.Rates(o.Disks) {
				off := math.Log(o.Disks[i].Rate/want) / o.Disks[i].Error
				if math.Abs(off) > 5 {
					t.Errorf("seed %d, phase %s, %s: %s at %.4g, the model has %.4g: %.1f errors off",
						seed, o.Phase, o.Mix(), o.Disks[i].Disk, o.Disks[i].Rate, want, off)
				}
				sum += off
				squares += off * off
				n++
			}
		}
		if sd, ok := e.Noise.Deviation(); !ok || math.Abs(sd/0.03-1) > 0.1 {
			t.Errorf("seed %d: noise %.4f, want 0.03", seed, sd)
		}
	}
	check.Same(t, "how many mixes", 26, len(mixesSeen))
	// Some 700 rates: the mean is good to 0.04 and the spread to 3 %; allowed is three times that.
	if mean := sum / n; math.Abs(mean) > 0.12 {
		t.Errorf("the rates are biased by %.2f of their errors", mean)
	}
	if spread := math.Sqrt(squares / n); spread < 0.9 || spread > 1.1 {
		t.Errorf("the rates scatter by %.2f of their errors", spread)
	}
}

func TestObserveLags(t *testing.T) {
	p := noisy()
	seen := map[string]int{}
	for seed := range uint64(5) {
		for _, l := range observe(t, study([]string{"A", "B", "C"}, 3, 30, seed), p).Lags {
			want := p.Lags.After(l.Stays, l.Left, l.Staying).Seconds()
			if off := math.Abs(l.Seconds - want); off > 4*l.Error || off > 0.3 {
				t.Errorf("seed %d, phase %s: %s after %s, %d staying: %.3f ± %.3f s, want %g", seed,
					l.Phase, l.Stays, l.Left, l.Staying, l.Seconds, l.Error, want)
			}
			seen[fmt.Sprint(l.Stays, l.Left, l.Staying)]++
		}
	}
	check.Same(t, "how many kinds of lags", 8, len(seen))
}

// If progress is known from the ends of files alone, a lag is known from the bytes of the file in
// which it ended.
func TestObserveLagsWithoutSamples(t *testing.T) {
	p := noisy()
	p.Noise = 0
	const trials = 20
	for trial := range trials {
		plan := study([]string{"A", "C"}, 2, 30, 3)
		plan.Phases = slices.DeleteFunc(plan.Phases, func(phase scenario.Phase) bool {
			return phase.Name != "WW"
		})
		jobs := plan.Phases[0].Jobs
		// A's take 0.9 s, then 0.5 s.
		jobs[0].Sizes, jobs[1].Sizes = slices.Repeat([]int64{7e8}, 40),
			[]int64{25e9 + int64(trial)*1e8}
		run := play(t, plan, p)
		for i := range run.Phases[0].Disks[0].Files {
			run.Phases[0].Disks[0].Files[i].Progress = nil
		}
		lags := Observe(run).Lags
		if len(lags) != 1 {
			t.Fatalf("trial %d: lags %+v, want one", trial, lags)
		}
		if l := lags[0]; math.Abs(l.Seconds-4) > 0.05 {
			t.Errorf("trial %d: %.3f ± %.3f s, want 4", trial, l.Seconds, l.Error)
		}
	}
}

// Without noise, samples alone are to blame for what is off.
func TestObserveExactly(t *testing.T) {
	p := noisy()
	p.Noise = 0
	plan := study([]string{"C"}, 1, 3, 1)
	plan.Disks[0].Connection = "direct"
	e := observe(t, plan, p)
	if len(e.Rates) != 2 || !e.Rates[0].Direct || e.Rates[0].Mix() != "C write direct" {
		t.Fatalf("got %+v, want two direct observations", e.Rates)
	}
	if got := e.Rates[0].Disks[0]; math.Abs(got.Rate/(2.5*gb)-1) > 1e-6 || got.Op != write {
		t.Errorf("got %+v, want writes at 2.5 GB/s", got)
	}
}

// Tests of random access say nothing of the hub, and a phase may plug a disk in elsewhere than the
// run does.
func TestObserveKeepsToThePhase(t *testing.T) {
	file := trace.File{Bytes: 2e9, EndNS: 1e9}
	disk := &trace.DiskRecord{Name: "A", Op: write, Files: []trace.File{file}}
	run := &trace.Run{
		Disks: []trace.Disk{{Name: "A", Profile: "X", Connection: "hub"}},
		Phases: []*trace.Phase{
			{Name: "random", Test: "RND4K QD64", Disks: []*trace.DiskRecord{disk}},
			{Name: "own port", Disks: []*trace.DiskRecord{disk},
				Connections: map[string]string{"A": "direct"}},
			{Name: "inside", Disks: []*trace.DiskRecord{disk},
				Connections: map[string]string{"A": "internal"}},
			{Name: "hub", Test: "SEQ1M QD8", Disks: []*trace.DiskRecord{disk}},
		},
	}
	seen := []hub.Observed{{Disk: "X", Op: write, Rate: 2e9, Error: assumedNoise}}
	want := []hub.Observation{{Phase: "own port", Direct: true, Disks: seen},
		{Phase: "inside", Direct: true, Disks: seen}, {Phase: "hub", Disks: seen}}
	check.Same(t, "rates", want, Observe(run).Rates)
}

// What goes at a pace of its own, or both ways at once, says nothing of what it could do, nor do
// those beside it on the hub. A port of its own is nobody's concern, and a probe is not noticed.
func TestObserveKeepsToThePace(t *testing.T) {
	disk := func(name string, op trace.Role) *trace.DiskRecord {
		return &trace.DiskRecord{Name: name, Op: op, Files: []trace.File{{Bytes: 2e9, EndNS: 1e9}}}
	}
	a, b := disk("A", write), disk("B", read)
	own := map[string]string{"B": "direct"}
	run := &trace.Run{
		Disks: []trace.Disk{{Name: "A", Connection: "hub"}, {Name: "B", Connection: "hub"}},
		Phases: []*trace.Phase{
			{Name: "pace", Disks: []*trace.DiskRecord{a, b},
				Work: map[string]work.Work{"B": {Pace: 2e9}}},
			{Name: "streams", Disks: []*trace.DiskRecord{a, b},
				Work: map[string]work.Work{"B": {Streams: []stream.Spec{{Count: 1}}}}},
			{Name: "mix", Disks: []*trace.DiskRecord{a, b},
				Work: map[string]work.Work{"B": {Reads: 0.7}}},
			{Name: "elsewhere", Disks: []*trace.DiskRecord{a, b},
				Work: map[string]work.Work{"B": {Pace: 2e9}}, Connections: own},
			{Name: "probe", Disks: []*trace.DiskRecord{a, b},
				Work: map[string]work.Work{"B": {Probe: 4096}}},
		},
	}
	seen := []hub.Observed{{Disk: "A", Op: write, Rate: 2e9, Error: assumedNoise}}
	check.Same(t, "rates", []hub.Observation{{Phase: "elsewhere", Disks: seen},
		{Phase: "probe", Disks: seen}}, Observe(run).Rates)
}

// A disk that has not risen when the stage ends may still be held: such a stage proves nothing.
func TestObserveLeavesOutHeldStretches(t *testing.T) {
	p := noisy()
	plan := study([]string{"A", "C"}, 2, 30, 3)
	var both scenario.Phase
	for _, phase := range plan.Phases {
		if phase.Name == "WW" {
			both = phase
		}
	}
	// C ends with some 2.5 s of A's work left: less than the lag of 4 s.
	both.Jobs[0].Sizes = []int64{8e9, 2e9}
	both.Jobs[1].Sizes = []int64{25.6e9}
	plan.Phases = []scenario.Phase{both}
	e := observe(t, plan, p)
	if len(e.Rates) != 1 || len(e.Lags) != 0 || e.Rates[0].Mix() != "A write + C write" {
		t.Errorf("got %+v and %+v, want the pair and nothing else", e.Rates, e.Lags)
	}
}
