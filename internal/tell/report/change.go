package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Change writes a change with its sign: "-5.0 %", "+250 %".
func Change(change float64) string {
	if math.Abs(change) < 0.0005 {
		return "0.0 %"
	}
	return pick(change > 0, "+", "") + strconv.FormatFloat(100*change, 'f', pick(change >= 0.9995, 0, 1), 64) + " %"
}

func unsigned(change float64) string { return strings.TrimPrefix(Change(change), "+") }

// span writes the interval of a change; empty if there is none.
func span(v *stats.Interval) string {
	if v == nil {
		return ""
	}
	return strings.TrimSuffix(Change(v[0]), " %") + " to " + Change(v[1])
}

func chance(p float64) string {
	switch {
	case p < 0.001:
		return "< 0.001"
	case p > 0.995:
		return "1"
	}
	return strconv.FormatFloat(p, 'f', 2+int(math.Max(0, math.Ceil(-math.Log10(p)-1))), 64)
}

// pair adds the details of a run: what was measured differently, all its rates and latencies, and what to know
// about them.
func (c comparison) pair(i int) *Details {
	pair := &c.Pairs[i]
	part := &Details{ID: phaseID(i), Title: c.keys[i+1].Label, Does: "compared with " + c.keys[0].Label, Phase: true}
	if len(c.Pairs) > 1 {
		a := &c.answers[i]
		part.Add(Sentence{Text: c.outcome(pair, a), Lead: true}, List{"", c.others(pair, a)})
		part.Add(List{"Doubts", slices.Concat(pair.Lost, pair.Doubts)})
	}
	part.Add(c.chart(i))
	method := say.Each(pair.Method, func(d compare.Difference) string {
		return strings.Join(nonEmpty(d.What, d.Where), ", ") + ": " + d.Base + " → " + d.New
	})
	searches := say.Each(pair.Searches, func(s compare.Search) string {
		line := s.Name + ": " + searchAnswer(s)
		if s.Work != nil {
			line += fmt.Sprintf(" (not the same was searched: %s → %s)", s.Work[0], s.Work[1])
		}
		return line
	})
	var notes []string
	rates, latencies := newChangeTable("Rates", "Rate"), newChangeTable("Request latency", "Latency")
	rates.Note = "In " + c.scale.Unit + "."
	for _, phase := range pair.Phases {
		for j, r := range phase.Rates {
			base, now := "", ""
			if r.Base != nil {
				base, now = c.scale.Number(*r.Base), c.scale.Number(*r.New)
			}
			addChange(rates, r, pick(j == 0, phase.Title, ""), rateOf(r), measure(r), base, now)
		}
		for j, l := range phase.Latencies {
			base, now := "", ""
			if l.BaseNS != nil {
				base, now = timeText(l.BaseNS), timeText(l.NewNS)
			}
			title, what := pick(j == 0, phase.Title, ""), fmt.Sprintf("%s %ss", l.Disk, l.Op)
			addChange(latencies, compare.Rate{Test: l.Test}, title, what, string(l.Quantile), base, now)
		}
		notes = append(notes, say.Each(slices.Concat(recoveries(phase), doubts(phase)), func(line string) string {
			return phase.Title + ": " + line
		})...)
	}
	for i, phases := range [][]string{pair.OnlyBase, pair.OnlyHere} {
		if titles := say.Each(phases, pair.Title); titles != nil {
			notes = append(notes, pick(i == 0, "only in the base: ", "not in the base: ")+strings.Join(titles, "; "))
		}
	}
	text := func(f analysis.Finding) string { return f.Text }
	part.Add(List{"Searches", searches}, List{"Measured differently", method}, rates, latencies, List{"", notes},
		List{"New findings", say.Each(pair.Appeared, text)}, List{"Findings no longer seen", say.Each(pair.Went, text)})
	if n := len(pair.Unsure); n > 0 {
		part.Add(Sentence{Text: unit.Plural(n, "more finding") +
			" in one of the two runs only; the rates behind them did not change significantly."})
	}
	return part
}

func newChangeTable(title, what string) *Table {
	return table(title, word("Phase"), word("Disk"), word(what), number("Base"), number("New"), number("Change"),
		number("Interval", 1), number("p (Holm)", 2), word("Verdict"))
}

// addChange adds the line of a rate, or of a latency: what it is of and its values, then the change, its interval, its
// chance and the verdict.
func addChange(t *Table, r compare.Rate, of ...any) {
	var change Cell
	p, strong := "", r.Verdict != compare.NotShown && r.Verdict != compare.TooLittle
	if r.Change != nil {
		change = Cell{Text: Change(*r.Change), Strong: strong}
	}
	if r.Corrected != nil {
		p = chance(*r.Corrected)
	}
	t.add(append(of, change, span(r.Interval), p, Cell{Text: verdict(r), Strong: strong})...)
}

// verdict is a rate's; if there is a limit, what the data say of a larger fall.
func verdict(r compare.Rate) string {
	switch held := r.Outcome == compare.DidNotFall; {
	case r.Outcome == compare.CannotTell:
		return "cannot tell"
	case r.Verdict == compare.Slower:
		return pick(held, "slower, by less", string(r.Verdict))
	case r.Verdict == compare.NotShown:
		return pick(held, "did not fall", "not significant")
	case r.Verdict == compare.TooLittle:
		return "too little data"
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

func measure(r compare.Rate) string {
	if r.Span != nil {
		return fmt.Sprintf("%.0f to %.0f s", r.Span[0], r.Span[1])
	}
	return pick(r.Measure == compare.File, "typical file", "overlap mean")
}

// doubts say why rates and latencies have no verdict, each reason once, or why a phase has no rates.
func doubts(p compare.Phase) []string {
	var lines []string
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
		return append(lines, "not compared: "+p.Reason)
	}
	type unjudged struct{ reason, what string }
	all := slices.Concat(say.Each(p.Rates, func(r compare.Rate) unjudged {
		return unjudged{r.Reason, rateOf(r) + " (" + measure(r) + ")"}
	}), say.Each(p.Latencies, func(l compare.Latency) unjudged {
		return unjudged{l.Reason, string(l.Quantile) + " of " + l.Disk}
	}))
	for _, group := range say.Grouped(all, func(u unjudged) string { return u.reason }) {
		if reason := group[0].reason; reason != "" {
			what := say.Each(group, func(u unjudged) string { return u.what })
			lines = append(lines, strings.Join(what, ", ")+": "+reason)
		}
	}
	return lines
}

// recoveries say how long each recovery took that was seen in either run.
func recoveries(p compare.Phase) []string {
	took := func(lag *float64) string {
		if lag == nil {
			return "not seen"
		}
		return say.Seconds(*lag)
	}
	var lines []string
	for _, r := range p.Recoveries {
		if r.LagS != nil || r.BaseLagS != nil {
			lines = append(lines, "recovery of "+r.Disk+" after "+r.After+": "+took(r.BaseLagS)+" → "+took(r.LagS))
		}
	}
	return lines
}

// Gate says what became of a comparison's gate.
func Gate(g *compare.Gate) string {
	if g.Outcome == compare.CannotJudge {
		return "not measured: no rate could be judged"
	}
	outcome := pick(g.Outcome == compare.Passed, "passed", "failed")
	text := fmt.Sprintf("%s: %d of %s (typical files included) fell %s", outcome, g.Fell, unit.Plural(g.Rates, "rate"),
		pick(g.Limit > 0, "by more", "significantly")+pick(g.Certain, " for certain", ""))
	doubtful := len(g.Crossed) - g.Fell
	text += pick(g.Limit > 0 && g.CannotTell > 0, fmt.Sprintf(", %d cannot be told", g.CannotTell), "") +
		pick(doubtful > 0, fmt.Sprintf(" (%d of them measured a larger fall)", doubtful), "")
	if len(g.Crossed) > 0 {
		worst := slices.MinFunc(g.Crossed, func(a, b compare.Fall) int { return cmp.Compare(*a.Change, *b.Change) })
		by := unsigned(-*worst.Change)
		text += "; " + rateOf(worst.Rate) + " in " + worst.Phase + " of " + worst.Run + " by " + by
	}
	if n := len(g.Lost); n > 0 {
		text += fmt.Sprintf("; %s not measured", unit.Plural(n, "part"))
	}
	return text
}

// chart sets the two rates of each phase and disk beside each other, the largest change first; nil if there are none.
func (c comparison) chart(i int) *Chart {
	a := &c.answers[i]
	unknown := func(r compare.Row) bool { return r.Base == nil }
	list := slices.DeleteFunc(slices.Concat(a.Changed, a.Same, a.Unjudged), unknown)
	if len(list) == 0 {
		return nil
	}
	out := &Chart{ID: "changes", Title: "No rate changed significantly", Keys: []Key{c.keys[0], c.keys[i+1]}}
	if n := len(a.Changed); n > 0 {
		most := Change(*a.Changed[0].Change)
		out.Title = fmt.Sprintf("%d of %s changed, the most by %s", n, unit.Plural(len(list), "rate"), most)
	}
	out.Caption = "Pale bar: " + c.keys[0].Label + "; narrow bar: " + c.keys[i+1].Label + ", with the interval of the change."
	if n := len(list); n > maxChanges {
		list = largest(list, a.Lead, maxChanges)
		out.Caption += fmt.Sprintf(" %d of %s, the largest changes first.", maxChanges, unit.Plural(n, "rate"))
	}
	base := Series{Kind: Bar, Key: 0, Name: "rate", Faint: true}
	now := Series{Kind: Bar, Key: 1, Name: "rate"}
	number := func(rate float64) float64 { return Round(c.scale.of(rate), 6) }
	for k, row := range list {
		out.Rows = append(out.Rows, shorten(rowName(row), 32)+" "+Change(*row.Change))
		bar := []float64{float64(k), number(*row.New)}
		if v := row.Interval; v != nil {
			bar = append(bar, number(*row.Base*(1+v[0])), number(*row.Base*(1+v[1])))
		}
		base.point(float64(k), number(*row.Base))
		now.point(bar...)
		out.X.Max = max(out.X.Max, number(*row.Base), slices.Max(bar[1:]))
	}
	out.add(base)
	out.add(now)
	out.X = Axis{Name: "rate, " + c.scale.Unit, Max: 1.05 * out.X.Max}
	out.Y = rowAxis(len(list))
	return out
}

// searchAnswer is "clean streams of A: alone 12 as before, with the others 9 → 7": on each side as many as there
// are runs.
func searchAnswer(s compare.Search) string {
	text := pick(s.Kind == trace.SearchPace, "pace of "+s.Disk+" that leaves the streams clean: ",
		"clean streams of "+s.Disk+": ")
	change := func(answer func(r search.Result) string) string {
		base, now := strings.Join(say.Each(s.Base, answer), ", "), strings.Join(say.Each(s.New, answer), ", ")
		return pick(base == now, base+" as before", base+" → "+now)
	}
	asked := func(list []search.Result) bool {
		return len(list) > 0 && (list[0].Alone != nil || list[0].AloneBetween != nil)
	}
	if asked(s.Base) || asked(s.New) {
		text += "alone " + change(func(r search.Result) string {
			return answerText(s.Kind, r.Alone, r.AloneBetween, r.AloneOpen, false)
		}) + ", with the others "
	}
	return text + change(func(r search.Result) string {
		return answerText(s.Kind, r.Found, r.FoundBetween, r.FoundOpen, r.Unlimited)
	})
}

func answerText(kind string, value *float64, between *analysis.Between, open, unlimited bool) string {
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
