package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Stream is the outcome of one stream: of frames that were due at fixed times. It is read from the trace's stream
// lines of this disk and name. What the phase's line does not say is zero: kind, rate, frame and buffer.
type Stream struct {
	Disk          string     `json:"disk"`
	Name          string     `json:"name"` // a number, unique on its disk
	Kind          string     `json:"kind"` // its codec, or its rate as given
	Op            trace.Role `json:"op"`   // read: it was played; write: recorded
	Rate          float64    `json:"rate"` // asked for
	FrameS        float64    `json:"frame_s"`
	BufferS       float64    `json:"buffer_s"`
	Due           int        `json:"due"`
	Late          int        `json:"late"`
	LateShare     float64    `json:"late_share"`
	LongestRun    int        `json:"longest_run"` // of late frames
	LongestStallS float64    `json:"longest_stall_s"`
	LowestBufferS float64    `json:"lowest_buffer_s"`
	// Empty if no frame was due; never strained if the buffer's size is not known.
	Verdict   stream.Verdict `json:"verdict"`
	LateWhile []string       `json:"late_while,omitempty"` // the other disks at work whenever frames were late
	// Of these, those without which frames were due for a while (see lateness), and none was late.
	LateOnlyWhile []string      `json:"late_only_while,omitempty"`
	Beside        *StreamBeside `json:"beside,omitempty"` // null if no other disk works in the phase
	Series        *StreamSeries `json:"series,omitempty"`
}

// StreamSeries is a stream over time, in equal steps from the release on: its lowest buffer, as it was in the step
// before if no line falls into one, and how many frames were late.
type StreamSeries struct {
	StepS   float64   `json:"step_s"`
	BufferS []float64 `json:"buffer_s"`
	Late    []int     `json:"late"`
}

// StreamTotal is the outcome of all streams of a disk.
type StreamTotal struct {
	Disk          string     `json:"disk"`
	Op            trace.Role `json:"op"`
	Streams       int        `json:"streams"`
	Clean         int        `json:"clean"` // that many of them
	Strained      int        `json:"strained"`
	Drops         int        `json:"drops"`
	Due           int        `json:"due"`
	Late          int        `json:"late"`
	LongestStallS float64    `json:"longest_stall_s"`
	// The stream with the most late frames; of those with as many, with the lowest buffer.
	Worst         string         `json:"worst"`
	LowestBufferS float64        `json:"lowest_buffer_s"`
	BufferS       float64        `json:"buffer_s"` // of the stream with the lowest
	Verdict       stream.Verdict `json:"verdict"`  // the worst
	LateWhile     []string       `json:"late_while,omitempty"`
	LateOnlyWhile []string       `json:"late_only_while,omitempty"`
	Beside        *StreamBeside  `json:"beside,omitempty"`
}

// StreamBeside is the outcome of the frames that were due while all the other working disks, probes aside, were active:
// only these were tested beside them.
type StreamBeside struct {
	Disks         []string `json:"disks"`    // the others
	TestedS       float64  `json:"tested_s"` // how long all of them were active at once, while the streams ran
	Due           int      `json:"due"`
	Late          int      `json:"late"`
	LateShare     float64  `json:"late_share"`
	LowestBufferS float64  `json:"lowest_buffer_s"`
	// Empty if that was too short for a stream to show that it stays clean.
	Verdict stream.Verdict `json:"verdict"`
	// Of the others, those that had ended whenever frames were late at another time.
	LateAfter []string `json:"late_after,omitempty"`
}

// quietNS is how long frames must have been due without a disk, or for their buffer's length if that is longer, for
// it to count that none of them was late: what a disk leaves behind shows only once the buffer is used up.
const quietNS = 1_000_000_000

// maxStreamSteps is how many steps the series of a stream has at most. They are as long as the time between two of its
// samples, or some times as long.
const maxStreamSteps = 300

// streams reports the outcome of each disk's streams.
func (p *phase) streams() {
	for _, part := range p.parts {
		if len(part.Trace.Streams) == 0 {
			continue
		}
		total := StreamTotal{Disk: part.Name(), Op: part.Trace.Op}
		var late lateness
		var worst Stream
		for k := range part.Trace.Streams {
			t := &part.Trace.Streams[k]
			spec, _ := stream.Named(p.trace.Work[part.Name()].Streams, t.Name)
			its := p.lateness(part, t, spec)
			late = late.with(its)
			s := streamOf(part, t, spec)
			s.LateWhile, s.LateOnlyWhile = its.while, both(its.while, its.quiet)
			s.Beside = p.beside(part, t, spec)
			if total.Streams == 0 || cmp.Or(cmp.Compare(s.Late, worst.Late),
				cmp.Compare(worst.LowestBufferS, s.LowestBufferS)) > 0 {
				total.Worst, worst = s.Name, s
			}
			total.add(&s)
			p.out.Streams = append(p.out.Streams, s)
		}
		total.LateWhile, total.LateOnlyWhile = late.while, both(late.while, late.quiet)
		p.out.StreamTotals = append(p.out.StreamTotals, total)
		p.hostLate(&total)
	}
}

// hostLate warns if streams did not stay clean and the host was late to look after them, by a tenth of what the
// players hold or more: that takes frames as a disk does.
func (p *phase) hostLate(total *StreamTotal) {
	const minLateS = 0.01 // seconds: every system has a few milliseconds
	for _, g := range p.trace.Gauges {
		if g.Name == trace.HostLate && g.Disk == total.Disk && total.Verdict != stream.Clean &&
			g.Value >= max(minLateS, total.BufferS/10) {
			what := "its low buffer"
			if total.Late > 0 {
				what = "its dropped frames"
			}
			p.warnOf(g.Disk, Warning{Code: "host_late", Values: HostLateValues{Seconds: g.Value, Late: float64(total.Late)},
				Text: fmt.Sprintf("%s may be the computer's fault, not the disk's: it was busy or asleep, and served the streams "+
					"up to %s late", what, unit.FormatSeconds(g.Value))})
		}
	}
}

// streamOf is the outcome of one of a disk's streams.
func streamOf(part *part, t *trace.Stream, spec stream.Spec) Stream {
	var o stream.Outcome
	for _, s := range t.Samples {
		o.Add(s.Sample)
	}
	s := Stream{
		Disk: part.Name(), Name: t.Name, Kind: spec.Kind, Op: part.Trace.Op,
		FrameS: spec.Frame.Seconds(), BufferS: spec.Buffer.Seconds(),
		Due: o.Due, Late: o.Late, LongestStallS: seconds(o.StallNS), LowestBufferS: seconds(o.LowestNS),
		Verdict: o.Verdict(spec.Buffer.Nanoseconds()), Series: streamSeries(t),
	}
	if number(spec.Rate) != nil {
		s.Rate = spec.Rate
	}
	if o.Due > 0 {
		s.LateShare = float64(o.Late) / float64(o.Due)
	}
	if frame := spec.Frame.Nanoseconds(); frame > 0 {
		s.LongestRun = int((o.StallNS + frame/2) / frame)
	}
	return s
}

func (t *StreamTotal) add(s *Stream) {
	if t.Streams == 0 || s.LowestBufferS < t.LowestBufferS {
		t.LowestBufferS, t.BufferS = s.LowestBufferS, s.BufferS
	}
	t.Beside = t.Beside.With(s.Beside)
	t.Streams++
	t.Due += s.Due
	t.Late += s.Late
	t.LongestStallS = max(t.LongestStallS, s.LongestStallS)
	t.Verdict = stream.Worst(t.Verdict, s.Verdict)
	switch s.Verdict {
	case stream.Clean:
		t.Clean++
	case stream.Strained:
		t.Strained++
	case stream.Drops:
		t.Drops++
	}
}

// streamSeries is the stream in steps; nil if no line comes after the release.
func streamSeries(t *trace.Stream) *StreamSeries {
	if len(t.Samples) == 0 || t.Samples[len(t.Samples)-1].TNS <= 0 {
		return nil
	}
	// In whole milliseconds: finer is no use on a chart, and would be most of analysis.json.
	bufferS := func(s *trace.StreamSample) float64 { return math.Round(float64(s.BufferNS)/1e6) / 1e3 }
	endNS := t.Samples[len(t.Samples)-1].TNS
	const longest = stream.SampleNS * maxStreamSteps // that a series of the shortest steps is
	stepNS := stream.SampleNS * max(1, (endNS+longest-1)/longest)
	n := int((endNS + stepNS - 1) / stepNS)
	out := &StreamSeries{StepS: seconds(stepNS), BufferS: make([]float64, n), Late: make([]int, n)}
	next, late, held := 0, 0, bufferS(&t.Samples[0])
	for k := range n {
		out.BufferS[k] = held
		for first := true; next < len(t.Samples) && t.Samples[next].TNS <= int64(k+1)*stepNS; next++ {
			s := &t.Samples[next]
			held = bufferS(s)
			if first || held < out.BufferS[k] {
				out.BufferS[k] = held
			}
			first = false
			out.Late[k] += max(0, s.Late-late)
			late = max(late, s.Late)
		}
	}
	return out
}

// lateness is what else was going on when a stream's frames were late, by the names of disks. A line of the trace
// stands for the time since the one before: a disk was at work then if it was at any moment of it.
type lateness struct {
	late  bool
	while []string // at work whenever frames were late
	quiet []string // without which frames were due for long enough
}

// lateness looks at what the other disks did during one of a disk's streams.
func (p *phase) lateness(disk *part, t *trace.Stream, spec stream.Spec) (l lateness) {
	enough := max(quietNS, spec.Buffer.Nanoseconds())
	for _, other := range p.parts {
		if other == disk {
			continue
		}
		var without int64
		always := true
		before := trace.StreamSample{}
		for _, s := range t.Samples {
			v := overlap.Span{StartNS: min(before.TNS, s.TNS-1), EndNS: s.TNS}
			if late := s.Late > before.Late; late || s.Due > before.Due {
				works := other.WorksIn(v)
				l.late = l.late || late
				always = always && (works || !late)
				if !works {
					without += v.EndNS - v.StartNS
				}
			}
			before = s
		}
		if l.late && always {
			l.while = append(l.while, other.Name())
		}
		if without >= enough {
			l.quiet = append(l.quiet, other.Name())
		}
	}
	return l
}

func (l lateness) with(o lateness) lateness {
	switch {
	case !o.late:
		return l
	case !l.late:
		return o
	}
	return lateness{true, both(l.while, o.while), both(l.quiet, o.quiet)}
}

// both are the names that are in both lists; nil if there are none.
func both(a, b []string) (names []string) {
	for _, name := range a {
		if slices.Contains(b, name) {
			names = append(names, name)
		}
	}
	return names
}

// beside counts a stream's frames beside the other disks; nil if there are none. A line of the trace counts where
// most of its time does.
func (p *phase) beside(disk *part, t *trace.Stream, spec stream.Spec) *StreamBeside {
	var out StreamBeside
	var others []*part
	var active [][]overlap.Span
	for _, other := range p.parts {
		if other != disk && other.Work.Probe == 0 {
			others, active, out.Disks = append(others, other), append(active, other.Active), append(out.Disks, other.Name())
		}
	}
	if others == nil {
		return nil
	}
	window := overlap.Window(overlap.Stages(active), len(active)) // in which all of them are active
	var tested int64
	var o stream.Outcome
	before := trace.StreamSample{}
	for _, s := range t.Samples {
		v := overlap.Span{StartNS: min(max(before.TNS, 0), s.TNS-1), EndNS: s.TNS}
		var within int64
		i := sort.Search(len(window), func(i int) bool { return window[i].EndNS > v.StartNS })
		for ; i < len(window) && window[i].StartNS < v.EndNS; i++ {
			w := window[i].Within(v)
			within += w.EndNS - w.StartNS
		}
		tested += within
		switch due, late := max(0, s.Due-before.Due), max(0, s.Late-before.Late); {
		case 2*within >= v.EndNS-v.StartNS:
			out.Due, out.Late = out.Due+due, out.Late+late
			o.Add(stream.Sample{Due: out.Due, Late: out.Late, BufferNS: s.BufferNS})
		case late > 0:
			others = slices.DeleteFunc(others, func(p *part) bool { return len(p.Active) > 0 && p.EndNS() > v.EndNS })
			out.LateAfter = []string{}
		}
		before = s
	}
	if out.LateAfter != nil {
		for _, other := range others {
			out.LateAfter = append(out.LateAfter, other.Name())
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
	if sum.Verdict = stream.Worst(b.Verdict, o.Verdict); sum.Verdict != stream.Drops &&
		(b.Verdict == "" || o.Verdict == "") {
		sum.Verdict = ""
	}
	switch {
	case sum.LateAfter == nil:
		sum.LateAfter = o.LateAfter
	case o.LateAfter != nil:
		sum.LateAfter = append([]string{}, both(b.LateAfter, o.LateAfter)...)
	}
	return &sum
}
