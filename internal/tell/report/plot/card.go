package plot

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// The card's measures, in pixels from its top and its left.
const (
	cardWidth  = 1200
	cardHeight = 630
	cardDPI    = 72 // a pixel is a point

	cardLeft    = 56
	cardRight   = cardWidth - cardLeft
	kickerY     = 66
	headlineY   = 92 // the top of its lines
	headlineEnd = 224
	figureY     = 250
	figureEnd   = 548
	numbersX    = 828 // where the numbers begin
	smallPrintY = 605
	ruleY       = 568

	smallText = 18
	leastText = 14
)

// card is an answer as a picture to share: its headline, its figure and its key numbers. Places are
// in pixels from the top left.
type card struct {
	*sheet
	doc   *report.Document
	page  *report.Page
	right vg.Length // where the figure ends
}

// WriteCard draws what a document comes to as a picture of 1200 by 630 pixels, for a post in a
// forum. The small print says what its reader cannot see: that nothing was measured, and how sure
// the numbers are.
func WriteCard(w io.Writer, doc *report.Document, opts Options) error {
	page := doc.Page
	if page == nil {
		return errors.New("draw the card: there is no answer to show")
	}
	c := &card{
		sheet: newSheet(cardWidth, cardHeight, cardDPI, doc.Keys, opts),
		doc:   doc, page: page, right: cardRight,
	}
	c.writeKicker()
	c.writeHeadline()
	if c.writeNumbers() {
		c.right = numbersX - 40
	}
	c.drawHero()
	c.writeSmallPrint()
	var out strings.Builder
	if err := c.save(&out, page.Title()); err != nil {
		return fmt.Errorf("draw card: %w", err)
	}
	pixels := strings.NewReplacer(`width="1200pt" height="630pt"`, `width="1200" height="630"`)
	if _, err := pixels.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write card: %w", err)
	}
	return nil
}

// at is a place in pixels from the top left.
func at(x, y vg.Length) vg.Point { return pt(x, cardHeight-y) }

// put writes a line, and returns where it ends.
func (c *card) put(x, y vg.Length, st style, words string) vg.Length {
	c.write(at(x, y), st, words)
	return x + c.room(st, words)
}

// putFitting writes a line that has so much room: smaller if it is too long, and cut if it is
// longer still.
func (c *card) putFitting(x, y, room vg.Length, st style, words string) vg.Length {
	least := min(st.size, max(leastText, st.size/2))
	if needed := c.room(st, words); needed > room {
		st.size = max(least, st.size*room/needed)
	}
	for n := cells.Width(words); n > 1 && c.room(st, words) > room; n-- {
		words = cells.Cut(words, n)
	}
	return c.put(x, y, st, words)
}

// area is a rectangle by its upper left corner and its size.
type area struct{ x, y, width, height vg.Length }

// box draws a rectangle with round corners.
func (c *card) box(r area, radius vg.Length, fill, edge string) {
	var p vg.Path
	x, y := r.x, r.y
	x2, y2 := x+r.width, y+r.height
	bend := radius * (1 - 0.5523) // of a cubic curve that is nearly a quarter of a circle
	p.Move(at(x+radius, y))
	p.Line(at(x2-radius, y))
	p.CubeTo(at(x2-bend, y), at(x2, y+bend), at(x2, y+radius))
	p.Line(at(x2, y2-radius))
	p.CubeTo(at(x2, y2-bend), at(x2-bend, y2), at(x2-radius, y2))
	p.Line(at(x+radius, y2))
	p.CubeTo(at(x+bend, y2), at(x, y2-bend), at(x, y2-radius))
	p.Line(at(x, y+radius))
	p.CubeTo(at(x, y+bend), at(x+bend, y), at(x+radius, y))
	p.Close()
	c.SetColor(rgb(fill))
	c.Fill(p)
	if edge != "" {
		c.SetColor(rgb(edge))
		c.SetLineWidth(thin)
		c.Stroke(p)
	}
}

// rule draws a thin line across.
func (c *card) rule(x, x2, y vg.Length) {
	var p vg.Path
	p.Move(at(x, y))
	p.Line(at(x2, y))
	c.SetColor(rgb(c.line))
	c.SetLineWidth(thin)
	c.Stroke(p)
}

func (c *card) writeKicker() {
	name := style{size: 22, bold: true, colour: c.ink}
	rest := style{size: 20, colour: c.soft}
	end := c.putFitting(cardLeft, kickerY, (cardRight-cardLeft)/2, name, c.doc.Title)
	var parts []string
	for _, part := range append([]string{c.doc.Started, c.doc.Setup()}, c.page.Kicker...) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	c.putFitting(end+12, kickerY, cardRight-end-12, rest, strings.Join(parts, " · "))
}

// writeHeadline writes the headline on two lines, as large as they allow; one that is too long for
// that takes three.
func (c *card) writeHeadline() {
	const room = cardRight - cardLeft
	st := style{bold: true, colour: c.ink}
	sizes := []vg.Length{64, 58, 52, 46, 40}
	var lines []string
	for _, st.size = range sizes {
		if lines = c.wrap(st, c.page.Title(), room); len(lines) <= 2 {
			break
		}
	}
	if len(lines) > 2 {
		st.size = 34
		lines = c.wrap(st, c.page.Title(), room)
		lines = c.shorten(st, lines, 3, room)
	}
	for narrower := vg.Length(room); len(lines) > 1 && narrower > room/2; narrower -= 10 {
		balanced := c.wrap(st, strings.Join(lines, " "), narrower)
		if len(balanced) > len(lines) {
			break
		}
		lines = balanced
	}
	height := 1.1 * st.size * vg.Length(len(lines))
	y := headlineY + (headlineEnd-headlineY-height)/2
	for i, line := range lines {
		c.put(cardLeft-2, y+st.size*(0.9+1.1*vg.Length(i)), st, line)
	}
}

// wrap breaks words into lines of so much room.
func (c *card) wrap(st style, words string, room vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range cells.Words(words) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && c.room(st, longer) > room {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}

// shorten leaves so many lines, the last of which says that there are more.
func (c *card) shorten(st style, lines []string, most int, room vg.Length) []string {
	if len(lines) <= most {
		return lines
	}
	last := lines[most-1] + " …"
	for n := cells.Width(last); n > 1 && c.room(st, last) > room; n-- {
		last = cells.Cut(last, n)
	}
	return append(lines[:most-1:most-1], last)
}

// writeNumbers writes the key numbers, one below the other, and reports whether there are any.
func (c *card) writeNumbers() bool {
	const room = cardRight - numbersX
	facts := c.page.Numbers
	if b := c.page.Big; b != nil {
		big := report.Number{Value: b.Number + b.Unit, Text: b.Text, Tone: b.Tone}
		facts = append([]report.Number{big}, facts...)
	}
	const most = 3
	facts = facts[:min(most, len(facts))]
	for i, f := range facts {
		y := vg.Length(figureY + i*(figureEnd-figureY)/most)
		value := style{size: 44, bold: true, colour: c.ink}
		if f.Tone == report.Bad {
			value.colour = c.bad
		}
		c.putFitting(numbersX, y+36, room, value, f.Value)
		text := style{size: smallText, colour: c.soft}
		lines := c.wrap(text, f.Text, room)
		for len(lines) > 2 && text.size > leastText {
			text.size--
			lines = c.wrap(text, f.Text, room)
		}
		lines = c.shorten(text, lines, 2, room)
		for k, line := range lines {
			c.put(numbersX+1, y+59+1.2*text.size*vg.Length(k), text, line)
		}
		if i > 0 {
			c.rule(numbersX, cardRight, y-7)
		}
	}
	return facts != nil
}

// writeSmallPrint writes what marks the numbers, and what made the picture.
func (c *card) writeSmallPrint() {
	c.rule(cardLeft, cardRight, ruleY)
	own := style{size: smallText, bold: true, colour: c.ink, align: 1}
	c.put(cardRight, smallPrintY, own, "hubbench")
	end := vg.Length(cardRight) - c.room(own, "hubbench") - 24
	x := vg.Length(cardLeft)
	if mark := c.doc.Unmeasured(); mark != "" {
		st := style{size: smallText, colour: c.onWarn, align: 0.5}
		width := c.room(st, mark) + 28
		c.box(area{x, smallPrintY - 22, width, 30}, 15, c.warn, "")
		c.put(x+width/2, smallPrintY-1, st, mark)
		x += width + 14
	}
	text := style{size: smallText, colour: c.soft}
	words := c.page.Sure
	if c.page.Status != "" { // nothing says more about the numbers
		text.colour = c.mid
		words = c.page.Status
	}
	c.putFitting(x, smallPrintY, end-x, text, words)
}
