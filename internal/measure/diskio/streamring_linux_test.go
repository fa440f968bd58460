package diskio

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// withStreamRings adds a ring whose requests are made by the test's own files, in the test's own time.
func withStreamRings(m map[string]pieceMaker) map[string]pieceMaker {
	m["io_uring"] = fakeRings(func(*fakeQueue) {})
	return m
}

func fakeRings(change func(*fakeQueue)) pieceMaker {
	return func(w pieceWork) (pieceMover, error) {
		q := &fakeQueue{files: w.files, timing: w.timing, woken: make(chan struct{}, 1)}
		change(q)
		return makeStreamRing(w, q), nil
	}
}

// fakeQueue does what an io_uring does.
type fakeQueue struct {
	files  []streamFile
	timing timing
	odd    bool          // requests are interrupted, and move less than they should
	full   time.Duration // how long the disk's own queue makes whoever begins a request wait

	queued   []ringRequest
	begun    int
	inFlight atomic.Int64
	woken    chan struct{}
	mu       sync.Mutex
	done     []cqe
	closed   atomic.Bool
}

func (q *fakeQueue) add(r *ringRequest) {
	rest := *r
	rest.p, rest.off = r.p[r.got:], r.off+r.got
	q.queued = append(q.queued, rest)
}

func (q *fakeQueue) submit() error {
	for _, r := range q.queued {
		q.begun++
		switch {
		case q.odd && q.begun%4 == 1:
			q.complete(r, -int(syscall.EAGAIN))
			continue
		case q.odd && q.begun%4 == 2:
			q.complete(r, -int(syscall.EINTR))
			continue
		case q.odd && q.begun%4 == 3 && len(r.p) > smallUnit:
			r.p = r.p[:len(r.p)/2/smallUnit*smallUnit]
		}
		if !r.async && q.full > 0 {
			<-time.After(q.full)
		}
		q.inFlight.Add(1)
		go q.do(r)
	}
	q.queued = q.queued[:0]
	return nil
}

func (q *fakeQueue) do(r ringRequest) {
	call := q.files[r.file].file.readAt
	if r.op == trace.Write {
		call = q.files[r.file].file.writeAt
	}
	n, err := call(r.user, r.p, r.off)
	if err != nil {
		errno, _ := errors.AsType[syscall.Errno](err)
		n = -int(errno)
	}
	q.inFlight.Add(-1)
	q.complete(r, n)
}

// complete reports the end of a request, which is the last that its goroutine does.
func (q *fakeQueue) complete(r ringRequest, res int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.done = append(q.done, cqe{user: uint64(r.user), res: int32(res)})
	select {
	case q.woken <- struct{}{}:
	default:
	}
}

func (q *fakeQueue) sleep(_ uint32, ns int64) error {
	untilNS := q.timing.now() + ns
	if err := q.submit(); err != nil || q.ready() > 0 {
		return err
	}
	select {
	case <-q.woken:
	case <-time.After(time.Duration(ns)):
		q.timing.sleepUntil(untilNS) // which may oversleep
	}
	return nil
}

func (q *fakeQueue) ready() uint32 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return uint32(len(q.done))
}

func (q *fakeQueue) reap() cqe {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.done[0]
	q.done = q.done[1:]
	return c
}

func (q *fakeQueue) close() error {
	if q.closed.Swap(true) {
		return errors.New("closed twice")
	}
	if q.ready() > 0 || len(q.queued) > 0 || q.inFlight.Load() > 0 {
		return errors.New("closed with requests under way")
	}
	return nil
}

// When the disk's own queue is full, beginning a request takes as long as the disk does. That happens once: from then on
// other threads wait, and neither the frames whose time comes meanwhile nor this computer are late for it.
func TestStreamRingDoesNotWaitForAFullDisk(t *testing.T) {
	const ms = time.Millisecond
	for _, full := range []time.Duration{0, 30 * ms, 300 * ms} {
		t.Run(full.String(), func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				sys := serving(ms)
				sys.pieces = fakeRings(func(q *fakeQueue) { q.full = full })
				s := newStreams(streamsJob(dir, stream.Spec{Rate: 1e6, Frame: 40 * ms, Count: 4, Buffer: 500 * ms}), sys)
				s.timing = virtualTime()
				late, host := runStreams(t, s, 4*time.Second)
				if late > 0 || host > ms {
					t.Errorf("%d late frames, host late by %s", late, host)
				}
			})
		})
	}
}

// Requests that are interrupted or move less than they should are made again until all is moved, to the right place.
func TestStreamRingCompletesRequests(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		kind := stream.Spec{Rate: 1e6, Frame: 40 * time.Millisecond, Count: 2, Buffer: 500 * time.Millisecond}
		job := streamsJob(dir, kind)
		recorded := kind
		recorded.Record = true
		job.Streams = append(job.Streams, recorded)
		job.IO.Verify, job.IO.Footprint = scenario.VerifyStamps, 8<<20
		var queue *fakeQueue
		sys := system{open: openTestFile, ring: noRing, pieces: fakeRings(func(q *fakeQueue) { q.odd, queue = true, q })}
		s := newStreams(job, sys)
		s.timing = virtualTime()
		if _, err := s.Prepare(t.Context(), func(int64) {}); err != nil {
			t.Fatal(err)
		}
		s.Start(s.timing.now(), func(trace.Event) {})
		if _, err := s.Transfer(t.Context(), 0, func(_, _, _ int64) {}); err != nil {
			t.Fatal(err)
		}
		if queue.begun < 100 {
			t.Errorf("%d requests were begun, want some for each of 50 frames", queue.begun)
		}
		for _, f := range s.paths {
			if f.op != trace.Write {
				continue
			}
			_, end := f.frame(kind, 9)
			p := make([]byte, end)
			if err := readAll(f.file, 0, p, 0, end); err != nil {
				t.Fatal(err)
			}
			if m := f.stamps.check(p, 0, checkAll); m != nil {
				t.Error(m)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Streams on the kernel's own rings, in each way that kernels and limits allow: what was played is right, what was recorded
// can be checked, and every request's time is reported.
func TestStreamsOnRings(t *testing.T) {
	rings := map[string]pieceMaker{
		"as it comes": newStreamRing,
		"of old":      ringOf([]uint32{0}, true),
		"no buffers":  ringOf(ringSetups(), false),
	}
	for how, pieces := range rings {
		for _, kinds := range [][]bool{{false}, {true}, {false, true}} {
			t.Run(fmt.Sprint(how, ", record ", kinds), func(t *testing.T) {
				job := streamsJob(t.TempDir(), stream.Spec{})
				job.Streams = nil
				for _, record := range kinds {
					job.Streams = append(job.Streams, stream.Spec{Record: record, Rate: 4e6, Frame: 10 * time.Millisecond, Count: 3, Buffer: time.Second})
				}
				job.Sizes = []int64{int64(stream.TotalRate(job.Streams) / 10)}
				job.IO.Verify, job.IO.Footprint, job.IO.Block = scenario.VerifyStamps, 64<<20, 16<<10
				checkStreams(t, newStreams(job, system{open: openTestFile, ring: noRing, pieces: pieces}))
			})
		}
	}
}

// ringOf makes a ring in given ways.
func ringOf(setups []uint32, buffers bool) pieceMaker {
	return func(w pieceWork) (pieceMover, error) {
		r, err := newRing(w.depth, setups)
		if err != nil {
			return nil, err
		}
		err = registerStreams(r, &w)
		if !buffers {
			r.buffers = 0
		}
		return makeStreamRing(w, r), err
	}
}

// checkStreams moves some files of a streams job and checks the result of it.
func checkStreams(t *testing.T, s *streams) {
	t.Helper()
	runtime.LockOSThread()
	eff, err := s.Prepare(t.Context(), func(int64) {})
	if err != nil {
		t.Fatal(errors.Join(err, s.Close()))
	}
	if eff.Cache != "direct" {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		t.Skip("no direct requests on this file system")
	}
	if eff.Engine != "io_uring" {
		t.Errorf("Prepare() = %+v, want io_uring", eff)
	}
	var heard emitted
	s.Start(s.timing.now(), func(e trace.Event) {
		if e.Type == trace.LatencyType {
			heard.emit(e)
		}
	})
	for seq := range 5 {
		if _, err := s.Transfer(t.Context(), seq, func(_, _, _ int64) {}); err != nil {
			t.Fatal(errors.Join(err, s.Close()))
		}
	}
	moved := map[trace.Role]int64{}
	for i, p := range s.players {
		from, to := s.paths[i].frame(p.Spec, 0)
		moved[s.paths[i].op] += (to - from + s.job.IO.Block - 1) / s.job.IO.Block
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for op, pieces := range moved {
		// In half a second 50 frames of each, or more if the machine was late to begin.
		if n := heard.sum(t, op).N(); n < 45*pieces || n > 65*pieces {
			t.Errorf("%s: the times of %d requests are counted, want some %d", op, n, 50*pieces)
		}
	}
}
