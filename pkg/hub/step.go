package hub

import (
	"cmp"
	"math"
	"slices"
)

// step processes all that happens at s.now: first what ends, then who comes, then lags that run out and
// files that begin; and shares out again.
func (s *Sim) step() {
	s.play() // a frame that is there counts, whatever ends now
	s.finish()
	due := 0
	for due < len(s.changes) && s.changes[due].tNS <= s.now {
		due++
	}
	for _, c := range s.changes[:due] {
		switch {
		case !c.leaves:
		case c.member.state == active:
			s.leave(c.member)
		case c.member.state == pending: // taken away before it came
			c.member.state = gone
			s.phase.End(c.member.disk)
		}
	}
	for _, c := range s.changes[:due] {
		if !c.leaves && c.member.state == pending {
			c.member.start(s.now)
		}
	}
	s.changes = slices.Delete(s.changes, 0, due)
	s.finish() // whoever was taken away holds nobody up
	for _, m := range s.members {
		if m.lagUntil <= s.now {
			m.endLag()
		}
		if m.state == active {
			m.proceed(s.now)
		}
	}
	s.rerate()
}

// play moves the streams on, and samples them when it is time.
func (s *Sim) play() {
	for _, m := range s.members {
		if m.state == active && m.frames != nil {
			m.frames.proceed(s.now, m.moved(s.now))
			s.samples = m.frames.sample(s.samples, m.disk, s.now)
		}
	}
}

// finish makes disks leave that have moved all they were to. Those that hold fill until the last of them has.
func (s *Sim) finish() {
	for _, m := range s.members {
		switch {
		case m.state == active && m.demand != nil && m.demand.over(s.now):
			s.leave(m)
		case m.state != active || m.moved(s.now) < float64(m.total)-tolerance:
		case m.work.Policy.Hold:
			m.fill()
			s.phase.End(m.disk)
		default:
			s.leave(m)
		}
	}
	if !s.phase.Over() {
		return
	}
	for _, m := range s.members {
		if m.state == active && (m.fills || m.work.accompanies() && m.work.Policy.Limit == 0) {
			s.leave(m)
		}
	}
}

// leave ends a member's activity and holds those who stay.
func (s *Sim) leave(gone *member) {
	shared := gone.shares()
	lastNS, holds := s.lastOf(gone)
	gone.stop(s.now)
	s.phase.End(gone.disk)
	if !shared || !holds {
		return
	}
	staying := 0
	for _, m := range s.members {
		if m.shares() {
			staying++
		}
	}
	for _, m := range s.members {
		if m.shares() {
			lag := s.profile.Lags.After(m.work.Op, gone.work.Op, staying)
			m.startLag(m.held, lastNS+int64(lag))
		}
	}
}

// rerate shares out the capacity among those active now.
func (s *Sim) rerate() {
	s.claims, s.hubbed = s.claims[:0], s.hubbed[:0]
	calm, mixing := true, 0 // no disk moves a frame after which it will soon rest; how many read and write at once
	for _, m := range s.members {
		switch {
		case m.state != active:
		case m.work.Probe > 0:
			m.flow(s.now, m.work.Probe)
		case m.rests():
			m.flow(s.now, 0)
		case m.work.Direct:
			m.flow(s.now, m.want(m.cap()))
		default:
			s.claims = m.claim(s.claims)
			if n := len(s.hubbed); n > 0 && m.demand != nil && s.hubbed[n-1].known == m.known {
				s.claims[len(s.claims)-1].Same = true // its other direction
			}
			s.hubbed = append(s.hubbed, m)
			calm = calm && !m.soonRests(s.now)
			if m.mixes() {
				mixing++
			}
		}
	}
	s.shares = slices.Grow(s.shares[:0], len(s.claims))[:len(s.claims)]
	ShareInto(s.profile.Capacity, s.claims, s.shares)
	for range mixing { // each depends on the others
		s.balance()
	}
	shares := s.shares
	for _, m := range s.hubbed {
		var rate float64
		rate, shares = m.take(shares)
		rate = min(rate, m.lagRate)
		if m.demand != nil && m.demand.keeps() {
			m.flow(s.now, 0)
		} else {
			m.flow(s.now, rate)
		}
		if calm || m.frames != nil || m.held == 0 {
			m.held = rate
		}
	}
}

// nextEvent is when a rate next may change.
func (s *Sim) nextEvent() int64 {
	next := int64(never)
	if len(s.changes) > 0 {
		next = s.changes[0].tNS
	}
	for _, m := range s.members {
		if m.state == active {
			next = min(next, m.nextEvent())
		}
	}
	return next
}

func (s *Sim) schedule(c change) {
	s.changes = append(s.changes, c)
	slices.SortStableFunc(s.changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.tNS, b.tNS), cmp.Compare(a.member.disk, b.member.disk))
	})
}

func (s *Sim) index(disk string) int {
	return slices.IndexFunc(s.members, func(m *member) bool { return m.disk == disk })
}

// never is later than any event.
const never = math.MaxInt64
