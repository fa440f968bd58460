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
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
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
	janitor, err := coordinator.NewJanitor(ctx, opts.Command, opts.RunID, opts.Paths, zap.NewNop())
	if err != nil {
		return nil, err
	}
	hangs := map[string]bool{}
	defer func() {
		for _, complaint := range janitor.Finish(nil, hangs) {
			opts.OnHang(complaint)
		}
	}()
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
		if !opts.watchDisk(ctx, path, func(name string, c trace.Check) { add(name, path, c) }) {
			hangs[path] = true
		}
	}
	if len(opts.Paths) == 0 {
		add("disks", "", skip("no folder given", "No disk was checked.",
			"name a folder on each: hubbench doctor /Volumes/A"))
	}
	add("stopwatch", "", check(ctx, func() (drift, error) { return drifted(ctx) }, judgeDrift))
	return checks, ctx.Err()
}

// check measures and judges. What cannot be measured fails.
func check[M any](ctx context.Context, measure func() (M, error), judge func(M) trace.Check) trace.Check {
	m, err := measure()
	if ctx.Err() != nil {
		return skip("", "It was interrupted.", "")
	}
	if err == nil {
		return judge(m)
	}
	advice := ""
	if errors.Is(err, fs.ErrPermission) {
		advice = "choose a folder that you may write to"
	} else if errors.Is(err, fs.ErrNotExist) {
		advice = "check that the disk is mounted and that the folder exists"
	}
	return fail("error: "+err.Error(),
		"The check could not be made, and a run would probably fail in the same way.", advice)
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

const (
	// cachedPart is the share of a file that other requests may leave in the system's cache.
	cachedPart = 0.01
	// countedPart of the bytes must have been moved by the device if the system does not report what it caches.
	countedPart = 0.9
)

// judgeDirect asks whether a file went past the system's cache, when it was written and when it was read again.
func judgeDirect(files []moved) trace.Check {
	var how []string
	for _, m := range files {
		switch m.Effective.Cache {
		case "direct":
		case "cached writes":
			return warn(strings.Join(m.Effective.Warnings, "; "),
				"Reads go past the cache; writes in such small blocks do not, and are measured including their flush.",
				"compare small writes with those of the same system only")
		default:
			return fail(fmt.Sprintf("%s in blocks of %s went through the cache: %s",
				m.role, unit.FormatBlock(m.block), strings.Join(m.Effective.Warnings, "; ")),
				"Rates are those of memory and disk together.", fileSystemAdvice)
		}
		size, part := unit.FormatBytes(m.Bytes), float64(m.Cached)/float64(m.Bytes)
		counted := float64(m.counted) / float64(m.Bytes)
		went := fmt.Sprintf("%s %s, ", m.role, unit.FormatRate(m.rate()))
		switch {
		case m.Cached < 0 && m.counted < 0:
			return skip("this system reports neither what it caches nor what the disk moves", "It is not known.",
				"treat rates above the link's limit as those of memory")
		case m.Cached < 0 && counted < countedPart:
			return fail(fmt.Sprintf("the disk moved %.0f %% of the %s of a direct %s", 100*counted, size, m.role),
				"The rest came from memory, and so may rates.", fileSystemAdvice)
		case m.Cached < 0:
			how = append(how, went+fmt.Sprintf("%.0f %% moved by the disk", 100*counted))
		case part > cachedPart:
			return fail(fmt.Sprintf("%.0f %% of %s are in the system's cache after a direct %s", 100*part, size, m.role),
				"Requests that claim to be direct pass through memory: a rate may be that of memory.", fileSystemAdvice)
		default:
			how = append(how, went+fmt.Sprintf("%.1f %% cached", 100*part))
		}
	}
	moved, block := unit.FormatBytes(files[0].Bytes), unit.FormatBlock(files[0].block)
	return pass(fmt.Sprintf("%s in blocks of %s: %s", moved, block, strings.Join(how, "; ")),
		"Rates are the disk's, not those of memory.")
}

const fileSystemAdvice = "use a folder on a disk with APFS, exFAT, NTFS, ext4 or XFS, served by the system itself and " +
	"not by a program such as ntfs-3g: not in memory, on a network or in an encrypted container"

const (
	countLow  = 0.98
	countHigh = 1.15 // the file system's own records are far below
)

// judgeCounters compares the bytes that hubbench moved with those that the device counted.
func judgeCounters(files []moved) trace.Check {
	var how []string
	high := false
	for _, m := range files {
		if m.counted < 0 {
			return skip("nothing counts what this disk moves",
				"Traffic of other programs cannot be distinguished from a slow disk.", "close other programs before measuring")
		}
		part := float64(m.counted) / float64(m.Bytes)
		if part < countLow {
			size, counted := unit.FormatBytes(m.Bytes), unit.FormatBytes(m.counted)
			return fail(fmt.Sprintf("%s of %s, but the disk moved %s", m.role, size, counted),
				"Part of the bytes never went over the link: they stayed in a cache, or were compressed.",
				"turn compression off for the folder, and see the check `direct`")
		}
		high = high || part > countHigh
		how = append(how, fmt.Sprintf("%s %.1f %%", m.role, 100*part))
	}
	measured := "the disk counts of what was moved: " + strings.Join(how, ", ")
	if high {
		return warn(measured, "More moves on this disk than was asked for, so that its rates come out too low: "+
			"because of another program, or a file system that writes everything twice.",
			"stop backups, indexing and other programs on it, and try again")
	}
	return pass(measured, "What hubbench reports is what the disk moved, and no other program uses it.")
}

const (
	// evenPart: no disk moves random blocks of 4 KiB, four at a time, nearly as fast as large ones, unless something
	// allows so many bytes a second and no more.
	evenPart = 0.8
	// evenBelow is the rate above which that is no limit but a very fast disk.
	evenBelow = 1.5e9
	// slowRequest is longer than any SSD takes for a small request, and shorter than a spinning disk does.
	slowRequest = 5e6 // ns
	// slowRate is what USB 2 carries.
	slowRate = 60e6
)

// judgeLimits checks whether only the disk itself limits its rate, from a write and a read in large blocks and both in
// small ones, and from the limits that the system itself sets to this process, in words.
func judgeLimits(files []moved, limits []string) trace.Check {
	large, small := files[:2], files[2:]
	direct := small[0].Effective.Cache == "direct" && small[1].Effective.Cache == "direct"
	var how []string
	for i, m := range large {
		text := fmt.Sprintf("%s %s in large requests", m.role, unit.FormatRate(m.rate()))
		if direct {
			text += fmt.Sprintf(", %s in 4 KiB ones (%s each)", unit.FormatRate(small[i].rate()), span(small[i].each()))
		}
		how = append(how, text)
	}
	measured := strings.Join(how, "; ")
	const means = "Rates are those of the limit, not of the disk."
	if len(limits) > 0 {
		return fail(strings.Join(limits, "; ")+": "+measured, means, "lift the limit (systemd: IOReadBandwidthMax "+
			"and the like; containers: --device-write-bps), or start hubbench outside of it")
	}
	for i, m := range large {
		switch {
		case !direct: // memory's rate would be compared
		case small[i].each() > slowRequest:
			return fail(measured,
				fmt.Sprintf("A small %s takes longer than on any SSD: the disk spins, or something holds each request up.", m.role),
				"check that the disk is an SSD, that nothing limits requests a second, and that no other program keeps it busy")
		case small[i].rate() > evenPart*m.rate() && m.rate() < evenBelow:
			return fail(measured, fmt.Sprintf("Small requests (%s) move as many bytes as large ones, as no disk does: "+
				"something limits it to %s. %s", m.role, unit.FormatRate(m.rate()), means),
				"look for a limit on this process, container or virtual machine")
		}
	}
	if max(large[0].rate(), large[1].rate()) < slowRate { // a link is as slow both ways
		return warn(measured, "The disk is as slow as USB 2.", "check the cable and the port: a USB 2 cable fits both")
	}
	return pass(measured, "Nothing but the disk and its link is seen to limit it.")
}

const (
	flushes = 40
	// minFlush is less than a command takes to a disk behind a cable and back.
	minFlush = 25e3 // ns
	// minFlash is how long the fastest flash takes to be programmed (Cheong et al., A flash memory controller for 15 µs
	// ultra-low-latency SSD using high-speed 3D NAND flash with 3 µs read time, ISSCC 2018).
	minFlash = 100e3 // ns
	// flushSlow is a flush that takes as long as a file.
	flushSlow = 200e6
)

// flushed is how long flushes took, by mode, and what the disk reports of its cache.
type flushed struct {
	facts
	fsync, full []float64 // ns
	write       float64   // ns of the write before, in the middle
	refused     error     // of full
}

// judgeFlush checks whether a flush waits for the disk. The fastest quarter counts: the others also wrote the file
// system's own records.
func judgeFlush(f flushed) trace.Check {
	measured := fmt.Sprintf("none 0, fsync %s", span(quantile(f.fsync, 0.5)))
	reaches := f.fsync
	if f.refused != nil {
		measured += fmt.Sprintf(", full not known here (%v)", f.refused)
	} else {
		measured += fmt.Sprintf(", full %s", span(quantile(f.full, 0.5)))
		reaches = f.full
	}
	quick := quantile(reaches, 0.25)
	measured += fmt.Sprintf(" (medians of %d; the write before each takes %s; the fastest quarter return within %s)",
		len(reaches), span(f.write), span(quick))
	switch {
	case f.known && !f.volatile:
		return pass(measured+"; the disk says that it loses nothing without power", "A file that is flushed is on the disk.")
	case quick < minFlush:
		said := "A flush returns"
		if f.known {
			said = "The disk says that it holds written bytes in a volatile cache, and yet a flush returns"
		}
		return fail(measured, said+" sooner than a disk can answer: something on the way ignores flushes. "+
			"Rates of small files are too high, and a power cut loses what was reported as written.",
			"measure on the disk itself, not on a file in memory or a virtual disk; "+
				"update the enclosure's firmware, or use another")
	case quick < minFlash && !f.virtual:
		return warn(measured, "A flush returns sooner than flash can be programmed: unless the disk's memory survives "+
			"a power cut, something on the way ignores flushes.",
			"measure on the disk itself, and compare its small files with those of disks that flush alike only")
	case f.refused != nil:
		return warn(measured, "`flush: full` is not available, and fsync may leave bytes in the disk's own cache.",
			"compare with disks of the same file system only, or format the disk as APFS")
	case quantile(reaches, 0.5) > flushSlow:
		return warn(measured, "Each file ends with a long wait for its flush: small files look slow.",
			"check that no other program writes to the disk; `flush: none` leaves the flush out of the times")
	}
	if quick < minFlash {
		return pass(measured, "A flush waits for the disk, which answers before flash could be programmed: "+
			"it is a virtual disk, and it is not known here whether its memory survives a power cut.")
	}
	return pass(measured, "A flush waits for the disk.")
}

func (t *trial) flushes(reported facts) (out flushed, err error) {
	fsync, err := diskio.TryFlush(t.ctx, t.path, t.opts.RunID, scenario.FlushFsync, flushes, t.alive)
	if err != nil {
		return out, err
	}
	full, err := diskio.TryFlush(t.ctx, t.path, t.opts.RunID, scenario.FlushFull, flushes, t.alive)
	if err != nil {
		return out, err
	}
	return flushed{
		facts: reported, fsync: floats(fsync.FlushNS), full: floats(full.FlushNS), refused: full.Refused,
		write: quantile(floats(fsync.WriteNS), 0.5),
	}, nil
}

func floats(list []int64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}
