package picture

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/bidi"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// word is something to be written in a plane, and where it would stand best.
type word struct {
	text  string
	style text.Style
	at    vg.Point // of its left end, in the middle of its height
	key   int
}

// words writes what the marks say, each where it is free: a word that would cover another is moved up or down, and left
// out where there is no room. In a bare panel none is moved.
func (p *plane) words() {
	var all []word
	for i := range p.panel.Marks {
		m := &p.panel.Marks[i]
		if m.Text != "" && len(m.Rows) > 0 {
			all = append(all, p.word(m))
		}
	}
	slices.SortStableFunc(all, func(a, b word) int { return cmp.Compare(b.at.Y, a.at.Y) })
	for _, w := range all {
		width, height := w.style.Width(w.text)+2, w.style.Font.Size*1.15
		mark := vg.Length(0)
		if w.key != report.None {
			mark = 11
		}
		w.at.X = max(p.Min.X+2, min(w.at.X, p.Max.X+p.free-4-width-mark))
		tries := 9
		if p.panel.Y.Bare {
			tries = 1
		}
		for try := range tries {
			y := w.at.Y + height*vg.Length((try+1)/2)*vg.Length(1-2*(try%2))
			place := rectangle(w.at.X, y-height/2, w.at.X+width+mark, y+height/2)
			taken := slices.ContainsFunc(p.taken, func(r vg.Rectangle) bool {
				return r.Min.X < place.Max.X && place.Min.X < r.Max.X && r.Min.Y < place.Max.Y && place.Min.Y < r.Max.Y
			})
			if taken || place.Max.Y > p.Max.Y+height/2 || place.Min.Y < p.Min.Y-height/2 {
				continue
			}
			p.taken = append(p.taken, place)
			if !p.panel.Y.Bare {
				p.fill(pale(p.paper, 190), box(place.Min.X, place.Min.Y, place.Max.X, place.Max.Y))
			}
			if w.key != report.None {
				p.symbols(p.colour(w.key), w.key, 3.2, []vg.Point{{X: w.at.X + 5, Y: y}})
			}
			p.write(w.style, vg.Point{X: w.at.X + mark + 1, Y: y}, w.text)
			break
		}
	}
}

// word is what a mark says, beside its first row.
func (p *plane) word(m *report.OldMark) word {
	w := word{text: p.show(m.Text), style: p.style(10, p.tint(m)), key: m.Key}
	row := m.Rows[0]
	switch m.Shape {
	case report.Rule:
		w.style.Color = p.black
		w.at = vg.Point{X: p.x(row[0]) + 6, Y: p.Max.Y - 8}
		if len(row) == 3 {
			w.at.Y = p.y(row[2]) - 9
		}
		if m.Style == report.Limit {
			w.style.Color, w.at.Y = p.doubt, p.y(row[2])+8
			w.at.X = p.x(row[1]) - w.style.Width(w.text)
		}
	case report.Label:
		w.style.Font.Weight, w.key = bold, report.None
		w.at = vg.Point{X: p.x(row[0]) + 6, Y: p.y(row[1])}
	default:
		w.style.Color = p.black
		w.at = vg.Point{X: p.x(row[0]) + 4, Y: p.y(row[2]) + 9}
		if p.panel.Y.Bare {
			w.at.Y = (p.y(row[2]) + p.y(row[3])) / 2
			if wide := w.style.Width(w.text); w.at.X+wide > p.Max.X+p.free-4 {
				w.at.X = p.x(row[0]) - wide - 5
			}
		}
	}
	return w
}

// label is what a key is called in this picture.
func (p *painting) label(key int) string { return p.show(p.f.Keys[key].Label) }

// show is text as this picture can write it. An SVG is written with the reader's fonts, which have all letters and know
// which way they run. A PNG has only those of its own font: a name with others in it is replaced by the number of its
// disk, and letters written from the right are put in the order in which they are drawn.
func (p *painting) show(words string) string {
	if !p.opts.PNG {
		return words
	}
	for i, key := range p.f.Keys {
		if strings.Contains(words, key.Label) && !drawable(key.Label) {
			words = strings.ReplaceAll(words, key.Label, "disk "+plain(float64(p.f.Keys[i].Index+1)))
		}
	}
	if !drawable(words) {
		words = strings.Map(func(r rune) rune {
			if drawable(string(r)) {
				return r
			}
			return '?'
		}, words)
	}
	if !report.RightToLeft(words) {
		return words
	}
	var line bidi.Paragraph
	if _, err := line.SetString(words); err != nil {
		return words
	}
	order, err := line.Order()
	if err != nil {
		return words
	}
	var out strings.Builder
	for i := range order.NumRuns() {
		run := order.Run(i)
		if run.Direction() == bidi.RightToLeft {
			out.WriteString(bidi.ReverseString(run.String()))
		} else {
			out.WriteString(run.String())
		}
	}
	return out.String()
}

// drawable reports whether the picture's font has all letters of the text.
func drawable(words string) bool {
	face := fonts().Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, 10)
	var buffer sfnt.Buffer
	for _, r := range words {
		if index, err := face.Face.GlyphIndex(&buffer, r); err != nil || index == 0 {
			return false
		}
	}
	return true
}

// write writes what show has made fit.
func (p *painting) write(style text.Style, at vg.Point, words string) {
	p.FillText(style, at, words)
}

// fits cuts text to a width.
func (p *painting) fits(style text.Style, words string, width vg.Length) string {
	for n := cells.Width(words); n > 4 && style.Width(words) > width; n-- {
		words = cells.CutMiddle(words, n)
	}
	return words
}
