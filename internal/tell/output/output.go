// Package output brings results to where a person wants them: a document or a run, in one of the
// formats, on stdout or in a file, and the results of a run into its folder. It also asks and tells
// the person. Start at Output, which each command that has results fills by its flags.
package output

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/internal/tell/report/form"
	"github.com/hubbench/hubbench/internal/tell/report/html"
	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// Output says in which form a command's results go where.
type Output struct {
	Streams
	form.Form
	Path string // Path is of the file to write; empty or - for stdout.
	// IntoRun says that the path is in a run's folder, which may come from anybody: what stands
	// there is not followed.
	IntoRun bool
	JSON    bool
	Tool    string // Tool is hubbench's version, for documents that name it.
	NoSizes bool   // NoSizes says that runs are compared: see recorded.Options.
}

// Settle finds the format.
func (o *Output) Settle() error {
	if o.JSON && o.Format != "" && o.Format != "json" {
		return exit.Usagef("--json and --format %s contradict each other; give one", o.Format)
	}
	if o.JSON {
		o.Format = "json"
	}
	return exit.Usage(o.Form.Settle(o.Path))
}

// Send writes a document where it is to go.
func (o *Output) Send(doc *report.Document) error {
	width := text.Width
	if o.toStdout() {
		width = Columns(o.Stdout)
		o.Ink = ink.For(o.Stdout, o.Getenv)
	}
	encode, err := o.Encoder(doc, nil, width)
	if err != nil {
		return exit.Usage(err)
	}
	return o.Write(encode)
}

// IsForOthers reports whether the results are of a kind that people show to others.
func (o *Output) IsForOthers() bool {
	return slices.Contains([]string{"html", "md", "svg", "png"}, o.Format)
}

// Load reads a run for results of that form.
func (o *Output) Load(path string) (*recorded.Run, error) {
	return recorded.Options{Redacted: o.IsForOthers(), NoSizes: o.NoSizes}.Load(path)
}

// LoadAll loads and analyses runs with their events on all cores.
func (o *Output) LoadAll(paths []string) ([]*recorded.Run, error) {
	runs := make([]*recorded.Run, len(paths))
	errs := make([]error, len(paths))
	indexes := make([]int, len(paths))
	for i := range paths {
		indexes[i] = i
	}
	analysis.InParallel(indexes, func(i int) {
		runs[i], errs[i] = o.Load(paths[i])
		if errs[i] == nil {
			errs[i] = runs[i].CheckEvents()
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return runs, recorded.CheckDistinct(runs)
}

// NamesOf are what results call runs: their paths, or in what people show to others the names of
// their folders or of lone files, each once.
func (o *Output) NamesOf(paths []string) []string {
	if !o.IsForOthers() {
		return paths
	}
	var names []string
	for i, path := range paths {
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
		name := filepath.Base(path)
		isOfRun := strings.HasPrefix(name, rundir.EventsFile) || name == rundir.ReportFile
		if isOfRun && !recorded.IsFolder(path) {
			name = filepath.Base(filepath.Dir(path))
		}
		if slices.Contains(names, name) {
			name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		names = append(names, name)
	}
	return names
}

func (o *Output) toStdout() bool { return o.Path == "" || o.Path == "-" }

// Write writes to stdout, or the file whole or not at all, and then prints its name.
func (o *Output) Write(encode func(io.Writer) error) error {
	if o.toStdout() {
		out := bufio.NewWriter(o.Stdout)
		if err := encode(out); err != nil {
			return err
		}
		return out.Flush()
	}
	save := filesystem.Write
	if o.IntoRun {
		save = filesystem.Replace
	}
	if err := save(o.Path, encode); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	_, err := fmt.Fprintln(o.Stdout, o.Path)
	return err
}

// Remark prints what else there is after an answer, on one line if it fits.
func (o *Output) Remark(remarks ...string) {
	if o.Format != "text" || !o.toStdout() {
		return
	}
	if line := strings.Join(remarks, "    "); cells.Width(line) <= text.Width {
		remarks = []string{line}
	}
	for _, line := range remarks {
		Printf(o.Stdout, "%s\n", line)
	}
}

// Everything says which command prints all of a run's results.
func Everything(path string) string {
	return "everything: hubbench analyze " + cells.Shell(path) + " --all"
}

// SendRun writes a run in one of the formats: its report, or its data.
func (o *Output) SendRun(r *recorded.Run) error {
	isData := o.Format == "gobench" || o.Format == "csv" && o.Table == ""
	if isData || slices.Contains([]string{"svg", "png", "html"}, o.Format) {
		if err := r.CheckEvents(); err != nil {
			return err
		}
	}
	switch {
	case o.Format == "gobench":
		return o.Write(func(w io.Writer) error { return export.GoBench(w, r.Trace, r.Analysis) })
	case isData:
		return o.Write(func(w io.Writer) error { return export.CSV(w, r.Trace) })
	case o.Format == "html":
		return o.Write(func(w io.Writer) error { return writePage(w, r, o.All) })
	case o.Format == "json": // without the figures, which take a long run's most memory to draw up
		return o.Send(&report.Document{Data: r.Analysis})
	default:
		return o.Send(r.Document(o.Format == "text" && !o.All && o.Table == ""))
	}
}

// writePage writes the page of a redacted run, which carries its events. On paper it shows all, or
// the answer and what is behind it.
func writePage(w io.Writer, r *recorded.Run, all bool) error {
	events, err := r.OpenEvents()
	if err != nil {
		return err
	}
	doc := r.Document(false)
	doc.PrintAll = all
	return errors.Join(html.Write(w, doc, events), events.Close())
}
