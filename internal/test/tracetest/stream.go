package tracetest

import (
	"math"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Streams plays a disk's streams up to a time: gives is what the disk moves for all of them
// together at a time, in bytes per second. Frames are moved one at a time, in the order in which
// they were asked for, in steps of a millisecond.
func Streams(name string, specs []stream.Spec, endS float64,
	gives func(s float64) float64) *trace.DiskRecord {
	d := &trace.DiskRecord{Name: name, Op: trace.Read}
	players := stream.Players(specs)
	perSecond := stream.TotalRate(specs)
	for _, s := range specs {
		if s.Record {
			d.Op = trace.Write
		}
	}
	for _, p := range players {
		d.Streams = append(d.Streams, trace.Stream{Name: p.Name})
	}
	queue := streamQueue{players: players}
	work := secondFiles{trace: d, size: perSecond}
	for ms := range int64(math.Round(endS * 1e3)) {
		now := ms * 1e6
		queue.ask(now)
		work.move(queue.move(now, gives(float64(ms)/1e3)/1e3), now+1e6)
		if at := now + 1e6; at%100e6 == 0 {
			for i, p := range players {
				d.Streams[i].Samples = append(d.Streams[i].Samples,
					trace.StreamSample{TNS: at, Sample: p.Sample(at)})
			}
		}
	}
	work.end()
	return d
}

// streamQueue is the frames that were asked for and have not arrived.
type streamQueue struct {
	players []*stream.Player
	asked   []askedFrame
}

type askedFrame struct {
	player *stream.Player
	frame  int
	left   float64 // bytes
}

// ask adds the frames that are to be asked for by a time.
func (q *streamQueue) ask(now int64) {
	for {
		var next *stream.Player
		for _, p := range q.players {
			if p.AskNS() <= now && (next == nil || p.AskNS() < next.AskNS()) {
				next = p
			}
		}
		if next == nil {
			return
		}
		if frame, ok := next.Ask(now, 0); ok {
			q.asked = append(q.asked, askedFrame{next, frame, float64(next.Spec.Bytes(frame))})
		}
	}
}

// move moves that many bytes within the millisecond from now on, and returns how many there were to
// move. A frame that is past due before its turn is not moved.
func (q *streamQueue) move(now int64, bytes float64) (moved float64) {
	all := bytes
	for len(q.asked) > 0 && bytes > 0 {
		f := &q.asked[0]
		if whole := float64(f.player.Spec.Bytes(f.frame)); f.left == whole &&
			f.player.DueNS(f.frame) < now {
			q.asked = q.asked[1:]
			continue
		}
		part := math.Min(f.left, bytes)
		f.left -= part
		bytes -= part
		moved += part
		if f.left > 0 {
			break
		}
		f.player.Arrived(f.frame, now+int64(1e6*(1-bytes/all)))
		q.asked = q.asked[1:]
	}
	return moved
}

// secondFiles emits what is moved as files that follow one another, of one size, with progress.
type secondFiles struct {
	trace  *trace.DiskRecord
	size   float64
	file   trace.File
	done   float64 // bytes of the file
	lastNS int64   // when the last byte moved
}

// move notes bytes that were moved by a time.
func (w *secondFiles) move(bytes float64, now int64) {
	if bytes > 0 {
		w.done += bytes
		w.lastNS = now
	}
	if w.done >= w.size {
		w.next(int64(math.Round(w.size)), now)
		w.done -= w.size
	} else if now%int64(sampleS*1e9) == 0 && w.done >= 1 {
		w.file.AddSample(trace.Sample{TNS: now, Bytes: int64(w.done)})
	}
}

// next ends the file, and begins another one.
func (w *secondFiles) next(bytes, now int64) {
	w.file.Bytes, w.file.EndNS = bytes, now
	w.trace.Files = append(w.trace.Files, w.file)
	w.file = trace.File{Seq: len(w.trace.Files), StartNS: now}
}

// end ends the last file when its last byte was moved.
func (w *secondFiles) end() {
	for n := len(w.file.Samples()); n > 0 && w.file.Samples()[n-1].TNS >= w.lastNS; n-- {
		w.file.Progress.Samples = w.file.Samples()[:n-1]
	}
	if w.done >= 1 && w.lastNS > w.file.StartNS {
		w.next(int64(w.done), w.lastNS)
	}
}

// Outcomes is the result of each stream.
type Outcomes map[StreamOf]*stream.Totals

// StreamOf is a stream of a disk. An engine, which has one disk, leaves the disk empty.
type StreamOf struct{ Disk, Stream string }

// Add takes a sample of a stream. Other events are passed over.
func (o Outcomes) Add(e *trace.Event) {
	if e.Type != trace.StreamType {
		return
	}
	at := StreamOf{e.Disk, e.Stream}
	if o[at] == nil {
		o[at] = &stream.Totals{}
	}
	o[at].Add(e.StreamSample())
}
