package diskio

import (
	"sync"
	"sync/atomic"

	"github.com/hubbench/hubbench/pkg/trace"
)

// streamLanes move pieces of frames, each lane one at a time.
type streamLanes struct {
	work   chan piece
	woken  chan struct{} // a piece has been done since it was last looked at
	check  checking
	block  int64
	direct bool
	owner  sync.WaitGroup
	quit   atomic.Bool // what waits is not moved any more
	lanes  []streamLane

	latencies *latencies
	timing    timing
	release   int64 // from which all times count
	mu        sync.Mutex
	ended     []piece // in the order of their ends
}

// streamLane is one of them. What is played does not go where recordings are written from.
type streamLane struct {
	number       int
	record, play memory
	*streamLanes
}

// newLanes starts as many as requests may be in flight, each with its part of buf. One frame's pieces may wait
// beyond that.
func (s *streams) newLanes() *streamLanes {
	depth := s.job.IO.Depth
	l := &streamLanes{
		work: make(chan piece, depth+s.mostPieces()), woken: make(chan struct{}, 1),
		block: s.job.IO.Block, direct: s.traits.direct, timing: s.timing, latencies: s.latencies, lanes: make([]streamLane, depth),
	}
	if s.verifies() {
		l.check = checkStamps
	}
	for i := range l.lanes {
		lane := &l.lanes[i]
		*lane = streamLane{number: i, streamLanes: l, record: memoryOf(s.buf, i, depth)}
		lane.play = lane.record
		if s.scratch != nil {
			lane.play = memoryOf(s.scratch, i, depth)
		}
		l.owner.Go(lane.serve)
	}
	return l
}

func (l *streamLanes) count() int { return len(l.lanes) }

func (l *streamLanes) nowNS() int64 { return l.timing.now() - l.release }

// reports adds to list the pieces done since the last call, and says until when: whatever is done later is reported later.
func (l *streamLanes) reports(list []piece) (_ []piece, nowNS int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list = append(list, l.ended...)
	l.ended = l.ended[:0]
	return list, l.nowNS()
}

func (l *streamLane) serve() {
	for p := range l.work {
		if l.quit.Load() {
			continue
		}
		p.err = l.do(&p)
		l.mu.Lock()
		p.endNS = l.nowNS()
		l.ended = append(l.ended, p)
		l.mu.Unlock()
		select {
		case l.woken <- struct{}{}:
		default:
		}
	}
}

// do makes a piece's requests. Without direct requests, what it moves is taken out of the cache again: the next time
// around it must not be there.
func (l *streamLane) do(p *piece) (err error) {
	memory := &l.play
	if p.op == trace.Write {
		memory = &l.record
	}
	mem, noise := memory.take(p.n, l.block)
	if p.op == trace.Write {
		p.stamps.put(mem, p.off, noise)
	}
	p.startNS = l.nowNS()
	if p.op == trace.Write {
		err = writeAll(p.file, l.number, mem, p.off)
	} else {
		err = readAll(p.file, l.number, mem, p.off, p.n)
	}
	if err != nil {
		return err
	}
	l.latencies.record(p.op, p.startNS, l.nowNS())
	if p.op == trace.Read && l.check != checkNothing {
		if m := p.stamps.check(mem, p.off, l.check); m != nil {
			return m
		}
	}
	if !l.direct {
		return p.file.settle(p.off, p.n, p.op)
	}
	return nil
}

// close waits for the requests under way, and drops those that wait.
func (l *streamLanes) close() {
	l.quit.Store(true)
	close(l.work)
	l.owner.Wait()
}
