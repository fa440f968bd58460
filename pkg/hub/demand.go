package hub

import (
	"math"
	"time"
)

// How to decide whether a disk whose work is not known in advance (Work.OnDemand) is at work, rests, or has left.
const (
	// DemandAhead is how much it moves ahead of what is asked for, as the time of that at its full rate: the moment between
	// a request's answer and the next request costs nothing, as with a disk that reads ahead and takes writes into memory.
	// It is at most as much as it was asked for already: what was small says nothing of what comes.
	DemandAhead = 50 * time.Millisecond
	// demandSteady is the work after which a rest may be the end of it: until then, its rest is one of many.
	demandSteady = time.Second
	// maxDemand is the work that counts at most, and demandRests how much faster rest takes it away: a disk that works for
	// less than three quarters of the time is never steady, and one rest, up to leaving, does not make a disk unsteady that
	// was at work long before.
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

func newDemand(rate float64) *demand { return &demand{ahead: rate * DemandAhead.Seconds()} }

// begin starts the first work.
func (d *demand) begin(tNS int64) { d.sinceNS = tNS }

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

// resume ends a rest.
func (d *demand) resume(tNS int64) {
	if !d.resting {
		return
	}
	d.worked = max(d.worked-demandRests*(tNS-d.sinceNS), 0)
	d.resting, d.sinceNS, d.steady = false, tNS, d.worked >= int64(demandSteady)
}

// gives reports whether it rests and leaves its share to the others.
func (d *demand) gives() bool { return d.resting && !d.steady }

// keeps reports whether it rests and keeps its share, as it may have ended.
func (d *demand) keeps() bool { return d.resting && d.steady }

// over reports whether it has rested for so long that it has left.
func (d *demand) over(tNS int64) bool { return d.resting && tNS >= d.sinceNS+int64(DemandLeaves) }

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

// reach is how much it may have moved in all.
func (m *member) reach() float64 { return float64(m.asked) + min(m.demand.ahead, float64(m.asked)) }

// lastNS is when what was asked for had moved.
func (m *member) lastNS() int64 { return m.movedAt(float64(m.asked)) }

// On reports whether a disk is on the hub, or about to join it.
func (s *Sim) On(disk string) bool {
	i := s.index(disk)
	return i >= 0 && s.members[i].state != gone
}

// Withdraw takes a disk away now and holds no other: it goes on under another name, such as that of its other direction.
func (s *Sim) Withdraw(disk string) {
	i := s.index(disk)
	if i < 0 {
		return
	}
	if m := s.members[i]; m.state == active && m.demand != nil {
		m.stop(s.now)
		s.phase.End(disk)
		s.rerate()
	}
}

// lastOf is when a disk that leaves now had moved its last byte, and whether those who stay are held.
func (s *Sim) lastOf(m *member) (tNS int64, holds bool) {
	if m.demand == nil {
		return s.now, true
	}
	return min(m.lastNS(), s.now), m.demand.steady
}

func noSizes() []int64 { return []int64{math.MaxInt64 / 4} }
