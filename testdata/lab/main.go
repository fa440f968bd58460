// Command lab holds hubbench's numbers against a truth that it does not make: three XFS partitions of one block
// device in memory, of which the kernel lets a control group move that many bytes a second and no more, read
// and written each. They share it as disks share a hub. hubbench and fio measure it in turns. Start it with
// `make lab`, or by itself:
//
//	go run ./testdata/lab [-short] [-findings] [-out DIR]
//
// It needs Linux, root's rights, fio and mkfs.xfs. Everything it creates is removed when it ends; what it
// leaves when it is killed is removed by the next one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/internal/test/evidence"
)

// The limits differ, so that reads mistaken for writes would show. Any computer made in this century moves them.
const (
	readLimit  = 80e6 // bytes per second
	writeLimit = 120e6
)

// errMissing is the error for what this machine lacks: nothing has failed.
var errMissing = errors.New("missing")

// claim is what the results are evidence for.
const claim = "lab-limit"

// options are the flags.
type options struct {
	short    bool
	hubbench string
	out      string // keeps hubbench's results; empty: they go
}

func main() {
	var opts options
	findings := flag.Bool("findings", false, "print what was found as lines for make proof")
	flag.BoolVar(&opts.short, "short", false, "measure each pattern once, in less than a minute")
	flag.StringVar(&opts.hubbench, "hubbench", "bin/hubbench", "the hubbench to measure")
	flag.StringVar(&opts.out, "out", "", "keep the results of hubbench's runs in this folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	code, err := run(ctx, opts, *findings)
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
	}
	os.Exit(code)
}

// run measures and prints; code is the program's exit code.
func run(ctx context.Context, opts options, findings bool) (code int, err error) {
	results, err := measure(ctx, opts, os.Stderr)
	switch {
	case errors.Is(err, errMissing) && os.Getenv("CI") != "true":
		if findings {
			left := evidence.Finding{Claim: claim, Case: "three partitions of one device behind a limit", Left: err.Error()}
			return 0, evidence.Print(os.Stdout, left)
		}
		fmt.Println("not measured:", err)
		return 0, nil
	case ctx.Err() != nil:
		return 130, errors.New("interrupted; everything that it had created was removed")
	case err != nil:
		return 1, err
	}
	for _, r := range results {
		if !r.holds() {
			code = 1 // shown
		}
		if findings {
			err = errors.Join(err, evidence.Print(os.Stdout, r.finding()))
		}
	}
	if !findings {
		err = text.Write(os.Stdout, document(results), text.Options{Width: 100})
	}
	if err != nil {
		code = 1
	}
	return code, err
}
