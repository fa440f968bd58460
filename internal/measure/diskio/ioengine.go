package diskio

import (
	"context"
	"errors"
	"fmt"

	"github.com/hubbench/hubbench/pkg/trace"
)

// ioEngine has the system do requests: an io_uring does, or threads that wait for one each. What an
// application does is one of these threads with larger calls. A job has one engine, used from one
// goroutine. It keeps a transfer's requests in flight by itself (move), or takes them from a user
// who knows when each may begin (add and what follows it).
type ioEngine interface {
	// attach puts an open file in a place, for requests that name the place, and nil takes it out
	// again. Both lie outside the timing.
	attach(place int, f testFile) error
	// move has each slot do one request of t after the other, and returns when none is in flight
	// any more. The file of t is in place 0.
	move(ctx context.Context, t *transfer, slots []slot) error

	// add queues a request, which begins with the next call of submit at the latest.
	add(r *request)
	// submit begins what is queued. That itself may have to wait for the disk.
	submit() error
	// wait waits until an instant of the clock, or less: if the queue is full until it may have
	// room, or until ctx ends.
	wait(ctx context.Context, untilNS int64, full bool) error
	// ended adds to list the requests that have ended since the last call, and says until when:
	// whatever ends later is reported later.
	ended(list []*request) (_ []*request, nowNS int64)

	// close releases all; no request may be under way.
	close() error
}

// errNoRing marks systems without io_uring. Not errors.ErrUnsupported: that is also what a Linux
// kernel without it answers (ENOSYS: old ones, containers, emulators), where its absence deserves a
// warning.
var errNoRing = errors.New("this system has no io_uring")

// ioWork is what an io_uring is made for.
type ioWork struct {
	buf, scratch []byte // memory kept ready for requests
	depth        int    // requests in flight
	streams      int    // files in flight at once, with requests at times of their own; 0: one file
	timing       timing
}

// slot is a place for one request in flight, with its memory.
type slot struct {
	memory
	request
}

// newSlots divides the buffer, and scratch for what is read if that is not nil, among so many
// requests.
func newSlots(buf, scratch []byte, depth int) []slot {
	if scratch == nil {
		scratch = buf
	}
	slots := make([]slot, depth)
	for i := range slots {
		from, to := i*(len(buf)/depth), (i+1)*(len(buf)/depth)
		slots[i].memory = memory{write: buf[from:to:to], read: scratch[from:to:to],
			noise: int64(from)}
		slots[i].number = i
	}
	return slots
}

// request is to move the bytes p of a file at off.
type request struct {
	op   trace.Role
	p    []byte
	off  int64
	want int64 // bytes that must move: what is read may reach beyond the end of the file
	got  int64 // bytes moved so far
	err  error

	calls          *calls // in which the bytes are moved, if they are more than p
	number         int    // number of its slot
	place          int    // place of its file in the engine
	async          bool   // a thread of the kernel's makes it, whether it has to wait or not
	startNS, endNS int64  // when it was handed to the system, and when it was seen done
	freeNS         int64  // when what belongs to it was done too: its bytes were out of the cache
}

// do makes the request, and again for what the system leaves.
func (r *request) do(f testFile) error {
	for r.got < r.want {
		var n int
		var err error
		switch {
		case r.calls != nil:
			n, err = r.calls.do(f, r)
		case r.op == trace.Write:
			n, err = f.writeAt(r.number, r.p[r.got:], r.off+r.got)
		default:
			n, err = f.readAt(r.number, r.p[r.got:], r.off+r.got)
		}
		if err == nil {
			err = r.moved(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moved counts bytes that a call has moved. If it moved none there is no more to come.
func (r *request) moved(n int) error {
	r.got += int64(n)
	switch {
	case r.op == trace.Read && (n == 0 || r.got < r.want && n%smallUnit != 0):
		return fmt.Errorf("the file ends at byte %d: it was truncated during the run", r.off+r.got)
	case n == 0:
		return errNothingWritten
	}
	return nil
}

var errNothingWritten = errors.New("the system wrote nothing and reported no error")
