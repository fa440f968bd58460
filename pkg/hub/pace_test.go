package hub

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// follow checks the rates of all active disks at some times.
func follow(t *testing.T, s *Sim, wants []ratesAt) {
	t.Helper()
	for _, want := range wants {
		s.Advance(int64(want.at * 1e9))
		if diff := cmp.Diff(want.rates, rates(s), near); diff != "" {
			t.Errorf("at %g s (-want +got):\n%s", want.at, diff)
		}
	}
}

type ratesAt struct {
	at    float64
	rates map[string]float64
}

// A job at a pace leaves the rest to others, and makes up for what they keep from it, but for no more than a second.
func TestPace(t *testing.T) {
	s := NewSim(round())
	joinWork(t, s, 0, "B", Work{Op: write, Sizes: files(100), Pace: 1 * gb})
	join(t, s, "C", write, 0, 16)
	// B gets 0.8 of its 1 beside C, until that ends at 10 s and for 4 s more: it lacks 2.8 GB then, of which it makes up for 1.
	follow(t, s, []ratesAt{
		{0, map[string]float64{"B": 0.8, "C": 1.6}},
		{9.9, map[string]float64{"B": 0.8, "C": 1.6}},
		{10, map[string]float64{"B": 0.8}},
		{13.9, map[string]float64{"B": 0.8}},
		{14, map[string]float64{"B": 2}},
		{14.999, map[string]float64{"B": 2}},
		{15, map[string]float64{"B": 1}},
		{90, map[string]float64{"B": 1}},
	})

	s = NewSim(round())
	joinWork(t, s, 0, "B", Work{Op: write, Sizes: files(100), Pace: 0.5 * gb})
	join(t, s, "C", write, 0, 100)
	// The 2.4 less B's 0.5 are C's, and then A's and C's; of three, B's share is 0.6, and more than it wants.
	join(t, s, "A", write, 5*second, 100)
	follow(t, s, []ratesAt{
		{1, map[string]float64{"B": 0.5, "C": 1.9}},
		{5, map[string]float64{"A": 1.9 / 3, "B": 0.5, "C": 1.9 * 2 / 3}},
	})
}

// Between its files a disk that thinks leaves all to the others.
func TestThink(t *testing.T) {
	s := NewSim(round())
	joinWork(t, s, 0, "B", Work{Op: write, Sizes: files(2, 2), Think: time.Second / 2})
	join(t, s, "C", write, 0, 100)
	together, alone := map[string]float64{"B": 0.8, "C": 1.6}, map[string]float64{"B": 0, "C": 2}
	follow(t, s, []ratesAt{{0, together}, {2.49, together}, {2.5, alone}, {2.99, alone}, {3, together}, {5.49, together}})
}

// Less than a second of arrears is made up for in full, and noise changes nothing of a pace that the disk can keep.
func TestPaceOverAll(t *testing.T) {
	p := round()
	p.Noise, p.Lags = 0.2, Lags{}
	plan := triple("WWW", 1)
	plan.Phases[0].Jobs = []scenario.Job{
		{Disk: "A", Role: write, Sizes: []int64{1.2e9}, Seed: 2},
		{Disk: "B", Role: write, Sizes: make([]int64, 300), Seed: 3, Pace: 0.65 * gb},
		{Disk: "C", Role: write, Sizes: []int64{2.4e9}, Seed: 4},
	}
	for i := range plan.Phases[0].Jobs[1].Sizes {
		plan.Phases[0].Jobs[1].Sizes[i] = 65e6
	}
	var end int64
	for _, e := range record(t, plan, p) {
		if e.Type == trace.FileType && e.Disk == "B" {
			end = e.EndNS
		}
	}
	if math.Abs(float64(end)-30e9) > 1e5 {
		t.Errorf("19.5 GB at 650 MB/s took %d ns", end)
	}
}

// A probe is reported like any job, and nobody notices it: not even by its end.
func TestProbe(t *testing.T) {
	plan := triple("WW-", 1)
	plan.Phases[0].Jobs[0].Sizes, plan.Phases[0].Jobs[1].Sizes = []int64{12e9}, []int64{24e9}
	alone := record(t, plan, round())
	plan.Phases[0].Roles["C"] = read
	plan.Phases[0].Jobs = append(plan.Phases[0].Jobs, scenario.Job{Disk: "C", Role: read, Sizes: []int64{4096 * 50}, Probe: 20 * time.Millisecond, IO: scenario.IO{Block: 4096}})
	var beside []trace.Event
	var last int64
	for _, e := range record(t, plan, round()) {
		if e.Disk != "C" {
			beside = append(beside, e)
			continue
		}
		if e.Type == trace.FileType && (e.Filler || e.EndNS-e.StartNS != 1e9 || e.Op != read) {
			t.Errorf("got %+v, want a file a second", e)
		}
		last = max(last, e.EndNS, e.TNS)
	}
	if diff := cmp.Diff(alone, beside, cmp.FilterValues(func(a, b trace.Event) bool { return a.Type == trace.PhaseType }, cmp.Ignore())); diff != "" {
		t.Errorf("what the others do (-alone +probed):\n%s", diff)
	}
	// A and B are at 1.2 for 10 s each; B is held for 4 s and moves the rest of its 24 GB at 2.
	if end := int64(17.6e9); last > end || last < end-100e6 {
		t.Errorf("the probe was last seen at %d, want until %d", last, end)
	}
}

func TestMix(t *testing.T) {
	mixed := Work{Op: read, Sizes: files(100), Reads: 0.7}
	// Alone, reading 0.7 of a byte at 3 GB/s and writing 0.3 at 2 takes 1/3 + 0.05 s a GB.
	alone := 1 / (0.7/3 + 0.3/2)
	s := NewSim(round())
	joinWork(t, s, 0, "A", mixed)
	follow(t, s, []ratesAt{{1, map[string]float64{"A": alone}}})
	own := mixed
	own.Direct = true
	s = NewSim(round())
	joinWork(t, s, 0, "A", own)
	follow(t, s, []ratesAt{{1, map[string]float64{"A": 1 / (0.7/3.5 + 0.3/2.5)}}})

	// Of the 4 that both directions carry, A's reads of 0.7 T leave the rest for writing, of which C, which pulls twice as much,
	// leaves A a third: that is 0.3 T when T is 2.5.
	s = NewSim(round())
	joinWork(t, s, 0, "A", mixed)
	join(t, s, "C", write, 0, 100)
	follow(t, s, []ratesAt{{1, map[string]float64{"A": 2.5, "C": 1.5}}})

	// If each byte read takes from what can be written, what it writes must not keep it from reading.
	p := round()
	p.Capacity = Capacity{Read: 1 * gb, Write: 1 * gb, Both: 2 * gb, ReadWeight: 1, WriteWeight: 1, ReadLoss: 0.8, WriteLoss: 0.8}
	s = NewSim(p)
	joinWork(t, s, 0, "A", Work{Op: read, Sizes: files(100), Reads: 0.5})
	follow(t, s, []ratesAt{{1, map[string]float64{"A": 2 / 1.8}}}) // half of it: 1 less 0.8 of itself

	// Two of a kind get the same: of 4 both ways 2 each.
	s = NewSim(round())
	joinWork(t, s, 0, "A", Work{Op: read, Sizes: files(100), Reads: 0.5})
	joinWork(t, s, 0, "B", Work{Op: read, Sizes: files(100), Reads: 0.5})
	follow(t, s, []ratesAt{{1, map[string]float64{"A": 2, "B": 2}}})

	// At a pace it claims both parts of that.
	s = NewSim(round())
	paced := mixed
	paced.Pace = 1 * gb
	joinWork(t, s, 0, "A", paced)
	join(t, s, "B", read, 0, 100)
	join(t, s, "C", write, 0, 100)
	follow(t, s, []ratesAt{{1, map[string]float64{"A": 1, "B": 4 - 2 - 0.7, "C": 2 - 0.3}}})
}

// Only what is written uses up the cache.
func TestMixUsesUpTheCache(t *testing.T) {
	p := round()
	p.Disks[0].Cache = &Cache{Bytes: 6e9, After: 0.5 * gb}
	s := NewSim(p)
	joinWork(t, s, 0, "A", Work{Op: write, Sizes: files(100), Reads: 0.25})
	before, after := 1/(0.25/3+0.75/2), 1/(0.25/3+0.75/0.5)
	at := 6 / 0.75 / before
	follow(t, s, []ratesAt{{at - 0.01, map[string]float64{"A": before}}, {at + 0.01, map[string]float64{"A": after}}})
}
