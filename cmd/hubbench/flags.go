package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/output"
)

// printed returns the forms of what has no figures; drawn adds theirs.
func printed() []string { return []string{"text", "md", "html", "json", "csv"} }
func drawn() []string   { return append(printed(), "svg", "png") }

// output returns where the results of a command go that has no flags yet.
func (p program) output() output.Output {
	return output.Output{Streams: p.Streams, Tool: toolVersion()}
}

// documentFlags are those of a command that shows results which are there already, as a whole or
// a part of them.
func documentFlags(cmd *cobra.Command, o *output.Output, formats []string) {
	formatFlags(cmd, o, formats)
	flags := cmd.Flags()
	flags.StringVar(&o.Table, "table", "",
		"write this table alone, as csv, md or text (default of csv: the first; "+
			"a wrong name lists all)")
	flags.StringVar(&o.Phase, "phase", "",
		"the phase of the table or chart (default: the answer's, else the first that has it)")
	if slices.Contains(formats, "svg") {
		flags.StringVar(&o.Chart, "chart", "",
			"draw this chart alone, as svg or png (default: the answer's card, to share; "+
				"an unknown name lists them)")
		flags.BoolVar(&o.Dark, "dark", false, "an svg or png for dark backgrounds")
	}
}

func formatFlags(cmd *cobra.Command, o *output.Output, formats []string) {
	o.Formats = formats
	flags := cmd.Flags()
	flags.StringVar(&o.Format, "format", "",
		fmt.Sprintf("%s (default by the ending of --out, else %s)", strings.Join(formats, ", "),
			formats[0]))
	flags.BoolVar(&o.JSON, "json", false, "the same as --format json")
	flags.BoolVar(&o.All, "all", false, "print everything, not the answer alone")
	if flags.Lookup("out") == nil {
		flags.StringVar(&o.Path, "out", "", "the file to write; - for stdout")
	}
	// Fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("format", words(formats...))
	cmd.PreRunE = func(*cobra.Command, []string) error { return o.Settle() }
}

// resultFlags are those of a command that makes a run.
func resultFlags(cmd *cobra.Command, o *output.Results) {
	flags := cmd.Flags()
	flags.StringVar(&o.Folder, "out", "", "the run's `FOLDER` (default results/NAME-DATE-TIME)")
	flags.BoolVar(&o.OpenReport, "open", false, "open the report in the browser when done")
	flags.BoolVar(&o.NoPage, "no-page", false, "write no page; hubbench report RUN does it later")
	flags.StringVar(&o.Metrics, "metrics", "",
		"write the rates to `FILE`.prom too, for node_exporter's textfile collector")
	flags.BoolVar(&o.Compress, "compress", false,
		"keep the events compressed (zstd) when done; every command reads them")
	formatFlags(cmd, &o.Output, printed())
	cmd.PreRunE = func(*cobra.Command, []string) error { return o.Settle() }
}

func failBelowFlag(cmd *cobra.Command, rates *[]string) {
	cmd.Flags().StringArrayVar(rates, "fail-below", nil,
		"exit with 4 if a rate is below `DISK.PHASE=RATE`, such as A.WWW=1.2GB/s (repeatable)")
}

// historyFlag is that of commands that learn from earlier runs.
func historyFlag(cmd *cobra.Command, paths *[]string, about string) {
	cmd.Flags().StringArrayVar(paths, "history", nil,
		"earlier runs of the same setup, `RUN|CATALOGUE`: "+about+" (repeatable)")
}

func allowFlag(cmd *cobra.Command, codes *[]string) {
	cmd.Flags().StringSliceVar(codes, "allow", nil, "skip the checks with these `CODES`, "+
		"such as busy,background; each problem ends with its code in brackets")
}

// redactFlag is for tables that others are given.
func redactFlag(cmd *cobra.Command, redact *bool) {
	cmd.Flags().BoolVar(redact, "redact", false,
		"hash the names of hosts and the numbers of hubs, and leave paths out")
}

// words completes a flag that takes one of a list.
func words(list ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}
