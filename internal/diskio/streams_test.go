package diskio

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// played is what a streams job told.
type played struct {
	spans    []Span
	outcomes map[string]*stream.Outcome
	last     map[string]trace.Event // of each stream
	samples  int
}

// virtualTime is the clock of a synctest bubble.
func virtualTime() timing {
	began := time.Now()
	now := func() int64 { return int64(time.Since(began)) }
	return timing{now, func(ns int64) { <-time.After(time.Duration(ns - now())) }}
}

// playStreams runs a streams job for so long in virtual time.
func playStreams(t *testing.T, job Job, sys system, length time.Duration, released func()) played {
	t.Helper()
	s := newStreams(job, sys)
	s.timing = virtualTime()
	if _, err := s.Prepare(t.Context(), func(int64) {}); err != nil {
		t.Fatal(err)
	}
	p := played{outcomes: map[string]*stream.Outcome{}, last: map[string]trace.Event{}}
	released()
	s.Start(s.timing.now(), func(e trace.Event) {
		if e.Type != trace.StreamType {
			return
		}
		if p.outcomes[e.Stream] == nil {
			p.outcomes[e.Stream] = &stream.Outcome{}
		}
		if got := e.TNS - p.last[e.Stream].TNS; got <= 0 || got > streamReportNS {
			t.Errorf("stream %s: a sample at %d ns, %d after the one before", e.Stream, e.TNS, got)
		}
		p.outcomes[e.Stream].Add(stream.Sample{Due: e.Due, Late: e.Late, BufferNS: e.BufferNS, StallNS: e.StallNS})
		p.last[e.Stream] = e
	})
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	for seq := 0; ; seq++ {
		last := int64(0)
		span, err := s.Transfer(ctx, seq, func(bytes, _, tNS int64) {
			if bytes < last || bytes > job.Sizes[0] {
				t.Errorf("file %d: %d bytes of %d after %d", seq, bytes, job.Sizes[0], last)
			}
			last = bytes
			p.samples++
		})
		if err != nil {
			if ctx.Err() == nil {
				t.Fatal(err)
			}
			break
		}
		p.spans = append(p.spans, span)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := names(t, job.Dir); got != nil {
		t.Errorf("left: %q", got)
	}
	return p
}

// streamsJob is a job of some small streams of one kind.
func streamsJob(dir string, spec stream.Spec) Job {
	job := newJob(dir, trace.Read, int64(spec.TotalRate()))
	if spec.Record {
		job.Role = trace.Write
	}
	job.Streams = []stream.Spec{spec}
	job.IO.Footprint = int64(spec.Count) << 20
	job.IO.Depth = 1
	return job
}

// stalling is a file whose requests take serviceNS each, but stand still in a time.
type stalling struct {
	testFile
	service time.Duration
	stands  func() (rest time.Duration)
}

func (f stalling) hold() {
	<-time.After(f.stands() + f.service)
}

func (f stalling) readAt(_ int, p []byte, _ int64) (int, error) {
	f.hold()
	return len(p), nil
}

func (f stalling) writeAt(lane int, p []byte, off int64) (int, error) {
	f.hold()
	return f.testFile.writeAt(lane, p, off)
}

// A device that stands still for a while makes those frames late that were due meanwhile and not asked for before: no more
// and no fewer, whatever the frames before and after do.
func TestStreamsOverAStall(t *testing.T) {
	const (
		service = 2 * time.Millisecond
		frame   = 40 * time.Millisecond
		from    = 5 * time.Second
		length  = 12 * time.Second
	)
	for _, record := range []bool{false, true} {
		for _, buffer := range []time.Duration{500 * time.Millisecond, 2 * time.Second} {
			for _, stall := range []time.Duration{0, 300 * time.Millisecond, time.Second, 3 * time.Second} {
				t.Run(fmt.Sprintf("record %v, buffer %s, stall %s", record, buffer, stall), func(t *testing.T) {
					dir := t.TempDir()
					synctest.Test(t, func(t *testing.T) {
						var began time.Time
						stands := func() time.Duration {
							since := time.Since(began)
							if began.IsZero() || since < from || since >= from+stall {
								return 0
							}
							return from + stall - since
						}
						sys := system{ring: noRing, open: func(folder *os.Root, name string, o opening) (testFile, error) {
							f, err := openTestFile(folder, name, o)
							return stalling{f, service, stands}, err
						}}
						spec := stream.Spec{Record: record, Rate: 1.03e6, Frame: frame, Count: 4, Buffer: buffer}
						p := playStreams(t, streamsJob(dir, spec), sys, length, func() { began = time.Now() })
						p.checkSpans(t, spec, length)
						for i, player := range stream.Players([]stream.Spec{spec}) {
							want := overStall(spec, i, from, from+stall, length)
							got := p.outcomes[player.Name]
							if got.Due != want.Due {
								t.Errorf("stream %d: %d frames were due, want %d", i+1, got.Due, want.Due)
							}
							if diff := got.Late - want.Late; diff < 0 || diff > max(1, want.Late/100) {
								t.Errorf("stream %d: %d late frames, want %d", i+1, got.Late, want.Late)
							}
							if got.StallNS != int64(got.Late)*frame.Nanoseconds() {
								t.Errorf("stream %d: stalled %d ns with %d late frames", i+1, got.StallNS, got.Late)
							}
							if diff := got.LowestNS - want.LowestNS; diff < -4*service.Nanoseconds() || diff > 0 {
								t.Errorf("stream %d: the buffer fell to %d ns, want at most a few requests under %d", i+1, got.LowestNS, want.LowestNS)
							}
						}
					})
				})
			}
		}
	}
}

// overStall is what becomes of a stream's frames where nothing moves for a time, and else everything at once.
func overStall(spec stream.Spec, i int, from, to, length time.Duration) (want stream.Outcome) {
	want.LowestNS = spec.Buffer.Nanoseconds()
	for k := 0; ; k++ {
		ask := spec.Frame*time.Duration(i)/time.Duration(spec.Count) + time.Duration(k)*spec.Frame
		if ask+spec.Buffer > length {
			return want
		}
		want.Due++
		if ask >= from {
			want.LowestNS = min(want.LowestNS, max(0, ask+spec.Buffer-to).Nanoseconds())
		}
		if ask >= from && ask+spec.Buffer < to {
			want.Late++
		}
	}
}

// checkSpans checks that the files of a streams job are one after the other, and come to the streams' rate where nothing
// was skipped.
func (p *played) checkSpans(t *testing.T, spec stream.Spec, length time.Duration) {
	t.Helper()
	var sum, end int64
	for i, span := range p.spans {
		if span.StartNS != end || span.EndNS <= span.StartNS {
			t.Errorf("file %d: %+v after %d", i, span, end)
		}
		end = span.EndNS
		sum += span.Bytes
	}
	late := 0
	for _, o := range p.outcomes {
		late += o.Late
	}
	if got := float64(sum) / float64(end) * 1e9; late == 0 && math.Abs(got/spec.TotalRate()-1) > 0.005 {
		t.Errorf("%.0f bytes per second, want %.0f", got, spec.TotalRate())
	}
	if seconds := int(length.Seconds()); late == 0 && len(p.spans) < seconds-1 {
		t.Errorf("%d files in %d s", len(p.spans), seconds)
	}
	if p.samples < 15*len(p.spans) {
		t.Errorf("%d samples of progress of %d files", p.samples, len(p.spans))
	}
}
