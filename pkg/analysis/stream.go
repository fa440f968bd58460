package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// StreamOutcome is the outcome of one stream: of frames that were due at fixed times. It is read
// from the trace's stream lines of this disk and name. What the phase's line does not say is zero:
// kind, rate, frame and buffer.
type StreamOutcome struct {
	Disk          string     `json:"disk"`
	Name          string     `json:"name"` // Name is a number, unique on its disk.
	Kind          string     `json:"kind"` // Kind is its codec, or its rate as given.
	Op            trace.Role `json:"op"`   // Op is read if it was played, write if recorded.
	Rate          float64    `json:"rate"` // Rate is what was asked for.
	FrameS        float64    `json:"frame_s"`
	BufferS       float64    `json:"buffer_s"`
	Due           int        `json:"due"`
	Late          int        `json:"late"`
	LateShare     float64    `json:"late_share"`
	LongestRun    int        `json:"longest_run"` // LongestRun counts late frames.
	LongestStallS float64    `json:"longest_stall_s"`
	LowestBufferS float64    `json:"lowest_buffer_s"`
	// Verdict is empty if no frame was due, and never strained if the buffer's size is unknown.
	Verdict stream.Verdict `json:"verdict"`
	// LateWhile are the other disks that were busy whenever frames were late.
	LateWhile []string `json:"late_while,omitempty"`
	// LateOnlyWhile are those of them without which frames were due for a while (see quietNS), and
	// none was late.
	LateOnlyWhile []string `json:"late_only_while,omitempty"`
	// WithOthers is null if no other disk works in the phase.
	WithOthers *StreamWithOthers `json:"beside,omitempty"`
	Series     *StreamSeries     `json:"series,omitempty"`
}

// StreamSeries is a stream over time, in equal steps from the release on: its lowest buffer, as it
// was in the step before if no line falls into one, and how many frames were late.
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
	Clean         int        `json:"clean"` // Clean counts the clean ones.
	Strained      int        `json:"strained"`
	Drops         int        `json:"drops"`
	Due           int        `json:"due"`
	Late          int        `json:"late"`
	LongestStallS float64    `json:"longest_stall_s"`
	// The stream with the most late frames; of those with as many, with the lowest buffer.
	Worst         string            `json:"worst"`
	LowestBufferS float64           `json:"lowest_buffer_s"`
	BufferS       float64           `json:"buffer_s"` // BufferS is that of the stream with the lowest.
	Verdict       stream.Verdict    `json:"verdict"`  // Verdict is the worst.
	LateWhile     []string          `json:"late_while,omitempty"`
	LateOnlyWhile []string          `json:"late_only_while,omitempty"`
	WithOthers    *StreamWithOthers `json:"beside,omitempty"`
}

// StreamWithOthers is the outcome of the frames that were due while all the other working disks,
// probes aside, were active: only these were tested beside them.
type StreamWithOthers struct {
	Disks []string `json:"disks"` // Disks are the others.
	// TestedS is how long all were active at once while the streams ran.
	TestedS   float64 `json:"tested_s"`
	Due       int     `json:"due"`
	Late      int     `json:"late"`
	LateShare float64 `json:"late_share"`
	// LowestBufferS is null if no stream has a line of the trace then.
	LowestBufferS *float64 `json:"lowest_buffer_s"`
	// Verdict is empty if that was too short for a stream to show that it stays clean.
	Verdict stream.Verdict `json:"verdict"`
	// LateAfter are those of the others that had ended whenever frames were late at another time.
	LateAfter []string `json:"late_after,omitempty"`
}

// played is what came of a phase's streams.
type played struct {
	streams      []StreamOutcome
	streamTotals []StreamTotal // by disk
	hostLate     warnings
}

// play returns the outcome of each disk's streams. It warns if they did not stay clean and the host
// was late to look after them, by a tenth of what the players hold or more: that takes frames as a
// disk does.
func (p *phase) play() (out played) {
	const minLateS = 0.01 // Every system is late by a few milliseconds.
	for _, part := range p.parts {
		if len(part.Trace.Streams) == 0 {
			continue
		}
		var all []StreamOutcome
		for _, t := range part.Trace.Streams {
			all = append(all, p.stream(part, t))
		}
		total := totalOf(all)
		total.WithOthers = p.withOthers(part, part.Trace.Streams...)
		out.streams = append(out.streams, all...)
		out.streamTotals = append(out.streamTotals, total)
		for _, g := range p.trace.Gauges {
			if g.Name != trace.HostLate || g.Disk != total.Disk || total.Verdict == stream.Clean ||
				g.Value < max(minLateS, total.BufferS/10) {
				continue
			}
			what := pick(total.Late > 0, "its dropped frames", "its low buffer")
			out.hostLate.add(g.Disk, "host_late",
				HostLateValues{Seconds: g.Value, Late: float64(total.Late)},
				"%s may be the computer's fault, not the disk's: it was busy or asleep, and "+
					"served the streams up to %s late",
				what, unit.FormatSeconds(g.Value))
		}
	}
	return out
}

// stream returns the outcome of one of a disk's streams.
func (p *phase) stream(disk *diskPart, t trace.Stream) StreamOutcome {
	spec, _ := stream.Named(p.trace.Work[disk.Name()].Streams, t.Name)
	var o stream.Totals
	for _, s := range t.Samples {
		o.Add(s.Sample)
	}
	s := StreamOutcome{
		Disk: disk.Name(), Name: t.Name, Kind: spec.Kind, Op: disk.Trace.Op, Rate: spec.Rate,
		FrameS: spec.Frame.Seconds(), BufferS: spec.Buffer.Seconds(),
		Due: o.Due, Late: o.Late,
		LongestStallS: seconds(o.StallNS), LowestBufferS: seconds(o.LowestNS),
		Verdict:    o.Verdict(spec.Buffer.Nanoseconds()),
		WithOthers: p.withOthers(disk, t), Series: streamSeries(t),
	}
	if o.Due > 0 {
		s.LateShare = float64(o.Late) / float64(o.Due)
	}
	if frame := spec.Frame.Nanoseconds(); frame > 0 {
		s.LongestRun = int((o.StallNS + frame/2) / frame)
	}
	lines := frameLines(t)
	for _, other := range p.parts {
		var withoutNS int64 // It did not work, and frames were due.
		always := o.Late > 0 && other != disk
		for _, line := range lines {
			if line.due+line.late > 0 && !other.IsActiveIn(line.Span) {
				always = always && line.late == 0
				withoutNS += line.EndNS - line.StartNS
			}
		}
		if always {
			s.LateWhile = append(s.LateWhile, other.Name())
			if withoutNS >= max(quietNS, spec.Buffer.Nanoseconds()) {
				s.LateOnlyWhile = append(s.LateOnlyWhile, other.Name())
			}
		}
	}
	return s
}

// totalOf sums up the streams of a disk, of which there is at least one.
func totalOf(all []StreamOutcome) StreamTotal {
	byBuffer := func(a, b StreamOutcome) int {
		return cmp.Compare(a.LowestBufferS, b.LowestBufferS)
	}
	lowest := slices.MinFunc(all, byBuffer)
	worst := slices.MinFunc(all, func(a, b StreamOutcome) int {
		return cmp.Or(cmp.Compare(b.Late, a.Late), byBuffer(a, b))
	})
	t := StreamTotal{
		Disk: worst.Disk, Op: worst.Op, Streams: len(all), Worst: worst.Name,
		LowestBufferS: lowest.LowestBufferS, BufferS: lowest.BufferS,
		LateWhile: worst.LateWhile, LateOnlyWhile: worst.LateOnlyWhile,
	}
	for _, s := range all {
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
		if s.Late > 0 {
			t.LateWhile = inBoth(t.LateWhile, s.LateWhile)
			t.LateOnlyWhile = inBoth(t.LateOnlyWhile, s.LateOnlyWhile)
		}
	}
	return t
}

// inBoth returns the names that are in both lists; nil if there are none.
func inBoth(a, b []string) (names []string) {
	for _, name := range a {
		if slices.Contains(b, name) {
			names = append(names, name)
		}
	}
	return names
}

// frameLine is what a line of the trace adds to those before it. It stands for the time since the
// one before.
type frameLine struct {
	overlap.Span
	due, late int
	bufferNS  int64 // bufferNS is that at the end.
}

func frameLines(t trace.Stream) (lines []frameLine) {
	var lastNS int64
	due, late := 0, 0
	for _, s := range t.Samples {
		v := overlap.Between(min(lastNS, s.TNS-1), s.TNS)
		lines = append(lines, frameLine{v, max(0, s.Due-due), max(0, s.Late-late), s.BufferNS})
		lastNS, due, late = max(0, s.TNS), max(due, s.Due), max(late, s.Late)
	}
	return lines
}

// streamSeries returns the stream in steps; nil if no line comes after the release.
func streamSeries(t trace.Stream) *StreamSeries {
	lines := frameLines(t)
	if len(lines) == 0 || lines[len(lines)-1].EndNS <= 0 {
		return nil
	}
	endNS := lines[len(lines)-1].EndNS
	// A series of the shortest steps lasts for so long.
	const longest = stream.SampleNS * maxStreamSteps
	stepNS := stream.SampleNS * ((endNS-1)/longest + 1)
	out := &StreamSeries{StepS: seconds(stepNS), Late: make([]int, (endNS-1)/stepNS+1)}
	for i, line := range lines {
		step := int(max(0, line.EndNS-1) / stepNS)
		for len(out.BufferS) < step {
			out.BufferS = append(out.BufferS, lines[max(0, i-1)].bufferS())
		}
		if len(out.BufferS) == step {
			out.BufferS = append(out.BufferS, line.bufferS())
		}
		out.BufferS[step] = min(out.BufferS[step], line.bufferS())
		out.Late[step] += line.late
	}
	return out
}

// bufferS is in whole milliseconds: finer is no use on a chart, and would be most of analysis.json.
func (l frameLine) bufferS() float64 { return math.Round(float64(l.bufferNS)/1e6) / 1e3 }

// withOthers counts the frames of some of a disk's streams beside the other disks; nil if there are
// none. A line of the trace counts where most of its time does. The time tested is that of the
// stream that was tested least.
func (p *phase) withOthers(disk *diskPart, streams ...trace.Stream) *StreamWithOthers {
	var others []*diskPart
	var active [][]overlap.Span
	out := StreamWithOthers{TestedS: math.Inf(1)}
	lowestS := math.Inf(1)
	for _, other := range p.parts {
		if other != disk && other.Work.Probe == 0 {
			others = append(others, other)
			active = append(active, other.Active)
			out.Disks = append(out.Disks, other.Name())
		}
	}
	if others == nil {
		return nil
	}
	// All of them are active in the window; outside it frames were first late at outsideNS.
	window := overlap.Window(overlap.Stages(active), len(active))
	outsideNS := int64(math.MaxInt64)
	untested := false
	for _, t := range streams {
		var testedNS int64
		var seen stream.Totals
		for _, line := range frameLines(t) {
			var within int64
			for _, v := range overlap.Clip(window, line.Span) {
				within += v.EndNS - v.StartNS
			}
			testedNS += within
			if 2*within >= line.EndNS-line.StartNS {
				due := seen.Due + line.due
				late := seen.Late + line.late
				seen.Add(stream.Sample{Due: due, Late: late, BufferNS: line.bufferNS})
			} else if line.late > 0 {
				outsideNS = min(outsideNS, line.EndNS)
			}
		}
		spec, _ := stream.Named(p.trace.Work[disk.Name()].Streams, t.Name)
		bufferNS := spec.Buffer.Nanoseconds()
		verdict := seen.Verdict(bufferNS)
		if seen.Late == 0 && testedNS < max(quietNS, stream.TestBuffers*bufferNS) {
			verdict = ""
		}
		untested = untested || verdict == ""
		out.Verdict = stream.Worst(out.Verdict, verdict)
		out.Due += seen.Due
		out.Late += seen.Late
		out.TestedS = min(out.TestedS, seconds(testedNS))
		if seen.Seen() {
			lowestS = min(lowestS, seconds(seen.LowestNS))
		}
	}
	out.LowestBufferS = number(lowestS)
	if untested && out.Verdict != stream.Drops {
		out.Verdict = ""
	}
	out.LateShare = float64(out.Late) / float64(max(out.Due, 1))
	for _, other := range others {
		after := overlap.Between(outsideNS, math.MaxInt64)
		if outsideNS < math.MaxInt64 && !other.IsActiveIn(after) {
			out.LateAfter = append(out.LateAfter, other.Name())
		}
	}
	return &out
}
