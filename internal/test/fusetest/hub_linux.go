package fusetest

import (
	"context"
	"fmt"
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

// Scaled is the hub slowed down to a part of its rates, such as 0.2. What takes a given time still takes it: a
// cache and a knee's size shrink with the rates, lags stay as they are. Nothing was observed on it.
func Scaled(p *hub.Profile, part float64) *hub.Profile {
	s := *p
	s.Evidence = hub.Evidence{}
	for _, rate := range []*float64{&s.Link, &s.Lane, &s.Capacity.Read, &s.Capacity.Write, &s.Capacity.Both} {
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
			d.Cache = &hub.Cache{Bytes: int64(float64(c.Bytes) * part), After: c.After * part, Refill: c.Refill * part}
		}
	}
	return &s
}

// plain is the profile without what depends on files.
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

// pacer makes requests wait until the hub model has moved their bytes, in real time.
//
// Reads and writes of a disk are two members of the model, each on it while it is asked for bytes
// (hub.Work.OnDemand says when it has left). When a disk switches from one to the other it has not
// left: the idle one is withdrawn, which slows nothing down. A small request, such as a program's
// note of what it has read, is no switch. A disk that reads and writes at once does each as fast as
// the hub lets it.
type pacer struct {
	now     func() int64 // ns
	profile *hub.Profile

	mu     sync.Mutex
	sim    *hub.Sim
	zeroNS int64                      // the model's
	waits  map[string][]chan struct{} // of the members, in the order of their requests
	since  map[string]int64           // bytes of each since the last request of the disk's other one

	changed chan struct{} // wakes run
}

// newPacer makes a pacer whose model begins now. The clock gives nanoseconds and never goes back.
func newPacer(profile *hub.Profile, now func() int64) *pacer {
	profile = plain(profile)
	return &pacer{
		now: now, profile: profile, sim: hub.NewSim(profile), zeroNS: now(),
		waits: map[string][]chan struct{}{}, since: map[string]int64{}, changed: make(chan struct{}, 1),
	}
}

// ask begins a request of so many bytes on a disk. The channel is closed when they have moved.
func (p *pacer) ask(disk string, op trace.Role, bytes int64) (moved <-chan struct{}, err error) {
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
	// A request is no switch if it moves what it asks for in a negligible time. Join says that a
	// disk is not known.
	if known := p.profile.Disk(disk); known != nil && len(p.waits[other]) == 0 &&
		float64(p.since[mine]) > known.Side(op).Hub*hub.DemandAhead.Seconds() {
		p.sim.Withdraw(other)
	}
	if !p.sim.On(mine) {
		work := hub.Work{Profile: disk, Op: op, OnDemand: true}
		if err := p.sim.Join(mine, work, tNS); err != nil {
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
	default: // run will wake up already
	}
	return done, nil
}

// serve ends the requests whose bytes have moved by now, and returns how long to wait until the
// next call; ok is false if nothing is in flight.
func (p *pacer) serve() (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	tNS := p.advance()
	next, ok := p.sim.Next()
	return time.Duration(next - tNS), ok
}

// advance brings the model to the present.
func (p *pacer) advance() int64 {
	tNS := p.now() - p.zeroNS
	for _, g := range p.sim.Advance(tNS) {
		waiting := p.waits[g.Disk]
		close(waiting[0])
		p.waits[g.Disk] = waiting[1:]
	}
	return tNS
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

// member is the name of a disk's one direction in the model.
func member(disk string, op trace.Role) string { return fmt.Sprintf("%s %s", disk, op) }
