package analysis

import (
	"cmp"
	"math"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Stream is the outcome of one stream: of frames that were due at fixed times. It is read from the trace's stream lines of
// this disk and name. What the phase's line does not say is zero: kind, rate, frame and buffer.
type Stream struct {
	Disk          string         `json:"disk"`
	Name          string         `json:"name"` // a number, unique on its disk
	Kind          string         `json:"kind"` // its codec, or its rate as given
	Op            trace.Role     `json:"op"`   // read: it was played; write: recorded
	Rate          float64        `json:"rate"` // asked for
	FrameS        float64        `json:"frame_s"`
	BufferS       float64        `json:"buffer_s"`
	Due           int            `json:"due"`
	Late          int            `json:"late"`
	LateShare     float64        `json:"late_share"`
	LongestRun    int            `json:"longest_run"` // of late frames
	LongestStallS float64        `json:"longest_stall_s"`
	LowestBufferS float64        `json:"lowest_buffer_s"`
	Verdict       stream.Verdict `json:"verdict"`                   // empty if no frame was due; never strained if the buffer's size is not known
	LateWhile     []string       `json:"late_while,omitempty"`      // the other disks at work whenever frames were late
	LateOnlyWhile []string       `json:"late_only_while,omitempty"` // of these, those without which frames were due for a while (see lateness), and none was late
	Beside        *StreamBeside  `json:"beside,omitempty"`          // null if no other disk works in the phase
	Series        *StreamSeries  `json:"series,omitempty"`
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
	Disk          string         `json:"disk"`
	Op            trace.Role     `json:"op"`
	Streams       int            `json:"streams"`
	Clean         int            `json:"clean"` // that many of them
	Strained      int            `json:"strained"`
	Drops         int            `json:"drops"`
	Due           int            `json:"due"`
	Late          int            `json:"late"`
	LongestStallS float64        `json:"longest_stall_s"`
	Worst         string         `json:"worst"` // the stream with the most late frames; of those with as many, with the lowest buffer
	LowestBufferS float64        `json:"lowest_buffer_s"`
	BufferS       float64        `json:"buffer_s"` // of the stream with the lowest
	Verdict       stream.Verdict `json:"verdict"`  // the worst
	LateWhile     []string       `json:"late_while,omitempty"`
	LateOnlyWhile []string       `json:"late_only_while,omitempty"`
	Beside        *StreamBeside  `json:"beside,omitempty"`
}

// maxStreamSteps is how many steps the series of a stream has at most. They are as long as the time between two of its
// samples, or some times as long.
const maxStreamSteps = 300

// streams reports the outcome of each disk's streams.
func (p *phase) streams() {
	for i, part := range p.parts {
		if len(part.Trace.Streams) == 0 {
			continue
		}
		total := StreamTotal{Disk: part.Name(), Op: part.Trace.Op}
		beside := p.besideOf(i)
		var late lateness
		var worst Stream
		for k := range part.Trace.Streams {
			t := &part.Trace.Streams[k]
			spec, _ := stream.Named(p.trace.Work[part.Name()].Streams, t.Name)
			its := p.lateness(i, t, spec)
			late = late.with(its)
			s := streamOf(part, t, spec)
			s.LateWhile, s.LateOnlyWhile = its.while(p)
			s.Beside = beside.of(t, spec)
			if total.Streams == 0 || cmp.Or(cmp.Compare(s.Late, worst.Late), cmp.Compare(worst.LowestBufferS, s.LowestBufferS)) > 0 {
				total.Worst, worst = s.Name, s
			}
			total.add(&s)
			p.out.Streams = append(p.out.Streams, s)
		}
		total.LateWhile, total.LateOnlyWhile = late.while(p)
		p.out.StreamTotals = append(p.out.StreamTotals, total)
		p.hostLate(&total)
	}
}

// hostLate warns if streams did not stay clean and the host was late to look after them, by a tenth of what the
// players hold or more: that takes frames as a disk does.
func (p *phase) hostLate(total *StreamTotal) {
	const minLateS = 0.01 // seconds: every system has a few milliseconds
	for _, g := range p.trace.Gauges {
		if g.Name == trace.HostLate && g.Disk == total.Disk && total.Verdict != stream.Clean && g.Value >= max(minLateS, total.BufferS/10) {
			p.warn(Warning{Code: "host_late", Disk: g.Disk, Values: HostLateValues{Seconds: g.Value, Late: float64(total.Late)}})
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
		Rate: spec.Rate, FrameS: spec.Frame.Seconds(), BufferS: spec.Buffer.Seconds(),
		Due: o.Due, Late: o.Late, LongestStallS: seconds(o.StallNS), LowestBufferS: seconds(o.LowestNS),
		Verdict: o.Verdict(spec.Buffer.Nanoseconds()), Series: streamSeries(t),
	}
	if number(s.Rate) == nil {
		s.Rate = 0
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
	endNS := t.Samples[len(t.Samples)-1].TNS
	const longest = stream.SampleNS * maxStreamSteps // that a series of the shortest steps is
	stepNS := stream.SampleNS * max(1, (endNS+longest-1)/longest)
	n := int((endNS + stepNS - 1) / stepNS)
	out := &StreamSeries{StepS: seconds(stepNS), BufferS: make([]float64, n), Late: make([]int, n)}
	next, late := 0, 0
	held := bufferSeconds(t.Samples[0].BufferNS)
	for k := range n {
		out.BufferS[k] = held
		for first := true; next < len(t.Samples) && t.Samples[next].TNS <= int64(k+1)*stepNS; next++ {
			s := &t.Samples[next]
			held = bufferSeconds(s.BufferNS)
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

// bufferSeconds is a buffer in whole milliseconds: finer is no use on a chart, and would be most of analysis.json.
func bufferSeconds(ns int64) float64 { return math.Round(float64(ns)/1e6) / 1e3 }
