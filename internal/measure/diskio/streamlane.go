package diskio

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

// streamLanes move pieces of frames, each lane one at a time, by a goroutine that waits for its requests.
type streamLanes struct {
	pieceWork
	work  chan piece
	woken chan struct{} // a piece has been done since it was last looked at
	owner sync.WaitGroup
	quit  atomic.Bool // what waits is not moved any more
	lanes []streamLane

	mu    sync.Mutex
	ended []piece // in the order of their ends
}

type streamLane struct {
	number int
	memories
	*streamLanes
}

// newLanes starts as many as pieces may move at once. So many of one frame may wait beyond that.
func newLanes(w pieceWork, waiting int) *streamLanes {
	l := &streamLanes{pieceWork: w, work: make(chan piece, w.depth+waiting), woken: make(chan struct{}, 1), lanes: make([]streamLane, w.depth)}
	for i, memories := range memoriesOf(w.buf, w.scratch, w.depth) {
		l.lanes[i] = streamLane{i, memories, l}
		l.owner.Go(l.lanes[i].serve)
	}
	return l
}

func (l *streamLanes) hand(p piece) { l.work <- p }

// begin does nothing: the lanes work already.
func (l *streamLanes) begin() (int64, error) { return 0, nil }

func (l *streamLanes) wait(ctx context.Context, untilNS int64, full bool) error {
	if !full {
		l.timing.sleepUntil(untilNS)
		return nil
	}
	timer := time.NewTimer(time.Duration(untilNS - l.timing.now()))
	defer timer.Stop()
	select {
	case <-l.woken:
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

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
	mem := l.take(p.op, p.off, p.n, l.block, &p.stamps)
	p.startNS = l.nowNS()
	if p.op == trace.Write {
		err = writeAll(p.file, l.number, mem, p.off)
	} else {
		err = readAll(p.file, l.number, mem, p.off, p.n)
	}
	if err == nil {
		err = l.done(p, mem, l.nowNS())
	}
	if err == nil && !l.direct {
		err = p.file.settle(p.off, p.n, p.op)
	}
	return err
}

func (l *streamLanes) close() error {
	l.quit.Store(true)
	close(l.work)
	l.owner.Wait()
	return nil
}
