package search

import (
	"fmt"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Judge derives the outcome of a try from its events.
type Judge struct {
	try     *scenario.Phase
	disks   map[string]*judged
	moved   int64   // by the search's disk, in files that have ended
	open    int64   // in the one that has not
	stopped float64 // seconds in which this machine or hubbench was suspended
}

// judged is a disk's streams and its latest progress.
type judged struct {
	job     *scenario.Job
	names   []string // of its streams
	streams []stream.Outcome
	buffers []int64 // of each, ns

	untilNS int64 // of its last line
	seq     int
	bytes   int64 // of that file
	movedNS int64 // when bytes last grew
	stillNS int64 // the longest time without another byte
}

// A disk that moves nothing for hungNS hangs: one that is only slow never does.
const hungNS = 5e9

// NewJudge judges a phase that Next has given.
func NewJudge(try *scenario.Phase) *Judge {
	j := &Judge{try: try, disks: map[string]*judged{}}
	for i := range try.Jobs {
		d := &judged{job: &try.Jobs[i]}
		for _, p := range stream.Players(d.job.Streams) {
			d.names = append(d.names, p.Name)
			d.streams = append(d.streams, stream.Outcome{})
			d.buffers = append(d.buffers, p.Spec.Buffer.Nanoseconds())
		}
		j.disks[d.job.Disk] = d
	}
	return j
}

// Add takes an event of the try and ignores those of other phases.
func (j *Judge) Add(e *trace.Event) {
	if e.Phase != j.try.Name {
		return
	}
	d := j.disks[e.Disk]
	progress := e.Type == trace.FileType || e.Type == trace.ProgressType
	switch {
	case e.Type == trace.GaugeType && e.Name == trace.Stopped:
		j.stopped += e.Value
	case d == nil:
	case progress:
		d.progress(e)
	case e.Type == trace.StreamType:
		if i := slices.Index(d.names, e.Stream); i >= 0 {
			d.streams[i].Add(e.StreamSample())
		}
	}
	switch {
	case e.Disk != j.try.Try.Disk:
	case e.Type == trace.FileType:
		j.moved, j.open = j.moved+e.Bytes, 0
	case e.Type == trace.ProgressType:
		j.open = e.Bytes
	}
}

// progress takes a line of the disk's progress. Streams go on without a pause from file to file; others may flush,
// verify and rest between them.
func (d *judged) progress(e *trace.Event) {
	d.untilNS = max(d.untilNS, e.EndNS, e.TNS)
	same := e.Seq == d.seq && e.Type == trace.ProgressType
	if same && e.Bytes == d.bytes {
		return
	}
	if same || len(d.streams) > 0 {
		d.stillNS = max(d.stillNS, d.untilNS-d.movedNS)
	}
	d.seq, d.bytes, d.movedNS = e.Seq, e.Bytes, d.untilNS
	if e.Type == trace.FileType {
		d.seq, d.bytes = e.Seq+1, 0
	}
}

// Stopped reports whether a disk that last worked so long after the release stopped before the try ended, so that
// the streams were not tested beside it to the end. A tenth of the try is allowed for the time between two lines of
// the trace.
func Stopped(lastNS, tryNS int64) bool { return lastNS < tryNS-tryNS/10 }

// Outcome is that of the whole try. It fails if nothing is known of a stream, or if the try is invalid: a disk
// hung, one beside the streams stopped early, or this machine was suspended.
func (j *Judge) Outcome() (Outcome, error) {
	o := Outcome{Rate: float64(j.moved+j.open) / j.try.Limit.Seconds()}
	for i := range j.try.Jobs {
		d := j.disks[j.try.Jobs[i].Disk]
		for k := range d.streams {
			v := d.streams[k].Verdict(d.buffers[k])
			if v == "" {
				return o, fmt.Errorf("disk %s: no frame of stream %s was due within %s, so there is no verdict; hold for longer",
					d.job.Disk, d.names[k], j.try.Limit)
			}
			o.Verdict = stream.Worst(o.Verdict, v)
		}
	}
	if j.stopped > 0 && o.Verdict != stream.Clean {
		return o, fmt.Errorf("this machine slept, or hubbench was stopped, for %s of the try, "+
			"so its late frames say nothing about the disks", seconds(j.stopped))
	}
	for i := range j.try.Jobs {
		d := j.disks[j.try.Jobs[i].Disk]
		if err := d.failed(j.try.Limit, o.Verdict); err != nil {
			return o, fmt.Errorf("disk %s: %w", d.job.Disk, err)
		}
	}
	return o, nil
}

// failed says why the disk's work in a try is no evidence.
func (d *judged) failed(limit time.Duration, v stream.Verdict) error {
	plays := len(d.streams) > 0
	var pause int64
	if rate := d.job.Rate(); rate > 0 { // it rests after each block
		pause = int64(2 * float64(d.job.IO.Block) / rate * 1e9)
	}
	for _, s := range d.job.Streams {
		pause = max(pause, 2*s.Frame.Nanoseconds())
	}
	still := d.stillNS
	if plays {
		still = max(still, limit.Nanoseconds()-d.movedNS)
	}
	switch {
	case d.job.Probe > 0:
	case still >= hungNS+pause && (v != stream.Clean || !plays):
		return fmt.Errorf("it moved nothing for %s of the try, which a slow disk never does; check its cable and run.log",
			seconds(float64(still)/1e9))
	case !plays && Stopped(d.untilNS+pause, limit.Nanoseconds()):
		return fmt.Errorf("it was at work for only %s of the %s of a try, so the streams were not tested beside it; "+
			"run.log may say why, then run it again", seconds(float64(d.untilNS)/1e9), limit)
	}
	return nil
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond)
}
