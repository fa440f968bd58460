package hub

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// frames is the work of a disk with streams. It moves one frame at a time, as fast as it can, in
// the order in which they were asked for, and between them it moves nothing.
type frames struct {
	players []*stream.Player
	queue   stream.Queue
	longest int64 // a frame's time, in ns

	player  *stream.Player // player of the frame on the way; nil if there is none
	frame   int
	end     int64 // bytes moved when that one is there
	askNS   int64 // when the next is asked for, if none is on the way
	sinceNS int64 // from when on there has always been one on the way

	sampleNS int64 // when the streams are next looked at
}

func newFrames(specs []stream.Spec) (*frames, error) {
	f := &frames{sampleNS: stream.SampleNS}
	for _, s := range specs {
		if s.Frame <= 0 || s.Count <= 0 || s.Bytes(0) <= 0 || s.Buffer < 0 {
			return nil, fmt.Errorf("streams of %d bytes every %s with a buffer of %s, %d times",
				s.Bytes(0), s.Frame, s.Buffer, s.Count)
		}
		f.longest = max(f.longest, s.Frame.Nanoseconds())
	}
	f.players = stream.Players(specs)
	return f, nil
}

// proceed notes the frame that has arrived by tNS, when the disk has moved that many bytes, and
// goes on to the next.
func (f *frames) proceed(tNS int64, moved float64) {
	switch {
	case f.player == nil:
		f.sinceNS = tNS
	case moved < float64(f.end)-tolerance:
		return
	default:
		f.queue.Ends(tNS)
		f.player.Arrived(f.frame, tNS)
	}
	for { // to the frame that was due first; those that would be late are skipped
		first := f.players[0]
		for _, p := range f.players[1:] {
			if p.AskNS() < first.AskNS() {
				first = p
			}
		}
		if f.player, f.askNS = nil, first.AskNS(); f.askNS > tNS {
			return
		}
		if frame, ok := first.Ask(tNS, f.queue.TakesNS()); ok {
			f.queue.Begins(tNS)
			f.player, f.frame, f.end = first, frame, f.end+first.Spec.Bytes(frame)
			return
		}
	}
}

// sample appends a line of each stream when it is time for one.
func (f *frames) sample(dst []trace.Event, disk string, tNS int64) []trace.Event {
	if tNS < f.sampleNS {
		return dst
	}
	f.sampleNS += stream.SampleNS
	for _, p := range f.players {
		s := p.Sample(tNS)
		dst = append(dst, trace.Event{
			Type: trace.StreamType, Disk: disk, Stream: p.Name, TNS: tNS,
			Due: s.Due, Late: s.Late, BufferNS: s.BufferNS, StallNS: s.StallNS,
		})
	}
	return dst
}

// pace limits a disk to a rate. What the others keep it from moving it makes up for as fast as it
// can, but for no more than a second of it.
type pace struct {
	rate    float64 // bytes per second
	sinceNS int64
	arrears float64 // bytes at that time
	moved   float64
}

// proceed brings the arrears to tNS, by which the disk has moved that many bytes at a constant rate
// since the last time.
func (p *pace) proceed(tNS int64, moved float64) {
	p.arrears += p.rate*float64(tNS-p.sinceNS)*1e-9 - (moved - p.moved)
	p.arrears = min(p.arrears, p.rate)
	p.sinceNS = tNS
	p.moved = moved
}

func (p *pace) behind() bool { return p.arrears > tolerance }
