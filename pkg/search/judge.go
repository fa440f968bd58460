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

// Judge derives the outcome of a try from its events.
type Judge struct {
	try     *scenario.Phase
	streams map[source]*judged
	moved   int64 // by the search's disk, in files that have ended
	open    int64 // in the one that has not
	worked  map[string]*pulse
	stopped float64 // seconds in which this machine or hubbench was suspended
}

// pulse is a disk's latest progress.
type pulse struct {
	untilNS int64 // of its last line
	seq     int
	bytes   int64 // of that file
	movedNS int64 // when bytes last grew
	stillNS int64 // the longest time without another byte
}

// A disk that moves nothing for hungNS hangs: one that is only slow never does.
const hungNS = 5e9

type source struct{ disk, stream string }

func compareSources(a, b source) int {
	return cmp.Or(cmp.Compare(a.disk, b.disk), cmp.Compare(a.stream, b.stream))
}

type judged struct {
	stream.Outcome
	bufferNS int64
}

// NewJudge judges a phase that Next has given.
func NewJudge(try *scenario.Phase) *Judge {
	j := &Judge{try: try, streams: map[source]*judged{}, worked: map[string]*pulse{}}
	for i := range try.Jobs {
		job := &try.Jobs[i]
		j.worked[job.Disk] = &pulse{}
		for _, p := range stream.Players(job.Streams) {
			j.streams[source{job.Disk, p.Name}] = &judged{bufferNS: p.Spec.Buffer.Nanoseconds()}
		}
	}
	return j
}

// Add takes an event of the try and ignores those of other phases.
func (j *Judge) Add(e *trace.Event) {
	if e.Phase == j.try.Name && (e.Type == trace.FileType || e.Type == trace.ProgressType) && j.worked[e.Disk] != nil {
		j.worked[e.Disk].add(e, j.plays(e.Disk))
	}
	switch {
	case e.Phase != j.try.Name:
	case e.Type == trace.GaugeType && e.Name == trace.Stopped:
		j.stopped += e.Value
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

func (j *Judge) plays(disk string) bool {
	return slices.ContainsFunc(j.try.Jobs, func(job scenario.Job) bool { return job.Disk == disk && len(job.Streams) > 0 })
}

// add takes a line of the disk's progress. Streams go on without a pause from file to file; others may flush, verify and rest
// between them.
func (p *pulse) add(e *trace.Event, plays bool) {
	p.untilNS = max(p.untilNS, e.EndNS, e.TNS)
	same := e.Seq == p.seq && e.Type == trace.ProgressType
	if same && e.Bytes == p.bytes {
		return
	}
	if plays || same {
		p.stillNS = max(p.stillNS, p.untilNS-p.movedNS)
	}
	p.seq, p.bytes, p.movedNS = e.Seq, e.Bytes, p.untilNS
	if e.Type == trace.FileType {
		p.seq, p.bytes = e.Seq+1, 0
	}
}

// Stopped reports whether a disk that last worked so long after the release stopped before the try ended, so that the
// streams were not tested beside it to the end. A tenth of the try is allowed for the time between two lines of the trace.
func Stopped(lastNS, tryNS int64) bool { return lastNS < tryNS-tryNS/10 }

// Outcome is that of the whole try. It fails if nothing is known of a stream, or if the try is invalid: a disk hung, one
// beside the streams stopped early, or this machine was suspended.
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
	if j.stopped > 0 && o.Verdict != stream.Clean {
		return o, fmt.Errorf("this machine slept, or hubbench was stopped, for %s of the try, so its late frames say nothing about the disks", seconds(j.stopped))
	}
	for i := range j.try.Jobs {
		job := &j.try.Jobs[i]
		if err := j.failed(job, o.Verdict); err != nil {
			return o, fmt.Errorf("disk %s: %w", job.Disk, err)
		}
	}
	return o, nil
}

// failed says why a disk's work in the try is no evidence.
func (j *Judge) failed(job *scenario.Job, v stream.Verdict) error {
	at, plays := j.worked[job.Disk], len(job.Streams) > 0
	var pause int64
	if rate := job.Rate(); rate > 0 { // it rests after each block
		pause = int64(2 * float64(job.IO.Block) / rate * 1e9)
	}
	for _, s := range job.Streams {
		pause = max(pause, 2*s.Frame.Nanoseconds())
	}
	still := at.stillNS
	if plays {
		still = max(still, j.try.Limit.Nanoseconds()-at.movedNS)
	}
	switch {
	case job.Probe > 0:
	case still >= hungNS+pause && (v != stream.Clean || !plays):
		return fmt.Errorf("it moved nothing for %s of the try, which a slow disk never does; check its cable and run.log", seconds(float64(still)/1e9))
	case !plays && Stopped(at.untilNS+pause, j.try.Limit.Nanoseconds()):
		return fmt.Errorf("it was at work for only %s of the %s of a try, so the streams were not tested beside it; run.log may say why, then run it again",
			seconds(float64(at.untilNS)/1e9), j.try.Limit)
	}
	return nil
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond)
}
