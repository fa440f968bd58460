package hub

import "math"

// breakpoint is a point of the curve from which on the rate is constant.
type breakpoint struct {
	tNS   int64
	bytes float64 // moved by then
	rate  float64 // bytes per second from then on
}

// tolerance is the distance in bytes that counts as arrived: far above the rounding of float64 at the sizes of disks
// (1e-5 at 10^11), far below one byte's time.
const tolerance = 1e-3

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
		m.level.left, m.level.sinceNS = max(m.emptyAt-m.moved(tNS), 0)*m.writes, tNS
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

// movedAt is when the disk has moved that many bytes in all, rounded up to a nanosecond: the past is
// known, the future is as the present rate has it. It is never if the curve ends below.
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
		if b.rate <= 0 {
			continue
		}
		return after(b.tNS, left/b.rate)
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
