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
	thin, thick = 1, 1.5
	pngDPI      = 2 * vg.Inch // two pixels for each point
)

// Write draws a chart of the document. Its title says what it shows; the line at its foot when and
// on what it was measured, and that it was not.
func Write(w io.Writer, doc *report.Document, chart *report.Chart, opts Options) error {
	c := newCanvas(chart, opts)
	width, height := vg.Length(narrow), planeHeight
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
	c.text(pt(margin, top-1.5*textLine), titleSize, chart.Title)
	c.text(pt(margin, textLine), textSize, report.ChartOrigin(doc, chart))
	for _, y := range c.heights {
		c.plane.Min.X = max(c.plane.Min.X, 2*margin+c.width(c.label(y)))
	}
	for _, key := range chart.Keys {
		c.plane.Max.X = min(c.plane.Max.X, width-2*margin-symbolRoom-c.width(key.Label))
	}
	for i, key := range chart.Keys {
		c.entry(c.plane.Max.Add(pt(margin, -textLine*(vg.Length(i)+0.5))), i, key.Label)
	}
	c.axes()
	c.content()
	c.notes()

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

// axes draws the grid with its labels, and the names of the axes.
func (c *canvas) axes() {
	steps := report.Steps(c.X.Min, c.X.Max, mostSteps)
	if c.X.Log {
		steps = report.LogSteps(c.X.Min, c.X.Max)
	}
	for _, x := range steps {
		c.line(c.grey+palest, thin, c.at(x, c.Y.Min), c.at(x, c.Y.Max))
		label := c.X.Tick(x)
		middle := c.at(x, c.Y.Min).X
		c.text(pt(middle-c.width(label)/2, c.plane.Min.Y-textLine), textSize, label)
	}
	for _, y := range c.heights {
		c.line(c.grey+palest, thin, c.at(c.X.Min, y), c.at(c.X.Max, y))
		c.text(pt(margin, c.at(0, y).Y), textSize, c.label(y))
	}
	c.text(c.plane.Min.Sub(pt(0, 2*textLine)), textSize, c.X.Name)
	c.text(pt(c.plane.Min.X, c.plane.Max.Y+textLine), textSize, c.Y.Name)
}

// content draws what the chart shows. A band and a bar are thick lines.
func (c *canvas) content() {
	middle := (c.Y.Min + c.Y.Max) / 2
	for _, b := range c.Bands {
		colour := c.colour(report.None, b.Tone) + palest
		c.line(colour, c.plane.Size().Y, c.at(b.From, middle), c.at(b.To, middle))
	}
	for _, s := range c.Series {
		c.series(s)
	}
	c.dashes = []vg.Length{gap, 3}
	for _, m := range c.Marks {
		x1, y1, x2, y2 := m.Ends(c.Chart)
		c.line(c.colour(m.Key, m.Tone), thin, c.at(x1, y1), c.at(x2, y2))
	}
	c.dashes = nil
}

func (c *canvas) series(s report.ChartSeries) {
	colour, height := c.colour(s.Key, report.Unsigned), vg.Length(barHeight)
	if s.Faint { // Its bars stand behind those of another series.
		colour += pale
		height *= 2
	}
	var line []vg.Point
	for _, p := range s.Points {
		switch s.Kind {
		case report.Line:
			line = append(line, c.at(p[0], p[1]))
		case report.Dots:
			c.symbol(c.at(p[0], p[1]), s.Key, colour)
		case report.Files:
			c.line(colour, thick, c.at(p[0], p[2]), c.at(p[1], p[2]))
		case report.Bar:
			c.line(colour, height, c.at(0, p[0]), c.at(p[1], p[0]))
			if low, high, known := report.Interval(p); known {
				c.line(c.ink, thick, c.at(low, p[0]), c.at(high, p[0]))
			}
		}
	}
	c.line(colour, thick, line...)
}

// notes writes what bands and marks say, after all else so that nothing covers it.
func (c *canvas) notes() {
	for _, b := range c.Bands {
		c.note(c.at(b.From, c.Y.Max), report.None, b.Text)
	}
	for _, m := range c.Marks {
		x, _, _, y := m.Ends(c.Chart)
		c.note(c.at(x, y), m.Key, m.Text)
	}
}

// A note stands this far above or below its place, or up to three lines further.
const (
	beside    = 9
	noteTries = 8
)

// note writes beside a place of the plane where it is free: what would cover another note is moved
// up or down, and left out where there is no room.
func (c *canvas) note(at vg.Point, key int, words string) {
	if words == "" {
		return
	}
	right := c.width(words) + gap
	if key != report.None {
		right += symbolRoom
	}
	at.X = min(at.X+2, c.plane.Max.X-right)
	right += at.X
	for try := range noteTries {
		rise := vg.Length(textLine*(try/2) + beside)
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
		c.line(c.paper+nearFull, textLine, pt(at.X, y), pt(right, y))
		c.entry(pt(at.X+2, y), key, words)
		return
	}
}
