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
	plane, err := d.plane()
	if err != nil {
		return fmt.Errorf("draw chart %s: %w", c.ID, err)
	}
	paint := func(canvas draw.Canvas) {
		d.frame(canvas, report.ChartOrigin(doc, c), legend)
		plane.Draw(draw.Crop(canvas, margin, -margin, footSpace, -titleSpace-legendLine*vg.Length(len(legend))))
	}
	if opts.PNG {
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(144))}
		paint(draw.New(canvas))
		_, err = canvas.WriteTo(w)
	} else {
		canvas := vgsvg.New(width, height)
		paint(draw.New(canvas))
		var text bytes.Buffer
		if _, err = canvas.WriteTo(&text); err == nil { // with the reader's own font
			_, err = w.Write(bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans;"),
				[]byte("font-family:system-ui,-apple-system,Segoe UI,Roboto,Liberation Sans,Arial,sans-serif;")))
		}
	}
	if err != nil {
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
func (d *drawing) plane() (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = nil
	for _, b := range d.chart.Bands {
		y := d.chart.Y
		area, err := plotter.NewPolygon(plotter.XYs{{X: b.From, Y: y.Min}, {X: b.To, Y: y.Min}, {X: b.To, Y: y.Max}, {X: b.From, Y: y.Max}})
		if err != nil {
			return nil, err
		}
		area.Color, area.LineStyle.Width = pale(d.tone(b.Tone), 22), 0
		p.Add(area)
	}
	for _, s := range d.chart.Series {
		if err := d.add(p, s); err != nil {
			return nil, err
		}
	}
	for _, m := range d.chart.Marks {
		x1, y1, x2, y2 := m.Ends(d.chart)
		line, err := plotter.NewLine(plotter.XYs{{X: x1, Y: y1}, {X: x2, Y: y2}})
		if err != nil {
			return nil, err
		}
		line.LineStyle = draw.LineStyle{Color: d.tint(m.Key, m.Tone), Width: 1, Dashes: []vg.Length{4, 3}}
		p.Add(line)
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
	return p, nil
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
func (d *drawing) add(p *plot.Plot, s report.Series) error {
	colour := d.tint(s.Key, report.Unsigned)
	if s.Faint {
		colour = pale(colour, 110)
	}
	switch s.Kind {
	case report.Files:
		p.Add(strokes{s.Points, draw.LineStyle{Color: colour, Width: 1.6}})
	case report.Bar:
		values := make(plotter.Values, len(d.chart.Rows))
		for _, point := range s.Points {
			values[int(point[0])] = point[1]
			if len(point) > 3 {
				p.Add(strokes{[][]float64{{point[2], point[3], point[0]}}, draw.LineStyle{Color: d.black, Width: 1.2}})
			}
		}
		bars, err := plotter.NewBarChart(values, barWidth)
		if err != nil {
			return err
		}
		if s.Faint {
			bars.Width *= 2
		}
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, colour, 0
		p.Add(bars)
	case report.Line:
		line, err := plotter.NewLine(points(s.Points))
		if err != nil {
			return err
		}
		line.LineStyle = draw.LineStyle{Color: colour, Width: 1.4}
		p.Add(line)
	case report.Dots:
		dots, err := plotter.NewScatter(points(s.Points))
		if err != nil {
			return err
		}
		dots.GlyphStyle = d.glyph(s.Key)
		dots.Color = colour
		p.Add(dots)
	}
	return nil
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
