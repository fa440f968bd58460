package fusetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Hub mounts the disks of a hub until the test ends, or skips the test, and returns their folders
// by name: reading and writing them takes as long as on the profile's hub, recovery included. The
// files are only as fast as memory, so a profile may have to be slowed down (Scaled).
// What depends on a file's size in a profile (knee, per_file) and its noise are left out.
func Hub(t *testing.T, profile *hub.Profile) (folders map[string]string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p := newPacer(profile, clock.Now)
	var running sync.WaitGroup
	running.Go(func() { p.run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	folders = map[string]string{}
	for _, name := range profile.Names() {
		folders[name] = Mount(t, &Device{Before: func(op trace.Role, bytes int) syscall.Errno {
			if bytes == 0 {
				return fs.OK
			}
			moved, err := p.ask(name, op, int64(bytes))
			if err != nil {
				return syscall.EIO
			}
			<-moved
			return fs.OK
		}})
	}
	return folders
}

// Scaled returns the hub slowed down to a part of its rates, such as 0.2. What takes a given time
// still takes it: a cache and a knee's size shrink with the rates, lags stay as they are. Nothing
// was observed on it.
func Scaled(p *hub.Profile, part float64) *hub.Profile {
	s := *p
	s.Evidence = hub.Evidence{}
	for _, rate := range []*float64{&s.Link, &s.Lane, &s.Capacity.Read, &s.Capacity.Write,
		&s.Capacity.Both} {
		*rate *= part
	}
	s.Disks = slices.Clone(p.Disks)
	for i := range s.Disks {
		d := &s.Disks[i]
		for _, side := range []*hub.Side{&d.Read, &d.Write} {
			side.Hub *= part
			side.Direct *= part
			side.Knee.AboveBytes = int64(float64(side.Knee.AboveBytes) * part)
		}
		if c := d.Cache; c != nil {
			d.Cache = &hub.Cache{Bytes: int64(float64(c.Bytes) * part), After: c.After * part,
				Refill: c.Refill * part}
		}
	}
	return &s
}

// plain returns the profile without what depends on files.
func plain(p *hub.Profile) *hub.Profile {
	s := *p
	s.Noise = 0
	s.Disks = slices.Clone(p.Disks)
	for i := range s.Disks {
		for _, side := range []*hub.Side{&s.Disks[i].Read, &s.Disks[i].Write} {
			side.Knee, side.PerFile = hub.Knee{}, 0
		}
	}
	return &s
}

// pacer makes requests wait until a hub of the profile's rates has moved their bytes, in real time.
//
// Reads and writes of a disk are two members of the hub. A member keeps its share while it rests,
// and has left when it has rested for leavesNS: then those who stay are held, from its last byte
// on, if it had been at work for steadyNS. When a disk switches from one to the other it has not
// left: the idle one is withdrawn, which slows nothing down. A small request, such as a program's
// note of what it has read, is no switch.
type pacer struct {
	now     func() int64 // ns
	profile *hub.Profile

	mu      sync.Mutex
	zeroNS  int64 // the hub's
	atNS    int64 // everything up to here has moved
	members map[string]*member
	since   map[string]int64 // bytes of each since the last request of the disk's other one

	changed chan struct{} // wakes run
}

const (
	leavesNS, steadyNS = int64(300 * time.Millisecond), int64(time.Second)
	smallNS            = int64(50 * time.Millisecond) // a request that takes less is no switch
)

// member is a disk in one direction.
type member struct {
	claim        hub.Claim
	asked, moved float64
	rate         float64
	held         float64 // the rate it may not pass until heldNS
	heldNS       int64
	beganNS      int64 // its work
	endedNS      int64
	waits        []wait
}

// wait is a request that ends when its member has moved so many bytes in all.
type wait struct {
	at   float64
	done chan struct{}
}

func (m *member) works() bool { return m.moved < m.asked }

// endNS returns when its next request has moved, if it moves on as it does.
func (m *member) endNS(atNS int64) int64 {
	if m.rate == 0 || !m.works() {
		return math.MaxInt64
	}
	return atNS + int64(math.Ceil((m.waits[0].at-m.moved)/m.rate*1e9))
}

// newPacer makes a pacer whose hub begins now. The clock gives nanoseconds and never goes back.
func newPacer(profile *hub.Profile, now func() int64) *pacer {
	return &pacer{
		now: now, profile: plain(profile), zeroNS: now(),
		members: map[string]*member{}, since: map[string]int64{}, changed: make(chan struct{}, 1),
	}
}

// ask begins a request of so many bytes on a disk. The channel is closed when they have moved.
func (p *pacer) ask(disk string, op trace.Role, bytes int64) (moved <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance()
	known := p.profile.Disk(disk)
	if known == nil {
		return nil, fmt.Errorf("disk %s is not on hub %s", disk, p.profile.Name)
	}
	opposite := trace.Read
	if op == trace.Read {
		opposite = trace.Write
	}
	mine, other, side := disk+" "+string(op), disk+" "+string(opposite), known.Side(op)
	p.since[mine] += bytes
	p.since[other] = 0
	if m := p.members[other]; m != nil && !m.works() &&
		float64(p.since[mine])*1e9 > side.Hub*float64(smallNS) {
		delete(p.members, other)
	}
	m := p.members[mine]
	if m == nil {
		m = &member{claim: hub.Claim{Op: op, Cap: side.Hub, Weight: side.Weight}, held: math.Inf(1),
			beganNS: p.atNS}
		p.members[mine] = m
	}
	m.asked += float64(bytes)
	done := make(chan struct{})
	m.waits = append(m.waits, wait{m.asked, done})
	p.share()
	select {
	case p.changed <- struct{}{}:
	default: // run will wake up already
	}
	return done, nil
}

// serve ends the requests whose bytes have moved by now, and returns how long to wait until the
// next call; ok is false if nothing is in flight.
func (p *pacer) serve() (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance()
	next := p.next()
	return time.Duration(next - p.atNS), next < math.MaxInt64
}

// advance brings the hub to the present, from one change of a rate to the next.
func (p *pacer) advance() {
	for presentNS := p.now() - p.zeroNS; p.atNS < presentNS; {
		toNS := min(p.next(), presentNS)
		for _, m := range p.members {
			m.moved = min(m.moved+m.rate*float64(toNS-p.atNS)/1e9, m.asked)
		}
		p.atNS = toNS
		for name, m := range p.members {
			for len(m.waits) > 0 && m.moved >= m.waits[0].at-1e-3 {
				close(m.waits[0].done)
				if m.waits, m.endedNS = m.waits[1:], p.atNS; len(m.waits) == 0 {
					m.moved = m.asked
				}
			}
			if !m.works() && p.atNS >= m.endedNS+leavesNS {
				p.leave(name)
			}
		}
		p.share()
	}
}

// next returns when a rate next changes.
func (p *pacer) next() int64 {
	next := int64(math.MaxInt64)
	for _, m := range p.members {
		if m.works() {
			next = min(next, m.endNS(p.atNS))
		} else {
			next = min(next, m.endedNS+leavesNS)
		}
		if m.heldNS > p.atNS {
			next = min(next, m.heldNS)
		}
	}
	return max(next, p.atNS+1)
}

func (p *pacer) leave(name string) {
	gone := p.members[name]
	delete(p.members, name)
	if gone.endedNS-gone.beganNS < steadyNS {
		return
	}
	for _, m := range p.members {
		lag := p.profile.Lags.After(m.claim.Op, gone.claim.Op, len(p.members))
		m.held, m.heldNS = m.rate, gone.endedNS+int64(lag)
	}
}

// share divides the hub among its members. Those that rest keep their part if they have been at
// work for long.
func (p *pacer) share() {
	var on []*member
	var claims []hub.Claim
	for _, m := range p.members {
		m.rate = 0
		if p.atNS >= m.heldNS {
			m.held = math.Inf(1)
		}
		if m.works() || m.endedNS-m.beganNS >= steadyNS {
			on, claims = append(on, m), append(claims, m.claim)
		}
	}
	for i, rate := range hub.Share(p.profile.Capacity, claims) {
		if on[i].works() {
			on[i].rate = min(rate, on[i].held)
		}
	}
}

// minWait is the minimum wait of run: timers are no finer, and the model makes up for delays.
const minWait = 200 * time.Microsecond

// run serves requests until the context ends.
func (p *pacer) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.changed:
		case <-timer.C:
		}
		if wait, ok := p.serve(); ok {
			timer.Reset(max(wait, minWait))
		}
	}
}
