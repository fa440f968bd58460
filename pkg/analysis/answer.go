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
	"github.com/hubbench/hubbench/pkg/unit"
)

// RunAnswer answers what a person asked: who wins, who loses, how to connect the disks, and how
// sure that is. It is decided and worded here, from what the effects come to.
type RunAnswer struct {
	Headline string           `json:"headline"` // Headline is one idea.
	Sentence string           `json:"sentence"` // Sentence is what belongs to the headline.
	More     []string         `json:"-"`        // More has the ideas that neither of these tells.
	Wins     []ContestOutcome `json:"wins"`
	Loses    []ContestOutcome `json:"loses"`
	Advice   []Advice         `json:"advice"` // Advice is empty if disks were not measured together.
	Sure     Sure             `json:"sure"`
	// Caveats say why the run's numbers may be off, the worst first. Unless the answer stands in
	// spite of them, the first is the headline.
	Caveats []Caveat `json:"doubts"`
	Stands  bool     `json:"-"`
}

// Caveat is a reason not to trust a run's numbers.
type Caveat struct {
	Code    string  `json:"code"`
	Phase   string  `json:"phase,omitempty"` // Phase shows it first; it is empty for the run.
	Disk    string  `json:"disk,omitempty"`
	Cause   string  `json:"cause,omitempty"` // Cause is the error of a failure.
	Percent float64 `json:"percent,omitempty"`
	Text    string  `json:"text"`
}

// The codes of caveats.
const (
	CaveatFailed    = "failed"  // A disk failed.
	CaveatPartial   = "partial" // The run or a phase ended early.
	CaveatShared    = "shared_disk"
	CaveatSkipped   = "skipped_checks"
	CaveatHostBound = "host_bound"    // The computer's cores were busy, by so many percent.
	CaveatCached    = "cached"        // So much of what was read came from a cache.
	CaveatWrites    = "cached_writes" // Small writes went through this computer's cache.
	CaveatImprecise = "imprecise"     // A rate's 95 % interval is as wide as this to either side.
	CaveatModel     = "model"         // Simulated requests are too small for the model.
)

// ContestOutcome is what one disk won or lost in a contest.
type ContestOutcome struct {
	Disk   string          `json:"disk"`
	Op     trace.Role      `json:"op"`
	Phases []string        `json:"phases"`
	Rate   float64         `json:"rate"`
	Kept   *float64        `json:"kept"` // Kept is relative to the baseline; null if unknown.
	KeptCI *stats.Interval `json:"kept_ci95"`
}

// Advice is how to connect the disks.
type Advice struct {
	Kind string `json:"kind"`
	// Disks is the one to move, or, for any_own_port, any one of them, the best first.
	Disks []string `json:"disks"`
	// Gain is that of the others together: 1 is twice as much.
	Gain  float64 `json:"gain,omitempty"`
	Error float64 `json:"gain_error,omitempty"`
	// Missing are the phases that would tell which disk to move, if they were measured.
	Missing []MissingPhase `json:"missing,omitempty"`
	// Title says what to do, Detail what comes of it, and Text both.
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
	AdviceOwnPort    = "own_port"     // One disk should move to its own port.
	AdviceAnyOwnPort = "any_own_port" // One should move; it makes little difference which.
	AdviceShare      = "share"        // All can share the hub: none loses more than a tenth.
	AdviceNone       = "none"         // No disk is shown to cost the others more than a tenth.
	AdviceUnmeasured = "unmeasured"   // No phase shows what the others have without one disk.
)

// Sure is how well the rates behind the answer are known.
type Sure struct {
	Widest   float64 `json:"widest"`  // largest margin of a 95 % interval, relative
	Disk     string  `json:"disk"`    // Disk has the widest interval.
	Phase    string  `json:"phase"`   // Phase is where it has it.
	Unknown  bool    `json:"unknown"` // Unknown says that some rates have no interval.
	Repeated bool    `json:"repeated"`
	Text     string  `json:"text"`
}

// add notes how well one more rate is known. A rate that changed by itself does not count: it is a
// mean of several.
func (s *Sure) add(rate float64, ci *stats.Interval, changed bool, disk, phase string) {
	switch {
	case changed:
	case ci == nil:
		s.Unknown = true
	case ci[1]/rate-1 > s.Widest: // The lower end may be cut off at 0.
		s.Widest = ci[1]/rate - 1
		s.Disk = disk
		s.Phase = phase
	}
}

// Decide fills in the answer with its texts, from what the summary and the findings come to.
func (a *Analysis) Decide() {
	w := in(a)
	out := &a.Answer
	*out = RunAnswer{
		Wins: []ContestOutcome{}, Loses: []ContestOutcome{}, Advice: []Advice{},
		Sure: Sure{Repeated: true},
	}
	for _, c := range a.Summary.Contests {
		out.Sure.Repeated = out.Sure.Repeated && len(c.Phases) > 1
		for _, name := range present(a.Order, c.Disks) {
			d := c.Disks[name]
			o := ContestOutcome{Disk: name, Op: d.Op, Phases: c.Phases, Rate: d.Rate,
				KeptCI: d.KeptCI}
			if d.Kept > 0 {
				o.Kept = &d.Kept
			}
			switch {
			case d.Won:
				out.Wins = append(out.Wins, o)
			case d.Lost:
				out.Loses = append(out.Loses, o)
			}
			out.Sure.add(d.Rate, d.CI95, d.Changed != "", name, c.Phases[0])
		}
	}
	if len(a.Summary.Contests) > 0 {
		out.Advice = append(out.Advice, w.advice())
	} else {
		a.precisionAlone()
	}
	if len(a.Phases) > 0 {
		out.Sure.Text = w.precision()
	}
	if a.Origin != nil && a.SharedDisk { // Whoever wins may win for another reason than the hub.
		out.Wins, out.Loses, out.Advice = []ContestOutcome{}, []ContestOutcome{}, []Advice{}
	}
	out.Caveats = a.caveats()
	ideas := w.ideas()
	if out.Stands = len(ideas) > 0 && a.stands(); !out.Stands && len(out.Caveats) > 0 {
		out.Headline = out.Caveats[0].Text
		return
	}
	if len(ideas) > 0 {
		out.Headline = ideas[0].text
		out.Sentence = ideas[0].detail
	}
	if len(ideas) > 1 {
		out.Sentence = strings.TrimSpace(out.Sentence + " " + ideas[1].second + ".")
		out.More = Each(ideas[2:], func(i idea) string { return i.text })
	}
}

// precisionAlone fills in how well the rates are known if no disks contend.
func (a *Analysis) precisionAlone() {
	sure := &a.Answer.Sure
	for _, p := range a.Phases {
		if p.Overlap == nil || p.Search != nil || p.Saturation != nil {
			continue
		}
		sure.Repeated = sure.Repeated && (p.Repeats != "" ||
			slices.ContainsFunc(a.Phases, func(o PhaseResult) bool { return o.Repeats == p.Name }))
		for _, name := range slices.Sorted(maps.Keys(p.Overlap.Disks)) {
			changed := p.Disks[name].Throttle != nil || p.Paced[name].IsPaced()
			for _, c := range p.Changes {
				own := c.Recurs() || c.Kind == KindOwnFall || c.Kind == KindDrift
				changed = changed || own && c.concerns(name)
			}
			d := p.Overlap.Disks[name]
			sure.add(d.Rate, d.CI95, changed, name, p.Name)
		}
	}
}

// stands reports whether the answer rests on nothing that a caveat puts in doubt: its number is
// significant, and comes from whole phases. What other programs or a busy computer may have done to
// it belongs beside it.
func (a *Analysis) stands() bool {
	for _, c := range a.Answer.Caveats {
		switch c.Code {
		case CaveatSkipped, CaveatHostBound:
		case CaveatImprecise:
			if len(a.Answer.Loses) == 0 {
				return false
			}
		case CaveatFailed, CaveatPartial:
			if len(a.Answer.Loses) == 0 || !a.restsOnWholePhases() {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// restsOnWholePhases reports whether no phase ended early that shows who wins or loses.
func (a *Analysis) restsOnWholePhases() bool {
	for _, o := range slices.Concat(a.Answer.Wins, a.Answer.Loses) {
		for i := range a.Phases {
			if p := &a.Phases[i]; slices.Contains(o.Phases, p.Name) && p.EndedEarly() {
				return false
			}
		}
	}
	return true
}

// EndedEarly reports whether the phase did not end as planned.
func (p *PhaseResult) EndedEarly() bool {
	for _, w := range p.Warnings {
		if w.Code == "partial" {
			return true
		}
	}
	return false
}

// caveats returns the reasons not to trust the numbers, each once, the worst first.
func (a *Analysis) caveats() (out []Caveat) {
	add := func(d Caveat, text string, args ...any) {
		d.Text = fmt.Sprintf(text, args...)
		out = append(out, d)
	}
	var early, small *PhaseResult // They are the first that ended early, and with small requests.
	for i := range a.Phases {
		p := &a.Phases[i]
		for _, w := range p.Warnings {
			switch {
			case w.Code != "partial":
			case w.Other != "":
				add(Caveat{Code: CaveatFailed, Phase: p.Name, Disk: w.Disk, Cause: w.Other},
					"Disk %s failed (%s): %s.", w.Disk, a.Title(p.Name),
					strings.TrimSuffix(withoutDisk(w.Other, w.Disk), "."))
			case early == nil:
				early = p
			}
		}
		for _, w := range p.Work {
			if small == nil && w.Block > 0 && w.Block < wholeRequest && !w.HasNoFiles() {
				small = p
			}
		}
	}
	partial := func(w Warning) bool { return w.Code == "partial" }
	switch {
	case len(out) > 0: // The failure explains an early end.
	case early != nil:
		add(Caveat{Code: CaveatPartial, Phase: early.Name}, "Partial run: one phase (%s) ended "+
			"early, and the results cover only what was recorded.", a.Title(early.Name))
	case slices.ContainsFunc(a.Warnings, partial):
		add(Caveat{Code: CaveatPartial},
			"Partial run: it stopped before its end, and the results cover only what was recorded.")
	}
	if a.Origin != nil && a.SharedDisk {
		add(Caveat{Code: CaveatShared}, "Disks of this run share one physical disk, or were not "+
			"checked for that: it may slow them, not the hub, so nothing is said of who crowds out "+
			"whom.")
	}
	if a.Origin != nil && len(a.Skipped) > 0 {
		add(Caveat{Code: CaveatSkipped, Cause: strings.Join(a.Skipped, ", ")},
			"Not checked (--allow): %s. What these checks look for may explain the rates.",
			unit.List(a.Skipped))
	}
	if small != nil && a.modelled {
		add(Caveat{Code: CaveatModel, Phase: small.Name}, "The model covers only large requests: "+
			"only a run on real disks shows how fast small ones are (%s).", a.Title(small.Name))
	}
	if text, phase := a.cachedWrites(); text != "" {
		add(Caveat{Code: CaveatWrites, Phase: phase}, "%s", text)
	}
	for _, f := range a.Findings {
		switch v := f.Values.(type) {
		case CachedValues:
			add(Caveat{Code: CaveatCached, Phase: f.Phase, Disk: f.Disk, Percent: 100 * v.Share},
				"%.0f%% of what %s read (%s) came from a cache: its rate is not the disk's.",
				100*v.Share, unit.List(f.Disks), a.Title(f.Phase))
		case PercentValues:
			if len(f.Disks) > 0 {
				add(Caveat{Code: CaveatHostBound, Phase: f.Phase, Disk: f.Disk, Percent: v.Percent},
					"Your CPU may be the bottleneck, not %s: what moves its files used %.0f%% "+
						"of a core (%s).", unit.List(f.Disks), v.Percent, a.Title(f.Phase))
				continue
			}
			add(Caveat{Code: CaveatHostBound, Phase: f.Phase, Percent: v.Percent},
				"Your CPU may be the bottleneck, not the disks: its cores were %.0f%% busy (%s). "+
					"Close other programs and measure again.", v.Percent, a.Title(f.Phase))
		}
	}
	if sure := &a.Answer.Sure; sure.Widest >= minImprecise {
		percent := 100 * sure.Widest
		add(Caveat{Code: CaveatImprecise, Phase: sure.Phase, Disk: sure.Disk, Percent: percent},
			"Too uncertain to say who is slowed: %s's margin of error is ±%.0f%% (95%% "+
				"confidence, %s). Measure for longer.", sure.Disk, percent, a.Title(sure.Phase))
	}
	return out
}

// cachedWrites says which disks wrote blocks so small that they went through this computer's cache,
// and names the first phase in which one did; nothing if none did.
func (a *Analysis) cachedWrites() (text, phase string) {
	var disks []string
	phases := 0
	block := int64(0)
	for _, p := range a.Phases {
		cached := false
		for _, name := range a.Order {
			d := p.Disks[name]
			if d.CachedWrites == 0 {
				continue
			}
			cached = true
			block = max(block, d.CachedWrites)
			if !slices.Contains(disks, name) {
				disks = append(disks, name)
			}
		}
		if cached {
			phase = cmp.Or(phase, p.Name)
			phases++
		}
	}
	if phases == 0 {
		return "", ""
	}
	text = fmt.Sprintf("Writes of %s to %s (%s) went through this computer's cache: those rates "+
		"are the cache's, not the %s.", unit.FormatBlock(block), unit.List(disks),
		unit.Plural(phases, "phase"), pick(len(disks) > 1, "disks'", "disk's"))
	return text, phase
}

// advice is how to connect the disks: the move that gains the others most, if that is beyond doubt,
// and if none that was not measured could gain them more.
func (w writer) advice() Advice {
	removals := w.Summary.Removals
	var best Removal // It stays empty if no move is worth it.
	if len(removals) > 0 && removals[0].Gain >= minEffect {
		best = removals[0]
	}
	slowed := best.Gain > 0 // It is also true if that is unclear.
	for _, c := range w.Summary.Contests {
		for _, d := range c.Disks {
			slowed = slowed || !d.Keeps && d.Kept < minRetained
		}
	}
	var like []string // They are the best, and those that make little difference.
	sure := best.Gain > best.Error &&
		slices.ContainsFunc(best.Cases, func(c RemovalCase) bool { return len(c.Disks) > 0 })
	for _, r := range removals {
		ahead := best.Gain - r.Gain
		off := math.Hypot(best.Error, r.Error)
		switch {
		case r.Disk == best.Disk || ahead <= minMoveLead && off <= minMoveLead:
			like = append(like, r.Disk)
		case ahead <= max(minMoveLead, off):
			sure = false // That one may gain them more.
		}
	}
	missing, measure := w.missing(max(minEffect, best.Gain))
	out := Advice{Kind: AdviceNone, Disks: []string{}, Gain: best.Gain, Error: best.Error}
	end := ". "
	switch {
	case !slowed:
		out.Kind = AdviceShare
		out.Title = "Leave them on one hub"
		out.Detail = "Every disk keeps at least 90% of its speed."
	case missing != nil:
		out.Kind, out.Missing, out.Title = AdviceUnmeasured, missing, measure
		out.Detail = "Which to move is unknown."
	case !sure && len(w.Answer.Loses) == 0 && best.Gain == 0:
		out.Title = "Nothing to move"
		out.Detail = "No disk is shown to slow the others by more than a tenth."
	case !sure:
		out.Title = "Measure for longer"
		out.Detail = "Which disk to move is within the margin of error."
	case len(like) > 1:
		out.Kind = AdviceAnyOwnPort
		out.Disks = append(like[:1], ordered(w.Order, like[1:])...)
		out.Title = "Move one of " + unit.List(ordered(w.Order, like)) + " to its own port"
		out.Detail = "It makes little difference to the others which one."
	default:
		out.Kind = AdviceOwnPort
		out.Disks = like
		out.Title = "Move " + best.Disk + " to its own port"
		out.Detail = w.gains(&best)
		end = ": "
	}
	out.Text = out.Title + end + out.Detail
	return out
}

// missing are the phases without one disk of a contest that were not measured although the others
// might gain that much in them, and the advice to measure these. Without a disk the others gain no
// more than what it moves.
func (w writer) missing(atLeast float64) (phases []MissingPhase, measure string) {
	var without []string
	for _, c := range w.Summary.Contests {
		for _, disk := range present(w.Order, c.Disks) {
			roles := map[string]trace.Role{}
			others := 0.0
			for name, d := range c.Disks {
				if name != disk {
					roles[name] = d.Op
					others += d.Rate
				}
			}
			known := func(r Removal) bool { return r.Disk == disk }
			if others == 0 || c.Disks[disk].Rate < atLeast*others ||
				slices.ContainsFunc(w.Summary.Removals, known) {
				continue
			}
			phases = append(phases, MissingPhase{Without: disk, Roles: roles})
			if !slices.Contains(without, disk) {
				without = append(without, disk)
			}
		}
	}
	switch {
	case phases == nil:
		return nil, ""
	case len(without) == 1:
		others := unit.List(present(w.Order, phases[0].Roles))
		return phases, "Measure " + others + " without " + without[0]
	case len(without) <= len(phases[0].Roles):
		each := unit.List(ordered(w.Order, without))
		return phases, "Measure without each of " + each + " in turn (study: matrix)"
	}
	return phases, "Measure without each disk in turn (study: matrix)"
}

// gains say for writing and for reading what the others gain at best without a disk: "A and B then
// write at 1.48 GB/s each instead of 0.700, and read at 1.50 GB/s each instead of 1.10."
func (w writer) gains(without *Removal) string {
	var clauses []string
	var before []string // The clause before this one is about these disks.
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		gaining := func(c RemovalCase) []string {
			does := func(name string) bool { return c.Disks[name].Op == op }
			return only(slices.Sorted(maps.Keys(c.Disks)), does)
		}
		// The case in which more disks gain, then one with its own phase, then the greater gain.
		best := slices.MaxFunc(without.Cases, func(c, than RemovalCase) int {
			own := pick(c.Without == "", 0, 1) - pick(than.Without == "", 0, 1)
			return cmp.Or(len(gaining(c))-len(gaining(than)), own, cmp.Compare(c.Gain, than.Gain))
		})
		names := gaining(best)
		if len(names) == 0 {
			continue
		}
		from := meanOf(names, func(name string) float64 { return best.Disks[name].From })
		to := meanOf(names, func(name string) float64 { return best.Disks[name].To })
		text := fmt.Sprintf("%s%s%s at %s instead of %s",
			pick(slices.Equal(names, before), "", unit.List(names)+" then "), op,
			pick(len(names) == 1, "s", ""), w.each(to, len(names)), w.Number(from))
		i := slices.IndexFunc(w.Phases, func(p PhaseResult) bool { return p.Name == best.Phase })
		if i >= 0 && w.Phases[i].Roles[without.Disk] != op {
			text += fmt.Sprintf(" while %s %ss", without.Disk, w.Phases[i].Roles[without.Disk])
		}
		clauses = append(clauses, text)
		before = names
	}
	return strings.Join(clauses, ", and ") + "."
}
