package analysis

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// fourStreams are 4 x 92 MB/s, played.
func fourStreams() []stream.Spec {
	return []stream.Spec{
		{Kind: "92 MB/s", Rate: 92e6, Frame: 40 * time.Millisecond, Count: 4, Buffer: time.Second},
	}
}

// playing makes a phase in which A plays four streams for endS seconds.
func playing(endS float64, gives func(s float64) float64,
	others ...*trace.DiskRecord) *trace.Phase {
	p := tracetest.Phase("p", append([]*trace.DiskRecord{tracetest.Streams("A", fourStreams(), endS,
		gives)}, others...)...)
	p.Work = map[string]work.Work{"A": {Streams: fourStreams()}}
	return p
}

// plenty is more than the streams need, except for a stretch in which the disk stands still.
func plenty(fromS, toS float64) func(s float64) float64 {
	return func(s float64) float64 {
		if s >= fromS && s < toS {
			return 0
		}
		return 2e9
	}
}

// If the host was late by a tenth of the buffer, late frames may be its doing. If no stream
// suffered, nothing is said.
func TestStreamsOfALateHost(t *testing.T) {
	const fault = " may be the computer's fault, not the disk's: it was busy or asleep, and " +
		"served the streams up to "
	for _, tt := range []struct {
		toS, hostS float64
		want       []Warning
	}{
		{
			toS: 6.5, hostS: 0.1,
			want: []Warning{
				{Code: "host_late", Disk: "A", Values: HostLateValues{Seconds: 0.1, Late: 50},
					Text: "disk A: its dropped frames" + fault + "100 ms late"},
			},
		},
		{toS: 6.5, hostS: 0.09},
		{
			toS: 5.7, hostS: 0.7,
			want: []Warning{
				{Code: "host_late", Disk: "A", Values: HostLateValues{Seconds: 0.7},
					Text: "disk A: its low buffer" + fault + "700 ms late"},
			},
		},
		{toS: 5.2, hostS: 0.2},
	} {
		p := playing(10, plenty(5, tt.toS))
		p.Gauges = []trace.Gauge{
			{Disk: "A", Name: trace.HostLate, TNS: 10e9, Value: tt.hostS},
			{Disk: "C", Name: trace.HostLate, TNS: 10e9, Value: 9},
		}
		var got []Warning
		for _, w := range Analyze(tracetest.Run(p), Options{}).Phases[0].Warnings {
			if w.Code == "host_late" {
				if v := w.Values.(HostLateValues); v.Late > 0 {
					check.Near(t, "late frames", 50, v.Late, 2)
					v.Late = 50
					w.Values = v
				}
				got = append(got, w)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("still until %g s, host late by %g s: %s", tt.toS, tt.hostS, diff)
		}
	}
}

// What is said of streams is what arithmetic gives: of frames due every 40 ms behind a buffer of 1
// s, a disk that stands still for L seconds makes L - 1 s of them late.
func TestStreams(t *testing.T) {
	writer := func(fromS, toS float64) *trace.DiskRecord {
		s := script{
			name: "C", op: trace.Write, startS: fromS, paces: []pace{{toS, 1e9}},
			sizes: tracetest.Fixed(1e8),
		}
		return s.play(seed(1), noise{samples: true})
	}
	late := func(total StreamTotal) StreamTotal { // except for the exact figures
		total.Late, total.Due, total.LongestStallS, total.LowestBufferS = 0, 0, 0, 0
		total.Worst, total.WithOthers = "", nil
		return total
	}
	total := StreamTotal{Disk: "A", Op: trace.Read, Streams: 4, BufferS: 1}
	with := func(verdict stream.Verdict, always, only []string) StreamTotal {
		out := total
		out.Verdict, out.LateWhile, out.LateOnlyWhile = verdict, always, only
		switch verdict {
		case stream.Clean:
			out.Clean = 4
		case stream.Strained:
			out.Strained = 4
		case stream.Drops:
			out.Drops = 4
		}
		return out
	}
	for _, c := range []struct {
		name           string
		phase          *trace.Phase
		want           StreamTotal
		late           int // of each stream, within one
		lowest, within float64
	}{
		{"clean", playing(30, plenty(0, 0), writer(0, 30)), with(stream.Clean, nil, nil), 0, 0.95,
			0.05},
		{"strained", playing(30, plenty(10, 10.7), writer(0, 30)), with(stream.Strained, nil, nil),
			0, 0.3, 0.03},
		{"drops, C working all the time", playing(30, plenty(10, 13), writer(0, 30)),
			with(stream.Drops, []string{"C"}, nil), 50, 0, 0},
		{"drops while C works", playing(30, plenty(10, 13), writer(5, 20)),
			with(stream.Drops, []string{"C"}, []string{"C"}), 50, 0, 0},
		{"drops and goes on to when C has ended", playing(30, plenty(10, 13), writer(5, 12)),
			with(stream.Drops, nil, nil), 50, 0, 0},
		{"C pauses for less than a second", playing(30, plenty(10, 13), writer(0.8, 30)),
			with(stream.Drops, []string{"C"}, nil), 50, 0, 0},
	} {
		p := Analyze(tracetest.Run(c.phase), Options{}).Phases[0]
		if len(p.StreamTotals) != 1 || len(p.Streams) != 4 {
			t.Errorf("%s: %d totals of %d streams, want one of 4", c.name, len(p.StreamTotals),
				len(p.Streams))
			continue
		}
		check.Same(t, c.name, c.want, late(p.StreamTotals[0]))
		sum, due := 0, 0
		for _, s := range p.Streams {
			sum, due = sum+s.Late, due+s.Due
			if off := s.Late - c.late; off < -1 || off > 1 {
				t.Errorf("%s: stream %s has %d late frames, want %d", c.name, s.Name, s.Late,
					c.late)
			}
			if s.LongestRun != s.Late || s.LateShare != float64(s.Late)/float64(s.Due) ||
				s.Kind != "92 MB/s" || s.Rate != 92e6 || s.FrameS != 0.04 {
				t.Errorf("%s: %+v", c.name, s)
			}
			if off := s.LowestBufferS - c.lowest; off < -c.within || off > c.within {
				t.Errorf("%s: the buffer of stream %s fell to %g s, want %g", c.name, s.Name,
					s.LowestBufferS, c.lowest)
			}
			checkStreamSeries(t, c.name, &s)
		}
		if got := p.StreamTotals[0]; got.Late != sum || got.Due != due || due < 4*720 ||
			due > 4*726 {
			t.Errorf("%s: %d of %d frames late, the streams say %d of %d", c.name, got.Late,
				got.Due, sum, due)
		}
	}
}

// checkStreamSeries holds that a series says what the stream's own numbers say.
func checkStreamSeries(t *testing.T, name string, s *StreamOutcome) {
	t.Helper()
	lowest, late := s.BufferS, 0
	for k := range s.Series.Late {
		lowest = min(lowest, s.Series.BufferS[k])
		late += s.Series.Late[k]
	}
	if math.Abs(lowest-s.LowestBufferS) > 0.000501 || late != s.Late || len(s.Series.Late) != 300 ||
		s.Series.StepS != 0.1 {
		t.Errorf("%s: a series of %d steps of %g s with a lowest buffer of %g s and %d late "+
			"frames; the stream says %g s and %d",
			name, len(s.Series.Late), s.Series.StepS, lowest, late, s.LowestBufferS, s.Late)
	}
}

// Without a word about the streams in the phase's line, their frames are counted anyway.
func TestStreamsWithoutSpec(t *testing.T) {
	phase := playing(10, plenty(4, 6))
	phase.Work = nil
	for _, s := range Analyze(tracetest.Run(phase), Options{}).Phases[0].Streams {
		if s.Verdict != stream.Drops || s.Late < 24 || s.Late > 26 || s.Kind != "" ||
			s.LongestRun != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// A stream that the trace says nothing of while the other disk works has no buffer then: those that
// it has lines of decide, and there is no number without any.
func TestStreamsUnseenBesideOthers(t *testing.T) {
	for _, tt := range []struct {
		unseen int
		want   bool // that a buffer is known
	}{{0, true}, {1, true}, {4, false}} {
		writer := script{
			name: "C", op: trace.Write, startS: 20, paces: []pace{{30, 1e9}},
			sizes: tracetest.Fixed(1e8),
		}
		phase := playing(30, plenty(0, 0), writer.play(seed(1), noise{samples: true}))
		streams := phase.Disks[0].Streams
		for i := range streams[:tt.unseen] {
			streams[i].Samples = streams[i].Samples[:199] // to 19.9 s
		}
		got := Analyze(tracetest.Run(phase), Options{}).Phases[0].StreamTotals[0].WithOthers
		if lowest := got.LowestBufferS; (lowest != nil) != tt.want || tt.want && *lowest < 0.9 {
			t.Errorf("%d streams unseen: %+v", tt.unseen, got)
		}
	}
}
