package analysis

import (
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// quietNS is how long frames must have been due without a disk, or for their buffer's length if that is longer, for
// it to count that none of them was late: what a disk leaves behind shows only once the buffer is used up.
const quietNS = 1_000_000_000

// lateness is what else was going on when a stream's frames were late. A line of the trace stands for the time since
// the one before: a disk was at work then if it was at any moment of it.
type lateness struct {
	late   bool
	always []bool // by disk: it was at work whenever frames were late
	quiet  []bool // by disk: frames were due for long enough while it was not at work
}

// lateness looks at what the other disks did during one of a disk's streams.
func (p *phase) lateness(disk int, t *trace.Stream, spec stream.Spec) lateness {
	l := lateness{always: make([]bool, len(p.parts)), quiet: make([]bool, len(p.parts))}
	enough := max(quietNS, spec.Buffer.Nanoseconds())
	for other := range p.parts {
		if other == disk {
			continue
		}
		var without int64
		l.always[other] = true
		before := trace.StreamSample{}
		for _, s := range t.Samples {
			v := overlap.Interval{StartNS: min(before.TNS, s.TNS-1), EndNS: s.TNS}
			if late := s.Late > before.Late; late || s.Due > before.Due {
				works := p.parts[other].WorksIn(v)
				l.late = l.late || late
				l.always[other] = l.always[other] && (works || !late)
				if !works {
					without += v.EndNS - v.StartNS
				}
			}
			before = s
		}
		l.quiet[other] = without >= enough
	}
	return l
}

func (l lateness) with(other lateness) lateness {
	switch {
	case !other.late:
		return l
	case !l.late:
		return other
	}
	sum := lateness{late: true, always: make([]bool, len(l.always)), quiet: make([]bool, len(l.always))}
	for i := range l.always {
		sum.always[i] = l.always[i] && other.always[i]
		sum.quiet[i] = l.quiet[i] && other.quiet[i]
	}
	return sum
}

// while names the disks that were at work whenever frames were late, and those of them without which none was.
func (l lateness) while(p *phase) (always, only []string) {
	if !l.late {
		return nil, nil
	}
	for i := range l.always {
		if !l.always[i] {
			continue
		}
		always = append(always, p.parts[i].Name())
		if l.quiet[i] {
			only = append(only, p.parts[i].Name())
		}
	}
	return always, only
}

// StreamBeside is the outcome of the frames that were due while all the other working disks, probes aside, were active:
// only these were tested beside them.
type StreamBeside struct {
	Disks         []string       `json:"disks"`    // the others
	TestedS       float64        `json:"tested_s"` // how long all of them were active at once, while the streams ran
	Due           int            `json:"due"`
	Late          int            `json:"late"`
	LateShare     float64        `json:"late_share"`
	LowestBufferS float64        `json:"lowest_buffer_s"`
	Verdict       stream.Verdict `json:"verdict"`              // empty if that was too short for a stream to show that it stays clean
	LateAfter     []string       `json:"late_after,omitempty"` // of the others, those that had ended whenever frames were late at another time
}

// beside is when a disk's streams are tested with others.
type beside struct {
	others []*part
	window []overlap.Interval // in which all of them are active
}

// besideOf finds the others of a disk; nil if there are none.
func (p *phase) besideOf(disk int) *beside {
	var b beside
	var active [][]overlap.Interval
	for i := range p.parts {
		if other := p.parts[i]; i != disk && other.Work.Probe == 0 {
			b.others, active = append(b.others, other), append(active, other.Active)
		}
	}
	if b.others == nil {
		return nil
	}
	b.window = overlap.Window(overlap.Stages(active), len(active))
	return &b
}

// of counts a stream's frames beside the others. A line of the trace counts where most of its time does.
func (b *beside) of(t *trace.Stream, spec stream.Spec) *StreamBeside {
	if b == nil {
		return nil
	}
	var out StreamBeside
	for _, o := range b.others {
		out.Disks = append(out.Disks, o.Name())
	}
	var tested int64
	var o stream.Outcome
	ended := slices.Clone(b.others)
	before := trace.StreamSample{}
	for _, s := range t.Samples {
		v := overlap.Interval{StartNS: min(max(before.TNS, 0), s.TNS-1), EndNS: s.TNS}
		within := b.within(v)
		tested += within
		switch due, late := max(0, s.Due-before.Due), max(0, s.Late-before.Late); {
		case 2*within >= v.EndNS-v.StartNS:
			out.Due, out.Late = out.Due+due, out.Late+late
			o.Add(stream.Sample{Due: out.Due, Late: out.Late, BufferNS: s.BufferNS})
		case late > 0:
			ended = slices.DeleteFunc(ended, func(p *part) bool { return len(p.Active) > 0 && p.EndNS() > v.EndNS })
			out.LateAfter = []string{}
		}
		before = s
	}
	if out.LateAfter != nil {
		for _, o := range ended {
			out.LateAfter = append(out.LateAfter, o.Name())
		}
	}
	out.TestedS, out.LowestBufferS = seconds(tested), seconds(o.LowestNS)
	if out.Due > 0 {
		out.LateShare = float64(out.Late) / float64(out.Due)
	}
	if out.Late > 0 || tested >= max(quietNS, stream.TestBuffers*spec.Buffer.Nanoseconds()) {
		out.Verdict = o.Verdict(spec.Buffer.Nanoseconds())
	}
	return &out
}

// within is how many nanoseconds of v all the others are active.
func (b *beside) within(v overlap.Interval) (ns int64) {
	i := sort.Search(len(b.window), func(i int) bool { return b.window[i].EndNS > v.StartNS })
	for ; i < len(b.window) && b.window[i].StartNS < v.EndNS; i++ {
		w := b.window[i].Within(v)
		ns += w.EndNS - w.StartNS
	}
	return ns
}

// With is the outcome of both streams together.
func (b *StreamBeside) With(o *StreamBeside) *StreamBeside {
	if b == nil || o == nil {
		return o
	}
	sum := *b
	sum.TestedS, sum.LowestBufferS = min(b.TestedS, o.TestedS), min(b.LowestBufferS, o.LowestBufferS)
	sum.Due, sum.Late = b.Due+o.Due, b.Late+o.Late
	if sum.Due > 0 {
		sum.LateShare = float64(sum.Late) / float64(sum.Due)
	}
	if sum.Verdict = stream.Worst(b.Verdict, o.Verdict); sum.Verdict != stream.Drops && (b.Verdict == "" || o.Verdict == "") {
		sum.Verdict = ""
	}
	switch {
	case sum.LateAfter == nil:
		sum.LateAfter = o.LateAfter
	case o.LateAfter != nil:
		sum.LateAfter = slices.DeleteFunc(slices.Clone(b.LateAfter), func(n string) bool { return !slices.Contains(o.LateAfter, n) })
	}
	return &sum
}
