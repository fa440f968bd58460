package hub

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/pkg/trace"
)

// member is one disk's part in a simulation: what it is to do, and its curve of bytes moved over time.
type member struct {
	disk  string
	known *Disk
	work  Work
	total int64 // bytes after which it leaves, or begins to fill
	fills bool  // it holds, and has moved its files
	state state

	curve []breakpoint // by time; from the last grant on
	held  float64      // the share it keeps when another leaves: its own, except for noise and for the others' frames

	frames *frames // nil: it moves files
	pace   *pace   // nil: as fast as it can
	demand *demand // nil: it moves whether it is asked to or not

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

	cache   *Cache // nil if it does not matter
	level   *cacheLevel
	writes  float64 // share of what it moves that is written
	emptyAt float64 // bytes moved when the cache has none left
	empty   bool
}

// cacheLevel is what is left of a disk's cache.
type cacheLevel struct {
	left    float64 // bytes
	sinceNS int64   // when that was, the disk not having written since; below zero: before this phase
}

// state of a member: it only ever moves forward.
type state int

const (
	pending state = iota
	active
	gone
)

func newMember(disk string, known *Disk, work Work, noise float64) (*member, error) {
	m := &member{disk: disk, known: known, work: work, noiseFactor: 1, fileEnd: work.Sizes[0], emptyAt: math.Inf(1)}
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
	if work.OnDemand {
		m.demand = newDemand(known.Side(work.Op).cap(work.Direct, work.Sizes[0]))
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
	m.perFile = noise > 0 || m.frames == nil && (m.writes < 1 && known.Read.bySize() || m.writes > 0 && known.Write.bySize())
	if noise > 0 {
		h := fnv.New64a()
		h.Write([]byte(disk))
		m.rng = rand.New(rand.NewPCG(work.Seed, h.Sum64()))
		m.drawNoise()
	}
	return m, nil
}

// endless is more bytes than any disk moves, and few enough that no sum overflows.
const endless = math.MaxInt64 / 4

// drawNoise decides the factor of the next file's rate: lognormal, such that over many files the mean time, and so the rate
// over all, is as without noise.
func (m *member) drawNoise() {
	if m.noise > 0 {
		m.noiseFactor = math.Exp(m.noise*m.rng.NormFloat64() + m.noise*m.noise/2)
	}
}

// size is the bytes of the file in transfer; after the last the first comes again. A stream is a file without an end.
func (m *member) size() int64 {
	if m.frames != nil {
		return endless
	}
	return m.work.Sizes[m.file%len(m.work.Sizes)]
}

// fill makes it go on so that the others keep their competition.
func (m *member) fill() { m.fills, m.total = true, endless }

// start makes it active.
func (m *member) start(tNS int64) {
	m.state = active
	m.turn(tNS, 0)
	if m.cache != nil {
		rested := float64(tNS-m.level.sinceNS) * 1e-9 * m.cache.Refill
		m.emptyAt = min(m.level.left+rested, float64(m.cache.Bytes)) / m.writes
	}
	if m.frames != nil {
		m.frames.begin(tNS)
	}
	if m.pace != nil {
		m.pace.begin(tNS)
	}
	if m.demand != nil {
		m.demand.begin(tNS)
	}
}

// proceed goes on to the next file or frame when one is done, and notes when the cache has none left.
func (m *member) proceed(tNS int64) {
	moved := m.moved(tNS)
	m.empty = m.cache != nil && moved >= m.emptyAt-tolerance
	for m.perFile && m.fileEnd < m.total && moved >= float64(m.fileEnd)-tolerance {
		m.file++
		m.fileEnd += m.work.Sizes[m.file%len(m.work.Sizes)]
		m.drawNoise()
	}
	if m.frames != nil {
		m.frames.proceed(tNS, moved)
	}
	if m.pace != nil {
		m.pace.proceed(tNS, moved)
	}
	if m.demand != nil {
		m.demand.proceed(tNS, moved >= m.reach()-tolerance)
	}
}

// rests reports whether it is active and takes no part: the next frame's time has not come, or nothing is asked for.
func (m *member) rests() bool {
	return m.frames != nil && m.frames.player == nil || m.demand != nil && m.demand.gives()
}

// soonRests reports whether it is at work and may soon rest again.
func (m *member) soonRests(tNS int64) bool {
	return m.frames != nil && m.frames.soonRests(tNS) || m.demand != nil && !m.demand.steady
}

// cap is the rate it can reach now with no one else there. One that reads and writes at once gives each its time.
func (m *member) cap() float64 {
	write := func() float64 {
		rate := m.known.Write.cap(m.work.Direct, m.size())
		if m.empty {
			rate = min(rate, m.cache.After)
		}
		return rate
	}
	switch m.writes {
	case 0:
		return m.known.Read.cap(m.work.Direct, m.size())
	case 1:
		return write()
	}
	return 1 / ((1-m.writes)/m.known.Read.cap(m.work.Direct, m.size()) + m.writes/write())
}

// want is the rate it aims at, except for noise, if it can reach that much.
func (m *member) want(limit float64) float64 {
	if m.pace != nil && !m.pace.behind() {
		return min(limit, m.pace.rate/m.noiseFactor)
	}
	return limit
}

// claim appends its part in the contention: one claim, or two if it reads and writes at once.
func (m *member) claim(claims []Claim) []Claim {
	limit := m.cap()
	want := m.want(limit)
	if m.writes < 1 {
		reads := 1 - m.writes
		claims = append(claims, Claim{Op: trace.Read, Cap: reads * limit, Want: reads * want, Weight: m.known.Read.Weight})
	}
	if m.writes > 0 {
		claims = append(claims, Claim{Op: trace.Write, Cap: m.writes * limit, Want: m.writes * want, Weight: m.known.Write.Weight, Same: m.mixes()})
	}
	return claims
}

// flow sets its rate, except for noise, from tNS on.
func (m *member) flow(tNS int64, rate float64) { m.turn(tNS, rate*m.noiseFactor) }

// nextEvent is when its state next changes, if its rate stays.
func (m *member) nextEvent() int64 {
	next := min(m.lagUntil, m.movedAt(float64(m.total)))
	if m.perFile && m.fileEnd < m.total {
		next = min(next, m.movedAt(float64(m.fileEnd)))
	}
	if m.cache != nil && !m.empty {
		next = min(next, m.movedAt(m.emptyAt))
	}
	if f := m.frames; f != nil {
		next = min(next, f.sampleNS)
		if m.rests() {
			next = min(next, f.askNS)
		} else {
			next = min(next, m.movedAt(float64(f.end)))
		}
	}
	if m.pace != nil {
		next = min(next, m.pace.caughtUp(m.curve[len(m.curve)-1].rate))
	}
	if d := m.demand; d != nil {
		next = min(next, d.nextEvent())
		if !d.resting {
			next = min(next, m.movedAt(m.reach()))
		}
	}
	return next
}

// shares reports whether it is on the hub with the others, at work or resting.
func (m *member) shares() bool { return m.state == active && !m.work.Direct && m.work.Probe == 0 }

func (m *member) startLag(rate float64, untilNS int64) { m.lagRate, m.lagUntil = rate, untilNS }

func (m *member) endLag() { m.startLag(math.Inf(1), never) }
