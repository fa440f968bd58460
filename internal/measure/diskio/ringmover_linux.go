package diskio

import (
	"context"
	"errors"
	"fmt"

	"github.com/hubbench/hubbench/pkg/trace"
)

// submitEvery is after how many completions the requests that follow them are submitted, though more
// completions wait. Disks complete many at a time; were all seen to first, the disk would idle meanwhile.
// At 4 KiB and depth 64, submitting all at once lost a tenth of the rate, and each by itself cost a third
// more processor time.
const submitEvery = 3

// ringMover moves bytes through an io_uring: one thread keeps all requests in flight, and hands the kernel
// many at a time. All its methods must be called from the thread that made it.
type ringMover struct {
	ring   *ring
	slots  []slot
	issued []int // slots whose requests are not handed to the kernel yet
}

// slot is one request in flight.
type slot struct {
	memories
	ringRequest
	handedNS int64 // when the kernel was first handed the request
}

// newRingMover makes a mover in the best way that the kernel takes.
func newRingMover(buf, scratch []byte, depth int) (mover, error) {
	m, err := makeRingMover(buf, scratch, depth, ringSetups())
	if err != nil {
		return nil, err
	}
	return m, nil
}

func makeRingMover(buf, scratch []byte, depth int, setups []uint32) (*ringMover, error) {
	r, err := newRing(depth, setups)
	if err != nil {
		return nil, err
	}
	err = r.register([]int32{-1}, buf, scratch)
	if err == nil && r.buffers == 0 && r.features&featRWCurPos == 0 {
		err = errors.New("set up io_uring: Linux before 5.6 needs more locked memory for it (ulimit -l)")
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	m := &ringMover{ring: r, slots: make([]slot, depth), issued: make([]int, 0, depth)}
	for i, memories := range memoriesOf(buf, scratch, depth) {
		m.slots[i].memories = memories
	}
	return m, nil
}

func (m *ringMover) close() error            { return m.ring.close() }
func (m *ringMover) attach(f testFile) error { return m.ring.setFile(int32(f.fd())) }
func (m *ringMover) detach() error           { return m.ring.setFile(-1) }

func (m *ringMover) move(ctx context.Context, t *transfer) error {
	done := ctx.Done()
	inFlight := 0
	m.issued = m.issued[:0]
	for i := range m.slots {
		if !m.issue(t, done, i) {
			break
		}
		if inFlight++; inFlight == 1 {
			// The first leaves at once; the others are made ready while it is under way.
			t.begin()
			if err := m.enter(t, 0); err != nil {
				return fmt.Errorf("submit to io_uring: %w", err)
			}
		}
	}
	for inFlight > 0 {
		if err := m.enter(t, 1); err != nil {
			return fmt.Errorf("wait for io_uring: %w", err)
		}
		for n := m.ring.ready(); n > 0; n = m.ring.ready() {
			seenNS := t.now()
			ended, err := m.reap(t, done, n, seenNS)
			if err != nil {
				return fmt.Errorf("submit to io_uring: %w", err)
			}
			inFlight -= ended
			t.progress(seenNS) // in here: requests of a fast disk may complete for ever while they are submitted
		}
	}
	return t.err(ctx)
}

// enter is the ring's, and notes when it hands over requests.
func (m *ringMover) enter(t *transfer, wait uint32) error {
	if len(m.issued) > 0 {
		handedNS := t.now()
		for _, i := range m.issued {
			m.slots[i].handedNS = handedNS
		}
		m.issued = m.issued[:0]
	}
	return m.ring.enter(wait)
}

// reap takes n completions that were seen at once, and has their slots issue the next requests. It returns how many had
// none.
func (m *ringMover) reap(t *transfer, done <-chan struct{}, n uint32, seenNS int64) (ended int, err error) {
	for range n {
		c := m.ring.reap()
		if !m.complete(t, int(c.user), c.res, seenNS) && !m.issue(t, done, int(c.user)) {
			ended++
		}
		if m.ring.queued >= submitEvery {
			if err := m.enter(t, 0); err != nil {
				return ended, err
			}
		}
	}
	return ended, nil
}

// issue queues the slot's next request, if there is one.
func (m *ringMover) issue(t *transfer, done <-chan struct{}, i int) bool {
	r, ok := t.take(done)
	if !ok {
		return false
	}
	s := &m.slots[i]
	s.ringRequest = ringRequest{op: r.op, p: s.take(r.op, r.off, r.n, t.block, &t.stamps), off: r.off, user: i}
	if t.latencies != nil {
		m.issued = append(m.issued, i)
	}
	m.ring.add(&s.ringRequest)
	return true
}

// complete handles a completion, and reports whether the request had to be queued again.
func (m *ringMover) complete(t *transfer, i int, res int32, seenNS int64) (again bool) {
	s := &m.slots[i]
	counted := t.counted(s.off, int64(len(s.p)))
	want := counted
	if s.op == trace.Write {
		want = int64(len(s.p))
	}
	all, err := s.completed(want, res)
	switch {
	case all:
		t.latencies.record(s.op, s.handedNS, seenNS)
		if s.op == trace.Read && t.checking != checkNothing {
			err = t.verify(s.p, s.off)
		}
	case err == nil:
		m.ring.add(&s.ringRequest)
		return true
	}
	if err != nil {
		t.fail(err)
	} else {
		t.count(request{op: s.op, off: s.off, n: int64(len(s.p))})
	}
	return false
}
