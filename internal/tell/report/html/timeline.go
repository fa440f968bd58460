package html

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// timePlot is a phase over time as the page draws it: strokes in an SVG that is stretched to its
// box, and words in HTML, which keep their size on a phone.
type timePlot struct {
	Words    string
	Note     string
	Paths    []plotPath
	Areas    []plotArea
	Uprights []plotLabel
	Bands    []plotBand
	Lines    []string // grid lines
	X, Y     []plotLabel
	Labels   []plotLabel
}

type plotPath struct {
	Paint, D    string
	Name        string // shown where the pointer is on it
	Faint, Dots bool
}

// plotBand is a stretch of time; its places are in per cent.
type plotBand struct {
	Left, Width float64
	Text        string
	Bad         bool
	Right       bool // the text ends where the band does
	Row, Narrow int  // the text's row on a wide page and on a phone
}

// plotArea is what lies below a level; its places are in per cent.
type plotArea struct {
	Paint                    string
	Left, Width, Top, Height float64
}

// plotLabel stands at a place in per cent of the plot.
type plotLabel struct {
	At, Height float64
	Text       string
	Keys       []report.LegendKey
	Right      bool
	Large      bool
}

const (
	plotWidth  = 1000 // units of a plot's width, which the page stretches
	perCent    = 100
	plotTicks  = 5
	plotTimes  = 6
	labelClose = 9 // per cent of the height: labels that are closer share a line
)

// newTimePlot draws a chart of files, or of lines, over time.
func newTimePlot(c *report.Chart) *timePlot {
	if c == nil || c.X.Max <= 0 || c.Y.Max <= 0 {
		return nil
	}
	p := &timePlot{Words: c.Title, Note: c.Y.Name + ". " + c.Caption}
	x := func(v float64) float64 { return plotWidth * c.X.Share(v) }
	y := func(v float64) float64 { return perCent * (1 - c.Y.Share(v)) }
	for _, s := range c.Series {
		var d strings.Builder
		for i, at := range s.Points {
			switch {
			case s.Kind == report.Files:
				fmt.Fprintf(&d, "M%.1f %.2fH%.1f", x(at[0]), y(at[2]),
					max(x(at[1])-1, x(at[0])+0.5))
			case s.Kind == report.Dots: // A stroke's round ends stay round in a stretched picture.
				fmt.Fprintf(&d, "M%.1f %.2fh0", x(at[0]), y(at[1]))
			case s.Kind == report.Line && i == 0:
				fmt.Fprintf(&d, "M%.1f %.2f", x(at[0]), y(at[1]))
			case s.Kind == report.Line:
				fmt.Fprintf(&d, "L%.1f %.2f", x(at[0]), y(at[1]))
			}
		}
		if d.Len() > 0 {
			colour := "var(--" + paint(c.Keys, s.Key, s.Tone, "ink") + ")"
			path := plotPath{Paint: colour, D: d.String(), Faint: s.Faint,
				Dots: s.Kind == report.Dots}
			if s.Key >= 0 && s.Key < len(c.Keys) {
				path.Name = c.Keys[s.Key].Label + " " + c.Keys[s.Key].Does
			}
			p.Paths = append(p.Paths, path)
		}
	}
	var wide, narrow rows
	for _, b := range c.Bands {
		band := plotBand{
			Left:  tenth(perCent * b.From / c.X.Max),
			Width: tenth(perCent * (b.To - b.From) / c.X.Max), Text: b.Text,
			Bad: b.Tone == report.Bad,
		}
		band.Right = band.Left > perCent/2
		band.Row, band.Narrow = wide.placeText(&band, wideLetter),
			narrow.placeText(&band, narrowLetter)
		p.Bands = append(p.Bands, band)
	}
	for _, v := range report.Steps(c.Y.Min, c.Y.Max, plotTicks) {
		p.Lines = append(p.Lines, fmt.Sprintf("M0 %.2fH%d", y(v), plotWidth))
		p.Y = append(p.Y, plotLabel{Height: tenth(perCent - y(v)), Text: c.Y.Tick(v)})
	}
	for _, v := range report.Steps(0, c.X.Max, plotTimes) {
		p.X = append(p.X, plotLabel{At: tenth(perCent * v / c.X.Max), Text: c.X.Tick(v)})
	}
	for _, m := range c.Marks {
		p.addLabel(c, m)
	}
	return p
}

// How much of the plot's width a letter takes, in per cent.
const (
	wideLetter   = 0.75
	narrowLetter = 2.3
)

// rows are lines of texts above a plot: what each has taken, in per cent.
type rows [][][2]float64

// placeText finds the lowest row that is free where the band's text stands.
func (r *rows) placeText(b *plotBand, letter float64) int {
	if b.Text == "" {
		return 0
	}
	from, to := b.Left, b.Left+letter*float64(len([]rune(b.Text))+1)
	if b.Right {
		from, to = b.Left+b.Width-(to-from), b.Left+b.Width
	}
	for i, row := range *r {
		isFree := true
		for _, taken := range row {
			isFree = isFree && (to <= taken[0] || taken[1] <= from)
		}
		if isFree {
			(*r)[i] = append(row, [2]float64{from, to})
			return i
		}
	}
	*r = append(*r, [][2]float64{{from, to}})
	return len(*r) - 1
}

// End is where the band ends, from the right, in per cent.
func (b plotBand) End() float64 { return tenth(perCent - b.Left - b.Width) }

// addLabel puts a mark's words beside its line: those of disks at one height stand together.
func (p *timePlot) addLabel(c *report.Chart, m report.Mark) {
	if m.Text == "" {
		return
	}
	if m.Upright {
		if m.Tone == report.Unsigned {
			p.Uprights = append(p.Uprights,
				plotLabel{At: tenth(perCent * c.X.Share(m.At)), Text: m.Text})
		}
		return
	}
	var keys []report.LegendKey
	if m.Key >= 0 {
		keys = []report.LegendKey{c.Keys[m.Key]}
	}
	height := tenth(perCent * c.Y.Share(m.At))
	if m.Area {
		left := tenth(perCent * c.X.Share(m.From))
		p.Areas = append(p.Areas, plotArea{
			Paint: "var(--" + paint(c.Keys, m.Key, m.Tone, "ink") + ")", Left: left,
			Width: tenth(perCent*c.X.Share(m.To) - left), Top: perCent - height, Height: height,
		})
		p.Labels = append(p.Labels,
			plotLabel{At: left, Height: height, Text: m.Text, Keys: keys, Large: true})
		return
	}
	right := m.From > c.X.Max/2
	for i := range p.Labels {
		l := &p.Labels[i]
		if l.Right == right && height-l.Height < labelClose && l.Height-height < labelClose {
			l.Keys = append(l.Keys, keys...)
			return
		}
	}
	p.Labels = append(p.Labels, plotLabel{Height: height, Text: m.Text, Keys: keys, Right: right})
}
