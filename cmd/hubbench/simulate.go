package main

import (
	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/session"
	"github.com/hubbench/hubbench/internal/tell/output"
)

func newSimulate(p program) *cobra.Command {
	to := output.Results{Output: p.output()}
	var profile, hubProfile string
	var failBelow []string
	cmd := &cobra.Command{
		Use:   "simulate SCENARIO",
		Short: "Run a scenario on the hub model instead of real disks",
		Long: `Run a scenario on the hub model in virtual time. The outputs are those of a run, at
once and without a disk. For a scenario with real disks --profile names the hub, which must have
disks of the same names. On a hub that fit wrote a profile of, a search finds how many streams your
disks could play or record, or how fast another disk may go beside them.`,
		Example: `  hubbench simulate hubbench.yaml
  hubbench simulate my.yaml --profile my-hub.yaml
  hubbench simulate hubbench.yaml --hub-profile thunderbolt-5`,
		Args: takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return session.Simulate(&to, args[0], profile, hubProfile, failBelow)
		},
	}
	resultFlags(cmd, &to)
	failBelowFlag(cmd, &failBelow)
	cmd.Flags().StringVar(&profile, "profile", "",
		"the hub `PROFILE` and its disks: a built-in name or a .yaml (default the scenario's)")
	cmd.Flags().StringVar(&hubProfile, "hub-profile", "",
		"put the same disks on another hub: a built-in `PROFILE` or a .yaml")
	return cmd
}
