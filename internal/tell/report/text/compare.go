package text

import (
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/unit"
)

// How rows are printed.
const (
	maxRows = 6  // of a comparison
	minBars = 12 // columns of bars; with less room they go, not the words
	maxBars = 32
)

// printComparison prints a comparison's answer: what changed most, and loads with their changes as
// bars.
func (p *printer) printComparison(a *report.AnswerView) bool {
	c := a.Comparison
	if c == nil {
		return false
	}
	p.printWrapped("", a.Sentence, nil)
	if g := a.Gate; g != nil {
		sign := "✓ "
		colour := p.ink.Green
		switch g.Sign {
		case report.Bad:
			sign = "✗ "
			colour = p.ink.Red
		case report.Doubt:
			sign = "? "
			colour = p.ink.Yellow
		}
		p.printWrapped(sign, g.Title+". "+g.Text, colour)
	}
	shown := *c.Rows
	shown.Note = ""
	if more := len(shown.Rows) - maxRows; more > 0 || c.More > 0 {
		shown.Rows = shown.Rows[:min(len(shown.Rows), maxRows)]
		shown.Note = unit.Plural(max(0, more)+c.More, "more load") + ": --all"
	}
	p.printRows(&shown)
	p.printWrapped("  ", shown.Note, nil)
	for _, f := range a.Facts {
		if f.Bad {
			p.printWrapped("  ", f.Value+"  "+f.Text, nil)
		}
	}
	for _, action := range a.Actions {
		p.printWrapped("→ ", action.Text, p.ink.Green)
	}
	for _, text := range append(a.Findings, a.Sure) {
		p.printWrapped("  ", text, p.ink.Dim)
	}
	return true
}
