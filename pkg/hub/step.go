package hub

import (
	"cmp"
	"math"
	"slices"
)

// step processes all that happens at s.now: first what ends, then who comes, then lags that run out and
// files that begin; and shares out anew.
func (s *Sim) step() {
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

// finish lets those leave who have moved all they were to. Those who hold fill until the last of them has.
func (s *Sim) finish() {
	for _, m := range s.members {
		switch {
		case m.state != active || m.moved(s.now) < float64(m.total)-tolerance:
		case m.work.Policy.Hold:
			m.fill()
			s.phase.End(m.disk)
		default:
			s.leave(m)
		}
	}
	for _, m := range s.members {
		if m.state == active && m.fills && s.phase.Over() {
			s.leave(m)
		}
	}
}

// leave ends a member's activity and holds those who stay.
func (s *Sim) leave(gone *member) {
	gone.stop(s.now)
	s.phase.End(gone.disk)
	if gone.work.Direct {
		return
	}
	staying := 0
	for _, m := range s.members {
		if m.contends() {
			staying++
		}
	}
	for _, m := range s.members {
		if m.contends() {
			lag := s.profile.Lags.After(m.work.Op, gone.work.Op, staying)
			m.startLag(m.share, s.now+int64(lag))
		}
	}
}

// rerate shares out the capacity among those active now.
func (s *Sim) rerate() {
	s.claims, s.hubbed = s.claims[:0], s.hubbed[:0]
	for _, m := range s.members {
		switch {
		case m.contends():
			s.claims = append(s.claims, Claim{Op: m.work.Op, Cap: m.cap(), Weight: m.side.Weight})
			s.hubbed = append(s.hubbed, m)
		case m.state == active:
			m.flow(s.now, m.cap())
		}
	}
	s.shares = slices.Grow(s.shares[:0], len(s.claims))[:len(s.claims)]
	ShareInto(s.profile.Capacity, s.claims, s.shares)
	for i, m := range s.hubbed {
		m.flow(s.now, min(s.shares[i], m.lagRate))
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
