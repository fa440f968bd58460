package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/hubbench/hubbench/internal/measure/interrupt"
)

// heapGrowth is how many percent the heap may grow between collections: a million files are then analysed in 250 MB, as
// fast as before.
const heapGrowth = 60

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	self := interrupt.Process{
		Args: os.Args, Env: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Exit: os.Exit, Failed: exitFailed, Interrupted: exitInterrupted,
	}
	if code, ok := interrupt.Front(self, []string{"run", "plan", "doctor", "clean", "devices", "init"}); ok {
		os.Exit(code)
	}
	ctx, end := interrupt.Behind(context.Background(), self)
	end(run(ctx, os.Args[1:], program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}))
}
