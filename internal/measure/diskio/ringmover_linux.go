package diskio

import "context"

// submitEvery is after how many completions the requests that follow them are submitted, though
// more completions wait. Disks complete many at a time; were all seen to first, the disk would idle
// meanwhile. At 4 KiB and depth 64, submitting all at once lost a tenth of the rate, and each by
// itself cost a third more processor time.
const submitEvery = 3

// ringMover moves bytes through an io_uring: one thread keeps all requests in flight, and hands the
// kernel many at a time. All its methods must be called from the thread that made it.
type ringMover struct {
	*ring
	slots []slot
}

// newRingQueue makes a queue in the best way that the kernel takes.
func newRingQueue(w ringWork) (queue, error) {
	r, err := openRing(w, ringSetups())
	if err != nil {
		return nil, err
	}
	return r, nil
}

// newRingMover makes a mover in the best way that the kernel takes.
func newRingMover(w ringWork) (mover, error) {
	r, err := openRing(w, ringSetups())
	if err != nil {
		return nil, err
	}
	return &ringMover{r, newSlots(w.buf, w.scratch, w.depth)}, nil
}

func (m *ringMover) attach(f testFile) error { return m.setFile(int32(f.fd())) }
func (m *ringMover) detach() error           { return m.setFile(-1) }

func (m *ringMover) move(ctx context.Context, t *transfer) error {
	done := ctx.Done()
	inFlight := 0
	for i := range m.slots {
		if !m.issue(t, done, i) {
			break
		}
		if inFlight++; inFlight == 1 {
			// The first leaves at once; the others are made ready while it is under way.
			t.begin()
			if err := m.enter(0); err != nil {
				return err
			}
		}
	}
	for inFlight > 0 {
		if err := m.enter(1); err != nil {
			return err
		}
		for n := m.ready(); n > 0; n = m.ready() {
			seenNS := t.now()
			ended, err := m.reapAll(t, done, n, seenNS)
			if err != nil {
				return err
			}
			inFlight -= ended
			// In here: requests of a fast disk may complete for ever while they are submitted.
			t.progress(seenNS)
		}
	}
	return t.err(ctx)
}

// reapAll takes n completions that were seen at once, and has their slots issue the next requests.
// It returns how many had none.
func (m *ringMover) reapAll(t *transfer, done <-chan struct{}, n uint32, seenNS int64) (ended int,
	err error) {
	for range n {
		if r := m.reap(); r != nil {
			r.endNS = seenNS
			t.ended(r)
			if !m.issue(t, done, r.number) {
				ended++
			}
		}
		if m.queued >= submitEvery {
			if err := m.enter(0); err != nil {
				return ended, err
			}
		}
	}
	return ended, nil
}

// issue queues the slot's next request, if there is one.
func (m *ringMover) issue(t *transfer, done <-chan struct{}, i int) bool {
	s := &m.slots[i]
	if !t.issue(done, s) {
		return false
	}
	m.add(&s.request)
	return true
}
