package html

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/internal/render/plot"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// drawn is a figure with its words.
type drawn struct {
	ID, Title, Text, Label string
	JSON                   template.JS  // of the live chart
	Picture                template.URL // the same without scripts, where it is needed
	Height                 int          // pixels
	Fit                    bool
	Legend                 []legend // of the one that can be zoomed and filtered
}

type legend struct {
	disk
	Op     string
	Series string
}

// draw makes the phase's figures.
func (p *phase) draw(in Input, traced *trace.Phase, found *analysis.Phase, static bool) error {
	by := chart.ScaleOf(in.Analysis)
	line, files := chart.NewTimeline(in.Run, traced, found), chart.NewFiles(in.Run, traced, found)
	laid := plot.Phase{Run: in.Run, Analysis: in.Analysis, Found: found, Timeline: line, Files: files}
	p.files(line, in.Run, by)
	if line.EndS <= 0 {
		return nil
	}
	text := "Each mark is one file, drawn from its start to its end at its speed. "
	if line.Disks[0].Bands != nil {
		text = "Lines: mean speed. Bands: the middle nine tenths of the files. Marks: the files furthest from them. "
	}
	first, err := p.newFigure("time", "Over time", text+p.Overlap, timeline(line, found, by))
	if err != nil {
		return err
	}
	if first.Picture, err = picture(laid, plot.Time); err != nil {
		return err
	}
	for i, lane := range line.Disks {
		first.Legend = append(first.Legend, legend{look(in.Run, lane.Disk), verb(lane.Op), fmt.Sprintf("disk%d", i)})
	}
	p.Time = []drawn{first}
	alone, hasAlone := aloneFigure(found, files, by)
	size, hasSize := sizeFigure(files, by)
	worn, hasWorn := wornFigure(files, by)
	for _, f := range []struct {
		show            bool
		id, title, text string
		figure
	}{
		{hasAlone, "alone", "Alone against shared", "Full bar: in the overlap. Outline: what the disk does alone. " + by.Unit + ".", alone},
		{true, "spread", "How the files spread", each(files, "Marks: single files. ", "Height: how many files. ") + "Bar: the middle nine tenths. Line: the median; ring: the mean. " + by.Unit + ".", spreadFigure(files, by)},
		{hasSize, "size", "Speed against file size", each(files, "Each mark is one file.", "The fuller the colour, the more files.") + " Regression, solid: least squares; dashed: Theil and Sen.", size},
		{hasWorn, "worn", "Speed against bytes so far", "All that the disk has moved in this phase, from left to right.", worn},
	} {
		if !f.show {
			continue
		}
		d, err := p.newFigure(f.id, f.title, f.text, f.figure)
		if err != nil {
			return err
		}
		if static {
			if d.Picture, err = picture(laid, plot.Name(f.id)); err != nil {
				return err
			}
		}
		p.More = append(p.More, d)
	}
	return nil
}

// picture draws a chart without scripts, as an address that holds the whole of it.
func picture(phase plot.Phase, name plot.Name) (template.URL, error) {
	var out bytes.Buffer
	if err := plot.WritePhase(&out, phase, plot.Options{Chart: name}); err != nil {
		return "", err
	}
	// Made by this program, letter by letter of base64: nothing in it can end the attribute.
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(out.Bytes())), nil //nolint:gosec // see above
}

// each picks the words for files that are drawn one by one, or for many.
func each(files *chart.Files, one, many string) string {
	if len(files.Disks) > 0 && files.Disks[0].Cells != nil {
		return many
	}
	return one
}

// newFigure encodes a figure under the phase's name.
func (p *phase) newFigure(id, title, text string, f figure) (drawn, error) {
	encoded, err := f.encode()
	if err != nil {
		return drawn{}, fmt.Errorf("figure %s: %w", id, err)
	}
	return drawn{ID: p.ID + "-" + id, Title: title, Text: text, Label: title + " in phase " + p.Name, JSON: encoded, Height: f.Height, Fit: f.View.Fit}, nil
}
