// Package plot draws pictures that stand alone, SVG or PNG: the card of an answer, to share, and
// single charts, for printing and for pages without the chart library. It knows no particular
// chart. Start at WriteCard and Write.
package plot

import (
	"fmt"
	"image"
	"io"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// Options say how to draw. The zero value is a light SVG.
type Options struct {
	PNG  bool
	Dark bool
}

// The sizes of a picture's parts in points, 72 to the inch.
const (
	wide        = 900 // a chart that takes the whole width
	narrow      = 640
	planeHeight = 260
	rowHeight   = 26 // in place of planeHeight, for each row
	margin      = 14
	gap         = 4
	textSize    = 10
	textLine    = 4 * gap
	titleSize   = 15
	titleSpace  = 4 * textLine            // with the name of the vertical axis
	footSpace   = titleSpace + textLine/2 // with the labels and the name of the horizontal axis
	symbolRoom  = margin                  // a symbol before its text
	symbolSize  = 3                       // its radius
	capital     = 0.72                    // the height of a letter, of a font's size
	widestFont  = 1.15                    // DejaVu Sans, of the picture's own
	widestBold  = 1.2
	barHeight   = 9
	thin        = 1
	thick       = 1.5
	pngDPI      = 2 * 72 // two pixels for each point
)

// Write draws a chart of the document. Its title says what it shows; the line at its foot when and
// on what it was measured, and that it was not.
func Write(w io.Writer, doc *report.Document, chart *report.Chart, opts Options) error {
	width := vg.Length(narrow)
	height := planeHeight
	if chart.Wide {
		width = wide
	}
	if len(chart.Rows) > 0 {
		height = rowHeight * len(chart.Rows)
	}
	top := titleSpace + footSpace + vg.Length(max(height, textLine*len(chart.Keys)))
	c := newCanvas(newSheet(width, top, pngDPI, chart.Keys, opts), chart, textSize)
	c.plane = draw.Crop(c.plane, margin, -2*margin, footSpace, -titleSpace)
	c.writeText(pt(margin, top-1.5*textLine), titleSize, chart.Title)
	c.writeText(pt(margin, textLine), textSize, report.ChartOrigin(doc, chart))
	c.draw()
	if err := c.save(w, chart.Title); err != nil {
		return fmt.Errorf("write chart %s: %w", chart.ID, err)
	}
	return nil
}

// draw draws the chart on its plane, with the names of its keys to the right.
func (c *canvas) draw() {
	left, right := c.plane.Min.X, c.plane.Max.X
	for _, y := range c.heights {
		c.plane.Min.X = max(c.plane.Min.X, left+margin+c.textWidth(c.heightLabel(y)))
	}
	for _, key := range c.Keys {
		c.plane.Max.X = min(c.plane.Max.X, right-c.symbolRoom()-c.textWidth(key.Label))
	}
	for i, key := range c.Keys {
		c.writeEntry(c.plane.Max.Add(pt(margin, -c.line()*(vg.Length(i)+0.5))), i, key.Label)
	}
	c.drawAxes(left)
	c.drawContent()
	c.writeNotes()
}

// drawAxes draws the grid with its labels, those of heights from the left on, and the names of the
// axes.
func (c *canvas) drawAxes(left vg.Length) {
	steps := report.Steps(c.X.Min, c.X.Max, mostSteps)
	if c.X.Log {
		steps = report.LogSteps(c.X.Min, c.X.Max)
	}
	for _, x := range steps {
		c.drawLine(c.soft+palest, thin, c.pointOf(x, c.Y.Min), c.pointOf(x, c.Y.Max))
		label := c.X.Tick(x)
		middle := c.pointOf(x, c.Y.Min).X
		c.writeText(pt(middle-c.textWidth(label)/2, c.plane.Min.Y-c.line()), c.size, label)
	}
	for _, y := range c.heights {
		c.drawLine(c.soft+palest, thin, c.pointOf(c.X.Min, y), c.pointOf(c.X.Max, y))
		c.writeText(pt(left, c.pointOf(0, y).Y), c.size, c.heightLabel(y))
	}
	c.writeText(c.plane.Min.Sub(pt(0, 2*c.line())), c.size, c.X.Name)
	c.writeText(pt(c.plane.Min.X, c.plane.Max.Y+c.line()), c.size, c.Y.Name)
}

// drawContent draws what the chart shows. A band and a bar are thick lines.
func (c *canvas) drawContent() {
	middle := (c.Y.Min + c.Y.Max) / 2
	for _, b := range c.Bands {
		colour := c.colour(report.None, b.Tone) + palest
		c.drawLine(colour, c.plane.Size().Y, c.pointOf(b.From, middle), c.pointOf(b.To, middle))
	}
	for _, s := range c.Series {
		c.drawSeries(s)
	}
	c.dashes = []vg.Length{gap, 3}
	for _, m := range c.Marks {
		x1, y1, x2, y2 := m.Ends(c.Chart)
		c.drawLine(c.colour(m.Key, m.Tone), thin, c.pointOf(x1, y1), c.pointOf(x2, y2))
	}
	c.dashes = nil
}

func (c *canvas) drawSeries(s report.ChartSeries) {
	thick := thick * c.size / textSize
	colour := c.colour(s.Key, report.Unsigned)
	height := vg.Length(barHeight)
	if s.Faint { // Its bars stand behind those of another series.
		colour += pale
		height *= 2
	}
	var line []vg.Point
	for _, p := range s.Points {
		switch s.Kind {
		case report.Line:
			line = append(line, c.pointOf(p[0], p[1]))
		case report.Dots:
			c.drawSymbol(c.pointOf(p[0], p[1]), c.Keys[s.Key], symbolSize*c.size/textSize, colour)
		case report.Files:
			c.drawLine(colour, thick, c.pointOf(p[0], p[2]), c.pointOf(p[1], p[2]))
		case report.Bar:
			c.drawLine(colour, height, c.pointOf(0, p[0]), c.pointOf(p[1], p[0]))
			if low, high, known := report.Interval(p); known {
				c.drawLine(c.ink, thick, c.pointOf(low, p[0]), c.pointOf(high, p[0]))
			}
		}
	}
	c.drawLine(colour, thick, line...)
}

// writeNotes writes what bands and marks say, after all else so that nothing covers it.
func (c *canvas) writeNotes() {
	for _, b := range c.Bands {
		c.writeNote(c.pointOf(b.From, c.Y.Max), report.None, b.Text)
	}
	for _, m := range c.Marks {
		x, _, _, y := m.Ends(c.Chart)
		c.writeNote(c.pointOf(x, y), m.Key, m.Text)
	}
}

// A note stands this far above or below its place, or up to three lines further.
const (
	labelGap  = 9
	noteTries = 8
)

// writeNote writes next to a place of the plane where it is free: what would cover another note is
// moved up or down, and left out where there is no room.
func (c *canvas) writeNote(at vg.Point, key int, words string) {
	if words == "" {
		return
	}
	right := c.textWidth(words) + gap
	if key != report.None {
		right += c.symbolRoom()
	}
	at.X = min(at.X+2, c.plane.Max.X-right)
	right += at.X
	for try := range noteTries {
		rise := c.line()*vg.Length(try/2) + labelGap*c.size/textSize
		if try%2 > 0 {
			rise = -rise
		}
		y := at.Y + rise
		low, high := y-c.line()/2, y+c.line()/2
		place := image.Rect(int(at.X), int(low), int(right), int(high))
		if low < c.plane.Min.Y || high > c.plane.Max.Y || slices.ContainsFunc(c.taken, place.Overlaps) {
			continue
		}
		c.taken = append(c.taken, place)
		c.drawLine(c.paper+nearFull, c.line(), pt(at.X, y), pt(right, y))
		c.writeEntry(pt(at.X+2, y), key, words)
		return
	}
}
