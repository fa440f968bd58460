// Package policy says how the jobs of a phase go on and when they end: in a race, held until all have moved their
// files, at a time, when all have become steady, or with as many files as take a given time. Jobs that accompany others
// (streams and probes) have no end of their own: they go on until the others have moved their files, or to the phase's
// time. A simulation (see hub) and a run (see worker and coordinator) step the same machine, so that a run on simulated
// disks equals its simulation. It moves no bytes and reads no clock. Start at Job, which is one disk's part; Phase is
// what the disks of a phase must know of each other, and Settling when all of them are steady.
package policy

import (
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
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
	p := Policy{Hold: phase.Stop == scenario.StopHold, Target: phase.Target, Steady: phase.Steady, AfterFall: phase.AfterFall}
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
