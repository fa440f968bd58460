package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// fillTexts puts verdicts, findings, warnings and recommended figures into words.
func fillTexts(a *Analysis) {
	en := in(a)
	for i := range a.Phases {
		p := &a.Phases[i]
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
	headline, rest := Headline(a)
	a.Answer.Headline, a.Answer.Sentence, a.Answer.More = headline, en.sentence(headline, rest), rest
	for i := range a.Answer.Advice {
		en.advise(&a.Answer.Advice[i])
	}
	if len(a.Phases) > 0 {
		a.Answer.Sure.Text = en.sure()
	}
	for i := range a.Answer.Doubts {
		a.Answer.Doubts[i].Text = en.doubt(&a.Answer.Doubts[i])
	}
	if len(a.Answer.Doubts) > 0 {
		a.Answer.Headline, a.Answer.Sentence, a.Answer.More = a.Answer.Doubts[0].Text, "", nil
	}
}

// doubt says why a run's numbers cannot be trusted.
func (en english) doubt(d *Doubt) string {
	phase := en.Title(d.Phase)
	switch d.Code {
	case DoubtFailed:
		return fmt.Sprintf("Disk %s failed (%s): %s.", d.Disk, phase,
			strings.TrimSuffix(withoutDisk(d.Cause, d.Disk), "."))
	case DoubtPartial:
		if d.Phase != "" {
			return "Partial run: one phase (" + phase + ") ended early, and the results cover only what was recorded."
		}
		return "Partial run: it stopped before its end, and the results cover only what was recorded."
	case DoubtShared:
		return "Disks of this run share one physical disk, or were not checked for that: it may slow them, not the hub, " +
			"so nothing is said of who crowds out whom."
	case DoubtSkipped:
		return "Skipped checks (" + d.Cause + "): what they look for may explain these rates, so nothing is said of " +
			"who crowds out whom."
	case DoubtCached:
		return fmt.Sprintf("%.0f %% of what %s read (%s) came from a cache: its rate is not the disk's.", d.Percent,
			d.Disk, phase)
	case DoubtHostBound:
		return fmt.Sprintf("Your CPU may be the bottleneck, not the disks: its cores were %.0f %% busy (%s). "+
			"Close other programs and measure again.", d.Percent, phase)
	case DoubtModel:
		return fmt.Sprintf("The model covers only large requests: only a run on real disks shows how fast small "+
			"ones are (%s).", phase)
	default:
		return fmt.Sprintf("Too uncertain to say who is slowed: %s's margin of error is ±%.0f %% (95 %% confidence, "+
			"%s). Measure for longer.", d.Disk, d.Percent, phase)
	}
}

// Capital begins a sentence, unless that begins with the name of a disk.
func Capital(disks []string, text string) string {
	if slices.ContainsFunc(disks, func(name string) bool { return strings.HasPrefix(text, name) }) {
		return text
	}
	return unit.Capital(text)
}

// Each is what is said of each of a list.
func Each[T, U any](list []T, say func(T) U) []U {
	var out []U
	for _, one := range list {
		out = append(out, say(one))
	}
	return out
}

// Grouped puts those of a list together that have the same key, in the order in which the keys first come.
func Grouped[T any, K comparable](list []T, key func(T) K) [][]T {
	var groups [][]T
	at := map[K]int{}
	for _, one := range list {
		k := key(one)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], one)
	}
	return groups
}

// among are those disks of the run that something is known of, in the run's order.
func present[T any](order []string, known map[string]T) []string {
	return slices.DeleteFunc(slices.Clone(order), func(name string) bool { _, ok := known[name]; return !ok })
}

// Seconds is how long something took. Progress is sampled every 50 ms, so no time is shorter.
func Seconds(s float64) string {
	if s < 0.05 {
		return "under 0.05 s"
	}
	return unit.FormatSeconds(s)
}

// secondsRange is one time, or two if they lie apart.
func secondsRange(low, high float64) string {
	if high < 0.05 || low >= 0.8*high {
		return Seconds(high)
	}
	return unit.FormatSeconds(low) + " to " + unit.FormatSeconds(high)
}

// Count is a small number as a word.
func Count(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
		"eleven", "twelve"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

// english writes the sentences of an analysis, with all of its rates in one unit.
type english struct {
	*Analysis
	unit.Scale
}

func in(a *Analysis) english { return english{a, a.Scale} }

// each is a rate of several disks: "0.702 GB/s each".
func (en english) each(v float64, disks int) string {
	return en.Rate(v) + pick(disks > 1, " each", "")
}

func byteSize(bytes float64) string { return unit.FormatBytes(int64(bytes)) }
