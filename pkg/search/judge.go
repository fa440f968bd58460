package search

import (
	"fmt"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Judge derives the outcome of a try from its events.
type Judge struct {
	try      *scenario.Phase
	disks    map[string]*judged
	stoppedS float64 // stoppedS is how long this machine or hubbench was suspended.
}

// judged is a disk's streams and its latest progress.
type judged struct {
	job     *scenario.Job
	players []*stream.Player
	streams []stream.Totals // outcome of each player

	untilNS int64 // untilNS is when its last line is of.
	moved   int64 // moved is the bytes of the files that have ended.
	open    int64 // open is the bytes of the file that has not.
	seq     int   // seq is the number of that file.
	movedNS int64 // movedNS is when that last grew.
	stillNS int64 // stillNS is the longest time without another byte.
}

// A disk that moves nothing for hungNS hangs: one that is only slow never does.
const hungNS = 5e9

// NewJudge judges a phase that Next has given.
func NewJudge(try *scenario.Phase) *Judge {
	j := &Judge{try: try, disks: map[string]*judged{}}
	for i := range try.Jobs {
		d := &judged{job: &try.Jobs[i], players: stream.Players(try.Jobs[i].Streams)}
		d.streams = make([]stream.Totals, len(d.players))
		j.disks[d.job.Disk] = d
	}
	return j
}

// Add takes an event of the try and ignores those of other phases.
func (j *Judge) Add(e *trace.Event) {
	d := j.disks[e.Disk]
	switch {
	case e.Phase != j.try.Name:
	case e.Type == trace.GaugeType && e.Name == trace.Stopped:
		j.stoppedS += e.Value
	case d == nil:
	case e.Type == trace.FileType || e.Type == trace.ProgressType:
		d.progress(e)
	case e.Type == trace.StreamType:
		for i, p := range d.players {
			if p.Name == e.Stream {
				d.streams[i].Add(e.StreamSample())
			}
		}
	}
}

// progress takes a line of the disk's progress. Streams go on without a pause from file to file;
// others may flush, verify and rest between them.
func (d *judged) progress(e *trace.Event) {
	d.untilNS = max(d.untilNS, e.EndNS, e.TNS)
	same := e.Seq == d.seq && e.Type == trace.ProgressType
	if same && e.Bytes == d.open {
		return
	}
	if same || len(d.streams) > 0 {
		d.stillNS = max(d.stillNS, d.untilNS-d.movedNS)
	}
	d.seq = e.Seq
	d.open = e.Bytes
	d.movedNS = d.untilNS
	if e.Type == trace.FileType {
		d.moved += e.Bytes
		d.seq++
		d.open = 0
	}
}

// Stopped reports whether a disk that last worked so long after the release stopped before the try
// ended, so that the streams were not tested beside it to the end. A tenth of the try is allowed
// for the time between two lines of the trace.
func Stopped(lastNS, tryNS int64) bool { return lastNS < tryNS-tryNS/10 }

// Outcome is that of the whole try. It fails if nothing is known of a stream, or if the try is
// invalid: a disk hung, one beside the streams stopped early, or this machine was suspended.
func (j *Judge) Outcome() (TryOutcome, error) {
	var o TryOutcome
	limit := j.try.Limit
	for i := range j.try.Jobs {
		d := j.disks[j.try.Jobs[i].Disk]
		for k, p := range d.players {
			v := d.streams[k].Verdict(p.Spec.Buffer.Nanoseconds())
			if v == "" {
				return o,
					fmt.Errorf("disk %s: no frame of stream %s was due within %s, so there is no "+
						"verdict; hold for longer", d.job.Disk, p.Name, limit)
			}
			o.Verdict = stream.Worst(o.Verdict, v)
		}
		if d.job.Disk == j.try.Try.Disk {
			o.Rate = float64(d.moved+d.open) / limit.Seconds()
		}
	}
	if j.stoppedS > 0 && o.Verdict != stream.Clean {
		return o, fmt.Errorf("this machine slept, or hubbench was stopped, for %s of the try, "+
			"so its late frames say nothing about the disks", seconds(j.stoppedS))
	}
	for i := range j.try.Jobs {
		d := j.disks[j.try.Jobs[i].Disk]
		if err := d.failed(limit, o.Verdict); err != nil {
			return o, fmt.Errorf("disk %s: %w", d.job.Disk, err)
		}
	}
	return o, nil
}

// failed says why the disk's work in a try is no evidence.
func (d *judged) failed(limit time.Duration, v stream.Verdict) error {
	plays := len(d.streams) > 0
	var pauseNS int64
	if rate := d.job.Rate(); rate > 0 { // It rests after each block.
		pauseNS = int64(2 * float64(d.job.IO.Block) / rate * 1e9)
	}
	stillNS := d.stillNS
	if plays {
		stillNS = max(stillNS, limit.Nanoseconds()-d.movedNS)
		for _, s := range d.job.Streams {
			pauseNS = max(pauseNS, 2*s.Frame.Nanoseconds())
		}
	}
	switch {
	case d.job.Probe > 0:
	case stillNS >= hungNS+pauseNS && (v != stream.Clean || !plays):
		return fmt.Errorf("it moved nothing for %s of the try, which a slow disk never does; "+
			"check its cable and run.log", seconds(float64(stillNS)/1e9))
	case !plays && Stopped(d.untilNS+pauseNS, limit.Nanoseconds()):
		return fmt.Errorf("it was at work for only %s of the %s of a try, so the streams were not "+
			"tested beside it; run.log may say why, then run it again",
			seconds(float64(d.untilNS)/1e9),
			limit)
	}
	return nil
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond)
}
