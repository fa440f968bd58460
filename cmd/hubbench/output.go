package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hubbench/hubbench/internal/cells"
	"github.com/hubbench/hubbench/internal/filesync"
	"github.com/hubbench/hubbench/internal/report"
	"github.com/hubbench/hubbench/internal/report/export"
	"github.com/hubbench/hubbench/internal/report/html"
	"github.com/hubbench/hubbench/internal/report/md"
	"github.com/hubbench/hubbench/internal/report/picture"
	"github.com/hubbench/hubbench/internal/report/text"
)

// output says in which form a command's results go where. Every command that has results has its flags.
type output struct {
	formats []string // that the command knows, its usual one first
	format  string
	out     string
	own     bool // out is a file of a run's own folder, which may come from anybody
	json    bool
	all     bool     // everything, not the answer alone
	more    []string // what else there is, printed after the answer
	part    partOptions
}

// partOptions say which part of a document is asked for alone, by its name. One that nothing is called makes an error that
// lists the names there are.
type partOptions struct {
	chart string
	table string
	phase string // of the chart or the table; empty for the first that has it
	dark  bool
}

// printed are the forms of what has no figures; drawn adds theirs.
func printed() []string { return []string{"text", "md", "html", "json", "csv"} }
func drawn() []string   { return append(printed(), "svg", "png") }

// flags are those of a command that shows results which are there already, as a whole or a part of them.
func (o *output) flags(cmd *cobra.Command, formats []string) {
	o.formatFlags(cmd, formats)
	flags := cmd.Flags()
	flags.StringVar(&o.part.table, "table", "", "write this table alone, as csv, md or text (default of csv: the first; a wrong name lists all)")
	flags.StringVar(&o.part.phase, "phase", "", "the phase of the table or figure (default the first that has it)")
	if slices.Contains(formats, "svg") {
		flags.StringVar(&o.part.chart, "chart", "", "the figure that an svg or png shows (default the first; a wrong name lists all)")
		flags.BoolVar(&o.part.dark, "dark", false, "an svg or png for dark backgrounds")
	}
}

func (o *output) formatFlags(cmd *cobra.Command, formats []string) {
	o.formats = formats
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", "", fmt.Sprintf("%s (default by the ending of --out, else %s)", strings.Join(formats, ", "), formats[0]))
	flags.BoolVar(&o.json, "json", false, "the same as --format json")
	flags.BoolVar(&o.all, "all", false, "print everything, not the answer alone")
	if flags.Lookup("out") == nil {
		flags.StringVar(&o.out, "out", "", "the file to write; - for stdout")
	}
	_ = cmd.RegisterFlagCompletionFunc("format", words(formats...)) // fails only for a flag that is not there
}

// endings are the forms that a file's ending may stand for.
func endings() map[string][]string {
	return map[string][]string{
		".txt": {"text", "gobench"}, ".md": {"md"}, ".markdown": {"md"}, ".html": {"html"}, ".htm": {"html"}, ".json": {"json"},
		".svg": {"svg"}, ".png": {"png"}, ".csv": {"csv"}, ".bench": {"gobench"},
	}
}

// settle finds the format: the one asked for, the one that --out ends with, or the usual one.
func (o *output) settle() error {
	if o.json {
		if o.format != "" && o.format != "json" {
			return usage(fmt.Errorf("--json and --format %s contradict each other; give one", o.format))
		}
		o.format = "json"
	}
	switch {
	case o.format != "" || o.out != "" && o.out != "-":
	case o.part.chart != "":
		o.format = "svg"
	case o.part.table != "" && o.formats[0] != "text":
		o.format = "csv"
	}
	if o.format != "" && !slices.Contains(o.formats, o.format) {
		return usage(fmt.Errorf("--format %s: try one of %s", o.format, strings.Join(slices.Sorted(slices.Values(o.formats)), ", ")))
	}
	ending := strings.ToLower(filepath.Ext(o.out))
	if o.out == "" || o.out == "-" || ending == "" {
		if o.format == "" {
			o.format = o.formats[0]
		}
		return o.part.suits(o.format)
	}
	meant := slices.DeleteFunc(slices.Clone(endings()[ending]), func(f string) bool { return !slices.Contains(o.formats, f) })
	switch {
	case o.format == "" && len(meant) > 0:
		o.format = meant[0]
	case o.format == "":
		return usage(fmt.Errorf("--out %s: nothing is written as %s here; end it with one of %s, or add --format", o.out, ending, strings.Join(o.endings(), ", ")))
	case endings()[ending] != nil && !slices.Contains(meant, o.format):
		return usage(fmt.Errorf("--out %s and --format %s contradict each other; change one", o.out, o.format))
	}
	return o.part.suits(o.format)
}

// suits refuses a format that has no room for the part alone.
func (o partOptions) suits(format string) error {
	switch {
	case o.chart != "" && o.table != "":
		return usage(errors.New("--chart and --table contradict each other; give one"))
	case o.chart != "" && format != "svg" && format != "png":
		return usage(fmt.Errorf("--chart is for svg and png, not for %s", format))
	case o.table != "" && format != "csv" && format != "md" && format != "text":
		return usage(fmt.Errorf("--table is for csv, md and text, not for %s", format))
	}
	return nil
}

// endings are those of the command's formats.
func (o *output) endings() []string {
	var list []string
	for _, ending := range slices.Sorted(maps.Keys(endings())) {
		if slices.ContainsFunc(endings()[ending], func(f string) bool { return slices.Contains(o.formats, f) }) {
			list = append(list, ending)
		}
	}
	return list
}

// send writes a document where it is to go; its page carries the events, where there are any.
func (o *output) send(p program, doc *report.Document, events io.Reader) error {
	if o.out == "" || o.out == "-" {
		out := bufio.NewWriter(p.stdout)
		if err := o.encode(out, doc, events, columns(p.stdout)); err != nil {
			return err
		}
		if o.format == "text" {
			o.tellMore(out)
		}
		return out.Flush()
	}
	if err := o.write(func(w io.Writer) error { return o.encode(w, doc, events, text.Width) }); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.stdout, o.out)
	return err
}

// tellMore says what else there is, on one line if it fits.
func (o *output) tellMore(w io.Writer) {
	var lines []string
	for _, remark := range o.more {
		remark = cells.Clean(remark)
		if last := len(lines) - 1; last >= 0 && cells.Width(lines[last]+"    "+remark) <= text.Width {
			lines[last] += "    " + remark
		} else {
			lines = append(lines, remark)
		}
	}
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
}

func (o *output) encode(w io.Writer, doc *report.Document, events io.Reader, width int) error {
	if o.all && o.format != "html" {
		doc.Unfold()
	}
	if o.part.table != "" || o.format == "csv" {
		table, err := find(doc, o.part.phase, o.part.table, (*report.Table).Name)
		if err != nil {
			return usage(err)
		}
		if o.format == "csv" {
			return export.Table(w, table, doc.Simulated)
		}
		alone := *doc
		alone.Title, alone.Answer, alone.Blocks = report.TableTitle(doc, table), nil, []report.Block{table}
		doc = &alone
	}
	switch o.format {
	case "md":
		return md.Write(w, doc)
	case "html":
		return html.Write(w, doc, events)
	case "json":
		return printJSON(w, doc.Data)
	case "svg", "png":
		figure, err := find(doc, o.part.phase, o.part.chart, (*report.Figure).Name)
		if err != nil {
			return usage(err)
		}
		return picture.Write(w, doc, figure, picture.Options{PNG: o.format == "png", Dark: o.part.dark})
	default:
		return text.Write(w, doc, text.Options{Width: width, All: o.all})
	}
}

// find is the block of that name, or the first of its kind if no name is given: of a phase, or of the document if that has
// it, else of the first phase that does.
func find[B report.Block](doc *report.Document, phase, name string, nameOf func(B) string) (found B, err error) {
	list, err := collect[B](doc, phase)
	if err != nil {
		return found, err
	}
	var names []string
	for _, b := range list {
		if name == "" || nameOf(b) == name {
			return b, nil
		}
		if !slices.Contains(names, nameOf(b)) {
			names = append(names, nameOf(b))
		}
	}
	if names == nil {
		return found, errors.New("there is nothing of that kind to show")
	}
	return found, fmt.Errorf("nothing here is called %q: try one of %s", name, strings.Join(names, ", "))
}

// collect gathers the blocks of a kind: the document's and those of all its phases, or those of one phase and the document's.
func collect[B report.Block](doc *report.Document, phase string) ([]B, error) {
	var list []B
	if doc.Answer != nil {
		list = report.Collect[B](doc.Answer.Blocks())
	}
	list = append(list, report.Collect[B](doc.Blocks)...)
	var of []B
	var names []string
	for _, p := range doc.Phases() {
		names = append(names, p.Title)
		if phase == "" || p.Is(phase) {
			of = append(of, report.Collect[B](p.Blocks)...)
		}
	}
	if phase == "" {
		return append(list, of...), nil
	}
	if of == nil && !slices.ContainsFunc(doc.Phases(), func(p *report.Details) bool { return p.Is(phase) }) {
		return nil, fmt.Errorf("no phase %q: try one of %s", phase, strings.Join(names, ", "))
	}
	return append(of, list...), nil
}

// columns is how wide the terminal is, or the usual where there is none.
func columns(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return text.Width
}

// printJSON writes a value where results go, with nothing in it that a terminal would act on.
func printJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeControls(text.Bytes()))
	return err
}

// escapeControls writes what encoding/json leaves as it is though a terminal acts on it, U+007F to U+009F and what turns the
// direction of text, as it writes the other controls. They stand in strings only.
func escapeControls(text []byte) []byte {
	if !bytes.ContainsFunc(text, acts) {
		return text
	}
	var out bytes.Buffer
	for _, r := range string(text) {
		if acts(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}

func acts(r rune) bool { return r >= 0x7f && r <= 0x9f || unicode.Is(unicode.Bidi_Control, r) }

// write writes the file whole or not at all.
func (o *output) write(write func(io.Writer) error) error {
	if o.own {
		return unwritten(filesync.Replace(o.out, write))
	}
	return writeFile(o.out, write)
}

// writeFile writes a file whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	return unwritten(filesync.Write(path, write))
}

func unwritten(err error) error {
	var said *exitError // of what was asked for, not of writing it
	if err != nil && !errors.As(err, &said) {
		return fmt.Errorf("write results: %w", err)
	}
	return err
}
