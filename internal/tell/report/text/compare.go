package text

import (
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/unit"
)

// How a comparison is printed.
const (
	maxSeveral = 4  // loads of several disks
	maxAlone   = 2  // loads of one disk
	minBars    = 12 // columns of bars; with less room they go, not the words
	maxBars    = 32
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
	shown := *c
	count := map[bool]int{true: maxSeveral, false: maxAlone}
	t := *a.Table
	shown.Loads = nil
	t.Rows = nil
	for i, l := range c.Loads {
		if count[l.Several]--; count[l.Several] >= 0 {
			shown.Loads = append(shown.Loads, l)
			t.Rows = append(t.Rows, a.Table.Rows[i])
		}
	}
	t.Note = ""
	if more := len(c.Loads) - len(shown.Loads) + c.More; more > 0 {
		t.Note = unit.Plural(more, "more load") + ": --all"
	}
	p.printBars(&shown, &t)
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

// printBars adds a column of bars to the table, from no change to the change, if there is room.
func (p *printer) printBars(c *report.Comparison, t *report.Table) {
	_, widths := t.Printed()
	room := p.width - 2
	for _, width := range widths {
		room -= width + 2
	}
	room = min(room, maxBars)
	if axis := c.Axis(); room >= minBars {
		place := func(at float64) int { return int(math.Round(at / 100 * float64(room-1))) }
		head := []rune(strings.Repeat(" ", room))
		for _, tick := range axis.Ticks {
			at := place(tick.At)
			text := []rune(tick.Text)
			if at+len(text) <= room &&
				strings.TrimSpace(string(head[max(0, at-1):at+len(text)])) == "" {
				copy(head[at:], text)
			}
		}
		t.Columns = append(slices.Clone(t.Columns),
			report.Column{Head: strings.TrimRight(string(head), " ")})
		none := place(axis.At(0))
		for i, l := range c.Loads {
			at := place(axis.At(*l.Rate.Change))
			bar := []rune(strings.Repeat(" ", room))
			for k := min(at, none); k < max(at, none); k++ {
				bar[k] = '━'
			}
			bar[none] = '│'
			bar[at] = '■'
			t.Rows[i] = append(slices.Clone(t.Rows[i]),
				report.Cell{Tree: strings.TrimRight(string(bar), " ")})
		}
	}
	p.printTable("", t)
}
