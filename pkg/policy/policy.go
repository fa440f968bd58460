// Package policy says how the jobs of a phase go on and when they end: in a race, held until all have moved their
// files, at a time, when all have become steady, or with as many files as take a given time. Jobs that accompany others
// (streams and probes) have no end of their own: they go on until the others have moved their files, or to the phase's
// time. A simulation (see hub) and a run (see worker and coordinator) step the same machine, so that a run on simulated
// disks equals its simulation. It moves no bytes and reads no clock. Start at Job, which is one disk's part; Phase is
// what the disks of a phase must know of each other, and Settling when all of them are steady.
//
// Stability: any version may change it.
package policy

import (
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Policy is what ends the jobs of a phase. The zero Policy is a race: each job ends with its last file.
type Policy struct {
	Hold   bool          `json:"hold,omitempty"`      // a job that has moved its files goes on with filler until all have
	Limit  time.Duration `json:"limit_ns,omitempty"`  // all jobs end at this time; 0: at none
	Target time.Duration `json:"target_ns,omitempty"` // a job's files are as many as take that long; 0: they are counted
	// All jobs end when all are steady, by the rates in windows of this length; 0: not waited for. AfterFall: those
	// that write must have fallen before.
	Steady    time.Duration `json:"steady_ns,omitempty"`
	AfterFall bool          `json:"after_fall,omitempty"`
}

// Of is the policy of a phase.
func Of(phase *scenario.Phase) Policy {
	hold := phase.Stop == scenario.StopHold
	p := Policy{Hold: hold, Target: phase.Target, Steady: phase.Steady, AfterFall: phase.AfterFall}
	if phase.Stop == scenario.StopTime {
		p.Limit = phase.Limit
	}
	return p
}

// Open reports whether the number of a job's files is not known before it runs: after the last of its sizes the first
// comes again.
func (p Policy) Open() bool { return p.Limit > 0 || p.Target > 0 || p.Steady > 0 }

// Phase knows which disks are still at their own work; those that accompany them have none. The zero Phase is one
// without disks.
type Phase struct {
	atWork map[string]bool
}

// Begin adds a disk that has files to move.
func (p *Phase) Begin(disk string) {
	if p.atWork == nil {
		p.atWork = map[string]bool{}
	}
	p.atWork[disk] = true
}

// End notes that a disk has moved its files, or is gone.
func (p *Phase) End(disk string) { delete(p.atWork, disk) }

// Over reports whether no disk is at its own work any more: then those that hold have filled enough, and in a phase
// without a limit those that accompany end.
func (p *Phase) Over() bool { return len(p.atWork) == 0 }

// Settling knows when all jobs of a phase are steady at once.
type Settling struct {
	jobs   int
	window int64
	steady map[int]int // jobs by window
}

// NewSettling begins a phase. In one that does not wait for steady rates nothing is ever settled.
func NewSettling(phase *scenario.Phase) Settling {
	s := Settling{window: phase.Steady.Nanoseconds(), steady: map[int]int{}}
	for _, j := range phase.Jobs {
		if !j.Accompanies() {
			s.jobs++
		}
	}
	return s
}

// Add notes that one more job was steady at the end of a window. It reports whether all are, and when all jobs end
// then: half a window later, so that on a simulated hub all have been notified.
func (s *Settling) Add(window int) (endNS int64, all bool) {
	s.steady[window]++
	return int64(window)*s.window + s.window/2, s.steady[window] == s.jobs
}

// Both divides an event of a job that reads and writes at once into what it read and what it wrote, of which read bytes
// were read: in a trace, the file k of such a job is two, 2k of what was read and 2k+1 of what was written.
func Both(e trace.Event, read int64) (reads, writes trace.Event) {
	reads, writes = e, e
	reads.Seq, writes.Seq = 2*e.Seq, 2*e.Seq+1
	reads.Bytes, writes.Bytes = read, e.Bytes-read
	if e.Type == trace.FileType {
		reads.Op, writes.Op = trace.Read, trace.Write
	}
	return reads, writes
}

// ReadOf is how much of the bytes that a simulated job has moved was read: the model moves both directions side by
// side.
func ReadOf(job *scenario.Job, bytes int64) int64 { return int64(job.Reads * float64(bytes)) }

const (
	// Stretch is the maximum number of bytes that a simulated disk asks the hub for at a time.
	Stretch = 32_000_000
	// SampleNS is the time after which a disk's progress is noted, simulated or not.
	SampleNS = 50_000_000
)

// Transfer steps one file over a simulated hub, a stretch at a time.
type Transfer struct {
	Bytes          int64 // moved so far
	StartNS, EndNS int64 // EndNS is that of the last stretch so far
	size           int64
	stretch        int64
	sampledNS      int64
}

// NewTransfer begins a file of a job. One that goes at a pace takes it in stretches so short that its progress can be
// noted as often as that of others.
func NewTransfer(job *scenario.Job, size, startNS int64) Transfer {
	stretch := int64(Stretch)
	if rate := job.Rate(); rate > 0 {
		stretch = max(1, min(stretch, int64(rate*SampleNS/2e9)))
	}
	if startNS > 0 { // it is not the first
		startNS += int64(job.IO.Think)
	}
	return Transfer{StartNS: startNS, EndNS: startNS, size: size, stretch: stretch, sampledNS: startNS}
}

// Ask is the bytes to ask the hub for next; zero if the file is whole.
func (t *Transfer) Ask() int64 { return min(t.stretch, t.size-t.Bytes) }

// Granted notes that what Ask gave has moved, and reports whether this is the time to note the progress of a file that
// is not whole yet.
func (t *Transfer) Granted(doneNS int64) (sample bool) {
	t.Bytes, t.EndNS = t.Bytes+t.Ask(), doneNS
	if t.Bytes == t.size || doneNS-t.sampledNS < SampleNS {
		return false
	}
	t.sampledNS = doneNS
	return true
}
