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
	phases := map[string]*analysis.Phase{}
	warnings(a.Warnings, nil)
	for i := range a.Phases {
		p := &a.Phases[i]
		phases[p.Phase] = p
		warnings(p.Warnings, p)
		p.Verdict = Verdict(a.Order, p)
		for k := range p.Recoveries {
			if r := &p.Recoveries[k]; r.Cut != nil {
				r.Reason = reason(r)
			}
		}
		for name, d := range p.Disks {
			if d.Quote != nil {
				d.Quote.Text = quote(d.Quote, &d)
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
		s.Text = saturation(s, true)
		found[s.Alone] = s.Text
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Text = finding(a.Order, f, phases[f.Phase]); f.Code == "saturation" {
			f.Text = f.Phase + ": " + found[f.Phase] + "."
		}
	}
	a.Answer.Headline, _ = Opening(a)
	for i := range a.Answer.Advice {
		_, a.Answer.Advice[i].Text = layout(a)
	}
	if len(a.Summary.Contests) > 0 {
		a.Answer.Sure.Text = strings.TrimPrefix(sureness(a), "How sure: ")
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

// rate is a rate for a sentence: in GB/s from 0.1 on, so that rates to compare read alike.
func rate(v float64) string {
	if v < 0.1e9 || v >= 1e9 {
		return unit.FormatRate(v)
	}
	return strconv.FormatFloat(v/1e9, 'f', 2, 64) + " GB/s"
}

// each is a rate of several disks: "0.70 GB/s each".
func each(v float64, disks int) string {
	if disks > 1 {
		return rate(v) + " each"
	}
	return rate(v)
}
