package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/tell/report"
)

type devicesOptions struct {
	output
	look device.LookOptions
}

func newDevices(p program) *cobra.Command {
	var opts devicesOptions
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "Show what is plugged in where",
		Long: `Print the disks of this machine as a tree: the port and hub that each is connected to, what its link
negotiated and can carry in one direction, its volumes with their free space and file systems, and what
else is connected to the hub. Folders of hubbench mount are disks of a simulated hub. --all adds disk
images, unmounted partitions and other devices. Nothing is written.`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDevices(cmd.Context(), p, opts) },
	}
	cmd.Flags().BoolVar(&opts.look.Serials, "serials", false, "show serial numbers too")
	opts.flags(cmd, printed())
	return cmd
}

func runDevices(ctx context.Context, p program, opts devicesOptions) error {
	inv, err := device.Look(ctx, opts.look)
	if err != nil {
		return err
	}
	return opts.send(p, report.OfDevices(inv, opts.Format == "text" && !opts.All), nil)
}
