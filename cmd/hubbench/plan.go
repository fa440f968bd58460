package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/check"
	"github.com/hubbench/hubbench/internal/session"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/stream"
)

func newPlan(p program) *cobra.Command {
	out := p.output()
	var allow []string
	var codecs bool
	cmd := &cobra.Command{
		Use:   "plan SCENARIO | --codecs [WORD...]",
		Short: "Show what a scenario would do, and touch nothing",
		Long: `Print how much a scenario moves and writes, how long it takes, the free space it
needs, its phases or disks, and every check of this machine that did not pass. --all prints every
phase, every disk and what the figures assume. Nothing is written.

Each problem ends with its check's code in brackets. An error prevents a run; a warning is kept
with the results. --allow CODE skips a check, here and in run:

` + checksHelp() + `

--codecs lists the codecs that streams may play or record, with their rates and where these were
published; WORDs select those with them in their names: plan --codecs prores uhd-25.`,
		Example: `  hubbench plan hubbench.yaml --all
  hubbench plan --codecs prores uhd-25`,
		Args: func(cmd *cobra.Command, args []string) error {
			if codecs {
				return nil
			}
			return takes(1, 1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if codecs {
				return listCodecs(&out, args)
			}
			return session.Plan(cmd.Context(), &out, p.lookAround, args[0], allow)
		},
	}
	allowFlag(cmd, &allow)
	cmd.Flags().BoolVar(&codecs, "codecs", false,
		"list the codecs for streams, and plan nothing")
	documentFlags(cmd, &out, printed())
	return cmd
}

// listCodecs lists the codecs with all words in their names.
func listCodecs(out *output.Output, words []string) error {
	codecs := stream.Matching(words)
	if len(codecs) == 0 {
		return exit.Usagef("no codec has %s in its name; hubbench plan --codecs lists all",
			strings.Join(words, " and "))
	}
	return out.Send(report.OfCodecs(codecs))
}

func checksHelp() string {
	var b strings.Builder
	for _, c := range check.Table() {
		if c.When&check.Plan != 0 && c.When&check.Must == 0 {
			fmt.Fprintf(&b, "  %-16s  %s\n", c.Code, c.Finds)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
