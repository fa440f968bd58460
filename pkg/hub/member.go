package hub

import "math"

// member is one disk's part in a simulation: what it is to do, and its curve of bytes moved over time.
type member struct {
	disk  string
	side  Side
	work  Work
	total int64 // bytes of all its files
	state state

	curve []bend // by time; from the last grant on

	asked   int64 // in all
	granted int64
	asks    []int64 // waiting

	held      float64 // the rate it may not pass until heldUntil; infinite when it is not held
	heldUntil int64
}

// bend is a point of the curve from which on the rate is constant.
type bend struct {
	tNS   int64
	bytes float64 // moved by then
	rate  float64 // bytes per second from then on
}

// state of a member: it only ever moves forward.
type state int

const (
	coming state = iota
	active
	gone
)

// tolerance is how near in bytes counts as there: far above the rounding of float64 at the sizes of disks
// (1e-5 at 10^11), far below one byte's time.
const tolerance = 1e-3

func newMember(disk string, side Side, work Work) *member {
	m := &member{disk: disk, side: side, work: work}
	for _, size := range work.Sizes {
		m.total += size
	}
	m.release()
	return m
}

func (m *member) contends() bool { return m.state == active && !m.work.Direct }

func (m *member) hold(rate float64, untilNS int64) { m.held, m.heldUntil = rate, untilNS }

func (m *member) release() { m.hold(math.Inf(1), never) }

// turn bends the curve at tNS. A rate that stays as it is leaves the curve alone, so no rounding is added.
func (m *member) turn(tNS int64, rate float64) {
	if len(m.curve) == 0 {
		m.curve = append(m.curve, bend{tNS: tNS, rate: rate})
		return
	}
	last := &m.curve[len(m.curve)-1]
	switch {
	case last.rate == rate:
	case last.tNS == tNS:
		last.rate = rate
	default:
		m.curve = append(m.curve, bend{tNS: tNS, bytes: m.moved(tNS), rate: rate})
	}
}

// stop ends the curve.
func (m *member) stop(tNS int64) {
	m.turn(tNS, 0)
	m.state = gone
	m.release()
}

// rate is its rate since the last event.
func (m *member) rate() float64 {
	if len(m.curve) == 0 {
		return 0
	}
	return m.curve[len(m.curve)-1].rate
}

// moved is what it has moved by tNS, which must not lie before the last bend.
func (m *member) moved(tNS int64) float64 {
	if len(m.curve) == 0 {
		return 0
	}
	return m.curve[len(m.curve)-1].moved(tNS)
}

func (b bend) moved(tNS int64) float64 {
	return b.bytes + b.rate*float64(tNS-b.tNS)*1e-9
}

// movedAt is when the disk has moved so many bytes in all, rounded up to a nanosecond: the past is
// known, the future is as the present rate has it. It is never where the curve ends below.
func (m *member) movedAt(bytes int64) int64 {
	target := float64(bytes)
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
