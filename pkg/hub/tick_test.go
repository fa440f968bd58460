package hub

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// tick is the step of the slow simulation.
const tick = 50 * time.Microsecond

// ticker is a disk in a simulation that goes through all of time in small steps, and knows nothing
// of events.
type ticker struct {
	side  *Side
	work  Work
	left  float64 // bytes of its files
	doing bool

	cacheLeft float64
	arrears   float64

	queue   stream.Queue
	players []*stream.Player
	player  *stream.Player // of the frame on the way
	frame   int
	missing float64 // of it
	busy    time.Duration

	rate, held, lagRate float64
	lagUntil            time.Duration

	ended   time.Duration
	streams []stream.Totals
}

func newTicker(p *Profile, disk string, w Work) *ticker {
	d := &ticker{side: p.Disk(disk).Side(w.Op), work: w, doing: true, lagRate: math.Inf(1),
		cacheLeft: math.Inf(1)}
	for _, size := range w.Sizes {
		d.left += float64(size)
	}
	if len(w.Streams) > 0 {
		d.left = math.Inf(1)
		d.players = stream.Players(w.Streams)
		d.streams = make([]stream.Totals, len(d.players))
	}
	if c := p.Disk(disk).Cache; c != nil && w.Op == write {
		d.cacheLeft = float64(c.Bytes)
	}
	return d
}

// look lets a disk of streams go on to its next frame.
func (d *ticker) look(now time.Duration) {
	if len(d.players) == 0 || !d.doing {
		return
	}
	if d.player != nil && d.missing <= 0 {
		d.queue.Ends(int64(now))
		d.player.Arrived(d.frame, int64(now))
		d.player = nil
	}
	if now > 0 && now%(100*time.Millisecond) == 0 {
		for i, p := range d.players {
			d.streams[i].Add(p.Sample(int64(now)))
		}
	}
	for d.player == nil {
		first := slices.MinFunc(d.players, func(a, b *stream.Player) int {
			return int(a.AskNS() - b.AskNS())
		})
		if first.AskNS() > int64(now) {
			d.busy = 0
			return
		}
		if frame, ok := first.Ask(int64(now), d.queue.TakesNS()); ok {
			d.queue.Begins(int64(now))
			// The frame before was there in the middle of a step: what it had too much counts for
			// this one.
			d.player, d.frame, d.missing = first, frame, d.missing+float64(first.Spec.Bytes(frame))
		}
	}
}

func (d *ticker) claim(p *Profile, disk string) Claim {
	limit := d.side.cap(d.work.Direct, 1)
	if d.cacheLeft <= 0 {
		limit = min(limit, p.Disk(disk).Cache.After)
	}
	c := Claim{Op: d.work.Op, Cap: limit, Weight: d.side.Weight}
	if d.work.Pace > 0 && d.arrears <= 0 {
		c.Cap = min(limit, d.work.Pace)
	}
	return c
}

// moves reports whether the disk has something to move.
func (d *ticker) moves() bool { return d.doing && (len(d.players) == 0 || d.player != nil) }

// slowly plays disks against one another until those with files have moved them, and returns what
// became of all.
func slowly(p *Profile, names []string, works []Work) []*ticker {
	disks := make([]*ticker, len(names))
	for i := range names {
		disks[i] = newTicker(p, names[i], works[i])
	}
	var claims, before []Claim
	var shares []float64
	for now := time.Duration(0); now < time.Minute; now += tick {
		working := 0
		for i, d := range disks {
			d.look(now)
			if d.doing && len(d.players) == 0 {
				if d.left <= 0 {
					d.doing, d.ended = false, now
					part(p, disks, i, now)
				} else {
					working++
				}
			}
		}
		if working == 0 {
			break
		}
		claims = claims[:0]
		calm := true
		for i, d := range disks {
			if now >= d.lagUntil {
				d.lagRate = math.Inf(1)
			}
			if d.moves() {
				claims = append(claims, d.claim(p, names[i]))
				calm = calm && (len(d.players) == 0 || d.busy > d.work.Streams[0].Frame)
			}
		}
		if !slices.Equal(claims, before) {
			shares = Share(p.Capacity, claims)
			before = slices.Clone(claims)
		}
		n := 0
		for _, d := range disks {
			d.arrears = min(d.arrears+d.work.Pace*tick.Seconds(), d.work.Pace)
			if !d.moves() {
				continue
			}
			d.rate = min(shares[n], d.lagRate)
			n++
			if calm || len(d.players) > 0 || d.held == 0 {
				d.held = d.rate
			}
			bytes := d.rate * tick.Seconds()
			d.left -= bytes
			d.missing -= bytes
			d.cacheLeft -= bytes
			d.arrears -= bytes
			d.busy += tick
		}
	}
	return disks
}

// part holds those who stay when one has left.
func part(p *Profile, disks []*ticker, gone int, now time.Duration) {
	staying := 0
	for _, d := range disks {
		if d.doing {
			staying++
		}
	}
	for _, d := range disks {
		if d.doing {
			d.lagRate, d.lagUntil = d.held, now+
				p.Lags.After(d.work.Op, disks[gone].work.Op, staying)
		}
	}
}

// smallCase draws a hub and what its three disks do: one at least moves files, one at least plays
// or records.
func smallCase(rng *rand.Rand) (*Profile, []string, []Work) {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	p := round()
	c := &p.Capacity
	c.Read, c.Write = between(1, 4)*gb, between(1, 4)*gb
	c.Both = between(max(c.Read, c.Write), c.Read+c.Write)
	c.ReadWeight, c.WriteWeight = between(0.5, 2), between(0.5, 2)
	if rng.IntN(3) == 0 {
		c.Pair, c.TwoWriters = between(0.8, 1), between(0.8, 1)
	}
	for _, list := range p.Lags.Lists() {
		*list.Lags = []time.Duration{time.Duration(between(0, 1) * 1e9),
			time.Duration(between(0, 1) * 1e9)}
	}
	names := p.Names()
	works := make([]Work, len(names))
	kinds := rng.Perm(len(names))
	for i := range names {
		d := &p.Disks[i]
		for _, side := range []*Side{&d.Read, &d.Write} {
			side.Hub, side.Weight = between(0.8, 3)*gb, between(0.5, 2)
		}
		if rng.IntN(3) == 0 {
			d.Cache = &Cache{Bytes: int64(between(0.1e9, 1.2e9)), After: between(0.2, 0.6) * gb}
		}
		w := &works[i]
		w.Op = []trace.Role{read, write}[rng.IntN(2)]
		w.Sizes = []int64{int64(between(0.3e9, 1.5e9))}
		switch kind := kinds[i]; {
		case kind == 0 || kind == 1 && rng.IntN(2) == 0: // as fast as it can
			if rng.IntN(3) == 0 {
				w.Pace = between(0.2, 1.5) * gb
			}
		default:
			spec := stream.Spec{Record: w.Op == write, Rate: between(20e6, 120e6),
				Frame: time.Duration(10+rng.IntN(40)) * time.Millisecond, Count: 1 + rng.IntN(20)}
			spec.Buffer = time.Duration(between(0.01, 0.2) * 1e9)
			w.Streams = []stream.Spec{spec}
			w.Sizes = []int64{int64(spec.TotalRate())}
		}
	}
	return p, names, works
}

// The simulation by events says what one says that goes through all of time in small steps.
func TestSimAgainstTicks(t *testing.T) {
	if testing.Short() {
		t.Skip("many cases")
	}
	cases, dropped, clean := 200, 0, 0
	for seed := range uint64(cases) {
		p, names, works := smallCase(rand.New(rand.NewPCG(seed, 11)))
		slow := slowly(p, names, works)

		plan := &scenario.Plan{}
		phase := scenario.Phase{Name: "p", Roles: map[string]trace.Role{}}
		for i, w := range works {
			plan.Disks = append(plan.Disks, scenario.Disk{Name: names[i], Profile: names[i]})
			phase.Roles[names[i]] = w.Op
			phase.Jobs = append(phase.Jobs,
				scenario.Job{Disk: names[i], Role: w.Op, Sizes: w.Sizes, Pace: w.Pace,
					Streams: w.Streams})
		}
		plan.Phases = []scenario.Phase{phase}
		ended, streams := map[string]int64{}, tracetest.Outcomes{}
		for _, e := range record(t, plan, p) {
			streams.Add(&e)
			if e.Type == trace.FileType {
				ended[e.Disk] = e.EndNS
			}
		}
		for i, d := range slow {
			if len(works[i].Streams) == 0 {
				if off := float64(ended[names[i]])/float64(d.ended) - 1; math.Abs(off) > 0.001 {
					t.Errorf("case %d: disk %s ends its files at %d, in small steps at %d", seed,
						names[i], ended[names[i]], d.ended)
				}
				continue
			}
			var late, due, slowLate int
			lowest, slowLowest := int64(math.MaxInt64), int64(math.MaxInt64)
			for j := range d.streams {
				o := streams[tracetest.StreamOf{Disk: names[i], Stream: fmt.Sprint(j + 1)}]
				late, due, lowest = late+o.Late, due+o.Due, min(lowest, o.LowestNS)
				slowLate, slowLowest = slowLate+d.streams[j].Late,
					min(slowLowest, d.streams[j].LowestNS)
			}
			if slowLate > 0 {
				dropped++
			} else {
				clean++
			}
			if math.Abs(float64(late-slowLate)) > 1+0.01*float64(due) ||
				math.Abs(float64(lowest-slowLowest)) > 5e6 {
				t.Errorf("case %d: disk %s, %d %+v: %d of %d late, in small steps %d; buffer down to %d, in small steps %d", seed, names[i], due, works[i].Streams[0],
					late, due, slowLate, lowest, slowLowest)
			}
		}
	}
	if dropped < 50 || clean < 50 {
		t.Errorf("%d disks dropped frames and %d did not: want enough of both", dropped, clean)
	}
	t.Logf("%d disks dropped frames, %d did not", dropped, clean)
}
