package main

import (
	"context"
	"os"
	"runtime/debug"
	"slices"

	"github.com/hubbench/hubbench/internal/supervisor"
	"github.com/hubbench/hubbench/internal/tell/output"
)

// heapGrowth is how many percent the heap may grow between collections: a million files are then
// analysed in 180 MB, as fast as before.
const heapGrowth = 60

// heapLimit is the size from which on the heap grows by less: ten million files are reported in 1
// GB.
const heapLimit = 900 << 20

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapLimit)
	}
	p := program{Streams: output.Streams{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
	}}
	command := func(ctx context.Context) int { return run(ctx, os.Args[1:], p) }
	// No person waits for these.
	if len(os.Args) < 2 || slices.Contains([]string{"worker", "janitor", "clock"}, os.Args[1]) {
		os.Exit(command(context.Background()))
	}
	supervisor.Run(os.Exit, func(ctx context.Context) int {
		go supervisor.NotifyOfHangs(os.Args[1], p.Notify)
		p.Stdout = supervisor.Stdout(os.Stdout)
		return command(ctx)
	})
}
