package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/form"
	"github.com/hubbench/hubbench/internal/tell/report/text"
)

// output says in which form a command's results go where. Every command that has results has its flags.
type output struct {
	form.Form
	out  string
	own  bool // out is a file of a run's own folder, which may come from anybody
	json bool
	more []string // what else there is, printed after the answer
}

// printed are the forms of what has no figures; drawn adds theirs.
func printed() []string { return []string{"text", "md", "html", "json", "csv"} }
func drawn() []string   { return append(printed(), "svg", "png") }

// flags are those of a command that shows results which are there already, as a whole or a part of them.
func (o *output) flags(cmd *cobra.Command, formats []string) {
	o.formatFlags(cmd, formats)
	flags := cmd.Flags()
	flags.StringVar(&o.Table, "table", "", "write this table alone, as csv, md or text (default of csv: the first; a wrong name lists all)")
	flags.StringVar(&o.Phase, "phase", "", "the phase of the table or figure (default the first that has it)")
	if slices.Contains(formats, "svg") {
		flags.StringVar(&o.Chart, "chart", "", "the figure that an svg or png shows (default the first; a wrong name lists all)")
		flags.BoolVar(&o.Dark, "dark", false, "an svg or png for dark backgrounds")
	}
}

func (o *output) formatFlags(cmd *cobra.Command, formats []string) {
	o.Formats = formats
	flags := cmd.Flags()
	flags.StringVar(&o.Format, "format", "", fmt.Sprintf("%s (default by the ending of --out, else %s)", strings.Join(formats, ", "), formats[0]))
	flags.BoolVar(&o.json, "json", false, "the same as --format json")
	flags.BoolVar(&o.All, "all", false, "print everything, not the answer alone")
	if flags.Lookup("out") == nil {
		flags.StringVar(&o.out, "out", "", "the file to write; - for stdout")
	}
	_ = cmd.RegisterFlagCompletionFunc("format", words(formats...)) // fails only for a flag that is not there
	cmd.PreRunE = func(*cobra.Command, []string) error { return o.settle() }
}

// settle finds the format.
func (o *output) settle() error {
	if o.json {
		if o.Format != "" && o.Format != "json" {
			return usage(fmt.Errorf("--json and --format %s contradict each other; give one", o.Format))
		}
		o.Format = "json"
	}
	return usage(o.Settle(o.out))
}

// send writes a document where it is to go; its page carries the events, where there are any.
func (o *output) send(p program, doc *report.Document, events io.Reader) error {
	toStdout := o.out == "" || o.out == "-"
	width := text.Width
	if toStdout {
		width = columns(p.stdout)
	}
	write, err := o.Encoder(doc, events, width)
	if err != nil {
		return usage(err)
	}
	if !toStdout {
		if err := o.write(write); err != nil {
			return err
		}
		_, err := fmt.Fprintln(p.stdout, o.out)
		return err
	}
	out := bufio.NewWriter(p.stdout)
	if err := write(out); err != nil {
		return err
	}
	if o.Format == "text" {
		o.tellMore(out)
	}
	return out.Flush()
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

// columns is how wide the terminal is, or the usual where there is none.
func columns(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return text.Width
}

// write writes the file whole or not at all.
func (o *output) write(write func(io.Writer) error) error {
	if o.own {
		return unwritten(filesystem.Replace(o.out, write))
	}
	return writeFile(o.out, write)
}

// writeFile writes a file whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	return unwritten(filesystem.Write(path, write))
}

func unwritten(err error) error {
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}
