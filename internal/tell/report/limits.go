package report

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Checked is a run that was held to limits.
type Checked struct {
	Run     string         `json:"run"`
	Verdict limit.Verdict  `json:"verdict"`
	Results []limit.Result `json:"results"`
}

// OfLimits says which limits each run holds: those that it does not, or that cannot be judged, come first.
func OfLimits(runs []Checked) *Document {
	doc := &Document{Kind: "check", Title: "Limits", Data: runs}
	t := table("Limits", word("Verdict"), word("Run", 1), word("Phase"), word("Disk"), word("Measure"), word("Limit"),
		word("Measured"), word("From, to", 3), word("Remark", 2))
	t.ID = "limits"
	var all []limit.Result
	why := map[string]int{}
	var reasons []string
	for _, run := range runs {
		all = append(all, run.Results...)
	}
	for _, verdict := range []limit.Verdict{limit.Fail, limit.Unsure, limit.Pass} {
		for _, run := range runs {
			for _, r := range run.Results {
				if r.Verdict != verdict {
					continue
				}
				if why[r.Why]++; r.Why != "" && why[r.Why] == 1 {
					reasons = append(reasons, r.Why)
				}
				name := ""
				if len(runs) > 1 {
					name = run.Run
				}
				value, interval, _ := strings.Cut(strings.TrimSuffix(Measured(&r), ")"), " (")
				sign := map[limit.Verdict]Sign{limit.Pass: Good, limit.Unsure: Doubt, limit.Fail: Bad}[verdict]
				t.add(Cell{Text: string(verdict), Sign: sign}, name, r.Phase, r.Disk, r.Measure, r.Bounds, value, interval, r.Why)
			}
		}
	}
	doc.Add(Sentence{Text: say.Capital(nil, Holding(all)) + ".", Lead: true}, t)
	for _, reason := range reasons { // for which a terminal's rows have no room
		doc.Add(Sentence{Text: unit.Plural(why[reason], "limit") + ": " + reason + "."})
	}
	return doc
}

// Holding says how many of the limits hold: "all limits hold".
func Holding(results []limit.Result) string {
	count := map[limit.Verdict]int{}
	for i := range results {
		count[results[i].Verdict]++
	}
	total := len(results)
	switch failed, open := count[limit.Fail], count[limit.Unsure]; {
	case failed > 0 && open > 0:
		return fmt.Sprintf("%d of %d limits failed, and %d cannot be judged", failed, total, open)
	case failed > 0:
		return fmt.Sprintf("%d of %d limits failed", failed, total)
	case open > 0:
		return fmt.Sprintf("%d of %d limits cannot be judged, and none failed", open, total)
	}
	return "all limits hold"
}

// Measured is what was measured, with its interval: "1.15 GB/s (1.13 to 1.17 GB/s)".
func Measured(r *limit.Result) string {
	if r.Value == nil {
		return ""
	}
	text := r.Limit.Measure.Format(*r.Value)
	if r.Low != nil {
		text += fmt.Sprintf(" (%s to %s)", r.Limit.Measure.Format(*r.Low), r.Limit.Measure.Format(*r.High))
	}
	return text
}
