package diskio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"
)

// streamRing moves pieces of frames through an io_uring, on the thread of its caller: which sleeps until a piece is
// done or the next frame's time has come, and wakes no one else.
type streamRing struct {
	pieceWork
	queue    ringQueue
	slots    []pieceSlot
	free     []int   // slots without a piece
	waiting  []piece // for one, in their order
	begun    []int   // slots whose pieces are not handed to the kernel yet
	detached bool    // requests are left to threads of the kernel's
}

// pieceSlot is a piece under way.
type pieceSlot struct {
	memories
	piece   piece
	request ringRequest
}

// ringQueue is what a streamRing needs of a ring; tests have their own.
type ringQueue interface {
	add(q *ringRequest)
	submit() error
	sleep(wait uint32, ns int64) error
	ready() uint32
	reap() cqe
	close() error
}

// newStreamRing makes a mover in the best way that the kernel takes. The calling thread is the one that must use it.
func newStreamRing(w pieceWork) (pieceMover, error) {
	r, err := newRing(w.depth, ringSetups())
	if err != nil {
		return nil, err
	}
	if err := registerStreams(r, &w); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return makeStreamRing(w, r), nil
}

func makeStreamRing(w pieceWork, queue ringQueue) *streamRing {
	m := &streamRing{pieceWork: w, queue: queue, slots: make([]pieceSlot, w.depth)}
	for i, memories := range memoriesOf(w.buf, w.scratch, w.depth) {
		m.slots[i].memories = memories
		m.free = append(m.free, i)
	}
	return m
}

// registerStreams hands the kernel the streams' files and buffers to keep.
func registerStreams(r *ring, w *pieceWork) error {
	if r.features&featExtArg == 0 {
		return errors.New("set up io_uring: Linux before 5.11")
	}
	fds := make([]int32, len(w.files))
	for i := range w.files {
		fds[w.files[i].number] = int32(w.files[i].file.fd())
	}
	// What has to wait in the kernel does so in threads of it, by default no more than four for each processor
	// (Linux 5.15).
	workers := [2]uint32{uint32(w.depth)}
	_ = r.hand(registerMaxIOWorkers, unsafe.Pointer(&workers), len(workers))
	return r.register(fds, w.buf, w.scratch)
}

func (m *streamRing) hand(p piece) {
	if len(m.free) == 0 {
		m.waiting = append(m.waiting, p)
		return
	}
	i := m.free[len(m.free)-1]
	m.free = m.free[:len(m.free)-1]
	s := &m.slots[i]
	s.piece = p
	s.request = ringRequest{
		op: p.op, p: s.take(p.op, p.off, p.n, m.block, &p.stamps), off: p.off, file: p.number, async: m.detached, user: i,
	}
	m.queue.add(&s.request)
	m.begun = append(m.begun, i)
}

// slowNS is how long the kernel may take to begin requests. When a disk's own queue is full, it waits for the disk, and
// with it the frames whose time comes meanwhile: then threads of the kernel's wait instead.
const slowNS = int64(time.Millisecond)

func (m *streamRing) begin() (freeNS int64, err error) {
	if len(m.begun) == 0 {
		return 0, nil
	}
	nowNS := m.nowNS()
	for _, i := range m.begun {
		m.slots[i].piece.startNS = nowNS
	}
	m.begun = m.begun[:0]
	if err := m.queue.submit(); err != nil {
		return 0, fmt.Errorf("submit to io_uring: %w", err)
	}
	if m.detached {
		return 0, nil
	}
	if after := m.nowNS(); after-nowNS > slowNS {
		m.detached = true
		return after, nil
	}
	return 0, nil
}

func (m *streamRing) wait(_ context.Context, untilNS int64, _ bool) error {
	if ns := untilNS - m.timing.now(); ns > 0 && m.queue.ready() == 0 {
		return m.sleep(ns)
	}
	return nil
}

func (m *streamRing) sleep(ns int64) error {
	if err := m.queue.sleep(1, ns); err != nil {
		return fmt.Errorf("wait for io_uring: %w", err)
	}
	return nil
}

func (m *streamRing) reports(list []piece) (_ []piece, nowNS int64) {
	ready := m.queue.ready()
	nowNS = m.nowNS() // later than what is ready
	for range ready {
		c := m.queue.reap()
		s := &m.slots[c.user]
		p := &s.piece
		all, err := s.request.completed(p.n, c.res)
		if all {
			err = m.done(p, s.request.p, nowNS)
		} else if err == nil {
			m.queue.add(&s.request)
			continue
		}
		p.endNS, p.err = nowNS, err
		list = append(list, *p)
		m.free = append(m.free, int(c.user))
		if len(m.waiting) > 0 {
			m.hand(m.waiting[0])
			m.waiting = slices.Delete(m.waiting, 0, 1)
		}
	}
	return list, nowNS
}

func (m *streamRing) close() error {
	m.waiting = nil
	var list []piece
	for len(m.free) < len(m.slots) {
		if err := m.sleep(time.Second.Nanoseconds()); err != nil {
			return errors.Join(err, m.queue.close())
		}
		list, _ = m.reports(list[:0])
	}
	return m.queue.close()
}
