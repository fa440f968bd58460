package hub

import (
	"fmt"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// frames is the work of a disk with streams. It moves one frame at a time, as fast as it can, in the order in which
// they were asked for, and between them it moves nothing.
type frames struct {
	players []*stream.Player
	queue   stream.Queue
	longest int64 // a frame's time, in ns

	player  *stream.Player // of the frame on the way; nil: none is
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

// proceed notes the frame that has arrived by tNS, when the disk has moved that many bytes, and goes on to the next.
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

// pace limits a disk to a rate. What the others keep it from moving it makes up for as fast as it can, but for no more
// than a second of it.
type pace struct {
	rate    float64 // bytes per second
	sinceNS int64
	arrears float64 // bytes at that time
	moved   float64
}

// proceed brings the arrears to tNS, by which the disk has moved that many bytes at a constant rate since the last
// time.
func (p *pace) proceed(tNS int64, moved float64) {
	p.arrears += p.rate*float64(tNS-p.sinceNS)*1e-9 - (moved - p.moved)
	p.arrears = min(p.arrears, p.rate)
	p.sinceNS, p.moved = tNS, moved
}

func (p *pace) behind() bool { return p.arrears > tolerance }

// How to decide whether a disk whose work is not known in advance (Work.OnDemand) is at work, rests, or has left.
const (
	// DemandAhead is how much it moves ahead of what is asked for, as the time of that at its full rate: the moment
	// between a request's answer and the next request costs nothing, as with a disk that reads ahead and takes writes
	// into memory. It is at most as much as it was asked for already: what was small says nothing of what comes.
	DemandAhead = 50 * time.Millisecond
	// demandSteady is the work after which a rest may be the end of it: until then, its rest is one of many.
	demandSteady = time.Second
	// maxDemand is the work that counts at most, and demandRests how much faster rest takes it away: a disk that works
	// for less than three quarters of the time is never steady, and one rest, up to leaving, does not make a disk
	// unsteady that was at work long before.
	maxDemand, demandRests = 2 * time.Second, 3
	// DemandLeaves is the rest after which a disk on demand has left the hub. A steady one keeps its share until then.
	DemandLeaves = 300 * time.Millisecond
)

// demand decides whether a disk that moves only what is asked for is at work.
type demand struct {
	ahead   float64 // bytes
	resting bool
	steady  bool  // long enough at work that those who stay are held when it leaves
	sinceNS int64 // since when it has been at work, or has rested
	worked  int64 // ns of work until then, less what rests have taken away
}

// proceed brings it to tNS, by which the disk has moved all that it may, or has not.
func (d *demand) proceed(tNS int64, done bool) {
	if d.resting {
		return
	}
	worked := min(d.worked+tNS-d.sinceNS, int64(maxDemand))
	d.steady = d.steady || worked >= int64(demandSteady)
	if done {
		d.resting, d.sinceNS, d.worked = true, tNS, worked
	}
}

func (d *demand) resume(tNS int64) {
	if d.resting {
		d.worked = max(d.worked-demandRests*(tNS-d.sinceNS), 0)
		d.resting, d.sinceNS, d.steady = false, tNS, d.worked >= int64(demandSteady)
	}
}

// nextEvent is when it leaves or becomes steady, if nothing is asked for, or all is.
func (d *demand) nextEvent() int64 {
	switch {
	case d.resting:
		return d.sinceNS + int64(DemandLeaves)
	case !d.steady:
		return d.sinceNS + int64(demandSteady) - d.worked
	}
	return never
}
