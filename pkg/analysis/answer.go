package analysis

import (
	"cmp"
	"maps"
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
	Doubts   []Doubt   `json:"doubts"` // why the run's numbers cannot be trusted, the worst first: these stand in place of who wins
}

// Doubt is a reason not to trust a run's numbers.
type Doubt struct {
	Code    string  `json:"code"`
	Phase   string  `json:"phase,omitempty"` // the first that shows it; empty for the run
	Disk    string  `json:"disk,omitempty"`
	Cause   string  `json:"cause,omitempty"` // of a failure
	Percent float64 `json:"percent,omitempty"`
	Text    string  `json:"text"` // filled in by say
}

// The codes of doubts.
const (
	DoubtFailed    = "failed"     // a disk failed
	DoubtPartial   = "partial"    // the run or a phase ended early
	DoubtHostBound = "host_bound" // the computer's cores were busy, by so many percent
	DoubtCached    = "cached"     // so much of what was read came from a cache
	DoubtImprecise = "imprecise"  // a rate's 95 % interval is as wide as this to either side
)

// imprecise is half a 95 % interval, relative, from which a rate says nothing of who wins.
const imprecise = 0.7

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

// Decide fills in the answer, from what the summary and the findings come to.
func (a *Analysis) Decide() {
	s, order := &a.Summary, a.Order
	out := Answer{Wins: []Outcome{}, Loses: []Outcome{}, Advice: []Advice{}, Sure: Sure{Repeated: true}}
	for i := range s.Contests {
		c := &s.Contests[i]
		out.Sure.Repeated = out.Sure.Repeated && len(c.Phases) > 1
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
				out.Wins = append(out.Wins, o)
			case d.Lost:
				out.Loses = append(out.Loses, o)
			}
			switch {
			case d.Changed != "": // its mean is of several rates
			case d.CI95 == nil:
				out.Sure.Unknown = true
			default:
				if off := d.CI95.half() / d.Rate; off > out.Sure.Widest {
					out.Sure.Widest, out.Sure.Disk, out.Sure.Phase = off, name, c.Phases[0]
				}
			}
		}
	}
	if len(s.Contests) > 0 {
		out.Advice = append(out.Advice, s.advice(order))
	} else {
		out.Sure = sureAlone(a.Phases)
	}
	out.Doubts = doubts(a, &out.Sure)
	a.Answer = out
}

// sureAlone is how well the rates are known if no disks contend.
func sureAlone(phases []Phase) Sure {
	sure := Sure{Repeated: true}
	for i := range phases {
		p := &phases[i]
		if p.Overlap == nil || p.Search != nil || p.Saturation != nil {
			continue
		}
		sure.Repeated = sure.Repeated && (p.Repeats != "" || slices.ContainsFunc(phases, func(o Phase) bool { return o.Repeats == p.Phase }))
		for _, name := range slices.Sorted(maps.Keys(p.Overlap.Disks)) {
			switch d := p.Overlap.Disks[name]; {
			case p.Paced[name].Limited() || p.changedItself(name):
			case d.CI95 == nil:
				sure.Unknown = true
			default:
				if off := d.CI95.half() / d.Rate; off > sure.Widest {
					sure.Widest, sure.Disk, sure.Phase = off, name, p.Phase
				}
			}
		}
	}
	return sure
}

// changedItself reports whether a disk's rate changed for no reason that lies in the others: its mean is of several rates.
func (p *Phase) changedItself(disk string) bool {
	return p.Disks[disk].Throttle != nil || slices.ContainsFunc(p.Changes, func(c Change) bool {
		return slices.Contains([]string{KindOwnFall, KindSwing, KindDrift}, c.Kind) && c.concerns(disk)
	})
}

// doubts are the reasons not to trust the numbers, each once, the worst first.
func doubts(all *Analysis, sure *Sure) []Doubt {
	failed, partial, rest := []Doubt{}, []Doubt{}, []Doubt{}
	for i := range all.Phases {
		for _, w := range all.Phases[i].Warnings {
			switch {
			case w.Code != "partial":
			case w.Other != "":
				failed = append(failed, Doubt{Code: DoubtFailed, Phase: all.Phases[i].Phase, Disk: w.Disk, Cause: w.Other})
			case len(partial) == 0:
				partial = append(partial, Doubt{Code: DoubtPartial, Phase: all.Phases[i].Phase})
			}
		}
	}
	if len(partial) == 0 && slices.ContainsFunc(all.Warnings, func(w Warning) bool { return w.Code == "partial" }) {
		partial = append(partial, Doubt{Code: DoubtPartial})
	}
	if len(failed) > 0 {
		partial = nil // which the failure explains
	}
	for _, f := range all.Findings {
		switch v := f.Values.(type) {
		case CachedValues:
			rest = append(rest, Doubt{Code: DoubtCached, Phase: f.Phase, Disk: f.Disk, Percent: 100 * v.Share})
		case PercentValues:
			rest = append(rest, Doubt{Code: DoubtHostBound, Phase: f.Phase, Percent: v.Percent})
		}
	}
	if sure.Widest >= imprecise {
		rest = append(rest, Doubt{Code: DoubtImprecise, Phase: sure.Phase, Disk: sure.Disk, Percent: 100 * sure.Widest})
	}
	return slices.Concat(failed, partial, rest)
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
