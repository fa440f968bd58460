package hub

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Sim plays disks against one another in the model's time. It is exact: rates change only at events (a
// disk joins, ends or is taken away, a lag runs out, a cache fills, a file of another size or noise factor begins, a frame is
// asked for or there), and between events nothing is computed.
//
// It serves a simulation of a whole plan, and equally a hub that real workers ask over the wire. For the
// latter, an active disk is always being served, whether its worker has asked yet or not: a late Ask is
// answered from what the disk has moved meanwhile, so its completion may lie in the past. What the model
// says therefore depends only on what joins when, never on how slow or in what order the workers ask.
//
// Recovery: when a disk leaves, each disk that stays is held at the rate it has at that instant until its
// lag (Lags) has passed, and then takes its new share. The latest leave decides: a further leave during a
// hold starts the hold again, at the rate the disk has then, even if that ends sooner. A disk that joins
// is never held: it takes at once the share it would have if no disk were held, and held disks give way
// if that share is below what they hold.
//
// Streams: a disk that plays or records moves one frame after the other, each as fast as it can, and nothing between
// them. While it moves one it contends as any disk does, so the others have less then and all of theirs in between, as on a
// real link. A flow at the streams' mean rate would be smoother, but it could not say when a frame has arrived, and it would
// charge the others all the time for a disk (Capacity.PerDisk, Pair) that is at work for a part of it. Resting is not
// leaving: it holds no disk. When a disk leaves, the streams' disk is held at the rate of its latest frame, and the others at
// the rate that they had when no frame was on its way, unless frames have long followed one another without rest.
//
// A job at a pace is a flow that wants no more than its pace, except for what it has to make up for. A probe takes nothing
// from the others; how long its requests take, the model does not know. A cache regains nothing between frames or at a
// pace: that needs a rest.
//
// On demand: a disk may also move only what its worker asks for, as for programs whose future work is unknown.
// Those who stay are held when it leaves only if it was at work for most of the time, and from its last byte on; what
// separates a rest from a leave stands at DemandLeaves.
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
	samples  []trace.Event          // of streams, not yet asked for
	phase    policy.Phase
	settling policy.Settling // of the phase that JoinPhase began
}

// Work is what a disk does from the time it joins until it leaves: in a race, when it has moved all its files. Those
// who hold leave as one when the last of them has; open work lasts until Finish or Leave.
type Work struct {
	Profile string     // the disk's name in the profile; the name it joins by if empty
	Op      trace.Role // Read or Write
	Sizes   []int64    // bytes of each file, in order; after the last it leaves, or begins again, as the policy has it
	Direct  bool       // it is connected to a port of its own and contends with nobody
	Seed    uint64     // of the profile's noise
	Policy  policy.Policy

	Pace    float64       // bytes per second, at most; 0: as fast as it can
	Reads   float64       // of what it moves, if it reads and writes at once; 0: it does what Op says
	Streams []stream.Spec // what it plays or records, instead of files; Sizes only divide what it moves
	Probe   float64       // bytes per second of single requests, which no one else notices; 0: it does not probe

	OnDemand bool // it moves what is asked for, whenever that is, and leaves when nothing has been for DemandLeaves; no Sizes
}

// accompanies reports whether it has no work of its own to finish.
func (w *Work) accompanies() bool { return len(w.Streams) > 0 || w.Probe > 0 }

// open reports whether it does not end by itself, as far as is known when it begins.
func (w *Work) open() bool { return w.Policy.Open() || w.accompanies() || w.OnDemand }

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

// NewSim makes a simulation with no disk active and the time at zero. The profile is trusted: it comes from
// Load, or from Fit.
func NewSim(p *Profile) *Sim {
	return &Sim{profile: p, caches: map[string]*cacheLevel{}}
}

// Restart begins a new phase after a rest: no disk is active and the time is at zero again. Caches refill during
// the rest.
func (s *Sim) Restart(restNS int64) {
	for _, m := range s.members {
		if m.state == active {
			m.stop(s.now)
		}
	}
	for _, level := range s.caches {
		level.sinceNS -= s.now + restNS
	}
	s.members, s.changes, s.samples, s.now, s.phase = nil, nil, nil, 0, policy.Phase{}
}

// Join makes a disk active from tNS on, which must not lie before the last Advance. A disk that has left
// may join again.
func (s *Sim) Join(disk string, work Work, tNS int64) error {
	name := cmp.Or(work.Profile, disk)
	known := s.profile.Disk(name)
	if work.OnDemand {
		work.Sizes = noSizes()
	}
	switch {
	case known == nil:
		return fmt.Errorf("disk %s joins the hub: profile %s has no disk %q; it has %s", disk, s.profile.Name, name, strings.Join(s.profile.Names(), ", "))
	case work.Op != trace.Read && work.Op != trace.Write:
		return fmt.Errorf("disk %s joins the hub: role %q is neither read nor write", disk, work.Op)
	case len(work.Sizes) == 0:
		return fmt.Errorf("disk %s joins the hub: it has no file to move", disk)
	case slices.Min(work.Sizes) <= 0:
		return fmt.Errorf("disk %s joins the hub: a file of %d bytes", disk, slices.Min(work.Sizes))
	case work.Pace < 0 || work.Reads < 0 || work.Reads >= 1 || work.Probe < 0:
		return fmt.Errorf("disk %s joins the hub: a pace of %g B/s, %g of it reads, %g B/s of probes", disk, work.Pace, work.Reads, work.Probe)
	case tNS < s.now:
		return fmt.Errorf("disk %s joins the hub at %d ns: the hub is already at %d ns", disk, tNS, s.now)
	}
	m, err := newMember(disk, known, work, s.profile.Noise)
	if err != nil {
		return fmt.Errorf("disk %s joins the hub: %w", disk, err)
	}
	if known.Cache != nil && m.writes > 0 && work.Probe == 0 {
		if s.caches[disk] == nil {
			s.caches[disk] = &cacheLevel{left: float64(known.Cache.Bytes), sinceNS: tNS}
		}
		m.cache, m.level = known.Cache, s.caches[disk]
	}
	if i := s.index(disk); i < 0 {
		s.members = append(s.members, m)
	} else if s.members[i].state != gone {
		return fmt.Errorf("disk %s joins the hub: it is already there", disk)
	} else {
		s.members[i] = m
	}
	// By name, not in the order of the calls: which came first over the wire must not matter.
	slices.SortFunc(s.members, func(a, b *member) int { return cmp.Compare(a.disk, b.disk) })
	s.schedule(change{tNS: tNS, member: m})
	if !work.accompanies() {
		s.phase.Begin(disk)
	}
	return nil
}

// Ask says that a disk's worker waits for that many more bytes, on demand from the last Advance on. Several asks of one disk
// queue up.
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
		return fmt.Errorf("disk %s asks the hub for %d bytes: only %d of its files are left", disk, bytes, m.total-m.asked)
	}
	m.asked += bytes
	m.asks = append(m.asks, bytes)
	if m.demand != nil && m.state == active && m.demand.resting {
		m.demand.resume(s.now)
		s.rerate()
	}
	return nil
}

// Leave takes a disk away at tNS, whatever it still had to move: a killed worker. If the hub is already
// past tNS, it leaves now. An Ask for more than it had moved by then is answered as Ended.
func (s *Sim) Leave(disk string, tNS int64) {
	if i := s.index(disk); i >= 0 && s.members[i].state != gone {
		s.schedule(change{tNS: max(tNS, s.now), member: s.members[i], leaves: true})
	}
}

// Finish gives open work its end: the disk leaves, or begins to fill, when it has moved that many bytes in all, or now
// if it has moved more. For a disk that fills already, it comes too late to matter.
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
	s.changes = slices.DeleteFunc(s.changes, func(c change) bool { return c.leaves }) // at the phase's limit, that nobody reaches
	for _, m := range s.members {
		s.Leave(m.disk, endNS)
	}
}

// Next is when something next happens: a grant falls due or a rate may change. If a grant is overdue it
// lies in the past. ok is false when nothing is under way.
func (s *Sim) Next() (tNS int64, ok bool) {
	tNS = s.nextEvent()
	for _, m := range s.members {
		if len(m.asks) > 0 {
			tNS = min(tNS, m.movedAt(float64(m.granted+m.asks[0])))
		}
	}
	return tNS, tNS < never
}

// Advance moves the time to tNS and returns every grant due by then, in the order of completion, equal
// times by name. How often it is called, and at which times, makes no difference to any result.
func (s *Sim) Advance(tNS int64) []Grant {
	for {
		at := s.nextEvent()
		if at > tNS {
			break
		}
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
			grants = append(grants, Grant{Disk: m.disk, Bytes: m.asks[0], DoneNS: done, Ended: ended})
			m.asks = m.asks[1:]
		}
		m.forget()
	}
	slices.SortStableFunc(grants, func(a, b Grant) int { return cmp.Compare(a.DoneNS, b.DoneNS) })
	return grants
}

// Samples returns the stream lines of the named phase since the last call, one for each stream every stream.SampleNS, in
// the order of time.
func (s *Sim) Samples(phase string) []trace.Event {
	samples := s.samples
	for i := range samples {
		samples[i].Phase = phase
	}
	s.samples = nil
	return samples
}
