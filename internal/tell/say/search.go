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
	try := tryOf(en.Analysis, s)
	if try == nil {
		return "no try of it was recorded"
	}
	if s.Kind == trace.SearchPace {
		return en.paceFound(s, try)
	}
	verb := streaming(try.Disks[s.Disk].Op).One
	when := ""
	if beside := others(en.Order, try, s.Disk); len(beside) > 0 {
		when = " when " + do(try, beside)
	}
	switch {
	case s.AloneBetween != nil || s.FoundBetween != nil:
		text := "how many streams " + s.Disk + " " + verb + " is not sure"
		if s.Alone != nil || s.AloneBetween != nil {
			text += ": " + streamsFound(s.Alone, s.AloneBetween) + " alone,"
		} else {
			text += ":"
		}
		return text + " " + streamsFound(s.Found, s.FoundBetween) + when
	case s.Alone == nil && s.Found == nil:
		return fmt.Sprintf("how many streams %s %s%s was not found", s.Disk, verb, when)
	case s.Alone == nil:
		return fmt.Sprintf("%s %s %s %s%s", s.Disk, verb, bound(s.FoundOpen), streamCount(*s.Found), when)
	case s.Found == nil:
		return fmt.Sprintf("%s %s %s %s alone; how many%s was not found", s.Disk, verb, bound(s.AloneOpen),
			streamCount(*s.Alone), when)
	case *s.Alone == 0:
		return fmt.Sprintf("%s %s no stream clean, even alone", s.Disk, verb)
	case *s.Found == 0:
		return fmt.Sprintf("%s %s %s %s alone, none%s", s.Disk, verb, bound(s.AloneOpen), streamCount(*s.Alone), when)
	case s.AloneOpen && !s.FoundOpen:
		return fmt.Sprintf("%s %s at least %s alone, at most %.0f%s", s.Disk, verb, streamCount(*s.Alone), *s.Found, when)
	}
	return fmt.Sprintf("%s %s %s %s alone, %.0f%s", s.Disk, verb, bound(s.AloneOpen), streamCount(*s.Alone),
		*s.Found, when)
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
func bound(open bool) string {
	if open {
		return "at least"
	}
	return "at most"
}

// tryOf is the try of a search with the most disks.
func tryOf(a *analysis.Analysis, s *analysis.Search) *analysis.Phase {
	var found *analysis.Phase
	for i := range a.Phases {
		p := &a.Phases[i]
		if p.Search != nil && p.Search.Search == s.Name && (found == nil || len(p.Disks) > len(found.Disks)) {
			found = p
		}
	}
	return found
}

func streamCount(n float64) string {
	if n == 0 {
		return "no stream"
	}
	return unit.Plural(int(n), "stream")
}

// paceFound is "B may write at up to 210 MB/s: A plays 4 streams without a late frame then".
func (en english) paceFound(s *analysis.Search, try *analysis.Phase) string {
	var streams []string
	for _, t := range try.StreamTotals {
		streams = append(streams, fmt.Sprintf("%s %s %s", t.Disk, streaming(t.Op).One, unit.Plural(t.Streams, "stream")))
	}
	verb := string(try.Disks[s.Disk].Op)
	while := " while " + unit.List(streams)
	switch {
	case s.FoundBetween != nil && s.FoundBetween.High == nil:
		return fmt.Sprintf("how fast %s may %s%s is not sure: %s or more", s.Disk, verb, while,
			unit.FormatRate(s.FoundBetween.Low))
	case s.FoundBetween != nil:
		return fmt.Sprintf("how fast %s may %s%s is not sure: between %s and %s", s.Disk, verb, while,
			unit.FormatRate(s.FoundBetween.Low), unit.FormatRate(*s.FoundBetween.High))
	case s.Unlimited:
		return fmt.Sprintf("%s may %s as fast as it can%s", s.Disk, verb, while)
	case s.Found == nil:
		return fmt.Sprintf("how fast %s may %s%s was not found", s.Disk, verb, while)
	case *s.Found == 0:
		return fmt.Sprintf("%s may not %s at any rate that was tried%s", s.Disk, verb, while)
	}
	if s.FoundOpen {
		return fmt.Sprintf("%s may %s at %s, the fastest that was tried,%s", s.Disk, verb, unit.FormatRate(*s.Found), while)
	}
	return fmt.Sprintf("%s may %s at up to %s%s", s.Disk, verb, unit.FormatRate(*s.Found), while)
}
