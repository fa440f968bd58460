// Package form says in which form a document is written: in which format, and whole or one part of
// it.
package form

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/internal/tell/report/html"
	"github.com/hubbench/hubbench/internal/tell/report/plot"
	"github.com/hubbench/hubbench/internal/tell/report/text"
)

// Form is what a person may ask for. A part that nothing is called makes an error that lists the
// names there are.
type Form struct {
	Formats []string // available formats, the default first
	Format  string
	All     bool // everything, not the answer alone

	Chart string
	Table string
	Phase string // phase of the chart or table; empty for the first that has it
	Dark  bool
	Ink   ink.Ink // what a terminal that text goes to can show
}

// endings are the formats that a file's ending may stand for, the usual one first.
func endings(ending string) []string {
	switch ending {
	case ".txt":
		return []string{"text", "gobench"}
	case ".md", ".markdown":
		return []string{"md"}
	case ".html", ".htm":
		return []string{"html"}
	case ".bench":
		return []string{"gobench"}
	case ".json", ".svg", ".png", ".csv":
		return []string{ending[1:]}
	}
	return nil
}

// Settle finds the format: the one asked for, the one that the file to write ends with, or the
// usual one.
func (o *Form) Settle(out string) error {
	ending := ""
	if out != "-" {
		ending = strings.ToLower(filepath.Ext(out))
	}
	meant := endings(ending)
	available := strings.Join(slices.Sorted(slices.Values(o.Formats)), ", ")
	switch {
	case o.Format != "" && !slices.Contains(o.Formats, o.Format):
		return fmt.Errorf("--format %s: try one of %s", o.Format, available)
	case o.Format != "" && meant != nil && !slices.Contains(meant, o.Format):
		return fmt.Errorf("--out %s and --format %s contradict each other; change one",
			out, o.Format)
	case o.Format != "":
	case ending == "" && o.Chart != "":
		o.Format = "svg"
	case ending == "" && o.Table != "" && o.Formats[0] != "text":
		o.Format = "csv"
	case ending == "":
		o.Format = o.Formats[0]
	default:
		for _, format := range slices.Backward(meant) {
			if slices.Contains(o.Formats, format) {
				o.Format = format
			}
		}
		if o.Format == "" {
			return fmt.Errorf("--out %s: nothing is written as %s here; add --format with one of "+
				"%s",
				out, ending, available)
		}
	}
	return o.suits()
}

// suits refuses a format that has no room for the part alone.
func (o *Form) suits() error {
	drawn := o.Format == "svg" || o.Format == "png"
	switch {
	case o.Chart != "" && o.Table != "":
		return errors.New("--chart and --table contradict each other; give one")
	case o.Phase != "" && o.Chart == "" && o.Table == "" && !drawn:
		return errors.New("--phase names the phase of a table or chart; add --table or --chart")
	case o.Chart != "" && !drawn:
		return fmt.Errorf("--chart is for svg and png, not for %s", o.Format)
	case o.Table != "" && o.Format != "csv" && o.Format != "md" && o.Format != "text":
		return fmt.Errorf("--table is for csv, md and text, not for %s", o.Format)
	}
	return nil
}

// Encoder finds what is asked for of a document, and gives what writes it; a page carries the
// events, if there are any. An error is that there is no such part.
func (o *Form) Encoder(doc *report.Document, events io.Reader, width int) (
	func(io.Writer) error, error,
) {
	if o.All && o.Format != "html" {
		doc.Unfold()
	}
	if o.Table != "" || o.Format == "csv" {
		table, err := find(doc, "table", o.Table, o.Phase, (*report.Table).Name)
		if err != nil {
			return nil, err
		}
		if o.Format == "csv" {
			return func(w io.Writer) error { return export.Table(w, table, doc.Simulated) }, nil
		}
		alone := *doc
		alone.Title = report.TableTitle(doc, table)
		alone.Page = nil
		alone.Blocks = []report.Block{table}
		doc = &alone
	}
	switch o.Format {
	case "md":
		if o.All || doc.Page == nil { // without an answer the blocks are all there is
			return func(w io.Writer) error { return export.Markdown(w, doc) }, nil
		}
		return func(w io.Writer) error { return export.ShortMarkdown(w, doc) }, nil
	case "html":
		doc.PrintAll = o.All
		return func(w io.Writer) error { return html.Write(w, doc, events) }, nil
	case "json":
		return func(w io.Writer) error { return export.JSON(w, doc.Data) }, nil
	case "svg", "png":
		opts := plot.Options{PNG: o.Format == "png", Dark: o.Dark}
		if doc.Page != nil && o.Chart == "" && o.Phase == "" {
			return func(w io.Writer) error { return plot.WriteCard(w, doc, opts) }, nil
		}
		chart, err := o.chart(doc)
		if err != nil {
			return nil, err
		}
		return func(w io.Writer) error { return plot.Write(w, doc, chart, opts) }, nil
	default:
		return func(w io.Writer) error {
			return text.Write(w, doc, text.Options{Width: width, All: o.All, Ink: o.Ink})
		}, nil
	}
}

// chart finds the chart that is asked for: answer is the one that shows the answer, the first.
func (o *Form) chart(doc *report.Document) (*report.Chart, error) {
	name := o.Chart
	if name == "answer" && doc.Page != nil {
		if chart := doc.Page.Chart(); chart != nil {
			return chart, nil
		}
		name = ""
	}
	return find(doc, "chart", name, o.Phase, (*report.Chart).Name)
}

// find is the block of a kind that goes by the name, or the first if no name is given: of a phase,
// or of the document if that has it, else of the first phase that does, that of the answer before
// all others.
func find[B report.Block](doc *report.Document, kind, name, phase string, nameOf func(B) string) (
	found B, err error,
) {
	list := report.Collect[B](doc.Blocks)
	list = append(report.Collect[B](doc.AnswerBlocks()), list...)
	lead := ""
	if doc.Page != nil {
		lead = doc.Page.Lead()
		if chart, ok := doc.Page.Hero.(B); ok {
			list = append([]B{chart}, list...)
		}
	}
	var phases []string
	known := phase == ""
	all := doc.Phases()
	for _, p := range all {
		phases = append(phases, p.Title)
	}
	for i, p := range all {
		if p.ID == lead {
			all = slices.Insert(slices.Delete(all, i, i+1), 0, p)
			break
		}
	}
	for _, p := range all {
		if phase == "" {
			list = append(list, report.Collect[B](p.Blocks)...)
		} else if p.Is(phase) {
			known = true
			list = append(report.Collect[B](p.Blocks), list...)
		}
	}
	if !known {
		return found, fmt.Errorf("unknown phase %q; available: %s", phase,
			strings.Join(phases, ", "))
	}
	var names []string
	for _, block := range list {
		switch is := nameOf(block); {
		case name == "" || name == is:
			return block, nil
		case !slices.Contains(names, is):
			names = append(names, is)
		}
	}
	if names == nil {
		return found, fmt.Errorf("there is no %s to show", kind)
	}
	return found, fmt.Errorf("unknown %s %q; available: %s", kind, name, strings.Join(names, ", "))
}
