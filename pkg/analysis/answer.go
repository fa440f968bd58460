package analysis

import (
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
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

// ContestOutcome is what one disk won or lost in a contest.
type ContestOutcome struct {
	Disk   string          `json:"disk"`
	Op     trace.Role      `json:"op"`
	Phases []string        `json:"phases"`
	Rate   float64         `json:"rate"`
	Kept   *float64        `json:"kept"` // Kept is relative to the baseline; null if unknown.
	KeptCI *stats.Interval `json:"kept_ci95"`
}

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

// Decide returns the answer with its texts, from what the summary and the findings come to.
func (a *Analysis) Decide() RunAnswer {
	decided := *a // Each part of the answer rests on those before.
	a = &decided
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
		out.Sure = a.precisionAlone()
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
		return *out
	}
	if len(ideas) > 0 {
		out.Headline = ideas[0].text
		out.Sentence = ideas[0].detail
	}
	if len(ideas) > 1 {
		out.Sentence = strings.TrimSpace(out.Sentence + " " + ideas[1].second + ".")
		out.More = Each(ideas[2:], func(i idea) string { return i.text })
	}
	return *out
}

// precisionAlone returns how well the rates are known if no disks contend.
func (a *Analysis) precisionAlone() Sure {
	sure := Sure{Repeated: true}
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
	return sure
}
