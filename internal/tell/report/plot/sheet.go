package plot

import (
	"fmt"
	"html"
	"image/color"
	"io"
	"strconv"
	"strings"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// sheet is what a picture is drawn on. Colours are written as in a style sheet.
type sheet struct {
	draw.Canvas
	target        vg.CanvasWriterTo
	width, height vg.Length
	png           bool
	keys          []report.LegendKey
	regular, bold *opentype.Font
	palette
	disks []string
}

// palette is the page's colours by the names that its style sheet gives them.
type palette struct {
	paper, card, ink, soft, faint, line, pill, bad, good, mid, warn, onWarn, h1, h2 string
}

func paletteOf(dark bool) palette {
	if dark {
		return palette{
			paper: "#111317", card: "#191c22", ink: "#eceef2", soft: "#a9b0bd", faint: "#9097a6",
			line: "#2d323c", pill: "#242831", bad: "#ff8a80", good: "#5ad19a", mid: "#f0b849",
			warn: "#3d2e10", onWarn: "#ffd48a", h1: "#959ca9", h2: "#b69cff",
		}
	}
	return palette{
		paper: "#fbfaf8", card: "#ffffff", ink: "#16181d", soft: "#565c69", faint: "#6a707e",
		line: "#e6e4df", pill: "#f1efea", bad: "#b3261e", good: "#16713f", mid: "#8a5a00",
		warn: "#ffe9c7", onWarn: "#6a4200", h1: "#686e7c", h2: "#6a3fc4",
	}
}

// newSheet returns an empty sheet. A PNG has so many dots to the inch.
func newSheet(width, height vg.Length, dpi int, keys []report.LegendKey, opts Options) *sheet {
	s := &sheet{
		target: vgsvg.New(width, height), width: width, height: height, png: opts.PNG, keys: keys,
		regular: must(opentype.Parse(liberationsansregular.TTF)),
		bold:    must(opentype.Parse(liberationsansbold.TTF)),
		palette: paletteOf(opts.Dark), disks: report.Colours(opts.Dark),
	}
	if opts.PNG {
		size := vgimg.UseWH(width, height)
		s.target = vgimg.PngCanvas{Canvas: vgimg.NewWith(size, vgimg.UseDPI(dpi))}
	}
	s.Canvas = draw.New(s.target)
	s.SetColor(rgb(s.paper))
	s.Fill(vg.Rectangle{Max: pt(width, height)}.Path())
	return s
}

// save writes the picture; title is read out in place of it.
func (s *sheet) save(w io.Writer, title string) error {
	if s.png {
		_, err := s.target.WriteTo(w)
		return err
	}
	var out strings.Builder
	if _, err := s.target.WriteTo(&out); err != nil {
		return err
	}
	// An SVG is shown in the reader's own font, as the page is.
	own := strings.NewReplacer("font-family:Liberation Sans;",
		"font-family:system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif;")
	label := `<svg role="img" aria-label="` + html.EscapeString(report.Clean(title)) + `" `
	text := strings.Replace(own.Replace(out.String()), "<svg ", label, 1)
	_, err := io.WriteString(w, text)
	return err
}

// must reads what is a constant of this program.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func rgb(colour string) color.Color {
	var out color.NRGBA
	must(fmt.Sscanf(colour+"ff", "#%02x%02x%02x%02x", &out.R, &out.G, &out.B, &out.A))
	return out
}

func pt(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }

// style is how text is written.
type style struct {
	size   vg.Length
	bold   bool
	colour string
	align  float64 // the part of its width that stands left of its place
}

func (s *sheet) face(st style) font.Face {
	if st.bold {
		return font.Face{Face: s.bold, Font: font.Font{Size: st.size, Weight: xfont.WeightBold}}
	}
	return font.Face{Face: s.regular, Font: font.Font{Size: st.size}}
}

// write writes a text on a line.
func (s *sheet) write(at vg.Point, st style, words string) {
	words = s.writable(words)
	face := s.face(st)
	at.X -= face.Width(words) * vg.Length(st.align)
	s.SetColor(rgb(st.colour))
	s.FillString(face, at, words)
}

// room returns how much room a text needs: an SVG is shown in the reader's fonts, which may be
// wider than the picture's own, and have the East Asian letters that it lacks.
func (s *sheet) room(st style, words string) vg.Length {
	words = s.writable(words)
	cellWidth := st.size / 2
	face := s.face(st)
	width := face.Width(words)
	if s.png {
		return width
	}
	widest := vg.Length(widestFont)
	if st.bold {
		widest = widestBold
	}
	return widest * max(width, cellWidth*vg.Length(cells.Width(words)))
}

// drawSymbol draws a key's.
func (s *sheet) drawSymbol(at vg.Point, key report.LegendKey, radius vg.Length, colour string) {
	perUnit := radius / 9 // a circle as large as the other symbols has a radius of 9
	var corners []vg.Point
	for corner := range strings.FieldsSeq(report.Outlines()[key.Symbol()]) {
		var to vg.Point
		must(fmt.Sscanf(corner, "%g,%g", &to.X, &to.Y))
		corners = append(corners, at.Add(pt(to.X, -to.Y).Scale(perUnit)))
	}
	if corners == nil {
		s.SetColor(rgb(colour))
		draw.CircleGlyph{}.DrawGlyph(&s.Canvas, draw.GlyphStyle{Radius: radius}, at)
	}
	s.FillPolygon(rgb(colour), corners)
}

// writable is text as this picture can write it. An SVG is written with the reader's fonts, which
// have all letters and know which way they run. A PNG has only those of its own font: a name with
// others in it is replaced by the disk's number.
func (s *sheet) writable(words string) string {
	words = report.Clean(words)
	if !s.png {
		return words
	}
	for _, key := range s.keys {
		if strings.ContainsFunc(key.Label, s.lacks) {
			words = strings.ReplaceAll(words, key.Label, "disk "+strconv.Itoa(key.Index+1))
		}
	}
	return strings.Map(func(r rune) rune {
		if s.lacks(r) {
			return '?'
		}
		return r
	}, words)
}

// lacks reports whether the picture cannot write a letter: the font has none, or it is written from
// the right, which takes more than a font.
func (s *sheet) lacks(r rune) bool {
	index, err := s.regular.GlyphIndex(nil, r)
	return err != nil || index == 0 || report.RightToLeft(string(r))
}
