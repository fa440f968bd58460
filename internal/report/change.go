package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Change writes a change with its sign: "-5.0 %", "+250 %".
func Change(change float64) string {
	decimals := 1
	if change >= 0.9995 {
		decimals = 0
	}
	text := strconv.FormatFloat(100*change, 'f', decimals, 64)
	if value, err := strconv.ParseFloat(text, 64); err == nil && value == 0 {
		return "0.0 %"
	}
	if change > 0 {
		text = "+" + text
	}
	return text + " %"
}

func chance(p float64) string {
	switch {
	case p < 0.001:
		return "< 0.001"
	case p > 0.995:
		return "1"
	default:
		return strconv.FormatFloat(p, 'f', 2+int(math.Max(0, math.Ceil(-math.Log10(p)-1))), 64)
	}
}

// verdict is a rate's; against a limit, what the data say of a larger fall.
func verdict(r *compare.Rate) string {
	switch {
	case r.Outcome == compare.CannotTell:
		return "cannot tell"
	case r.Outcome == compare.DidNotFall && r.Verdict == compare.Slower:
		return "slower, by less"
	case r.Outcome == compare.DidNotFall && r.Verdict == compare.NotShown:
		return "did not fall"
	case r.Verdict == compare.NotShown:
		return "not significant"
	case r.Verdict == compare.TooLittle:
		return "too little data"
	default:
		return string(r.Verdict)
	}
}

// summary says a pair in a sentence or two. A gate says itself what became of the rates.
func summary(p *compare.Pair, ofRates bool) string {
	var rates, latencies []compare.Verdict
	for _, phase := range p.Phases {
		for i := range phase.Rates {
			rates = append(rates, phase.Rates[i].Verdict)
		}
		for i := range phase.Latencies {
			latencies = append(latencies, phase.Latencies[i].Verdict)
		}
	}
	if len(rates) == 0 {
		return strings.TrimSpace(searchSummary(p) + pick(len(p.Searches) > 0, "", " There are no rates to compare."))
	}
	text := ""
	if ofRates {
		text = tally("rate", rates) + excluded(p)
	}
	if len(latencies) > 0 {
		text += " " + tally("latency quantile", latencies)
	}
	return strings.TrimSpace(searchSummary(p) + " " + text)
}

// tally says how many of some numbers have which verdict.
func tally(what string, verdicts []compare.Verdict) string {
	n := map[compare.Verdict]int{}
	for _, v := range verdicts {
		n[v]++
	}
	all := unit.Plural(len(verdicts), what)
	if n[compare.NotShown] == len(verdicts) {
		return fmt.Sprintf("No significant difference in %s.", all)
	}
	var parts []string
	for _, part := range []struct {
		verdict compare.Verdict
		words   string
	}{
		{compare.Slower, "fell"}, {compare.Faster, "rose"}, {compare.Longer, "rose"}, {compare.Shorter, "fell"},
		{compare.NotShown, "show no significant difference"}, {compare.TooLittle, "cannot be judged"},
	} {
		if n[part.verdict] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[part.verdict], part.words))
		}
	}
	return fmt.Sprintf("Of %s, %s.", all, strings.Join(parts, ", "))
}

// excluded says which fall the rates without a significant difference exclude.//// A bound above worthSaying says no more than that the runs are noisy.
func excluded(p *compare.Pair) string {
	const worthSaying = 0.2
	most := 0.0
	for _, phase := range p.Phases {
		for i := range phase.Rates {
			if r := &phase.Rates[i]; r.Verdict == compare.NotShown && r.Interval != nil {
				most = max(most, -r.Interval[0])
			}
		}
	}
	if most == 0 || most > worthSaying {
		return ""
	}
	return fmt.Sprintf(" No rate without a significant difference fell by more than %s.", strings.TrimPrefix(Change(most), "+"))
}
