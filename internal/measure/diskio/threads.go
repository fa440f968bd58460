package diskio

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// threads has goroutines wait for one request each.
type threads struct {
	files  []testFile // by their places
	timing timing
	// What is added is taken out of the cache again, or it would be there the next time around.
	settles bool
	work    chan func()
	woken   chan struct{} // an added request has ended since it was last looked at
	owner   sync.WaitGroup

	mu   sync.Mutex
	over []*request // added ones in the order of their ends
}

func newThreads(w ioWork, settles bool) *threads {
	m := &threads{files: make([]testFile, max(w.streams, 1)), timing: w.timing, settles: settles,
		work: make(chan func(), w.depth), woken: make(chan struct{}, 1)}
	for range w.depth {
		m.owner.Go(func() {
			for do := range m.work {
				do()
			}
		})
	}
	return m
}

func (m *threads) close() error {
	close(m.work)
	m.owner.Wait()
	return nil
}

func (m *threads) attach(place int, f testFile) error {
	m.files[place] = f
	return nil
}

// move has each thread wake the next. The caller is the first of them, so that the first request
// leaves without a hand-off.
func (m *threads) move(ctx context.Context, t *transfer, slots []slot) error {
	lanes := min(int64(len(slots)), t.requests)
	var begun atomic.Int64
	var ended sync.WaitGroup
	ended.Add(int(lanes))
	var run func()
	run = func() {
		lane := begun.Add(1)
		if lane < lanes {
			m.work <- run
		}
		t.run(ctx, &slots[lane-1])
		ended.Done()
	}
	t.begin()
	run()
	ended.Wait()
	return t.err(ctx)
}

func (m *threads) add(r *request) { m.work <- func() { m.do(r) } }
func (m *threads) submit() error  { return nil }

// do makes a request that was added.
func (m *threads) do(r *request) {
	f := m.files[r.place]
	r.startNS = m.timing.now()
	r.err = r.do(f)
	r.endNS = m.timing.now()
	if r.err == nil && m.settles {
		r.err = f.settle(r.off, int64(len(r.p)), r.op)
	}
	m.mu.Lock()
	r.freeNS = m.timing.now()
	m.over = append(m.over, r)
	m.mu.Unlock()
	select {
	case m.woken <- struct{}{}:
	default:
	}
}

func (m *threads) wait(ctx context.Context, untilNS int64, full bool) error {
	if !full {
		m.timing.sleepUntil(untilNS)
		return nil
	}
	timer := time.NewTimer(time.Duration(untilNS - m.timing.now()))
	defer timer.Stop()
	select {
	case <-m.woken:
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

func (m *threads) ended(list []*request) ([]*request, int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list = append(list, m.over...)
	m.over = m.over[:0]
	return list, m.timing.now()
}
