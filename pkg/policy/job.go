package policy

import (
	"math"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Job takes one disk through its files and emits the events of their trace. For each file that Next gives, whoever
// moves it calls Progress as it goes and then File, or CutShort if it was ended before.
type Job struct {
	phase   string
	job     *scenario.Job
	hold    bool
	aim     *aim         // nil if the files are counted
	windows *windows     // nil if nobody waits for steady rates
	own     int          // files of its own work, as far as known
	quota   int64        // bytes of its own work, if that has just been decided; otherwise zero
	seq     int          // the file under way, or the next one
	ended   int64        // bytes of the files that have ended
	sampled trace.Sample // the latest progress of the file under way
}

// NewJob begins a job of the named phase.
func NewJob(phase string, p Policy, job *scenario.Job) *Job {
	j := &Job{phase: phase, job: job, hold: p.Hold, own: len(job.Sizes)}
	if p.Open() || job.Accompanies() {
		j.own = math.MaxInt
	}
	if p.Target > 0 && !job.Accompanies() {
		j.aim = newAim(job, p.Target)
	}
	if yes, fall := p.settles(job); yes {
		j.windows = newWindows(p.Steady, fall)
	}
	return j
}

// Next is the bytes of the next file; ok is false when there is none.
func (j *Job) Next() (size int64, ok bool) {
	if j.seq >= j.own && !j.hold {
		return 0, false
	}
	return j.job.Size(j.seq), true
}

// Seq is the number of the file under way, or of the next one.
func (j *Job) Seq() int { return j.seq }

// Moved is the bytes moved so far, filler included.
func (j *Job) Moved() int64 { return j.ended + j.sampled.Bytes }

// Worked reports whether the job has moved all of its own files.
func (j *Job) Worked() bool { return j.seq >= j.own }

// filler reports whether the file under way does not count: the warm-up of a preset, or what a disk that holds moves.
func (j *Job) filler() bool { return j.seq < j.job.IO.Discard || j.seq >= j.own }

// Event is an event of the file under way.
func (j *Job) Event(kind trace.Type) trace.Event {
	return trace.Event{Type: kind, Phase: j.phase, Disk: j.job.Disk, Seq: j.seq}
}

// Progress notes how far the file under way is, and returns the event that says so.
func (j *Job) Progress(bytes, tNS int64) trace.Event {
	e := j.Event(trace.ProgressType)
	e.Bytes, e.TNS = bytes, tNS
	j.note(bytes, tNS)
	return e
}

// File ends the file under way, and returns the event that says so.
func (j *Job) File(bytes, startNS, endNS int64) trace.Event {
	e := j.Event(trace.FileType)
	e.Op, e.Bytes, e.StartNS, e.EndNS, e.Filler = j.job.Role, bytes, startNS, endNS, j.filler()
	j.note(bytes, endNS)
	j.seq, j.ended, j.sampled = j.seq+1, j.ended+bytes, trace.Sample{}
	return e
}

// CutShort returns what is known of a filler that the end of the phase has cut short. Of other files nothing is said:
// their progress stands in the trace.
func (j *Job) CutShort(startNS int64) (e trace.Event, ok bool) {
	if !j.filler() || j.sampled.Bytes == 0 {
		return e, false
	}
	return j.File(j.sampled.Bytes, startNS, j.sampled.TNS), true
}

// note sets how far the file under way is, and at the checks of a target the number of files.
func (j *Job) note(bytes, tNS int64) {
	j.sampled = trace.Sample{Bytes: bytes, TNS: tNS}
	if j.windows != nil {
		j.windows.moved(j.Moved(), tNS)
	}
	if j.aim == nil || j.filler() {
		return
	}
	if files, ok := j.aim.moved(j.Moved(), tNS); ok {
		j.own, j.quota = files, bytesOf(j.job, files)
	}
}

// Quota returns, once, the bytes of the job's own work if its progress has just decided them.
func (j *Job) Quota() (bytes int64, ok bool) {
	bytes, j.quota = j.quota, 0
	return bytes, bytes > 0
}

// bytesOf is what the first files of a job hold, which begins again after its last.
func bytesOf(job *scenario.Job, files int) int64 {
	sum := int64(files/len(job.Sizes)) * job.Bytes()
	for _, size := range job.Sizes[:files%len(job.Sizes)] {
		sum += size
	}
	return sum
}
