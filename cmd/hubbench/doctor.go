package main

import (
	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/session"
)

func newDoctor(p program) *cobra.Command {
	out := p.output()
	cmd := &cobra.Command{
		Use:   "doctor [PATH...]",
		Short: "Check whether this machine and its disks can be measured",
		Long: `Check what every measurement depends on: what plan checks too, and the clock that
processes share, how closely disks start together, sleep and priority; and for each PATH, a folder
on a disk: whether requests bypass the system's cache, whether the system counts what the disk
moves, whether something limits it, whether flushes reach it, and whether new files are written
once, and as fast by several requests at a time.

It takes ten seconds, plus up to a minute per disk, to which it writes up to 1 GB in a folder that
it creates, marks and removes. It prints what needs attention; --all prints every check. Later runs
on this machine warn of what failed.`,
		Example: `  hubbench doctor
  hubbench doctor /Volumes/A /Volumes/B --out doctor.md`,
		Args: takes(0, unlimited),
		RunE: func(cmd *cobra.Command, args []string) error {
			return session.Doctor(cmd.Context(), &out, p.lookAround, args)
		},
	}
	documentFlags(cmd, &out, printed())
	return cmd
}
