package diskio

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// streams is the engine of a job of streams: it moves each frame when its player asks for it, whatever became of the
// ones before. The goroutine that calls Transfer looks after the players, and a pieceMover moves the frames. What a
// frame is in its file is in frame.go.
//
// The times of a player are those that the mover reports, in the order of its reports: so the players see one
// sequence of events, and a frame is there when its last byte is, never earlier.
type streams struct {
	*real
	players []*stream.Player
	queue   stream.Queue
	paths   []streamFile // of each player
	pieces  pieceMover

	ended     []piece           // of the mover's reports: memory, for reuse
	idle      []*flight         // for reuse
	inFlight  int               // pieces that are with the mover
	bytes     int64             // moved in all
	stretch   int               // the one that is not whole yet
	ends      []int64           // when stretches became whole that Transfer has not returned yet
	startNS   int64             // of the stretch that Transfer returns next
	reportNS  int64             // when the streams' next samples are due, since the release
	behind    bool              // frames wait for others to be moved
	freeNS    int64             // when the mover could take more after it could not
	belatedNS latency.Histogram // how long after its time a frame was requested, or after the mover could take it
	asleepNS  int64             // the longest that wait has overslept
}

func newStreams(job Job, sys system) *streams {
	s := &streams{real: newReal(job, sys), players: stream.Players(job.Streams), reportNS: stream.SampleNS}
	s.openFirst = s.openStreams
	return s
}

// openStreams opens a file for each stream; those that are played have been written.
func (s *streams) openStreams(eff *trace.Effective) error {
	eff.Flush = scenario.FlushNone // a frame is there when its write is done
	if err := s.openFiles(); err != nil {
		return err
	}
	var why error
	if s.pieces, eff.Engine, why = s.newPieceMover(); why != nil && !errors.Is(why, errNoRing) {
		s.warnOfThreads(why)
	}
	return nil
}

// newPieceMover starts the best one available; why says why it is not io_uring.
func (s *streams) newPieceMover() (m pieceMover, engine string, why error) {
	w := pieceWork{
		files: s.paths, buf: s.buf, scratch: s.scratch, depth: s.job.IO.Depth, block: s.job.IO.Block,
		direct: s.traits.direct, timing: s.timing, latencies: s.latencies,
	}
	if s.verifies() {
		w.check = checkStamps
	}
	if s.traits.direct {
		if m, why = s.system.pieces(w); why == nil {
			return m, "io_uring", nil
		}
	}
	return newLanes(w, s.maxPieces()), "threads", why
}

// Start notes the release.
func (s *streams) Start(releaseNS int64, emit func(trace.Event)) {
	var one sync.Mutex // another goroutine emits latencies
	s.real.Start(releaseNS, func(e trace.Event) {
		one.Lock()
		defer one.Unlock()
		emit(e)
	})
	s.pieces.start(releaseNS)
}

// Transfer goes on with the streams until the stretch seq is moved: that many bytes of all of them.
func (s *streams) Transfer(ctx context.Context, seq int, sample Sampler) (Span, error) {
	span, err := s.transfer(ctx, seq, sample)
	s.failed = s.failed || err != nil
	return span, s.job.explain(fmt.Sprintf("streams, file %d", seq), err)
}

func (s *streams) transfer(ctx context.Context, seq int, sample Sampler) (Span, error) {
	size := s.job.Size(seq)
	before := int64(seq) * size
	sampledNS := s.startNS
	for {
		now, err := s.catchUp()
		if err != nil {
			return Span{Bytes: min(s.bytes-before, size), StartNS: s.startNS, EndNS: now}, err
		}
		if len(s.ends) > 0 && s.ends[0] <= now {
			span := Span{Bytes: size, StartNS: s.startNS, EndNS: max(s.ends[0], s.startNS+1)}
			s.ends, s.startNS = s.ends[1:], span.EndNS
			s.moved++
			return span, nil
		}
		if now-sampledNS >= s.sampleNS {
			sampledNS = now
			sample(min(s.bytes-before, size), 0, now)
		}
		if err := ctx.Err(); err != nil {
			s.report(now)
			return Span{Bytes: min(s.bytes-before, size), StartNS: s.startNS, EndNS: now}, err
		}
		s.ask(now)
		untilNS := sampledNS + s.sampleNS
		if len(s.ends) > 0 {
			untilNS = min(untilNS, s.ends[0])
		}
		if err := s.wait(ctx, untilNS); err != nil {
			return Span{Bytes: min(s.bytes-before, size), StartNS: s.startNS, EndNS: now}, err
		}
	}
}

// catchUp processes what the mover has done up to now.
func (s *streams) catchUp() (nowNS int64, err error) {
	s.ended, nowNS = s.pieces.reports(s.ended[:0])
	for i := range s.ended {
		p := &s.ended[i]
		if s.inFlight == s.job.IO.Depth {
			s.freeNS = p.endNS
		}
		s.inFlight--
		s.reportBefore(p.endNS)
		if p.err != nil {
			if err == nil {
				err = s.failure(p)
			}
			continue
		}
		s.count(p.n, p.endNS)
		if p.askNS >= 0 {
			s.belatedNS.Record(p.startNS - p.askNS)
		}
		if p.flight.left -= p.n; p.flight.left == 0 {
			s.queue.Ends(p.endNS)
			s.players[p.flight.player].Arrived(p.flight.frame, p.endNS)
			s.idle = append(s.idle, p.flight)
		}
	}
	s.reportBefore(nowNS + 1)
	s.latencies.tick(nowNS)
	return nowNS, err
}

// failure is why a piece was not moved. A file whose content is wrong is put aside, as the job ends with it anyway.
func (s *streams) failure(p *piece) error {
	if _, wrong := errors.AsType[*Mismatch](p.err); !wrong {
		return p.err
	}
	return errors.Join(s.closeFiles(), s.keepEvidence(p.err, p.record))
}

// count notes moved bytes. A frame fills the time to the next one: a stretch ends no earlier than that many bytes
// take at the streams' rate, though its last frame is there before.
func (s *streams) count(bytes, tNS int64) {
	s.bytes += bytes
	for size := s.job.Size(s.stretch); s.bytes >= int64(s.stretch+1)*size; s.stretch++ {
		takesNS := int64(float64(s.stretch+1) * float64(size) / stream.TotalRate(s.job.Streams) * 1e9)
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

// ask hands the mover the frames that are due by now, in the order of their times, while it can take more.
func (s *streams) ask(nowNS int64) {
	for s.inFlight < s.job.IO.Depth {
		i := s.next()
		askNS := s.players[i].AskNS()
		if askNS > nowNS {
			s.behind = false
			return
		}
		frame, ok := s.players[i].Ask(nowNS, s.queue.TakesNS())
		if !ok {
			continue // it could not be in time, and its successors' time has not come
		}
		s.begin(i, frame, nowNS, askNS)
	}
	s.behind = s.players[s.next()].AskNS() <= nowNS
}

// next is the player whose time comes first.
func (s *streams) next() int {
	first := 0
	for i, p := range s.players {
		if p.AskNS() < s.players[first].AskNS() {
			first = i
		}
	}
	return first
}

// begin hands a frame's pieces to the mover.
func (s *streams) begin(player, frame int, nowNS, askNS int64) {
	from, to := s.paths[player].frame(s.players[player].Spec, frame)
	if from == to { // it lies in the sectors of the one before
		s.players[player].Arrived(frame, nowNS)
		return
	}
	s.queue.Begins(nowNS)
	f := s.newFlight(player, frame, to-from)
	first := true
	for from < to {
		p := s.paths[player].piece(from, to, s.job.IO.Block)
		p.flight, p.dueNS, p.askNS = f, askNS, -1
		if first {
			p.askNS = max(askNS, s.freeNS)
		}
		first = false
		s.inFlight++
		s.pieces.hand(p)
		from += p.n
	}
}

func (s *streams) newFlight(player, frame int, bytes int64) *flight {
	f := &flight{}
	if n := len(s.idle); n > 0 {
		f, s.idle = s.idle[n-1], s.idle[:n-1]
	}
	*f = flight{player: player, frame: frame, left: bytes}
	return f
}

// wait has what was handed over begin, and waits until there is something to do: the next frame's time, a report's,
// a sample's or a stretch's end, or room if frames wait for some.
func (s *streams) wait(ctx context.Context, untilNS int64) error {
	freeNS, err := s.pieces.begin()
	if err != nil {
		return err
	}
	s.freeNS = max(s.freeNS, freeNS)
	untilNS = s.release + min(s.reportNS, untilNS)
	full := s.behind || s.inFlight >= s.job.IO.Depth
	if !full {
		untilNS = min(untilNS, s.release+s.players[s.next()].AskNS())
	}
	untilNS = max(untilNS, s.release+freeNS)
	if err := s.pieces.wait(ctx, untilNS, full); err != nil {
		return err
	}
	s.asleepNS = max(s.asleepNS, s.timing.now()-untilNS)
	return nil
}

// Close ends the mover, whose requests under way it waits for, and reports by how much at most this computer was
// late to look after the frames. What the disk kept waiting is no part of that.
func (s *streams) Close() error {
	err := s.closeFiles()
	if s.emit != nil {
		s.emit(trace.Event{
			Type: trace.GaugeType, Name: trace.HostLate, TNS: s.timing.now() - s.release,
			Value: float64(max(s.belatedNS.MaxNS(), s.asleepNS)) / 1e9,
		})
	}
	return errors.Join(s.job.explain("clean up", err), s.real.Close())
}

func (s *streams) closeFiles() (err error) {
	if s.pieces != nil {
		err = s.pieces.close()
	}
	for i := range s.paths {
		err = errors.Join(err, s.closeFile(s.paths[i].file))
	}
	s.paths, s.pieces = nil, nil
	return err
}

// The worker takes any Engine.
var _ Engine = (*streams)(nil)
