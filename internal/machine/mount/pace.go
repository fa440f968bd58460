package mount

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Pacer makes requests wait until the hub model has moved their bytes, in real time.
//
// Reads and writes of a disk are two members of the model, each on it while it is asked for bytes (hub.Work.OnDemand
// says when it has left). When a disk switches from one to the other it has not left: the idle one is withdrawn,
// which slows nothing down. A small request, such as a program's note of what it has read, is no switch. A disk that
// reads and writes at once does each as fast as the hub lets it.
type Pacer struct {
	now     func() int64 // ns
	profile *hub.Profile

	mu     sync.Mutex
	sim    *hub.Sim
	zeroNS int64                      // the model's
	waits  map[string][]chan struct{} // of the members, in the order of their requests
	since  map[string]int64           // bytes requested of each since the last request of the disk's other one

	changed chan struct{} // wakes Run
}

// NewPacer makes a pacer whose model begins now. The clock gives nanoseconds and never goes back.
func NewPacer(profile *hub.Profile, now func() int64) *Pacer {
	profile = plain(profile)
	return &Pacer{
		now: now, profile: profile, sim: hub.NewSim(profile), zeroNS: now(), waits: map[string][]chan struct{}{},
		since: map[string]int64{}, changed: make(chan struct{}, 1),
	}
}

// Ask begins a request of so many bytes on a disk. The channel is closed when they have moved.
func (p *Pacer) Ask(disk string, op trace.Role, bytes int64) (moved <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	tNS := p.advance()
	opposite := trace.Read
	if op == trace.Read {
		opposite = trace.Write
	}
	mine, other := member(disk, op), member(disk, opposite)
	p.since[mine] += bytes
	p.since[other] = 0
	// A request is no switch if it moves what it asks for in a negligible time. Join says that a disk is not known.
	if known := p.profile.Disk(disk); known != nil && len(p.waits[other]) == 0 &&
		float64(p.since[mine]) > known.Side(op).Hub*hub.DemandAhead.Seconds() {
		p.sim.Withdraw(other)
	}
	if !p.sim.On(mine) {
		if err := p.sim.Join(mine, hub.Work{Profile: disk, Op: op, OnDemand: true}, tNS); err != nil {
			return nil, err
		}
	}
	if err := p.sim.Ask(mine, bytes); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	p.waits[mine] = append(p.waits[mine], done)
	select {
	case p.changed <- struct{}{}:
	default: // Run will wake up already
	}
	return done, nil
}

// Serve ends the requests whose bytes have moved by now, and returns how long to wait until the next call; ok is
// false if nothing is in flight.
func (p *Pacer) Serve() (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	tNS := p.advance()
	next, ok := p.sim.Next()
	return time.Duration(next - tNS), ok
}

// advance brings the model to the present.
func (p *Pacer) advance() int64 {
	tNS := p.now() - p.zeroNS
	for _, g := range p.sim.Advance(tNS) {
		waiting := p.waits[g.Disk]
		close(waiting[0])
		p.waits[g.Disk] = waiting[1:]
	}
	return tNS
}

// minWait is the minimum wait of Run: timers are no finer, and the model makes up for delays.
const minWait = 200 * time.Microsecond

// Run serves requests until the context ends.
func (p *Pacer) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.changed:
		case <-timer.C:
		}
		if wait, ok := p.Serve(); ok {
			timer.Reset(max(wait, minWait))
		}
	}
}

// member is the name of a disk's one direction in the model.
func member(disk string, op trace.Role) string { return fmt.Sprintf("%s %s", disk, op) }
