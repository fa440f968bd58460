package hub

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// uhd is a stream of 100 MB/s with 25 frames a second and a buffer of a second.
func uhd(count int) stream.Spec {
	return stream.Spec{Kind: "uhd", Rate: 100e6, Frame: 40 * time.Millisecond, Count: count,
		Buffer: time.Second}
}

// playing is a phase in which disk A plays streams and the others do as they are told.
func playing(spec stream.Spec, limit time.Duration, others ...scenario.Job) *scenario.Plan {
	plan := &scenario.Plan{Name: "streams"}
	for _, name := range []string{"A", "B", "C"} {
		plan.Disks = append(plan.Disks, scenario.Disk{Name: name, Profile: name, Connection: "hub"})
	}
	op := read
	if spec.Record {
		op = write
	}
	phase := scenario.Phase{Name: "p", Roles: map[string]trace.Role{"A": op}}
	if limit > 0 {
		phase.Stop, phase.Limit = scenario.StopTime, limit
	}
	phase.Jobs = []scenario.Job{{Disk: "A", Role: op, Sizes: []int64{int64(spec.TotalRate())},
		Streams: []stream.Spec{spec}}}
	for _, job := range others {
		phase.Jobs = append(phase.Jobs, job)
		phase.Roles[job.Disk] = job.Role
	}
	plan.Phases = []scenario.Phase{phase}
	return plan
}

// busy is a job of files without end.
func busy(disk string, op trace.Role) scenario.Job {
	return scenario.Job{Disk: disk, Role: op, Sizes: []int64{1e9}}
}

// outcomes are those of all streams.
func outcomes(events []trace.Event) tracetest.Outcomes {
	streams := tracetest.Outcomes{}
	for _, e := range events {
		streams.Add(&e)
	}
	return streams
}

// What the disk can move while it is let is enough, or it is not: the streams know no state
// between.
func TestStreamsCleanOrNot(t *testing.T) {
	knee := round()
	knee.Disks[0].Read.Knee = Knee{AboveBytes: 600e6, Factor: 0.5}
	own := playing(uhd(1), 40*time.Second, busy("B", write))
	own.Disks[0].Connection = "direct"
	recorded := uhd(1)
	recorded.Record = true
	for _, tt := range []struct {
		what    string
		profile *Profile
		plan    *scenario.Plan
		highest int // streams that it can do
	}{
		{"alone, 3 GB/s", round(), playing(uhd(1), 40*time.Second), 30},
		{"beside two writers, 2 GB/s", round(),
			playing(uhd(1), 30*time.Second, busy("B", write), busy("C", write)), 20},
		{"beside two readers, 1.2 GB/s", round(),
			playing(uhd(1), 30*time.Second, busy("B", read), busy("C", read)), 12},
		{"beside a writer that pulls twice, 0.8 GB/s", round(),
			playing(recorded, 30*time.Second, busy("C", write)), 8},
		{"streams are read from large files, 1.5 GB/s", knee, playing(uhd(1), 30*time.Second), 15},
		{"on a port of its own, 3.5 GB/s", round(), own, 35},
	} {
		for _, n := range []int{tt.highest, tt.highest + 1} {
			tt.plan.Phases[0].Jobs[0].Streams[0].Count = n
			streams := outcomes(record(t, tt.plan, tt.profile))
			late, lowest := 0, int64(math.MaxInt64)
			for _, o := range streams {
				late += o.Late
				lowest = min(lowest, o.LowestNS)
			}
			if len(streams) != n || (late > 0) != (n > tt.highest) {
				t.Errorf("%s: %d of %d streams, %d late frames", tt.what, len(streams), n, late)
			}
			// All ask within a frame's time, so none waits longer than that.
			if n == tt.highest && lowest < 1e9-40e6 {
				t.Errorf("%s: %d streams: the buffer fell to %d ns", tt.what, n, lowest)
			}
		}
	}
}

// Others lose to streams what these take, while they take it. What they keep in a lag does not
// depend on whether a frame was just on its way.
func TestNeighboursOfStreams(t *testing.T) {
	p := round()
	p.Lags.WriteAfterWrite = []time.Duration{4 * time.Second}
	recorded := uhd(2)
	recorded.Record = true
	for i := range 10 {
		// Of B and C, at 0.8 and 1.6 GB/s, A's 200 MB a second leave 0.6 and 1.2 for a third of the
		// time. C leaves at some 10 s, wherever in a frame's 40 ms that is. For 4 s B then has its
		// 0.8 at most, which is also what A leaves it.
		plan := playing(recorded, 0,
			scenario.Job{Disk: "B", Role: write, Sizes: slices.Repeat([]int64{100e6}, 120)},
			scenario.Job{Disk: "C", Role: write, Sizes: []int64{15e9 + int64(i)*7e6}})
		var left int64
		var before, highest, lowest float64
		lowest = math.Inf(1)
		for _, e := range record(t, plan, p) {
			switch {
			case e.Type != trace.FileType:
			case e.Disk == "C":
				left = e.EndNS
			case e.Disk == "B" && left == 0:
				before = float64(e.Seq+1) * 0.1e9 / float64(e.EndNS)
			case e.Disk == "B" && e.StartNS > left && e.EndNS < left+4e9:
				rate := float64(e.Bytes) / float64(e.EndNS-e.StartNS)
				highest, lowest = max(highest, rate), min(lowest, rate)
			}
		}
		if want := 0.8*2/3 + 0.6/3; math.Abs(before/want-1) > 0.001 {
			t.Errorf("beside both: %g GB/s, want %g", before, want)
		}
		if math.Abs(highest-0.8) > 1e-6 || math.Abs(lowest-0.8) > 1e-6 {
			t.Errorf("C left at %d ns: B held at %g to %g GB/s, want 0.8", left, lowest, highest)
		}
	}
}

// How often and when the hub is looked at makes no difference to streams.
func TestSamplesWhenever(t *testing.T) {
	p := round()
	p.Noise = 0.1
	plan := playing(uhd(21), 0, scenario.Job{Disk: "B", Role: write,
		Sizes: slices.Repeat([]int64{500e6}, 20)},
		scenario.Job{Disk: "C", Role: write, Sizes: []int64{7e9}, Pace: 0.7e9})
	var want []trace.Event
	for _, e := range record(t, plan, p) {
		if e.Type == trace.StreamType {
			want = append(want, e)
		}
	}
	for seed := range uint64(5) {
		s := NewSim(p)
		check.Must(t, s.JoinPhase(plan, &plan.Phases[0]))
		rng := rand.New(rand.NewPCG(seed, 1))
		var got []trace.Event
		for now := int64(0); now < 40e9; now += rng.Int64N(3e8) {
			s.Advance(now)
			got = append(got, s.Samples("p")...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-played +looked at now and then):\n%s", diff)
		}
	}
	if len(want) < 21*80 {
		t.Errorf("only %d samples", len(want))
	}
}

// What a simulation reports of streams stands among the rest in the order of time, each stream
// every 100 ms.
func TestStreamsInOrder(t *testing.T) {
	plan := playing(uhd(3), 0, scenario.Job{Disk: "B", Role: write, Sizes: []int64{3e9, 5e9}},
		scenario.Job{Disk: "C", Role: read, Sizes: []int64{2e9, 2e9}, Pace: 0.9e9})
	last, next := int64(0), map[string]int64{"1": stream.SampleNS, "2": stream.SampleNS,
		"3": stream.SampleNS}
	for _, e := range record(t, plan, round()) {
		at := max(e.TNS, e.EndNS)
		if at == 0 {
			continue // it begins or ends something
		}
		if at < last {
			t.Errorf("%+v comes after %d", e, last)
		}
		last = at
		if e.Type == trace.StreamType {
			if e.Phase != "p" || e.Disk != "A" || e.TNS != next[e.Stream] {
				t.Errorf("%+v, want the one at %d", e, next[e.Stream])
			}
			next[e.Stream] += stream.SampleNS
		}
	}
	for name, at := range next {
		if at <= last || at > last+stream.SampleNS {
			t.Errorf("stream %s: the next line would be at %d, after the end at %d", name, at, last)
		}
	}
}

// Streams that make no sense are refused.
func TestStreamsRefused(t *testing.T) {
	for _, spec := range []stream.Spec{{}, {Rate: 1e6, Frame: time.Second},
		{Rate: 1, Frame: time.Millisecond, Count: 1},
		{Rate: 1e6, Frame: time.Second, Count: 1, Buffer: -1}} {
		if err := NewSim(round()).Join("A",
			Work{Op: read, Sizes: files(1), Streams: []stream.Spec{spec}}, 0); err == nil {
			t.Errorf("%+v is not refused", spec)
		}
	}
}

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
		check.Must(t, err)
		sought.Add(o)
		var more bool
		if try, more = sought.Next(); !more {
			return sought.Result(), sought.Tries()
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
	streams := outcomes(record(t, &one, p))
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

// The number of streams that a search finds is the largest that is clean by itself, alone and
// beside the others.
func TestSearchFindsTheMaximumOfStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for i := range 8 {
		spec := uhd(1)
		spec.Rate, spec.Record = 200e6, i%2 == 0
		plan := playing(spec, 0, busy("B", write),
			busy("C", []trace.Role{read, write}[rng.IntN(2)]))
		p := randomHub(rng)
		phase := &plan.Phases[0]
		phase.Search = &scenario.Search{Kind: trace.SearchStreams, Disk: "A", Hold: 8 * time.Second,
			Max: 48}
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
			t.Errorf("hub %d: found %v alone and %v beside the others in %d tries, want %g and %g",
				i, got.Alone, got.Found, tries, alone, with)
		}
	}
}
