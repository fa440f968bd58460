package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/unit"
)

// claim is what the results are evidence for.
const claim = "lab-limit"

// result is what was measured of a pattern, or of what is left of it when its first disks are done.
type result struct {
	name   string
	truth  float64   // bytes per second
	within float64   // share of the truth by which hubbench may be off
	ours   []float64 // each run's rate by hubbench
	theirs []float64 // and by fio, if it says one
}

// newResult is a result without runs, of what disks with these letters do. Held to most are those with one limit and time
// enough to meet it. Of the bytes that the kernel lets pass in a tenth of a second, half at most are missing or too many at
// either end of an overlap: 1 % of eight seconds, and 4 % of the two or three of a single short run.
func newResult(name, letters string, long, short bool) *result {
	r := &result{name: name, truth: limit(letters), within: 0.02}
	switch {
	case short:
		r.within = 0.05
	case long && !r.both():
		r.within = 0.01
	}
	return r
}

// both reports whether the truth is the sum of both limits.
func (r *result) both() bool { return r.truth > max(readLimit, writeLimit) }

func (r *result) measured() float64 { return median(r.ours) }

// holds reports whether hubbench was right.
func (r *result) holds() bool { return math.Abs(r.measured()-r.truth) <= r.within*r.truth }

// finding is the result as evidence.
func (r *result) finding() evidence.Finding {
	of := "limit"
	if r.both() {
		of = "two limits' sum"
	}
	return evidence.Finding{
		Claim: claim, Case: r.name + ", three partitions of one device, " + runs(len(r.ours)), Unit: "B/s",
		Truth: r.truth, Measured: r.measured(), Low: slices.Min(r.ours), High: slices.Max(r.ours),
		Limit: fmt.Sprintf("within %s of the %s", unit.FormatPercent(r.within), of), Pass: r.holds(),
	}
}

// runs says what a number is of.
func runs(n int) string {
	if n == 1 {
		return "one run"
	}
	return fmt.Sprintf("median of %d", n)
}

// median is of the ordered values the middle one, or the mean of the two there.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// document is the results as a table.
func document(results []*result) *report.Document {
	doc := &report.Document{Kind: "lab", Title: "hubbench lab", Unit: "MB/s"}
	var off []string
	for _, r := range results {
		if !r.holds() {
			off = append(off, r.name)
		}
	}
	n := len(results[0].ours)
	lead := fmt.Sprintf("hubbench was right in all %d cases.", len(results))
	if len(off) > 0 {
		lead = fmt.Sprintf("hubbench was off in %d of %d cases: %s.", len(off), len(results), strings.Join(off, "; "))
	}
	doc.Add(report.Sentence{Text: lead, Lead: true})
	doc.Add(report.Sentence{Text: fmt.Sprintf("Three partitions of one device in memory share what the kernel lets them move: %s read and %s written.",
		unit.FormatRate(readLimit), unit.FormatRate(writeLimit))})
	if theirs := doubts(results); theirs != "" {
		doc.Add(report.Warning{Text: theirs})
	}
	t := &report.Table{Title: "Rates", Columns: []report.Column{
		{Head: "Pattern"}, {Head: "Truth", Numbers: true}, {Head: "hubbench", Numbers: true}, {Head: "Off", Numbers: true}, {Head: "Range"},
		{Head: "fio", Numbers: true}, {Head: "Off", Numbers: true}, {Head: "Held to", Numbers: true}, {Head: ""},
	}, Note: "MB/s of all disks together, " + runs(n) + ". W writes, R reads. hubbench: in the overlap, or after it if a row says so. fio: all " +
		"bytes over the longest job's time, " + runs(len(results[0].theirs)) + ". Both leave the first second out (warm_up, ramp_time), in which the kernel grants more than the limit."}
	for _, r := range results {
		row := []report.Cell{{Text: r.name}, {Text: mega(r.truth)}, {Text: mega(r.measured())}, {Text: r.off(r.ours)},
			{Text: mega(slices.Min(r.ours)) + " to " + mega(slices.Max(r.ours))}, {}, {}, {Text: unit.FormatPercent(r.within)}, {Text: "holds", Sign: report.Good}}
		if len(r.theirs) > 0 {
			row[5], row[6] = report.Cell{Text: mega(median(r.theirs))}, report.Cell{Text: r.off(r.theirs)}
		}
		if !r.holds() {
			row[8] = report.Cell{Text: "is off", Sign: report.Bad}
		}
		t.Rows = append(t.Rows, row)
	}
	doc.Add(t)
	return doc
}

// doubts warns if fio too was far below the truth: then the machine may have been slow.
func doubts(results []*result) string {
	var low []string
	for _, r := range results {
		if len(r.theirs) > 0 && median(r.theirs) < (1-2*r.within)*r.truth {
			low = append(low, r.name)
		}
	}
	if low == nil {
		return ""
	}
	return "fio too was far below the truth (" + strings.Join(low, "; ") + "): the machine was busy, or is too slow for it."
}

// off is how far the median of the rates is from the truth.
func (r *result) off(rates []float64) string {
	return fmt.Sprintf("%+.2f %%", 100*(median(rates)/r.truth-1))
}

func mega(rate float64) string { return fmt.Sprintf("%.1f", rate/1e6) }
