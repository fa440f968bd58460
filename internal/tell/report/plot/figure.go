package plot

import (
	"cmp"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// writeText writes words in place of a figure.
func (c *card) writeText(words string) {
	st := style{size: 30, colour: c.soft}
	lines := c.shorten(st, c.wrap(st, words, c.right-cardLeft), 6, c.right-cardLeft)
	for i, line := range lines {
		c.put(cardLeft, figureY+40+1.4*st.size*vg.Length(i), st, line)
	}
}

// drawHero draws the page's picture in the card's middle; without one that a card has, its second
// sentence stands there.
func (c *card) drawHero() {
	switch hero := c.page.Plain().(type) {
	case *report.Flow:
		c.drawFlow(hero)
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
