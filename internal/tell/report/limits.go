package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/limit"
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

	Analysis *analysis.Analysis `json:"-"` // what the phases are called; nil if nothing is known
}

// withinMargin says how a limit holds that lies within its measurement's interval.
const withinMargin = "within the margin of error"

// LimitsText says how many of the limits hold: "all limits hold".
func LimitsText(results []limit.Result) string {
	count := map[limit.Judgement]int{}
	within := 0
	for _, r := range results {
		count[r.Verdict]++
		if r.WithinMargin {
			within++
		}
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
	return "all limits hold" + pick(within > 0, fmt.Sprintf(", %d %s", within, withinMargin), "")
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
	if r.WithinMargin {
		text += ": " + withinMargin
	}
	if r.Why != "" {
		text += ": " + r.Why
	}
	return Clean(text)
}
