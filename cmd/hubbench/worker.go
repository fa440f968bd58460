package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/check"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/internal/measure/worker"
	"github.com/hubbench/hubbench/internal/session"
)

// newWorker is the process that does one disk's job: started by run, never by a person.
func newWorker(p program) *cobra.Command {
	return &cobra.Command{
		Use:    "worker RUNID [FOLDER...]",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			underCoordinator()
			ctx, cancel := context.WithCancelCause(cmd.Context())
			signals := make(chan os.Signal, 1)
			signal.Notify(signals, syscall.SIGTERM, coordinator.ParentDied)
			go func() {
				// Where the two are the same signal, stdin's end says that the coordinator is gone.
				if asked := <-signals; asked == syscall.SIGTERM {
					cancel(errors.New("terminated"))
				}
				cancel(worker.ErrOrphaned)
			}()
			conn := wire.NewConn(p.Stdin, p.Stdout)
			// A coordinator that is gone cannot be reached, which Run finds out.
			_ = conn.Send(wire.Message{Kind: wire.HelloKind, Build: session.Build(toolVersion())})
			return worker.Run(ctx, conn, args[0], args[1:], newEngine, session.NewLog(p.Stderr))
		},
	}
}

// newJanitor is the process that removes a run's test files when the run is over: started by run as
// well.
func newJanitor(p program) *cobra.Command {
	var hasPipe bool
	cmd := &cobra.Command{
		Use:    "janitor RUNID FOLDER...",
		Hidden: true,
		Args:   cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			underCoordinator()
			// It outlives the run, and must not clean up before its end.
			signal.Ignore(syscall.SIGTERM)
			var pipe io.Reader
			if hasPipe {
				pipe = os.NewFile(coordinator.JanitorPipeFile, "pipe")
			}
			coordinator.Clean(p.Stdin, p.Stdout, pipe, args[0], args[1:])
			return nil
		},
	}
	cmd.Flags().BoolVar(&hasPipe, strings.TrimPrefix(coordinator.JanitorPipeFlag, "--"), false, "")
	return cmd
}

// newClock is the process that tells doctor what its clock is.
func newClock(p program) *cobra.Command {
	return &cobra.Command{
		Use:    check.ClockCommand,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return check.AnswerClock(p.Stdin, p.Stdout)
		},
	}
}

// underCoordinator ignores a terminal's signals (Ctrl-C, Ctrl-\, hangup), which reach the whole
// process group: the coordinator handles them. A broken pipe to a dead coordinator must not kill
// this process before the files are removed.
func underCoordinator() {
	signal.Ignore(syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGPIPE)
	// Never read: Windows ends a process at Ctrl-C unless the signal is caught, ignored or not.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
}

func newEngine(job wire.Assignment, hub worker.Mover) (diskio.Engine, error) {
	if job.Simulated {
		return worker.NewSimulated(job.Job, hub), nil
	}
	place, err := device.Inspect(job.Dir)
	if err != nil {
		return nil, err
	}
	if place.ID != job.Device {
		return nil, fmt.Errorf("%s is no longer on the disk that it was on when the run began: "+
			"has it been unmounted?", job.Dir)
	}
	return diskio.New(job.Job), nil
}
