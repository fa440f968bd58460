// Package plot draws a run's charts as static pictures, SVG or PNG, for printing, for pasting and for
// readers without scripts. It shows what the interactive page shows (see chart for the data, html for the
// page) with nothing to click. Start at Write.
package plot

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Name is a chart's name on the command line.
type Name string

// The charts, as the report has them.
const (
	Time   Name = "time"   // speed, total and files over time
	Alone  Name = "alone"  // alone against shared
	Spread Name = "spread" // how the speeds of files spread
	Size   Name = "size"   // speed against file size
	Worn   Name = "worn"   // speed against bytes so far
)

// Names lists the charts, the most telling first.
func Names() []Name { return []Name{Time, Alone, Spread, Size, Worn} }

// Format is a kind of picture.
type Format string

// The two formats.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

// Options say which picture to draw and how. The zero value is the first phase over time, as SVG, light.
type Options struct {
	Chart  Name
	Phase  string
	Format Format
	Dark   bool
}

// Write draws one picture.
func Write(w io.Writer, run *trace.Run, a *analysis.Analysis, opts Options) error {
	traced, found, err := find(run, a, opts.Phase)
	if err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	phase := Phase{Run: run, Analysis: a, Found: found}
	switch opts.Chart {
	case Time, "":
		phase.Timeline = chart.NewTimeline(run, traced, found)
	default:
		phase.Files = chart.NewFiles(run, traced, found)
	}
	return WritePhase(w, phase, opts)
}

// Phase is a phase laid out for its pictures. Time needs the timeline, the other charts the files.
type Phase struct {
	Run      *trace.Run
	Analysis *analysis.Analysis
	Found    *analysis.Phase
	Timeline *chart.Timeline
	Files    *chart.Files
}

// WritePhase is Write for a caller that has laid out the phase already; it ignores the options' own.
func WritePhase(w io.Writer, phase Phase, opts Options) error {
	picture, err := newPicture(phase, opts)
	if err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	if opts.Format == "" {
		opts.Format = SVG
	}
	switch opts.Format {
	case SVG:
		canvas := vgsvg.New(picture.width, picture.height)
		picture.draw(draw.New(canvas))
		var text bytes.Buffer
		if _, err = canvas.WriteTo(&text); err == nil {
			_, err = w.Write(tidy(text.Bytes()))
		}
	case PNG:
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(picture.width, picture.height), vgimg.UseDPI(144))}
		picture.draw(draw.New(canvas))
		_, err = canvas.WriteTo(w)
	default:
		return fmt.Errorf("plot: unknown format %q: try svg or png", opts.Format)
	}
	if err != nil {
		return fmt.Errorf("plot: write the picture: %w", err)
	}
	return nil
}

// picture is what all charts draw with.
type picture struct {
	ink
	scale         chart.Scale
	title         string
	width, height vg.Length
	panels        []panel // from the top
}

// panel is a plot in a picture and its share of the height left by the title.
type panel struct {
	*gonum.Plot
	height vg.Length
}

const (
	width       = 900 // points: 72 to the inch
	narrow      = 640 // for the charts that stand two in a row
	titleHeight = 30
)

func newPicture(phase Phase, opts Options) (*picture, error) {
	a, found := phase.Analysis, phase.Found
	p := &picture{ink: newInk(opts.Dark), scale: chart.ScaleOf(a), width: width}
	p.title = a.Name
	if found.Phase != "" && found.Phase != a.Name {
		p.title += ", " + found.Phase
	}
	if o := found.Overlap; o != nil && len(o.Disks) > 1 {
		p.title += ": " + p.scale.Rate(o.Rate) + " together"
	}
	switch opts.Chart {
	case Time, "":
		p.time(phase.Timeline, found)
	case Alone:
		p.alone(phase.Run, found)
	case Spread:
		p.spread(phase.Files)
	case Size:
		p.size(phase.Files)
	case Worn:
		p.worn(phase.Files)
	default:
		return nil, fmt.Errorf("unknown chart %q: try one of %s", opts.Chart, list(Names()))
	}
	if opts.Chart != Time && opts.Chart != "" {
		p.width = narrow
	}
	p.height = titleHeight
	for _, panel := range p.panels {
		p.height += panel.height
	}
	return p, nil
}

// find is the phase of that name, or the first.
func find(run *trace.Run, a *analysis.Analysis, name string) (*trace.Phase, *analysis.Phase, error) {
	var names []string
	for i := range a.Phases {
		names = append(names, a.Phases[i].Phase)
		if name != "" && a.Phases[i].Phase != name {
			continue
		}
		at := slices.IndexFunc(run.Phases, func(p *trace.Phase) bool { return p.Name == a.Phases[i].Phase })
		if at >= 0 {
			return run.Phases[at], &a.Phases[i], nil
		}
	}
	if name == "" {
		return nil, nil, fmt.Errorf("the run has no phase to draw")
	}
	return nil, nil, fmt.Errorf("no phase %q: try one of %s", name, list(names))
}

func list[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, ", ")
}

// draw puts the panels under the title, their planes one above the other.
func (p *picture) draw(c draw.Canvas) {
	c.FillPolygon(p.paper, []vg.Point{{X: c.Min.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Min.X, Y: c.Max.Y}})
	style := p.text(14, p.black)
	style.Font.Weight = bold
	c.FillText(style, vg.Point{X: c.Min.X + 12, Y: c.Max.Y - 22}, clean(p.title))

	canvases := make([]draw.Canvas, len(p.panels))
	top := c.Max.Y - titleHeight
	left := vg.Length(0)
	for i, panel := range p.panels {
		canvases[i] = draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X + 12, Y: top - panel.height}, Max: vg.Point{X: c.Max.X - 16, Y: top},
		}}
		top -= panel.height
		plane := panel.DataCanvas(canvases[i])
		left = max(left, plane.Min.X-canvases[i].Min.X)
	}
	for i, panel := range p.panels {
		plane := panel.DataCanvas(canvases[i])
		panel.Draw(draw.Crop(canvases[i], left-(plane.Min.X-canvases[i].Min.X), 0, 0, 0))
	}
}
