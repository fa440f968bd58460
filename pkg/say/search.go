package say

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// searched says what a search has found: "A plays at most 9 streams alone, 3 when C writes".
func (en english) searched(s *analysis.Search) string {
	var try *analysis.Phase // the one with the most disks
	for _, p := range en.Phases {
		if p.Search != nil && p.Search.Search == s.Name && (try == nil || len(p.Disks) > len(try.Disks)) {
			try = &p
		}
	}
	if try == nil {
		return "no try of the search was recorded"
	}
	if s.Kind == trace.SearchPace {
		return en.paceFound(s, try)
	}
	plays, when := s.Disk+" "+streaming(try.Disks[s.Disk].Op).One, ""
	if beside := others(en.Order, try, s.Disk); len(beside) > 0 {
		when = " when " + do(try, beside)
	}
	switch {
	case s.AloneBetween != nil || s.FoundBetween != nil:
		asked := s.Alone != nil || s.AloneBetween != nil
		return "how many streams " + plays + " is not sure:" +
			pick(asked, " "+streamsFound(s.Alone, s.AloneBetween)+" alone,", "") +
			" " + streamsFound(s.Found, s.FoundBetween) + when
	case s.Alone == nil && s.Found == nil:
		return "how many streams " + plays + when + " was not found"
	case s.Alone == nil:
		return plays + bound(s.FoundOpen) + streamCount(*s.Found) + when
	case s.Found == nil:
		return plays + bound(s.AloneOpen) + streamCount(*s.Alone) + " alone, an unknown number" + when
	case *s.Alone == 0:
		return plays + " no stream clean, even alone"
	}
	found := fmt.Sprintf("%.0f", *s.Found)
	if *s.Found == 0 {
		found = "none"
	} else if s.AloneOpen && !s.FoundOpen {
		found = "at most " + found
	}
	return plays + bound(s.AloneOpen) + streamCount(*s.Alone) + " alone, " + found + when
}

// streamsFound is how many streams stay clean: "3", or "between 3 and 5".
func streamsFound(found *float64, between *search.Between) string {
	switch {
	case found != nil:
		return strconv.Itoa(int(*found))
	case between == nil:
		return "not tried to the end"
	}
	return fmt.Sprintf("between %.0f and %.0f", between.Low, *between.High)
}

// Counted is how often the values were clean that the answer hinges on: "clean in 3 of 3 tries with 4 streams,
// 0 of 2 with 5 streams". These are the answer and the next one above, or those between which it lies.
func Counted(s *analysis.Search) string {
	found, between, alone := s.Found, s.FoundBetween, false
	if found == nil && between == nil && !s.Unlimited || s.Alone != nil && *s.Alone == 0 {
		found, between, alone = s.Alone, s.AloneBetween, true
	}
	low, high := math.Inf(1), math.Inf(1)
	switch {
	case found != nil:
		low = *found
	case between != nil:
		low = between.Low
		if between.High != nil {
			high = *between.High
		}
	}
	clean, of := map[float64]int{}, map[float64]int{}
	for _, t := range s.Tries {
		if t.Unlimited {
			t.Value = math.Inf(1)
		}
		if t.Alone != alone || t.Verdict == "" || t.Value < low {
			continue
		}
		if found != nil && t.Value > low { // the next one above
			high = min(high, t.Value)
		}
		if of[t.Value]++; t.Verdict == stream.Clean {
			clean[t.Value]++
		}
	}
	var texts []string
	for _, value := range slices.Sorted(maps.Keys(of)) {
		if value > high {
			break
		}
		what := scenario.TryValue(trace.Try{Kind: s.Kind, Value: value, Unlimited: math.IsInf(value, 1)})
		texts = append(texts, fmt.Sprintf("%d of %d%s with %s", clean[value], of[value],
			pick(texts == nil, pick(of[value] == 1, " try", " tries"), ""), what))
	}
	if texts == nil {
		return ""
	}
	return "clean in " + strings.Join(texts, ", ")
}

// bound says on which side of an answer the truth lies.
func bound(open bool) string { return pick(open, " at least ", " at most ") }

func streamCount(n float64) string {
	return pick(n == 0, "no stream", unit.Plural(int(n), "stream"))
}

// paceFound is "B may write at up to 210 MB/s while A plays 4 streams".
func (en english) paceFound(s *analysis.Search, try *analysis.Phase) string {
	may := s.Disk + " may " + string(try.Disks[s.Disk].Op)
	while := " while " + unit.List(Each(try.StreamTotals, func(t analysis.StreamTotal) string {
		return fmt.Sprintf("%s %s %s", t.Disk, streaming(t.Op).One, unit.Plural(t.Streams, "stream"))
	}))
	switch between := s.FoundBetween; {
	case between != nil && between.High == nil:
		return "how fast " + may + while + " is not sure: " + unit.FormatRate(between.Low) + " or more"
	case between != nil:
		return fmt.Sprintf("how fast %s%s is not sure: between %s and %s", may, while, unit.FormatRate(between.Low),
			unit.FormatRate(*between.High))
	case s.Unlimited:
		return may + " as fast as it can" + while
	case s.Found == nil:
		return "how fast " + may + while + " was not found"
	case *s.Found == 0:
		return fmt.Sprintf("%s may not %s at any rate that was tried%s", s.Disk, try.Disks[s.Disk].Op, while)
	case s.FoundOpen:
		return may + " at " + unit.FormatRate(*s.Found) + ", the fastest that was tried," + while
	}
	return may + " at up to " + unit.FormatRate(*s.Found) + while
}
