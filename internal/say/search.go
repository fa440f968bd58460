package say

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// search says what a search has found: "A plays at most 9 streams alone, 3 when C writes".
func search(a *analysis.Analysis, s *analysis.Search) string {
	try := tryOf(a, s)
	if try == nil {
		return "no try of it was recorded"
	}
	if s.Kind == trace.SearchPace {
		return paceFound(s, try)
	}
	verb := streamVerb(try.Disks[s.Disk].Op)
	when := ""
	if beside := others(a.Order, try, s.Disk); len(beside) > 0 {
		when = " when " + does(try, beside)
	}
	switch {
	case s.Alone == nil && s.Found == nil:
		return fmt.Sprintf("how many streams %s %s%s was not found", s.Disk, verb, when)
	case s.Alone == nil:
		return fmt.Sprintf("%s %s %s %s%s", s.Disk, verb, bound(s.FoundOpen), streamCount(*s.Found), when)
	case s.Found == nil:
		return fmt.Sprintf("%s %s %s %s alone; how many%s was not found", s.Disk, verb, bound(s.AloneOpen), streamCount(*s.Alone), when)
	case *s.Alone == 0:
		return fmt.Sprintf("%s %s no stream clean, even alone", s.Disk, verb)
	case *s.Found == 0:
		return fmt.Sprintf("%s %s %s %s alone, none%s", s.Disk, verb, bound(s.AloneOpen), streamCount(*s.Alone), when)
	case s.AloneOpen && !s.FoundOpen:
		return fmt.Sprintf("%s %s at least %s alone, at most %.0f%s", s.Disk, verb, streamCount(*s.Alone), *s.Found, when)
	}
	return fmt.Sprintf("%s %s %s %s alone, %.0f%s", s.Disk, verb, bound(s.AloneOpen), streamCount(*s.Alone), *s.Found, when)
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
	return plural(int(n), "stream")
}

// paceFound is "B may write at up to 210 MB/s: A plays 4 streams without a late frame then".
func paceFound(s *analysis.Search, try *analysis.Phase) string {
	var streams []string
	for _, t := range try.StreamTotals {
		streams = append(streams, fmt.Sprintf("%s %s %s", t.Disk, streamVerb(t.Op), plural(t.Streams, "stream")))
	}
	verb := string(try.Disks[s.Disk].Op)
	while := " while " + list(streams)
	switch {
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
