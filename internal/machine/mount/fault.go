package mount

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

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
