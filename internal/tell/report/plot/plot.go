// Package plot draws a chart as a picture that stands alone, SVG or PNG: for printing, for pasting,
// and for pages without the chart library. It knows no particular chart. Start at Write.
package plot

import (
	"fmt"
	"image"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

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
	capital     = 0.72                    // the height of a letter, of a font's size
	widestFont  = 1.15                    // DejaVu Sans, of the picture's own
	barHeight   = 9
	thin        = 1
	thick       = 1.5
	pngDPI      = 2 * vg.Inch // two pixels for each point
)

// Write draws a chart of the document. Its title says what it shows; the line at its foot when and
// on what it was measured, and that it was not.
func Write(w io.Writer, doc *report.Document, chart *report.Chart, opts Options) error {
	c := newCanvas(chart, opts)
	width := vg.Length(narrow)
	height := planeHeight
	if chart.Wide {
		width = wide
	}
	if len(chart.Rows) > 0 {
		height = rowHeight * len(chart.Rows)
	}
	top := titleSpace + footSpace + vg.Length(max(height, textLine*len(chart.Keys)))
	var target vg.CanvasWriterTo = vgsvg.New(width, top)
	if opts.PNG {
		size, dpi := vgimg.UseWH(width, top), vgimg.UseDPI(int(pngDPI))
		target = vgimg.PngCanvas{Canvas: vgimg.NewWith(size, dpi)}
	}
	c.room = width - 2*margin
	c.plane = draw.Crop(draw.New(target), margin, -2*margin, footSpace, -titleSpace)
	target.SetColor(rgb(c.paper))
	target.Fill(vg.Rectangle{Max: pt(width, top)}.Path())
	c.writeText(pt(margin, top-1.5*textLine), titleSize, chart.Title)
	c.writeText(pt(margin, textLine), textSize, report.ChartOrigin(doc, chart))
	for _, y := range c.heights {
		c.plane.Min.X = max(c.plane.Min.X, 2*margin+c.textWidth(c.heightLabel(y)))
	}
	for _, key := range chart.Keys {
		c.plane.Max.X = min(c.plane.Max.X, width-2*margin-symbolRoom-c.textWidth(key.Label))
	}
	for i, key := range chart.Keys {
		c.writeEntry(c.plane.Max.Add(pt(margin, -textLine*(vg.Length(i)+0.5))), i, key.Label)
	}
	c.drawAxes()
	c.drawContent()
	c.writeNotes()

	var out strings.Builder
	if _, err := target.WriteTo(&out); err != nil {
		return fmt.Errorf("draw chart %s: %w", chart.ID, err)
	}
	// An SVG is shown in the reader's own font, as the page is.
	fonts := strings.NewReplacer("font-family:Go;", "font-family:system-ui,sans-serif;")
	if _, err := fonts.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write chart %s: %w", chart.ID, err)
	}
	return nil
}

// drawAxes draws the grid with its labels, and the names of the axes.
func (c *canvas) drawAxes() {
	steps := report.Steps(c.X.Min, c.X.Max, mostSteps)
	if c.X.Log {
		steps = report.LogSteps(c.X.Min, c.X.Max)
	}
	for _, x := range steps {
		c.drawLine(c.grey+palest, thin, c.pointOf(x, c.Y.Min), c.pointOf(x, c.Y.Max))
		label := c.X.Tick(x)
		middle := c.pointOf(x, c.Y.Min).X
		c.writeText(pt(middle-c.textWidth(label)/2, c.plane.Min.Y-textLine), textSize, label)
	}
	for _, y := range c.heights {
		c.drawLine(c.grey+palest, thin, c.pointOf(c.X.Min, y), c.pointOf(c.X.Max, y))
		c.writeText(pt(margin, c.pointOf(0, y).Y), textSize, c.heightLabel(y))
	}
	c.writeText(c.plane.Min.Sub(pt(0, 2*textLine)), textSize, c.X.Name)
	c.writeText(pt(c.plane.Min.X, c.plane.Max.Y+textLine), textSize, c.Y.Name)
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
			c.drawSymbol(c.pointOf(p[0], p[1]), s.Key, colour)
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
		right += symbolRoom
	}
	at.X = min(at.X+2, c.plane.Max.X-right)
	right += at.X
	for try := range noteTries {
		rise := vg.Length(textLine*(try/2) + labelGap)
		if try%2 > 0 {
			rise = -rise
		}
		y := at.Y + rise
		low, high := y-textLine/2, y+textLine/2
		place := image.Rect(int(at.X), int(low), int(right), int(high))
		if low < footSpace || high > c.plane.Max.Y || slices.ContainsFunc(c.taken, place.Overlaps) {
			continue
		}
		c.taken = append(c.taken, place)
		c.drawLine(c.paper+nearFull, textLine, pt(at.X, y), pt(right, y))
		c.writeEntry(pt(at.X+2, y), key, words)
		return
	}
}
