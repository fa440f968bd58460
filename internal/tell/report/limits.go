package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Checked is a run that was held to limits.
type Checked struct {
	Run     string          `json:"run"`
	Verdict limit.Judgement `json:"verdict"`
	Results []limit.Result  `json:"results"`

	History string  `json:"history,omitempty"` // what of it counts
	Started string  `json:"started,omitempty"`
	Host    string  `json:"-"`
	Seconds float64 `json:"seconds"` // time that the phases took
}

// OfLimits says which limits each run holds: those that fail come first, then those that cannot be
// judged.
func OfLimits(runs []Checked) *Document {
	t := table("Limits", words("Verdict", "Run", "Phase", "Disk", "Measure", "Limit", "Measured",
		"95% interval")).dropFirst("95% interval")
	signs := map[limit.Judgement]Sign{limit.Pass: Good, limit.Unsure: Doubt, limit.Fail: Bad}
	var all []limit.Result
	var reasons, histories []string
	for _, run := range runs {
		if run.History != "" {
			histories = append(histories,
				unit.Capital(joined(": ", pick(len(runs) > 1, run.Run, ""), run.History)))
		}
	}
	for _, verdict := range []limit.Judgement{limit.Fail, limit.Unsure, limit.Pass} {
		for _, run := range runs {
			name, prefix := "", ""
			if len(runs) > 1 {
				name = run.Run
				prefix = run.Run + ": "
			}
			for _, r := range run.Results {
				if r.Verdict != verdict {
					continue
				}
				all = append(all, r)
				value, interval := measured(&r)
				t.add(Cell{Text: string(verdict), Sign: signs[verdict]}, name, r.Phase, r.Disk,
					r.Measure, r.Bounds, value, interval)
				if r.Why != "" {
					reasons = append(reasons, prefix+ResultText(&r)+".")
				}
			}
		}
	}
	doc := &Document{Kind: "check", Title: "Limits", Data: runs}
	doc.Add(Sentence{Text: unit.Capital(LimitsText(all)) + ".", Lead: true}, t,
		List{Items: reasons},
		List{Items: histories})
	return doc
}

// LimitsText says how many of the limits hold: "all limits hold".
func LimitsText(results []limit.Result) string {
	count := map[limit.Judgement]int{}
	for i := range results {
		count[results[i].Verdict]++
	}
	total, failed, open := len(results), count[limit.Fail], count[limit.Unsure]
	switch {
	case failed > 0 && open > 0:
		return fmt.Sprintf("%d of %d limits failed, and %d cannot be judged", failed, total, open)
	case failed > 0:
		return fmt.Sprintf("%d of %d limits failed", failed, total)
	case open > 0:
		return fmt.Sprintf("%d of %d limits cannot be judged, and none failed", open, total)
	}
	return "all limits hold"
}

// measured is what was measured and its interval, each empty if it is not known.
func measured(r *limit.Result) (value, interval string) {
	if r.Value != nil {
		value = r.Limit.Measure.Format(*r.Value)
	}
	if r.Low != nil {
		interval = r.Limit.Measure.Format(*r.Low) + " to " + r.Limit.Measure.Format(*r.High)
	}
	return value, interval
}

// MeasuredText is what was measured, with its interval: "1.15 GB/s (1.13 GB/s to 1.17 GB/s)".
func MeasuredText(r *limit.Result) string {
	value, interval := measured(r)
	if interval != "" {
		value += " (" + interval + ")"
	}
	return value
}

// ResultText is a limit and what was measured in one line: "WWW, disk A: rate 0.68 GB/s, want at
// least 1.2 GB/s".
func ResultText(r *limit.Result) string {
	disk := ""
	if r.Disk != "" {
		disk = "disk " + r.Disk
	}
	text := fmt.Sprintf("%s %s, want %s", r.Measure, cmp.Or(MeasuredText(r), "not measured"),
		r.Bounds)
	if where := nonEmpty(r.Phase, disk); len(where) > 0 {
		text = strings.Join(where, ", ") + ": " + text
	}
	if r.Why != "" {
		text += ": " + r.Why
	}
	return Clean(text)
}
