package report

import (
	"fmt"
	"time"

	"github.com/hubbench/hubbench/pkg/trend"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfTrend says when a rate changed. Of is what it is the rate of: "A in WW"; left is what was left out, if anything.
func OfTrend(of, left string, stretches []trend.Stretch) *Document {
	doc := &Document{Kind: "trend", Title: "Trend", Data: stretches}
	top, runs := 0.0, 0
	for _, s := range stretches {
		top, runs = max(top, s.Mean), runs+s.Runs
	}
	scale := unit.ScaleFor(top)
	t := table("Trend", word("From"), word("To"), number("Runs"), number(scale.Unit), number("95 % interval"), number("Change"),
		word("Since run", 1))
	t.ID = "trend"
	const newest = 8 // rows: with the answer, ten lines
	for i, s := range stretches {
		if i < len(stretches)-newest {
			continue
		}
		interval, change, first := none, none, s.First
		if v := s.Interval; v != nil {
			interval = scale.Number(v[0]) + " to " + scale.Number(v[1])
		}
		if i > 0 {
			change = fmt.Sprintf("%+.1f %%", 100*s.Change)
		} else {
			first = ""
		}
		t.add(day(s.From), day(s.To), fmt.Sprint(s.Runs), Cell{Text: scale.Number(s.Mean), Strong: i == len(stretches)-1}, interval, change, first)
	}
	last := stretches[len(stretches)-1]
	text := fmt.Sprintf("%s: %s %s over %d runs, with no change.", of, scale.Number(last.Mean), scale.Unit, runs)
	switch {
	case runs == 1:
		text = fmt.Sprintf("%s: %s %s in one run; a trend takes more.", of, scale.Number(last.Mean), scale.Unit)
	case len(stretches) > 1:
		text = fmt.Sprintf("%s: %s %s since %s, %.1f %% %s than before.", of, scale.Number(last.Mean), scale.Unit, day(last.From),
			100*max(last.Change, -last.Change), pick(last.Change < 0, "lower", "higher"))
	}
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
