package text

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// How an answer is laid out.
const (
	answerLines = 15 // with the lines about files that follow it
	linesAfter  = 1
	maxDisks    = 6  // maximum number of a load's disks that are listed
	maxTitle    = 22 // columns of a load's name
	maxName     = 14 // maximum width of a disk's name
	ofWidth     = 12 // width of its baseline
	fullBar     = 23 // cells of the fastest baseline's bar
	minBar      = 8
	narrow      = 70 // columns below which there are no bars
	narrowest   = 55 // below which there are no baselines either

	columnsBefore = 2 + 2 + 2 // the indent, the gap after a title, a disk's glyph
	markWidth     = 4         // the indent, and the shape of a disk
	rateWidth     = 8
	keptWidth     = 9
)

// printAnswer prints what a run comes to: one idea, the loads behind it, what to do. It follows
// some lines already.
func (p *printer) printAnswer(doc *report.Document, lines int) {
	a := doc.Answer
	for _, doubt := range a.Doubts {
		p.printWrapped("! ", doubt, p.ink.Yellow)
	}
	p.printWrapped("", a.Headline, p.ink.Bold)
	var facts []string
	for _, fact := range a.Facts {
		if !fact.InLoads { // else the bars show it
			facts = append(facts, fact.Value+" "+fact.Text+".")
		}
	}
	rest := a.Findings
	if len(facts) == 0 {
		facts = append(facts, a.Sentence)
	} else {
		rest = append([]string{a.Sentence}, rest...)
	}
	about := strings.Join(facts, " ")
	sure := strings.TrimSpace(a.Sure + " " + a.KeptNote())
	linesLeft := answerLines - linesAfter - lines
	for _, text := range append([]string{a.Headline, about, sure}, a.Doubts...) {
		linesLeft -= p.linesOf(text)
	}
	for _, action := range a.Actions {
		linesLeft -= p.linesOf(action.Text)
	}
	linesLeft = p.printLoads(a, linesLeft)
	p.printWrapped("  ", about, nil)
	for _, text := range rest {
		if linesLeft -= p.linesOf(text); linesLeft >= 0 || p.all {
			p.printWrapped("  ", text, nil)
		}
	}
	for _, action := range a.Actions {
		p.printWrapped("→ ", action.Text, p.ink.Green)
	}
	p.printWrapped("  ", sure, p.ink.Dim)
}

// linesOf is how many lines a text takes under an indent of two.
func (p *printer) linesOf(text string) int {
	if text == "" {
		return 0
	}
	return len(cells.Wrap(text, "", p.width-2))
}

// columns are how the loads' lines are laid out, in cells.
type columns struct {
	titles, names, baselines int
	bars                     int     // none where there is no room
	kept                     bool    // a share of a baseline is known
	top                      float64 // the rate of a full bar
}

// printLoads prints as many loads as fit into the lines, with a bar for each disk: what it has of
// its baseline. It returns how many lines are left.
func (p *printer) printLoads(a *report.AnswerView, lines int) (left int) {
	var shown []shortLoad
	lines-- // the heads
	for _, l := range a.Loads {
		short := shortLoad{Load: l}
		rows := len(l.Disks)
		if rows > maxDisks {
			rows = max(2, min(maxDisks+1, lines))
			short.keepLeast(rows - 1)
		}
		if len(shown) > 0 && rows > lines {
			break
		}
		lines -= rows
		shown = append(shown, short)
	}
	if len(shown) == 0 {
		return lines
	}
	c := p.columns(shown)
	head := cells.Pad("", columnsBefore+c.titles+c.names) + cells.Pad(a.Scale.Unit, -rateWidth)
	if c.baselines > 0 {
		head += "  " + cells.Pad("baseline", c.baselines)
	}
	if c.kept {
		head = cells.Pad(head, cells.Width(head)+c.bars) + cells.Pad("keeps", -keptWidth)
	}
	p.printLine(p.ink.Dim(head))
	for _, l := range shown {
		for i, d := range l.Disks {
			title := ""
			if i == 0 {
				title = l.Title
			}
			p.printLoad(a.Scale, title, d, c)
		}
		if l.rest != "" {
			p.printLine(cells.Pad("", 2+c.titles+2) + p.ink.Dim(l.rest))
		}
	}
	return lines
}

// shortLoad is a load with no more disks than there is room for.
type shortLoad struct {
	report.Load
	rest string // what the others keep; empty if there are no others
}

// keepLeast leaves the disks that keep least.
func (l *shortLoad) keepLeast(disks int) {
	all := l.Least()
	rest := all[disks:]
	l.Disks = all[:disks]
	l.rest = fmt.Sprintf("%d more", len(rest))
	if rest[len(rest)-1].Kept > 0 {
		l.rest += " keep " + rest[0].Percent() + " or more"
	}
}

// columns lays the loads out: names and titles are cut before a line is wider than the terminal,
// and the words have room before the bars.
func (p *printer) columns(loads []shortLoad) columns {
	c := columns{}
	for _, l := range loads {
		c.titles = max(c.titles, min(maxTitle, cells.Width(l.Title)))
		for _, d := range l.Disks {
			c.names = max(c.names, min(maxName, cells.Width(d.Label)))
			if d.Baseline > 0 || d.Remark != "" {
				c.baselines = max(c.baselines, ofWidth, cells.Width(d.Remark)+1)
			}
			c.kept = c.kept || d.Kept > 0
			c.top = max(c.top, d.Rate, d.Baseline)
		}
	}
	fixed := columnsBefore + rateWidth + 2 + c.baselines + keptWidth
	if p.width < narrowest {
		fixed -= 2 + c.baselines
		c.baselines = 0
	}
	c.names = min(c.names, (p.width-fixed)/2)
	c.titles = min(c.titles, p.width-fixed-c.names)
	c.bars = min(fullBar, p.width-fixed-c.titles-c.names)
	if p.width < narrow || c.bars < minBar {
		c.bars = 0
	}
	return c
}

// cutName is a name in so many cells.
func (p *printer) cutName(name string, width int) string {
	return cells.Pad(p.ink.Text(cells.CutMiddle(name, width)), width)
}

// printLoad prints a disk's line.
func (p *printer) printLoad(scale report.Scale, title string, d report.LoadDisk, c columns) {
	rate := cells.Pad(scale.Number(d.Rate), -rateWidth)
	if !d.Cached() {
		rate = p.ink.Bold(rate)
	}
	line := "  " + p.cutName(title, c.titles) + p.disk(d.LegendKey, d.Label, c.names) + rate
	if c.baselines > 0 {
		of := d.Remark
		if d.Baseline > 0 {
			of = "of " + scale.Number(d.Baseline)
		}
		line += "  " + p.ink.Dim(of) + cells.Pad("", c.baselines-cells.Width(of))
	}
	if c.baselines == 0 && c.bars > 0 {
		line += "  "
	}
	line += p.bar(d.Index, c.bars, d.Rate, d.Baseline, c.top)
	kept := d.Percent()
	line += cells.Pad("", keptWidth-cells.Width(kept))
	if d.Low() {
		kept = p.ink.Red(kept)
	}
	p.printLine(strings.TrimRight(line+kept, " "))
}

// bar draws a disk's rate and, pale, its baseline, as parts of the top in a bar of so many cells.
func (p *printer) bar(disk, full int, rate, baseline, top float64) string {
	drawn := p.ink.Bar(float64(full) * rate / top)
	lost := strings.Repeat("░", max(0, int(float64(full)*baseline/top)-cells.Width(drawn)))
	rest := full - cells.Width(drawn+lost)
	return p.ink.Disk(disk, drawn) + p.ink.Dim(p.ink.Text(lost)) + strings.Repeat(" ", max(0, rest))
}

// disk is a disk's shape and a title of that many columns.
func (p *printer) disk(key report.LegendKey, title string, columns int) string {
	return "  " + p.ink.Disk(key.Index, p.ink.Glyph(key.Index)) + " " + p.cutName(title, columns)
}
