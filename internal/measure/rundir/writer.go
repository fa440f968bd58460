package rundir

import (
	"errors"
	"io/fs"
	"sync"
)

// errFull is the error of a writer whose queue is full.
var errFull = errors.New("too much is waiting to be written")

// writer writes in a goroutine of its own, in the order in which it is handed what to write: a disk that hangs holds up
// no one else. An error ends it, and is returned by the next put.
type writer struct {
	mu     sync.Mutex
	wake   sync.Cond // something was queued, or it ends
	queue  []writing
	limit  int  // the sum of sizes that may wait
	size   int  // that waits
	busy   bool // there is something that is not written yet
	writes int  // that have returned
	ending bool
	err    error
	ended  chan struct{} // closed when all is written, or an error has ended it
}

type writing struct {
	size int
	do   func() error
}

func newWriter(limit int) *writer {
	w := &writer{limit: limit, ended: make(chan struct{})}
	w.wake.L = &w.mu
	go w.work()
	return w
}

// put queues something to write, unless too much is waiting already.
func (w *writer) put(size int, do func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return w.err
	case w.ending:
		return fs.ErrClosed
	case w.size+size > w.limit:
		return errFull
	}
	w.queue, w.size, w.busy = append(w.queue, writing{size, do}), w.size+size, true
	w.wake.Signal()
	return nil
}

func (w *writer) work() {
	defer close(w.ended)
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.queue) == 0 && !w.ending && w.err == nil {
			w.wake.Wait()
		}
		if len(w.queue) == 0 || w.err != nil {
			w.busy = false
			return
		}
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.mu.Unlock()
		err := next.do()
		w.mu.Lock()
		w.size -= next.size
		w.busy = len(w.queue) > 0
		w.writes++
		if w.err == nil {
			w.err = err
		}
	}
}

// end takes no more. With an error, what is queued is not written.
func (w *writer) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ending = true
	if w.err == nil {
		w.err = err
	}
	w.wake.Signal()
}

// state reports whether something waits to be written, how many writes have returned, and what has ended it early.
func (w *writer) state() (busy bool, writes int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.busy, w.writes, w.err
}
