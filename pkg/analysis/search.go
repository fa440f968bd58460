package analysis

import (
	"fmt"
	"strconv"

	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// SearchSummary is what a search for the most streams, or for the fastest pace that leaves streams
// clean, has found. It is reported by the phases that were its tries, whose lines say so.
type SearchSummary struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // Kind is streams or pace.
	Disk string `json:"disk"` // Disk had its streams counted, or its pace sought.
	SearchResult
	Tries []SearchTry `json:"tries"`
}

// Between is the range in which an uncertain limit lies.
type Between = search.Between

// SearchResult is what a search found.
type SearchResult = search.Result

// SearchTry is one phase of a search.
type SearchTry struct {
	Phase     string  `json:"phase"`
	Value     float64 `json:"value"`
	Unlimited bool    `json:"unlimited,omitempty"` // Unlimited tries have no value.
	Alone     bool    `json:"alone,omitempty"`
	// Verdict is that of its worst stream; empty if it did not end properly.
	Verdict stream.Verdict `json:"verdict"`
	Step    int            `json:"step,omitempty"`
	Steps   int            `json:"steps,omitempty"` // Step and Steps are as in trace.Try.
}

func searches(phases []*phase) []SearchSummary {
	tries := only(phases, func(p *phase) bool { return p.trace.Search != nil })
	bySearch := Grouped(tries, func(p *phase) string { return p.trace.Search.Search })
	return Each(bySearch, func(group []*phase) SearchSummary {
		first := group[0].trace.Search
		s := SearchSummary{Name: first.Search, Kind: first.Kind, Disk: first.Disk}
		for _, p := range group {
			t := p.trace.Search
			s.Tries = append(s.Tries, SearchTry{
				p.trace.Name, t.Value, t.Unlimited, t.Alone, p.streamVerdict(), t.Step,
				t.Steps,
			})
		}
		s.answer()
		return s
	})
}

// streamVerdict returns the worst of the phase's streams; empty if it has none, or was cut short,
// or if a disk beside them stopped before they did: what stays clean without it says nothing.
func (p *phase) streamVerdict() stream.Verdict {
	var endNS int64
	for _, part := range p.parts {
		for _, t := range part.Trace.Streams {
			for _, s := range t.Samples {
				endNS = max(endNS, s.TNS)
			}
		}
	}
	for _, part := range p.parts {
		if endNS > 0 && !part.IsPaced() &&
			(len(part.Active) == 0 || search.Stopped(part.EndNS(), endNS)) {
			return ""
		}
	}
	var worst stream.Verdict
	for _, t := range p.streamTotals {
		worst = stream.Worst(worst, t.Verdict)
	}
	return pick(p.trace.Status == trace.Partial, "", worst)
}

// answer fills in what the tries have found.
func (s *SearchSummary) answer() {
	s.SearchResult = search.FromTries(Each(s.Tries, func(t SearchTry) search.JudgedTry {
		try := trace.Try{
			Kind: s.Kind, Value: t.Value, Unlimited: t.Unlimited, Alone: t.Alone,
			Step: t.Step, Steps: t.Steps,
		}
		return search.JudgedTry{Try: try, Verdict: t.Verdict}
	}))
	if s.Alone != nil && *s.Alone == 0 {
		s.Found = s.Alone
	}
}

// searchResult says what a search has found: "A records 3 cameras while B and C write".
func (w writer) searchResult(s *SearchSummary) string {
	var try PhaseResult // the one with the most disks
	for _, p := range w.Phases {
		if p.Search != nil && p.Search.Search == s.Name && len(p.Disks) > len(try.Disks) {
			try = p
		}
	}
	op := try.Disks[s.Disk].Op
	if s.Kind == trace.SearchPace {
		return paceResult(s, &try)
	}
	plays := s.Disk + " " + streaming(op).One
	when := ""
	while := ""
	if others := neighbours(w.Order, &try, s.Disk); len(others) > 0 {
		with := do(&try, others)
		when = " when " + with
		while = " while " + with
	}
	switch {
	case s.AloneBetween != nil || s.FoundBetween != nil:
		alone := pick(s.Alone == nil && s.AloneBetween == nil, "",
			" "+streamRange(s.Alone, s.AloneBetween)+" alone,")
		return "how many streams " + plays + " is not sure:" + alone + " " +
			streamRange(s.Found, s.FoundBetween) + when
	case s.Alone == nil && s.Found == nil:
		return "how many streams " + plays + when + " was not found"
	case s.Found == nil:
		return plays + pick(s.AloneOpen, " at least ", " at most ") + streamCount(*s.Alone, op) +
			" alone, an unknown number" + when
	case s.Alone != nil && *s.Alone == 0:
		return plays + " " + streamCount(0, op) + ", even alone"
	}
	return plays + pick(s.FoundOpen, " at least ", " ") + streamCount(*s.Found, op) + while
}

// streamRange returns how many streams stay clean: "3", or "between 3 and 5".
func streamRange(found *float64, between *Between) string {
	switch {
	case found != nil:
		return strconv.Itoa(int(*found))
	case between == nil:
		return "not tried to the end"
	}
	return fmt.Sprintf("between %.0f and %.0f", between.Low, *between.High)
}

// streamCount returns "3 cameras" if they are recorded, else "3 streams".
func streamCount(n float64, op trace.Role) string {
	what := pick(op == trace.Write, "camera", "stream")
	return pick(n == 0, "no "+what+" clean", unit.Plural(int(n), what))
}

// paceResult returns "B may write at up to 210 MB/s while A plays 4 streams".
func paceResult(s *SearchSummary, try *PhaseResult) string {
	op := string(try.Disks[s.Disk].Op)
	may := s.Disk + " may " + op
	while := " while " + unit.List(Each(try.StreamTotals, func(t StreamTotal) string {
		return t.Disk + " " + streaming(t.Op).One + " " + streamCount(float64(t.Streams), t.Op)
	}))
	howFast := "how fast " + may + while
	switch between := s.FoundBetween; {
	case between != nil && between.High == nil:
		return howFast + " is not sure: " + unit.FormatRate(between.Low) + " or more"
	case between != nil:
		return howFast + " is not sure: between " + unit.FormatRate(between.Low) + " and " +
			unit.FormatRate(*between.High)
	case s.Unlimited:
		return may + " as fast as it can" + while
	case s.Found == nil:
		return howFast + " was not found"
	case *s.Found == 0:
		return s.Disk + " may not " + op + " at any rate that was tried" + while
	case s.FoundOpen:
		return may + " at " + unit.FormatRate(*s.Found) + ", the fastest that was tried," + while
	}
	return may + " at up to " + unit.FormatRate(*s.Found) + while
}
