package diskio

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/hubbench/hubbench/pkg/trace"
)

// threads moves bytes with one blocked thread for each request in flight. The first slot is the
// caller's, so that the first request leaves without a hand-off; each other one has a goroutine
// that waits for work.
type threads struct {
	slots []slot
	work  chan func(*slot)
	owner sync.WaitGroup // the goroutines, for close
}

func newThreads(buf, scratch []byte, depth int) *threads {
	m := &threads{slots: newSlots(buf, scratch, depth), work: make(chan func(*slot), 1)}
	for i := range m.slots[1:] {
		m.owner.Go(func() {
			for do := range m.work {
				do(&m.slots[i+1])
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

func (m *threads) attach(testFile) error { return nil }
func (m *threads) detach() error         { return nil }

// move has each thread wake the next: the caller's own first request waits for one hand-off, not
// for all.
func (m *threads) move(ctx context.Context, t *transfer) error {
	var asleep atomic.Int64
	var ended sync.WaitGroup
	asleep.Store(min(int64(len(m.slots)), t.requests))
	ended.Add(int(asleep.Load()))
	var run func(*slot)
	run = func(s *slot) {
		if asleep.Add(-1) > 0 {
			m.work <- run
		}
		t.run(ctx, s)
		ended.Done()
	}
	t.begin()
	run(&m.slots[0])
	ended.Wait()
	return t.err(ctx)
}

// run moves requests until there is none left. It neither allocates nor locks nor logs. A request's
// time counts from when it was due, if it had one.
func (t *transfer) run(ctx context.Context, s *slot) {
	for done := ctx.Done(); t.issue(done, s); {
		if t.pacer != nil {
			var ok bool
			if s.startNS, ok = t.await(ctx, s.want, s.number == 0); !ok {
				return
			}
		} else if t.latencies != nil {
			s.startNS = t.now()
		}
		if s.err = s.do(t.file); s.err == nil && t.latencies != nil {
			s.endNS = t.now()
		}
		if !t.ended(&s.request) {
			return
		}
		if t.settle > 0 {
			if err := t.settleAfter(&s.request); err != nil {
				t.fail(err)
				return
			}
		}
		if s.number == 0 {
			t.progress(t.now())
		}
	}
}

// settleAfter keeps the cache small: random requests are settled one by one, sequential ones a
// stretch at a time, as soon as all its requests have ended, or nearly all.
func (t *transfer) settleAfter(r *request) error {
	if t.shuffled.n > 0 {
		return t.file.settle(r.off, int64(len(r.p)), r.op)
	}
	start := (r.off/t.settle - 2) * t.settle
	if r.off%t.settle >= t.block || start < 0 {
		return nil
	}
	return t.file.settle(start, t.settle, t.op)
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
	file           int    // its place among the files of a queue
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
		return errTruncated(r.off + r.got)
	case n == 0:
		return errNothingWritten
	}
	return nil
}
