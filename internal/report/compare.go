package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfComparison says how runs differ from the first: what was not measured alike, all runs in one table and one figure,
// then each run's differences, and what to doubt.
func OfComparison(c *compare.Comparison) *Document {
	labels := []string{c.Base.Label}
	for i := range c.Pairs {
		labels = append(labels, c.Pairs[i].Label)
	}
	doc := &Document{Kind: "comparison", Keys: newKeys(distinct(labels)), Data: c}
	doc.Title = fmt.Sprintf("%s compared with %s", unit.Plural(len(c.Pairs), "run"), c.Base.Label)
	if len(c.Pairs) == 1 {
		doc.Title = c.Pairs[0].Label + " compared with " + c.Base.Label
	}
	cmp := comparison{c, scaleOfComparison(c), doc.Keys}
	doc.Unit = cmp.scale.Unit
	for i := range doc.Keys {
		side := c.Base
		if i > 0 {
			side = c.Pairs[i-1].Side
		}
		doc.Keys[i].Where = side.Name
		if at := when(side.Started); at != "" {
			doc.Keys[i].Where += ", " + at
		}
	}
	if g := c.Gate; g != nil {
		outcome := strings.ReplaceAll(string(g.Outcome), "_", " ")
		doc.Add(Sentence{Text: fmt.Sprintf("Gate of %s, %s: %s.", unit.FormatPercent(g.Limit), outcome, Gate(g)), Lead: true})
	}
	for i := range c.Pairs {
		pair := &c.Pairs[i]
		who := ""
		if len(c.Pairs) > 1 {
			who = doc.Keys[i+1].Label + ": "
		}
		if pair.Headline != "" {
			doc.Add(Sentence{Text: who + pair.Headline})
		}
		if text := summary(pair, c.Gate == nil); text != "" {
			doc.Add(Sentence{Text: who + text, Lead: true})
		}
	}
	if c.Repeats == nil {
		doc.Add(Sentence{Text: "One run each: what changes from run to run (heat, cables, how full a disk is) is not in these intervals. Repeated runs show it: hubbench compare BASE... -- NEW..."})
	}
	if len(cmp.phases()) > 0 {
		doc.Add(cmp.overview(), cmp.figure())
	}
	for i := range c.Pairs {
		cmp.pair(doc, i)
	}
	for _, text := range c.Warnings {
		doc.Add(Warning{text})
	}
	for _, text := range trust(c) {
		doc.Add(Sentence{Text: text})
	}
	return doc
}

// trust says how far to go by the verdicts.
func trust(c *compare.Comparison) []string {
	texts := []string{fmt.Sprintf("Overlap mean: bytes over time while all disks were active; typical file: the geometric mean of the rates of the files in the overlap, without the fastest and slowest fifth; "+
		"a span of seconds: the overlap mean before or after a step of the rate. p and the interval allow for noise that lasts, and are corrected "+
		"by Holm's method for all %d rates. The chance that any is called slower or faster by mistake is %.0f %% at most.", c.Tests, 100*c.Level)}
	if c.LatencyTests > 0 {
		texts = append(texts, fmt.Sprintf("Latencies: the time that half of the requests in the overlap (p50), and 99 in 100 (p99), took no longer than. They are corrected "+
			"by themselves, for all %d; the chance that any is called longer or shorter by mistake is %.0f %% at most.", c.LatencyTests, 100*c.Level))
	}
	r := c.Repeats
	if r == nil {
		return texts
	}
	text := fmt.Sprintf("The unit is the run: %d against %d.", r.Base, r.New)
	if r.Base+r.New <= 4 {
		text += " So few show only large differences: with two against two, a single rate must differ by 4.3 times its standard error, and one of many by far more."
	}
	return append(texts, text)
}

// distinct are short names for the runs: the last part of their labels where these differ, else the labels, numbered where
// one comes twice.
func distinct(labels []string) []string {
	var last, whole []string
	for _, label := range labels {
		last = append(last, label[strings.LastIndexAny(label, `/\`)+1:])
		name := label
		for n := 2; slices.Contains(whole, name); n++ {
			name = fmt.Sprintf("%s (%d)", label, n)
		}
		whole = append(whole, name)
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(last))); len(sorted) < len(labels) || sorted[0] == "" {
		return whole
	}
	return last
}

type comparison struct {
	*compare.Comparison
	scale Scale
	keys  []Key // of the runs
}

func scaleOfComparison(c *compare.Comparison) Scale {
	top := 0.0
	for i := range c.Pairs {
		for _, phase := range c.Pairs[i].Phases {
			for _, r := range phase.Rates {
				if r.Base != nil {
					top = max(top, *r.Base, *r.New)
				}
			}
		}
	}
	return Scale{unit.ScaleFor(top)}
}

// whole is the rate that a phase is known by: that of all disks together, or of the only one.
func whole(rates []compare.Rate) *compare.Rate {
	for i := range rates {
		if rates[i].Disk == "" {
			return &rates[i]
		}
	}
	for i := range rates {
		if rates[i].Measure == compare.Window {
			return &rates[i]
		}
	}
	return nil
}

// phases are the names of all phases compared, in order.
func (c comparison) phases() []string {
	var names []string
	for i := range c.Pairs {
		for _, phase := range c.Pairs[i].Phases {
			if !slices.Contains(names, phase.Phase) && len(phase.Rates) > 0 {
				names = append(names, phase.Phase)
			}
		}
	}
	return names
}

// find is the phase's rate in a pair, nil where it has none.
func (c comparison) find(pair int, phase string) *compare.Rate {
	for i := range c.Pairs[pair].Phases {
		if p := &c.Pairs[pair].Phases[i]; p.Phase == phase {
			if r := whole(p.Rates); r != nil && r.Base != nil {
				return r
			}
		}
	}
	return nil
}
