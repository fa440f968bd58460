// Package doctor checks in two minutes whether measurements on this machine can be trusted: the clock that all
// processes share, the instant at which they start, requests that really bypass the system's cache, flushes that
// really reach the disk. Each check is a measurement and a judge that turns the numbers into a verdict. It analyses
// no runs, and touches only its own test folders. Start at Run; machine.go has the checks of the machine, disk.go
// those of a disk.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Options are what the checks need from outside.
type Options struct {
	Paths   []string                                                        // a folder on each disk
	RunID   string                                                          // names the test folders
	Command func(args ...string) *exec.Cmd                                  // hubbench itself
	Count   func(ctx context.Context, path string) (bytes int64, err error) // moved, by the device's own count
	Awake   func(ctx context.Context) error                                 // why the machine cannot be kept awake
	Saving  func(ctx context.Context) string                                // how the processor is held back; empty: not
	Battery func(ctx context.Context) (on, known bool)
	Stall   time.Duration           // how long a disk may move nothing before it is given up; 0: the default
	Say     func(doing string)      // is called with what is being measured
	OnHang  func(text string)       // is called at once when a disk moves nothing
	facts   func(path string) facts // what the system reports of a disk; nil: factsOf
}

// Run makes every check. An error means that it was interrupted or could not start; anything else that goes wrong is a
// failed check.
func Run(ctx context.Context, opts Options) ([]trace.Check, error) {
	drifted := watchDrift() // which takes time to become visible
	dismiss, err := opts.janitor()
	if err != nil {
		return nil, err
	}
	hung := false
	defer func() { dismiss(hung) }()
	var checks []trace.Check
	add := func(name, path string, c trace.Check) {
		c.Name, c.Path = name, path
		checks = append(checks, c)
	}
	opts.Say("the clock, timers and the start of processes")
	clocks := func() (readings, error) { return readClocks(ctx, opts.Command(ClockCommand)) }
	add("clock", "", check(ctx, clocks, judgeClocks))
	add("timers", "", check(ctx, func() (lateness, error) { return sleepOften(ctx) }, judgeTimers))
	add("start", "", check(ctx, func() ([]float64, error) { return dryReleases(ctx, opts.Command) }, judgeStart))
	add("awake", "", check(ctx, func() (error, error) { return opts.Awake(ctx), nil }, judgeAwake))
	add("priority", "", check(ctx, measurePriority, judgePriority))
	add("power", "", check(ctx, func() (p power, _ error) {
		p.battery, p.known = opts.Battery(ctx)
		p.saving = opts.Saving(ctx)
		return p, nil
	}, judgePower))
	for _, path := range opts.Paths {
		opts.Say(path)
		hung = !opts.watchDisk(ctx, path, func(name string, c trace.Check) { add(name, path, c) }) || hung
	}
	if len(opts.Paths) == 0 {
		add("disks", "", skip("no folder given", "No disk was checked.",
			"name a folder on each: hubbench doctor /Volumes/A"))
	}
	add("stopwatch", "", check(ctx, func() (drift, error) { return drifted(ctx) }, judgeDrift))
	return checks, ctx.Err()
}

// janitor starts the process that removes test files after this one ends, for whatever reason. Dismissed, it does so at
// once. If a disk hangs it does so again when the disk is back, without being waited for.
func (o Options) janitor() (dismiss func(hangs bool), err error) {
	if len(o.Paths) == 0 {
		return func(bool) {}, nil
	}
	end, leash, args, err := coordinator.NewLeash()
	if err != nil {
		return nil, err
	}
	cmd := o.Command(slices.Concat([]string{"janitor"}, args, []string{o.RunID}, o.Paths)...)
	coordinator.Inherit(cmd, end)
	stdin, err := cmd.StdinPipe() // closing it starts the clean-up
	if err == nil {
		err = cmd.Start()
	}
	if end != nil {
		_ = end.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("start clean-up process: %w", err)
	}
	return func(hangs bool) {
		_, _ = stdin.Write([]byte{1}) // another process may hold the pipe open
		_ = stdin.Close()
		if hangs {
			return
		}
		if leash != nil {
			_ = leash.Close()
		}
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait() // the check `folder` reports what it cannot remove
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(3 * time.Second):
			o.OnHang(fmt.Sprintf("test files (.hubbench-%s) are still being removed; "+
				"if a disk hangs, run hubbench clean when it is back", o.RunID))
		}
	}, nil
}

// check measures and judges. What cannot be measured fails.
func check[M any](ctx context.Context, measure func() (M, error), judge func(M) trace.Check) trace.Check {
	m, err := measure()
	switch {
	case ctx.Err() != nil:
		return skip("", "It was interrupted.", "")
	case err != nil:
		advice := ""
		switch {
		case errors.Is(err, fs.ErrPermission):
			advice = "choose a folder that you may write to"
		case errors.Is(err, fs.ErrNotExist):
			advice = "check that the disk is mounted and that the folder exists"
		}
		return fail("error: "+err.Error(),
			"The check could not be made, and a run would probably fail in the same way.", advice)
	}
	return judge(m)
}

func pass(measured, text string) trace.Check {
	return trace.Check{Verdict: trace.Pass, Measured: measured, Text: text}
}

func warn(measured, text, advice string) trace.Check {
	return trace.Check{Verdict: trace.Warn, Measured: measured, Text: text, Advice: advice}
}

func fail(measured, text, advice string) trace.Check {
	return trace.Check{Verdict: trace.Fail, Measured: measured, Text: text, Advice: advice}
}

func skip(measured, text, advice string) trace.Check {
	return trace.Check{Verdict: trace.Skip, Measured: measured, Text: text, Advice: advice}
}

func span(ns float64) string {
	switch {
	case ns < 1e4:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	case ns < 1e6:
		return fmt.Sprintf("%.0f µs", ns/1e3)
	case ns < 1e7:
		return fmt.Sprintf("%.1f ms", ns/1e6)
	case ns < 1e9:
		return fmt.Sprintf("%.0f ms", ns/1e6)
	}
	return fmt.Sprintf("%.1f s", ns/1e9)
}

// Question is what a check asks, in words, without a question mark.
type Question struct{ Check, Asks string }

// Questions lists what is asked of the machine, and then of each disk.
func Questions() []Question {
	return []Question{
		{"clock", "Do all processes read the same clock"},
		{"stopwatch", "Does the clock run at the right speed"},
		{"timers", "Do waits end on time"},
		{"start", "Do workers start together, in 20 releases without a disk"},
		{"awake", "Does the machine stay awake"},
		{"priority", "Does hubbench run at normal priority"},
		{"power", "Does the processor run at full speed, on mains power"},
		{"permissions", "May the folder be written to"},
		{"folder", "Can a test folder be created, locked and removed"},
		{"direct", "Do 256 MB in large blocks go past the system's cache when written and read"},
		{"direct_4k", "Do 16 MB in blocks of 4 KiB go past the cache too"},
		{"counters", "Does the disk count the bytes that hubbench moves, and no others"},
		{"limits", "Is the disk the only limit: no control group, virtual machine or USB 2 cable"},
		{"flush", "Does a flush take as long as reaching the disk must, in each flush mode"},
		{"lanes", "Are four requests at a time to a new file as fast as one"},
	}
}
