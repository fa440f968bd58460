package hub

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
		if diff := cmp.Diff(tc.want, float64(last)*1e-9, near); diff != "" {
			t.Errorf("gap of %g s: the end (-want +got)\n%s", tc.gap, diff)
		}
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

// A hub slowed down takes as long for as much less.
func TestScaled(t *testing.T) {
	p := round()
	p.Disks[2].Cache = &Cache{Bytes: int64(10 * gb), After: 0.4 * gb, Refill: 0.1 * gb}
	p.Disks[2].Read.Knee = Knee{AboveBytes: int64(gb), Factor: 0.5}
	ends := func(p *Profile, part float64) []Grant {
		s := NewSim(p)
		for _, work := range []struct {
			disk string
			op   trace.Role
		}{{"A", read}, {"B", write}, {"C", write}} {
			join(t, s, work.disk, work.op, 0, 20*part)
			ask(t, s, work.disk, 20*part)
		}
		return s.Advance(int64(time.Hour))
	}
	full, part := ends(p, 1), ends(p.Scaled(0.25), 0.25)
	for i := range full {
		full[i].Bytes /= 4
	}
	if diff := cmp.Diff(full, part); diff != "" || len(full) != 3 {
		t.Errorf("(-full +scaled)\n%s", diff)
	}
	if got := p.Scaled(0.25).Disks[2].Read.Knee.AboveBytes; got != int64(gb/4) {
		t.Errorf("the knee is at %d bytes, want a quarter of 1 GB", got)
	}
	if p.Disks[2].Cache.Bytes != int64(10*gb) || p.Capacity.Read != 3.6*gb {
		t.Error("the profile itself has changed")
	}
}
