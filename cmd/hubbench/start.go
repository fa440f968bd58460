package main

import (
	"context"
	"os"
	"runtime/debug"
)

// heapGrowth is how many percent the heap may grow between collections: a million files are then analysed in 250 MB, as
// fast as before.
const heapGrowth = 60

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if code, ok := front(); ok {
		os.Exit(code)
	}
	ctx, end := behind(context.Background(), os.Exit)
	end(run(ctx, os.Args[1:], program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}))
}
