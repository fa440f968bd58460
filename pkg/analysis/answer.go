package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// Answer answers what a person asked: who wins, who loses, how to connect the disks, and how sure that is. It is
// decided here, from what the effects come to.
type Answer struct {
	Headline string    `json:"headline"` // one idea
	Sentence string    `json:"sentence"` // what belongs to it, likewise
	More     []string  `json:"-"`        // what else there is to say, idea by idea
	Wins     []Outcome `json:"wins"`
	Loses    []Outcome `json:"loses"`
	Advice   []Advice  `json:"advice"` // none if nothing was measured of disks together
	Sure     Sure      `json:"sure"`
	// Why the run's numbers cannot be trusted, the worst first: these stand in place of who wins.
	Doubts []Doubt `json:"doubts"`
}

// Doubt is a reason not to trust a run's numbers.
type Doubt struct {
	Code    string  `json:"code"`
	Phase   string  `json:"phase,omitempty"` // the first that shows it; empty for the run
	Disk    string  `json:"disk,omitempty"`
	Cause   string  `json:"cause,omitempty"` // of a failure
	Percent float64 `json:"percent,omitempty"`
	Text    string  `json:"text"`
}

// The codes of doubts.
const (
	DoubtFailed    = "failed"  // a disk failed
	DoubtPartial   = "partial" // the run or a phase ended early
	DoubtShared    = "shared_disk"
	DoubtSkipped   = "skipped_checks"
	DoubtHostBound = "host_bound" // the computer's cores were busy, by so many percent
	DoubtCached    = "cached"     // so much of what was read came from a cache
	DoubtImprecise = "imprecise"  // a rate's 95 % interval is as wide as this to either side
	DoubtModel     = "model"      // the run is simulated, and its requests are too small for the model
)

// wholeRequest is the smallest request, in bytes, that the model of a hub stands for: its rates were measured with
// files that were moved in requests of this size and more.
const wholeRequest = 1 << 20

// imprecise is half a 95 % interval, relative, from which a rate says nothing of who wins.
const imprecise = 0.7

// Outcome is what one disk won or lost in a contest.
type Outcome struct {
	Disk   string          `json:"disk"`
	Op     trace.Role      `json:"op"`
	Phases []string        `json:"phases"`
	Rate   float64         `json:"rate"`
	Kept   *float64        `json:"kept"` // of its rate without the others; null if that is not known
	KeptCI *stats.Interval `json:"kept_ci95"`
}

// Advice is how to connect the disks.
type Advice struct {
	Kind  string   `json:"kind"`
	Disks []string `json:"disks"`          // of own_port: the one; of any_own_port: any one of them, the best first
	Gain  float64  `json:"gain,omitempty"` // of the others together: 1 is twice as much
	Error float64  `json:"gain_error,omitempty"`
	// Missing are the phases that would tell which disk to move, if they were measured.
	Missing []MissingPhase `json:"missing,omitempty"`
	// What to do, what comes of it, and both.
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Text   string `json:"text"`
}

// MissingPhase is a phase to measure: what the disks of another one do but for one of them.
type MissingPhase struct {
	Without string                `json:"without"`
	Roles   map[string]trace.Role `json:"roles"`
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
	Text     string  `json:"text"`
}

// What it takes to recommend a port of its own for one disk and not for another.
const (
	worthMoving = 0.10 // that the others gain
	clearlyBest = 0.05 // that they must gain more than from moving any other disk, and by more than the errors of both
)

// know takes in how well one more rate is known; what changed by itself is a mean of several.
func (s *Sure) know(rate float64, ci *stats.Interval, changed bool, disk, phase string) {
	switch {
	case changed:
	case ci == nil:
		s.Unknown = true
	case ci.Half()/rate > s.Widest:
		s.Widest, s.Disk, s.Phase = ci.Half()/rate, disk, phase
	}
}

// Decide fills in the answer, from what the summary and the findings come to, with its texts.
func (a *Analysis) Decide() {
	a.decide()
	a.answerTexts()
}

func (a *Analysis) decide() {
	out := Answer{Wins: []Outcome{}, Loses: []Outcome{}, Advice: []Advice{}, Sure: Sure{Repeated: true}}
	for i := range a.Summary.Contests {
		c := &a.Summary.Contests[i]
		out.Sure.Repeated = out.Sure.Repeated && len(c.Phases) > 1
		for _, name := range a.Order {
			d, ok := c.Disks[name]
			if !ok {
				continue
			}
			o := Outcome{Disk: name, Op: d.Op, Phases: c.Phases, Rate: d.Rate, KeptCI: d.KeptCI}
			if kept := d.Kept; kept > 0 {
				o.Kept = &kept
			}
			switch {
			case d.Won:
				out.Wins = append(out.Wins, o)
			case d.Lost:
				out.Loses = append(out.Loses, o)
			}
			out.Sure.know(d.Rate, d.CI95, d.Changed != "", name, c.Phases[0])
		}
	}
	if len(a.Summary.Contests) > 0 {
		out.Advice = append(out.Advice, a.Summary.advice(a.Order))
	} else {
		a.sureAlone(&out.Sure)
	}
	out.Doubts = a.doubts(&out.Sure)
	if a.unchecked() != nil { // whoever wins may win for another reason than the hub
		out.Wins, out.Loses, out.Advice = []Outcome{}, []Outcome{}, []Advice{}
	}
	a.Answer = out
}

// sureAlone fills in how well the rates are known if no disks contend.
func (a *Analysis) sureAlone(sure *Sure) {
	for i := range a.Phases {
		p := &a.Phases[i]
		if p.Overlap == nil || p.Search != nil || p.Saturation != nil {
			continue
		}
		again := p.Repeats != "" || slices.ContainsFunc(a.Phases, func(o Phase) bool { return o.Repeats == p.Name })
		sure.Repeated = sure.Repeated && again
		for _, name := range slices.Sorted(maps.Keys(p.Overlap.Disks)) {
			changed := p.Disks[name].Throttle != nil || slices.ContainsFunc(p.Changes, func(c Change) bool {
				return (c.Recurs() || c.Kind == KindOwnFall || c.Kind == KindDrift) && c.concerns(name)
			})
			d := p.Overlap.Disks[name]
			sure.know(d.Rate, d.CI95, changed || p.Paced[name].Limited(), name, p.Name)
		}
	}
}

// doubts are the reasons not to trust the numbers, each once, the worst first.
func (a *Analysis) doubts(sure *Sure) []Doubt {
	failed, partial, rest := []Doubt{}, []Doubt{}, []Doubt{}
	for i := range a.Phases {
		p := &a.Phases[i]
		for _, w := range p.Warnings {
			switch {
			case w.Code != "partial":
			case w.Other != "":
				failed = append(failed, Doubt{Code: DoubtFailed, Phase: p.Name, Disk: w.Disk, Cause: w.Other,
					Text: fmt.Sprintf("Disk %s failed (%s): %s.", w.Disk, a.Title(p.Name),
						strings.TrimSuffix(withoutDisk(w.Other, w.Disk), "."))})
			case len(partial) == 0:
				partial = append(partial, Doubt{Code: DoubtPartial, Phase: p.Name, Text: "Partial run: one phase (" +
					a.Title(p.Name) + ") ended early, and the results cover only what was recorded."})
			}
		}
	}
	if len(partial) == 0 && slices.ContainsFunc(a.Warnings, func(w Warning) bool { return w.Code == "partial" }) {
		partial = append(partial, Doubt{Code: DoubtPartial,
			Text: "Partial run: it stopped before its end, and the results cover only what was recorded."})
	}
	if len(failed) > 0 {
		partial = nil // which the failure explains
	}
	small := func(w work.Work) bool { return w.Block > 0 && w.Block < wholeRequest && !w.Accompanies() }
	if i := slices.IndexFunc(a.Phases, func(p Phase) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(p.Work)), small)
	}); i >= 0 && a.modelled {
		rest = append(rest, Doubt{Code: DoubtModel, Phase: a.Phases[i].Name,
			Text: fmt.Sprintf("The model covers only large requests: only a run on real disks shows how fast small ones are "+
				"(%s).", a.Title(a.Phases[i].Name))})
	}
	for _, f := range a.Findings {
		switch v := f.Values.(type) {
		case CachedValues:
			rest = append(rest, Doubt{Code: DoubtCached, Phase: f.Phase, Disk: f.Disk, Percent: 100 * v.Share,
				Text: fmt.Sprintf("%.0f %% of what %s read (%s) came from a cache: its rate is not the disk's.", 100*v.Share,
					f.Disk, a.Title(f.Phase))})
		case PercentValues:
			rest = append(rest, Doubt{Code: DoubtHostBound, Phase: f.Phase, Percent: v.Percent,
				Text: fmt.Sprintf("Your CPU may be the bottleneck, not the disks: its cores were %.0f %% busy (%s). Close other "+
					"programs and measure again.", v.Percent, a.Title(f.Phase))})
		}
	}
	if sure.Widest >= imprecise {
		rest = append(rest, Doubt{Code: DoubtImprecise, Phase: sure.Phase, Disk: sure.Disk, Percent: 100 * sure.Widest,
			Text: fmt.Sprintf("Too uncertain to say who is slowed: %s's margin of error is ±%.0f %% (95 %% confidence, %s). "+
				"Measure for longer.", sure.Disk, 100*sure.Widest, a.Title(sure.Phase))})
	}
	return slices.Concat(failed, partial, a.unchecked(), rest)
}

// unchecked are the doubts about a run whose disks were not checked, or are one disk.
func (a *Analysis) unchecked() (doubts []Doubt) {
	if a.Origin != nil && a.SharedDisk {
		doubts = append(doubts, Doubt{Code: DoubtShared,
			Text: "Disks of this run share one physical disk, or were not checked for that: it may slow them, not the hub, so " +
				"nothing is said of who crowds out whom."})
	}
	if a.Origin != nil && len(a.Skipped) > 0 {
		skipped := strings.Join(a.Skipped, ", ")
		doubts = append(doubts, Doubt{Code: DoubtSkipped, Cause: skipped,
			Text: "Skipped checks (" + skipped + "): what they look for may explain these rates, so nothing is said of who " +
				"crowds out whom."})
	}
	return doubts
}

// advice is how to connect the disks: the move that gains the others most, if that is beyond doubt, and if none that
// was not measured could gain them more.
func (s *Summary) advice(order []string) Advice {
	out := Advice{Kind: AdviceShare, Disks: []string{}}
	var best Removal
	if len(s.Removals) > 0 && s.Removals[0].Gain >= worthMoving {
		best = s.Removals[0]
		out = Advice{Kind: AdviceNone, Disks: []string{}, Gain: best.Gain, Error: best.Error}
	}
	for i := range s.Contests {
		c := &s.Contests[i]
		for _, d := range c.Disks {
			if !d.Keeps && d.Kept < heldBack { // It is slowed, or that is unclear.
				out.Kind = AdviceNone
			}
		}
		out.Missing = append(out.Missing, s.missing(c, order, max(worthMoving, best.Gain))...)
	}
	switch {
	case len(s.Contests) == 0 || out.Kind == AdviceShare:
		out.Missing = nil
		return out
	case len(out.Missing) > 0:
		out.Kind = AdviceUnmeasured
		return out
	case best.Gain <= best.Error || !slices.ContainsFunc(best.Cases, func(c RemovalCase) bool { return len(c.Disks) > 0 }):
		return out
	}
	var like []string
	for _, r := range s.Removals {
		ahead, off := best.Gain-r.Gain, math.Hypot(best.Error, r.Error)
		switch {
		case r.Disk == best.Disk || ahead <= clearlyBest && off <= clearlyBest:
			like = append(like, r.Disk)
		case ahead <= max(clearlyBest, off):
			return out // That one may gain them more.
		}
	}
	out.Kind, out.Disks = AdviceOwnPort, like
	if len(like) > 1 {
		out.Kind = AdviceAnyOwnPort
		slices.SortFunc(like[1:], func(x, y string) int { return cmp.Compare(slices.Index(order, x), slices.Index(order, y)) })
	}
	return out
}

// missing are the phases without one of the contest's disks that were not measured although the others might gain
// that much in them. Without a disk the others gain no more than what it moves.
func (s *Summary) missing(c *Contest, order []string, atLeast float64) (out []MissingPhase) {
	for _, disk := range order {
		of, works := c.Disks[disk]
		if !works || slices.ContainsFunc(s.Removals, func(r Removal) bool { return r.Disk == disk }) {
			continue
		}
		roles, others := map[string]trace.Role{}, 0.0
		for name, d := range c.Disks {
			if name != disk {
				roles[name], others = d.Op, others+d.Rate
			}
		}
		if others > 0 && of.Rate >= atLeast*others {
			out = append(out, MissingPhase{Without: disk, Roles: roles})
		}
	}
	return out
}
