package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/diskio"
	"github.com/hubbench/hubbench/internal/wire"
	"github.com/hubbench/hubbench/internal/worker"
)

// newWorker is the process that does one disk's job: started by run, never by a person.
func newWorker(p program) *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Ctrl-C reaches the whole process group; the coordinator decides what it means. A
			// coordinator that is gone must not kill us by a broken pipe before the files are removed.
			signal.Ignore(os.Interrupt, syscall.SIGPIPE)
			ctx, cancel := signal.NotifyContext(cmd.Context(), syscall.SIGTERM)
			defer cancel()
			return worker.Run(ctx, wire.NewConn(p.stdin, p.stdout), newEngine, newLog(p.stderr))
		},
	}
}

func newEngine(job wire.Job, hub diskio.Hub) (diskio.Engine, error) {
	if job.Simulated {
		return diskio.NewSimulated(job.Job, hub), nil
	}
	return diskio.New(job.Job)
}
