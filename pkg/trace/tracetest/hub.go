package tracetest

import (
	"math"
	"math/rand/v2"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Hub is what disks share: a capacity, of which each gets no more than its level and its noise let it move, and beyond
// that parts in proportion to its weight (1 where there is none for it). What one leaves, others take at once.
type Hub struct {
	Capacity float64 // bytes per second
	Weights  map[string]float64
}

const hubStepS = 0.01 // a hub shares out anew so often

// Play plays disks together on the hub. Knees, fixed costs and limits of files are not played.
func (h Hub) Play(rnd *rand.Rand, disks ...Disk) []*trace.DiskTrace {
	members := make([]*member, len(disks))
	end := 0.0
	for i, d := range disks {
		if d.Sizes == nil {
			d.Sizes = Uniform
		}
		members[i] = &member{disk: d, noise: d.Noise.start(rnd, d.endS()), trace: &trace.DiskTrace{Name: d.Name, Op: d.Op}}
		if d.Op == "" {
			members[i].trace.Op = trace.Write
		}
		end = math.Max(end, d.endS())
	}
	for step := range int(math.Round(end / hubStepS)) {
		now := float64(step) * hubStepS
		for _, m := range members {
			m.claim(rnd, now)
		}
		h.share(members)
		for _, m := range members {
			m.move(rnd, now)
		}
	}
	traces := make([]*trace.DiskTrace, len(members))
	for i, m := range members {
		m.end(m.disk.endS())
		traces[i] = m.trace
	}
	return traces
}

// member is a disk on the hub while it is played.
type member struct {
	disk              Disk
	noise             *wave
	trace             *trace.DiskTrace
	file              trace.File
	open, settled     bool
	size, done        float64
	factor, cap, rate float64
}

// claim decides how much the disk could move now.
func (m *member) claim(rnd *rand.Rand, now float64) {
	m.cap, m.settled = 0, true
	if now < m.disk.StartS-1e-9 || now >= m.disk.endS()-1e-9 {
		return
	}
	if !m.open {
		m.begin(rnd, now)
	}
	level, _ := m.disk.rateAt(now)
	wave, _ := m.noise.at(now)
	m.cap, m.settled = level*wave*m.factor, false
}

// share gives every disk its part, weighted and max-min fair.
func (h Hub) share(members []*member) {
	left := h.Capacity
	for {
		var weights float64
		for _, m := range members {
			if m.rate = m.cap; !m.settled {
				weights += h.weight(m)
			}
		}
		changed := false
		for _, m := range members {
			if part := left * h.weight(m) / weights; !m.settled && m.cap <= part {
				m.settled, changed = true, true
				left -= m.cap
			}
		}
		if changed {
			continue
		}
		for _, m := range members {
			if !m.settled {
				m.rate = left * h.weight(m) / weights
			}
		}
		return
	}
}

func (h Hub) weight(m *member) float64 {
	if w, ok := h.Weights[m.disk.Name]; ok {
		return w
	}
	return 1
}

// move carries the disk through a step.
func (m *member) move(rnd *rand.Rand, now float64) {
	for left := hubStepS; m.cap > 0 && left > 1e-12; {
		took := math.Min(left, (m.size-m.done)/m.rate)
		m.done += m.rate * took
		left -= took
		if m.done >= m.size-0.5 {
			m.end(now + hubStepS - left)
			m.begin(rnd, now+hubStepS-left)
		}
	}
	if every := int(math.Round(sampleS / hubStepS)); m.open && !m.disk.BareFiles && int(math.Round(now/hubStepS))%every == every-1 && m.done >= 1 {
		m.file.Samples = append(m.file.Samples, trace.Sample{TNS: ns(now + hubStepS), Bytes: int64(m.done)})
	}
}

func (m *member) begin(rnd *rand.Rand, at float64) {
	m.file = trace.File{Seq: len(m.trace.Files), StartNS: ns(at)}
	m.size, m.done, m.open = math.Max(1, math.Round(m.disk.Sizes(rnd, m.file.Seq))), 0, true
	m.factor = m.disk.Noise.fileFactor(rnd)
}

func (m *member) end(at float64) {
	if m.file.EndNS, m.file.Bytes = ns(at), int64(math.Round(m.done)); m.open && m.file.Usable() {
		for n := len(m.file.Samples); n > 0 && m.file.Samples[n-1].TNS >= m.file.EndNS; n-- {
			m.file.Samples = m.file.Samples[:n-1]
		}
		m.trace.Files = append(m.trace.Files, m.file)
	}
	m.open = false
}
