package diskio

import (
	"context"
	"sync"
	"time"
)

// queue makes the requests of streams, several at once: threads that wait for one each
// (threadQueue), or an io_uring (see ring_linux.go). All calls come from one goroutine.
type queue interface {
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

// ringWork is what an io_uring is made for.
type ringWork struct {
	buf, scratch []byte     // memory kept ready for requests
	depth        int        // requests in flight
	files        []testFile // by their places; nil: one comes later
	streams      bool       // requests begin at times of their own
	timing       timing
}

// threadQueue has goroutines wait for one request each.
type threadQueue struct {
	files  []testFile
	timing timing
	// What is moved is taken out of the cache again, or it would be there the next time around.
	settles bool
	work    chan *request
	woken   chan struct{} // a request has ended since it was last looked at
	owner   sync.WaitGroup

	mu   sync.Mutex
	over []*request // in the order of their ends
}

func newThreadQueue(depth int, files []testFile, settles bool, timing timing) *threadQueue {
	q := &threadQueue{files: files, timing: timing, settles: settles,
		work:  make(chan *request, depth),
		woken: make(chan struct{}, 1)}
	for range depth {
		q.owner.Go(q.serve)
	}
	return q
}

func (q *threadQueue) add(r *request) { q.work <- r }
func (q *threadQueue) submit() error  { return nil }

func (q *threadQueue) serve() {
	for r := range q.work {
		f := q.files[r.file]
		r.startNS = q.timing.now()
		r.err = r.do(f)
		r.endNS = q.timing.now()
		if r.err == nil && q.settles {
			r.err = f.settle(r.off, int64(len(r.p)), r.op)
		}
		q.mu.Lock()
		r.freeNS = q.timing.now()
		q.over = append(q.over, r)
		q.mu.Unlock()
		select {
		case q.woken <- struct{}{}:
		default:
		}
	}
}

func (q *threadQueue) wait(ctx context.Context, untilNS int64, full bool) error {
	if !full {
		q.timing.sleepUntil(untilNS)
		return nil
	}
	timer := time.NewTimer(time.Duration(untilNS - q.timing.now()))
	defer timer.Stop()
	select {
	case <-q.woken:
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

func (q *threadQueue) ended(list []*request) ([]*request, int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list = append(list, q.over...)
	q.over = q.over[:0]
	return list, q.timing.now()
}

func (q *threadQueue) close() error {
	close(q.work)
	q.owner.Wait()
	return nil
}
