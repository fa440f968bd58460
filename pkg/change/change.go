// Package change finds what happened in a phase, over all of its disks at once: which rates rose or
// fell, when, and whether a neighbour has to do with it. Why a disk fell by itself (heat, a full
// cache, the link) is not its subject. Start at [Explain], which returns [Event] values and each
// disk's levels; ask [Falls] what a disk did by itself and [Recoveries] who rose when another
// finished.
//
// An event is a shape in time (a step, a slope, a standstill) times what it did to each disk. What
// it was is the hypothesis that takes the fewest nats to write down: half of its squared misfit, a
// date, the names of disks, and each size that is not tied to another. So nothing depends on an
// order of rules, and the same input gives the same events, in whatever order its disks come.
package change

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
)

// Kind says what an event is.
type Kind string

// The kinds of events.
const (
	Start    Kind = "start"    // a disk began, or others fell when By did
	End      Kind = "end"      // a disk finished before the phase did
	Recovery Kind = "recovery" // disks rose after By had finished
	OwnFall  Kind = "own_fall" // one disk, and no other disk has to do with it
	OwnRise  Kind = "own_rise"
	// Several fell or rose by one factor at one instant.
	SharedFall Kind = "shared_fall"
	SharedRise Kind = "shared_rise"
	// Some took what others left: By, or nobody knows who began.
	Redistribution Kind = "redistribution"
	Stall          Kind = "stall" // nothing moved
	Swing          Kind = "swing" // two levels alternate
	Drift          Kind = "drift" // the rate slopes
	Unknown        Kind = "unknown"
)

// Event is what one disk or several did at one moment, or over one stretch of time.
type Event struct {
	// When it happened. EndNS is later only for what lasts, and for a recovery, which lasts from
	// By's end until the new level is reached.
	AtNS, EndNS int64
	Disks       []string // sorted
	Kind        Kind
	By          string // the neighbour that has to do with it; empty if none or unknown
	Shifts      []Shift
	PeriodNS    int64   // a swing's median cycle
	LowNS       int64   // median length of its low levels
	Moments     []int64 // when a swing changed
	Evidence    Evidence
}

// Shift is what one disk's rate did: for a swing, From is the higher level. Error is the relative
// standard error of the change.
type Shift struct {
	Disk     string
	From, To float64 // bytes per second
	Error    float64
	RisenNS  int64 // when the disk had recovered: each does so by itself
}

// Evidence says how sure an event is.
type Evidence struct {
	Nats float64 // how much cheaper the events of this moment are than none
	// Moving the date beyond these costs more than 2 nats.
	FirstNS, LastNS int64
}

// Rise is a recovery: the rise of one disk after another finished.
type Rise struct {
	Disk, After string
	AtNS        int64 // when After finished
	EndNS       int64 // when the new level was reached
	From, To    float64
	Evidence    Evidence
}

// Explain returns what happened to the disks of a phase, in order of time, and each disk's history,
// in the order given: a copy with its levels, slopes and swing, and the noise about them. The disks
// come from [ledger.New] and have been settled, each by itself ([ledger.History.Settle]): what it does
// not show is no change of a disk of its own. They are not changed.
func Explain(disks []*ledger.History) ([]Event, []ledger.History) {
	sorted := slices.Clone(disks)
	slices.SortStableFunc(sorted, func(a, b *ledger.History) int {
		return cmp.Compare(a.Name(), b.Name())
	})
	p := newPhase(sorted)
	p.findCandidates()
	p.settleTwice()
	events := p.tell()
	histories := make([]ledger.History, len(disks))
	for i, d := range disks {
		histories[i] = history(d, events)
	}
	return events, histories
}

// Of returns what the event did to a disk; not ok if it did nothing.
func (e *Event) Of(disk string) (Shift, bool) {
	for _, s := range e.Shifts {
		if s.Disk == disk {
			return s, true
		}
	}
	return Shift{}, false
}

// Falls returns the events in which a disk fell by itself, or all disks when the name is empty.
func Falls(events []Event, disk string) []Event {
	var falls []Event
	for i := range events {
		if _, ok := events[i].Of(disk); events[i].Kind == OwnFall && (ok || disk == "") {
			falls = append(falls, events[i])
		}
	}
	return falls
}

// Recoveries returns each disk's rises after another finished.
func Recoveries(events []Event) []Rise {
	var rises []Rise
	for i := range events {
		if e := &events[i]; e.Kind == Recovery {
			for _, s := range e.Shifts {
				rises = append(rises,
					Rise{s.Disk, e.By, e.AtNS, s.RisenNS, s.From, s.To, e.Evidence})
			}
		}
	}
	return rises
}
