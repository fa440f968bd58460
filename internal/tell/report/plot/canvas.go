package plot

import (
	"cmp"
	"image"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// mostSteps is how many steps a scale has at most.
const mostSteps = 7

// The opacity of what lies behind, as the last two digits of a colour.
const (
	palest   = "20"
	pale     = "70"
	nearFull = "d8"
)

// canvas is a chart being drawn.
type canvas struct {
	*report.Chart
	*sheet
	size    vg.Length // size of the text
	plane   draw.Canvas
	dashes  []vg.Length       // dashes of the next lines
	heights []float64         // heights with a label: rows, or steps of a scale
	taken   []image.Rectangle // by notes
}

func newCanvas(s *sheet, chart *report.Chart, size vg.Length) *canvas {
	return &canvas{
		Chart: chart, sheet: s, size: size, plane: s.Canvas,
		heights: report.Steps(chart.Y.Min, chart.Y.Max, cmp.Or(len(chart.Rows), mostSteps)),
	}
}

// colour is a key's, or that of a tone for what belongs to none.
func (c *canvas) colour(key int, tone report.Sign) string {
	switch {
	case key != report.None:
		return c.disks[c.Keys[key].Colour()]
	case tone == report.Good:
		return c.good
	case tone == report.Doubt:
		return c.mid
	case tone == report.Bad:
		return c.bad
	}
	return c.soft
}

// pointOf is a place on the plane. Rows are counted from the top.
func (c *canvas) pointOf(x, y float64) vg.Point {
	up := c.Y.Share(y)
	if len(c.Rows) > 0 {
		up = 1 - up
	}
	return pt(c.plane.X(c.X.Share(x)), c.plane.Y(up))
}

// heightLabel stands left of the plane.
func (c *canvas) heightLabel(y float64) string {
	if len(c.Rows) > 0 {
		return c.Rows[int(y)]
	}
	return c.Y.Tick(y)
}

// drawLine draws as much of a line as lies on the plane.
func (c *canvas) drawLine(colour string, width vg.Length, points ...vg.Point) {
	style := draw.LineStyle{Color: rgb(colour), Width: width, Dashes: c.dashes}
	c.plane.StrokeLines(style, c.plane.ClipLinesXY(points)...)
}

// writeEntry writes words, with a key's symbol before them.
func (c *canvas) writeEntry(at vg.Point, key int, words string) {
	if key != report.None {
		radius := symbolSize * c.size / textSize
		c.drawSymbol(at.Add(pt(gap, 0)), c.Keys[key], radius, c.colour(key, report.Unsigned))
		at.X += c.symbolRoom()
	}
	c.writeText(at, c.size, words)
}

// writeText writes from a place on, in the middle of its height; smaller if it is too long for a
// line.
func (c *canvas) writeText(at vg.Point, size vg.Length, words string) {
	st := style{size: size, colour: c.ink}
	st.size = min(size, size*(c.width-2*margin)/c.room(st, words))
	c.write(at.Sub(pt(0, st.size*capital/2)), st, words)
}

// line returns the height of a line of text.
func (c *canvas) line() vg.Length { return textLine * c.size / textSize }

// symbolRoom returns the room of a symbol before its text.
func (c *canvas) symbolRoom() vg.Length { return symbolRoom * c.size / textSize }

// textWidth returns how much room text needs.
func (c *canvas) textWidth(words string) vg.Length {
	return c.room(style{size: c.size}, words)
}
