package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/unit"
)

// facts are the key numbers behind the headline: the loss, the recovery, and what else is large.
func (r *runDoc) facts() []Fact {
	var facts []Fact
	loads := r.Answer.Loads
	if len(loads) == 0 || r.Answer.Layout != LayoutStudy && r.Answer.Layout != LayoutRace {
		return nil
	}
	first := &loads[0]
	var slowed []LoadDisk
	for _, d := range first.Disks {
		if d.Slowed {
			slowed = append(slowed, d)
		}
	}
	least := math.Inf(1)
	for _, d := range slowed {
		least = min(least, d.Kept)
	}
	// Only those that keep about as little as the one that keeps least.
	slowed = slices.DeleteFunc(slowed, func(d LoadDisk) bool { return d.Kept > least+alike })
	if n := float64(len(slowed)); n > 0 {
		var kept, rate, baseline float64
		var names []string
		for _, d := range slowed {
			kept += d.Kept / n
			rate += d.Rate / n
			baseline += d.Baseline / n
			names = append(names, d.Label)
		}
		onAverage := ""
		if len(names) > 1 {
			onAverage = "on average "
		}
		facts = append(facts, Fact{
			Value: "−" + percent(1-kept), Bad: true,
			Text: fmt.Sprintf("%s when %s: %s%s instead of %s %s", listed(names), first.Work, onAverage,
				r.scale.Number(rate), r.scale.Number(baseline), r.scale.Unit),
		})
	}
	facts = append(facts, r.recoveryFacts(first)...)
	if gain, rate := r.mixedGain(); gain > 0 {
		facts = append(facts, Fact{
			Value: "+" + percent(gain),
			Text: fmt.Sprintf("with reads and writes mixed: %s instead of %s %s together", r.scale.Number(rate),
				r.scale.Number(rate/(1+gain)), r.scale.Unit),
		})
	}
	for _, d := range first.Disks {
		if t := r.a.Phases[r.index[r.phaseOf(first)]].Disks[d.Name].Throttle; t != nil {
			facts = append(facts, Fact{
				Value: "−" + percent(1-t.ToRate/t.FromRate), Bad: true,
				Text: fmt.Sprintf("%s after %s: %s instead of %s %s", d.Label, unit.FormatBytes(int64(t.AtBytes)),
					r.scale.Number(t.ToRate), r.scale.Number(t.FromRate), r.scale.Unit),
			})
		}
	}
	if len(facts) < maxFacts && first.Rate > 0 && len(first.Disks) > 1 {
		facts = append(facts, Fact{Value: r.scale.Rate(first.Rate), Text: "together when " + first.Work})
	}
	return facts[:min(len(facts), maxFacts)]
}

// mixedGain is how much more than one way the load of most disks carries that mixes reads and writes best; 0 if none
// does.
func (r *runDoc) mixedGain() (gain, rate float64) {
	most := 0
	for i := range r.a.Phases {
		most = max(most, len(r.a.Phases[i].Disks))
	}
	for i := range r.a.Phases {
		c := r.a.Phases[i].Contention
		if len(r.a.Phases[i].Disks) < most || c == nil || c.DuplexGain == nil || c.DuplexCI95 == nil || c.DuplexCI95[0] <= 1 {
			continue
		}
		if *c.DuplexGain-1 > max(gain, minMixed) {
			gain, rate = *c.DuplexGain-1, r.a.Phases[i].Overlap.Rate
		}
	}
	return gain, rate
}

// minMixed is the gain of mixed loads from which it is a fact.
const minMixed = 0.10

// alike is how far apart disks may lie in what they keep and still be named together.
const alike = 0.05

// recoveryFacts say how long disks took to recover, and for one phase how much was not moved meanwhile.
func (r *runDoc) recoveryFacts(l *Load) []Fact {
	p := &r.a.Phases[r.index[r.phaseOf(l)]]
	longest, after, had, could := 0.0, "", 0.0, 0.0
	var names []string
	for _, rec := range p.Recoveries {
		if rec.LagS == nil || *rec.LagS < minWaitS || rec.ToRate == nil {
			continue
		}
		if after == "" {
			after = rec.After
		}
		if rec.After == after {
			names = append(names, labelOf(r.Keys, rec.Disk))
			longest = max(longest, *rec.LagS)
			had += rec.FromRate
			could += *rec.ToRate
		}
	}
	if names == nil {
		return nil
	}
	facts := []Fact{{
		Value: unit.FormatSeconds(longest),
		Text:  "until " + listed(names) + " recovered after " + labelOf(r.Keys, after) + " had finished",
	}}
	if r.Answer.Layout == LayoutRace {
		facts = append(facts, Fact{
			Value: unit.FormatBytes(int64((could - had) * longest)),
			Text: fmt.Sprintf("not moved in those %s: %s instead of %s %s", unit.FormatSeconds(longest),
				r.scale.Number(had), r.scale.Number(could), r.scale.Unit),
		})
	}
	return facts
}
