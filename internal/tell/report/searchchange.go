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

// searchAnswer is "clean streams of A: alone 12 as before, with the others 9 → 7": on each side as many as there are runs.
func searchAnswer(s *compare.Search) string {
	text := "clean streams of " + s.Disk + ": "
	if s.Kind == trace.SearchPace {
		text = "pace of " + s.Disk + " that leaves the streams clean: "
	}
	var alone, with [2]string // in the base, and here
	asked := false
	for side, list := range [][]compare.Result{s.Base, s.New} {
		var a, w []string
		for _, r := range list {
			a = append(a, answerText(s.Kind, r.Alone, r.AloneBetween, r.AloneOpen, false))
			w = append(w, answerText(s.Kind, r.Found, r.FoundBetween, r.FoundOpen, r.Unlimited))
		}
		alone[side], with[side] = strings.Join(a, ", "), strings.Join(w, ", ")
		asked = asked || len(list) > 0 && (list[0].Alone != nil || list[0].AloneBetween != nil)
	}
	change := func(sides [2]string) string {
		return pick(sides[0] == sides[1], sides[0]+" as before", sides[0]+" → "+sides[1])
	}
	if asked {
		text += "alone " + change(alone) + ", with the others "
	}
	return text + change(with)
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
