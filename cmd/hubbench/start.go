package main

import (
	"context"
	"os"
	"runtime/debug"
	"slices"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/supervisor"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/watch"
)

// heapGrowth is how many percent the heap may grow between collections: a million files are then
// analysed in 140 MB, as fast as before.
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
	supervisor.Run(os.Exit, func(ctx context.Context) (code int) {
		// Any operation on a file may wait for ever: opening it, asking whether it is there,
		// reading, writing or renaming it. No command has to think of that.
		w := watch.Watch{Notify: p.Notify, Used: clock.Used}
		what := "a file or folder given to hubbench " + os.Args[1]
		_ = w.Do(ctx, what, func(ctx context.Context, _ func()) error {
			p.Stdout = supervisor.Stdout(ctx, os.Stdout)
			code = command(ctx)
			return nil
		})
		return code
	})
}
