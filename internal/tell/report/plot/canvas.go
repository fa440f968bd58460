package plot

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"strconv"
	"strings"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hubbench/hubbench/internal/tell/cells"
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

// canvas is a chart being drawn. Colours are written as in a style sheet. Gain and loss have no
// disk's colour, and differ for colour-blind readers: they are the ends of a scale from blue to red
// after Paul Tol, "Colour schemes" (2021), lightened for dark paper.
type canvas struct {
	*report.Chart
	png              bool
	room             vg.Length // for a line of text
	plane            draw.Canvas
	dashes           []vg.Length // dashes of the next lines
	face             font.Face
	paper, ink, grey string
	tones            map[report.Sign]string
	colours          []string
	heights          []float64         // heights with a label: rows, or steps of a scale
	taken            []image.Rectangle // by notes
}

func newCanvas(chart *report.Chart, opts Options) *canvas {
	regular := must(opentype.Parse(goregular.TTF))
	c := &canvas{
		Chart: chart, png: opts.PNG, colours: report.Colours(opts.Dark),
		paper: "#ffffff", ink: "#15181c", grey: "#545c66",
		tones: map[report.Sign]string{
			report.Good: "#364b9a", report.Doubt: "#8a4b00", report.Bad: "#a50026",
		},
		face:    font.Face{Face: regular, Font: font.Font{Size: textSize}},
		heights: report.Steps(chart.Y.Min, chart.Y.Max, cmp.Or(len(chart.Rows), mostSteps)),
	}
	if opts.Dark {
		c.paper, c.ink, c.grey = "#0f1216", "#eceff3", "#a9b2bd"
		c.tones = map[report.Sign]string{
			report.Good: "#98a8ff", report.Doubt: "#ffc46b", report.Bad: "#ff6b7d",
		}
	}
	return c
}

// must reads what is a constant of this program.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// colour is a key's, or that of a tone for what belongs to none.
func (c *canvas) colour(key int, tone report.Sign) string {
	if key == report.None {
		return cmp.Or(c.tones[tone], c.grey)
	}
	return c.colours[c.Keys[key].Colour()]
}

func rgb(colour string) color.Color {
	var out color.NRGBA
	must(fmt.Sscanf(colour+"ff", "#%02x%02x%02x%02x", &out.R, &out.G, &out.B, &out.A))
	return out
}

func pt(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }

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

// drawSymbol draws a key's.
func (c *canvas) drawSymbol(at vg.Point, key int, colour string) {
	const (
		radius  = 3
		perUnit = radius / 9.0 // A circle as large as the other symbols has a radius of 9.
	)
	var corners []vg.Point
	for corner := range strings.FieldsSeq(report.Outlines()[c.Keys[key].Symbol()]) {
		var to vg.Point
		must(fmt.Sscanf(corner, "%g,%g", &to.X, &to.Y))
		corners = append(corners, at.Add(pt(to.X, -to.Y).Scale(perUnit)))
	}
	if corners == nil {
		c.plane.SetColor(rgb(colour))
		draw.CircleGlyph{}.DrawGlyph(&c.plane, draw.GlyphStyle{Radius: radius}, at)
	}
	c.plane.FillPolygon(rgb(colour), corners)
}

// writeEntry writes words, with a key's symbol before them.
func (c *canvas) writeEntry(at vg.Point, key int, words string) {
	if key != report.None {
		c.drawSymbol(at.Add(pt(gap, 0)), key, c.colour(key, report.Unsigned))
		at.X += symbolRoom
	}
	c.writeText(at, textSize, words)
}

// writeText writes from a place on, in the middle of its height; smaller if it is too long for a
// line.
func (c *canvas) writeText(at vg.Point, size vg.Length, words string) {
	face := c.face
	face.Font.Size = min(size, textSize*c.room/c.textWidth(words))
	c.plane.SetColor(rgb(c.ink))
	c.plane.FillString(face, at.Sub(pt(0, face.Font.Size*capital/2)), c.writable(words))
}

// textWidth is how much room text needs: an SVG is shown in the reader's fonts, which may be wider
// than the picture's own, and have the East Asian letters that it lacks.
func (c *canvas) textWidth(words string) vg.Length {
	words = c.writable(words)
	cellWidth := vg.Length(textSize) / 2
	return widestFont * max(c.face.Width(words), cellWidth*vg.Length(cells.Width(words)))
}

// writable is text as this picture can write it. An SVG is written with the reader's fonts, which
// have all letters and know which way they run. A PNG has only those of its own font: a name with
// others in it is replaced by the disk's number.
func (c *canvas) writable(words string) string {
	words = report.Clean(words)
	if !c.png {
		return words
	}
	for _, key := range c.Keys {
		if strings.ContainsFunc(key.Label, c.lacks) {
			words = strings.ReplaceAll(words, key.Label, "disk "+strconv.Itoa(key.Index+1))
		}
	}
	return strings.Map(func(r rune) rune {
		if c.lacks(r) {
			return '?'
		}
		return r
	}, words)
}

// lacks reports whether the font has no such letter. It has none that is written from the right.
func (c *canvas) lacks(r rune) bool {
	index, err := c.face.Face.GlyphIndex(nil, r)
	return err != nil || index == 0
}
