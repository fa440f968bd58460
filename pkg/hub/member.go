package hub

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/pkg/trace"
)

// member is one disk's part in a simulation: what it is to do, and its curve of bytes moved over
// time.
type member struct {
	disk  string
	known *DiskModel
	work  Work
	total int64 // bytes after which it leaves, or begins to fill
	fills bool  // it holds, and has moved its files
	state memberState

	curve []breakpoint // by time; from the last grant on
	// The share it keeps when another leaves: its own, except for noise and for the others' frames.
	heldRate float64

	frames *frames // nil: it moves files
	pace   *pace   // nil: as fast as it can

	asked   int64 // in all
	granted int64
	asks    []int64 // waiting

	lagRate  float64 // the share it may not pass until lagUntil; infinite outside a lag
	lagUntil int64

	// What changes from file to file; without it, files are one stream.
	perFile     bool
	noise       float64
	rng         *rand.Rand
	file        int     // in transfer
	fileEnd     int64   // bytes of all its files up to and with that one
	noiseFactor float64 // factor of this file's rate
	thinksUntil int64   // when its next file begins; 0: one is in transfer

	cache   *Cache // nil if it does not matter
	level   *cacheLevel
	writes  float64 // share of what it moves that is written
	emptyAt float64 // bytes moved when the cache has none left
	empty   bool
}

type cacheLevel struct {
	left float64 // bytes
	// When that was, the disk not having written since; below zero: before this phase.
	sinceNS int64
}

// breakpoint is a point of the curve from which on the rate is constant.
type breakpoint struct {
	tNS   int64
	bytes float64 // moved by then
	rate  float64 // bytes per second from then on
}

// memberState of a member: it only ever moves forward.
type memberState int

const (
	pending memberState = iota
	active
	gone
)

const (
	// never is later than any event.
	never = math.MaxInt64
	// endless is more bytes than any disk moves, and few enough that no sum overflows.
	endless = math.MaxInt64 / 4
	// tolerance is the distance in bytes that counts as arrived: far above the rounding of float64
	// at the sizes of disks (1e-5 at 10^11), far below one byte's time.
	tolerance = 1e-3
)

func newMember(disk string, known *DiskModel, work Work, noise float64) (*member, error) {
	m := &member{disk: disk, known: known, work: work, noiseFactor: 1, fileEnd: work.Sizes[0],
		emptyAt: math.Inf(1)}
	m.total = endless
	if !work.open() {
		m.total = 0
		for _, size := range work.Sizes {
			m.total += size
		}
	}
	switch {
	case work.Reads > 0:
		m.writes = 1 - work.Reads
	case work.Op == trace.Write:
		m.writes = 1
	}
	if work.Pace > 0 {
		m.pace = &pace{rate: work.Pace}
	}
	m.endLag()
	if work.Probe > 0 {
		return m, nil
	}
	var err error
	if len(work.Streams) > 0 {
		if m.frames, err = newFrames(work.Streams); err != nil {
			return nil, err
		}
	}
	m.noise = noise
	bySize := m.writes < 1 && known.Read.bySize() || m.writes > 0 && known.Write.bySize()
	m.perFile = noise > 0 || work.Think > 0 || m.frames == nil && bySize
	if noise > 0 {
		h := fnv.New64a()
		h.Write([]byte(disk))
		m.rng = rand.New(rand.NewPCG(work.Seed, h.Sum64()))
		m.drawNoise()
	}
	return m, nil
}

// drawNoise decides the factor of the next file's rate: lognormal, such that over many files the
// mean time, and so the rate over all, is as without noise.
func (m *member) drawNoise() {
	if m.noise > 0 {
		m.noiseFactor = math.Exp(m.noise*m.rng.NormFloat64() + m.noise*m.noise/2)
	}
}

func (m *member) start(tNS int64) {
	m.state = active
	m.turn(tNS, 0)
	if m.cache != nil {
		rested := float64(tNS-m.level.sinceNS) * 1e-9 * m.cache.Refill
		m.emptyAt = min(m.level.left+rested, float64(m.cache.Bytes)) / m.writes
	}
	if m.frames != nil {
		m.frames.proceed(tNS, 0)
	}
	if m.pace != nil {
		m.pace.sinceNS = tNS
	}
}

// proceed goes on to the next file or frame when one is done, and notes when the cache has none
// left.
func (m *member) proceed(tNS int64) {
	moved := m.moved(tNS)
	m.empty = m.cache != nil && moved >= m.emptyAt-tolerance
	for m.perFile && m.fileEnd < m.total && moved >= float64(m.fileEnd)-tolerance {
		m.file++
		m.fileEnd += m.work.Sizes[m.file%len(m.work.Sizes)]
		m.drawNoise()
		if m.work.Think > 0 {
			m.thinksUntil = tNS + int64(m.work.Think)
		}
	}
	if tNS >= m.thinksUntil {
		m.thinksUntil = 0
	}
	if m.frames != nil {
		m.frames.proceed(tNS, moved)
	}
	if m.pace != nil {
		m.pace.proceed(tNS, moved)
	}
}

func (m *member) stop(tNS int64) {
	if m.cache != nil {
		m.level.left = max(m.emptyAt-m.moved(tNS), 0) * m.writes
		m.level.sinceNS = tNS
	}
	m.turn(tNS, 0)
	m.state = gone
	m.endLag()
}

func (m *member) startLag(rate float64, untilNS int64) {
	m.lagRate = rate
	m.lagUntil = untilNS
}

func (m *member) endLag() { m.startLag(math.Inf(1), never) }

// shares reports whether it is on the hub with the others, at work or resting.
func (m *member) shares() bool { return m.state == active && !m.work.Direct && m.work.Probe == 0 }

func (m *member) isMixed() bool { return m.writes > 0 && m.writes < 1 }

// isResting reports whether it is active and takes no part: the next file's or frame's time has not
// come.
func (m *member) isResting() bool {
	return m.thinksUntil > 0 || m.frames != nil && m.frames.player == nil
}

// cap returns the rate it can reach now with no one else there. One that reads and writes at once
// gives each its time.
func (m *member) cap() float64 {
	size := int64(endless) // a stream is a file without an end
	if m.frames == nil {
		size = m.work.Sizes[m.file%len(m.work.Sizes)] // after the last the first comes again
	}
	read := m.known.Read.cap(m.work.Direct, size)
	if m.writes == 0 {
		return read
	}
	write := m.known.Write.cap(m.work.Direct, size)
	if m.empty {
		write = min(write, m.cache.After)
	}
	if m.writes == 1 {
		return write
	}
	return 1 / ((1-m.writes)/read + m.writes/write)
}

// demand returns the rate it aims at, except for noise, if it can reach that much.
func (m *member) demand(limit float64) float64 {
	if m.pace != nil && !m.pace.behind() {
		return min(limit, m.pace.rate/m.noiseFactor)
	}
	return limit
}

// claim appends its part in the contention: one claim, or two if it reads and writes at once.
func (m *member) claim(claims []Claim) []Claim {
	want := m.demand(m.cap())
	if reads := 1 - m.writes; reads > 0 {
		claims = append(claims, Claim{Op: trace.Read, Cap: reads * want,
			Weight: m.known.Read.Weight})
	}
	if m.writes > 0 {
		claims = append(claims, Claim{Op: trace.Write, Cap: m.writes * want,
			Weight: m.known.Write.Weight})
	}
	return claims
}

// flow sets its rate, except for noise, from tNS on.
func (m *member) flow(tNS int64, rate float64) { m.turn(tNS, rate*m.noiseFactor) }

// nextEvent returns when its state next changes, if its rate stays.
func (m *member) nextEvent() int64 {
	next := min(m.lagUntil, m.movedAt(float64(m.total)))
	if m.perFile && m.fileEnd < m.total {
		next = min(next, m.movedAt(float64(m.fileEnd)))
	}
	if m.thinksUntil > 0 {
		next = min(next, m.thinksUntil)
	}
	if m.cache != nil && !m.empty {
		next = min(next, m.movedAt(m.emptyAt))
	}
	if f := m.frames; f != nil {
		next = min(next, f.sampleNS)
		if m.isResting() {
			next = min(next, f.askNS)
		} else {
			next = min(next, m.movedAt(float64(f.end)))
		}
	}
	if p, rate := m.pace, m.curve[len(m.curve)-1].rate; p != nil && p.behind() && rate > p.rate {
		next = min(next, after(p.sinceNS, p.arrears/(rate-p.rate)))
	}
	return next
}

// turn bends the curve at tNS. A rate that stays as it is leaves the curve alone, so no rounding is
// added.
func (m *member) turn(tNS int64, rate float64) {
	if len(m.curve) == 0 {
		m.curve = append(m.curve, breakpoint{tNS: tNS, rate: rate})
		return
	}
	last := &m.curve[len(m.curve)-1]
	switch {
	case last.rate == rate:
	case last.tNS == tNS:
		last.rate = rate
	default:
		m.curve = append(m.curve, breakpoint{tNS: tNS, bytes: m.moved(tNS), rate: rate})
	}
}

// moved returns what it has moved by tNS, which must not lie before the last breakpoint.
func (m *member) moved(tNS int64) float64 {
	if len(m.curve) == 0 {
		return 0
	}
	b := &m.curve[len(m.curve)-1]
	return b.bytes + b.rate*float64(tNS-b.tNS)*1e-9
}

// movedAt returns when the disk has moved that many bytes in all, rounded up to a nanosecond: the
// past is known, the future is as the present rate has it. It is never if the curve ends below.
func (m *member) movedAt(target float64) int64 {
	from := 0
	if last := len(m.curve) - 1; last > 0 && m.curve[last].bytes < target-tolerance {
		from = last // in the future, as most that is asked for is
	}
	for i := from; i < len(m.curve); i++ {
		b := m.curve[i]
		if i+1 < len(m.curve) && m.curve[i+1].bytes < target-tolerance {
			continue
		}
		left := max(target-b.bytes, 0)
		if left <= tolerance {
			return b.tNS
		}
		if b.rate > 0 {
			return after(b.tNS, left/b.rate)
		}
	}
	return never
}

// after is that many seconds after tNS, rounded up to a nanosecond.
func after(tNS int64, seconds float64) int64 {
	ns := math.Ceil(seconds * 1e9)
	if ns >= float64(never-tNS) {
		return never
	}
	return tNS + int64(ns)
}
