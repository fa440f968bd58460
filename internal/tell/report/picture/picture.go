// Package picture draws a figure as a static picture, SVG or PNG: for printing, for pasting, and for readers without
// scripts. It draws marks and knows no particular chart. Start at Write.
package picture

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"

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
	wide       = 900 // a figure that takes the whole width
	narrow     = 640
	titleSpace = 34 // above the panels
	headSpace  = 24 // above a panel, for its name
	footSpace  = 44 // below the last: the horizontal axis
	originLine = 20 // below all
	legendLine = 17 // of the disks' names, below the title
	margin     = 14
	rightSpace = 24
	wordsSpace = 190 // to the right of panels in which words stand for the axis
)

// Write draws a figure of the document. Its title says what it shows; the line at its foot when and on what it was
// measured, and that it was not.
func Write(w io.Writer, doc *report.Document, f *report.Figure, opts Options) error {
	width, height := vg.Length(narrow), vg.Length(titleSpace+footSpace+originLine)
	if f.Wide {
		width = wide
	}
	for _, panel := range f.Panels {
		height += headSpace + vg.Length(panel.Height)
	}
	sketch := newPainting(draw.NewCanvas(vgsvg.New(width, height), width, height), doc, f, opts)
	height += legendLine * vg.Length(len(sketch.legend(width)))
	var err error
	if opts.PNG {
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(144))}
		newPainting(draw.New(canvas), doc, f, opts).paint()
		_, err = canvas.WriteTo(w)
	} else {
		canvas := vgsvg.New(width, height)
		newPainting(draw.New(canvas), doc, f, opts).paint()
		var text bytes.Buffer
		if _, err = canvas.WriteTo(&text); err == nil {
			_, err = w.Write(tidy(text.Bytes()))
		}
	}
	if err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

// painting is a figure being drawn.
type painting struct {
	draw.Canvas
	ink
	doc  *report.Document
	f    *report.Figure
	opts Options
	left vg.Length // of the panels
	free vg.Length // to their right
}

func newPainting(c draw.Canvas, doc *report.Document, f *report.Figure, opts Options) *painting {
	p := &painting{Canvas: c, ink: newInk(opts.Dark), doc: doc, f: f, opts: opts, left: 48, free: rightSpace}
	if f.X.Bare {
		p.free = wordsSpace
	}
	for _, panel := range f.Panels {
		if !panel.Y.Rows {
			continue
		}
		for i := range f.Keys {
			p.left = max(p.left, p.style(10, p.grey).Width(p.label(i))+36)
		}
	}
	p.left = min(p.left, 210)
	return p
}

func (p *painting) paint() {
	p.SetColor(p.paper)
	p.Fill(box(p.Min.X, p.Min.Y, p.Max.X, p.Max.Y))
	title := p.style(14, p.black)
	title.Font.Weight = bold
	origin := p.style(9, p.grey)
	left, wide := p.Min.X+margin, p.Max.X-p.Min.X-2*margin
	p.write(title, vg.Point{X: left, Y: p.Max.Y - 20}, p.fits(title, p.show(report.Clean(p.f.Title)), wide))
	p.write(origin, vg.Point{X: left, Y: p.Min.Y + 12}, p.fits(origin, p.show(report.PictureOrigin(p.doc, p.f)), wide))
	top := p.Max.Y - titleSpace
	for _, row := range p.legend(p.Max.X - p.Min.X) {
		x := p.Min.X + margin
		for _, i := range row {
			p.symbols(p.colour(i), i, 3.6, []vg.Point{{X: x + 5, Y: top - 4}})
			p.write(p.style(10, p.black), vg.Point{X: x + 13, Y: top - 4}, p.label(i))
			x += p.keyWidth(i)
		}
		top -= legendLine
	}
	for i := range p.f.Panels {
		top -= headSpace
		height := vg.Length(p.f.Panels[i].Height)
		plane := &plane{
			painting: p, panel: &p.f.Panels[i], last: i == len(p.f.Panels)-1,
			Rectangle: rectangle(p.Min.X+p.left, top-height, p.Max.X-p.free, top),
		}
		plane.paint()
		top -= height
	}
}

// legend is the keys in rows that fit, for figures that do not name them otherwise.
func (p *painting) legend(width vg.Length) [][]int {
	for _, panel := range p.f.Panels {
		if panel.Y.Rows {
			return nil
		}
	}
	var rows [][]int
	x := width
	for i := range p.f.Keys {
		if x += p.keyWidth(i); x > width-margin {
			rows, x = append(rows, nil), margin+p.keyWidth(i)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], i)
	}
	return rows
}

func (p *painting) keyWidth(i int) vg.Length { return p.style(10, p.black).Width(p.label(i)) + 32 }

// plane is a panel with its place.
type plane struct {
	*painting
	vg.Rectangle
	panel *report.Panel
	last  bool
	taken []vg.Rectangle // by words
}

func (p *plane) paint() {
	p.axes()
	for i := range p.panel.Marks {
		p.mark(&p.panel.Marks[i])
	}
	p.words()
}

// x and y are the place of a value.
func (p *plane) x(v float64) vg.Length {
	low, high := p.f.X.Min, p.f.X.Max
	if p.f.X.Log {
		low, high, v = math.Log(low), math.Log(high), math.Log(v)
	}
	return p.Min.X + p.Size().X*vg.Length((v-low)/(high-low))
}

func (p *plane) y(v float64) vg.Length {
	low, high := p.panel.Y.Min, p.panel.Y.Max
	share := vg.Length((v - low) / (high - low))
	if p.panel.Y.Rows {
		share = 1 - share // from the top
	}
	return p.Min.Y + p.Size().Y*share
}

func (p *plane) axes() {
	name := p.style(11, p.black)
	name.Font.Weight = bold
	p.write(name, vg.Point{X: p.painting.Min.X + margin, Y: p.Max.Y + 10}, p.show(p.panel.Y.Name))
	values := p.style(10, p.grey)
	values.XAlign = -1
	if p.panel.Y.Rows {
		for i := range p.f.Keys {
			if y := float64(i); y < p.panel.Y.Min || y > p.panel.Y.Max {
				continue
			}
			at := vg.Point{X: p.Min.X - 8, Y: p.y(float64(i))}
			label := p.fits(values, p.label(i), p.left-30)
			p.write(values, at, label)
			p.symbols(p.colour(i), i, 3.4, []vg.Point{{X: at.X - values.Width(label) - 9, Y: at.Y}})
		}
	} else if !p.panel.Y.Bare {
		for _, v := range report.Steps(p.panel.Y.Min, p.panel.Y.Max, max(2, p.panel.Height/45)) {
			p.StrokeLine2(stroke(p.grid, 0.6), p.Min.X, p.y(v), p.Max.X, p.y(v))
			p.write(values, vg.Point{X: p.Min.X - 6, Y: p.y(v)}, tick(p.panel.Y.Unit, v))
		}
	}
	if p.f.X.Bare {
		p.StrokeLine2(stroke(p.grey, 0.6), p.Min.X, p.Min.Y, p.Min.X, p.Max.Y)
		return
	}
	steps := report.Steps(p.f.X.Min, p.f.X.Max, 8)
	if p.f.X.Log {
		steps = powers(p.f.X.Min, p.f.X.Max, 1, 2, 5)
	}
	values.XAlign, values.YAlign = -0.5, -1
	used := vg.Length(math.Inf(-1))
	for _, v := range steps {
		if p.panel.Y.Rows {
			p.StrokeLine2(stroke(p.grid, 0.6), p.x(v), p.Min.Y, p.x(v), p.Max.Y)
		}
		text := tick(p.f.X.Unit, v)
		if half := values.Width(text) / 2; p.last && p.x(v)-half > used {
			p.write(values, vg.Point{X: p.x(v), Y: p.Min.Y - 5}, text)
			used = p.x(v) + half + 8
		}
	}
	p.StrokeLine2(stroke(p.grey, 0.6), p.Min.X, p.Min.Y, p.Max.X, p.Min.Y)
	if p.last {
		values.XAlign = -1
		p.write(values, vg.Point{X: p.Max.X, Y: p.Min.Y - 20}, p.show(p.f.X.Name))
	}
}

// tick writes a value on an axis.
func tick(unit report.Unit, v float64) string {
	if unit == report.Plain {
		return plain(v)
	}
	return report.Write(unit, v)
}

// powers are the powers of ten, times each of the factors, from low to high.
func powers(low, high float64, factors ...float64) []float64 {
	var out []float64
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high*1.001; power *= 10 {
		for _, factor := range factors {
			if at := factor * power; at >= low*0.999 && at <= high*1.001 {
				out = append(out, at)
			}
		}
	}
	return out
}

// mark draws a mark's rows; its words come after all marks.
func (p *plane) mark(m *report.OldMark) {
	c := p.tint(m)
	switch m.Shape {
	case report.Segment:
		p.segments(m, c)
	case report.Point:
		p.points(m, c)
	case report.Step:
		p.steps(m, c)
	case report.Rectangle:
		p.bars(m, c)
	case report.Ribbon:
		boxes, lines := vg.Path{}, vg.Path{}
		for _, row := range m.Rows {
			boxes = append(boxes, box(p.x(row[0]), p.y(row[2]), p.x(row[1]), p.y(row[3]))...)
			lines = line(lines, p.x(row[0]), p.y(row[4]), p.x(row[1]), p.y(row[4]))
		}
		p.fill(pale(c, 60), boxes)
		p.strokePath(stroke(c, 1.5), lines)
	case report.Span:
		for _, row := range m.Rows {
			p.fill(p.shade, box(p.x(row[0]), p.Min.Y, p.x(row[1]), p.Max.Y))
		}
	case report.Rule:
		for _, row := range m.Rows {
			dashes := []vg.Length{4, 3}
			if len(row) < 3 {
				p.StrokeLine2(stroke(c, 1.2, dashes...), p.x(row[0]), p.Min.Y, p.x(row[0]), p.Max.Y)
				continue
			}
			p.StrokeLine2(stroke(c, 0.9, dashes...), p.x(row[0]), p.y(row[2]), p.x(row[1]), p.y(row[2]))
		}
	}
}

func (p *plane) segments(m *report.OldMark, c color.Color) {
	if m.Name == p.f.Also {
		return // shown on demand only
	}
	width, dashes := vg.Length(1.5), []vg.Length(nil)
	if m.Style == report.Dashed {
		dashes = []vg.Length{5, 3}
	}
	var path vg.Path
	var middles []vg.Point
	for _, row := range m.Rows {
		x1, x2, y1, y2 := p.x(row[0]), p.x(row[1]), p.y(row[2]), p.y(row[3])
		path = line(path, x1, y1, x2, y2)
		if m.Style == report.Ink && y1 == y2 {
			path = line(line(path, x1, y1-3, x1, y1+3), x2, y2-3, x2, y2+3)
		}
		if m.Style == report.Normal {
			middles = append(middles, vg.Point{X: (x1 + x2) / 2, Y: (y1 + y2) / 2})
		}
		if x1 == x2 && m.Style != report.Bare {
			width = 2.4
		}
	}
	p.strokePath(stroke(c, float64(width), dashes...), path)
	p.symbols(c, m.Key, 3, middles)
}

func (p *plane) points(m *report.OldMark, c color.Color) {
	at := make([]vg.Point, len(m.Rows))
	for i, row := range m.Rows {
		at[i] = vg.Point{X: p.x(row[0]), Y: p.y(row[1])}
	}
	p.symbols(c, m.Key, 3, at)
}

func (p *plane) steps(m *report.OldMark, c color.Color) {
	if len(m.Rows) == 0 {
		return
	}
	var edge []vg.Point
	for i, row := range m.Rows {
		if i > 0 {
			edge = append(edge, vg.Point{X: p.x(row[0]), Y: edge[len(edge)-1].Y})
		}
		edge = append(edge, vg.Point{X: p.x(row[0]), Y: p.y(row[1])})
	}
	if m.Style == report.Area {
		foot := []vg.Point{{X: edge[0].X, Y: p.Min.Y}}
		p.FillPolygon(p.area, append(append(foot, edge...), vg.Point{X: edge[len(edge)-1].X, Y: p.Min.Y}))
	}
	p.StrokeLines(stroke(c, 1), edge)
}

func (p *plane) bars(m *report.OldMark, c color.Color) {
	var path vg.Path
	for _, row := range m.Rows {
		x1, x2 := p.x(row[0]), p.x(row[1])
		if m.Style == report.Apart {
			x2 -= 0.7
		}
		least := vg.Length(0.3)
		if row[0] == row[1] {
			least = 2 // a moment
		}
		b := box(x1, p.y(row[2]), max(x2, x1+least), p.y(row[3]))
		if m.Style == report.Density {
			p.fill(pale(c, uint8(40+215*math.Sqrt(row[len(row)-1]))), b)
			continue
		}
		path = append(path, b...)
	}
	if m.Style == report.Outline || m.Style == report.Hatched {
		p.strokePath(stroke(c, 1.2), path)
		for _, row := range m.Rows {
			left, foot, wide, tall := p.x(row[0]), p.y(row[3]), p.x(row[1])-p.x(row[0]), p.y(row[2])-p.y(row[3])
			for at := 5 - tall; m.Style == report.Hatched && at < wide; at += 5 {
				from, to := max(0, -at), min(tall, wide-at) // up to the right, within the bar
				p.StrokeLine2(stroke(c, 0.8), left+at+from, foot+from, left+at+to, foot+to)
			}
		}
		return
	}
	if m.Style.Changed() && m.Rows[0][0] < m.Rows[0][1] { // words stand in it
		c = pale(c, 77)
	}
	p.fill(c, path)
}
