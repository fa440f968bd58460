package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/trend"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfTrend says when a rate changed, on each host. Of is what it is the rate of: "A in WW"; left is
// what was left out, if anything.
func OfTrend(of, left string, list []trend.Series) *Document {
	doc := &Document{Kind: "trend", Title: "Trend", Data: list}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b trend.Series) int { return cmp.Compare(a.Change(), b.Change()) })
	top, runs, steady := 0.0, 0, 0
	for i := range list {
		stretches := list[i].Stretches
		for _, s := range stretches {
			top = max(top, s.Mean)
			runs += s.Runs
		}
		if len(stretches) == 1 {
			steady++
			continue
		}
		text := of
		if len(list) > 1 {
			text += " on " + cmp.Or(list[i].Host, unknownHost)
		}
		last := stretches[len(stretches)-1]
		text += fmt.Sprintf(": %s since %s, %.1f %% %s than before.", unit.ScaleFor(last.Mean).Rate(last.Mean),
			day(last.From), 100*math.Abs(last.Change), pick(last.Change < 0, "lower", "higher"))
		doc.Add(Sentence{Text: text, Lead: true})
	}
	scale := unit.ScaleFor(top)
	switch {
	case len(list) > 1 && steady > 0:
		text := pick(steady < len(list), unit.Plural(steady, "other host"), of+" on "+unit.Plural(steady, "host"))
		doc.Add(Sentence{Text: text + ": no change.", Lead: steady == len(list)})
	case steady == 1:
		text := of + ": " + scale.Rate(list[0].Stretches[0].Mean)
		text += pick(runs == 1, " in one run; a trend takes more.", fmt.Sprintf(" over %d runs, with no change.", runs))
		doc.Add(Sentence{Text: text, Lead: true})
	}
	doc.Add(trendTable(list, scale))
	if left != "" {
		doc.Add(Sentence{Text: left})
	}
	return doc
}

const unknownHost = "an unknown host"

// trendTable lists the stretches, host by host.
func trendTable(list []trend.Series, scale unit.Scale) *Table {
	columns := words("From", "To")
	if len(list) > 1 {
		columns = words("Host", "From", "To")
	}
	t := table("Trend", columns, numbers("Runs", scale.Unit, "95 % interval", "Change"), word("Since run", 1))
	for i := range list {
		for k, s := range list[i].Stretches {
			interval, change, since := none, none, ""
			if v := s.Interval; v != nil {
				interval = scale.Number(v[0]) + " to " + scale.Number(v[1])
			}
			if k > 0 {
				change, since = fmt.Sprintf("%+.1f %%", 100*s.Change), s.First
			}
			row := []any{day(s.From), day(s.To), unit.FormatCount(s.Runs), scale.Number(s.Mean), interval, change, since}
			if len(list) > 1 {
				row = append([]any{pick(k == 0, cmp.Or(list[i].Host, unknownHost), "")}, row...)
			}
			t.add(row...)
		}
	}
	return t
}

func day(at time.Time) string {
	if at.IsZero() {
		return "unknown"
	}
	return at.Format("2006-01-02")
}
