package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/session"
)

func newInit(p program) *cobra.Command {
	opts := session.Init{Streams: p.Streams, Look: p.lookAround}
	var list bool
	cmd := &cobra.Command{
		Use:   "init [PATH...]",
		Short: "Write a scenario for the disks that are plugged in",
		Long: `Find the external disks, ask (on a terminal) which of them to test, and write a
scenario that is ready to run: it shows what the disks do to each other and which should move to
its own port. File sizes follow from the free space. The scenario is never written over an existing
file.

A PATH is a folder on a disk, such as where it is mounted. The speed of disks that are named so is
measured for two seconds each, with test files that are removed at once, so that the plan of the
scenario says how much it writes.`,
		Example: `  hubbench init && hubbench run hubbench.yaml --open
  hubbench init /Volumes/A /Volumes/B
  hubbench init --disks nvme1n1,/media/backup
  hubbench init --demo          three disks on a hub, simulated
  hubbench init --list          scenarios for the questions that people ask
  hubbench init --from backup --disks nvme1n1,nvme2n1,sdb
  hubbench init --expect RUN    the limits that a good run holds, for hubbench check`,
		Args: takes(0, unlimited),
		RunE: func(cmd *cobra.Command, folders []string) error {
			if err := checkSources(&opts, list, folders); err != nil {
				return err
			}
			if list {
				return listScenarios(p.Stdout)
			}
			return opts.Run(cmd.Context(), folders)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&opts.Disks, "disks", nil,
		"`DISK,DISK` to test: names that hubbench devices shows, names of volumes, or their mount points")
	flags.BoolVar(&opts.Demo, "demo", false, "write a scenario of simulated disks")
	flags.BoolVar(&list, "list", false, "list the built-in scenarios, and write nothing")
	flags.StringVar(&opts.From, "from", "",
		"start from the built-in scenario `NAME`, with the disks of --disks or, without it, simulated ones")
	flags.StringVar(&opts.Expect, "expect", "", "write the limits that this `RUN` holds, with room for its noise")
	flags.StringVar(&opts.Out, "out", "", "the `FILE` to write (default hubbench.yaml; with --expect limits.yaml); - for stdout")
	flags.BoolVar(&opts.Force, "force", false, "overwrite an existing file")
	return cmd
}

// checkSources refuses more than one source of what to write.
func checkSources(o *session.Init, list bool, folders []string) error {
	sources := 0
	for _, isGiven := range []bool{
		list, o.Demo, o.From != "", o.Disks != nil && o.From == "", o.Expect != "",
		len(folders) > 0,
	} {
		if isGiven {
			sources++
		}
	}
	if sources > 1 {
		return exit.Usagef("folders, --disks, --demo, --from and --expect each say what to " +
			"write; give one of them")
	}
	return nil
}

func listScenarios(w io.Writer) error {
	list := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range configs.Scenarios() {
		fmt.Fprintf(list, "%s\t%s\n", name, configs.About(name))
	}
	return list.Flush()
}
