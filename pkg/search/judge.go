package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Judge makes an outcome of a try's events.
type Judge struct {
	try     *scenario.Phase
	streams map[source]*judged
	moved   int64            // by the search's disk, in files that have ended
	open    int64            // in the one that has not
	worked  map[string]int64 // by disk: until when
}

// source is a stream by its disk and name.
type source struct{ disk, stream string }

func compareSources(a, b source) int {
	return cmp.Or(cmp.Compare(a.disk, b.disk), cmp.Compare(a.stream, b.stream))
}

// judged is a stream under judgement.
type judged struct {
	stream.Outcome
	bufferNS int64
}

// NewJudge judges a phase that Next has given.
func NewJudge(try *scenario.Phase) *Judge {
	j := &Judge{try: try, streams: map[source]*judged{}, worked: map[string]int64{}}
	for i := range try.Jobs {
		job := &try.Jobs[i]
		for _, p := range stream.Players(job.Streams) {
			j.streams[source{job.Disk, p.Name}] = &judged{bufferNS: p.Spec.Buffer.Nanoseconds()}
		}
	}
	return j
}

// Add takes an event of the try. Those of other phases are passed over.
func (j *Judge) Add(e *trace.Event) {
	if e.Phase == j.try.Name && (e.Type == trace.FileType || e.Type == trace.ProgressType) {
		j.worked[e.Disk] = max(j.worked[e.Disk], e.EndNS, e.TNS)
	}
	switch {
	case e.Phase != j.try.Name:
	case e.Type == trace.StreamType:
		if s := j.streams[source{e.Disk, e.Stream}]; s != nil {
			s.Add(e.StreamSample())
		}
	case e.Disk != j.try.Try.Disk:
	case e.Type == trace.FileType:
		j.moved, j.open = j.moved+e.Bytes, 0
	case e.Type == trace.ProgressType:
		j.open = e.Bytes
	}
}

// Stopped reports whether a disk that was last seen at work so long after the release had ended before the try did: its
// streams were not tested beside it to the end. A tenth of the try is for what a slow disk moves from one line of the trace to
// the next.
func Stopped(lastNS, tryNS int64) bool { return lastNS < tryNS-tryNS/10 }

// Outcome is that of the whole try. It fails if nothing is known of a stream, or if a disk beside them stopped early.
func (j *Judge) Outcome() (Outcome, error) {
	o := Outcome{Rate: float64(j.moved+j.open) / j.try.Limit.Seconds()}
	for _, at := range slices.SortedFunc(maps.Keys(j.streams), compareSources) {
		s := j.streams[at]
		v := s.Verdict(s.bufferNS)
		if v == "" {
			return o, fmt.Errorf("disk %s: no frame of stream %s was due within %s, so there is no verdict; hold for longer", at.disk, at.stream, j.try.Limit)
		}
		o.Verdict = stream.Worst(o.Verdict, v)
	}
	for i := range j.try.Jobs {
		job := &j.try.Jobs[i]
		last := j.worked[job.Disk]
		if rate := job.Rate(); rate > 0 { // it rests after each block
			last += int64(2 * float64(job.IO.Block) / rate * 1e9)
		}
		if job.Probe == 0 && len(job.Streams) == 0 && Stopped(last, j.try.Limit.Nanoseconds()) {
			return o, fmt.Errorf("disk %s: it was at work for only %s of the %s of a try, so the streams were not tested beside it; run.log may say why, then run it again",
				job.Disk, time.Duration(j.worked[job.Disk]).Round(100*time.Millisecond), j.try.Limit)
		}
	}
	return o, nil
}
