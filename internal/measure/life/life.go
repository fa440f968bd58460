// Package life is how far a run has come: one state at a time, with the same name in the code, in
// run.log, in run.json and in the live view. Start at [Life].
//
//	checked -> created -> getting ready -> released -> measuring -> cleaning -> concluded
//
//	measuring -> getting ready           the next phase, or the next try of a search
//	created, getting ready,              an interrupt, a kill, a worker that died, a disk that was
//	released, measuring -> cleaning      pulled or hangs, a full results disk, or no phase is left
//	cleaning -> getting ready            a person has connected the disks in another way
//	created -> concluded                 nothing could be begun
//
// A run that was killed stays, in run.json, in the state in which that happened. To resume it
// begins a new life: its plan is checked again, and created means that its folder was taken over.
package life

import (
	"fmt"
	"slices"

	"go.uber.org/zap"
)

// State is how far a run has come.
type State string

// The states of a run, in their order.
const (
	// Checked: the scenario and the machine fit one another, and nothing is made yet.
	Checked State = "checked"
	// Created: the run has its folder, in which all of it is recorded.
	Created State = "created"
	// GettingReady: the disks rest, and workers open files and write those that are to be read.
	GettingReady State = "getting ready"
	// Released: all workers know the instant at which they begin.
	Released State = "released"
	// Measuring: the first bytes have moved.
	Measuring State = "measuring"
	// Cleaning: workers end at their next request, and the test files are removed.
	Cleaning State = "cleaning"
	// Concluded: no process of the run is left, and its status says how it ended.
	Concluded State = "concluded"
)

// next has the states that may follow, as listed above.
func (s State) next() []State {
	switch s {
	case Checked:
		return []State{Created}
	case Created:
		return []State{GettingReady, Cleaning, Concluded}
	case GettingReady:
		return []State{Released, Cleaning}
	case Released:
		return []State{Measuring, Cleaning}
	case Measuring:
		return []State{GettingReady, Cleaning}
	case Cleaning:
		return []State{GettingReady, Concluded}
	default:
		return nil
	}
}

// Life is a run's state, and who is told when it changes. It is for one goroutine.
type Life struct {
	State State
	Log   *zap.Logger
	Save  func(State) error // Save writes it to run.json; nil if the run has none.
	Show  func(State)       // Show is the live view's; nil if nobody watches.
}

// Enter moves on to a state, and tells the log why, run.json and the live view. The error is that
// of run.json, or a mistake of hubbench's.
func (l *Life) Enter(state State, why string) error {
	if !slices.Contains(l.State.next(), state) {
		return fmt.Errorf("a run that is %s can't be %s next (%s): this is a bug of hubbench's",
			l.State, state, why)
	}
	l.State = state
	l.Log.Info("run "+string(state), zap.String("why", why))
	if l.Show != nil {
		l.Show(state)
	}
	if l.Save != nil {
		return l.Save(state)
	}
	return nil
}
