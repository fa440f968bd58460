// Package plot draws a chart as a picture that stands alone, SVG or PNG: for printing, for pasting, and for pages
// without the chart library. It knows no particular chart. Start at Write.
package plot

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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

// The places of a picture's parts in points, 72 to the inch.
const (
	wide       = 900 // a chart that takes the whole width
	narrow     = 640
	planeSpace = 300 // the plane with its axes
	rowSpace   = 26  // the same for each row, in place of it
	axisSpace  = 50  // below rows
	titleSpace = 38
	legendLine = 18
	footSpace  = 24 // the origin
	margin     = 14
	barWidth   = 9 // a faint one, behind another, has twice as much
	markSize   = 3 // the radius of a disk's symbol
	pngDPI     = 144
)

// Write draws a chart of the document. Its title says what it shows; the line at its foot when and on what it was
// measured, and that it was not.
func Write(w io.Writer, doc *report.Document, c *report.Chart, opts Options) error {
	d := &drawing{ink: newInk(opts.Dark), chart: c, png: opts.PNG}
	width, height := vg.Length(narrow), vg.Length(planeSpace)
	if c.Wide {
		width = wide
	}
	if n := len(c.Rows); n > 0 {
		height = vg.Length(axisSpace + rowSpace*n)
	}
	legend := d.legend(width)
	height += titleSpace + footSpace + legendLine*vg.Length(len(legend))
	var canvas vg.CanvasWriterTo = vgsvg.New(width, height)
	if opts.PNG {
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))}
	}
	area := draw.New(canvas)
	d.frame(area, report.ChartOrigin(doc, c), legend)
	d.plane().Draw(draw.Crop(area, margin, -margin, footSpace, -titleSpace-legendLine*vg.Length(len(legend))))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return fmt.Errorf("draw chart %s: %w", c.ID, err)
	}
	picture := out.Bytes()
	if !opts.PNG { // with the reader's own font
		picture = bytes.ReplaceAll(picture, []byte("font-family:Liberation Sans;"),
			[]byte("font-family:system-ui,-apple-system,Segoe UI,Roboto,Liberation Sans,Arial,sans-serif;"))
	}
	if _, err := w.Write(picture); err != nil {
		return fmt.Errorf("write chart %s: %w", c.ID, err)
	}
	return nil
}

// drawing is a chart being drawn.
type drawing struct {
	ink
	chart *report.Chart
	png   bool
}

// frame draws what stands around the plane: title, keys and origin.
func (d *drawing) frame(c draw.Canvas, origin string, legend [][]int) {
	c.SetColor(d.paper)
	c.Fill(c.Rectangle.Path())
	title, small, words := d.style(14, d.black), d.style(9, d.grey), d.style(10, d.black)
	title.Font.Weight = bold
	room := c.Max.X - 2*margin
	c.FillText(title, vg.Point{X: margin, Y: c.Max.Y - 20}, fits(title, d.show(report.Clean(d.chart.Title)), room))
	c.FillText(small, vg.Point{X: margin, Y: 12}, fits(small, d.show(origin), room))
	for i, row := range legend {
		at := vg.Point{X: margin, Y: c.Max.Y - titleSpace - legendLine*vg.Length(i)}
		for _, key := range row {
			c.DrawGlyph(d.glyph(key), vg.Point{X: at.X + 5, Y: at.Y})
			c.FillText(words, vg.Point{X: at.X + 13, Y: at.Y}, d.label(key))
			at.X += d.keyWidth(key)
		}
	}
}

// legend is the keys in rows that fit.
func (d *drawing) legend(width vg.Length) (rows [][]int) {
	x := width
	for i := range d.chart.Keys {
		x += d.keyWidth(i)
		if x > width-margin {
			rows = append(rows, nil)
			x = margin + d.keyWidth(i)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], i)
	}
	return rows
}

func (d *drawing) keyWidth(i int) vg.Length { return d.style(10, d.black).Width(d.label(i)) + 32 }

// plane is the chart's axes with all that lies between them.
func (d *drawing) plane() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	low, high := d.chart.Y.Min, d.chart.Y.Max
	for _, b := range d.chart.Bands {
		corners := plotter.XYs{{X: b.From, Y: low}, {X: b.To, Y: low}, {X: b.To, Y: high}, {X: b.From, Y: high}}
		p.Add(&plotter.Polygon{XYs: []plotter.XYs{corners}, Color: pale(d.tone(b.Tone), 22)})
	}
	for _, s := range d.chart.Series {
		d.add(p, s)
	}
	for _, m := range d.chart.Marks {
		x1, y1, x2, y2 := m.Ends(d.chart)
		style := draw.LineStyle{Color: d.tint(m.Key, m.Tone), Width: 1, Dashes: []vg.Length{4, 3}}
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: x1, Y: y1}, {X: x2, Y: y2}}, LineStyle: style})
	}
	p.Add(&words{drawing: d})
	d.axis(&p.X, d.chart.X)
	d.axis(&p.Y, d.chart.Y)
	if d.chart.X.Log {
		p.X.Scale = plot.LogScale{}
	}
	if rows := d.chart.Rows; len(rows) > 0 {
		ticks := plot.ConstantTicks{}
		for i, row := range rows {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: d.show(report.Clean(row))})
		}
		p.Y.Scale, p.Y.Tick.Marker, p.Y.Tick.Length = plot.InvertedScale{Normalizer: plot.LinearScale{}}, ticks, 0
	}
	return p
}

// axis dresses an axis: round steps in its unit, in the document's font.
func (d *drawing) axis(a *plot.Axis, from report.Axis) {
	a.Min, a.Max, a.Padding = from.Min, from.Max, 0
	a.Label.Text, a.LineStyle.Color, a.Tick.Color = d.show(from.Name), d.grey, d.grey
	a.Label.TextStyle.Font, a.Label.TextStyle.Color = d.style(11, nil).Font, d.black
	a.Tick.Label.Font, a.Tick.Label.Color = d.style(10, nil).Font, d.grey
	steps := report.Steps(from.Min, from.Max, 7)
	if from.Log {
		steps = report.LogSteps(from.Min, from.Max)
	}
	ticks := plot.ConstantTicks{}
	for _, v := range steps {
		ticks = append(ticks, plot.Tick{Value: v, Label: report.Tick(from.Unit, v)})
	}
	a.Tick.Marker = ticks
}

// add draws a series.
func (d *drawing) add(p *plot.Plot, s report.Series) {
	colour := d.tint(s.Key, report.Unsigned)
	if s.Faint {
		colour = pale(colour, 110)
	}
	switch s.Kind {
	case report.Files:
		p.Add(strokes{s.Points, draw.LineStyle{Color: colour, Width: 1.6}})
	case report.Line:
		p.Add(&plotter.Line{XYs: points(s.Points), LineStyle: draw.LineStyle{Color: colour, Width: 1.4}})
	case report.Dots:
		style := d.glyph(s.Key)
		style.Color = colour
		p.Add(&plotter.Scatter{XYs: points(s.Points), GlyphStyle: style})
	case report.Bar:
		bars := &plotter.BarChart{
			Values: make(plotter.Values, len(d.chart.Rows)), Width: barWidth, Color: colour, Horizontal: true,
		}
		if s.Faint {
			bars.Width *= 2
		}
		p.Add(bars)
		for _, point := range s.Points {
			bars.Values[int(point[0])] = point[1]
			if len(point) > 3 {
				p.Add(strokes{[][]float64{{point[2], point[3], point[0]}}, draw.LineStyle{Color: d.black, Width: 1.2}})
			}
		}
	}
}

// points are the first two columns.
func points(rows [][]float64) plotter.XYs {
	out := make(plotter.XYs, len(rows))
	for i, row := range rows {
		out[i] = plotter.XY{X: row[0], Y: row[1]}
	}
	return out
}

// strokes are lines across, as one path: from x, to x, y.
type strokes struct {
	rows [][]float64
	draw.LineStyle
}

// Plot implements plot.Plotter.
func (s strokes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var path vg.Path
	for _, row := range s.rows {
		path.Move(vg.Point{X: x(row[0]), Y: y(row[2])})
		path.Line(vg.Point{X: x(row[1]), Y: y(row[2])})
	}
	c.SetLineStyle(s.LineStyle)
	c.Stroke(path)
}
