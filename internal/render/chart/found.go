package chart

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// Alone is what a disk does when the others leave it be, and how the run shows it.
type Alone struct {
	Rate      float64  // bytes per second
	Retention *float64 // the rate in the overlap over it
	From      string   // "alone in phase X", "after C ended"
}

// AloneRate is a disk's rate without the others as the analysis found it, or nil where the run shows none.
func AloneRate(phase *analysis.Phase, disk string) *Alone {
	if phase.Contention == nil {
		return nil
	}
	c, ok := phase.Contention.Disks[disk]
	if !ok || c.ReferenceRate == nil || *c.ReferenceRate <= 0 {
		return nil
	}
	from := "alone in " + c.ReferenceFrom
	if c.Reference == analysis.ReferenceLater {
		from = "after " + c.ReferenceFrom + " ended"
	}
	return &Alone{*c.ReferenceRate, c.Retention, from}
}

// Findings are what the analysis found in a phase, as sentences that stand under its name: without the name, and
// with a capital where they do not begin with a disk's.
func Findings(a *analysis.Analysis, phase *analysis.Phase) []string {
	var out []string
	for _, finding := range a.Findings {
		if finding.Phase != phase.Phase || finding.Text == phase.Verdict {
			continue
		}
		text := strings.TrimPrefix(finding.Text, phase.Phase+": ")
		named := slices.ContainsFunc(a.Order, func(disk string) bool { return strings.HasPrefix(text, disk) })
		if first, size := utf8.DecodeRuneInString(text); !named && size > 0 {
			text = string(unicode.ToUpper(first)) + text[size:]
		}
		out = append(out, text)
	}
	return out
}
