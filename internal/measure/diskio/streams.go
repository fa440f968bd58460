package diskio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// streams is the engine of a job of streams: it moves each frame when its player asks for it,
// whatever became of the ones before. The goroutine that calls Transfer looks after the players,
// and the engine makes the requests. What a frame is in its file is in frames.go.
//
// The times of a player are those that the engine reports, in the order of its reports: so the
// players see one sequence of events, and a frame is there when its last byte is, never earlier.
type streams struct {
	*mover
	players []*stream.Player
	backlog stream.Queue
	paths   []streamFile // files of each player

	pieces      []piece    // in each slot
	free        []int      // slots without one
	waiting     []piece    // for one, in their order
	unsubmitted bool       // there are requests that the engine has not begun
	detached    bool       // requests are left to threads of the kernel's
	ended       []*request // memory for the engine's reports

	bytes    int64   // moved in all
	stretch  int     // the one that is not whole yet
	ends     []int64 // when stretches became whole that Transfer has not returned yet
	spanNS   int64   // when the stretch began that Transfer returns next
	reportNS int64   // when the streams' next samples are due, since the release
	behind   bool    // frames wait for others to be moved
	freeNS   int64   // when the engine could take more after it could not
	// How long after its time a frame was requested, or after the engine could take it.
	lateNS             *latency.Sum
	longestOversleepNS int64 // the longest that wait has overslept
}

func newStreams(job Job, sys system) *streams {
	s := &streams{
		mover: newMover(job, sys), players: stream.Players(job.Streams), reportNS: stream.SampleNS,
		lateNS: latency.NewSum(),
	}
	s.openFirst = s.openStreams
	return s
}

// openStreams opens a file for each stream; those that are played have been written.
func (s *streams) openStreams(eff *trace.Effective) (err error) {
	eff.Flush, eff.FlushReaches = scenario.FlushNone, "" // a frame is there when its write is done
	if err := s.openFiles(); err != nil {
		return err
	}
	s.pieces = make([]piece, len(s.slots))
	for i := range s.slots {
		s.free = append(s.free, i)
	}
	return nil
}

// Transfer goes on with the streams until the stretch seq is moved: that many bytes of all of them.
func (s *streams) Transfer(ctx context.Context, seq int, sample Sampler) (Span, error) {
	span, err := s.transfer(ctx, seq, sample)
	s.failed = s.failed || err != nil
	return span, s.job.explain(fmt.Sprintf("streams, file %d", seq), err)
}

func (s *streams) transfer(ctx context.Context, seq int, sample Sampler) (Span, error) {
	size := s.job.Size(seq)
	moved := func() int64 { return min(s.bytes-int64(seq)*size, size) }
	part := func(nowNS int64) Span { return Span{Bytes: moved(), StartNS: s.spanNS, EndNS: nowNS} }
	sampledNS := s.spanNS
	for {
		now, err := s.catchUp()
		if err != nil {
			return part(now), err
		}
		if len(s.ends) > 0 && s.ends[0] <= now {
			span := Span{Bytes: size, StartNS: s.spanNS, EndNS: max(s.ends[0], s.spanNS+1)}
			s.ends = s.ends[1:]
			s.spanNS = span.EndNS
			s.moved++
			return span, nil
		}
		if now-sampledNS >= s.sampleNS {
			sampledNS = now
			sample(moved(), 0, now)
		}
		if err := ctx.Err(); err != nil {
			s.report(now)
			return part(now), err
		}
		s.ask(now)
		untilNS := sampledNS + s.sampleNS
		if len(s.ends) > 0 {
			untilNS = min(untilNS, s.ends[0])
		}
		if err := s.wait(ctx, untilNS); err != nil {
			return part(now), err
		}
	}
}

// inFlight returns how many pieces are with the engine, or wait for it.
func (s *streams) inFlight() int { return len(s.slots) - len(s.free) + len(s.waiting) }

// catchUp processes what the engine has done up to now.
func (s *streams) catchUp() (nowNS int64, err error) {
	s.ended, nowNS = s.engine.ended(s.ended[:0])
	nowNS -= s.release
	failed := 0
	for _, r := range s.ended {
		p := s.pieces[r.number]
		endNS := r.freeNS - s.release
		if s.inFlight() == len(s.slots) {
			s.freeNS = endNS
		}
		s.free = append(s.free, r.number)
		s.reportBefore(endNS)
		if r.err == nil {
			r.err = s.check(r, p)
		}
		if r.err != nil {
			if err == nil {
				err = r.err
				failed = r.place
			}
			continue
		}
		s.count(p.n, endNS)
		if p.askNS >= 0 {
			_ = s.lateNS.RecordValue(max(0, r.startNS-s.release-p.askNS))
		}
		if p.flight.left -= p.n; p.flight.left == 0 {
			s.backlog.Ends(endNS)
			s.players[p.flight.player].Arrived(p.flight.frame, endNS)
		}
	}
	for len(s.waiting) > 0 && len(s.free) > 0 {
		s.handOver(s.waiting[0])
		s.waiting = slices.Delete(s.waiting, 0, 1)
	}
	s.reportBefore(nowNS + 1)
	s.latencies.tick(nowNS)
	// Put aside, as the job ends with it anyway.
	if _, wrong := errors.AsType[*Mismatch](err); wrong {
		wrongFile := s.paths[failed].record
		err = errors.Join(s.closeFiles(), s.setAside(err, wrongFile))
	}
	return nowNS, err
}

// check notes how long a piece took since its frame was due to be requested, and checks what was
// played.
func (s *streams) check(r *request, p piece) error {
	s.latencies.record(r.op, p.dueNS, r.endNS-s.release)
	if r.op == trace.Read && s.verifies() {
		if m := s.paths[r.place].stamps.check(r.p, r.off, checkStamps); m != nil {
			return m
		}
	}
	return nil
}

// count notes moved bytes. A frame fills the time to the next one: a stretch ends no earlier than
// that many bytes take at the streams' rate, though its last frame is there before.
func (s *streams) count(bytes, tNS int64) {
	s.bytes += bytes
	for size := s.job.Size(s.stretch); s.bytes >= int64(s.stretch+1)*size; s.stretch++ {
		takesNS := int64(float64(s.stretch+
			1) * float64(size) / stream.TotalRate(s.job.Streams) * 1e9)
		s.ends = append(s.ends, max(tNS, takesNS))
	}
}

// reportBefore emits the samples that are due before tNS.
func (s *streams) reportBefore(tNS int64) {
	for ; s.reportNS < tNS; s.reportNS += stream.SampleNS {
		s.reportAt(s.reportNS)
	}
}

// report emits the last sample, if much has happened since the one before.
func (s *streams) report(tNS int64) {
	if tNS-(s.reportNS-stream.SampleNS) > stream.SampleNS/10 {
		s.reportAt(tNS)
	}
}

func (s *streams) reportAt(tNS int64) {
	for _, p := range s.players {
		sample := p.Sample(tNS)
		s.emit(trace.Event{
			Type: trace.StreamType, Stream: p.Name, TNS: tNS,
			Due: sample.Due, Late: sample.Late, BufferNS: sample.BufferNS, StallNS: sample.StallNS,
		})
	}
}

// ask hands the engine the frames that are due by now, in the order of their times, while it can
// take more.
func (s *streams) ask(nowNS int64) {
	for s.inFlight() < s.job.IO.Depth {
		i := s.next()
		askNS := s.players[i].AskNS()
		if askNS > nowNS {
			s.behind = false
			return
		}
		frame, ok := s.players[i].Ask(nowNS, s.backlog.TakesNS())
		if !ok {
			continue // it could not be in time, and its successors' time has not come
		}
		s.begin(i, frame, nowNS, askNS)
	}
	s.behind = s.players[s.next()].AskNS() <= nowNS
}

// next returns the player whose time comes first.
func (s *streams) next() int {
	first := 0
	for i, p := range s.players {
		if p.AskNS() < s.players[first].AskNS() {
			first = i
		}
	}
	return first
}

// begin hands a frame to the engine, in pieces.
func (s *streams) begin(player, frame int, nowNS, askNS int64) {
	path := &s.paths[player]
	from, to := path.frame(s.players[player].Spec, frame)
	if from == to { // it lies in the sectors of the one before
		s.players[player].Arrived(frame, nowNS)
		return
	}
	s.backlog.Begins(nowNS)
	p := piece{flight: &flight{player, frame, to - from}, dueNS: askNS, askNS: max(askNS, s.freeNS)}
	for ; from < to; from += p.n {
		p.off = from % path.record.Size
		p.n = min(to-from, s.job.IO.Block, path.record.Size-p.off)
		if len(s.free) > 0 {
			s.handOver(p)
		} else {
			s.waiting = append(s.waiting, p)
		}
		p.askNS = -1
	}
}

// handOver gives a piece to the engine, which has room for it.
func (s *streams) handOver(p piece) {
	i := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	slot := &s.slots[i]
	path := &s.paths[p.flight.player]
	s.pieces[i] = p
	slot.request = request{op: path.op,
		p: slot.take(path.op, p.off, p.n, s.job.IO.Block, &path.stamps), off: p.off,
		want: p.n, number: i, place: p.flight.player, async: s.detached}
	s.engine.add(&slot.request)
	s.unsubmitted = true
}

// slowNS is how long the kernel may take to begin requests. When a disk's own queue is full, it
// waits for the disk, and with it the frames whose time comes meanwhile: then threads of the
// kernel's wait instead.
const slowNS = int64(time.Millisecond)

// wait has what was handed over begin, and waits until there is something to do: the next frame's
// time, a report's, a sample's or a stretch's end, or room if frames wait for some.
func (s *streams) wait(ctx context.Context, untilNS int64) error {
	begunNS := int64(0)
	if s.unsubmitted {
		s.unsubmitted = false
		nowNS := s.timing.now()
		if err := s.engine.submit(); err != nil {
			return err
		}
		if after := s.timing.now(); after-nowNS > slowNS && !s.detached {
			s.detached = true
			begunNS = after
			s.freeNS = max(s.freeNS, after-s.release) // until then nothing else could be begun
		}
	}
	untilNS = s.release + min(s.reportNS, untilNS)
	full := s.behind || s.inFlight() >= s.job.IO.Depth
	if !full {
		untilNS = min(untilNS, s.release+s.players[s.next()].AskNS())
	}
	untilNS = max(untilNS, begunNS)
	if err := s.engine.wait(ctx, untilNS, full); err != nil {
		return err
	}
	s.longestOversleepNS = max(s.longestOversleepNS, s.timing.now()-untilNS)
	return nil
}

// Close waits for the requests under way, closes the files, and reports by how much at most this
// computer was late to look after the frames. What the disk kept waiting is no part of that.
func (s *streams) Close() error {
	err := s.closeFiles()
	if s.emit != nil {
		s.emit(trace.Event{
			Type: trace.GaugeType, Name: trace.HostLate, TNS: s.timing.now() - s.release,
			Value: float64(max(s.lateNS.Max(), s.longestOversleepNS)) / 1e9,
		})
	}
	return errors.Join(s.job.explain("clean up", err), s.mover.Close())
}

// closeFiles waits for the requests under way and closes the files.
func (s *streams) closeFiles() (err error) {
	s.waiting = nil
	for list := s.ended[:0]; len(s.free) < len(s.pieces) && err == nil; {
		list, _ = s.engine.ended(list[:0])
		for _, r := range list {
			s.free = append(s.free, r.number)
		}
		if len(s.free) < len(s.pieces) {
			err = s.engine.wait(context.Background(), s.timing.now()+time.Second.Nanoseconds(),
				true)
		}
	}
	for i := range s.paths {
		err = errors.Join(err, s.close(s.paths[i].file))
	}
	s.paths = nil
	return err
}

// The worker takes any Engine.
var _ Engine = (*streams)(nil)
