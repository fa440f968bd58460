package main

import (
	"context"
	"os"
	"runtime/debug"
)

// heapGrowth is how many percent the heap may grow between collections: so a million files are analysed in 250 MB, and
// no slower.
const heapGrowth = 60

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if code, ok := front(os.Args[1:]); ok {
		exit(code)
	}
	ctx, end := behind(context.Background())
	end(run(ctx, os.Args[1:], program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}))
}
