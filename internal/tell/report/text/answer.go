package text

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// How an answer is laid out.
const (
	answerLines  = 15 // with the lines about files that follow it
	linesAfter   = 1
	maxDisks     = 6  // of a load that are listed
	maxTitle     = 22 // columns of a load's name
	maxName      = 14 // of a disk's
	ofWidth      = 12 // of its baseline
	fullBar      = 23 // cells of the fastest baseline's bar
	minBar       = 8
	narrow       = 70 // columns below which there are no bars
	minKeptShown = 0.9
)

// answer prints what a run comes to: one idea, the loads behind it, what to do.
func (p *printer) answer(doc *report.Document) {
	a := doc.Answer
	for _, doubt := range a.Doubts {
		p.wrap("! ", doubt, p.ink.Yellow)
	}
	p.wrap("", a.Headline, p.ink.Bold)
	if p.comparison(a) {
		return
	}
	var facts []string
	for i, fact := range a.Facts {
		if i > 0 || len(a.Loads) == 0 || a.Layout == report.LayoutCost { // the first is in the bars
			facts = append(facts, fact.Value+" "+fact.Text+".")
		}
	}
	if len(facts) == 0 {
		facts = append(facts, a.Sentence)
	}
	about := strings.Join(facts, " ")
	sure := a.Sure
	if a.Table == nil { // the loads are shown
		sure = strings.TrimSpace(sure + " " + a.KeptNote())
	}
	free := answerLines - linesAfter - 2 - p.linesOf(about) - p.linesOf(sure) - len(a.Doubts)
	for _, action := range a.Actions {
		free -= p.linesOf(actionText(action))
	}
	switch {
	case p.streams(a) || p.cost(a):
		free -= len(a.Table.Rows) + 1
	case a.Table != nil:
		p.table("", a.Table)
		free -= len(a.Table.Rows) + 1
	default:
		free = p.loads(a, free)
	}
	p.wrap("  ", about, nil)
	for _, text := range a.Findings {
		if free -= p.linesOf(text); free >= 0 {
			p.wrap("  ", text, nil)
		}
	}
	for _, action := range a.Actions {
		p.wrap("→ ", actionText(action), p.ink.Green)
	}
	p.wrap("  ", sure, p.ink.Dim)
}

func actionText(action report.Action) string {
	return cmp.Or(action.Text, action.Title)
}

// linesOf is how many lines a text takes under an indent of two.
func (p *printer) linesOf(text string) int {
	if text == "" {
		return 0
	}
	return len(cells.Wrap(text, "", p.width-2))
}

// loads prints as many loads as fit into the lines, with a bar for each disk: what it has of its baseline. It returns
// how many lines are left.
func (p *printer) loads(a *report.Answer, lines int) (left int) {
	var shown []report.Load
	lines-- // the heads
	titles, names, top := 0, 0, 0.0
	for _, l := range a.Loads {
		rows := min(len(l.Disks), maxDisks)
		if l.Rate == 0 {
			continue
		}
		if len(shown) > 0 && rows > lines {
			break
		}
		lines -= rows
		shown = append(shown, l)
		titles = max(titles, min(maxTitle, cells.Width(l.Title)))
		for _, d := range l.Disks {
			names = max(names, min(maxName, cells.Width(d.Label)))
			top = max(top, d.Rate, d.Baseline)
		}
	}
	if len(shown) == 0 {
		return lines
	}
	fixed := 2 + titles + 2 + 2 + names + 8 + 2 + ofWidth + 2 + 7
	bar := min(fullBar, p.width-fixed)
	if p.width < narrow || bar < minBar {
		bar = 0
	}
	head := strings.Repeat(" ", 2+titles+2+2+names) + cells.Pad(a.Scale.Unit, -8) + "  baseline"
	p.line(p.ink.Dim(cells.Pad(head, fixed+bar-7) + cells.Pad("keeps", -6)))
	for _, l := range shown {
		for i, d := range l.Disks {
			if i == maxDisks {
				p.line("  " + strings.Repeat(" ", titles+2) + p.ink.Dim(fmt.Sprintf("and %d more", len(l.Disks)-i)))
				break
			}
			title := ""
			if i == 0 {
				title = l.Title
			}
			p.load(a.Scale, title, d, titles, names, bar, top)
		}
	}
	return lines
}

// load prints a disk's line.
func (p *printer) load(scale report.Scale, title string, d report.LoadDisk, titles, names, bar int, top float64) {
	of := d.Remark
	if d.Baseline > 0 {
		of = "of " + scale.Number(d.Baseline)
	}
	line := "  " + cells.Pad(cells.CutMiddle(title, titles), titles) + "  " +
		p.ink.Disk(d.Index, p.ink.Glyph(d.Index)) + " " + cells.Pad(cells.CutMiddle(d.Label, names), names) +
		p.ink.Bold(cells.Pad(scale.Number(d.Rate), -8)) + "  " + p.ink.Dim(cells.Pad(of, ofWidth))
	if bar > 0 {
		full, whole := float64(bar)*d.Rate/top, float64(bar)*d.Baseline/top
		drawn := p.ink.Bar(full)
		lost := max(0, int(whole)-cells.Width(drawn))
		rest := max(0, bar-cells.Width(drawn)-lost)
		line += p.ink.Disk(d.Index, drawn) + p.ink.Dim(p.ink.Text(strings.Repeat("░", lost))) + strings.Repeat(" ", rest)
	}
	kept := cells.Pad(d.Percent(), -7)
	if d.Kept > 0 && d.Kept < minKeptShown {
		kept = p.ink.Red(kept)
	}
	p.line(strings.TrimRight(line+"  "+kept, " "))
}
