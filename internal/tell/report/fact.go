package report

import (
	"cmp"
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// facts are the key numbers behind the headline: the loss, the recovery, and what else is large.
func (r *runDoc) facts() []Number {
	if len(r.Keys) == 1 {
		return r.aloneFacts()
	}
	first := &r.loads[0]
	leastKept := math.Inf(1)
	for _, d := range first.disks {
		if d.slowed {
			leastKept = min(leastKept, d.kept)
		}
	}
	var facts []Number
	var names []string // only those that keep about as little as the one that keeps least
	var kept, rate, baseline float64
	for _, d := range first.disks {
		if d.slowed && d.kept <= leastKept+maxShareGap {
			kept += d.kept
			rate += d.rate
			baseline += d.baseline
			names = append(names, d.Label)
		}
	}
	if n := float64(len(names)); n > 0 {
		text := listOrCount(names) + " when " + first.work + ": " + pick(n > 1, "on average ", "")
		facts = append(facts, Number{
			Value: "−" + percent(1-kept/n), Tone: Bad, InHero: true,
			Text: text + r.rateInstead(rate/n, baseline/n),
		})
	}
	facts = append(facts, r.recoveryFacts(first.first)...)
	if gain, rate := r.mixedGain(); gain > 0 {
		facts = append(facts, Number{
			Value: "+" + percent(gain),
			Text: "with reads and writes mixed: " + r.rateInstead(rate, rate/(1+gain)) +
				" together",
		})
	}
	for _, d := range first.disks {
		if t := first.first.Disks[d.Name].Throttle; t != nil {
			facts = append(facts, Number{
				Value: "−" + percent(1-t.ToRate/t.FromRate), Tone: Bad,
				Text: d.Label + " after " + bytesText(t.AtBytes) + ": " +
					r.rateInstead(t.ToRate, t.FromRate),
			})
		}
	}
	if len(facts) < maxFacts && first.rate > 0 && len(first.disks) > 1 {
		facts = append(facts, Number{Value: r.Rate(first.rate),
			Text: "together when " + first.work})
	}
	return facts[:min(len(facts), maxFacts)]
}

// aloneFacts are how long the only disk takes for a terabyte, each way.
func (r *runDoc) aloneFacts() (facts []Number) {
	const terabyte = 1e12
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		for i := range r.loads {
			l := &r.loads[i]
			if l.first.Roles[r.Keys[0].Name] == op && !l.cached() && !l.disks[0].slowed {
				seconds := unit.FormatSeconds(math.Round(terabyte / l.rate))
				facts = append(facts, Number{Value: seconds,
					Text: fmt.Sprintf("to %s 1 TB at this speed", op)})
				break
			}
		}
	}
	return facts
}

// mixedGain is how much more than one way the load of most disks carries that mixes reads and
// writes best; 0 if none does.
func (r *runDoc) mixedGain() (gain, rate float64) {
	mostDisks := 0
	for _, p := range r.a.Phases {
		mostDisks = max(mostDisks, len(p.Disks))
	}
	for _, p := range r.a.Phases {
		c := p.Contention
		if len(p.Disks) < mostDisks || c == nil || c.DuplexGain == nil || c.DuplexCI95 == nil ||
			c.DuplexCI95[0] <= 1 {
			continue
		}
		if more := *c.DuplexGain - 1; more > max(gain, minMixed) {
			gain = more
			rate = p.Overlap.Rate
		}
	}
	return gain, rate
}

// minMixed is the gain of mixed loads from which it is a fact.
const minMixed = 0.10

// maxShareGap is how far apart disks may lie in what they keep and still be named together.
const maxShareGap = 0.05

// recoveryFacts say how long disks took to recover, and for one phase how much was not moved
// meanwhile.
func (r *runDoc) recoveryFacts(p *analysis.PhaseResult) []Number {
	var names []string
	var longest, slowed, recovered float64
	after := ""
	for _, rec := range p.Recoveries {
		if rec.LagS == nil || *rec.LagS < minWaitS || rec.ToRate == nil {
			continue
		}
		if after = cmp.Or(after, rec.After); rec.After == after {
			names = append(names, r.label(rec.Disk))
			longest = max(longest, *rec.LagS)
			slowed += rec.FromRate
			recovered += *rec.ToRate
		}
	}
	if names == nil {
		return nil
	}
	lagText := unit.FormatSeconds(longest)
	facts := []Number{{
		Value: lagText, Text: "until " + listOrCount(names) + " recovered after " + r.label(after) +
			" had finished (cause unknown)",
	}}
	if len(r.a.Phases) == 1 {
		facts = append(facts, Number{
			Value: bytesText((recovered - slowed) * longest),
			Text:  "not moved in those " + lagText + ": " + r.rateInstead(slowed, recovered),
		})
	}
	return facts
}
