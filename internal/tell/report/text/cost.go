package text

import (
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// printCosts prints what the hub costs each disk, and which reasons are left. It reports whether
// the answer is about that.
func (p *printer) printCosts(a *report.AnswerView) bool {
	if a.Layout != report.LayoutCost {
		return false
	}
	const hubWidth, changeWidth, ownWidth = rateWidth, rateWidth, rateWidth + 2
	names := 0
	var top float64
	for _, c := range a.Costs {
		names = max(names, cells.Width(c.Key.Label+" "+c.Verb))
		top = max(top, c.Rate, c.DirectRate)
	}
	names = min(names, p.width/3)
	head := strings.Repeat(" ", markWidth+names) + cells.Pad("own port", -ownWidth) +
		cells.Pad("hub", -hubWidth)
	p.printLine(p.ink.Dim(head + "  " + a.Scale.Unit))
	for i := range a.Costs {
		c := &a.Costs[i]
		change := p.ink.Text(cells.Pad(c.Change(), -changeWidth))
		if c.Lost {
			change = p.ink.Red(change)
		}
		line := p.disk(c.Key, c.Key.Label+" "+c.Verb, names) +
			cells.Pad(a.Scale.Number(c.DirectRate), -ownWidth) +
			p.ink.Bold(cells.Pad(a.Scale.Number(c.Rate), -hubWidth)) + change
		if p.width >= narrow {
			line += "  " + p.bar(c.Key.Index, fullBar, c.Rate, c.DirectRate, top)
		}
		p.printLine(strings.TrimRight(line, " "))
	}
	p.printReasons(a, "Ruled out: ", true)
	p.printReasons(a, "Possible: ", false)
	return true
}

func (p *printer) printReasons(a *report.AnswerView, title string, ruledOut bool) {
	var list []string
	for _, r := range a.Reasons {
		if r.RuledOut == ruledOut {
			list = append(list, strings.Replace(r.Text, "The ", "the ", 1))
		}
	}
	if list != nil {
		p.printWrapped("  ", title+strings.Join(list, ", ")+".", nil)
	}
}
