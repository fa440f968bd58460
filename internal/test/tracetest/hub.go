package tracetest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Hub is what disks share: a capacity, of which each gets no more than its level and its noise let
// it move, and beyond that parts in proportion to its weight (1 if there is none for it). What one
// leaves, others take at once.
type Hub struct {
	Capacity float64 // bytes per second
	Weights  map[string]float64
	Parts    []Part // links below the hub's own

	// LagS is how long those who stay hold their part when a disk has ended.
	LagS float64
	// Outside applies the disks' noise to what they get, as pkg/hub does; else it is of what they
	// could move, and what one leaves others take.
	Outside bool
	// Turns are when the hub changes, by time; each is the hub from then on except for LagS and
	// Outside.
	Turns []Turn
	// Watch is told twice a second how the hub shares, if it is not nil.
	Watch func(Shared)
}

// Shared is how a hub shares at one moment, without the noise that is applied to what disks get.
type Shared struct {
	AtS   float64
	Could map[string]float64 // What each active disk could move by itself.
	Gets  map[string]float64
	// Without returns what the others would get if one of the disks were not there.
	Without func(disk string) map[string]float64
}

// Part is a link that only some of the disks use: a hub below the hub, or one direction.
type Part struct {
	Disks    []string
	Capacity float64
}

// Turn is what a hub is from a time on.
type Turn struct {
	AtS float64
	Hub
}

const (
	hubStepS   = 0.01 // a hub shares out again so often
	watchSteps = 50   // Watch is called after this many steps
)

// Play plays disks together on the hub. Knees, flushes and limits of files are not played.
func (h Hub) Play(rnd *rand.Rand, disks ...Disk) []*trace.DiskRecord {
	members := make([]*member, len(disks))
	end := 0.0
	for i, d := range disks {
		if d.Sizes == nil {
			d.Sizes = Uniform
		}
		members[i] = &member{disk: d, noise: d.Noise.start(rnd, d.endS()), trace: d.record()}
		end = math.Max(end, d.endS())
	}
	for step := range int(math.Round(end / hubStepS)) {
		now := float64(step) * hubStepS
		for _, t := range h.Turns {
			if now >= t.AtS-1e-9 {
				h.Capacity, h.Weights, h.Parts = t.Capacity, t.Weights, t.Parts
			}
		}
		for _, m := range members {
			m.claim(rnd, now, h.Outside)
			gone := m.gone
			// All keep the part that they had until the lag is over.
			if m.gone = now >= m.disk.endS()-1e-9; m.gone && !gone {
				for _, m := range members {
					m.held, m.heldUntil = m.part, now+h.LagS
				}
			}
		}
		could := caps(members)
		h.share(members, now)
		if h.Watch != nil && step%watchSteps == watchSteps/2 {
			without := func(disk string) map[string]float64 { return h.without(members, disk, now) }
			h.Watch(Shared{AtS: now, Could: could, Gets: parts(members), Without: without})
		}
		for _, m := range members {
			m.rate = m.part * m.outside
			m.move(rnd, now)
		}
	}
	traces := make([]*trace.DiskRecord, len(members))
	for i, m := range members {
		m.end(m.disk.endS())
		traces[i] = m.trace
	}
	return traces
}

// active returns a rate of each active disk.
func active(members []*member, rate func(m *member) float64) map[string]float64 {
	rates := map[string]float64{}
	for _, m := range members {
		if m.cap > 0 {
			rates[m.disk.Name] = rate(m)
		}
	}
	return rates
}

// caps returns what the active disks could move.
func caps(members []*member) map[string]float64 {
	return active(members, func(m *member) float64 { return m.cap })
}

// parts returns what the active disks get.
func parts(members []*member) map[string]float64 {
	return active(members, func(m *member) float64 { return m.part })
}

// without shares among all but one.
func (h Hub) without(members []*member, disk string, now float64) map[string]float64 {
	var others []*member
	for _, m := range members {
		if m.disk.Name != disk {
			other := *m
			others = append(others, &other)
		}
	}
	h.share(others, now)
	return parts(others)
}

// member is a disk on the hub while it is played.
type member struct {
	disk                Disk
	noise               *wave
	trace               *trace.DiskRecord
	file                trace.File
	open, settled, gone bool
	size, done, moved   float64
	factor, outside     float64 // factors of the rate: the file's, and what is applied to the part
	cap, weight, part   float64
	rate                float64 // its present rate
	wait                float64 // until the file's first byte, or between files
	sampled             float64 // when the last sample was taken
	held, heldUntil     float64
}

// claim decides how much the disk could move now.
func (m *member) claim(rnd *rand.Rand, now float64, outside bool) {
	m.cap, m.outside = 0, 1
	if now < m.disk.StartS-1e-9 || now >= m.disk.endS()-1e-9 {
		return
	}
	if slices.ContainsFunc(m.disk.Pauses, func(p [2]float64) bool {
		return p[0]-1e-9 <= now && now < p[1]-1e-9
	}) {
		m.end(now)
		return
	}
	if !m.open && m.wait <= 0 {
		m.begin(rnd, now)
	}
	level, _ := m.disk.rateAt(now)
	if m.disk.Own != nil {
		level *= m.disk.Own(now, m.moved)
	}
	wave, _ := m.noise.at(now)
	if m.cap = level; outside {
		m.outside = wave * m.factor
	} else {
		m.cap *= wave * m.factor
	}
}

// share gives every disk its part by progressive filling, weighted: all rise together until the
// first limit, a disk's own or a link's, which stops those it is of (Bertsekas and Gallager, Data
// Networks, 6.5.2).
func (h Hub) share(members []*member, now float64) {
	for _, m := range members {
		m.part, m.weight, m.settled = 0, 1, m.cap == 0
		if weight, ok := h.Weights[m.disk.Name]; ok {
			m.weight = weight
		}
		if now < m.heldUntil-1e-9 {
			m.cap = math.Min(m.cap, m.held)
		}
	}
	links := append([]Part{{Capacity: h.Capacity}}, h.Parts...)
	for {
		lowest := math.Inf(1)
		var stops []*member
		limit := func(rise float64, of ...*member) {
			if rise < lowest {
				lowest, stops = rise, of
			}
		}
		for _, m := range members {
			if !m.settled {
				limit(m.cap/m.weight, m)
			}
		}
		for _, l := range links {
			if rise, open := l.rise(members); open != nil {
				limit(rise, open...)
			}
		}
		if stops == nil {
			break
		}
		for _, m := range stops {
			m.part, m.settled = lowest*m.weight, true
		}
	}
}

// rise returns how far the disks on a link that still rise could do so together, by what the others
// leave of it.
func (p Part) rise(members []*member) (rise float64, open []*member) {
	left, weights := p.Capacity, 0.0
	for _, m := range members {
		switch {
		case p.Disks != nil && !slices.Contains(p.Disks, m.disk.Name):
		case m.settled:
			left -= m.part
		default:
			weights += m.weight
			open = append(open, m)
		}
	}
	return math.Max(left, 0) / weights, open
}

// move carries the disk through a step.
func (m *member) move(rnd *rand.Rand, now float64) {
	before := m.done
	for left := hubStepS; left > 1e-12; {
		at := now + hubStepS - left
		if m.wait > 0 {
			took := math.Min(left, m.wait)
			m.wait -= took
			left -= took
			continue
		}
		if !m.open && at < m.disk.endS()-1e-9 && m.rate > 0 {
			m.begin(rnd, at)
			continue
		}
		if !m.open || m.rate <= 0 {
			break
		}
		took := math.Min(left, (m.size-m.done)/m.rate)
		m.done += m.rate * took
		m.moved += m.rate * took
		left -= took
		if m.done >= m.size-0.5 {
			m.end(now + hubStepS - left)
			before = -1
			if m.disk.Gap != nil {
				m.wait = m.disk.Gap(rnd)
			} else {
				m.begin(rnd, now+hubStepS-left)
			}
		}
	}
	every := int(math.Round(sampleS / hubStepS))
	due := int(math.Round(now/hubStepS))%every == every-1 || m.sampled > 0 && now+
		hubStepS > m.sampled+sampleS+1e-9
	// Nothing is reported while nothing moves.
	if m.open && due && !m.disk.BareFiles && m.done >= 1 && m.done != before {
		m.sampled = now + hubStepS
		m.file.AddSample(trace.Sample{TNS: ns(m.sampled), Bytes: int64(m.done)})
	}
}

func (m *member) begin(rnd *rand.Rand, at float64) {
	m.file = trace.File{Seq: len(m.trace.Files), StartNS: ns(at)}
	m.size, m.done, m.open = math.Max(1, math.Round(m.disk.Sizes(rnd, m.file.Seq))), 0, true
	m.factor, m.wait, m.sampled = m.disk.Noise.fileFactor(rnd), m.disk.Noise.PerFileS, 0
}

func (m *member) end(at float64) {
	if m.file.EndNS, m.file.Bytes = ns(at), int64(math.Round(m.done)); m.open && m.file.Usable() {
		for n := len(m.file.Samples()); n > 0 && m.file.Samples()[n-1].TNS >= m.file.EndNS; n-- {
			m.file.Progress.Samples = m.file.Samples()[:n-1]
		}
		m.trace.Files = append(m.trace.Files, m.file)
	}
	m.open = false
}
