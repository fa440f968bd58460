package policy

import (
	"math"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
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
	if p.Steady > 0 && !job.Accompanies() { // only a full cache makes rates fall first, and that slows writing
		j.windows = &windows{length: p.Steady.Nanoseconds(), fall: p.AfterFall && job.Role == trace.Write}
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

// Settled returns, each one once, the windows at whose ends the job was steady, counted from 1.
func (j *Job) Settled() (window int, ok bool) {
	if j.windows == nil || len(j.windows.steady) == 0 {
		return 0, false
	}
	window, j.windows.steady = j.windows.steady[0], j.windows.steady[1:]
	return window, true
}

// bytesOf is what the first files of a job hold, which begins again after its last.
func bytesOf(job *scenario.Job, files int) int64 {
	sum := int64(files/len(job.Sizes)) * job.Bytes()
	for _, size := range job.Sizes[:files%len(job.Sizes)] {
		sum += size
	}
	return sum
}

// point is how far a job was at a time since the release.
type point struct {
	ns    int64
	bytes float64
}

// between is where a job was at ns, between the last point and this one: so it does not matter when points come.
func between(last, now point, ns int64) point {
	part := float64(ns-last.ns) / float64(max(1, now.ns-last.ns))
	return point{ns, last.bytes + part*(now.bytes-last.bytes)}
}

// aim decides, while a job with a target runs, how many files it has: as many as end nearest to the target, so
// that all disks of a phase end together however they share the hub. It goes by the job's own rate in the phase,
// which the contention has already made what it is, and checks it again and again.
type aim struct {
	job    *scenario.Job
	target int64   // nanoseconds
	last   point   // the latest known
	checks []point // at each check so far, and at the release
}

// A check comes every twentieth of the target, the first after a tenth and the last before a tenth is left. The rate
// that counts is that of the last fifth.
const (
	aimSteps  = 20
	aimFirst  = 2
	aimLast   = 18
	aimWindow = 4
)

func newAim(job *scenario.Job, target time.Duration) *aim {
	return &aim{job: job, target: target.Nanoseconds(), checks: []point{{}}}
}

// moved notes that the job has moved that many bytes in all by tNS. At a check it returns the number of files: as many
// as come nearest to the bytes that it will have moved, and hold what it has.
func (a *aim) moved(bytes, tNS int64) (files int, decided bool) {
	now := point{tNS, float64(bytes)}
	for k := len(a.checks); k <= aimLast; k++ {
		ns := a.target * int64(k) / aimSteps
		if now.ns < ns {
			break
		}
		at := between(a.last, now, ns)
		from := a.checks[max(0, k-aimWindow)]
		a.checks = append(a.checks, at)
		if k < aimFirst {
			continue
		}
		rate := (at.bytes - from.bytes) / float64(at.ns-from.ns)
		expected := at.bytes + rate*float64(a.target-at.ns)
		files, decided = 0, true
		for sum := int64(0); ; files++ {
			next := sum + a.job.Size(files)
			if sum >= bytes && files > 0 && float64(sum)+float64(next) >= 2*expected {
				break
			}
			sum = next
		}
	}
	a.last = now
	return files, decided
}

// windows are the rates of a job in windows of one length from the release on, by which it is known when the job has
// become steady (see stats.Steady).
type windows struct {
	length int64 // nanoseconds
	fall   bool  // steady counts only after a fall
	last   point // the latest known
	bytes  float64
	rates  []float64
	steady []int // windows at whose end the job was steady, not yet reported
}

// moved notes that the job has moved that many bytes in all by tNS.
func (w *windows) moved(bytes, tNS int64) {
	now := point{tNS, float64(bytes)}
	for end := int64(len(w.rates)+1) * w.length; now.ns >= end; end += w.length {
		at := between(w.last, now, end).bytes
		w.rates = append(w.rates, (at-w.bytes)/float64(w.length)*1e9)
		w.bytes = at
		if since, ok := stats.Steady(w.rates); ok && (!w.fall || stats.Fell(w.rates, since)) {
			w.steady = append(w.steady, len(w.rates))
		}
	}
	w.last = now
}
