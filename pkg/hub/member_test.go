package hub

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// onDemand is a hub whose disks write what is asked for.
type onDemand struct {
	*Sim
	t *testing.T
}

func (s onDemand) write(disk string, seconds, gigabytes float64) {
	s.t.Helper()
	at := int64(seconds * 1e9)
	s.Advance(at)
	if !s.On(disk) {
		joinWork(s.t, s.Sim, at, disk, Work{Op: write, OnDemand: true})
	}
	ask(s.t, s.Sim, disk, gigabytes)
}

func (s onDemand) want(seconds float64, want map[string]float64) {
	s.t.Helper()
	follow(s.t, s.Sim, []ratesAt{{seconds, want}})
}

// C writes 6 GB at 1.2 GB/s: 5 s, and 0.1 GB ahead. It keeps its share until it has left, and A and B are held from its last
// byte on.
func TestDemandHoldsThoseWhoStay(t *testing.T) {
	s := onDemand{NewSim(round()), t}
	s.write("A", 0, 100)
	s.write("B", 0, 100)
	s.write("C", 0, 6)
	all := 5 + 0.1/1.2
	s.want(4, map[string]float64{"A": 0.6, "B": 0.6, "C": 1.2})
	s.want(all+0.01, map[string]float64{"A": 0.6, "B": 0.6, "C": 0})
	s.want(all+0.29, map[string]float64{"A": 0.6, "B": 0.6, "C": 0})
	s.want(all+0.31, map[string]float64{"A": 0.6, "B": 0.6})
	s.want(14.99, map[string]float64{"A": 0.6, "B": 0.6})
	s.want(15.01, map[string]float64{"A": 1.2, "B": 1.2})
	if s.On("C") || !s.On("A") {
		t.Errorf("C on the hub: %t, A: %t; want A alone", s.On("C"), s.On("A"))
	}
}

// The moment between two requests costs nothing; what a longer one would have moved is lost.
func TestDemandGapsBetweenRequests(t *testing.T) {
	for _, tc := range []struct{ gap, want float64 }{{0.02, 2}, {0.05, 2}, {0.2, 2.15}} {
		s := onDemand{NewSim(round()), t}
		s.write("A", 0, 2) // a second
		s.write("A", 1+tc.gap, 2)
		var last int64
		for at, ok := s.Next(); ok; at, ok = s.Next() {
			for _, g := range s.Advance(at) {
				last = g.DoneNS
			}
		}
		check.Same(t, fmt.Sprintf("gap of %g s: the end", tc.gap), tc.want, float64(last)*1e-9, near)
	}
}

// A single small request gives no more than itself ahead: what is asked for later takes its time.
func TestDemandAfterASmallRequest(t *testing.T) {
	s := onDemand{NewSim(round()), t}
	s.write("A", 0, 0.002) // 1 ms
	s.write("A", 0.2, 2)
	s.Advance(1.198e9)
	if grants := s.Advance(1.2e9); len(grants) != 1 || grants[0].DoneNS < 1.198e9 {
		t.Errorf("2 GB at 2 GB/s, 2 MB of which had moved ahead, from 0.2 s on: got %v", grants)
	}
}

// A disk that is at work for half of the time leaves the other half to the others, and they are not held when it ends.
func TestDemandThatRests(t *testing.T) {
	s := onDemand{NewSim(round()), t}
	s.write("A", 0, 100)
	const beat, burst = 0.4, 0.24 // 0.2 s at 1.2 GB/s, 0.1 GB ahead apart
	at := 1.0
	for range 10 {
		s.write("C", at, burst)
		s.want(at+0.1, map[string]float64{"A": 0.8, "C": 1.6})
		at += beat
		s.want(at-0.001, map[string]float64{"A": 2, "C": 0})
	}
	s.want(at+1, map[string]float64{"A": 2})
}

// One gap between files does not hide that a disk has left, and those who stay are held.
func TestDemandWithAGap(t *testing.T) {
	s := onDemand{NewSim(round()), t}
	s.write("A", 0, 100)
	s.write("C", 0, 4.8)   // 3 s at 1.6 GB/s, and 0.1 GB ahead
	s.write("C", 3.3, 0.5) // after a rest of 0.24 s
	s.want(3.5, map[string]float64{"A": 0.8, "C": 1.6})
	s.want(5, map[string]float64{"A": 0.8})
	s.want(7.5, map[string]float64{"A": 0.8}) // its last byte moved at 3.55 s: 0.1 of the 0.5 GB had moved ahead
	s.want(7.6, map[string]float64{"A": 2})
}

// A single request holds nobody.
func TestDemandOfAMoment(t *testing.T) {
	s := onDemand{NewSim(round()), t}
	s.write("A", 0, 100)
	s.write("B", 0, 100)
	s.write("C", 2, 0.3)
	s.want(2.1, map[string]float64{"A": 0.6, "B": 0.6, "C": 1.2})
	s.want(2.5, map[string]float64{"A": 1.2, "B": 1.2, "C": 0})
	s.want(3, map[string]float64{"A": 1.2, "B": 1.2})
}

// The model says the same however often it is asked.
func TestDemandIsExact(t *testing.T) {
	run := func(step time.Duration) (ends []Grant) {
		s := NewSim(round())
		for _, disk := range []string{"A", "B", "C"} {
			joinWork(t, s, 0, disk, Work{Op: write, OnDemand: true})
			for i := range 5 {
				ask(t, s, disk, 1+float64(i)*float64(disk[0]-'@'))
			}
		}
		for at := step; at < 120*time.Second; at += step {
			ends = append(ends, s.Advance(int64(at))...)
		}
		return ends
	}
	coarse, fine := run(10*time.Second), run(time.Millisecond)
	if diff := cmp.Diff(coarse, fine); diff != "" || len(fine) != 15 {
		t.Errorf("%d grants (-coarse +fine)\n%s", len(fine), diff)
	}
}

// Withdrawn, a disk holds nobody.
func TestWithdraw(t *testing.T) {
	s := onDemand{NewSim(round()), t}
	s.write("A", 0, 100)
	s.write("C", 0, 100)
	s.want(2, map[string]float64{"A": 0.8, "C": 1.6})
	s.Withdraw("C")
	s.Withdraw("nobody")
	s.want(2.001, map[string]float64{"A": 2})
}

// The time of a rest counts from its beginning, and as no work.
func TestDemandRests(t *testing.T) {
	for restMS, want := range map[int64]int64{100: 700e6, 200: 400e6, 2000: 0} { // a rest takes away three times its length
		d := &demand{}
		d.proceed(1e9, true)
		d.proceed(1e9+restMS*1e6, true)
		if !d.resting || d.sinceNS != 1e9 || d.worked != 1e9 {
			t.Errorf("after 1 s of work, %d ms of rest: %+v", restMS, d)
		}
		back := 1e9 + restMS*1e6
		d.resume(back)
		if d.resting || d.sinceNS != back || d.worked != want {
			t.Errorf("at work again after %d ms: %+v, want %d ns of work left", restMS, d, want)
		}
		d.resume(back + 1e9)
		check.Same(t, "resumed twice", back, d.sinceNS)
	}
}

// Of a file that is read and written, the direction of which nothing was moved has no event.
func TestTell(t *testing.T) {
	for _, tt := range []struct {
		reads float64
		bytes int64
		want  map[trace.Role]int64
	}{
		{0, 9, map[trace.Role]int64{"": 9}},
		{0.25, 8, map[trace.Role]int64{read: 2, write: 6}},
		{0.25, 1, map[trace.Role]int64{write: 1}},
		{1, 8, map[trace.Role]int64{read: 8}},
	} {
		w := &worker{job: &scenario.Job{Reads: tt.reads}, event: trace.Event{Type: trace.FileType, Bytes: tt.bytes}}
		got := map[trace.Role]int64{}
		check.Must(t, w.report(func(e *trace.Event) error { got[e.Op] += e.Bytes; return nil }))
		check.Same(t, fmt.Sprintf("%g read of %d bytes", tt.reads, tt.bytes), tt.want, got)
	}
}

// All that two runs have seen is joined.
func TestAddEvidence(t *testing.T) {
	one := func(name string, squares float64, freedom int) *Evidence {
		e := &Evidence{Rates: []Observation{{Phase: name}}, Lags: []ObservedLag{{}}}
		e.Noise.Squares, e.Noise.Freedom = squares, freedom
		return e
	}
	e := one("first", 1, 20)
	e.Add(one("second", 2, 30))
	if len(e.Rates) != 2 || e.Rates[1].Phase != "second" || len(e.Lags) != 2 || e.Noise.Squares != 3 || e.Noise.Freedom != 50 {
		t.Errorf("%+v", e)
	}
}

// finish plays one job alone and returns when it ends, in seconds.
func finish(t *testing.T, s *Sim, disk string, w Work) float64 {
	t.Helper()
	var total int64
	for _, size := range w.Sizes {
		total += size
	}
	joinWork(t, s, 0, disk, w)
	check.Must(t, s.Ask(disk, total))
	for {
		at, ok := s.Next()
		if !ok {
			t.Fatalf("disk %s never ends", disk)
		}
		if grants := s.Advance(at); len(grants) > 0 {
			return float64(grants[0].DoneNS) / 1e9
		}
	}
}

func TestCacheOverPhases(t *testing.T) {
	p := round()
	p.Disks[0].Cache = &Cache{Bytes: 20e9, After: 0.5 * gb, Refill: 0.1 * gb}
	s := NewSim(p)
	for _, phase := range []struct {
		what string
		rest float64
		work Work
		want float64
	}{
		{"20 GB at 2, 5 at 0.5", 0, Work{Op: write, Sizes: files(25)}, 10 + 10},
		{"reads do not use it", 0, Work{Op: read, Sizes: files(30)}, 10},
		{"it refilled while reading: 1 GB at 2, 1 at 0.5", 0, Work{Op: write, Sizes: files(2)}, 0.5 + 2},
		{"a rest of 30 s gives 3 GB", 30, Work{Op: write, Sizes: files(2, 2)}, 1.5 + 2},
		{"no more than it holds", 1e5, Work{Op: write, Sizes: files(21)}, 10 + 2},
		{"a full one lasts out a small write", 200, Work{Op: write, Sizes: files(4)}, 2},
		{"which leaves the rest", 0, Work{Op: write, Sizes: files(17)}, 8 + 2},
	} {
		s.Restart(int64(phase.rest * 1e9))
		check.Near(t, phase.what+": took", phase.want, finish(t, s, "A", phase.work), 1e-6)
	}
}

// A cache that runs out in the middle leaves its part to the others at once: nobody left.
func TestCacheUnderContention(t *testing.T) {
	p := round()
	p.Disks[2].Cache = &Cache{Bytes: 16e9, After: 0.4 * gb}
	s := NewSim(p)
	join(t, s, "A", write, 0, 100)
	join(t, s, "C", write, 0, 100)
	follow(t, s, []ratesAt{{9.999, map[string]float64{"A": 0.8, "C": 1.6}}, {10, map[string]float64{"A": 2, "C": 0.4}}})
}

// A cache that empties while contention leaves the disk less than it writes even then changes nothing.
func TestCacheThatDoesNotMatter(t *testing.T) {
	p := round()
	p.Disks[0].Cache = &Cache{Bytes: 3e9, After: 0.7 * gb}
	s := NewSim(p)
	for _, disk := range []string{"A", "B", "C"} {
		join(t, s, disk, write, 0, 60)
	}
	follow(t, s, []ratesAt{{20, map[string]float64{"A": 0.6, "B": 0.6, "C": 1.2}}})
}

func TestSizes(t *testing.T) {
	p := round()
	p.Disks[0].Write.PerFile = 5 * time.Millisecond
	p.Disks[0].Read.Knee = Knee{AboveBytes: 600e6, Factor: 0.8}
	for _, test := range []struct {
		what string
		work Work
		want float64
	}{
		{"10 MB files take twice as long", Work{Op: write, Sizes: files(0.01, 0.01, 0.01)}, 3 * 0.010},
		{"2 GB files hardly longer", Work{Op: write, Sizes: files(2, 2)}, 2 * 1.005},
		{"up to the knee", Work{Op: read, Sizes: files(0.6, 0.3)}, 0.3},
		{"above it", Work{Op: read, Sizes: files(0.6, 1.2)}, 0.2 + 0.5},
		{"a mix, whose writes take twice as long", Work{Op: read, Sizes: files(0.01), Reads: 0.5}, 0.01 * (0.5/3 + 0.5)},
		{"direct too", Work{Op: read, Sizes: files(0.7), Direct: true}, 0.7 / 3.5 / 0.8},
	} {
		check.Near(t, test.what+": took", test.want, finish(t, NewSim(p), "A", test.work), 1e-6)
	}
}

func TestNoise(t *testing.T) {
	p := round()
	p.Noise = 0.05
	play := func(disk string, seed uint64) (times []float64) {
		s := NewSim(p)
		sizes := slices.Repeat([]int64{1e9}, 2000)
		joinWork(t, s, 0, disk, Work{Op: write, Sizes: sizes, Seed: seed})
		for range sizes {
			ask(t, s, disk, 1)
		}
		last := int64(0)
		for _, g := range s.Advance(1e6 * second) {
			times = append(times, float64(g.DoneNS-last)/1e9)
			last = g.DoneNS
		}
		return times
	}
	a := play("A", 1)
	if diff := cmp.Diff(a, play("A", 1)); diff != "" {
		t.Errorf("the same seed gives other times:\n%s", diff)
	}
	if cmp.Equal(a, play("A", 2)) || cmp.Equal(a, play("B", 1)) {
		t.Error("another seed or disk has the same luck")
	}
	var sum, squares float64
	for _, seconds := range a {
		sum += seconds
	}
	mean := sum / float64(len(a))
	for _, seconds := range a {
		squares += math.Pow(math.Log(seconds/mean), 2)
	}
	// 0.5 s a file; the mean of 2000 is good to 0.11 %, their spread to 1.6 % of itself: four times that.
	check.Near(t, "mean", 0.5, mean, 0.0045*0.5)
	check.Near(t, "spread", 0.05, math.Sqrt(squares/float64(len(a))), 0.064*0.05)
}
