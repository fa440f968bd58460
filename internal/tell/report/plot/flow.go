package plot

import (
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// A flow's measures in pixels.
const (
	computerWidth = 104
	hubX          = 330
	hubWidth      = 30
	fanEnd        = 556 // where up to three disks begin
	listStart     = 464 // where more do
	fewDisks      = 3
	mostDisks     = 7
	middleY       = (figureY + figureEnd) / 2
	trunkMost     = 170
	cableLeast    = 2
)

// drawFlow draws the first state: cables as thick as the disks are fast, their baselines pale.
func (c *card) drawFlow(h *report.Flow) {
	s := &h.States[0]
	disks := s.Disks
	rest := ""
	lines := max(fewDisks, len(disks))
	if len(disks) > mostDisks {
		disks, rest = s.Least(mostDisks)
		lines = mostDisks + 1
	}
	pitch := vg.Length(figureEnd-figureY) / vg.Length(lines)
	left := vg.Length(fanEnd)
	if len(disks) > fewDisks {
		left = listStart
	}
	first := figureY + max(0, pitch*vg.Length(fewDisks-len(disks)))/2
	trunk := c.drawCables(h, disks, first, left, pitch)
	c.box(area{cardLeft, middleY - 62, computerWidth, 124}, 14, c.card, c.faint)
	name := style{size: 16, colour: c.ink, align: 0.5}
	c.put(cardLeft+computerWidth/2, middleY+6, name, "computer")
	if !h.Direct {
		top := middleY - trunk/2 - 16
		c.box(area{hubX, top, hubWidth, trunk + 32}, 10, c.ink, "")
		c.put(hubX+hubWidth/2, top-10, name, "hub")
		total := style{size: 27, bold: s.Total.Strong, colour: c.ink, align: 0.5}
		c.put((cardLeft+computerWidth+hubX)/2-14, top-10, total, s.Total.Text)
	}
	soft := style{size: smallText, colour: c.soft}
	of := strings.TrimSpace(s.Title + ", " + h.Unit + " " + h.Of)
	c.putFitting(cardLeft, figureY+6, left-cardLeft-10, soft, of)
	isSame := len(disks) > fewDisks && s.Same() // the title says it
	for i, d := range disks {
		if isSame {
			d.Verb = ""
		}
		c.drawDisk(d, left, first+pitch*vg.Length(i), pitch, len(disks) > fewDisks)
	}
	c.put(left, figureEnd-pitch/2+6, soft, rest)
}

// drawCables draws a cable to each disk, and returns how thick they are together.
func (c *card) drawCables(h *report.Flow, disks []report.FlowDisk, first, left,
	pitch vg.Length) (trunk vg.Length) {
	var fastest, sum float64
	for _, d := range disks {
		fastest = max(fastest, d.Rate, d.Baseline)
		sum += d.Rate
	}
	perRate := min(trunkMost/sum, float64(pitch-20)/fastest)
	thick := func(rate float64) vg.Length {
		return max(cableLeast, vg.Length(rate*perRate))
	}
	for _, d := range disks {
		trunk += thick(d.Rate)
	}
	y := middleY - trunk/2
	for i, d := range disks {
		colour := c.paint(d)
		middle := first + pitch*(vg.Length(i)+0.5)
		width, ghost := thick(d.Rate), thick(max(d.Rate, d.Baseline))
		from := vg.Length(hubX + hubWidth)
		if h.Direct {
			from = cardLeft + computerWidth
		}
		c.cable(plug{from, y, width}, plug{left, middle - ghost/2, ghost}, colour+palest)
		c.cable(plug{from, y, width}, plug{left, middle - width/2, width}, colour)
		if !h.Direct {
			c.cable(plug{cardLeft + computerWidth - 10, y, width}, plug{hubX + 2, y, width}, colour)
		}
		y += width
	}
	return trunk
}

// paint returns the color of a disk: of many only some have their own.
func (c *card) paint(d report.FlowDisk) string {
	if !d.Named {
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
func (c *card) drawDisk(d report.FlowDisk, x, y, pitch vg.Length, isLine bool) {
	const pad = 18
	colour := c.paint(d)
	share := style{size: 22, bold: true, colour: c.ink, align: 1}
	if d.Keeps.Tone == report.Bad {
		share.colour = c.bad
	}
	name := style{size: 20, bold: true, colour: c.ink}
	rate := style{size: 34, bold: d.Value.Strong, colour: c.ink}
	soft := style{size: 19, colour: c.soft}
	end := c.right - 16
	if isLine {
		height := min(44, pitch-6)
		y += (pitch - height) / 2
		c.box(area{x, y, c.right - x, height}, 10, c.card, c.line)
		share.size, name.size, soft.size, rate.size = 18, 18, 16, 20
		base := y + height/2 + 7
		c.drawSymbol(at(x+pad, base-6), d.LegendKey, 7, colour)
		c.put(end, base, share, d.Keeps.Text)
		numbers := end - c.room(share, "100%*") - 8
		start := numbers - c.room(rate, "0.000") - c.room(soft, d.Of) - 8
		c.putFitting(x+pad+14, base, start-x-pad-20, name, d.Label+" "+d.Verb)
		c.put(c.put(start, base, rate, d.Value.Text)+6, base, soft, d.Of)
		return
	}
	c.box(area{x, y + 6, c.right - x, pitch - 12}, 14, c.card, c.line)
	c.drawSymbol(at(x+pad+8, y+31), d.LegendKey, 8, colour)
	c.put(end, y+38, share, d.Keeps.Text)
	names := end - x - pad - 26 - c.room(share, d.Keeps.Text) - 8
	c.putFitting(x+pad+26, y+38, names, name, d.Label+" "+d.Verb)
	after := c.put(x+pad, y+79, rate, d.Value.Text)
	c.putFitting(after+8, y+79, c.right-after-20, soft, d.Of)
}
