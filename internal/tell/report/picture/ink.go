package picture

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"

	"github.com/hubbench/hubbench/internal/tell/report"
)

const bold = xfont.WeightBold

// ink is a picture's colours. Gain and loss are no disk's, and differ for colour-blind readers: the ends of a scale
// from blue to red after Paul Tol, "Colour schemes" (2021), lightened for dark paper.
type ink struct {
	paper, black, grey, grid, shade, area, doubt, gain, loss color.Color
	keys                                                     []color.Color
}

func newInk(dark bool) ink {
	i := ink{
		paper: rgb("#ffffff"), black: rgb("#15181c"), grey: rgb("#545c66"), grid: rgb("#e1e5ea"), doubt: rgb("#8a4b00"),
		shade: color.NRGBA{21, 24, 28, 14}, area: color.NRGBA{21, 24, 28, 23}, gain: rgb("#364b9a"), loss: rgb("#a50026"),
	}
	if dark {
		i = ink{
			paper: rgb("#0f1216"), black: rgb("#eceff3"), grey: rgb("#a9b2bd"), grid: rgb("#2a3038"), doubt: rgb("#ffc46b"),
			shade: color.NRGBA{236, 239, 243, 18}, area: color.NRGBA{236, 239, 243, 31},
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

// pale is the colour for areas under or behind lines of it.
func pale(c color.Color, alpha uint8) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), alpha}
}

func (ink) style(size float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)},
		YAlign: text.YCenter, Handler: text.Plain{Fonts: fonts()},
	}
}

// fonts are the two that a picture is written with. Package plot would bring ten more, 4 MB of every binary, and read
// them all when it starts.
var fonts = sync.OnceValue(func() *font.Cache { //nolint:gochecknoglobals // read once, then as fixed as a constant
	var faces font.Collection
	for weight, ttf := range map[xfont.Weight][]byte{
		xfont.WeightNormal: liberationsansregular.TTF, bold: liberationsansbold.TTF,
	} {
		face, err := opentype.Parse(ttf)
		if err != nil {
			panic(fmt.Sprintf("font of this program: %v", err))
		}
		faces = append(faces, font.Face{Font: font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight}, Face: face})
	}
	return font.NewCache(faces)
})

// colour is that of a key of the figure.
func (p *painting) colour(key int) color.Color { return p.keys[p.f.Keys[key].Colour()] }

// tint is a mark's colour.
func (p *painting) tint(m *report.OldMark) color.Color {
	switch {
	case m.Style == report.Limit:
		return p.doubt
	case m.Style == report.Gain:
		return p.gain
	case m.Style == report.Loss:
		return p.loss
	case m.Style == report.Turn:
		return p.grey
	case m.Key == report.None || m.Style == report.Ink:
		return p.black
	case m.Style == report.Faint:
		return pale(p.colour(m.Key), 140)
	default:
		return p.colour(m.Key)
	}
}

func stroke(c color.Color, points float64, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(points), Dashes: dashes}
}

func rectangle(x1, y1, x2, y2 vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x1, Y: y1}, Max: vg.Point{X: x2, Y: y2}}
}

func box(x1, y1, x2, y2 vg.Length) vg.Path {
	var path vg.Path
	path.Move(vg.Point{X: x1, Y: y1})
	path.Line(vg.Point{X: x2, Y: y1})
	path.Line(vg.Point{X: x2, Y: y2})
	path.Line(vg.Point{X: x1, Y: y2})
	path.Close()
	return path
}

func line(path vg.Path, x1, y1, x2, y2 vg.Length) vg.Path {
	path.Move(vg.Point{X: x1, Y: y1})
	path.Line(vg.Point{X: x2, Y: y2})
	return path
}

func (p *painting) fill(c color.Color, path vg.Path) {
	if len(path) > 0 {
		p.SetColor(c)
		p.Fill(path)
	}
}

func (p *painting) strokePath(style draw.LineStyle, path vg.Path) {
	if len(path) > 0 {
		p.SetLineStyle(style)
		p.Stroke(path)
	}
}

// symbols fills a key's symbol at all places as one path; None has a circle.
func (p *painting) symbols(c color.Color, key int, radius float64, at []vg.Point) {
	var corners []report.Corner
	if key != report.None {
		corners = report.Shapes()[p.f.Keys[key].Symbol()]
	}
	size := vg.Points(radius)
	var path vg.Path
	for _, point := range at {
		if corners == nil {
			path.Move(vg.Point{X: point.X + size*0.9, Y: point.Y})
			path.Arc(point, size*0.9, 0, 2*math.Pi)
			path.Close()
			continue
		}
		for i, corner := range corners {
			to := vg.Point{X: point.X + size*vg.Length(corner.X/9), Y: point.Y - size*vg.Length(corner.Y/9)}
			if i == 0 {
				path.Move(to)
			} else {
				path.Line(to)
			}
		}
		path.Close()
	}
	p.fill(c, path)
}

func plain(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
