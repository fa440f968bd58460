package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
)

// What the disks move, by hubbench and by fio: several blocks at a time, past the system's cache.
const (
	block = 1 << 20
	depth = 8
)

// sizes are the files' in MiB, each disk's in an order of its own. The kernel lets bytes pass in bursts, one in
// a tenth of a second: of disks whose files were alike, all would begin and end in the same burst, and one
// burst would be missing from what they do together.
func sizes() []int64 { return []int64{22, 26, 30, 34, 38, 42} }

// fileSize is their mean, in bytes.
const fileSize = 32 << 20

// The kernel grants a control group that was idle more than its limit at first: what is moved in this time is
// left out.
const warmUp = time.Second

// names are the disks'.
const names = "ABC"

// pattern is what the disks do at once.
type pattern struct {
	letters string // W or R for each, as in a scenario
	files   [3]int // how many each moves, warm-up included: the first is done long before the last burst of the others
	alone   bool   // C goes on for seconds when the others are done
}

// patterns are all, or the short set, which is held to less (see newResult). All read files are those of the first.
func patterns(short bool) []pattern {
	if short {
		return []pattern{
			{"RRR", [3]int{5, 6, 7}, false}, {"WRR", [3]int{16, 6, 7}, false}, {"RWW", [3]int{13, 9, 10}, false},
			{"WWW", [3]int{7, 8, 9}, false},
		}
	}
	return []pattern{
		{"RRR", [3]int{9, 10, 11}, false}, {"WRR", [3]int{22, 10, 11}, false}, {"RWW", [3]int{16, 13, 14}, false},
		{"WWW", [3]int{12, 13, 14}, false}, {"WWW", [3]int{12, 13, 28}, true},
	}
}

// name is the pattern in words.
func (p pattern) name() string {
	if p.alone {
		return p.letters + ", C longer"
	}
	return p.letters
}

// limit is how many bytes a second those of the letters pass together: each direction has a limit of its own.
func limit(letters string) (sum float64) {
	if strings.Contains(letters, "R") {
		sum += readLimit
	}
	if strings.Contains(letters, "W") {
		sum += writeLimit
	}
	return sum
}

// share is the rate of a disk: those that do the same share alike.
func (p pattern) share(disk int) float64 {
	letter := p.letters[disk : disk+1]
	return limit(letter) / float64(strings.Count(p.letters, letter))
}

// scenario is the patterns as a user would write them, with a folder for each disk.
func scenario(all []pattern, roots []string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "version: 1\nname: lab\ndisks:\n")
	for i, root := range roots {
		fmt.Fprintf(&s, "  - {name: %c, path: %q}\n", names[i], root)
	}
	fmt.Fprintf(&s, "workload: {order: random, block: %d, depth: %d, sizes: [", block, depth)
	for _, mib := range sizes() {
		fmt.Fprintf(&s, "%d MiB, ", mib)
	}
	fmt.Fprintf(&s, "]}\nphases:\n")
	for _, p := range all {
		// So many files of each disk warm up that on the slowest even the smallest take longer than that.
		slowest := min(p.share(0), p.share(1), p.share(2))
		n := int(math.Ceil(1.05 * warmUp.Seconds() * slowest / float64(sizes()[0]<<20)))
		fmt.Fprintf(&s, "  - {name: %q, pattern: %s, warm_up: %d, files: {A: %d, B: %d, C: %d}}\n",
			p.name(), p.letters, n, p.files[0]-n, p.files[1]-n, p.files[2]-n)
	}
	return s.String()
}

// result is what was measured of a pattern, or of what is left of it when its first disks are done.
type result struct {
	name   string
	truth  float64   // bytes per second
	within float64   // share of the truth by which hubbench may be off
	ours   []float64 // each run's rate by hubbench
	theirs []float64 // and by fio, if it says one
}

// newResult is a result without runs, of what disks with these letters do. Held to most are those with one
// limit and time enough to meet it. Of the bytes that the kernel lets pass in a tenth of a second, half at most
// are missing or too many at either end of an overlap: 1 % of eight seconds, and 4 % of the two or three of a
// single short run.
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

// holds reports whether hubbench was right.
func (r *result) holds() bool { return math.Abs(stats.Median(r.ours)-r.truth) <= r.within*r.truth }

// finding is the result as evidence.
func (r *result) finding() evidence.Finding {
	of := "limit"
	if r.both() {
		of = "two limits' sum"
	}
	return evidence.Finding{
		Claim: claim, Case: r.name + ", three partitions of one device, " + runs(len(r.ours)), Unit: "B/s",
		Truth: r.truth, Measured: stats.Median(r.ours), Low: slices.Min(r.ours), High: slices.Max(r.ours),
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

// document is the results as a table. If fio too was far below the truth, the machine may have been slow.
func document(results []*result) *report.Document {
	t := &report.Table{
		Title: "Rates",
		Columns: []report.Column{
			{Head: "Pattern"}, {Head: "Truth", Numbers: true}, {Head: "hubbench", Numbers: true}, {Head: "Off", Numbers: true},
			{Head: "Range"}, {Head: "fio", Numbers: true}, {Head: "Off", Numbers: true}, {Head: "Held to", Numbers: true}, {Head: ""},
		},
		Note: "MB/s of all disks together, " + runs(len(results[0].ours)) + ". W writes, R reads. hubbench: in the overlap, " +
			"or after it if a row says so. fio: all bytes over the longest job's time, " + runs(len(results[0].theirs)) +
			". Both leave the first second out (warm_up, ramp_time), in which the kernel grants more than the limit.",
	}
	mega := func(rate float64) string { return fmt.Sprintf("%.1f", rate/1e6) }
	var off, low []string
	for _, r := range results {
		apart := func(rates []float64) string { return fmt.Sprintf("%+.2f %%", 100*(stats.Median(rates)/r.truth-1)) }
		row := []report.Cell{
			{Text: r.name}, {Text: mega(r.truth)}, {Text: mega(stats.Median(r.ours))}, {Text: apart(r.ours)},
			{Text: mega(slices.Min(r.ours)) + " to " + mega(slices.Max(r.ours))}, {}, {},
			{Text: unit.FormatPercent(r.within)}, {Text: "holds", Sign: report.Good},
		}
		if len(r.theirs) > 0 {
			row[5].Text, row[6].Text = mega(stats.Median(r.theirs)), apart(r.theirs)
			if stats.Median(r.theirs) < (1-2*r.within)*r.truth {
				low = append(low, r.name)
			}
		}
		if !r.holds() {
			row[8] = report.Cell{Text: "is off", Sign: report.Bad}
			off = append(off, r.name)
		}
		t.Rows = append(t.Rows, row)
	}
	lead := fmt.Sprintf("hubbench was right in all %d cases.", len(results))
	if len(off) > 0 {
		lead = fmt.Sprintf("hubbench was off in %d of %d cases: %s.", len(off), len(results), strings.Join(off, "; "))
	}
	doc := &report.Document{Kind: "lab", Title: "hubbench lab", Unit: "MB/s"}
	doc.Add(report.Sentence{Text: lead, Lead: true}, report.Sentence{Text: fmt.Sprintf(
		"Three partitions of one device in memory share what the kernel lets them move: %s read and %s written.",
		unit.FormatRate(readLimit), unit.FormatRate(writeLimit))})
	if low != nil {
		doc.Add(report.Warning{Text: fmt.Sprintf("fio too was far below the truth (%s): the machine was busy, or is too slow for it.",
			strings.Join(low, "; "))})
	}
	doc.Add(t)
	return doc
}
