package plot

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hubbench/hubbench/internal/tell/report"
)

const bold = xfont.WeightBold

// ink is a picture's colours. Gain and loss are no disk's, and differ for colour-blind readers: the ends of a scale
// from blue to red after Paul Tol, "Colour schemes" (2021), lightened for dark paper.
type ink struct {
	paper, black, grey, doubt, gain, loss color.Color
	keys                                  []color.Color
}

func newInk(dark bool) ink {
	i := ink{
		paper: rgb("#ffffff"), black: rgb("#15181c"), grey: rgb("#545c66"), doubt: rgb("#8a4b00"),
		gain: rgb("#364b9a"), loss: rgb("#a50026"),
	}
	if dark {
		i = ink{
			paper: rgb("#0f1216"), black: rgb("#eceff3"), grey: rgb("#a9b2bd"), doubt: rgb("#ffc46b"),
			gain: rgb("#98a8ff"), loss: rgb("#ff6b7d"),
		}
	}
	for _, hex := range report.Colours(dark) {
		i.keys = append(i.keys, rgb(hex))
	}
	return i
}

// rgb reads a colour as the style sheet writes it.
func rgb(hex string) color.NRGBA {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		panic(fmt.Sprintf("colour %s: %v", hex, err)) // a constant of this program
	}
	return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}
}

// pale is the colour for what lies behind.
func pale(c color.Color, alpha uint8) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), alpha}
}

// tone is the colour of news, good or bad.
func (i *ink) tone(tone report.Sign) color.Color {
	switch tone {
	case report.Good:
		return i.gain
	case report.Doubt:
		return i.doubt
	case report.Bad:
		return i.loss
	}
	return i.grey
}

// tint is the colour of a key, or of the tone of what belongs to none.
func (d *drawing) tint(key int, tone report.Sign) color.Color {
	if key == report.None {
		return d.tone(tone)
	}
	return d.keys[d.chart.Keys[key].Colour()]
}

// style is text in the one font of all pictures, from the middle of its height.
func (*ink) style(size float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)},
		YAlign: text.YCenter, Handler: plot.DefaultTextHandler,
	}
}

// glyph is a key's symbol; None has a circle.
func (d *drawing) glyph(key int) draw.GlyphStyle {
	style := draw.GlyphStyle{Color: d.tint(key, report.Unsigned), Radius: markSize, Shape: shape(nil)}
	if key != report.None {
		style.Shape = shape(report.Shapes()[d.chart.Keys[key].Symbol()])
	}
	return style
}

// shape is the outline of a symbol; one without corners is a circle.
type shape []report.Corner

// DrawGlyph implements draw.GlyphDrawer.
func (s shape) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	if s == nil {
		path.Move(vg.Point{X: at.X + style.Radius, Y: at.Y})
		path.Arc(at, style.Radius, 0, 2*math.Pi)
	}
	for i, corner := range s {
		to := vg.Point{X: at.X + style.Radius*vg.Length(corner.X/9), Y: at.Y - style.Radius*vg.Length(corner.Y/9)}
		if i == 0 {
			path.Move(to)
		} else {
			path.Line(to)
		}
	}
	path.Close()
	c.SetColor(style.Color)
	c.Fill(path)
}
