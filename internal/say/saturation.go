package say

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/unit"
)

// saturation says where a disk's fast cache ends, what others gain then, and when it is back; and how surely, if that is
// wanted.
func (en english) saturation(s *analysis.Saturation, surely bool) string {
	if s.Fall == nil {
		return fmt.Sprintf("%s wrote %s alone and did not fall", s.Disk, unit.FormatBytes(int64(s.WroteBytes)))
	}
	parts := []string{en.fell(s.Disk, s.Fall.Steps)}
	if text := en.gained(s.Together, surely); text != "" {
		parts = append(parts, text)
	}
	if s.Back != nil {
		parts = append(parts, back(s.Disk, s.Back, surely))
	}
	return strings.Join(parts, "; ")
}

// fell says from which rate a disk fell, and to which after how many bytes: "from 2.0 GB/s to 1.66 GB/s after 12 GB and to 0.50 GB/s
// after 52 GB".
func (en english) fell(disk string, steps []level.Step) string {
	var down []string
	for _, step := range steps {
		down = append(down, fmt.Sprintf("to %s after %s", en.Rate(step.ToRate), unit.FormatBytes(int64(step.AtBytes))))
	}
	return fmt.Sprintf("%s fell from %s %s", disk, en.Rate(steps[0].FromRate), strings.Join(down, " and "))
}

// gained says who moved more after the fall: "B and C gained 0.45 GB/s each (0.43 to 0.50 GB/s)".
func (en english) gained(f *analysis.FallTogether, surely bool) string {
	if f == nil || !f.Told {
		return ""
	}
	if len(f.Gains) == 0 {
		return "no other disk gained clearly by that"
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
func back(disk string, b *analysis.Back, surely bool) string {
	atLeast := ""
	if b.AtLeast {
		atLeast = "at least "
	}
	switch {
	case b.WithinS == nil:
		return fmt.Sprintf("%s was not back after %s of rest: %s%.0f %% of its cache was", disk, unit.FormatSeconds(b.AfterS), atLeast, 100*b.Regained)
	case b.RestS != nil && surely:
		return fmt.Sprintf("%s was back after %s of rest (95 %% confidence: %s to %s)", disk, unit.FormatSeconds(*b.RestS), unit.FormatSeconds(b.CI95[0]), unit.FormatSeconds(b.CI95[1]))
	case b.RestS != nil:
		return fmt.Sprintf("%s was back after %s of rest", disk, unit.FormatSeconds(*b.RestS))
	}
	text := fmt.Sprintf("%s was back after %s of rest", disk, unit.FormatSeconds(*b.WithinS))
	if b.AfterS > 0 {
		text += fmt.Sprintf(", and not yet after %s", unit.FormatSeconds(b.AfterS))
	} else {
		text += " or less"
	}
	if !b.Whole {
		text += fmt.Sprintf(", for %s at least", unit.FormatBytes(int64(b.Bytes)))
	}
	return text
}

// saturated says in a headline, and with how surely in points, what the preset saturation has found.
func (en english) saturated() (headline string, points []string) {
	for i := range en.Saturations {
		s := &en.Saturations[i]
		headline = joined(headline, en.saturation(s, false))
		points = append(points, s.Of+": "+s.Text+".")
	}
	return headline, points
}
