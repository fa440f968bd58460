package say

import (
	"fmt"
	"math"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/unit"
)

// saturation says where a disk's fast cache ends, when it is back, and what others gain while it is full; and
// how surely, if that is wanted: "A's fast cache holds 23.9 ± 0.2 GB: 2.30 GB/s falls to 0.67 GB/s; back after
// 2 min 30 s of rest".
func (en english) saturation(s *analysis.Saturation, surely bool) string {
	if s.Fall == nil {
		return fmt.Sprintf("%s wrote %s without slowing down", s.Disk, size(s.WroteBytes))
	}
	holds := plusMinus(s.Fall.AtBytes, (s.Fall.CI95[1]-s.Fall.CI95[0])/2)
	if surely {
		holds += " (95 % confidence)"
	}
	var falls []string
	for i, step := range s.Fall.Steps {
		text := "falls to " + en.Rate(step.ToRate)
		if i > 0 {
			text = "to " + en.Rate(step.ToRate)
		}
		if len(s.Fall.Steps) > 1 {
			text += " after " + size(step.AtBytes)
		}
		falls = append(falls, text)
	}
	what := "'s fast cache holds "
	if s.Fall.Cause == "heat" {
		what = " slows down as it heats up after "
	}
	parts := []string{fmt.Sprintf("%s%s%s: %s %s", s.Disk, what, holds, en.Rate(s.Fall.FromRate),
		strings.Join(falls, " and "))}
	if s.Back != nil {
		parts = append(parts, back(s.Back, surely))
	}
	if text := en.gained(s.Together, surely); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// plusMinus is a size with half of its interval, in one unit and to the same digit: "23.9 ± 0.2 GB".
func plusMinus(bytes, half float64) string {
	scale, name := 1e9, "GB"
	switch {
	case bytes >= 1e12:
		scale, name = 1e12, "TB"
	case bytes < 1e9:
		scale, name = 1e6, "MB"
	}
	digits := max(0, 2-int(math.Floor(math.Log10(bytes/scale))))
	if half == 0 {
		return fmt.Sprintf("%.*f %s", digits, bytes/scale, name)
	}
	return fmt.Sprintf("%.*f ± %.*f %s", digits, bytes/scale, digits, max(half/scale, math.Pow10(-digits)), name)
}

// fell says from which rate a disk fell, and to which after how many bytes: "from 2.0 GB/s to 1.66 GB/s after
// 12 GB and to 0.50 GB/s after 52 GB".
func (en english) fell(disk string, steps []level.Step) string {
	var down []string
	for _, step := range steps {
		down = append(down, fmt.Sprintf("to %s after %s", en.Rate(step.ToRate), size(step.AtBytes)))
	}
	return fmt.Sprintf("%s fell from %s %s", disk, en.Rate(steps[0].FromRate), strings.Join(down, " and "))
}

// gained says who moved more after the fall: "B and C gained 0.45 GB/s each (0.43 to 0.50 GB/s)".
func (en english) gained(f *analysis.FallTogether, surely bool) string {
	if f == nil || !f.Told {
		return ""
	}
	if len(f.Gains) == 0 {
		return "no other disk clearly gained from the fall"
	}
	var names []string
	by := map[string]analysis.Gain{}
	for _, g := range f.Gains {
		names = append(names, g.Disk)
		by[g.Disk] = g
	}
	var texts []string
	for _, group := range analysis.Alike(names, func(n string) float64 { return by[n].Gain }) {
		sum, low, high := 0.0, by[group[0]].CI95[0], by[group[0]].CI95[1]
		for _, n := range group {
			g := by[n]
			sum, low, high = sum+g.Gain, min(low, g.CI95[0]), max(high, g.CI95[1])
		}
		text := unit.List(group) + " gained " + en.each(sum/float64(len(group)), len(group))
		if surely {
			text += fmt.Sprintf(" (95 %% confidence: %s to %s)", en.Rate(low), en.Rate(high))
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// back says after how long a rest a disk's cache takes as much as at first, as far as that is known.
func back(b *analysis.Back, surely bool) string {
	switch {
	case b.WithinS == nil:
		if b.Regained < 0.005 {
			return fmt.Sprintf("still slow after %s of rest", unit.FormatSeconds(b.AfterS))
		}
		return fmt.Sprintf("after %s of rest %s%.0f %% of the cache was back", unit.FormatSeconds(b.AfterS),
			pick(b.AtLeast, "at least ", ""), 100*b.Regained)
	case b.RestS != nil && surely:
		return fmt.Sprintf("back after %s of rest (95 %% confidence: %s to %s)", unit.FormatSeconds(*b.RestS),
			unit.FormatSeconds(b.CI95[0]), unit.FormatSeconds(b.CI95[1]))
	case b.RestS != nil:
		return fmt.Sprintf("back after %s of rest", unit.FormatSeconds(*b.RestS))
	}
	text := fmt.Sprintf("back after %s of rest", unit.FormatSeconds(*b.WithinS))
	if b.AfterS > 0 {
		text += fmt.Sprintf(" but not after %s", unit.FormatSeconds(b.AfterS))
	} else {
		text += " or less"
	}
	if !b.Whole {
		text += fmt.Sprintf(", at least for %s", size(b.Bytes))
	}
	return text
}

// saturated says what the preset saturation has found.
func (en english) saturated() (headline string) {
	for i := range en.Saturations {
		headline = joined(headline, en.saturation(&en.Saturations[i], false))
	}
	return headline
}
