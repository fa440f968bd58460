package hub

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// round is a hub of round numbers, in GB/s: A, B and C alone write 2 and read 3; C pulls twice.
func round() *Profile {
	disk := func(name string, weight float64) DiskModel {
		return DiskModel{Name: name, Read: Side{Hub: 3 * gb, Direct: 3.5 * gb, Weight: 1},
			Write: Side{Hub: 2 * gb, Direct: 2.5 * gb, Weight: weight}}
	}
	return &Profile{
		Name: "round",
		Capacity: Capacity{Read: 3.6 * gb, Write: 2.4 * gb, Both: 4 * gb, ReadWeight: 1,
			WriteWeight: 1},
		Lags: Lags{
			WriteAfterWrite: []time.Duration{4 * time.Second, 10 * time.Second},
			ReadAfterWrite:  []time.Duration{2 * time.Second, 11 * time.Second},
		},
		Disks: []DiskModel{disk("A", 1), disk("B", 1), disk("C", 2)},
	}
}

const second = int64(time.Second)

func files(gigabytes ...float64) []int64 {
	sizes := make([]int64, len(gigabytes))
	for i, size := range gigabytes {
		sizes[i] = int64(math.Round(size * gb))
	}
	return sizes
}

func join(t *testing.T, s *Sim, disk string, op trace.Role, tNS int64, gigabytes ...float64) {
	t.Helper()
	joinWork(t, s, tNS, disk, Work{Op: op, Sizes: files(gigabytes...)})
}

func joinWork(t *testing.T, s *Sim, tNS int64, disk string, w Work) {
	t.Helper()
	check.Must(t, s.Join(disk, w, tNS))
}

func ask(t *testing.T, s *Sim, disk string, gigabytes float64) {
	t.Helper()
	check.Must(t, s.Ask(disk, int64(math.Round(gigabytes*gb))))
}

// rates are every active disk's at the time last advanced to, in GB/s.
func rates(s *Sim) map[string]float64 {
	got := map[string]float64{}
	for _, m := range s.members {
		if m.state == active {
			got[m.disk] = m.curve[len(m.curve)-1].rate / gb
		}
	}
	return got
}

var near = cmpopts.EquateApprox(0, 1e-9)

func TestSimHoldsThoseWhoStay(t *testing.T) {
	s := NewSim(round())
	// C moves 12 GB at 1.2 GB/s: 10 s. A and B are at 0.6 until 20 s, then at 1.2.
	join(t, s, "C", write, 0, 12)
	join(t, s, "A", write, 0, 30)
	join(t, s, "B", write, 0, 18)
	follow(t, s, []ratesAt{
		{0, map[string]float64{"A": 0.6, "B": 0.6, "C": 1.2}},
		{9.999, map[string]float64{"A": 0.6, "B": 0.6, "C": 1.2}},
		{10, map[string]float64{"A": 0.6, "B": 0.6}},
		{19.999, map[string]float64{"A": 0.6, "B": 0.6}},
		{20, map[string]float64{"A": 1.2, "B": 1.2}},
		{24.999, map[string]float64{"A": 1.2, "B": 1.2}},
		{25, map[string]float64{"A": 1.2}}, // B has its 12 + 6; one stays: 4 s
		{29, map[string]float64{"A": 2}},
		{32.599, map[string]float64{"A": 2}}, // A has 12 + 6 + 4.8, and the last 7.2 in 3.6 s
		{32.6, map[string]float64{}},
	})
	if _, ok := s.Next(); ok {
		t.Error("something is still to come when all have left")
	}
}

func TestSimJoinDuringHold(t *testing.T) {
	s := NewSim(round())
	join(t, s, "C", write, 0, 1.6) // with A at 0.8 to C's 1.6 until 1 s; then A is held to 5 s
	join(t, s, "A", write, 0, 100)
	join(t, s, "B", write, 3*second, 100)
	follow(t, s, []ratesAt{
		{1, map[string]float64{"A": 0.8}},
		{3, map[string]float64{"A": 0.8, "B": 1.2}}, // B's share as if A were not held
		{5, map[string]float64{"A": 1.2, "B": 1.2}},
	})
	// A held disk gives way to one that joins, if its share falls below what it holds.
	s = NewSim(round())
	join(t, s, "A", write, 0, 1)
	join(t, s, "B", write, 0, 100)
	join(t, s, "C", write, second, 100)
	follow(t, s, []ratesAt{{1, map[string]float64{"B": 0.8, "C": 1.6}}})
}

func TestSimGrantsLateAsksInThePast(t *testing.T) {
	s := NewSim(round())
	join(t, s, "A", write, 0, 2, 2) // alone: 2 GB/s
	ask(t, s, "A", 1)
	if at, ok := s.Next(); !ok || at != 0 {
		t.Errorf("next: got %d, %v; want the joining at 0", at, ok)
	}
	check.Same(t, "grants at once", 0, len(s.Advance(0)))
	if at, ok := s.Next(); !ok || at != second/2 {
		t.Errorf("next: got %d, %v; want the grant at 0.5 s", at, ok)
	}
	grants := s.Advance(5 * second) // long after it has left
	ask(t, s, "A", 1)
	ask(t, s, "A", 2)
	if at, ok := s.Next(); !ok || at != second {
		t.Errorf("next: got %d, %v; want the overdue grant at 1 s", at, ok)
	}
	grants = append(grants, s.Advance(5*second)...)
	want := []Grant{{Disk: "A", Bytes: 1e9, DoneNS: second / 2},
		{Disk: "A", Bytes: 1e9, DoneNS: second}, {Disk: "A", Bytes: 2e9, DoneNS: 2 * second}}
	check.Same(t, "grants", want, grants)
	check.Refused(t, "asked for more than its files", s.Ask("A", 1), "only 0 of its files are left")
}

func TestSimLeave(t *testing.T) {
	s := NewSim(round())
	join(t, s, "A", write, 0, 100)
	join(t, s, "C", write, 0, 100)
	ask(t, s, "C", 1.6)
	ask(t, s, "C", 16)
	s.Advance(second / 2)
	s.Leave("C", 2*second)
	s.Leave("nobody", 2*second)
	grants := s.Advance(4 * second)
	check.Same(t, "grants of a killed disk",
		[]Grant{{Disk: "C", Bytes: 1.6e9, DoneNS: second},
			{Disk: "C", Bytes: 16e9, DoneNS: never, Ended: true}}, grants)
	// Held, and recovered.
	follow(t, s, []ratesAt{{4, map[string]float64{"A": 0.8}}, {6, map[string]float64{"A": 2}}})
	join(t, s, "C", write, 7*second, 1) // and back again
	// Killed before it came.
	s.Leave("C", 6*second+1)
	follow(t, s, []ratesAt{{8, map[string]float64{"A": 2}}})
}

// Workers ask when they can, Advance is called when it may be: neither may change a single
// nanosecond.
func TestSimDoesNotDependOnItsCallers(t *testing.T) {
	play := func(rng *rand.Rand) (map[string][]Grant, error) {
		s := NewSim(round())
		left := map[string]int{}
		for _, i := range rng.Perm(3) {
			name := string(rune('A' + i))
			op := write
			if i == 0 {
				op = read
			}
			if err := s.Join(name, Work{Op: op, Sizes: files(3.3, 1.7, float64(i+1))},
				int64(i)*second/3); err != nil {
				return nil, err
			}
			left[name] = 50 + 10*(i+1) // asks of 100 MB
		}
		got := map[string][]Grant{}
		for now := int64(0); len(left) > 0 || now < 60*second; now += rng.Int64N(second) {
			for _, name := range slices.Sorted(maps.Keys(left)) {
				for range rng.IntN(10) {
					if left[name]--; left[name] < 0 {
						delete(left, name)
						break
					}
					if err := s.Ask(name, 1e8); err != nil {
						return nil, err
					}
				}
			}
			for _, g := range s.Advance(now) {
				got[g.Disk] = append(got[g.Disk], g)
			}
		}
		return got, nil
	}
	want, err := play(rand.New(rand.NewPCG(0, 0)))
	check.Must(t, err)
	if n := len(want["A"]) + len(want["B"]) + len(want["C"]); n != 60+70+80 {
		t.Fatalf("%d grants, want 210", n)
	}
	for seed := range uint64(20) {
		got, err := play(rand.New(rand.NewPCG(seed, 1)))
		check.Must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

func TestSimRefuses(t *testing.T) {
	ok := Work{Op: write, Sizes: []int64{1}}
	for _, test := range []struct {
		what string
		do   func(s *Sim) error
		want string
	}{
		{"unknown disk", func(s *Sim) error { return s.Join("D", ok, 0) }, `profile round has no disk "D"; it has A, B, C`},
		{"unknown profile", func(s *Sim) error { return s.Join("A", Work{Profile: "X", Op: read}, 0) }, `no disk "X"`},
		{"idle", func(s *Sim) error { return s.Join("A", Work{Op: trace.Idle, Sizes: []int64{1}}, 0) }, `neither read nor write`},
		{"no files", func(s *Sim) error { return s.Join("A", Work{Op: read}, 0) }, `no file`},
		{"empty file", func(s *Sim) error { return s.Join("A", Work{Op: read, Sizes: []int64{5, 0}}, 0) }, `a file of 0 bytes`},
		{"the past", func(s *Sim) error { s.Advance(10); return s.Join("A", ok, 9) }, `already at 10 ns`},
		{"twice", func(s *Sim) error { return fmt.Errorf("%w %w", s.Join("A", ok, 0), s.Join("A", ok, 0)) }, `already there`},
		{"ask unknown", func(s *Sim) error { return s.Ask("A", 1) }, `has not joined`},
		{"ask nothing", func(s *Sim) error { _ = s.Join("A", ok, 0); return s.Ask("A", 0) }, `above zero`},
		{"ask too much", func(s *Sim) error { _ = s.Join("A", ok, 0); return s.Ask("A", 2) }, `only 1 of its files`},
	} {
		check.Refused(t, test.what, test.do(NewSim(round())), test.want)
	}
}

// follow checks the rates of all active disks at some times.
func follow(t *testing.T, s *Sim, wants []ratesAt) {
	t.Helper()
	for _, want := range wants {
		s.Advance(int64(want.at * 1e9))
		check.Same(t, fmt.Sprintf("at %g s", want.at), want.rates, rates(s), near)
	}
}

type ratesAt struct {
	at    float64
	rates map[string]float64
}

// A job at a pace leaves the rest to others, and makes up for what they keep from it, but for no
// more than a second.
func TestPace(t *testing.T) {
	s := NewSim(round())
	joinWork(t, s, 0, "B", Work{Op: write, Sizes: files(100), Pace: 1 * gb})
	join(t, s, "C", write, 0, 16)
	// B gets 0.8 of its 1 beside C, until that ends at 10 s and for 4 s more: it lacks 2.8 GB then,
	// of which it makes up for 1.
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
	// The 2.4 less B's 0.5 are C's, and then A's and C's; of three, B's share is 0.6, and more than
	// it wants.
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
	follow(t, s, []ratesAt{{0, together}, {2.49, together}, {2.5, alone}, {2.99, alone},
		{3, together}, {5.49, together}})
}

// Less than a second of arrears is made up for in full, and noise changes nothing of a pace that
// the disk can keep.
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
	check.Near(t, "19.5 GB at 650 MB/s took", 30e9, float64(end), 1e5)
}

// A probe is reported like any job, and nobody notices it: not even by its end.
func TestProbe(t *testing.T) {
	plan := triple("WW-", 1)
	plan.Phases[0].Jobs[0].Sizes, plan.Phases[0].Jobs[1].Sizes = []int64{12e9}, []int64{24e9}
	alone := record(t, plan, round())
	plan.Phases[0].Roles["C"] = read
	plan.Phases[0].Jobs = append(plan.Phases[0].Jobs,
		scenario.Job{Disk: "C", Role: read, Sizes: []int64{4096 * 50}, Probe: 20 * time.Millisecond,
			IO: scenario.IO{Block: 4096}})
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
	if diff := cmp.Diff(alone, beside, cmp.FilterValues(func(a, b trace.Event) bool {
		return a.Type == trace.PhaseType
	}, cmp.Ignore())); diff != "" {
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

	// Of the 4 that both directions carry, A's reads of 0.7 T leave the rest for writing, of which
	// C, which pulls twice as much, leaves A a third: that is 0.3 T when T is 2.5.
	s = NewSim(round())
	joinWork(t, s, 0, "A", mixed)
	join(t, s, "C", write, 0, 100)
	follow(t, s, []ratesAt{{1, map[string]float64{"A": 2.5, "C": 1.5}}})

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
	follow(t, s, []ratesAt{{at - 0.01, map[string]float64{"A": before}},
		{at + 0.01, map[string]float64{"A": after}}})
}
