package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
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

// unsigned writes the size of a change.
func unsigned(change float64) string { return strings.TrimPrefix(Change(change), "+") }

// span writes the interval of a change; empty if there is none.
func span(v *analysis.Interval) string {
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
func (c comparison) pair(doc *Document, i int) {
	pair := &c.Pairs[i]
	part := &Details{ID: phaseID(i), Title: c.keys[i+1].Label, Does: "compared with " + c.keys[0].Label, Phase: true}
	doc.Add(part)
	if len(c.Pairs) > 1 {
		a := &c.answers[i]
		part.Add(Sentence{Text: c.outcome(pair, a), Lead: true}, List{"", c.others(pair, a)}, c.figure(i))
	}
	var method, notes []string
	for _, d := range pair.Method {
		what := d.What
		if d.Where != "" {
			what += ", " + d.Where
		}
		method = append(method, what+": "+d.Base+" → "+d.New)
	}
	var searches []string
	for i := range pair.Searches {
		s := &pair.Searches[i]
		line := s.Name + ": " + searchAnswer(s)
		if s.Work != nil {
			line += fmt.Sprintf(" (not the same was searched: %s → %s)", s.Work[0], s.Work[1])
		}
		searches = append(searches, line)
	}
	rates, latencies := newChangeTable("Rates", "Rate"), newChangeTable("Request latency", "Latency")
	rates.Note = "In " + c.scale.Unit + "."
	for k := range pair.Phases {
		phase := &pair.Phases[k]
		for j := range phase.Rates {
			r := &phase.Rates[j]
			base, now := "", ""
			if r.Base != nil {
				base, now = c.scale.Number(*r.Base), c.scale.Number(*r.New)
			}
			addChange(rates, r, pick(j == 0, phase.Title, ""), rateOf(r), measure(r), base, now)
		}
		for j := range phase.Latencies {
			l := &phase.Latencies[j]
			base, now := "", ""
			if l.BaseNS != nil {
				base, now = timeText(l.BaseNS), timeText(l.NewNS)
			}
			what := fmt.Sprintf("%s %ss", l.Disk, l.Op)
			addChange(latencies, &compare.Rate{Test: l.Test}, pick(j == 0, phase.Title, ""), what, string(l.Quantile), base, now)
		}
		for _, line := range slices.Concat(recoveries(phase), doubts(phase)) {
			notes = append(notes, phase.Title+": "+line)
		}
	}
	for i, phases := range [][]string{pair.OnlyBase, pair.OnlyHere} {
		var titles []string
		for _, name := range phases {
			titles = append(titles, pair.Title(name))
		}
		if titles != nil {
			notes = append(notes, pick(i == 0, "only in the base: ", "not in the base: ")+strings.Join(titles, "; "))
		}
	}
	part.Add(List{"Searches", searches}, List{"Measured differently", method}, rates, latencies, List{"", notes},
		List{"New findings", findingTexts(pair.Appeared)}, List{"Findings no longer seen", findingTexts(pair.Went)})
	if n := len(pair.Unsure); n > 0 {
		part.Add(Sentence{Text: unit.Plural(n, "more finding") +
			" in one of the two runs only; the rates behind them did not change significantly."})
	}
}

func newChangeTable(title, what string) *Table {
	return table(title, word("Phase"), word("Disk"), word(what), number("Base"), number("New"), number("Change"),
		number("Interval", 1), number("p (Holm)", 2), word("Verdict"))
}

// addChange adds the line of a rate, or of a latency: what it is of and its values, then the change, its interval, its
// chance and the verdict.
func addChange(t *Table, r *compare.Rate, of ...any) {
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
func verdict(r *compare.Rate) string {
	switch {
	case r.Outcome == compare.CannotTell:
		return "cannot tell"
	case r.Outcome == compare.DidNotFall && r.Verdict == compare.Slower:
		return "slower, by less"
	case r.Outcome == compare.DidNotFall && r.Verdict == compare.NotShown:
		return "did not fall"
	case r.Verdict == compare.NotShown:
		return "not significant"
	case r.Verdict == compare.TooLittle:
		return "too little data"
	}
	return string(r.Verdict)
}

// rateOf says what a rate is of: "A writes".
func rateOf(r *compare.Rate) string {
	switch {
	case r.Disk == "":
		return "together"
	case r.Op == trace.Read || r.Op == trace.Write:
		return r.Disk + " " + string(r.Op) + "s"
	}
	return r.Disk
}

func measure(r *compare.Rate) string {
	if r.Span != nil {
		return fmt.Sprintf("%.0f to %.0f s", r.Span[0], r.Span[1])
	}
	return pick(r.Measure == compare.File, "typical file", "overlap mean")
}

// doubts say why rates and latencies have no verdict, each reason once, or why a phase has no rates.
func doubts(p *compare.Phase) []string {
	var lines []string
	if p.NewPhase != "" {
		lines = append(lines, "called "+p.NewPhase+" in the new run; the work is the same")
	}
	for _, d := range p.Unlike {
		lines = append(lines, fmt.Sprintf("%s is not compared because its work differs: %s %s → %s",
			d.Where, d.What, d.Base, d.New))
	}
	if p.Reason != "" {
		return append(lines, "not compared: "+p.Reason)
	}
	var reasons []string
	of := map[string][]string{}
	add := func(reason, what string) {
		if reason != "" && of[reason] == nil {
			reasons = append(reasons, reason)
		}
		of[reason] = append(of[reason], what)
	}
	for i := range p.Rates {
		add(p.Rates[i].Reason, rateOf(&p.Rates[i])+" ("+measure(&p.Rates[i])+")")
	}
	for i := range p.Latencies {
		add(p.Latencies[i].Reason, string(p.Latencies[i].Quantile)+" of "+p.Latencies[i].Disk)
	}
	for _, reason := range reasons {
		lines = append(lines, strings.Join(of[reason], ", ")+": "+reason)
	}
	return lines
}

// recoveries say how long each recovery took that was seen in either run.
func recoveries(p *compare.Phase) []string {
	var lines []string
	for _, r := range p.Recoveries {
		took := [2]string{"not seen", "not seen"}
		for i, lag := range []*float64{r.BaseLagS, r.LagS} {
			if lag != nil {
				took[i] = say.Seconds(*lag)
			}
		}
		if r.LagS != nil || r.BaseLagS != nil {
			lines = append(lines, fmt.Sprintf("recovery of %s after %s: %s → %s", r.Disk, r.After, took[0], took[1]))
		}
	}
	return lines
}

func findingTexts(findings []analysis.Finding) (texts []string) {
	for _, f := range findings {
		texts = append(texts, f.Text)
	}
	return texts
}

// Gate says what became of a comparison's gate.
func Gate(g *compare.Gate) string {
	if g.Outcome == compare.CannotJudge {
		return "not measured: no rate could be judged"
	}
	outcome := pick(g.Outcome == compare.Passed, "passed", "failed")
	text := fmt.Sprintf("%s: %d of %s (typical files included) fell %s", outcome, g.Fell, unit.Plural(g.Rates, "rate"),
		pick(g.Limit > 0, "by more", "significantly"))
	if g.Limit > 0 && g.CannotTell > 0 {
		text += fmt.Sprintf(", %d cannot be told", g.CannotTell)
	}
	if doubtful := len(g.Crossed) - g.Fell; doubtful > 0 {
		text += fmt.Sprintf(" (%d of them measured a larger fall)", doubtful)
	}
	if len(g.Crossed) > 0 {
		worst := slices.MinFunc(g.Crossed, func(a, b compare.Fall) int { return cmp.Compare(*a.Change, *b.Change) })
		text += fmt.Sprintf("; %s in %s of %s by %s", rateOf(&worst.Rate), worst.Phase, worst.Run, unsigned(-*worst.Change))
	}
	if n := len(g.Lost); n > 0 {
		text += fmt.Sprintf("; %s not measured", unit.Plural(n, "part"))
	}
	return text
}

// figure sets the two rates of each phase and disk beside each other, the largest change first; nil if there are none.
func (c comparison) figure(i int) *Figure {
	a := &c.answers[i]
	unknown := func(r compare.Row) bool { return r.Base == nil }
	list := slices.DeleteFunc(slices.Concat(a.Changed, a.Same, a.Unjudged), unknown)
	if len(list) == 0 {
		return nil
	}
	f := &Figure{ID: "changes", OmitInText: true, Title: "No rate changed significantly"}
	if n := len(a.Changed); n > 0 {
		most := Change(*a.Changed[0].Change)
		f.Title = fmt.Sprintf("%d of %s changed, the most by %s", n, unit.Plural(len(list), "rate"), most)
	}
	f.Text = "Upper bar: " + c.keys[0].Label + "; lower bar: " + c.keys[i+1].Label + ", with the interval of the change."
	if n := len(list); n > maxChanges {
		list = largest(list, a.Lead, maxChanges)
		f.Text += fmt.Sprintf(" %d of %s, the largest changes first.", maxChanges, unit.Plural(n, "rate"))
	}
	var disks []string // all that are compared
	for p := range c.Pairs {
		for k := range c.Pairs[p].Phases {
			for _, name := range c.Pairs[p].Phases[k].Disks() {
				if !slices.Contains(disks, name) {
					disks = append(disks, name)
				}
			}
		}
	}
	number := func(rate float64) float64 { return Round(c.scale.of(rate), 6) }
	panel, top := rows(len(list), nil), 0.0
	for k, row := range list {
		key := Key{Name: rowName(row), Label: shorten(rowName(row), 32), Index: len(disks)}
		if row.Disk != "" {
			key.Index = slices.Index(disks, row.Disk)
		}
		f.Keys = append(f.Keys, key)
		y, base, now := float64(k), number(*row.Base), number(*row.New)
		panel.mark(Mark{Shape: Rectangle, Style: Outline, Key: k, Name: c.keys[0].Label}, 0, base, y-0.34, y-0.02)
		panel.mark(Mark{Shape: Rectangle, Key: k, Name: c.keys[i+1].Label}, 0, now, y+0.02, y+0.34)
		end := now
		if v := row.Interval; v != nil {
			end = number(*row.Base * (1 + v[1]))
			panel.mark(Mark{Shape: Segment, Style: Ink, Key: k, Name: interval}, number(*row.Base*(1+v[0])), end, y+0.18, y+0.18)
		}
		panel.mark(Mark{Shape: Label, Key: k, Style: Ink, Text: Change(*row.Change)}, end, y+0.18)
		top = max(top, base, end)
	}
	f.X = Axis{Name: "rate, " + c.scale.Unit, Max: 1.15 * top}
	panel.Height = 34 * len(list)
	f.Panels = []Panel{panel}
	return f
}

// searchAnswer is "clean streams of A: alone 12 as before, with the others 9 → 7": on each side as many as there
// are runs.
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
