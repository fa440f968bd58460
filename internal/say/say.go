// Package say puts an analysis into words: the one place where verdicts, findings, warnings and recommended figures
// become English. It computes nothing: what it says stands in the analysis as codes and numbers. Start at Analyze for
// an analysis with its texts, at Verdict for one phase.
package say

import (
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Analyze is analysis.Analyze with the texts filled in, as analysis.json has them.
func Analyze(run *trace.Run, opts analysis.Options) *analysis.Analysis {
	a := analysis.Analyze(run, opts)
	Fill(a)
	return a
}

// Fill fills in the texts of an analysis.
func Fill(a *analysis.Analysis) {
	en := in(a)
	phases := map[string]*analysis.Phase{}
	en.warnings(a.Warnings, nil)
	for i := range a.Phases {
		p := &a.Phases[i]
		phases[p.Phase] = p
		en.warnings(p.Warnings, p)
		p.Verdict = en.verdict(p)
		for k := range p.Recoveries {
			if r := &p.Recoveries[k]; r.Cut != nil {
				r.Reason = reason(r)
			}
		}
		for name, d := range p.Disks {
			if d.Quote != nil {
				d.Quote.Text = en.quote(d.Quote, &d)
			}
			if d.Latency != nil {
				d.Latency.Note = note(d.Latency)
			}
			p.Disks[name] = d
		}
	}
	found := map[string]string{} // of the preset saturation, by phase
	for i := range a.Saturations {
		s := &a.Saturations[i]
		s.Text = en.saturation(s, true)
		found[s.Alone] = s.Text
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Text = en.finding(f, phases[f.Phase]); f.Code == "saturation" {
			f.Text = en.Title(f.Phase) + ": " + found[f.Phase] + "."
		}
	}
	a.Answer.Headline, _ = Opening(a)
	for i := range a.Answer.Advice {
		_, a.Answer.Advice[i].Text = en.layout()
	}
	if len(a.Summary.Contests) > 0 {
		a.Answer.Sure.Text = strings.TrimPrefix(en.sureness(), "How sure: ")
	}
}

// secondsRange is one time, or two where they lie apart. Progress is sampled every 50 ms: less cannot be told.
func secondsRange(low, high float64) string {
	if high < 0.05 {
		return "under 0.05 s"
	}
	if low >= 0.8*high {
		return unit.FormatSeconds(high)
	}
	return unit.FormatSeconds(low) + " to " + unit.FormatSeconds(high)
}

// count is a small number as a word to begin a sentence with.
func count(n int) string {
	words := []string{"No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

// english writes the sentences of an analysis, with all of its rates in one unit.
type english struct {
	*analysis.Analysis
	unit.Scale
}

func in(a *analysis.Analysis) english { return english{a, ScaleOf(a)} }

// ScaleOf picks the unit of an analysis' rates, by the fastest.
func ScaleOf(a *analysis.Analysis) unit.Scale {
	top := 0.0
	for i := range a.Phases {
		if o := a.Phases[i].Overlap; o != nil {
			top = max(top, o.Rate)
		}
		for _, disk := range a.Phases[i].Disks {
			if disk.Rate != nil {
				top = max(top, *disk.Rate)
			}
		}
	}
	return unit.ScaleFor(top)
}

// each is a rate of several disks: "0.702 GB/s each".
func (en english) each(v float64, disks int) string {
	if disks > 1 {
		return en.Rate(v) + " each"
	}
	return en.Rate(v)
}
