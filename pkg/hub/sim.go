package hub

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Sim plays disks against one another in the model's time. It is exact: rates change only at events
// (a disk joins, ends or is taken away, a lag runs out, a cache fills, a file of another size or
// noise factor begins, a frame is asked for or there), and between events nothing is computed.
//
// It serves a simulation of a whole plan, and equally a hub that real workers ask over the wire.
// For these, an active disk is always being served, whether its worker has asked yet or not: a late
// Ask is answered from what the disk has moved meanwhile, so its completion may lie in the past.
// What the model says therefore depends only on what joins when, never on how slow or in what order
// the workers ask.
//
// Recovery: when a disk leaves, each disk that stays is held at the rate it has at that instant
// until its lag (Lags) has passed, and then takes its new share. A further leave during a hold
// starts the hold again, at the rate the disk has then, even if that ends sooner. A disk that joins
// is never held: it takes at once the share it would have if no disk were held, and held disks give
// way if that share is below what they hold.
//
// Streams: a disk that plays or records moves one frame after the other, each as fast as it can,
// and nothing between them. While it moves one it contends as any disk does, so the others have
// less then and all of theirs in between, as on a real link. A flow at the streams' mean rate could
// not say when a frame has arrived, and would charge the others all the time for a disk that is at
// work for a part of it. Resting is not leaving: it holds no disk. When a disk leaves, the streams'
// disk is held at the rate of its latest frame, and the others at the rate that they had when no
// frame was on its way, unless frames have long followed one another without rest.
//
// A job at a pace is a flow that wants no more than its pace, except for what it has to make up
// for. A probe takes nothing from the others; how long its requests take, the model does not know.
// A cache regains nothing between frames or at a pace: that needs a rest.
//
// A Sim is not safe for concurrent use.
type Sim struct {
	profile  *Profile
	now      int64 // everything up to here has been processed
	members  []*member
	caches   map[string]*cacheLevel // by disk; they outlast a phase
	changes  []change               // to come, by time
	claims   []Claim                // scratch of rerate
	shares   []float64              // scratch of rerate
	hubbed   []*member              // scratch of rerate: the disks whose claims those are
	samples  []trace.Event          // samples of streams, not yet asked for
	phase    policy.WorkingDisks
	settling policy.Settling // settling of the phase that JoinPhase began
}

// Work is what a disk does from the time it joins until it leaves: in a race, when it has moved all
// its files. Those who hold leave as one when the last of them has; open work lasts until Finish or
// Leave.
type Work struct {
	Profile string     // the disk's name in the profile; the name it joins by if empty
	Op      trace.Role // Read or Write
	// Bytes of each file, in order; after the last it leaves, or begins again, as the policy has
	// it.
	Sizes  []int64
	Direct bool   // it is connected to a port of its own and contends with nobody
	Seed   uint64 // seed of the profile's noise
	Policy policy.Policy

	Think time.Duration // after each file
	Pace  float64       // bytes per second, at most; 0: as fast as it can
	Reads float64       // share of reads, if it reads and writes at once; 0: it does what Op says
	// What it plays or records, instead of files; Sizes only divide what it moves.
	Streams []stream.Spec
	// Bytes per second of single requests, which no one else notices; 0: it does not probe.
	Probe float64
}

// accompanies reports whether it has no work of its own to finish.
func (w *Work) accompanies() bool { return len(w.Streams) > 0 || w.Probe > 0 }

// open reports whether it does not end by itself, as far as is known when it begins.
func (w *Work) open() bool { return w.Policy.Open() || w.accompanies() }

// Grant is the answer to an Ask.
type Grant struct {
	Disk   string
	Bytes  int64 // as asked
	DoneNS int64 // when the last of them had moved, in the model's time
	Ended  bool  // they never will: the disk had left before
}

// change is something from outside: a disk joins or is taken away.
type change struct {
	tNS    int64
	member *member
	leaves bool
}

// NewSim makes a simulation with no disk active and the time at zero. The profile is trusted: it
// comes from Load, or from a fit.
func NewSim(p *Profile) *Sim {
	return &Sim{profile: p, caches: map[string]*cacheLevel{}}
}

// restart begins a new phase after a rest: no disk is active and the time is at zero again. Caches
// refill during the rest.
func (s *Sim) restart(restNS int64) {
	for _, m := range s.members {
		if m.state == active {
			m.stop(s.now)
		}
	}
	for _, level := range s.caches {
		level.sinceNS -= s.now + restNS
	}
	s.members = nil
	s.changes = nil
	s.samples = nil
	s.now = 0
	s.phase = policy.WorkingDisks{}
}

// Join makes a disk active from tNS on, which must not lie before the last Advance. A disk that has
// left may join again.
func (s *Sim) Join(disk string, work Work, tNS int64) error {
	name := cmp.Or(work.Profile, disk)
	known := s.profile.Disk(name)
	fail := func(format string, args ...any) error {
		return fmt.Errorf("disk %s joins the hub%w", disk, fmt.Errorf(format, args...))
	}
	i := s.index(disk)
	switch {
	case known == nil:
		return fail(": profile %s has no disk %q; it has %s", s.profile.Name, name,
			strings.Join(s.profile.Names(), ", "))
	case work.Op != trace.Read && work.Op != trace.Write:
		return fail(": role %q is neither read nor write", work.Op)
	case len(work.Sizes) == 0:
		return fail(": it has no file to move")
	case slices.Min(work.Sizes) <= 0:
		return fail(": a file of %d bytes", slices.Min(work.Sizes))
	case work.Pace < 0 || work.Reads < 0 || work.Reads >= 1 || work.Probe < 0:
		return fail(": a pace of %g B/s, %g of it reads, %g B/s of probes", work.Pace, work.Reads,
			work.Probe)
	case tNS < s.now:
		return fail(" at %d ns: the hub is already at %d ns", tNS, s.now)
	case i >= 0 && s.members[i].state != gone:
		return fail(": it is already there")
	}
	m, err := newMember(disk, known, work, s.profile.Noise)
	if err != nil {
		return fail(": %w", err)
	}
	if known.Cache != nil && m.writes > 0 && work.Probe == 0 {
		if s.caches[disk] == nil {
			s.caches[disk] = &cacheLevel{left: float64(known.Cache.Bytes), sinceNS: tNS}
		}
		m.cache = known.Cache
		m.level = s.caches[disk]
	}
	if i >= 0 {
		s.members = slices.Delete(s.members, i, i+1)
	}
	s.members = append(s.members, m)
	// By name, not in the order of the calls: which came first over the wire must not matter.
	slices.SortFunc(s.members, func(a, b *member) int { return cmp.Compare(a.disk, b.disk) })
	s.schedule(change{tNS: tNS, member: m})
	if !work.accompanies() {
		s.phase.Begin(disk)
	}
	return nil
}

// Ask says that a disk's worker waits for that many more bytes. Several asks of one disk queue up.
func (s *Sim) Ask(disk string, bytes int64) error {
	i := s.index(disk)
	if i < 0 {
		return fmt.Errorf("disk %s asks the hub for %d bytes: it has not joined", disk, bytes)
	}
	m := s.members[i]
	switch {
	case bytes <= 0:
		return fmt.Errorf("disk %s asks the hub for %d bytes: must be above zero", disk, bytes)
	case m.asked+bytes > m.total:
		return fmt.Errorf("disk %s asks the hub for %d bytes: only %d of its files are left", disk,
			bytes, m.total-m.asked)
	}
	m.asked += bytes
	m.asks = append(m.asks, bytes)
	return nil
}

// Leave takes a disk away at tNS, whatever it still had to move: a killed worker. If the hub is
// already past tNS, it leaves now. An Ask for more than it had moved by then is answered as Ended.
func (s *Sim) Leave(disk string, tNS int64) {
	if i := s.index(disk); i >= 0 && s.members[i].state != gone {
		s.schedule(change{tNS: max(tNS, s.now), member: s.members[i], leaves: true})
	}
}

// Finish gives open work its end: the disk leaves, or begins to fill, when it has moved that many
// bytes in all, or now if it has moved more. For a disk that fills already, it comes too late to
// matter.
func (s *Sim) Finish(disk string, bytes int64) {
	if i := s.index(disk); i >= 0 && s.members[i].work.open() && !s.members[i].fills {
		s.members[i].total = bytes
	}
}

// Settle notes that one more disk was steady at the end of a window. When all are, they leave.
func (s *Sim) Settle(window int) {
	endNS, all := s.settling.Add(window)
	if !all {
		return
	}
	// At the phase's limit, that nobody reaches, no disk leaves any more.
	s.changes = slices.DeleteFunc(s.changes, func(c change) bool { return c.leaves })
	for _, m := range s.members {
		s.Leave(m.disk, endNS)
	}
}

// Next returns when something next happens: a grant falls due or a rate may change. If a grant is
// overdue it lies in the past. ok is false when nothing is under way.
func (s *Sim) Next() (tNS int64, ok bool) {
	tNS = s.nextEvent()
	for _, m := range s.members {
		if len(m.asks) > 0 {
			tNS = min(tNS, m.movedAt(float64(m.granted+m.asks[0])))
		}
	}
	return tNS, tNS < never
}

// Advance moves the time to tNS and returns every grant due by then, in the order of completion,
// equal times by name. How often it is called, and at which times, makes no difference to any
// result.
func (s *Sim) Advance(tNS int64) []Grant {
	for at := s.nextEvent(); at <= tNS; at = s.nextEvent() {
		s.now = max(s.now, at)
		s.step()
	}
	s.now = max(s.now, tNS)

	var grants []Grant
	for _, m := range s.members {
		for len(m.asks) > 0 {
			done := m.movedAt(float64(m.granted + m.asks[0]))
			ended := m.state == gone && done == never
			if done > s.now && !ended {
				break
			}
			m.granted += m.asks[0]
			grants = append(grants, Grant{Disk: m.disk, Bytes: m.asks[0], DoneNS: done,
				Ended: ended})
			m.asks = m.asks[1:]
		}
		past := 0 // part of the curve where no later grant can fall
		for past+1 < len(m.curve) && m.curve[past+1].bytes <= float64(m.granted) {
			past++
		}
		m.curve = slices.Delete(m.curve, 0, past)
	}
	slices.SortStableFunc(grants, func(a, b Grant) int { return cmp.Compare(a.DoneNS, b.DoneNS) })
	return grants
}

// Samples returns the stream lines of the named phase since the last call, one for each stream
// every stream.SampleNS, in the order of time.
func (s *Sim) Samples(phase string) []trace.Event {
	samples := s.samples
	for i := range samples {
		samples[i].Phase = phase
	}
	s.samples = nil
	return samples
}

// step processes all that happens at s.now: first what ends, then who comes, then lags that run out
// and files that begin; and shares out again.
func (s *Sim) step() {
	for _, m := range s.members { // a frame that is there counts, whatever ends now
		if m.state == active && m.frames != nil {
			m.frames.proceed(s.now, m.moved(s.now))
			s.samples = m.frames.sample(s.samples, m.disk, s.now)
		}
	}
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

// finish makes disks leave that have moved all they were to. Those that hold fill until the last of
// them has.
func (s *Sim) finish() {
	for _, m := range s.members {
		switch {
		case m.state != active || m.moved(s.now) < float64(m.total)-tolerance:
		case m.work.Policy.Hold: // it goes on so that the others keep their competition
			m.fills = true
			m.total = endless
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
	holds := gone.shares()
	gone.stop(s.now)
	s.phase.End(gone.disk)
	if !holds {
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
			m.startLag(m.heldRate, s.now+
				int64(s.profile.Lags.After(m.work.Op, gone.work.Op, staying)))
		}
	}
}

// rerate shares out the capacity among those active now.
func (s *Sim) rerate() {
	s.claims = s.claims[:0]
	s.hubbed = s.hubbed[:0]
	// No disk moves a frame after which it will soon rest; how many read and write at once.
	calm := true
	mixing := 0
	for _, m := range s.members {
		switch {
		case m.state != active:
		case m.work.Probe > 0:
			m.flow(s.now, m.work.Probe)
		case m.isResting():
			m.flow(s.now, 0)
		case m.work.Direct:
			m.flow(s.now, m.demand(m.cap()))
		default:
			s.claims = m.claim(s.claims)
			s.hubbed = append(s.hubbed, m)
			// One that has not followed others for longer than streams that are in time need.
			f := m.frames
			calm = calm && (f == nil || s.now-f.sinceNS > f.longest)
			if m.isMixed() {
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
		rate := shares[0]
		if m.isMixed() { // as fast as the direction that is shorter of what it needs
			rate = min(rate/(1-m.writes), shares[1]/m.writes)
			shares = shares[1:]
		}
		shares = shares[1:]
		rate = min(rate, m.lagRate)
		m.flow(s.now, rate)
		if calm || m.frames != nil || m.heldRate == 0 {
			m.heldRate = rate
		}
	}
}

// balance lets those who read and write at once want no more in one direction than goes with what
// they get in the other: each as much as it gets in both, which is found by bisection. The shares
// are then those of what they want.
func (s *Sim) balance() {
	const nearly, negligible = 1e-10, 1e-6 // shares of a rate
	i := 0
	for _, m := range s.hubbed {
		if !m.isMixed() {
			i++
			continue
		}
		gets := func(rate float64) bool {
			claims := s.claims[i : i+2]
			claims[0].Cap, claims[1].Cap = rate*(1-m.writes), rate*m.writes
			ShareInto(s.profile.Capacity, s.claims, s.shares)
			return s.shares[i] >= claims[0].Cap*(1-nearly) &&
				s.shares[i+1] >= claims[1].Cap*(1-nearly)
		}
		high := m.demand(m.cap())
		if !gets(high) {
			low := negligible * high
			for high-low > nearly*high {
				if middle := (low + high) / 2; gets(middle) {
					low = middle
				} else {
					high = middle
				}
			}
			gets(low)
		}
		i += 2
	}
}

// nextEvent returns when a rate next may change.
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
	for i, m := range s.members {
		if m.disk == disk {
			return i
		}
	}
	return -1
}
