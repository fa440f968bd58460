package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// smallPercent is the change in per cent below which it has a decimal.
const smallPercent = 10

// signed writes a share in per cent, with a minus as long as a digit: "−5.0", "+91".
func signed(change float64) string {
	size := math.Abs(perCent * change)
	text := strconv.FormatFloat(size, 'f', pick(size < smallPercent-0.05, 1, 0), 64)
	if text == "0.0" {
		return text
	}
	return pick(change < 0, "−", "+") + text
}

// Change writes a change with its sign: "−5.0 %", "+250 %".
func Change(change float64) string { return signed(change) + "%" }

func unsigned(change float64) string { return strings.TrimPrefix(Change(change), "+") }

// atMost writes a bound, rounded up.
func atMost(change float64) string {
	step := pick(change > smallPercent/100., 0.01, 0.001)
	return unsigned(math.Ceil(change/step-roundingError) * step)
}

// ChangeSpan writes the interval of a change; empty if there is none.
func ChangeSpan(v *stats.Interval) string {
	if v == nil {
		return ""
	}
	return signed(v[0]) + " to " + signed(v[1]) + "%"
}

// pairDetails is what stands behind the answer about a run: all its rates and latencies, and what
// differs from the base. Of several runs each has details of its own.
func (c comparison) pairDetails(run *comparedRun, id string) []Block {
	pair := run.Pair
	rates := table("Rates", words("Phase", "Disk", "Rate"),
		numbers("Base", "New", "Change", "Interval"),
		words("Verdict")).dropFirst("Interval")
	rates.Note = "In " + c.Unit + "; latencies of requests in their own units."
	var notes []string
	for _, phase := range pair.Phases {
		title := phase.Title
		add := func(r compare.Rate, what string, numbers []Cell) {
			of := rateOf(r)
			row := []any{title, of, what}
			for _, number := range numbers {
				row = append(row, number)
			}
			rates.add(append(row, verdict(r))...)
			if title = ""; r.Reason != "" {
				notes = append(notes, phase.Title+": "+of+" ("+what+"): "+r.Reason)
			}
		}
		for _, r := range phase.Rates {
			what := "overlap mean"
			if r.Span != nil {
				what = fmt.Sprintf("%.0f to %.0f s", r.Span[0], r.Span[1])
			}
			add(r, what, c.changeCells(r))
		}
		for _, l := range phase.Latencies {
			numbers := make([]Cell, 4)
			if l.BaseNS != nil {
				numbers = []Cell{{Text: timeText(l.BaseNS)}, {Text: timeText(l.NewNS)},
					changeCell(*l.Change), changeSpanCell(l.Interval)}
			}
			r := compare.Rate{Disk: l.Disk, Op: l.Op, Test: l.Test}
			add(r, string(l.Quantile)+" latency", numbers)
		}
		for _, line := range phaseNotes(phase) {
			notes = append(notes, phase.Title+": "+line)
		}
	}
	phases := pick(len(pair.Phases) > 1, " in all "+unit.Plural(len(pair.Phases), "phase"), "")
	all := &Details{ID: "rates", Title: "Each disk" + phases, Printed: true}
	all.Add(c.chart(run), rates, List{"", notes})
	var searches []string
	for _, s := range pair.Searches {
		text := s.Name + ": " + searchAnswer(s)
		if s.Work != nil {
			text += fmt.Sprintf(" (not the same was searched: %s → %s)", s.Work[0], s.Work[1])
		}
		searches = append(searches, text)
	}
	differs := &Details{ID: "differs", Title: "What differs between the runs", Printed: true}
	differs.Add(List{"Runs", analysis.Each([]LegendKey{c.base, run.key}, func(k LegendKey) string {
		return k.Label + ": " + k.Where
	})},
		List{"Searches", searches}, List{"Measured differently", methodDifferences(pair)})
	if len(c.Pairs) == 1 {
		return []Block{all, differs}
	}
	part := &Details{ID: id, Title: run.key.Label, Does: "against " + c.base.Label, Phase: true}
	idea, sentence := c.outcome(run)
	part.Add(Sentence{Text: idea + ".", Lead: true}, Sentence{Text: sentence},
		List{"", append(risenLatencies(pair), pair.Headline)},
		List{"Doubts", slices.Concat(pair.Lost, pair.Doubts)})
	part.Add(slices.Concat(all.Blocks, differs.Blocks)...)
	return []Block{part}
}

// methodDifferences are what was measured differently, and what only one of the runs has.
func methodDifferences(pair *compare.Pair) []string {
	list := analysis.Each(pair.Method, func(d compare.Difference) string {
		return joined(", ", d.What, d.Where) + ": " + d.Base + " → " + d.New
	})
	for i, phases := range [][]string{pair.OnlyInBase, pair.OnlyInNew} {
		if len(phases) > 0 {
			list = append(list, pick(i == 0, "only in the base: ", "not in the base: ")+
				strings.Join(analysis.Each(phases, pair.Title), "; "))
		}
	}
	return list
}

// verdict is a rate's; if there is a limit, what the data say of a larger fall.
func verdict(r compare.Rate) string {
	didNotFall := r.Outcome == compare.DidNotFall
	switch {
	case r.Verdict == compare.TooLittle:
		return "too little"
	case r.Outcome == compare.CannotTell:
		return "cannot tell"
	case r.Verdict == compare.Slower && didNotFall:
		return "slower, by less"
	case r.Verdict == compare.NotShown:
		return pick(didNotFall, "did not fall", "not shown")
	}
	return string(r.Verdict)
}

// rateOf says what a rate is of: "A writes".
func rateOf(r compare.Rate) string {
	if r.Disk == "" {
		return "together"
	}
	return r.Disk + pick(active(r.Op), " "+string(r.Op)+"s", "")
}

// phaseNotes are what to know about a phase: how long recoveries took, and what was not compared.
func phaseNotes(p compare.PhasePair) (lines []string) {
	lagText := func(lag *float64) string {
		if lag == nil {
			return "not seen"
		}
		return analysis.Seconds(*lag)
	}
	for _, r := range p.Recoveries {
		if r.LagS != nil || r.BaseLagS != nil {
			lines = append(lines, "recovery of "+r.Disk+" after "+r.After+": "+lagText(r.BaseLagS)+
				" → "+lagText(r.LagS))
		}
	}
	if p.NewPhase != "" {
		lines = append(lines, "called "+p.NewPhase+" in the new run; the work is the same")
	}
	if r := p.Repeats; r != nil {
		lines = append(lines, fmt.Sprintf("repeated within a run: %d against %d", r.Base, r.New))
	}
	for _, d := range p.Unlike {
		lines = append(lines, fmt.Sprintf("%s is not compared because its work differs: %s %s → %s",
			d.Where, d.What, d.Base, d.New))
	}
	if p.Reason != "" {
		lines = append(lines, "not compared: "+p.Reason)
	}
	return lines
}

// Gate says what became of a comparison's gate.
func Gate(g *compare.Gate) string { return gateOutcome(g) + ": " + gateDetail(g) }

func gateOutcome(g *compare.Gate) string {
	return map[compare.GateOutcome]string{
		compare.Passed: "passed", compare.CrossedIt: "failed", compare.CannotJudge: "cannot tell",
	}[g.Outcome]
}

// gateDetail says how many rates fell, and which the most.
func gateDetail(g *compare.Gate) string {
	text := fmt.Sprintf("%d of %s fell %s", g.Fell, unit.Plural(g.Rates, "rate"),
		pick(g.Limit > 0, "by more", "significantly"))
	text += pick(g.CannotTell > 0, fmt.Sprintf(", %d cannot be told", g.CannotTell), "")
	if len(g.Crossed) > 0 {
		worst := g.Crossed[0]
		for _, fall := range g.Crossed {
			if *fall.Change < *worst.Change {
				worst = fall
			}
		}
		text += "; " + rateOf(worst.Rate) + " in " + worst.Phase + " of " + worst.Run + " by " +
			unsigned(-*worst.Change)
	}
	lost := "; " + unit.Plural(len(g.Lost), "part") + " not measured"
	return text + pick(len(g.Lost) > 0, lost, "")
}

// searchAnswer is "clean streams of A: alone 12 as before, with the others 9 → 7": on each side as
// many as there are runs.
func searchAnswer(s compare.SearchPair) string {
	text := pick(s.Kind == trace.SearchPace, "pace of "+s.Disk+" that leaves the streams clean: ",
		"clean streams of "+s.Disk+": ")
	change := func(answer func(r search.Result) string) string {
		base := strings.Join(analysis.Each(s.Base, answer), ", ")
		after := strings.Join(analysis.Each(s.New, answer), ", ")
		return pick(base == after, base+" as before", base+" → "+after)
	}
	alone := func(r search.Result) bool { return r.Alone != nil || r.AloneBetween != nil }
	if len(s.Base) > 0 && alone(s.Base[0]) || len(s.New) > 0 && alone(s.New[0]) {
		text += "alone " + change(func(r search.Result) string {
			return answerText(s.Kind, r.Alone, r.AloneBetween, r.AloneOpen, false)
		}) + ", with the others "
	}
	return text + change(func(r search.Result) string {
		return answerText(s.Kind, r.Found, r.FoundBetween, r.FoundOpen, r.Unlimited)
	})
}

func answerText(kind string, value *float64, between *analysis.Between, open,
	unlimited bool) string {
	text := func(v float64) string {
		return pick(kind == trace.SearchPace, unit.FormatRate(v), unit.FormatCount(int(v)))
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

// chart sets the two rates of each phase and disk beside each other, the largest change first; nil
// if there are none.
func (c comparison) chart(run *comparedRun) *Chart {
	a := &run.answer
	var list []compare.Row
	for _, row := range slices.Concat(a.Changed, a.Same, a.Unjudged) {
		if row.Base != nil {
			list = append(list, row)
		}
	}
	n := len(list)
	if n == 0 {
		return nil
	}
	base := c.base
	newRun := run.key
	out := &Chart{ID: "changes", Title: "No rate changed significantly",
		Keys: []LegendKey{base, newRun}}
	if changed := len(a.Changed); changed > 0 {
		largest := Change(*a.Changed[0].Change)
		out.Title = fmt.Sprintf("%d of %s changed, the most by %s", changed,
			unit.Plural(n, "rate"), largest)
	}
	out.Caption = "Pale bar: " + base.Label + "; narrow bar: " + newRun.Label +
		", with the interval of the change."
	if n > maxChanges {
		list = largest(list, a.Lead, maxChanges)
		out.Caption += fmt.Sprintf(" %d of %s, the largest changes first.", maxChanges,
			unit.Plural(n, "rate"))
	}
	before := ChartSeries{Kind: Bar, Key: 0, Name: "rate", Faint: true}
	after := ChartSeries{Kind: Bar, Key: 1, Name: "rate"}
	number := func(rate float64) float64 { return Round(rate/c.Size, 6) }
	var top float64
	for k, row := range list {
		out.Rows = append(out.Rows, shorten(rowName(row), 32)+" "+Change(*row.Change))
		baseRate := number(*row.Base)
		bar := []float64{float64(k), number(*row.New)}
		if v := row.Interval; v != nil {
			bar = append(bar, number(*row.Base*(1+v[0])), number(*row.Base*(1+v[1])))
		}
		before.point(bar[0], baseRate)
		after.point(bar...)
		top = max(top, baseRate, slices.Max(bar[1:]))
	}
	out.Series = []ChartSeries{before, after}
	out.X = Axis{Name: "rate, " + c.Unit, Max: barRoom * top}
	out.Y = rowAxis(len(list))
	return out
}
