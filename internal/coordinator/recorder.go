package coordinator

import (
	"errors"
	"sync"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

// mostQueued is how many events may wait to be written: minutes of millions of small files. A results folder that takes none
// for so long is broken.
const mostQueued = 1 << 20

// endTimeout is how long a run that was interrupted twice waits for what is not written yet.
const endTimeout = 2 * time.Second

// errNotTaken is the recorder's where the results folder hangs.
var errNotTaken = errors.New("the results folder has taken none of the last events: its disk hangs")

// recorder is a Journal that hands events on to another in a goroutine of its own: a results disk that hangs holds up
// neither the workers' messages nor the person who interrupts the run. An error is returned by the next Append, or by end.
type recorder struct {
	to Journal

	mu     sync.Mutex
	wake   sync.Cond // something was queued, or it ends
	queue  []trace.Event
	ending bool
	err    error
	ended  chan struct{} // closed when all is written, or an error has ended it
}

func newRecorder(to Journal) *recorder {
	r := &recorder{to: to, ended: make(chan struct{})}
	r.wake.L = &r.mu
	go r.write()
	return r
}

// Append queues events.
func (r *recorder) Append(events ...trace.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil && len(r.queue)+len(events) > mostQueued {
		r.err = errNotTaken
	}
	if r.err != nil {
		return r.err
	}
	r.queue = append(r.queue, events...)
	r.wake.Signal()
	return nil
}

// write writes what is queued until the end.
func (r *recorder) write() {
	defer close(r.ended)
	var batch []trace.Event
	for {
		r.mu.Lock()
		for len(r.queue) == 0 && !r.ending {
			r.wake.Wait()
		}
		batch, r.queue = r.queue, batch[:0]
		r.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		if err := r.to.Append(batch...); err != nil {
			r.mu.Lock()
			r.err = err
			r.mu.Unlock()
			return
		}
	}
}

// end waits until all is written, or until patience ends after giveUp, and returns what went wrong.
func (r *recorder) end(giveUp <-chan struct{}, patience time.Duration) error {
	r.mu.Lock()
	r.ending = true
	r.wake.Signal()
	r.mu.Unlock()
	select {
	case <-r.ended:
	case <-giveUp:
		select {
		case <-r.ended:
		case <-time.After(patience):
			return errNotTaken
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
