package stream

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// A disk that moves nothing for a while, and else at once: the late frames are those that were due
// while it stood still and had not been asked for before.
func TestStall(t *testing.T) {
	for _, buffer := range []time.Duration{500 * time.Millisecond, 2 * time.Second} {
		for _, stall := range []time.Duration{
			300 * time.Millisecond, time.Second, 3 * time.Second,
		} {
			spec := Spec{Rate: 92e6, Frame: 40 * time.Millisecond, Count: 4, Buffer: buffer}
			from, to := int64(5e9), int64(5e9)+stall.Nanoseconds()
			for _, p := range Players([]Spec{spec}) {
				got, _ := play(p, 10e9, math.MaxInt, func(_, askNS int64) int64 {
					if askNS >= from && askNS < to {
						return to
					}
					return askNS + 2e6
				})
				want := 0
				for k := range int(20e9 / 4e7) {
					if p.askNS(k) >= from && p.DueNS(k) < to {
						want++
					}
				}
				check.Same(t, fmt.Sprintf("buffer %s, stall %s, stream %s", buffer, stall, p.Name),
					want, got.Late)
				check.Same(t, fmt.Sprintf("buffer %s, stall %s: stalled", buffer, stall),
					int64(want)*4e7, got.StallNS)
				if lowest := max(0, buffer-stall); time.Duration(got.LowestNS) < lowest ||
					time.Duration(got.LowestNS) > lowest+spec.Frame {
					t.Errorf("buffer %s, stall %s: lowest %s, want about %s", buffer, stall,
						time.Duration(got.LowestNS), lowest)
				}
			}
		}
	}
}

// play runs a player on a disk from which a frame asked for at a time is there at another, of so
// many at a time. It returns when each arrived.
func play(p *Player, untilNS int64, most int,
	doneNS func(nowNS, askNS int64) int64) (out Totals, arrived map[int]int64) {
	arrived = map[int]int64{}
	type flight struct {
		frame int
		atNS  int64
	}
	var flying []flight
	for now := int64(0); now <= untilNS; now += 1e6 {
		flying = slices.DeleteFunc(flying, func(f flight) bool {
			if f.atNS <= now {
				p.Arrived(f.frame, now)
				arrived[f.frame] = now
			}
			return f.atNS <= now
		})
		for at := p.AskNS(); ; at = p.AskNS() {
			frame, ok := p.Ask(now, 0)
			if !ok || len(flying) >= most {
				break
			}
			flying = append(flying, flight{frame, max(now, doneNS(now, at))})
		}
		if now%1e8 == 0 {
			out.Add(p.Sample(now))
		}
	}
	return out, arrived
}

// Against one that knows everything: every frame's arrival is noted, and late frames, runs and
// buffer are counted at the end.
func TestPlayerAgainstBruteForce(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		spec := Spec{
			Rate: 1e6, Frame: time.Duration(10+rng.IntN(40)) * time.Millisecond, Count: 1,
			Buffer: time.Duration(rng.IntN(1000)+1) * time.Millisecond,
		}
		p := Players([]Spec{spec})[0]
		slow := rng.Float64() * 0.3
		end := int64(20e9)
		got, arrived := play(p, end, 8, func(nowNS, _ int64) int64 {
			took := 1e6 + rng.Int64N(20e6)
			if rng.Float64() < slow {
				took += rng.Int64N(1e9)
			}
			return nowNS + took
		})
		var late, run, longest, due int
		for k := 0; p.DueNS(k) <= end; k++ {
			due++
			if at, ok := arrived[k]; ok && at <= p.DueNS(k) {
				run = 0
				continue
			}
			late++
			run++
			longest = max(longest, run)
		}
		if got.Due != due || got.Late != late ||
			got.StallNS != int64(longest)*spec.Frame.Nanoseconds() {
			t.Fatalf("seed %d: got %d late of %d, stalled %d; want %d of %d, %d", seed, got.Late,
				got.Due, got.StallNS, late, due, int64(longest)*spec.Frame.Nanoseconds())
		}
		if (late > 0) != (got.Verdict(spec.Buffer.Nanoseconds()) == Drops) {
			t.Errorf("seed %d: verdict %s with %d late frames", seed,
				got.Verdict(spec.Buffer.Nanoseconds()), late)
		}
	}
}

func TestBytesAddUp(t *testing.T) {
	s := Spec{Rate: 92.3456e6, Frame: 33366667}
	var sum int64
	for k := range 1000 {
		sum += s.Bytes(k)
	}
	check.Same(t, "1000 frames hold", s.Offset(1000), sum)
}

// Every player finds its own spec by its name.
func TestNamed(t *testing.T) {
	specs := []Spec{
		{Kind: "a", Frame: 4e7, Count: 2}, {Kind: "none", Frame: 4e7},
		{Kind: "b", Frame: 4e7, Count: 3},
	}
	for _, p := range Players(specs) {
		if got, ok := Named(specs, p.Name); !ok || got != p.Spec {
			t.Errorf("stream %s is of %q, want %q", p.Name, got.Kind, p.Spec.Kind)
		}
	}
	for _, name := range []string{"0", "6", "-1", "x", ""} {
		if got, ok := Named(specs, name); ok {
			t.Errorf("stream %q is of %q, want none", name, got.Kind)
		}
	}
}

// A frame that is requested behind others is expected after them, twice as late as they come; one
// long wait does not count.
func TestQueue(t *testing.T) {
	var q Queue
	at := int64(0)
	frame := func(took int64) { at += took; q.Ends(at) }
	q.Begins(at)
	q.Begins(at)
	if got := q.TakesNS(); got != 0 {
		t.Errorf("before any is there: %d ns", got)
	}
	frame(10)
	frame(10)
	if got := q.TakesNS(); got != 20 {
		t.Errorf("alone: %d ns, want 20", got)
	}
	at += 1000 // nobody waits
	for range 3 {
		q.Begins(at)
	}
	if got := q.TakesNS(); got != 80 {
		t.Errorf("behind three others: %d ns, want 80", got)
	}
	frame(10)
	frame(3000)
	frame(10)
	if got := q.TakesNS(); got != 20 {
		t.Errorf("after one stood still: %d ns, want 20", got)
	}
	for range 8 {
		q.Begins(at)
		frame(30)
	}
	check.Same(t, "since they take 30 ns", int64(60), q.TakesNS())
}
