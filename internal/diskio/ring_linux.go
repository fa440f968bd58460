package diskio

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is an io_uring: a queue of requests and one of completions in memory shared with the kernel. Only
// what moving files needs is here, on the system calls themselves. The layout is that of
// include/uapi/linux/io_uring.h. A ring belongs to the thread that made it.
type ring struct {
	fd       int
	enterFD  int // what enter is called with: the registered number where there is one
	enterReg uint32

	file int32 // the registered file, at an address the kernel can read it from

	rings, entries []byte // the shared memory: both queues, and the requests' entries

	sqTail *uint32
	sqMask uint32
	sqes   []sqe
	tail   uint32 // of the request queue, as far as filled
	queued uint32 // filled and not yet submitted

	cqHead, cqTail *uint32
	cqMask         uint32
	cqes           []cqe

	features uint32
}

// sqe is one request.
type sqe struct {
	opcode uint8
	flags  uint8
	ioprio uint16
	fd     int32
	off    uint64
	addr   uint64
	len    uint32
	rw     uint32
	user   uint64
	buf    uint16
	_      uint16
	_      int32
	_      [2]uint64
}

// cqe is one completion: res is the bytes moved, or an error number below zero.
type cqe struct {
	user  uint64
	res   int32
	flags uint32
}

// ringParams is struct io_uring_params.
type ringParams struct {
	sqEntries, cqEntries, flags, sqThreadCPU, sqThreadIdle, features, wqFD uint32
	_                                                                      [3]uint32
	sq                                                                     struct {
		head, tail, mask, entries, flags, dropped, array, _ uint32
		_                                                   uint64
	}
	cq struct {
		head, tail, mask, entries, overflow, cqes, flags, _ uint32
		_                                                   uint64
	}
}

const (
	opReadFixed  = 4
	opWriteFixed = 5
	opRead       = 22
	opWrite      = 23

	sqeFixedFile = 1 << 0

	setupClamp        = 1 << 4
	setupCoopTaskrun  = 1 << 8
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13
	setupNoSQArray    = 1 << 16

	featSingleMmap = 1 << 0
	featRWCurPos   = 1 << 3 // came with opRead and opWrite, Linux 5.6

	mapRings = 0
	mapSQEs  = 0x10000000

	enterGetEvents      = 1 << 0
	enterRegisteredRing = 1 << 4

	registerBuffers     = 0
	registerFiles       = 2
	registerFilesUpdate = 6
	registerRingFDs     = 20
)

// ringSetups are the ways to make a ring, best first. Completions are best handled when the thread asks
// for them (DEFER_TASKRUN, Linux 6.1); before that at its next system call (COOP_TASKRUN, 5.19); otherwise
// by interrupting it.
func ringSetups() []uint32 {
	return []uint32{
		setupSingleIssuer | setupDeferTaskrun | setupNoSQArray,
		setupSingleIssuer | setupDeferTaskrun,
		setupCoopTaskrun,
		0,
	}
}

// newRing makes a ring for so many requests in flight, in the first way that the kernel takes.
func newRing(depth int, setups []uint32) (*ring, error) {
	var err error
	for _, flags := range setups {
		p := ringParams{flags: flags | setupClamp}
		fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(depth), uintptr(unsafe.Pointer(&p)), 0)
		if errno == 0 {
			return mapRing(int(fd), &p)
		}
		if err = errno; !errors.Is(err, unix.EINVAL) {
			break
		}
	}
	return nil, fmt.Errorf("set up io_uring: %w", err)
}

func mapRing(fd int, p *ringParams) (*ring, error) {
	r := &ring{fd: fd, enterFD: fd, features: p.features}
	if p.features&featSingleMmap == 0 {
		return nil, errors.Join(errors.New("set up io_uring: Linux before 5.4"), r.close())
	}
	size := max(p.sq.array+p.sqEntries*4, p.cq.cqes+p.cqEntries*uint32(unsafe.Sizeof(cqe{})))
	var err error
	if r.rings, err = unix.Mmap(fd, mapRings, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		return nil, errors.Join(fmt.Errorf("map the rings: %w", err), r.close())
	}
	if r.entries, err = unix.Mmap(fd, mapSQEs, int(p.sqEntries)*int(unsafe.Sizeof(sqe{})), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
		return nil, errors.Join(fmt.Errorf("map the requests: %w", err), r.close())
	}
	at := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.rings[off])) }
	r.sqTail, r.sqMask = at(p.sq.tail), *at(p.sq.mask)
	r.sqes = unsafe.Slice((*sqe)(unsafe.Pointer(&r.entries[0])), p.sqEntries)
	r.cqHead, r.cqTail, r.cqMask = at(p.cq.head), at(p.cq.tail), *at(p.cq.mask)
	r.cqes = unsafe.Slice((*cqe)(unsafe.Pointer(&r.rings[p.cq.cqes])), p.cqEntries)
	r.tail = *r.sqTail
	if p.flags&setupNoSQArray == 0 {
		// The array says which entry each place of the queue means: always its own.
		array := unsafe.Slice(at(p.sq.array), p.sqEntries)
		for i := range array {
			array[i] = uint32(i)
		}
	}
	r.registerSelf()
	return r, nil
}

// registerSelf saves the kernel the look-up of the ring at each enter (Linux 5.18).
func (r *ring) registerSelf() {
	update := struct {
		offset, _ uint32
		data      uint64
	}{offset: ^uint32(0), data: uint64(r.fd)}
	if r.register(registerRingFDs, unsafe.Pointer(&update)) == nil {
		r.enterFD, r.enterReg = int(update.offset), enterRegisteredRing
	}
}

// register hands the kernel one thing to keep.
func (r *ring) register(what uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), what, uintptr(arg), 1, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// registerBuffer pins p for good, so that no request has to.
func (r *ring) registerBuffer(p []byte) error {
	iov := unix.Iovec{Base: &p[0]}
	iov.SetLen(len(p))
	return r.register(registerBuffers, unsafe.Pointer(&iov))
}

// reserveFile makes room for one registered file, which setFile then names: fd, or -1 for none.
func (r *ring) reserveFile() error {
	r.file = -1
	return r.register(registerFiles, unsafe.Pointer(&r.file))
}

func (r *ring) setFile(fd int32) error {
	r.file = fd
	update := struct {
		offset, _ uint32
		fds       uint64
	}{fds: uint64(uintptr(unsafe.Pointer(&r.file)))}
	return r.register(registerFilesUpdate, unsafe.Pointer(&update))
}

// next gives the entry of the next request. There is always room: no more are in flight than the ring
// has entries.
func (r *ring) next() *sqe {
	e := &r.sqes[r.tail&r.sqMask]
	r.tail++
	r.queued++
	return e
}

// enter submits what is queued and waits until at least one request has completed.
//
// The call does not tell Go's scheduler that it blocks: the thread keeps its place, and the scheduler's
// bookkeeping and watchdog stay out of it, which at one 4 KiB request at a time cost as much again as the
// request. Go still interrupts it by a signal whenever it needs the thread, which ends the call with EINTR.
func (r *ring) enter(wait uint32) error {
	atomic.StoreUint32(r.sqTail, r.tail)
	n, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(r.enterFD), uintptr(r.queued), uintptr(wait), uintptr(enterGetEvents|r.enterReg), 0, 0)
	switch errno {
	case 0:
		r.queued -= uint32(n)
		return nil
	case unix.EINTR, unix.EAGAIN, unix.EBUSY:
		// Interrupted, or the kernel is short of something that completions will give back.
		return nil
	}
	return errno
}

// ready is how many completions there are to reap.
func (r *ring) ready() uint32 { return atomic.LoadUint32(r.cqTail) - *r.cqHead } // only this thread moves the head

// reap gives the next completion; there must be one.
func (r *ring) reap() cqe {
	head := *r.cqHead
	c := r.cqes[head&r.cqMask]
	atomic.StoreUint32(r.cqHead, head+1)
	return c
}

func (r *ring) close() error {
	var err error
	for _, p := range [][]byte{r.rings, r.entries} {
		if p != nil {
			err = errors.Join(err, unix.Munmap(p))
		}
	}
	return errors.Join(err, unix.Close(r.fd))
}
