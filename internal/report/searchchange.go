package report

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// searchAnswers says what each search found in the base and here.
func searchAnswers(pair *compare.Pair) []string {
	var lines []string
	for i := range pair.Searches {
		s := &pair.Searches[i]
		line := s.Name + ": " + searchAnswer(s)
		if s.Work != nil {
			line += fmt.Sprintf(" (not the same was searched: %s → %s)", s.Work[0], s.Work[1])
		}
		lines = append(lines, line)
	}
	return lines
}

// searchAnswer is "clean streams of A: alone 12 as before, with the others 9 → 7".
func searchAnswer(s *compare.Search) string {
	what := "clean streams of " + s.Disk
	if s.Kind == trace.SearchPace {
		what = "pace of " + s.Disk + " that leaves the streams clean"
	}
	alone := func(a compare.Result) string { return answerText(s.Kind, a.Alone, a.AloneBetween, a.AloneOpen, false) }
	with := func(a compare.Result) string {
		return answerText(s.Kind, a.Found, a.FoundBetween, a.FoundOpen, a.Unlimited)
	}
	asked := func(list []compare.Result) bool {
		return len(list) > 0 && (list[0].Alone != nil || list[0].AloneBetween != nil)
	}
	text := what + ": "
	if asked(s.Base) || asked(s.New) {
		text += "alone " + answerChange(s, alone) + ", with the others "
	}
	return text + answerChange(s, with)
}

// answerChange is the answers of both sides, as many as there are runs: "9 → 7", "9, 8 → 7, 7"; one where all are the same.
func answerChange(s *compare.Search, of func(compare.Result) string) string {
	texts := func(answers []compare.Result) string {
		var list []string
		for _, a := range answers {
			list = append(list, of(a))
		}
		return strings.Join(list, ", ")
	}
	if b, n := texts(s.Base), texts(s.New); b != n {
		return b + " → " + n
	}
	return texts(s.Base) + " as before"
}

// answerText is one answer.
func answerText(kind string, value *float64, between *analysis.Between, open, unlimited bool) string {
	text := func(v float64) string {
		if kind == trace.SearchPace {
			return unit.FormatRate(v)
		}
		return unit.FormatCount(int(v))
	}
	switch {
	case unlimited:
		return "no limit"
	case value == nil && between != nil && between.High == nil:
		return text(between.Low) + " or more"
	case value == nil && between != nil:
		return text(between.Low) + " to " + text(*between.High)
	case value == nil:
		return "not found"
	}
	return pick(open, "at least ", "") + text(*value)
}
