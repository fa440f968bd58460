package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

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
	tidy "github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// output says in which form a command's results go where. Every command that has results has its
// flags.
type output struct {
	program
	form.Form
	out string
	// Out is in a run's folder, which may come from anybody: what stands there is not followed.
	inRun bool
	json  bool

	metrics string // the file for node_exporter; empty for none

	noSizes bool // runs are compared: see recorded.Options
}

// printed are the forms of what has no figures; drawn adds theirs.
func printed() []string { return []string{"text", "md", "html", "json", "csv"} }
func drawn() []string   { return append(printed(), "svg", "png", "pdf") }

// flags are those of a command that shows results which are there already, as a whole or a part of
// them.
func (o *output) flags(cmd *cobra.Command, formats []string) {
	o.formatFlags(cmd, formats)
	flags := cmd.Flags()
	flags.StringVar(&o.Table, "table", "",
		"write this table alone, as csv, md or text (default of csv: the first; a wrong name lists all)")
	flags.StringVar(&o.Phase, "phase", "",
		"the phase of the table or chart (default the first that has it)")
	if slices.Contains(formats, "svg") {
		flags.StringVar(&o.Chart, "chart", "",
			"the chart that an svg or png shows (default the one that shows the answer; a wrong name lists all)")
		flags.BoolVar(&o.Dark, "dark", false, "an svg or png for dark backgrounds")
	}
}

func (o *output) formatFlags(cmd *cobra.Command, formats []string) {
	o.Formats = formats
	flags := cmd.Flags()
	flags.StringVar(&o.Format, "format", "",
		fmt.Sprintf("%s (default by the ending of --out, else %s)", strings.Join(formats, ", "),
			formats[0]))
	flags.BoolVar(&o.json, "json", false, "the same as --format json")
	flags.BoolVar(&o.All, "all", false, "print everything, not the answer alone")
	if flags.Lookup("out") == nil {
		flags.StringVar(&o.out, "out", "", "the file to write; - for stdout")
	}
	// Fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("format", words(formats...))
	cmd.PreRunE = o.settle
}

// settle finds the format.
func (o *output) settle(*cobra.Command, []string) error {
	if o.json && o.Format != "" && o.Format != "json" {
		return usagef("--json and --format %s contradict each other; give one", o.Format)
	}
	if o.json {
		o.Format = "json"
	}
	return usage(cmp.Or(o.checkMetrics(), o.Settle(o.out)))
}

// checkMetrics refuses a file that can't be written when the run is over, or that the collector
// would not read. The ending also keeps runs and scenarios from being replaced.
func (o *output) checkMetrics() error {
	if o.metrics == "" {
		return nil
	}
	if filepath.Ext(o.metrics) != ".prom" || isFolder(o.metrics) {
		return fmt.Errorf("--metrics %s: name a file that ends in .prom, which node_exporter reads",
			o.metrics)
	}
	probe, err := os.CreateTemp(filepath.Dir(o.metrics), ".hubbench-*.part")
	if err != nil {
		return fmt.Errorf("--metrics: %w; name a file in a folder that you may write to", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// send writes a document where it is to go.
func (o *output) send(doc *report.Document) error {
	width := text.Width
	if o.toStdout() {
		width, o.Ink = columns(o.stdout), ink.For(o.stdout, os.Getenv)
	}
	encode, err := o.Encoder(doc, nil, width)
	if err != nil {
		return usage(err)
	}
	if o.Format == "pdf" {
		if encode, err = asPDF(encode); err != nil {
			return err
		}
	}
	return o.write(encode)
}

// shown reports whether the results are of a kind that people show to others.
func (o *output) shown() bool {
	return slices.Contains([]string{"html", "md", "svg", "png", "pdf"}, o.Format)
}

// load reads a run for results of that form.
func (o *output) load(path string) (*recorded.Run, error) {
	return loadAs(recorded.Options{Redacted: o.shown(), NoSizes: o.noSizes}, path)
}

// namesOf are what results call runs: their paths, or in what people show to others the names of
// their folders or of lone files, each once.
func (o *output) namesOf(paths []string) []string {
	if !o.shown() {
		return paths
	}
	var names []string
	for i, path := range paths {
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
		name := filepath.Base(path)
		if !isFolder(path) && (strings.HasPrefix(name, rundir.EventsFile) ||
			name == rundir.ReportFile) {
			name = filepath.Base(filepath.Dir(path))
		}
		if slices.Contains(names, name) {
			name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		names = append(names, name)
	}
	return names
}

// words completes a flag that takes one of a list.
func words(list ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

// checkOut refuses an --out that is a file which the command reads, or one of a run's beside its
// reports: by what the file is, whatever path leads to it.
func checkOut(cmd *cobra.Command, inputs []string) error {
	out := cmd.Flags().Lookup("out")
	if out == nil || out.Value.String() == "" {
		return nil
	}
	path := out.Value.String()
	file, err := os.Stat(path)
	if name, _ := pflag.UnquoteUsage(out); name != "FOLDER" && err == nil && file.IsDir() {
		return usagef("--out %s is a folder; name a file in it", path)
	}
	isFile := err == nil && file.Mode().IsRegular()
	leadsTo := func(other string) bool {
		read, err := os.Stat(other)
		return isFile && err == nil && os.SameFile(file, read)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f != out {
			inputs = append(inputs, f.Value.String())
		}
	})
	if slices.ContainsFunc(inputs, leadsTo) {
		return usagef("--out %s is a file that %s reads; give another name", path, cmd.Name())
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil { // A new file can't be opened, for example.
		resolved = path
	}
	folder := filepath.Dir(resolved)
	protected := []string{rundir.EventsFile, rundir.PackedFile}
	if exists(filepath.Join(folder, rundir.InfoFile)) {
		protected = append(protected, inRun()...)
	}
	for _, name := range protected {
		if strings.EqualFold(filepath.Base(resolved), name) ||
			leadsTo(filepath.Join(folder, name)) {
			return usagef("--out %s is the %s of a run, which no result replaces; "+
				"give another name", path, name)
		}
	}
	return nil
}

func (o *output) toStdout() bool { return o.out == "" || o.out == "-" }

// write writes to stdout, or the file whole or not at all, and then prints its name.
func (o *output) write(encode func(io.Writer) error) error {
	if o.toStdout() {
		out := bufio.NewWriter(o.stdout)
		if err := encode(out); err != nil {
			return err
		}
		return out.Flush()
	}
	save := filesystem.Write
	if o.inRun {
		save = filesystem.Replace
	}
	if err := save(o.out, encode); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	_, err := fmt.Fprintln(o.stdout, o.out)
	return err
}

// remark prints what else there is after an answer, on one line if it fits.
func (o *output) remark(remarks ...string) {
	if o.Format != "text" || !o.toStdout() {
		return
	}
	if line := strings.Join(remarks, "    "); cells.Width(line) <= text.Width {
		remarks = []string{line}
	}
	for _, line := range remarks {
		printf(o.stdout, "%s\n", line)
	}
}

// terminalSize is how large the terminal is; zero where there is none, or it does not say.
func terminalSize(w io.Writer) (columns, rows int) {
	if file, ok := w.(interface{ Fd() uintptr }); ok {
		columns, rows, _ = term.GetSize(int(file.Fd()))
	}
	return columns, rows
}

// columns is how wide the terminal is, or the usual where there is none.
func columns(w io.Writer) int {
	width, _ := terminalSize(w)
	return cmp.Or(max(0, width), text.Width)
}

// sendRun writes a run in one of the formats: its report, or its data.
func (o *output) sendRun(r *recorded.Run) error {
	data := o.Format == "gobench" || o.Format == "csv" && o.Table == ""
	if data || slices.Contains([]string{"svg", "png", "html", "pdf"}, o.Format) {
		if err := checkEvents(r); err != nil {
			return err
		}
	}
	switch {
	case o.Format == "gobench":
		return o.write(func(w io.Writer) error { return export.GoBench(w, r.Trace, r.Analysis) })
	case data:
		return o.write(func(w io.Writer) error { return export.CSV(w, r.Trace) })
	case o.Format == "html":
		return o.write(func(w io.Writer) error { return writePage(w, r) })
	case o.Format == "json": // without the figures, which take a long run's most memory to draw up
		return o.send(&report.Document{Data: r.Analysis})
	default:
		return o.send(r.Document(o.Format == "text" && !o.All && o.Table == ""))
	}
}

// writePage writes the page of a redacted run, which carries its events.
func writePage(w io.Writer, r *recorded.Run) error {
	events, err := r.OpenEvents()
	if err != nil {
		return err
	}
	return errors.Join(html.Write(w, r.Document(false), events), events.Close())
}

// resultOptions say where the results of a run or a simulation go.
type resultOptions struct {
	output
	dir      string
	open     bool
	noPage   bool
	compress bool
	missing  bool             // the run is complete: results that are there stay
	below    []string         // --fail-below as it was given
	least    []scenario.Limit // the same, parsed
}

func (o *resultOptions) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.dir, "out", "", "the run's `FOLDER` (default results/NAME-DATE-TIME)")
	flags.BoolVar(&o.open, "open", false, "open the report in the browser when done")
	flags.BoolVar(&o.noPage, "no-page", false, "write no page; hubbench report RUN does it later")
	flags.StringVar(&o.metrics, "metrics", "",
		"write the rates to `FILE`.prom too, for node_exporter's textfile collector")
	flags.BoolVar(&o.compress, "compress", false,
		"keep the events compressed (zstd) when done; every command reads them")
	o.formatFlags(cmd, printed())
}

func (o *resultOptions) belowFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.below, "fail-below", nil,
		"exit with 4 if a rate is below `DISK.PHASE=RATE`, such as A.WWW=1.2GB/s (repeatable)")
}

// conclude analyses what was recorded, prints the results and writes them, and does either where
// the other fails. It ends what is done in the folder.
func (o *resultOptions) conclude(dir *rundir.Dir) error {
	defer dir.Root.Close()
	signal.Ignore(syscall.SIGPIPE) // A reader that has read enough (head, a pager) ends nothing.
	if dir.Moved() {
		return fmt.Errorf("%s is no longer the folder that the run began in: "+
			"it was moved or replaced, and holds what was recorded; "+
			"find it, and give it to hubbench report", dir.Path)
	}
	run, err := load(dir.Path)
	if err != nil {
		return err
	}
	stays := func(name string) bool { return o.missing && exists(dir.File(name)) }
	var notWritten error
	if !stays(rundir.AnalysisFile) {
		notWritten = dir.WriteJSON(rundir.AnalysisFile, run.Analysis)
	}
	limits, limitsErr := ownLimits(run)
	if o.shown() {
		run.Redact()
	}
	notPrinted := o.sendRun(run)
	if notWritten == nil && !o.noPage && !stays(rundir.ReportFile) {
		if !o.shown() {
			run.Redact()
		}
		notWritten = filesystem.ReplaceIn(dir.Root, rundir.ReportFile, func(w io.Writer) error {
			return writePage(w, run)
		})
	}
	if o.metrics != "" && notWritten == nil {
		notWritten = filesystem.Replace(o.metrics, func(w io.Writer) error {
			stat, err := os.Stat(run.Events) // last written when the run ended
			if err != nil {
				return err
			}
			return tidy.Metrics(w, run, stat.ModTime())
		})
	}
	path := cells.Shell(dir.Path)
	page, next := dir.File(rundir.ReportFile), "hubbench report "+path
	var remarks []string
	switch {
	case o.noPage:
		remarks = append(remarks, "page: "+next)
	case notWritten == nil:
		remarks = append(remarks, "report: "+page)
	}
	if !o.All {
		remarks = append(remarks, everything(dir.Path))
	}
	if limitsErr == nil && len(limits) > 0 {
		held := report.LimitsText(limit.Check(run.Analysis, limits, limit.History{}))
		remarks = append(remarks, held+": hubbench check "+path)
	}
	o.remark(remarks...)
	complete := run.Trace.Status == trace.Complete // else it may be resumed
	plain := filepath.Base(run.Events) == rundir.EventsFile
	if notWritten == nil && o.compress && complete && plain {
		notWritten = dir.Compress()
	}
	switch {
	case notWritten != nil:
		return fmt.Errorf("write results: %w; %s holds what was recorded; "+
			"write its report with: %s",
			notWritten, dir.Path, next)
	case notPrinted != nil && !errors.Is(notPrinted, syscall.EPIPE):
		return fmt.Errorf("%w; the results are in %s", notPrinted, dir.Path)
	}
	if o.open && !o.noPage {
		o.openPage(page)
	}
	if !complete {
		return nil // the caller says so
	}
	return failBelow(run, o.least)
}

// everything says which command prints all of a run's results.
func everything(path string) string {
	return "everything: hubbench analyze " + cells.Shell(path) + " --all"
}
