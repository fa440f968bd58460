package diskio

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/pkg/trace"
)

// ring is an io_uring: a queue of requests and one of completions in memory shared with the kernel.
// Only what moving files needs is here, on the system calls themselves. The layout is that of
// include/uapi/linux/io_uring.h. A ring belongs to the thread that made it.
type ring struct {
	fd       int
	enterFD  int // what enter is called with: the registered number if there is one
	enterReg uint32

	now      func() int64
	requests []*request // requests in flight, by their numbers
	fresh    []*request // requests not yet handed to the kernel

	files []int32 // registered by place, at an address the kernel can read them from; -1: none
	// How many of the buffers are registered: what is written lies in the first, what is read in
	// the last.
	buffers int

	rings, entries []byte // the shared memory: both queues, and the requests' entries

	sqTail *uint32
	sqMask uint32
	sqes   []sqe
	tail   uint32 // end of the filled part of the request queue
	queued uint32 // filled and not yet submitted

	cqHead, cqTail *uint32
	cqMask         uint32
	cqes           []cqe
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
	sqeAsync     = 1 << 4

	setupClamp        = 1 << 4
	setupCoopTaskrun  = 1 << 8
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	featExtArg = 1 << 8 // enterExtArg, Linux 5.11, which has all else that is used without asking

	mapRings = 0
	mapSQEs  = 0x10000000

	enterGetEvents      = 1 << 0
	enterExtArg         = 1 << 3
	enterRegisteredRing = 1 << 4

	registerBuffers      = 0
	registerFiles        = 2
	unregisterFiles      = 3
	registerFilesUpdate  = 6
	registerMaxIOWorkers = 19
	registerRingFDs      = 20
	unregisterRingFDs    = 21
)

// newRing makes an io_uring in the best way that the kernel takes. Completions are best handled
// when the thread asks for them (DEFER_TASKRUN, Linux 6.1); before that at its next system call
// (COOP_TASKRUN, 5.19); otherwise by interrupting it.
func newRing(w ioWork) (ioEngine, error) {
	r, err := openRing(w, setupSingleIssuer|setupDeferTaskrun, setupCoopTaskrun, 0)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// openRing makes a ring in the first of the ways that the kernel takes. The calling thread is the
// one that must use it.
func openRing(w ioWork, setups ...uint32) (*ring, error) {
	var err error
	for _, flags := range setups {
		p := ringParams{flags: flags | setupClamp}
		fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(w.depth),
			uintptr(unsafe.Pointer(&p)), 0)
		if errno == 0 {
			r := &ring{fd: int(fd), enterFD: int(fd), now: w.timing.now,
				requests: make([]*request, w.depth), fresh: make([]*request, 0, w.depth)}
			if err := r.open(&p, w); err != nil {
				return nil, errors.Join(err, r.close())
			}
			return r, nil
		}
		if err = errno; !errors.Is(err, unix.EINVAL) {
			break
		}
	}
	return nil, fmt.Errorf("set up io_uring: %w", err)
}

// open maps what is shared with the kernel, and hands it what it is to keep.
func (r *ring) open(p *ringParams, w ioWork) (err error) {
	if p.features&featExtArg == 0 {
		return errors.New("set up io_uring: Linux before 5.11")
	}
	size := max(p.sq.array+p.sqEntries*4, p.cq.cqes+p.cqEntries*uint32(unsafe.Sizeof(cqe{})))
	if r.rings, err = mapShared(r.fd, mapRings, int(size)); err != nil {
		return fmt.Errorf("map the rings: %w", err)
	}
	if r.entries, err = mapShared(r.fd, mapSQEs,
		int(p.sqEntries)*int(unsafe.Sizeof(sqe{}))); err != nil {
		return fmt.Errorf("map the requests: %w", err)
	}
	at := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.rings[off])) }
	r.sqTail, r.sqMask = at(p.sq.tail), *at(p.sq.mask)
	r.sqes = unsafe.Slice((*sqe)(unsafe.Pointer(&r.entries[0])), p.sqEntries)
	r.cqHead, r.cqTail, r.cqMask = at(p.cq.head), at(p.cq.tail), *at(p.cq.mask)
	r.cqes = unsafe.Slice((*cqe)(unsafe.Pointer(&r.rings[p.cq.cqes])), p.cqEntries)
	r.tail = *r.sqTail
	// The array says which entry each place of the queue means: always its own.
	array := unsafe.Slice(at(p.sq.array), p.sqEntries)
	for i := range array {
		array[i] = uint32(i)
	}
	r.registerSelf()
	if w.streams > 0 {
		// What has to wait in the kernel does so in threads of it, by default no more than four for
		// each processor (Linux 5.15).
		workers := [2]uint32{uint32(w.depth)}
		_ = r.registerAt(registerMaxIOWorkers, unsafe.Pointer(&workers), len(workers))
	}
	return r.register(w)
}

func mapShared(fd int, off int64, size int) ([]byte, error) {
	return unix.Mmap(fd, off, size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_POPULATE)
}

// ringUpdate is struct io_uring_rsrc_update: what is to be in a place.
type ringUpdate struct {
	offset, _ uint32
	data      uint64
}

// registerSelf saves the kernel the look-up of the ring at each enter (Linux 5.18).
func (r *ring) registerSelf() {
	update := ringUpdate{offset: ^uint32(0), data: uint64(r.fd)}
	if r.registerAt(registerRingFDs, unsafe.Pointer(&update), 1) == nil {
		r.enterFD, r.enterReg = int(update.offset), enterRegisteredRing
	}
}

// registerAt gives the kernel that many things to keep.
func (r *ring) registerAt(what uintptr, arg unsafe.Pointer, count int) error {
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), what, uintptr(arg),
		uintptr(count), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// register has the kernel look up files only once: requests name them by their places in the list.
// It also pins the buffers for good, so that no request has to, unless that exceeds the limit of
// locked memory.
func (r *ring) register(w ioWork) error {
	for range max(w.streams, 1) {
		r.files = append(r.files, -1)
	}
	if err := r.registerAt(registerFiles, unsafe.Pointer(&r.files[0]), len(r.files)); err != nil {
		r.files = nil
		return fmt.Errorf("register files with io_uring: %w", err)
	}
	var iovs []unix.Iovec
	for _, p := range [][]byte{w.buf, w.scratch} {
		if p != nil {
			iovs = append(iovs, unix.Iovec{Base: &p[0]})
			iovs[len(iovs)-1].SetLen(len(p))
		}
	}
	if r.registerAt(registerBuffers, unsafe.Pointer(&iovs[0]), len(iovs)) == nil {
		r.buffers = len(iovs)
	}
	return nil
}

func (r *ring) attach(place int, f testFile) error {
	r.files[place] = -1
	if f != nil {
		r.files[place] = int32(f.fd())
	}
	update := ringUpdate{offset: uint32(place),
		data: uint64(uintptr(unsafe.Pointer(&r.files[place])))}
	return r.registerAt(registerFilesUpdate, unsafe.Pointer(&update), 1)
}

// submitEvery is after how many completions the requests that follow them are submitted, though
// more completions wait. Disks complete many at a time; were all seen to first, the disk would idle
// meanwhile. At 4 KiB and depth 64, submitting all at once lost a tenth of the rate, and each by
// itself cost a third more processor time.
const submitEvery = 3

// move keeps all requests in flight from one thread, and hands the kernel many at a time.
func (r *ring) move(ctx context.Context, t *transfer, slots []slot) error {
	done := ctx.Done()
	inFlight := 0
	for i := range slots {
		if !t.issue(done, &slots[i]) {
			break
		}
		r.add(&slots[i].request)
		if inFlight++; inFlight == 1 {
			// The first leaves at once; the others are made ready while it is under way.
			t.begin()
			if err := r.enter(0); err != nil {
				return err
			}
		}
	}
	for inFlight > 0 {
		if err := r.enter(1); err != nil {
			return err
		}
		for n := r.ready(); n > 0; n = r.ready() {
			seenNS := t.now()
			idle, err := r.reapAll(t, slots, done, n, seenNS)
			if err != nil {
				return err
			}
			inFlight -= idle
			// In here: requests of a fast disk may complete for ever while they are submitted.
			t.progress(seenNS)
		}
	}
	return t.err(ctx)
}

// reapAll takes n completions that were seen at once, and has their slots issue the next requests.
// It returns how many had none.
func (r *ring) reapAll(
	t *transfer, slots []slot, done <-chan struct{}, n uint32, seenNS int64,
) (idle int, err error) {
	for range n {
		if q := r.reap(); q != nil {
			q.endNS = seenNS
			t.ended(q)
			if t.issue(done, &slots[q.number]) {
				r.add(q)
			} else {
				idle++
			}
		}
		if r.queued >= submitEvery {
			if err := r.enter(0); err != nil {
				return idle, err
			}
		}
	}
	return idle, nil
}

// add queues a request. There is always room: no more are in flight than the ring has entries.
func (r *ring) add(q *request) {
	r.requests[q.number] = q
	r.fresh = append(r.fresh, q)
	r.queue(q)
}

// queue queues what is left of a request.
func (r *ring) queue(q *request) {
	e := &r.sqes[r.tail&r.sqMask]
	r.tail++
	r.queued++
	*e = sqe{opcode: opRead, flags: sqeFixedFile, fd: int32(q.place), off: uint64(q.off + q.got),
		addr: uint64(uintptr(unsafe.Pointer(&q.p[q.got]))), len: uint32(int64(len(q.p)) - q.got),
		user: uint64(q.number)}
	switch {
	case r.buffers > 0 && q.op == trace.Write:
		e.opcode = opWriteFixed
	case r.buffers > 0:
		e.opcode, e.buf = opReadFixed, uint16(r.buffers-1)
	case q.op == trace.Write:
		e.opcode = opWrite
	}
	if q.async {
		e.flags |= sqeAsync
	}
}

// reap takes the next completion; there must be one. It returns the request that is over with it,
// and nil if the rest of one was queued again.
func (r *ring) reap() *request {
	head := *r.cqHead
	c := r.cqes[head&r.cqMask]
	atomic.StoreUint32(r.cqHead, head+1)
	q := r.requests[c.user]
	if q.completed(c.res) {
		return q
	}
	r.queue(q)
	return nil
}

// completed notes what the kernel says of a request: the bytes moved, or an error number below
// zero. It reports whether that was all.
func (r *request) completed(res int32) bool {
	switch {
	case res == -int32(unix.EINTR) || res == -int32(unix.EAGAIN):
		return false
	case res < 0:
		r.err = unix.Errno(-res)
	default:
		r.err = r.moved(int(res))
	}
	return r.err != nil || r.got >= r.want
}

// enter hands over what is queued and waits until at least that many requests have completed.
//
// The call does not inform Go's scheduler that it blocks: the thread keeps its place, and the
// scheduler's bookkeeping and watchdog stay out of it, which at one 4 KiB request at a time cost as
// much again as the request. Go still interrupts it by a signal whenever it needs the thread, which
// ends the call with EINTR.
func (r *ring) enter(wait uint32) error {
	r.handOver()
	n, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(r.enterFD), uintptr(r.queued),
		uintptr(wait),
		uintptr(enterGetEvents|r.enterReg), 0, 0)
	if wait > 0 {
		return r.entered("wait for", n, errno)
	}
	return r.entered("submit to", n, errno)
}

// submit hands over what is queued, and does not wait. It informs Go's scheduler of the call, which
// a disk that hangs may block where no signal can interrupt it.
func (r *ring) submit() error {
	r.handOver()
	n, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(r.enterFD), uintptr(r.queued), 0,
		uintptr(enterGetEvents|r.enterReg), 0, 0)
	return r.entered("submit to", n, errno)
}

// wait waits until an instant or until a request has completed, which it looks for first.
func (r *ring) wait(_ context.Context, untilNS int64, _ bool) error {
	ns := untilNS - r.now()
	if ns <= 0 || r.ready() > 0 {
		return nil
	}
	r.handOver()
	rest := unix.NsecToTimespec(ns)
	arg := struct { // struct io_uring_getevents_arg
		mask         uint64
		maskBytes, _ uint32
		rest         *unix.Timespec
	}{rest: &rest}
	n, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(r.enterFD), uintptr(r.queued),
		1,
		uintptr(enterGetEvents|enterExtArg|r.enterReg), uintptr(unsafe.Pointer(&arg)),
		unsafe.Sizeof(arg))
	return r.entered("wait for", n, errno)
}

// handOver makes what is queued visible to the kernel, and notes when.
func (r *ring) handOver() {
	if len(r.fresh) > 0 {
		nowNS := r.now()
		for _, q := range r.fresh {
			q.startNS = nowNS
		}
		r.fresh = r.fresh[:0]
	}
	atomic.StoreUint32(r.sqTail, r.tail)
}

// entered handles the result of an enter.
func (r *ring) entered(what string, n uintptr, errno unix.Errno) error {
	switch errno {
	case 0:
		r.queued -= uint32(n)
		return nil
	case unix.EINTR, unix.ETIME, unix.EAGAIN, unix.EBUSY:
		// Interrupted, timed out, or the kernel is short of something that completions will give
		// back.
		return nil
	}
	return fmt.Errorf("%s io_uring: %w", what, errno)
}

// ended adds the requests that are over to the list.
func (r *ring) ended(list []*request) ([]*request, int64) {
	ready := r.ready()
	nowNS := r.now() // later than what is ready
	for range ready {
		if q := r.reap(); q != nil {
			q.endNS, q.freeNS = nowNS, nowNS
			list = append(list, q)
		}
	}
	return list, nowNS
}

// ready returns how many completions there are to reap.
// Only this thread moves the head.
func (r *ring) ready() uint32 { return atomic.LoadUint32(r.cqTail) - *r.cqHead }

// close releases all at once: if only the descriptor is closed, the kernel keeps files open until
// it gets round to the rest, or until the thread ends if that has a number for the ring, and the
// volume cannot be unmounted meanwhile.
func (r *ring) close() error {
	var err error
	if r.files != nil {
		err = r.registerAt(unregisterFiles, nil, 0)
	}
	if r.enterReg != 0 {
		update := ringUpdate{offset: uint32(r.enterFD)}
		err = errors.Join(err, r.registerAt(unregisterRingFDs, unsafe.Pointer(&update), 1))
	}
	for _, p := range [][]byte{r.rings, r.entries} {
		if p != nil {
			err = errors.Join(err, unix.Munmap(p))
		}
	}
	return errors.Join(err, unix.Close(r.fd))
}
