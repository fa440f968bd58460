package plot

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
	"unicode"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	xfont "golang.org/x/image/font"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/unit"
)

const bold = xfont.WeightBold

// ink is a picture's colours.
type ink struct {
	paper, black, grey, grid, shade, area color.Color
	disks                                 []color.Color
}

func newInk(dark bool) ink {
	i := ink{
		paper: rgb("#ffffff"), black: rgb("#15181c"), grey: rgb("#545c66"), grid: rgb("#e1e5ea"),
		shade: color.NRGBA{21, 24, 28, 14}, area: color.NRGBA{21, 24, 28, 23},
	}
	if dark {
		i = ink{
			paper: rgb("#0f1216"), black: rgb("#eceff3"), grey: rgb("#a9b2bd"), grid: rgb("#2a3038"),
			shade: color.NRGBA{236, 239, 243, 18}, area: color.NRGBA{236, 239, 243, 31},
		}
	}
	for _, hex := range chart.Colours(dark) {
		i.disks = append(i.disks, rgb(hex))
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

func (i ink) text(size float64, c color.Color) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)},
		YAlign:  text.YCenter,
		Handler: gonum.DefaultTextHandler,
	}
}

func (i ink) disk(index int) color.Color {
	colour, _ := chart.Look(index)
	return i.disks[colour]
}

// plot is an empty plane with the picture's type and colours.
func (i ink) plot(name string) *gonum.Plot {
	p := gonum.New()
	p.BackgroundColor = nil // the picture has its own
	p.Title.Text = clean(name)
	p.Title.TextStyle = i.text(11, i.black)
	p.Title.TextStyle.Font.Weight = bold
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = text.XCenter, text.YTop
	p.Title.Padding = vg.Points(4)
	for _, axis := range []*gonum.Axis{&p.X, &p.Y} {
		axis.LineStyle = draw.LineStyle{Color: i.grey, Width: vg.Points(0.6)}
		axis.Tick.Label = i.text(10, i.grey)
		axis.Tick.LineStyle = draw.LineStyle{Color: i.grey, Width: vg.Points(0.6)}
		axis.Tick.Length = vg.Points(4)
		axis.Padding = 0
	}
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XCenter, text.YTop
	p.Y.Tick.Label.XAlign = text.XRight
	p.Y.Tick.Length = 0
	p.Y.Width = 0
	return p
}

// painter is a plotter made of a function.
type painter func(pen)

// pen draws in the plane of a plot, in its data's coordinates.
type pen struct {
	draw.Canvas
	x, y func(float64) vg.Length
}

// Plot implements plot.Plotter.
func (paint painter) Plot(c draw.Canvas, p *gonum.Plot) {
	x, y := p.Transforms(&c)
	paint(pen{c, x, y})
}

// rects fills all rectangles as one path, given as corners in data coordinates: left, bottom, right, top.
func (p pen) rects(c color.Color, list [][4]float64) {
	var path vg.Path
	for _, r := range list {
		left, right := p.x(r[0]), max(p.x(r[2]), p.x(r[0])+vg.Points(0.3))
		path.Move(vg.Point{X: left, Y: p.y(r[1])})
		path.Line(vg.Point{X: right, Y: p.y(r[1])})
		path.Line(vg.Point{X: right, Y: p.y(r[3])})
		path.Line(vg.Point{X: left, Y: p.y(r[3])})
		path.Close()
	}
	p.fill(c, path)
}

// lines strokes all of them as one path.
func (p pen) lines(style draw.LineStyle, list [][4]float64) {
	if len(list) == 0 {
		return
	}
	var path vg.Path
	for _, l := range list {
		path.Move(vg.Point{X: p.x(l[0]), Y: p.y(l[1])})
		path.Line(vg.Point{X: p.x(l[2]), Y: p.y(l[3])})
	}
	p.SetLineStyle(style)
	p.Stroke(path)
}

// marks fills a disk's symbol at all places as one path.
func (p pen) marks(c color.Color, index int, radius float64, at []vg.Point) {
	_, shape := chart.Look(index)
	corners := chart.Shapes()[shape]
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

func (p pen) fill(c color.Color, path vg.Path) {
	if len(path) == 0 {
		return
	}
	p.SetColor(c)
	p.Fill(path)
}

func stroke(c color.Color, points float64, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(points), Dashes: dashes}
}

// ticks are round numbers with a unit or in another writing.
type ticks struct {
	most  int
	write func(float64) string
}

// Ticks implements plot.Ticker.
func (t ticks) Ticks(low, high float64) []gonum.Tick {
	var out []gonum.Tick
	for _, at := range chart.Steps(low, high, t.most) {
		out = append(out, gonum.Tick{Value: at, Label: t.write(at)})
	}
	return out
}

func plain(x float64) string   { return strconv.FormatFloat(x, 'g', 6, 64) }
func seconds(x float64) string { return plain(x) + " s" }
func volume(x float64) string  { return unit.FormatBytes(int64(x)) }

// decades are ticks at 1, 2 and 5 times the powers of ten.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(low, high float64) []gonum.Tick {
	var out []gonum.Tick
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for _, factor := range []float64{1, 2, 5} {
			if at := factor * power; at >= low*0.999 && at <= high*1.001 {
				out = append(out, gonum.Tick{Value: at, Label: volume(at)})
			}
		}
	}
	return out
}

// clean replaces what no picture can show.
func clean(words string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(words, ""))
}

// shorten cuts a name to so many letters.
func shorten(name string, most int) string {
	letters := []rune(clean(name))
	if len(letters) <= most {
		return string(letters)
	}
	return string(letters[:most-1]) + "…"
}
