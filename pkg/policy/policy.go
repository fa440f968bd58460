// Package policy says how the jobs of a phase go on and when they end: in a race, held until all
// have moved their files, at a time, when all have become steady, or with as many files as take a
// given time. Jobs that accompany others (streams and probes) have no end of their own: they go on
// until the others have moved their files, or to the phase's time. A simulation (see hub) and a run
// (see worker and coordinator) step the same machine, so that a run on simulated disks equals its
// simulation. It moves no bytes and reads no clock. Start at Job, which is one disk's part; Phase
// is what the disks of a phase must know of each other, and Settling when all of them are steady.
package policy

import (
	"math"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Policy is what ends the jobs of a phase. The zero Policy is a race: each job ends with its last
// file.
type Policy struct {
	// Hold says that a job that has moved its files goes on with filler until all have.
	Hold  bool          `json:"hold,omitempty"`
	Limit time.Duration `json:"limit_ns,omitempty"` // Limit ends all jobs; 0 if there is none.
	// A job has as many files as take that long; if Target is 0, they are counted.
	Target time.Duration `json:"target_ns,omitempty"`
	// All jobs end when all are steady, by the rates in windows of this length; 0: not waited for.
	// AfterFall: those that write must have fallen before.
	Steady    time.Duration `json:"steady_ns,omitempty"`
	AfterFall bool          `json:"after_fall,omitempty"`
}

// Of returns the policy of a phase.
func Of(phase *scenario.Phase) Policy {
	hold := phase.Stop == scenario.StopHold
	p := Policy{Hold: hold, Target: phase.Target, Steady: phase.Steady, AfterFall: phase.AfterFall}
	if phase.Stop == scenario.StopTime {
		p.Limit = phase.Limit
	}
	return p
}

// Open reports whether the number of a job's files is not known before it runs: after the last of
// its sizes the first comes again.
func (p Policy) Open() bool { return p.Limit > 0 || p.Target > 0 || p.Steady > 0 }

// WorkingDisks knows which disks are still at their own work; those that accompany them have none.
// The zero value is a phase without disks.
type WorkingDisks struct {
	atWork map[string]bool
}

// Begin adds a disk that has files to move.
func (p *WorkingDisks) Begin(disk string) {
	if p.atWork == nil {
		p.atWork = map[string]bool{}
	}
	p.atWork[disk] = true
}

// End notes that a disk has moved its files, or is gone.
func (p *WorkingDisks) End(disk string) { delete(p.atWork, disk) }

// Over reports whether no disk is at its own work any more: then those that hold have filled
// enough, and in a phase without a limit those that accompany end.
func (p *WorkingDisks) Over() bool { return len(p.atWork) == 0 }

// Settling knows when all jobs of a phase are steady at once.
type Settling struct {
	jobs   int
	window int64
	steady map[int]int // steady counts jobs by window.
}

// NewSettling begins a phase. In one that does not wait for steady rates nothing is ever settled.
func NewSettling(phase *scenario.Phase) Settling {
	return Settling{
		jobs: len(phase.Movers()), window: phase.Steady.Nanoseconds(), steady: map[int]int{},
	}
}

// Add notes that one more job was steady at the end of a window. It reports whether all are, and
// when all jobs end then: half a window later, so that on a simulated hub all have been notified.
func (s *Settling) Add(window int) (endNS int64, all bool) {
	s.steady[window]++
	return int64(window)*s.window + s.window/2, s.steady[window] == s.jobs
}

// Both divides an event of a job that reads and writes at once into what it read and what it wrote,
// of which read bytes were read: in a trace, the file k of such a job is two, 2k of what was read
// and 2k+1 of what was written.
func Both(e trace.Event, read int64) (reads, writes trace.Event) {
	reads = e
	writes = e
	reads.Seq = 2 * e.Seq
	writes.Seq = 2*e.Seq + 1
	reads.Bytes = read
	writes.Bytes = e.Bytes - read
	if e.Type == trace.FileType {
		reads.Op = trace.Read
		writes.Op = trace.Write
	}
	return reads, writes
}

// ReadOf returns how much of the bytes that a simulated job has moved was read: the model moves
// both directions side by side.
func ReadOf(job *scenario.Job, bytes int64) int64 { return int64(job.Reads * float64(bytes)) }

const (
	// Stretch is the maximum number of bytes that a simulated disk asks the hub for at a time.
	Stretch = 32_000_000
	// SampleNS is the time after which a disk's progress is noted, simulated or not.
	SampleNS = 50_000_000
)

// Transfer steps one file over a simulated hub, a stretch at a time.
type Transfer struct {
	Bytes          int64 // Bytes have moved so far.
	StartNS, EndNS int64 // EndNS is that of the last stretch so far
	size           int64
	stretch        int64
	sampledNS      int64
}

// NewTransfer begins a file of a job. One that goes at a pace takes it in stretches so short that
// its progress can be noted as often as that of others.
func NewTransfer(job *scenario.Job, size, startNS int64) Transfer {
	stretch := int64(Stretch)
	if rate := job.Rate(); rate > 0 {
		stretch = max(1, min(stretch, int64(rate*SampleNS/2e9)))
	}
	if startNS > 0 { // not the first
		startNS += int64(job.IO.ThinkTime())
	}
	return Transfer{
		StartNS: startNS, EndNS: startNS, size: size, stretch: stretch, sampledNS: startNS,
	}
}

// Ask returns the bytes to ask the hub for next; zero if the file is whole.
func (t *Transfer) Ask() int64 { return min(t.stretch, t.size-t.Bytes) }

// Granted notes that what Ask gave has moved, and reports whether this is the time to note the
// progress of a file that is not whole yet.
func (t *Transfer) Granted(doneNS int64) (sample bool) {
	t.Bytes = t.Bytes + t.Ask()
	t.EndNS = doneNS
	if t.Bytes == t.size || doneNS-t.sampledNS < SampleNS {
		return false
	}
	t.sampledNS = doneNS
	return true
}

// JobState takes one disk through its files and emits the events of their trace. For each file that
// Next gives, whoever moves it calls Progress as it goes and then File, or CutShort if it was ended
// before.
type JobState struct {
	phase   string
	job     *scenario.Job
	hold    bool
	aim     *aim     // aim is nil if the files are counted.
	windows *windows // windows is nil if nobody waits for steady rates.
	own     int      // own counts the files of its own work, as far as known.
	// quota is bytes of its own work, if that has just been decided; otherwise zero.
	quota   int64
	seq     int          // seq is the file under way, or the next one.
	ended   int64        // ended is bytes of the files that have ended.
	sampled trace.Sample // sampled is the latest progress of the file under way.
}

// NewJobState begins a job of the named phase.
func NewJobState(phase string, p Policy, job *scenario.Job) *JobState {
	j := &JobState{phase: phase, job: job, hold: p.Hold, own: len(job.Sizes)}
	if p.Open() || job.HasNoFiles() {
		j.own = math.MaxInt
	}
	if job.HasNoFiles() {
		return j
	}
	if p.Target > 0 {
		j.aim = newAim(job, p.Target)
	}
	if p.Steady > 0 { // Only a full cache makes rates fall first, and that slows writing.
		j.windows = &windows{
			length: p.Steady.Nanoseconds(), fall: p.AfterFall && job.Role == trace.Write,
		}
	}
	return j
}

// Next returns the bytes of the next file; ok is false when there is none.
func (j *JobState) Next() (size int64, ok bool) {
	if j.seq >= j.own && !j.hold {
		return 0, false
	}
	return j.job.Size(j.seq), true
}

// Seq returns the number of the file under way, or of the next one.
func (j *JobState) Seq() int { return j.seq }

// Moved returns the bytes moved so far, filler included.
func (j *JobState) Moved() int64 { return j.ended + j.sampled.Bytes }

// Worked reports whether the job has moved all of its own files.
func (j *JobState) Worked() bool { return j.seq >= j.own }

// filler reports whether the file under way does not count: the warm-up of a preset, or what a disk
// that holds moves.
func (j *JobState) filler() bool { return j.seq < j.job.IO.Discard || j.seq >= j.own }

// Event returns an event of the file under way.
func (j *JobState) Event(kind trace.Type) trace.Event {
	return trace.Event{Type: kind, Phase: j.phase, Disk: j.job.Disk, Seq: j.seq}
}

// Progress notes how far the file under way is, and returns the event that says so.
func (j *JobState) Progress(bytes, tNS int64) trace.Event {
	e := j.Event(trace.ProgressType)
	e.Bytes = bytes
	e.TNS = tNS
	j.note(bytes, tNS)
	return e
}

// File ends the file under way, and returns the event that says so.
func (j *JobState) File(bytes, startNS, endNS int64) trace.Event {
	e := j.Event(trace.FileType)
	e.Op, e.Bytes, e.StartNS, e.EndNS, e.Filler = j.job.Role, bytes, startNS, endNS, j.filler()
	j.note(bytes, endNS)
	j.seq, j.ended, j.sampled = j.seq+1, j.ended+bytes, trace.Sample{}
	return e
}

// CutShort returns what is known of a filler that the end of the phase has cut short. Of other
// files nothing is said: their progress stands in the trace.
func (j *JobState) CutShort(startNS int64) (e trace.Event, ok bool) {
	if !j.filler() || j.sampled.Bytes == 0 {
		return e, false
	}
	return j.File(j.sampled.Bytes, startNS, j.sampled.TNS), true
}

// note sets how far the file under way is, and at the checks of a target the number of files.
func (j *JobState) note(bytes, tNS int64) {
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
func (j *JobState) Quota() (bytes int64, ok bool) {
	bytes = j.quota
	j.quota = 0
	return bytes, bytes > 0
}

// Settled returns, each one once, the windows at whose ends the job was steady, counted from 1.
func (j *JobState) Settled() (window int, ok bool) {
	if j.windows == nil || len(j.windows.steady) == 0 {
		return 0, false
	}
	window, j.windows.steady = j.windows.steady[0], j.windows.steady[1:]
	return window, true
}

// bytesOf returns what the first files of a job hold, which begins again after its last.
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

// between returns where a job was at ns, between the last point and this one: so it does not matter
// when points come.
func between(last, now point, ns int64) point {
	part := float64(ns-last.ns) / float64(max(1, now.ns-last.ns))
	return point{ns, last.bytes + part*(now.bytes-last.bytes)}
}

// aim decides, while a job with a target runs, how many files it has: as many as end nearest to the
// target, so that all disks of a phase end together however they share the hub. It goes by the
// job's own rate in the phase, which the contention has already made what it is, and checks it
// again and again.
type aim struct {
	job    *scenario.Job
	target int64   // nanoseconds
	last   point   // last is the latest known.
	checks []point // checks are from each check so far, and from the release.
}

// A check comes every twentieth of the target, the first after a tenth and the last before a tenth
// is left. The rate that counts is that of the last fifth.
const (
	aimSteps  = 20
	aimFirst  = 2
	aimLast   = 18
	aimWindow = 4
)

func newAim(job *scenario.Job, target time.Duration) *aim {
	return &aim{job: job, target: target.Nanoseconds(), checks: []point{{}}}
}

// moved notes that the job has moved that many bytes in all by tNS. At a check it returns the
// number of files: as many as come nearest to the bytes that it will have moved, and hold what it
// has.
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
		files = 0
		decided = true
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

// windows are the rates of a job in windows of one length from the release on, by which it is known
// when the job has become steady (see stats.Steady).
type windows struct {
	length int64 // nanoseconds
	fall   bool  // fall says that steady counts only after a fall.
	last   point // last is the latest known.
	bytes  float64
	rates  []float64
	steady []int // steady are windows at whose end the job was steady, not yet reported.
}

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
