// Package work knows what one disk does in one phase, from the plan to the page: in which direction, files of which
// sizes in which order, how they are moved, and whether it goes as fast as it can. It alone answers whether two
// measurements are of the same work, so that they may be set beside one another: as a rate alone, as repeats, as two
// runs. It measures nothing, and where a disk is connected is no part of it. Start at Work.
//
// Stability: v1 only adds to it.
package work

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
)

// Work is what a disk is asked for in a phase. Without a Mode it was not recorded: then it holds only what a trace
// shows anyway.
type Work struct {
	Op    Role   `json:"op"`              // in a mix, what it does more of
	Test  string `json:"test,omitempty"`  // which of a preset's tests this is
	Sizes Sizes  `json:"sizes,omitzero"`  // of its files; zero: not known, or it has streams or a probe
	Order string `json:"order,omitempty"` // of the files: random, ascending, descending, listed

	Mode        string  `json:"io,omitempty"`          // direct, app
	Block       int64   `json:"block,omitempty"`       // bytes per request
	Depth       int     `json:"depth,omitempty"`       // requests in flight
	Access      string  `json:"access,omitempty"`      // sequential, random
	Flush       string  `json:"flush,omitempty"`       // none, fsync, full; of work that writes
	Verify      string  `json:"verify,omitempty"`      // off, stamps, full
	Preallocate bool    `json:"preallocate,omitempty"` // of work that writes
	Footprint   int64   `json:"footprint,omitempty"`
	Fill        float64 `json:"precondition,omitempty"` // share of the volume that was full before
	WarmUp      int     `json:"warm_up,omitempty"`      // files that do not count, before the others

	OneFile bool          `json:"one_file,omitempty"` // its files are passes over one and the same
	Cap     time.Duration `json:"cap_ns,omitempty"`   // most time of a file
	Rest    time.Duration `json:"rest_ns,omitempty"`  // before each file but the first

	Think   time.Duration `json:"think_ns,omitempty"` // before each file but the first, as a part of the work
	Pace    float64       `json:"pace,omitempty"`     // bytes per second at most; 0: as fast as it can
	Reads   float64       `json:"reads,omitempty"`    // of work that reads and writes at once: the share of reads
	Streams []stream.Spec `json:"streams,omitempty"`  // what is played or recorded
	Probe   int64         `json:"probe,omitempty"`    // bytes of a single request at a time, which only measures latency
	Every   time.Duration `json:"every_ns,omitempty"` // from one such request to the next

	Seen *Seen `json:"-"` // what the files say, if Sizes does not
}

// The orders of files.
const (
	Random     = "random"     // drawn sizes as they were drawn; listed ones shuffled
	Ascending  = "ascending"  // smallest first
	Descending = "descending" // largest first
	Listed     = "listed"     // as the list has them
)

// ModeApp moves whole files, in one call each: there are no blocks.
const ModeApp = "app"

// Accompanies reports whether the disk has no files to move: it plays, records or is probed for as long as others work.
func (w Work) Accompanies() bool { return len(w.Streams) > 0 || w.Probe > 0 }

// Declared reports whether the work was recorded by the program that did it.
func (w Work) Declared() bool { return w.Mode != "" }

func (w *Work) writes() bool { return w.Op == Write || w.Reads > 0 }

// Same reports whether rates of both mean the same, except for where the disk is connected and what goes on beside it.
func (w Work) Same(o Work) bool { return w.SameBut(o) }

// SameBut is Same whatever the work differs by in some keys.
func (w Work) SameBut(o Work, keys ...Key) bool {
	return !slices.ContainsFunc(w.Differs(o), func(k Key) bool { return !slices.Contains(keys, k) })
}

// Role is what a disk does in a phase, in plans, traces and models alike; as an event's `op` it is only ever Read or
// Write.
type Role string

// The three roles, as they stand in scenario files and traces.
const (
	Read  Role = "read"
	Write Role = "write"
	Idle  Role = "idle"
)

// Letter is the role's letter in a pattern: R, W or -.
func (r Role) Letter() byte {
	switch r {
	case Read:
		return 'R'
	case Write:
		return 'W'
	default:
		return '-'
	}
}

// Paced is, by disk, the works that are limited or go both ways, as traces and analyses have written them since before
// they had all works, and still do: readers know them by that key.
type Paced map[string]Work

// PacedOf selects them; nil if there are none.
func PacedOf(all map[string]Work) Paced {
	var paced Paced
	for disk, w := range all {
		if w.Limited() || w.Reads > 0 {
			if paced == nil {
				paced = Paced{}
			}
			paced[disk] = w
		}
	}
	return paced
}

type pacedJSON struct {
	Rate    float64       `json:"rate,omitempty"`    // bytes per second, at most
	Streams []stream.Spec `json:"streams,omitempty"` // what is played or recorded
	Probe   int64         `json:"probe,omitempty"`   // bytes of a single request at a time
	Reads   float64       `json:"reads,omitempty"`   // share of reads
	Think   time.Duration `json:"think_ns,omitempty"`
}

// MarshalJSON writes of each work only what these ever said.
func (p Paced) MarshalJSON() ([]byte, error) {
	all := make(map[string]pacedJSON, len(p))
	for disk, w := range p {
		all[disk] = pacedJSON{w.Pace, w.Streams, w.Probe, w.Reads, w.Think}
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads that.
func (p *Paced) UnmarshalJSON(data []byte) error {
	var all map[string]pacedJSON
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*p = nil
	if all != nil {
		*p = make(Paced, len(all))
	}
	for disk, w := range all {
		(*p)[disk] = Work{Pace: w.Rate, Streams: w.Streams, Probe: w.Probe, Reads: w.Reads, Think: w.Think}
	}
	return nil
}
