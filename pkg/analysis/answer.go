package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Answer answers what a person asked: who wins, who loses, how to connect the disks, and how sure that is. It is decided here,
// from contests and removals; package say puts it into words.
type Answer struct {
	Headline string    `json:"headline"` // filled in by say
	Wins     []Outcome `json:"wins"`
	Loses    []Outcome `json:"loses"`
	Advice   []Advice  `json:"advice"` // none if nothing was measured of disks together
	Sure     Sure      `json:"sure"`
}

// Outcome is what one disk won or lost in a contest.
type Outcome struct {
	Disk   string     `json:"disk"`
	Op     trace.Role `json:"op"`
	Phases []string   `json:"phases"`
	Rate   float64    `json:"rate"`
	Kept   *float64   `json:"kept"` // of its rate without the others; null if that is not known
	KeptCI *Interval  `json:"kept_ci95"`
}

// Advice is how to connect the disks.
type Advice struct {
	Kind  string   `json:"kind"`
	Disks []string `json:"disks"`          // of own_port: the one; of any_own_port: any one of them, the best first
	Gain  float64  `json:"gain,omitempty"` // of the others together: 1 is twice as much
	Error float64  `json:"gain_error,omitempty"`
	Text  string   `json:"text"` // filled in by say
}

// The kinds of advice.
const (
	AdviceOwnPort    = "own_port"     // give it a port of its own
	AdviceAnyOwnPort = "any_own_port" // give one of them a port of its own; it makes little difference which
	AdviceShare      = "share"        // together on the hub: none loses more than a tenth
	AdviceNone       = "none"         // no disk is shown to cost the others more than a tenth
	AdviceUnmeasured = "unmeasured"   // no phase shows what the others have without one disk
)

// Sure is how well the rates behind the answer are known.
type Sure struct {
	Widest   float64 `json:"widest"`  // half of the widest 95 % interval, relative; 0 if none is known
	Disk     string  `json:"disk"`    // whose it is
	Phase    string  `json:"phase"`   // and in which phase
	Unknown  bool    `json:"unknown"` // some rates have no interval
	Repeated bool    `json:"repeated"`
	Text     string  `json:"text"` // filled in by say
}

// What it takes to recommend a port of its own for one disk and not for another.
const (
	worthMoving = 0.10 // that the others gain
	clearlyBest = 0.05 // that they must gain more than from moving any other disk, and by more than the errors of both
)

// Decide fills in the answer, from what the summary comes to.
func (all *Analysis) Decide() {
	s, order := &all.Summary, all.Order
	a := Answer{Wins: []Outcome{}, Loses: []Outcome{}, Advice: []Advice{}, Sure: Sure{Repeated: true}}
	for i := range s.Contests {
		c := &s.Contests[i]
		a.Sure.Repeated = a.Sure.Repeated && len(c.Phases) > 1
		for _, name := range order {
			d, ok := c.Disks[name]
			if !ok {
				continue
			}
			o := Outcome{Disk: name, Op: d.Op, Phases: c.Phases, Rate: d.Rate, KeptCI: d.KeptCI}
			if kept := d.Kept(); kept > 0 {
				o.Kept = &kept
			}
			switch {
			case d.Won:
				a.Wins = append(a.Wins, o)
			case d.Lost:
				a.Loses = append(a.Loses, o)
			}
			switch {
			case d.Changed != "": // its mean is of several rates
			case d.CI95 == nil:
				a.Sure.Unknown = true
			default:
				if off := d.CI95.half() / d.Rate; off > a.Sure.Widest {
					a.Sure.Widest, a.Sure.Disk, a.Sure.Phase = off, name, c.Phases[0]
				}
			}
		}
	}
	if len(s.Contests) > 0 {
		a.Advice = append(a.Advice, s.advice(order))
	}
	all.Answer = a
}

// advice is how to connect the disks, judged by what the others have when one does not work. A removal counts only if it has a
// disk that is known to be held back beside the one (see idleElsewhere), or that recovers when the one ends.
func (s *Summary) advice(order []string) Advice {
	moves := slices.DeleteFunc(slices.Clone(s.Removals), func(r Removal) bool {
		return r.Gain < worthMoving || !slices.ContainsFunc(r.Cases, func(c RemovalCase) bool { return len(c.Disks) > 0 })
	})
	switch {
	case len(moves) == 0 && s.allKept():
		return Advice{Kind: AdviceShare, Disks: []string{}}
	case len(moves) == 0 && len(s.Removals) == 0:
		return Advice{Kind: AdviceUnmeasured, Disks: []string{}}
	case len(moves) == 0:
		return Advice{Kind: AdviceNone, Disks: []string{}}
	}
	best := moves[0]
	out := Advice{Kind: AdviceOwnPort, Gain: best.Gain, Error: best.Error}
	for _, r := range moves {
		if best.Gain-r.Gain <= max(clearlyBest, math.Hypot(best.Error, r.Error)) {
			out.Disks = append(out.Disks, r.Disk)
		}
	}
	if len(out.Disks) > 1 {
		out.Kind = AdviceAnyOwnPort
		slices.SortFunc(out.Disks[1:], func(x, y string) int { return cmp.Compare(slices.Index(order, x), slices.Index(order, y)) })
	}
	return out
}

// allKept reports whether all disks of all contests are known to keep nine tenths of their rates.
func (s *Summary) allKept() bool {
	for _, c := range s.Contests {
		for _, d := range c.Disks {
			if d.Kept() < heldBack {
				return false
			}
		}
	}
	return true
}
