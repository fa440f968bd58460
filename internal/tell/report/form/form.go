// Package form says in which form a document is written: in which format, and whole or one part of it.
package form

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/internal/tell/report/html"
	"github.com/hubbench/hubbench/internal/tell/report/md"
	"github.com/hubbench/hubbench/internal/tell/report/plot"
	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/pkg/say"
)

// Form is what a person may ask for. A part that nothing is called makes an error that lists the names there are.
type Form struct {
	Formats []string // that there are, the usual one first
	Format  string
	All     bool // everything, not the answer alone

	Chart string
	Table string
	Phase string // of the chart or the table; empty for the first that has it
	Dark  bool
	Ink   ink.Ink // what a terminal that text goes to can show
}

// endings are the forms that a file's ending may stand for.
func endings() map[string][]string {
	return map[string][]string{
		".txt": {"text", "gobench"}, ".md": {"md"}, ".markdown": {"md"}, ".html": {"html"}, ".htm": {"html"},
		".json": {"json"}, ".svg": {"svg"}, ".png": {"png"}, ".csv": {"csv"}, ".bench": {"gobench"},
	}
}

// Settle finds the format: the one asked for, the one that the file to write ends with, or the usual one.
func (o *Form) Settle(out string) error {
	known := func(format string) bool { return slices.Contains(o.Formats, format) }
	switch {
	case o.Format != "" || out != "" && out != "-":
	case o.Chart != "":
		o.Format = "svg"
	case o.Table != "" && o.Formats[0] != "text":
		o.Format = "csv"
	}
	if o.Format != "" && !known(o.Format) {
		return fmt.Errorf("--format %s: try one of %s", o.Format, strings.Join(slices.Sorted(slices.Values(o.Formats)), ", "))
	}
	meant := map[string][]string{} // the command's formats, by the endings that may stand for them
	for ending, formats := range endings() {
		if formats = slices.DeleteFunc(formats, func(format string) bool { return !known(format) }); len(formats) > 0 {
			meant[ending] = formats
		}
	}
	ending := strings.ToLower(filepath.Ext(out))
	switch {
	case out == "" || out == "-" || ending == "":
		o.Format = cmp.Or(o.Format, o.Formats[0])
	case o.Format == "" && meant[ending] == nil:
		return fmt.Errorf("--out %s: nothing is written as %s here; end it with one of %s, or add --format",
			out, ending, strings.Join(slices.Sorted(maps.Keys(meant)), ", "))
	case o.Format == "":
		o.Format = meant[ending][0]
	case endings()[ending] != nil && !slices.Contains(meant[ending], o.Format):
		return fmt.Errorf("--out %s and --format %s contradict each other; change one", out, o.Format)
	}
	return o.suits()
}

// suits refuses a format that has no room for the part alone.
func (o *Form) suits() error {
	switch {
	case o.Chart != "" && o.Table != "":
		return errors.New("--chart and --table contradict each other; give one")
	case o.Phase != "" && o.Chart == "" && o.Table == "" && o.Format != "svg" && o.Format != "png":
		return errors.New("--phase names the phase of a table or figure; add --table or --chart")
	case o.Chart != "" && o.Format != "svg" && o.Format != "png":
		return fmt.Errorf("--chart is for svg and png, not for %s", o.Format)
	case o.Table != "" && o.Format != "csv" && o.Format != "md" && o.Format != "text":
		return fmt.Errorf("--table is for csv, md and text, not for %s", o.Format)
	}
	return nil
}

// Encoder finds what is asked for of a document, and gives what writes it; a page carries the events, if there are
// any. An error is that there is no such part.
func (o *Form) Encoder(doc *report.Document, events io.Reader, width int) (func(io.Writer) error, error) {
	if o.All && o.Format != "html" {
		doc.Unfold()
	}
	if o.Table != "" || o.Format == "csv" {
		table, err := find(doc, o.Phase, o.Table, (*report.Table).Name)
		if err != nil {
			return nil, err
		}
		if o.Format == "csv" {
			return func(w io.Writer) error { return export.Table(w, table, doc.Simulated) }, nil
		}
		alone := *doc
		alone.Title, alone.Answer, alone.Blocks = report.TableTitle(doc, table), nil, []report.Block{table}
		doc = &alone
	}
	switch o.Format {
	case "md":
		return func(w io.Writer) error { return md.Write(w, doc) }, nil
	case "html":
		return func(w io.Writer) error { return html.Write(w, doc, events) }, nil
	case "json":
		return func(w io.Writer) error { return export.JSON(w, doc.Data) }, nil
	case "svg", "png":
		chart, err := o.chart(doc)
		if err != nil {
			return nil, err
		}
		return func(w io.Writer) error {
			return plot.Write(w, doc, chart, plot.Options{PNG: o.Format == "png", Dark: o.Dark})
		}, nil
	default:
		return func(w io.Writer) error { return text.Write(w, doc, text.Options{Width: width, All: o.All, Ink: o.Ink}) }, nil
	}
}

// chart is the one that is asked for: the one that shows the answer unless another is named.
func (o *Form) chart(doc *report.Document) (*report.Chart, error) {
	unnamed := o.Chart == "" && o.Phase == "" || o.Chart == "answer"
	if unnamed && doc.Answer != nil && doc.Answer.Chart != nil {
		return doc.Answer.Chart, nil
	}
	return find(doc, o.Phase, o.Chart, (*report.Chart).Name)
}

// find is the block of that name, or the first of its kind if no name is given: of a phase, or of the document if
// that has it, else of the first phase that does.
func find[B report.Block](doc *report.Document, phase, name string, nameOf func(B) string) (found B, err error) {
	list, err := Collect[B](doc, phase)
	if err != nil {
		return found, err
	}
	if len(list) == 0 {
		return found, errors.New("there is nothing of that kind to show")
	}
	of := say.Grouped(list, nameOf)
	for _, alike := range of {
		if name == "" || nameOf(alike[0]) == name {
			return alike[0], nil
		}
	}
	names := say.Each(of, func(alike []B) string { return nameOf(alike[0]) })
	return found, fmt.Errorf("nothing here is called %q: try one of %s", name, strings.Join(names, ", "))
}

// Collect gathers the blocks of a kind: the document's and those of all its phases, or those of one phase and the
// document's.
func Collect[B report.Block](doc *report.Document, phase string) ([]B, error) {
	var list []B
	if doc.Answer != nil {
		list = report.Collect[B](doc.Answer.Blocks())
	}
	list = append(list, report.Collect[B](doc.Blocks)...)
	phases := doc.Phases()
	other := func(p *report.Details) bool { return phase != "" && !p.Is(phase) }
	asked := slices.DeleteFunc(slices.Clone(phases), other)
	if phase != "" && len(asked) == 0 {
		names := say.Each(phases, func(p *report.Details) string { return p.Title })
		return nil, fmt.Errorf("no phase %q: try one of %s", phase, strings.Join(names, ", "))
	}
	of := slices.Concat(say.Each(asked, func(p *report.Details) []B { return report.Collect[B](p.Blocks) })...)
	if phase == "" {
		return append(list, of...), nil
	}
	return append(of, list...), nil
}
