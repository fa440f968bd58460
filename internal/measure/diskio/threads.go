package diskio

import (
	"context"
	"sync"

	"github.com/hubbench/hubbench/pkg/trace"
)

// threads moves bytes with one blocked thread for each request in flight. Lane 0 is the caller itself, so
// the first request leaves without a hand-off; each other lane has a goroutine that waits for work.
type threads struct {
	lanes []lane
	owner sync.WaitGroup // the goroutines, for close
}

// lane is a thread with one request in flight.
type lane struct {
	memories
	number int
	work   chan work
}

// work is a transfer handed to a lane.
type work struct {
	ctx   context.Context
	t     *transfer
	ended *sync.WaitGroup
	rest  []lane // lanes to wake after this one
}

func newThreads(buf, scratch []byte, depth int) *threads {
	m := &threads{lanes: make([]lane, depth)}
	for i, memories := range memoriesOf(buf, scratch, depth) {
		m.lanes[i] = lane{memories: memories, number: i, work: make(chan work, 1)}
	}
	for i := range m.lanes[1:] {
		m.owner.Go(m.lanes[i+1].serve)
	}
	return m
}

func (m *threads) close() error {
	for i := range m.lanes[1:] {
		close(m.lanes[i+1].work)
	}
	m.owner.Wait()
	return nil
}

func (m *threads) attach(testFile) error { return nil }
func (m *threads) detach() error         { return nil }

func (m *threads) move(ctx context.Context, t *transfer) error {
	var ended sync.WaitGroup
	lanes := m.lanes[:min(int64(len(m.lanes)), t.requests)]
	ended.Add(len(lanes) - 1)
	t.begin()
	wake(work{ctx, t, &ended, lanes[1:]})
	lanes[0].run(ctx, t)
	ended.Wait()
	return t.err(ctx)
}

// wake hands the work to the first lane of rest, which wakes the next: the caller's own first request
// waits for one hand-off, not for all.
func wake(w work) {
	if len(w.rest) > 0 {
		next := w.rest[0].work
		w.rest = w.rest[1:]
		next <- w
	}
}

func (l *lane) serve() {
	for w := range l.work {
		wake(w)
		l.run(w.ctx, w.t)
		w.ended.Done()
	}
}

// run moves requests until there is none left. It neither allocates nor locks nor logs.
func (l *lane) run(ctx context.Context, t *transfer) {
	done := ctx.Done()
	for {
		r, ok := t.take(done)
		if !ok {
			return
		}
		var dueNS int64
		if t.pacer != nil {
			if dueNS, ok = t.await(ctx, r.n, l.number == 0); !ok {
				return
			}
		}
		if err := l.request(t, r, dueNS); err != nil {
			t.fail(err)
			return
		}
		t.count(r)
		if l.number == 0 {
			t.progress(t.now())
		}
	}
}

// request does one request, and what goes with it before and after. Its time counts from when it was due, if it had
// one.
func (l *lane) request(t *transfer, r request, dueNS int64) (err error) {
	p := l.take(r.op, r.off, r.n, t.block, &t.stamps)
	startNS := dueNS
	if t.latencies != nil && t.pacer == nil {
		startNS = t.now()
	}
	if r.op == trace.Write {
		err = writeAll(t.file, l.number, p, r.off)
	} else {
		err = readAll(t.file, l.number, p, r.off, t.counted(r.off, r.n))
	}
	if err != nil {
		return err
	}
	if t.latencies != nil {
		t.latencies.record(r.op, startNS, t.now())
	}
	if r.op == trace.Read && t.checking != checkNothing {
		if err := t.verify(p, r.off); err != nil {
			return err
		}
	}
	if t.settle > 0 {
		return t.settleAfter(r)
	}
	return nil
}

// settleAfter keeps the cache small: random requests are settled one by one, sequential ones a stretch at a
// time, as soon as all its requests have ended, or nearly all.
func (t *transfer) settleAfter(r request) error {
	if t.random {
		return t.file.settle(r.off, r.n, r.op)
	}
	start := (r.off/t.settle - 2) * t.settle
	if r.off%t.settle >= t.block || start < 0 {
		return nil
	}
	return t.file.settle(start, t.settle, t.op)
}

func writeAll(f testFile, lane int, p []byte, off int64) error {
	for len(p) > 0 {
		n, err := f.writeAt(lane, p, off)
		if err != nil {
			return err
		}
		if n == 0 {
			return errNothingWritten
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// readAll reads at least want bytes into p, which may reach beyond the end of the file.
func readAll(f testFile, lane int, p []byte, off, want int64) error {
	var got int64
	for got < want {
		n, err := f.readAt(lane, p[got:], off+got)
		if err != nil {
			return err
		}
		got += int64(n)
		if n == 0 || got < want && n%smallUnit != 0 {
			return errTruncated(off + got)
		}
	}
	return nil
}
