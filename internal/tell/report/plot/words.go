package plot

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// words are what bands and marks say, each where it is free: one that would cover another is moved up or down, and left
// out where there is no room.
type words struct {
	*drawing
	taken []vg.Rectangle
}

// tries is how many places are tried for a text.
const tries = 9

// Plot implements plot.Plotter.
func (w *words) Plot(c draw.Canvas, p *plot.Plot) {
	w.taken = nil
	x, y := p.Transforms(&c)
	for _, b := range w.chart.Bands {
		w.put(c, vg.Point{X: x(b.From) + 4, Y: c.Max.Y - 9}, report.None, b.Text)
	}
	for _, m := range w.chart.Marks {
		x1, y1, _, y2 := m.Ends(w.chart)
		at := vg.Point{X: x(x1) + 4, Y: y(y1) + 8}
		if m.Upright {
			at.Y = max(y(y1), y(y2)) - 9
		}
		w.put(c, at, m.Key, m.Text)
	}
}

func (w *words) put(c draw.Canvas, at vg.Point, key int, words string) {
	if words == "" {
		return
	}
	words = w.show(report.Clean(words))
	style := w.style(10, w.black)
	width, height, symbol := style.Width(words)+4, style.Font.Size*1.2, vg.Length(0)
	if key != report.None {
		symbol = 11
	}
	at.X = max(c.Min.X+2, min(at.X, c.Max.X-width-symbol))
	for try := range tries {
		y := at.Y + height*vg.Length((try+1)/2)*vg.Length(1-2*(try%2))
		place := vg.Rectangle{Min: vg.Point{X: at.X, Y: y - height/2}, Max: vg.Point{X: at.X + width + symbol, Y: y + height/2}}
		taken := slices.ContainsFunc(w.taken, func(r vg.Rectangle) bool {
			return r.Min.X < place.Max.X && place.Min.X < r.Max.X && r.Min.Y < place.Max.Y && place.Min.Y < r.Max.Y
		})
		if taken || place.Max.Y > c.Max.Y+2 || place.Min.Y < c.Min.Y {
			continue
		}
		w.taken = append(w.taken, place)
		c.SetColor(pale(w.paper, 190))
		c.Fill(place.Path())
		if key != report.None {
			c.DrawGlyph(w.glyph(key), vg.Point{X: at.X + 5, Y: y})
		}
		c.FillText(style, vg.Point{X: at.X + symbol + 2, Y: y}, words)
		return
	}
}

// label is what a key is called in this picture.
func (d *drawing) label(key int) string { return d.show(d.chart.Keys[key].Label) }

// show is text as this picture can write it. An SVG is written with the reader's fonts, which have all letters and know
// which way they run. A PNG has only those of its own font: a name with others in it is replaced by the disk's number.
func (d *drawing) show(words string) string {
	if !d.png {
		return words
	}
	for _, key := range d.chart.Keys {
		if !drawable(key.Label) {
			words = strings.ReplaceAll(words, key.Label, "disk "+strconv.Itoa(key.Index+1))
		}
	}
	return strings.Map(func(r rune) rune {
		if drawable(string(r)) {
			return r
		}
		return '?'
	}, words)
}

// drawable reports whether the picture's font has all letters of the text, and writes them in their order.
func drawable(words string) bool {
	face := font.DefaultCache.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, 10)
	var buffer sfnt.Buffer
	for _, r := range words {
		if index, err := face.Face.GlyphIndex(&buffer, r); err != nil || index == 0 {
			return false
		}
	}
	return !report.RightToLeft(words)
}

// fits cuts text to a width.
func fits(style text.Style, words string, width vg.Length) string {
	for n := cells.Width(words); n > 4 && style.Width(words) > width; n-- {
		words = cells.CutMiddle(words, n)
	}
	return words
}
