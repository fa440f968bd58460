package diskio

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// pieceMover moves pieces of frames, several at once, and each whole: lanes that wait for one request each (see
// streamlane.go), or an io_uring (see streamring_linux.go). All calls come from one goroutine.
type pieceMover interface {
	// start gives the instant from which all times count.
	start(releaseNS int64)
	// hand queues a piece, which begins with the next call of begin at the latest, or when there is room for it.
	hand(p piece)
	// begin begins what was handed over. If that itself had to wait for the disk, freeNS is when it was over, since the
	// release: until then nothing else could be begun.
	begin() (freeNS int64, err error)
	// wait waits until an instant of the clock, or less: if the mover is full, until it may have room, or until ctx ends.
	wait(ctx context.Context, untilNS int64, full bool) error
	// reports adds to list the pieces done since the last call, and says until when: whatever is done later is
	// reported later.
	reports(list []piece) (_ []piece, nowNS int64)
	// close waits for the requests under way, and drops those that wait.
	close() error
}

// pieceWork is what all pieceMovers share.
type pieceWork struct {
	files        []streamFile // that pieces are of
	buf, scratch []byte       // what is recorded comes from buf; what is played goes to scratch, or to buf if that is nil
	depth        int          // pieces that move at once
	block        int64        // the largest size of one, in bytes
	check        checking     // of what is played
	direct       bool         // requests go past the cache
	timing       timing
	latencies    *latencies
	release      int64 // from which all times count
}

func (w *pieceWork) start(releaseNS int64) { w.release = releaseNS }

func (w *pieceWork) nowNS() int64 { return w.timing.now() - w.release }

// done notes how long a piece took since its frame was due to be requested, and checks what was played.
func (w *pieceWork) done(p *piece, mem []byte, endNS int64) error {
	w.latencies.record(p.op, p.dueNS, endNS)
	if p.op == trace.Read && w.check != checkNothing {
		if m := p.stamps.check(mem, p.off, w.check); m != nil {
			return m
		}
	}
	return nil
}

// streamFile is the test file of one stream, which goes through it again and again.
type streamFile struct {
	file   testFile
	number int // among the job's
	record record
	op     trace.Role
	unit   int64 // frames begin at its multiples: sectors, and what a stamp covers
	stamps stamper
}

// piece is a frame, or a part of it: what one request can move.
type piece struct {
	*streamFile
	flight                *flight
	off, n                int64 // in the file
	dueNS                 int64 // when the player asked for the frame
	askNS, startNS, endNS int64 // when a frame's first could begin, since the release, or -1; when it began and was done
	err                   error
}

// flight is a frame under way.
type flight struct {
	player, frame int
	left          int64 // bytes that have not arrived yet
}

// frame is where a frame lies in its stream, in whole units: the next begins where this one ends, so that nothing is
// moved twice and the mean rate is the stream's.
func (f *streamFile) frame(spec stream.Spec, k int) (from, to int64) {
	up := func(bytes int64) int64 { return (bytes + f.unit - 1) / f.unit * f.unit }
	return up(spec.Offset(k)), up(spec.Offset(k + 1))
}

// piece is the first request of a stretch of the stream.
func (f *streamFile) piece(from, to, block int64) piece {
	off := from % f.record.Size
	return piece{streamFile: f, off: off, n: min(to-from, block, f.record.Size-off)}
}

// maxPieces is how many requests the largest frame takes.
func (s *streams) maxPieces() int {
	largest := int64(0)
	for _, p := range s.players {
		largest = max(largest, p.Spec.Bytes(0)+s.paths[0].unit)
	}
	return int(largest/s.job.IO.Block) + 2 // the end of the file may lie within
}

// openFiles opens those that are there and makes those that are recorded to.
func (s *streams) openFiles() error {
	sizes := s.job.StreamFiles()
	var recorded int64
	for i, p := range s.players {
		if p.Spec.Record {
			recorded += sizes[i]
		}
	}
	if s.job.IO.Footprint > 0 {
		if err := s.testFiles.makeRoom(recorded, s.job.IO.Footprint); err != nil {
			return err
		}
	}
	played := 0
	for i, p := range s.players {
		f := streamFile{op: trace.Read, number: i}
		if p.Spec.Record {
			f.op, f.record = trace.Write, s.newRecord(sizes[i])
		} else {
			f.record = s.files[played]
			played++
		}
		file, err := s.open(f.record, f.op)
		if err != nil {
			return err
		}
		f.file = file
		f.unit = max(s.traits.sector, f.record.Unit)
		f.stamps = s.stamper(f.record)
		s.paths = append(s.paths, f)
	}
	return nil
}

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
	l := &streamLanes{pieceWork: w, work: make(chan piece, w.depth+waiting), woken: make(chan struct{}, 1),
		lanes: make([]streamLane, w.depth)}
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
