package main

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
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
	p := program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	// No person waits for it.
	if len(os.Args) < 2 || slices.Contains([]string{"worker", "janitor", "clock"}, os.Args[1]) {
		os.Exit(run(context.Background(), os.Args[1:], p))
	}
	if code, ok := front(); ok {
		os.Exit(code)
	}
	ctx, end := behind(context.Background(), os.Exit)
	go notifyOfHangs(os.Args[1], p.notify)
	if stat, err := os.Stdout.Stat(); err == nil && !stat.Mode().IsRegular() {
		p.stdout = consumer{os.Stdout}
	}
	end(run(ctx, os.Args[1:], p))
}
