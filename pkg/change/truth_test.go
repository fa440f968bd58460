package change_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/change"
	"github.com/hubbench/hubbench/pkg/ledger"
)

var (
	traces = flag.Int("traces", 2, "how many traces of each kind are played")
	tune   = flag.Bool("tune", false, "play the seeds that thresholds may be chosen by")
)

// truth is what happens in a phase that is played, and what may be said of it.
type truth struct {
	name  string
	disks []player
	want  []fact
	also  []fact // true as well, but need not be told
	// The first and the last level of disks, in GB/s, each to be known within a twentieth.
	levels map[string][2]float64
}

// fact is an event that is true.
type fact struct {
	kind  change.Kind
	disks string  // one letter each
	at    float64 // seconds; any if negative
	by    string  // any of these, or none
}

var hangs = []float64{11, 22, 36, 47, 61}

// crossTruths are the ten that the engine was tuned on, and steady disks.
func crossTruths() []truth {
	const own, taken = change.OwnFall, change.Redistribution
	const small = 4e8
	five := truth{name: "five hangs of 2 s, others take them", disks: []player{
		{name: "A", rate: pulses(hangs, 2, 0, .8), end: 75},
		{name: "B", rate: pulses(hangs, 2, 1.2, .8), end: 76},
		{name: "C", rate: pulses(hangs, 2, 1.2, .8), end: 76},
	}}
	for _, at := range hangs {
		five.want = append(five.want, fact{change.Stall, "A", at, ""})
		five.also = append(five.also, fact{taken, "BC", at, "A"}, fact{taken, "BC", at + 2, "A"})
	}
	halves := truth{name: "one of two hubs halves, 8 disks", want: []fact{
		{change.SharedFall, "EFGH", 26, ""}}}
	for _, name := range "ABCDEFGH" {
		d := player{name: string(name), rate: steady(.6), end: 50}
		if name > 'D' {
			d.rate = steps([2]float64{0, .4}, [2]float64{26, .2})
			d.end = 51
		}
		halves.disks = append(halves.disks, d)
	}
	return []truth{
		{name: "one falls, one of two takes it", disks: []player{
			{name: "A", rate: steps([2]float64{0, 1.6}, [2]float64{31, .6}), end: 70},
			{name: "B", rate: steps([2]float64{0, .5}, [2]float64{31.2, 1.2}), end: 72},
			{name: "C", rate: steady(.3), end: 71},
		}, want: []fact{{own, "A", 31, ""}, {taken, "B", 31.2, "A"}}},
		{name: "a hang of 3 s, others take it", disks: []player{
			{name: "A", rate: pulses([]float64{33}, 3, 0, .9), end: 60},
			{name: "B", rate: pulses([]float64{33.1}, 3, 1.35, .9), end: 61},
			{name: "C", rate: pulses([]float64{33.1}, 3, 1.35, .9), end: 61},
		}, want: []fact{{change.Stall, "A", 33, ""}},
			also: []fact{{taken, "BC", 33.1, "A"}, {taken, "BC", 36.1, "A"}}},
		{name: "a slow slide, the other takes it", disks: []player{
			{name: "A", rate: lines([2]float64{0, 1.8}, [2]float64{10, 1.8}, [2]float64{70, .9}),
				end: 80},
			{name: "B", rate: lines([2]float64{0, .6}, [2]float64{10, .6}, [2]float64{70, 1.5}),
				end: 81},
		}, want: []fact{{change.Drift, "A", -1, ""}, {change.Drift, "B", -1, ""}}},
		five,
		{name: "two hubs, two ends", disks: []player{
			{name: "A", rate: steady(.8), end: 22, largest: small},
			{name: "B", rate: steps([2]float64{0, 1.1}, [2]float64{22.7, 1.6}), end: 60},
			{name: "C", rate: steady(.7), end: 41, largest: small},
			{name: "D", rate: steps([2]float64{0, .7}, [2]float64{41.8, 1.2}), end: 61},
			{name: "E", rate: steady(.5), end: 62},
		}, want: []fact{{change.Recovery, "B", 22.7, "A"}, {change.Recovery, "D", 41.8, "C"}}},
		halves,
		{name: "two ends within one lag of 5 s", disks: []player{
			{name: "A", rate: steps([2]float64{0, .5}, [2]float64{23, 1}, [2]float64{26, 1.7}),
				end: 55},
			{name: "B", rate: steady(.5), end: 20.7, largest: small},
			{name: "C", rate: steady(.9), end: 17.8, largest: small},
		}, want: []fact{{change.Recovery, "A", 23, "BC"}, {change.Recovery, "A", 26, "BC"}}},
		{name: "all lose a fifth for 8 s", disks: []player{
			{name: "A", rate: pulses([]float64{24}, 8, .96, 1.2), end: 58},
			{name: "B", rate: pulses([]float64{24}, 8, .96, 1.2), end: 58},
			{name: "C", rate: pulses([]float64{24}, 8, .96, 1.2), end: 58},
		}, want: []fact{{change.SharedFall, "ABC", 24, ""}, {change.SharedRise, "ABC", 32, ""}}},
		{name: "all swing by a third, 15 s each", disks: []player{
			{name: "A", rate: alternating(15, 1.1, .73), end: 116},
			{name: "B", rate: alternating(15, 1.1, .73), end: 116},
			{name: "C", rate: alternating(15, 1.1, .73), end: 116},
		}, want: []fact{{change.Swing, "ABC", -1, ""}}},
		{name: "a cache fills as a neighbour starts", disks: []player{
			{name: "A", rate: steps([2]float64{0, 1.9}, [2]float64{25.5, .6}), end: 75},
			{name: "B", rate: steps([2]float64{0, .9}, [2]float64{25, .5}, [2]float64{50.6, .9}),
				end: 76},
			{name: "C", rate: steady(.7), end: 50, start: 25, largest: small},
		}, want: []fact{{own, "A", 25.5, ""}, {change.Start, "B", 25, "C"},
			{change.Recovery, "B", 50.6, "C"}}},
		{name: "steady, three disks", disks: []player{
			{name: "A", rate: steady(1), end: 60},
			{name: "B", rate: steady(1), end: 60},
			{name: "C", rate: steady(1), end: 60},
		}},
	}
}

// alternating goes between two levels, each for as long.
func alternating(each, first, second float64) rate {
	return func(s float64) float64 {
		if int(s/each)%2 == 0 {
			return first
		}
		return second
	}
}

// tells reports whether an event is the fact.
func (f fact) tells(e *change.Event, exactly bool) bool {
	disks := strings.Join(e.Disks, "")
	at := float64(e.AtNS) / 1e9
	if e.Kind == change.Recovery {
		at = float64(e.EndNS) / 1e9
	}
	within := true
	for _, name := range e.Disks {
		within = within && strings.Contains(f.disks, name)
	}
	return e.Kind == f.kind && within && (!exactly || disks == f.disks) &&
		(f.at < 0 || math.Abs(at-f.at) <= 1.5) && (e.By == "" || strings.Contains(f.by, e.By))
}

// knows reports whether the histories have the levels.
func (c *truth) knows(histories []ledger.History) bool {
	for _, h := range histories {
		want, ok := c.levels[h.Name()]
		if !ok {
			continue
		}
		first, last := h.Levels[0], h.Levels[len(h.Levels)-1]
		if math.Abs(first.From/1e9/want[0]-1) > .05 || math.Abs(last.To/1e9/want[1]-1) > .05 {
			return false
		}
	}
	return true
}

// judge returns whether all that is wanted is told and nothing else: "right", "false" or "silent".
func (c *truth) judge(events []change.Event) string {
	for i := range events {
		e := &events[i]
		if isOwnTime(e) || c.leavesOpen(e) {
			continue
		}
		if !slices.ContainsFunc(slices.Concat(c.want, c.also), func(f fact) bool {
			return f.tells(e, false)
		}) {
			return "false"
		}
	}
	for _, f := range c.want {
		if !slices.ContainsFunc(events, func(e change.Event) bool {
			return !isOwnTime(&e) && f.tells(&e, true)
		}) {
			return "silent"
		}
	}
	return "right"
}

// leavesOpen reports whether an event says that some disks took what others left, and not who began:
// that is not false where it is so, but less than is wanted.
func (c *truth) leavesOpen(e *change.Event) bool {
	if e.Kind != change.Redistribution || e.By != "" {
		return false
	}
	for _, name := range e.Disks {
		found := false
		for _, f := range c.want {
			found = found || strings.Contains(f.disks, name) && f.at >= 0 &&
				math.Abs(float64(e.AtNS)/1e9-f.at) <= 1.5
		}
		if !found {
			return false
		}
	}
	return true
}

// isOwnTime reports whether an event is a disk's own start or end.
func isOwnTime(e *change.Event) bool {
	return e.Kind == change.End || e.Kind == change.Start && e.By == ""
}

// seed is the first of the seeds that are played: those to tune by, or those to test.
func seed() uint64 {
	if *tune {
		return 0
	}
	return 1000
}

// told lists events for a person.
func told(events []change.Event) string {
	var out []string
	for _, e := range events {
		if !isOwnTime(&e) {
			text := fmt.Sprintf("%s %s %.1f", e.Kind, strings.Join(e.Disks, ""),
				float64(e.AtNS)/1e9)
			if e.EndNS > e.AtNS {
				text += fmt.Sprintf("-%.1f", float64(e.EndNS)/1e9)
			}
			out = append(out, strings.TrimSpace(text+" "+e.By))
		}
	}
	return strings.Join(out, "; ")
}

// TestTruths plays what happens across disks and counts what is told of it.
//
//	go test ./pkg/change -run Truths/hang -v -args -traces 10
func TestTruths(t *testing.T) {
	var all score
	for k, c := range crossTruths() {
		play(t, &all, row{c.name, func(draw) truth { return c }}, k)
	}
	all.check(t)
}

// TestRows plays the kinds of phases whose times and levels are drawn.
func TestRows(t *testing.T) {
	var all score
	for k, r := range rows() {
		play(t, &all, r, 100+k)
	}
	all.check(t)
}

// score counts what is told.
type score struct{ played, right, wrong, silent int }

func (s *score) String() string {
	return fmt.Sprintf("right %d, false %d, silent %d of %d", s.right, s.wrong, s.silent, s.played)
}

func (s *score) check(t *testing.T) {
	t.Logf("all: %s", s)
	if 10*s.right < 9*s.played || 50*s.wrong > max(s.played, 50) {
		t.Error("want 90% right and at most 2% false")
	}
}

// play plays a kind of phase under little and much noise.
func play(t *testing.T, all *score, r row, number int) {
	t.Run(r.name, func(t *testing.T) {
		for _, noise := range []float64{.02, .10} {
			var sum score
			for i := range *traces {
				rnd := rand.New(rand.NewPCG(seed()+uint64(i), uint64(100*number)+uint64(100*noise)))
				c := r.draw(draw{rnd})
				events, levels := change.Explain(histories(rnd, noise, c.disks))
				sum.played++
				switch as := c.judge(events); {
				case as == "right" && c.knows(levels):
					sum.right++
					continue
				case as == "silent":
					sum.silent++
					t.Logf("    %d silent: %s", i, told(events))
				default:
					sum.wrong++
					t.Logf("    %d false: %s", i, told(events))
				}
			}
			t.Logf("noise %.2f: %s", noise, &sum)
			all.played += sum.played
			all.right += sum.right
			all.wrong += sum.wrong
			all.silent += sum.silent
		}
	})
}

// TestTails plays the same with times of files that have a heavy tail, which hides changes. Silence
// is no error here; something false is, and it is told more often than elsewhere.
func TestTails(t *testing.T) {
	var all score
	for k, c := range crossTruths() {
		for i := range c.disks {
			c.disks[i].tail = 2.5
		}
		play(t, &all, row{c.name, func(draw) truth { return c }}, 500+k)
	}
	t.Logf("all: %s", &all)
	if 5*all.wrong > 2*all.played {
		t.Error("want at most two fifths false")
	}
}

// TestPure explains a phase twice, and with its disks in another order.
func TestPure(t *testing.T) {
	for _, c := range crossTruths() {
		disks := histories(rand.New(rand.NewPCG(1, 1)), .1, c.disks)
		events, levels := change.Explain(disks)
		slices.Reverse(disks)
		again, reversed := change.Explain(disks)
		slices.Reverse(reversed)
		check.Same(t, c.name, events, again)
		for i := range levels {
			check.Same(t, c.name, levels[i].Levels, reversed[i].Levels)
			check.Same(t, c.name, levels[i].Drifts, reversed[i].Drifts)
			check.Same(t, c.name, levels[i].Swing, reversed[i].Swing)
		}
	}
}
