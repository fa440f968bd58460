// Package mount simulates a hub for any program: folders that hold real files, whose reads and writes take as long as
// they would on the disks of a profile, contention and recovery included.
//
// It is for trying programs, and for testing hubbench itself against a known truth; it measures nothing. Its files
// are only as fast as the folder behind them, so a profile may have to be slowed down (hub.Profile.Scaled). What
// depends on a file's size in a profile (knee, per_file) and its noise are left out.
//
// Start at Mount, which needs FUSE: that of Linux, or macFUSE. Pacer makes requests wait for the model, Fault is an
// injected fault.
package mount

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Options say what is mounted where.
type Options struct {
	Profile *hub.Profile
	Dir     string // gets a folder for each disk; created if it is not there
	Backing string // holds the files; empty: a temporary folder beside Dir, removed at the end
	Faults  []Fault
}

// Check finds folders that lie in one another: a disk whose files are on a disk of the same hub would request its own
// files forever. A folder that cannot be looked at is left to Mount.
func (o *Options) Check() error {
	dir, ok := place(o.Dir)
	if !ok || o.Backing == "" {
		return nil
	}
	behind := map[string]string{} // the disks, by the place of their files
	for _, name := range append([]string{"."}, o.Profile.Names()...) {
		at, ok := place(filepath.Join(o.Backing, name))
		switch {
		case !ok:
			continue
		case nested(at, dir):
			return fmt.Errorf("--backing %s: %s and DIR, %s, lie in one another, so the hub would keep its files in itself; "+
				"choose separate folders", o.Backing, at, dir)
		case name == ".":
			continue
		}
		for other, disk := range behind {
			if nested(at, other) {
				return fmt.Errorf("--backing %s: the files of %s and %s would lie in one another, in %s and %s; "+
					"remove the symbolic link", o.Backing, disk, name, other, at)
			}
		}
		behind[at] = name
	}
	return nil
}

// place is a path without symbolic links, of which the end need not exist yet; ok is false if it cannot be followed.
func place(path string) (at string, ok bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	for end := ""; ; {
		real, err := filepath.EvalSymlinks(path)
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
			return filepath.Join(real, end), err == nil
		}
		if to, err := os.Readlink(path); err != nil {
			path, end = filepath.Dir(path), filepath.Join(filepath.Base(path), end)
		} else if filepath.IsAbs(to) { // a link to what is not there yet
			path = to
		} else {
			path = filepath.Join(filepath.Dir(path), to)
		}
	}
}

// nested reports whether one of two places is a folder that the other lies in, or both are the same.
func nested(a, b string) bool {
	in, err := filepath.Rel(a, b)
	out, errOut := filepath.Rel(b, a)
	return err == nil && filepath.IsLocal(in) || errOut == nil && filepath.IsLocal(out)
}

// slowest is the lowest rate to which a disk may be slowed down, in bytes per second: below, its requests, four of 8
// MiB beside others, look like those of a disk that hangs.
const slowest = 20e6

// Slowed is the profile at a fraction of its rates.
func Slowed(p *hub.Profile, part float64) (*hub.Profile, error) {
	lowest, name := 1.0, ""
	for i := range p.Disks {
		for _, op := range []trace.Role{trace.Read, trace.Write} {
			if need := slowest / p.Disks[i].Side(op).Hub; name == "" || need > lowest {
				lowest, name = need, p.Disks[i].Name
			}
		}
	}
	switch lowest = min(lowest, 1); {
	case !(part > 0 && part <= 1):
		return nil, errors.New("must be above 0 and up to 1")
	case part < lowest:
		return nil, fmt.Errorf("disk %s would move less than %s, and its requests look like those of a disk that hangs; "+
			"try %.2g or more", name, unit.FormatRate(slowest), math.Ceil(lowest*1000)/1000)
	}
	return p.Scaled(part), nil
}

// ErrNoFUSE says that this build cannot mount.
var ErrNoFUSE = errors.New("mount needs FUSE, and this hubbench was built for a system without it: use Linux or macOS")

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

// Kind is a kind of fault.
type Kind string

// The kinds. All but Stall go on from when they begin.
//
// After a short read of a request of io_uring Linux reads on by itself, and from FUSE (seen in 6.18) it does so from
// where the request began, not from where the read ended: the program gets wrong data, and a full count. Requests of
// other kinds get the number of bytes read.
const (
	EIO      Kind = "eio"      // reads and writes fail with an I/O error
	ENOSPC   Kind = "enospc"   // the disk is full: writes and allocations fail
	Stall    Kind = "stall"    // reads, writes and flushes stop responding for a time, once
	Vanish   Kind = "vanish"   // the disk is gone: everything fails with ENODEV
	Short    Kind = "short"    // reads return half of what was asked for, in whole sectors of 4 KiB
	Corrupt  Kind = "corrupt"  // each read returns a wrong bit, silently
	SlowSync Kind = "slowsync" // each flush takes longer by a given time
)

var kinds = [...]string{
	string(EIO), string(ENOSPC), string(Stall), string(Vanish), string(Short), string(Corrupt), string(SlowSync),
}

// Kinds are the names of all of them.
func Kinds() []string { return slices.Clone(kinds[:]) }

// Fault is a fault of a disk, from the start or from AtBytes or After on.
type Fault struct {
	Disk    string
	Kind    Kind
	For     time.Duration // of Stall and SlowSync
	AtBytes int64         // it begins with the request that goes beyond so many bytes, read and written since the mount
	After   time.Duration // it begins so long after the mount
}

// ParseFault reads DISK:KIND[=TIME][@BYTES|@TIME], such as A:eio@2GB or B:stall=3s@10s.
func ParseFault(text string, disks []string) (Fault, error) {
	fail := func(format string, args ...any) (Fault, error) {
		return Fault{}, fmt.Errorf("fault %q: %w", text, fmt.Errorf(format, args...))
	}
	disk, rest, ok := strings.Cut(text, ":")
	if !ok {
		return fail("write it as DISK:KIND, such as A:eio@2GB")
	}
	if !slices.Contains(disks, disk) {
		return fail("the profile has no disk %q; it has %s", disk, strings.Join(disks, ", "))
	}
	what, at, begins := strings.Cut(rest, "@")
	name, length, timed := strings.Cut(what, "=")
	if !slices.Contains(kinds[:], name) {
		return fail("no fault is called %q; there are %s", name, strings.Join(kinds[:], ", "))
	}
	f := Fault{Disk: disk, Kind: Kind(name)}
	takesTime := f.Kind == Stall || f.Kind == SlowSync
	var err error
	switch {
	case takesTime && !timed:
		return fail("it needs a time, such as %s=500ms", name)
	case !takesTime && timed:
		return fail("%s takes no time", name)
	case timed:
		if f.For, err = positive(length); err != nil {
			return fail("%w", err)
		}
	}
	if !begins {
		return f, nil
	}
	if f.After, err = positive(at); err == nil {
		return f, nil
	}
	if f.AtBytes, err = unit.ParseBytes(at); err != nil || f.AtBytes <= 0 {
		return fail("%q after @ is neither a size above zero, such as 2GB, nor a time, such as 30s", at)
	}
	return f, nil
}

func positive(text string) (time.Duration, error) {
	d, err := unit.ParseDuration(text)
	if err == nil && d <= 0 {
		err = errors.New("a time must be above zero")
	}
	return d, err
}

// faults are those of one disk, and the state that they begin by.
type faults struct {
	list   []Fault
	now    func() int64 // ns
	zeroNS int64        // the mount's

	moved     atomic.Int64 // bytes of all requests
	mu        sync.Mutex
	stalledNS map[int]int64 // until when, by the number of the fault that has begun
}

func newFaults(disk string, all []Fault, now func() int64) *faults {
	f := &faults{now: now, zeroNS: now(), stalledNS: map[int]int64{}}
	for _, fault := range all {
		if fault.Disk == disk {
			f.list = append(f.list, fault)
		}
	}
	return f
}

// has reports whether a fault of the kind has begun, and its time.
func (f *faults) has(kind Kind) (length time.Duration, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.list {
		if f.list[i].Kind == kind && f.begun(&f.list[i]) {
			return f.list[i].For, true
		}
	}
	return 0, false
}

// stalls is the remaining time of the disk's stalls.
func (f *faults) stalls() (left time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.list {
		fault := &f.list[i]
		if fault.Kind != Stall || !f.begun(fault) {
			continue
		}
		if _, ok := f.stalledNS[i]; !ok {
			f.stalledNS[i] = f.now() + int64(fault.For)
		}
		left = max(left, time.Duration(f.stalledNS[i]-f.now()))
	}
	return left
}

func (f *faults) begun(fault *Fault) bool {
	switch {
	case fault.After > 0:
		return f.now()-f.zeroNS >= int64(fault.After)
	case fault.AtBytes > 0:
		return f.moved.Load() > fault.AtBytes
	}
	return true
}
