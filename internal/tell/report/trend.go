package report

import (
	"fmt"
	"math"
	"time"

	"github.com/hubbench/hubbench/pkg/trend"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfTrend says when a rate changed. Of is what it is the rate of: "A in WW"; left is what was left
// out, if anything.
func OfTrend(of, left string, stretches []trend.Stretch) *Document {
	top, runs := 0.0, 0
	for _, s := range stretches {
		top = max(top, s.Mean)
		runs += s.Runs
	}
	scale := unit.ScaleFor(top)
	t := table("Trend", words("From", "To"),
		numbers("Runs", scale.Unit, "95 % interval", "Change"), word("Since run", 1))
	for i, s := range stretches {
		interval, change, since := none, none, ""
		if v := s.Interval; v != nil {
			interval = scale.Number(v[0]) + " to " + scale.Number(v[1])
		}
		if i > 0 {
			change, since = fmt.Sprintf("%+.1f %%", 100*s.Change), s.First
		}
		t.add(day(s.From), day(s.To), unit.FormatCount(s.Runs), scale.Number(s.Mean), interval,
			change, since)
	}
	last := stretches[len(stretches)-1]
	text := of + ": " + scale.Rate(last.Mean)
	switch {
	case runs == 1:
		text += " in one run; a trend takes more."
	case len(stretches) == 1:
		text += fmt.Sprintf(" over %d runs, with no change.", runs)
	default:
		text += fmt.Sprintf(" since %s, %.1f %% %s than before.", day(last.From),
			100*math.Abs(last.Change),
			pick(last.Change < 0, "lower", "higher"))
	}
	doc := &Document{Kind: "trend", Title: "Trend", Data: stretches}
	doc.Add(Sentence{Text: text, Lead: true}, t)
	if left != "" {
		doc.Add(Sentence{Text: left})
	}
	return doc
}

func day(at time.Time) string {
	if at.IsZero() {
		return "unknown"
	}
	return at.Format("2006-01-02")
}
