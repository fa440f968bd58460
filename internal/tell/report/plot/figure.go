package plot

import (
	"cmp"
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// drawFigure draws what the answer is about in the card's middle: its first load in the hub
// diagram, bars, or its chart; without any of them its second sentence stands there.
func (c *card) drawFigure() {
	a := c.answer
	if a == nil {
		c.drawHero()
		return
	}
	switch {
	case a.Chart != nil && (len(a.Loads) == 0 || a.Chart.Phase == ""): // no phase shows it
		c.drawChart(a.Chart)
	case len(a.Loads) > 0:
		c.drawHub(&a.Loads[0])
	default:
		c.writeText(a.Sentence)
	}
}

// writeText writes words in place of a figure.
func (c *card) writeText(words string) {
	st := style{size: 30, colour: c.soft}
	lines := c.shorten(st, c.wrap(st, words, c.right-cardLeft), 6, c.right-cardLeft)
	for i, line := range lines {
		c.put(cardLeft, figureY+40+1.4*st.size*vg.Length(i), st, line)
	}
}

// drawHero draws the page's picture; without one that a card has, its second sentence stands there.
func (c *card) drawHero() {
	switch hero := c.page.Hero.(type) {
	case *report.Rows:
		c.drawRows(c.rowsOf(hero))
	case *report.Chart:
		c.drawChart(hero)
	default:
		c.writeText(c.page.Sub)
	}
}

// rowsOf returns the first rows of a picture, with the number that is in bold, or the last.
func (c *card) rowsOf(h *report.Rows) []row {
	const most = 4
	var rows []row
	for i := range h.Rows[:min(most, len(h.Rows))] {
		r := &h.Rows[i]
		out := row{label: r.Label, key: r.Key, bad: r.Tone == report.Bad || r.Sign == report.Bad}
		var before []string
		for k, n := range r.Numbers {
			if out.value = n.Words(); n.Strong {
				break
			}
			before = append(before, n.Words()+" "+h.Columns[k].Head)
		}
		for _, b := range r.Bars {
			colour := []string{c.h1, c.h1, c.h2}[b.Side]
			if b.Side == 0 && r.Key != nil {
				colour = c.disks[r.Key.Colour()]
			}
			text := cmp.Or(b.Text, strings.Join(before, ", "), " ")
			for k, column := range h.Columns {
				if b.Side > 0 && column.Side == b.Side {
					text = r.Numbers[k].Words() + " " + column.Head
				}
			}
			if b.Pale { // the other is drawn over it
				colour += palest
				text = ""
			}
			parts := 0
			if b.Tone != report.Unsigned {
				colour = c.tone(b.Tone)
				parts = b.Parts
			}
			from, to := h.Axis.Share(b.From), h.Axis.Share(b.To)
			out.bars = append(out.bars, rowBar{from, to, parts, text, colour, b.Pale})
		}
		rows = append(rows, out)
	}
	return rows
}

// tone returns the color of what a sign marks.
func (c *card) tone(sign report.Sign) string {
	switch sign {
	case report.Good:
		return c.good
	case report.Bad:
		return c.bad
	}
	return c.mid
}

// The hub diagram's measures in pixels.
const (
	computerWidth = 104
	hubX          = 330
	hubWidth      = 30
	fanEnd        = 556 // where up to three disks begin
	listStart     = 464 // where more do
	fewDisks      = 3
	mostDisks     = 7
	coloured      = 6 // so many disks have their colours
	middleY       = (figureY + figureEnd) / 2
	trunkMost     = 170
	cableLeast    = 2
)

// drawHub draws a load: the disks' cables as thick as they are fast, their baselines pale.
func (c *card) drawHub(l *report.Load) {
	disks := l.Disks
	rest := ""
	lines := max(fewDisks, len(disks))
	if len(disks) > mostDisks {
		disks = l.Least()[:mostDisks]
		lines = mostDisks + 1
		rest = fmt.Sprintf("%d more disks keep as much or more", len(l.Disks)-mostDisks)
	}
	pitch := vg.Length(figureEnd-figureY) / vg.Length(lines)
	left := vg.Length(fanEnd)
	if len(disks) > fewDisks {
		left = listStart
	}
	var fastest, sum float64
	isSame := len(disks) > fewDisks
	for _, d := range disks {
		isSame = isSame && d.Verb == disks[0].Verb
		fastest = max(fastest, d.Rate, d.Baseline)
		sum += d.Rate
	}
	perRate := min(trunkMost/sum, float64(pitch-20)/fastest)
	thick := func(rate float64) vg.Length {
		return max(cableLeast, vg.Length(rate*perRate))
	}
	var trunk vg.Length
	for _, d := range disks {
		trunk += thick(d.Rate)
	}
	y := middleY - trunk/2
	hasHub := len(c.doc.Keys) > 1
	first := figureY + max(0, pitch*vg.Length(fewDisks-len(disks)))/2
	for i, d := range disks {
		colour := c.paint(l, d)
		middle := first + pitch*(vg.Length(i)+0.5)
		width, ghost := thick(d.Rate), thick(max(d.Rate, d.Baseline))
		from := vg.Length(hubX + hubWidth)
		if !hasHub {
			from = cardLeft + computerWidth
		}
		c.cable(plug{from, y, width}, plug{left, middle - ghost/2, ghost}, colour+palest)
		c.cable(plug{from, y, width}, plug{left, middle - width/2, width}, colour)
		if hasHub {
			c.cable(plug{cardLeft + computerWidth - 10, y, width}, plug{hubX + 2, y, width}, colour)
		}
		y += width
	}
	c.box(area{cardLeft, middleY - 62, computerWidth, 124}, 14, c.card, c.faint)
	name := style{size: 16, colour: c.ink, align: 0.5}
	c.put(cardLeft+computerWidth/2, middleY+6, name, "computer")
	top := middleY - trunk/2 - 16
	if hasHub {
		c.box(area{hubX, top, hubWidth, trunk + 32}, 10, c.ink, "")
		c.put(hubX+hubWidth/2, top-10, name, "hub")
		total := style{size: 27, bold: !l.Cached(), colour: c.ink, align: 0.5}
		c.put((cardLeft+computerWidth+hubX)/2-14, top-10, total, c.answer.Scale.Rate(l.Rate))
	}
	of := l.Title + ", " + c.answer.Scale.Unit
	for _, d := range disks {
		if d.Baseline > 0 {
			of = l.Title + ", " + c.answer.Scale.Unit + " of the speed without the others"
			break
		}
	}
	soft := style{size: smallText, colour: c.soft}
	c.putFitting(cardLeft, figureY+6, left-cardLeft-10, soft, of)
	for i, d := range disks {
		y := first + pitch*vg.Length(i)
		if isSame { // the title says it
			d.Verb = ""
		}
		c.drawDisk(d, c.paint(l, d), left, y, pitch, len(disks) > fewDisks)
	}
	c.put(left, figureEnd-pitch/2+6, soft, rest)
}

// paint returns the colour of a disk: of many only those that the answer names have one.
func (c *card) paint(l *report.Load, d report.LoadDisk) string {
	if len(l.Disks) > coloured && !d.Slowed {
		return c.faint
	}
	return c.disks[d.Colour()]
}

// plug is where a cable ends: its upper corner, and how thick the cable is there.
type plug struct{ x, y, thick vg.Length }

// cable draws a ribbon from a plug at the left to one at the right.
func (c *card) cable(from, to plug, colour string) {
	x, y, thick := from.x, from.y, from.thick
	x2, y2, end := to.x, to.y, to.thick
	middle := (x + x2) / 2
	var p vg.Path
	p.Move(at(x, y))
	p.CubeTo(at(middle, y), at(middle, y2), at(x2, y2))
	p.Line(at(x2, y2+end))
	p.CubeTo(at(middle, y2+end), at(middle, y+thick), at(x, y+thick))
	p.Close()
	c.SetColor(rgb(colour))
	c.Fill(p)
}

// drawDisk draws a disk's box: what it does, its speed, and what that is of its baseline.
func (c *card) drawDisk(
	d report.LoadDisk, colour string, x, y, pitch vg.Length, isLine bool,
) {
	const pad = 18
	scale := c.answer.Scale
	of := d.Remark
	if d.Baseline > 0 {
		of = "of " + scale.Number(d.Baseline)
	}
	share := style{size: 22, bold: true, colour: c.ink, align: 1}
	if d.Low() {
		share.colour = c.bad
	}
	name := style{size: 20, bold: true, colour: c.ink}
	rate := style{size: 34, bold: !d.Cached(), colour: c.ink}
	soft := style{size: 19, colour: c.soft}
	end := c.right - 16
	if isLine {
		height := min(44, pitch-6)
		y += (pitch - height) / 2
		c.box(area{x, y, c.right - x, height}, 10, c.card, c.line)
		share.size, name.size, soft.size, rate.size = 18, 18, 16, 20
		base := y + height/2 + 7
		c.drawSymbol(at(x+pad, base-6), d.LegendKey, 7, colour)
		c.put(end, base, share, d.Percent())
		numbers := end - c.room(share, "100%*") - 8
		start := numbers - c.room(rate, "0.000") - c.room(soft, of) - 8
		c.putFitting(x+pad+14, base, start-x-pad-20, name, d.Label+" "+d.Verb)
		c.put(c.put(start, base, rate, scale.Number(d.Rate))+6, base, soft, of)
		return
	}
	c.box(area{x, y + 6, c.right - x, pitch - 12}, 14, c.card, c.line)
	c.drawSymbol(at(x+pad+8, y+31), d.LegendKey, 8, colour)
	c.put(end, y+38, share, d.Percent())
	names := end - x - pad - 26 - c.room(share, d.Percent()) - 8
	c.putFitting(x+pad+26, y+38, names, name, d.Label+" "+d.Verb)
	after := c.put(x+pad, y+79, rate, scale.Number(d.Rate))
	c.putFitting(after+8, y+79, c.right-after-20, soft, of)
}

// row is a line of the figure: bars at one scale under a label, and a number.
type row struct {
	label, value string
	key          *report.LegendKey
	bars         []rowBar
	bad          bool
}

// rowBar is a bar: from where to where on the axis, and what stands behind it.
type rowBar struct {
	from, share  float64
	parts        int // drawn one by one, without the text
	text, colour string
	isUnder      bool // the next is drawn over it
}

// drawRows draws the rows below one another.
func (c *card) drawRows(rows []row) {
	const most = 92
	height := min(most, vg.Length(figureEnd-figureY)/vg.Length(len(rows)))
	for i, r := range rows {
		y := figureY + height*vg.Length(i)
		x := vg.Length(cardLeft)
		if r.key != nil {
			c.drawSymbol(at(x+8, y+13), *r.key, 8, c.disks[r.key.Colour()])
			x += 26
		}
		value := style{size: 24, bold: true, colour: c.ink, align: 1}
		if r.bad {
			value.colour = c.bad
		}
		c.put(c.right, y+20, value, r.value)
		label := style{size: 20, bold: true, colour: c.ink}
		c.putFitting(x, y+20, c.right-c.room(value, r.value)-10-x, label, r.label)
		c.drawBars(r.bars, y+32, (height-44)/2)
	}
}

// drawBars draws a row's bars: with texts one below the other, those in parts beside one another.
func (c *card) drawBars(bars []rowBar, y, height vg.Length) {
	const behind = 210 // pixels for the text behind a bar
	text := style{size: min(16, height), colour: c.soft}
	room := c.right - cardLeft
	var longest vg.Length // of bars over one another
	for _, b := range bars {
		if b.parts > 0 {
			width := room * vg.Length(b.share-b.from) / vg.Length(b.parts)
			for i := range b.parts {
				x := cardLeft + room*vg.Length(b.from) + width*vg.Length(i)
				c.box(area{x, y, width - 4, 2*height - 4}, 5, b.colour, "")
			}
			continue
		}
		width := max(cableLeast, (room-behind)*vg.Length(b.share))
		c.box(area{cardLeft, y, width, height - 2}, min(4, width/2), b.colour, "")
		if longest = max(longest, width); b.isUnder {
			continue
		}
		c.put(cardLeft+longest+10, y+height/2+text.size*0.3, text, b.text)
		y += height
		longest = 0
	}
}

// drawChart draws a chart as wide as the figure.
func (c *card) drawChart(chart *report.Chart) {
	const size = 16
	d := newCanvas(c.sheet, chart, size)
	d.plane = draw.Crop(c.Canvas, cardLeft, c.right-cardWidth, cardHeight-figureEnd+3*d.line(),
		-figureY-2*d.line())
	d.draw()
}
