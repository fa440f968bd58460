package hub

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// member is one disk's part in a simulation: what it is to do, and its curve of bytes moved over time.
type member struct {
	disk  string
	side  *Side
	work  Work
	total int64 // bytes after which it leaves, or begins to fill
	fills bool  // it holds, and has moved its files
	state state

	curve []breakpoint // by time; from the last grant on
	share float64      // its rate now, but for noise

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

	cache   *Cache // nil where it does not matter
	level   *cacheLevel
	emptyAt float64 // bytes moved when the cache has none left
	empty   bool
}

// cacheLevel is what is left of a disk's cache.
type cacheLevel struct {
	left    float64 // bytes
	sinceNS int64   // when that was, the disk not having written since; below zero: before this phase
}

// breakpoint is a point of the curve from which on the rate is constant.
type breakpoint struct {
	tNS   int64
	bytes float64 // moved by then
	rate  float64 // bytes per second from then on
}

// state of a member: it only ever moves forward.
type state int

const (
	pending state = iota
	active
	gone
)

// tolerance is how near in bytes counts as there: far above the rounding of float64 at the sizes of disks
// (1e-5 at 10^11), far below one byte's time.
const tolerance = 1e-3

func newMember(disk string, side *Side, work Work, noise float64) *member {
	m := &member{disk: disk, side: side, work: work, noise: noise, noiseFactor: 1, fileEnd: work.Sizes[0], emptyAt: math.Inf(1)}
	m.total = endless
	if !work.Policy.Open() {
		m.total = 0
		for _, size := range work.Sizes {
			m.total += size
		}
	}
	m.perFile = noise > 0 || side.PerFile > 0 || side.Knee.AboveBytes > 0
	if noise > 0 {
		h := fnv.New64a()
		h.Write([]byte(disk))
		m.rng = rand.New(rand.NewPCG(work.Seed, h.Sum64()))
		m.drawNoise()
	}
	m.endLag()
	return m
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

// size is the bytes of the file in transfer; after the last the first comes again.
func (m *member) size() int64 { return m.work.Sizes[m.file%len(m.work.Sizes)] }

// fill lets it go on for the others' sake.
func (m *member) fill() { m.fills, m.total = true, endless }

// start makes it active.
func (m *member) start(tNS int64) {
	m.state = active
	m.turn(tNS, 0)
	if m.cache != nil {
		rested := float64(tNS-m.level.sinceNS) * 1e-9 * m.cache.Refill
		m.emptyAt = min(m.level.left+rested, float64(m.cache.Bytes))
	}
}

// proceed goes on to the next file where one is done, and notes when the cache has none left.
func (m *member) proceed(tNS int64) {
	m.empty = m.cache != nil && m.moved(tNS) >= m.emptyAt-tolerance
	for m.perFile && m.fileEnd < m.total && m.moved(tNS) >= float64(m.fileEnd)-tolerance {
		m.file++
		m.fileEnd += m.size()
		m.drawNoise()
	}
}

// cap is the rate it can reach now with nobody else there.
func (m *member) cap() float64 {
	rate := m.side.cap(m.work.Direct, m.size())
	if m.empty {
		rate = min(rate, m.cache.After)
	}
	return rate
}

// flow sets its share from tNS on.
func (m *member) flow(tNS int64, share float64) {
	m.share = share
	m.turn(tNS, share*m.noiseFactor)
}

// nextEvent is when it next needs looking at, as long as its rate stays.
func (m *member) nextEvent() int64 {
	next := min(m.lagUntil, m.movedAt(float64(m.total)))
	if m.perFile && m.fileEnd < m.total {
		next = min(next, m.movedAt(float64(m.fileEnd)))
	}
	if m.cache != nil && !m.empty {
		next = min(next, m.movedAt(m.emptyAt))
	}
	return next
}

func (m *member) contends() bool { return m.state == active && !m.work.Direct }

func (m *member) startLag(rate float64, untilNS int64) { m.lagRate, m.lagUntil = rate, untilNS }

func (m *member) endLag() { m.startLag(math.Inf(1), never) }

// turn bends the curve at tNS. A rate that stays as it is leaves the curve alone, so no rounding is added.
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

// stop ends the curve.
func (m *member) stop(tNS int64) {
	if m.cache != nil {
		m.level.left, m.level.sinceNS = max(m.emptyAt-m.moved(tNS), 0), tNS
	}
	m.turn(tNS, 0)
	m.state = gone
	m.endLag()
}

// moved is what it has moved by tNS, which must not lie before the last breakpoint.
func (m *member) moved(tNS int64) float64 {
	if len(m.curve) == 0 {
		return 0
	}
	return m.curve[len(m.curve)-1].moved(tNS)
}

func (b breakpoint) moved(tNS int64) float64 {
	return b.bytes + b.rate*float64(tNS-b.tNS)*1e-9
}

// movedAt is when the disk has moved so many bytes in all, rounded up to a nanosecond: the past is
// known, the future is as the present rate has it. It is never where the curve ends below.
func (m *member) movedAt(target float64) int64 {
	for i, b := range m.curve {
		if i+1 < len(m.curve) && m.curve[i+1].bytes < target-tolerance {
			continue
		}
		left := max(target-b.bytes, 0)
		if left <= tolerance {
			return b.tNS
		}
		if b.rate <= 0 {
			continue
		}
		after := math.Ceil(left / b.rate * 1e9)
		if after >= float64(never-b.tNS) {
			return never
		}
		return b.tNS + int64(after)
	}
	return never
}

// forget drops what lies before the last grant: no later grant can fall there.
func (m *member) forget() {
	keep := 0
	for keep+1 < len(m.curve) && m.curve[keep+1].bytes <= float64(m.granted) {
		keep++
	}
	if keep > 0 {
		m.curve = append(m.curve[:0], m.curve[keep:]...)
	}
}
