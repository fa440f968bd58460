package analysis

import (
	"fmt"
	"strconv"

	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// searched says what a search has found: "A records 3 cameras while B and C write".
func (en english) searched(s *Search) string {
	var try *Phase // the one with the most disks
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
	op := try.Disks[s.Disk].Op
	plays, when, while := s.Disk+" "+streaming(op).One, "", ""
	if beside := others(en.Order, try, s.Disk); len(beside) > 0 {
		when, while = " when "+do(try, beside), " while "+do(try, beside)
	}
	switch {
	case s.AloneBetween != nil || s.FoundBetween != nil:
		asked := s.Alone != nil || s.AloneBetween != nil
		return "how many streams " + plays + " is not sure:" +
			pick(asked, " "+streamsFound(s.Alone, s.AloneBetween)+" alone,", "") +
			" " + streamsFound(s.Found, s.FoundBetween) + when
	case s.Alone == nil && s.Found == nil:
		return "how many streams " + plays + when + " was not found"
	case s.Found == nil:
		return plays + pick(s.AloneOpen, " at least ", " at most ") + streamCount(*s.Alone, op) + " alone, an unknown number" + when
	case s.Alone != nil && *s.Alone == 0:
		return plays + " " + streamCount(0, op) + ", even alone"
	}
	return plays + pick(s.FoundOpen, " at least ", " ") + streamCount(*s.Found, op) + while
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

// streamCount is "3 cameras" if they are recorded, else "3 streams".
func streamCount(n float64, op trace.Role) string {
	what := pick(op == trace.Write, "camera", "stream")
	return pick(n == 0, "no "+what+" clean", unit.Plural(int(n), what))
}

// paceFound is "B may write at up to 210 MB/s while A plays 4 streams".
func (en english) paceFound(s *Search, try *Phase) string {
	may := s.Disk + " may " + string(try.Disks[s.Disk].Op)
	while := " while " + unit.List(Each(try.StreamTotals, func(t StreamTotal) string {
		return fmt.Sprintf("%s %s %s", t.Disk, streaming(t.Op).One, streamCount(float64(t.Streams), t.Op))
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
