package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Gate says what became of a comparison's gate.
func Gate(g *compare.Gate) string {
	by := pick(g.Limit > 0, "by more than "+unit.FormatPercent(g.Limit), "significantly")
	fell := fmt.Sprintf("%d of %s fell %s", g.Fell, unit.Plural(g.Rates, "rate"), by)
	if g.Outcome == compare.CannotJudge {
		return "no rate could be judged, so there is nothing to go by; the tables say why"
	}
	if g.Limit > 0 && g.CannotTell > 0 {
		fell += fmt.Sprintf("; of %d the data cannot tell", g.CannotTell)
	}
	if doubtful := len(g.Crossed) - g.Fell; doubtful > 0 {
		fell += fmt.Sprintf(", and %d of these %s measured lower by more than that", doubtful, pick(doubtful == 1, "was", "were"))
	}
	if len(g.Crossed) > 0 {
		worst := slices.MinFunc(g.Crossed, func(a, b compare.Fall) int { return cmp.Compare(*a.Change, *b.Change) })
		fell += fmt.Sprintf("; most of all in %s: %s (%s) by %s in %s", worst.Phase, RateDisk(&worst.Rate), worst.Measure, Change(*worst.Change), worst.Run)
	}
	if len(g.Lost) > 0 {
		const most = 4
		fell += "; not measured, or not to its end: " + strings.Join(g.Lost[:min(most, len(g.Lost))], "; ")
		if more := len(g.Lost) - most; more > 0 {
			fell += fmt.Sprintf("; and %s more", unit.FormatCount(more))
		}
	}
	return fell
}
