package analysis

import (
	"fmt"
	"math"
	"strings"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/unit"
)

// saturation says where a disk's fast cache ends, when it is empty again, and what others gain while it is full;
// and how surely, if that is wanted: "A's fast cache holds 23.9 ± 0.2 GB: 2.30 GB/s falls to 0.67 GB/s", "it
// recovered after 2 min 30 s of rest".
func (en english) saturation(s Saturation, surely bool) []string {
	if s.Fall == nil {
		return []string{fmt.Sprintf("%s wrote %s without slowing down", s.Disk, byteSize(s.WroteBytes))}
	}
	holds := plusMinus(s.Fall.AtBytes, (s.Fall.CI95[1]-s.Fall.CI95[0])/2) + pick(surely, " (95 % confidence)", "")
	falls := Each(s.Fall.Steps, func(step ledger.Step) string {
		return "to " + en.Rate(step.ToRate) + pick(len(s.Fall.Steps) > 1, " after "+byteSize(step.AtBytes), "")
	})
	what := pick(s.Fall.Cause == "heat", " slows down as it heats up after ", "'s fast cache holds ")
	parts := []string{fmt.Sprintf("%s%s%s: %s falls %s", s.Disk, what, holds, en.Rate(s.Fall.FromRate),
		strings.Join(falls, " and "))}
	if s.Back != nil {
		parts = append(parts, back(s.Back, surely))
	}
	if text := en.gained(s.Together, surely); text != "" {
		parts = append(parts, text)
	}
	return parts
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
func (en english) fell(disk string, steps []ledger.Step) string {
	down := Each(steps, func(step ledger.Step) string {
		return fmt.Sprintf("to %s after %s", en.Rate(step.ToRate), byteSize(step.AtBytes))
	})
	return fmt.Sprintf("%s fell from %s %s", disk, en.Rate(steps[0].FromRate), strings.Join(down, " and "))
}

// gained says who moved more after the fall: "B and C gained 0.45 GB/s each (0.43 to 0.50 GB/s)".
func (en english) gained(f *FallTogether, surely bool) string {
	if f == nil || !f.Told {
		return ""
	}
	if len(f.Gains) == 0 {
		return "no other disk measurably gained from it"
	}
	names, by := Each(f.Gains, func(g Gain) string { return g.Disk }), map[string]Gain{}
	for _, g := range f.Gains {
		by[g.Disk] = g
	}
	alike := Alike(names, func(n string) float64 { return by[n].Difference })
	return strings.Join(Each(alike, func(group []string) string {
		sum, low, high := 0.0, math.Inf(1), math.Inf(-1)
		for _, n := range group {
			g := by[n]
			sum, low, high = sum+g.Difference, min(low, g.CI95[0]), max(high, g.CI95[1])
		}
		text := unit.List(group) + " gained " + en.each(sum/float64(len(group)), len(group))
		return text + pick(surely, fmt.Sprintf(" (95 %% confidence: %s to %s)", en.Rate(low), en.Rate(high)), "")
	}), ", ")
}

// back says after how long a rest a disk's cache takes as much as at first, as far as that is known.
func back(b *Back, surely bool) string {
	after := unit.FormatSeconds(b.AfterS)
	switch {
	case b.WithinS == nil && b.Regained < 0.005:
		return "it was still slow after " + after + " of rest"
	case b.WithinS == nil:
		return fmt.Sprintf("after %s of rest %s%.0f %% of the cache was back", after, pick(b.AtLeast, "at least ", ""),
			100*b.Regained)
	case b.RestS != nil:
		text := "it recovered after " + unit.FormatSeconds(*b.RestS) + " of rest"
		if surely {
			low, high := unit.FormatSeconds(b.CI95[0]), unit.FormatSeconds(b.CI95[1])
			text += " (95 % confidence: " + low + " to " + high + ")"
		}
		return text
	}
	return "it recovered after " + unit.FormatSeconds(*b.WithinS) + " of rest" +
		pick(b.AfterS > 0, " but not after "+after, " or less") +
		pick(b.Whole, "", ", at least for "+byteSize(b.Bytes))
}
