// Package check answers one question before anything is measured: can this machine and these disks
// be measured, and what would make the numbers wrong? Everything that may be wrong is one row of
// [Table], whose judge turns facts into a verdict with its sentence. `plan` and `run` make the
// quick checks by [Preflight], `doctor` makes those that take time as well by [Examine], and both
// say what they find in the same words. It analyses no run, and writes only into test folders of
// its own.
package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// When says before what a check is made, of what, and what it takes.
type When int

// A check is of the machine unless it is of each disk.
const (
	Plan   When = 1 << iota // The commands plan and run make it.
	Doctor                  // The command doctor makes it.
	Disk                    // of each disk
	Must                    // It can't be skipped: the run would fail, or touch what it must not.
	Writes                  // It writes test files, if the disk failed no check that does not.
)

// Check is a row of the table.
type Check struct {
	Code  string // --allow takes it, and doctor prints it
	Finds string
	When  When
	// probe finds out what needs more than a look; it may be nil.
	probe func(*facts, context.Context) error
	judge func(*facts) answer // judge has no side effects.
}

// Table returns every check in the order in which it is made.
func Table() []Check {
	const (
		planned = Disk | Plan
		disk    = Disk | Plan | Doctor
		tests   = Disk | Doctor | Writes
		host    = Plan | Doctor

		ofLargePlans = "(plan and run ask if a plan moves over 256 MB)"
	)
	return []Check{
		{"missing", "a folder that does not exist", disk | Must, nil, judgeMissing},
		{"not_folder", "a file in place of a folder", disk | Must, nil, judgeNotFolder},
		{"closed", "a folder that macOS keeps hubbench out of", disk | Must, nil, judgeClosed},
		{"unwritable", "a folder that may not be written to", disk | Must, nil, judgeUnwritable},
		{"same_folder", "two disks with one folder", planned | Must, nil, judgeSameFolder},
		{"footprint", "a footprint too small to read from", planned | Must, nil, judgeFootprint},
		{"file_limit", "a file larger than the file system takes", planned | Must, nil,
			judgeFileLimit},
		{"space", "too little free space", disk, nil, judgeSpace},
		{"system_disk", "the disk that the system runs from", planned, nil, judgeSystemDisk},
		{"results_on_disk", "results that would go to a disk under test", planned, nil,
			judgeResults},
		{"same_disk", "two names for one physical disk", planned, nil, judgeSameDisk},
		{"not_on_hub", "a disk that should be on the hub and is not", planned, nil, judgeNotOnHub},
		{"different_hubs", "disks on hubs that share nothing", planned, nil, judgeDifferentHubs},
		{"slow_link", "a disk that has negotiated USB 2 or less", disk, nil, judgeLink},
		{"not_disk", "a folder in memory, or on a network", disk, nil, judgeNotDisk},
		{"no_direct", "a file system without direct I/O", disk, nil, judgeNoDirect},
		{"exfat", "a folder on exFAT or FAT on macOS, whose driver fills files with zeros", disk,
			nil,
			judgeExFAT},
		{"raid", "a RAID set, which is several disks", disk, nil, judgeRAID},
		{"errors", "a disk whose requests failed or were repeated", disk, nil, judgeErrors},
		{"compressed", "a volume that compresses what is written", disk, nil, judgeCompressed},
		{"encrypted", "a volume that the computer encrypts", disk, nil, judgeEncrypted},
		{"nearly_full", "a volume over 90% full", disk, nil, judgeNearlyFull},
		{"wrote_lately", "a disk that an earlier run has just written much to", planned, nil,
			judgeWrote},
		{"unknown_hardware", "a disk that the machine does not list", disk, nil, judgeUnknown},
		{"busy", "disks that move something though they should be idle " + ofLargePlans, disk, nil,
			judgeBusy},
		{"folder", "a test folder that can't be created, locked and removed", tests,
			(*facts).tryTestFolder, judgeFolder},
		{"direct", "a cache that 256 MB in large blocks pass through when written or read", tests,
			(*facts).moveFiles, func(f *facts) answer { return judgeDirect(f.files[:2]) }},
		{"direct_4k", "a cache that 16 MB in blocks of 4 KiB pass through", tests,
			(*facts).moveFiles, judgeDirect4K},
		{"small_direct", "writes of 4 KiB that the system passes through its cache", tests,
			(*facts).moveFiles, judgeSmallDirect},
		{"reserve", "a file system that writes zeros where it is to reserve space", tests,
			(*facts).tryReserve, judgeReserve},
		{"counters", "bytes that the disk does not count, or that others move", tests,
			(*facts).moveFiles, judgeCounters},
		{"limits", "a limit other than the disk: a control group, a virtual machine, a USB 2 cable",
			tests, (*facts).tryLimits, judgeLimits},
		{"flush", "flushes that end before bytes can be on the disk", tests, (*facts).tryFlushes,
			judgeFlush},
		{"lanes", "four requests at a time that write a new file slower than one", tests,
			(*facts).tryLanes, judgeLanes},
		{"background",
			"backups, indexing and checks of file systems at work " + ofLargePlans, host, nil,
			judgePrograms},
		{"display", "a display on the disks' hub", Plan, nil, judgeDisplay},
		{"translated", "hubbench for Intel processors on Apple silicon", host, nil,
			judgeTranslated},
		{"battery", "a computer that runs on battery", host, nil, judgeBattery},
		{"powersave", "a processor held back to save power", host, nil, judgePowersave},
		{"priority", "other programs that go first", Doctor, (*facts).askPriority, judgePriority},
		{"awake", "a computer that may go to sleep", Doctor, (*facts).tryAwake, judgeAwake},
		{"clock", "processes that read different clocks", Doctor, (*facts).readClocks, judgeClocks},
		{"timers", "waits that end late", Doctor, (*facts).releaseWorkers, judgeTimers},
		{"start", "workers that start apart, in 20 releases without a disk", Doctor,
			(*facts).releaseWorkers, judgeStart},
		{"stopwatch", "a clock that runs too fast or too slow", Doctor, (*facts).watchDrift,
			judgeDrift},
		{"disks", "no disk to check", Doctor, nil, judgeDisks},
	}
}

// Problem is something about a plan that will not work, or will work but mean less than it seems.
type Problem struct {
	Code  string
	Disk  string // Disk is the disk's name; empty if it is of the machine.
	Fatal bool   // Fatal says that the plan must not run; otherwise it's a warning.
	Text  string // Text is what is wrong, where, and what to try.
}

// Preflight says what is wrong with running the plan on this machine: of each disk, then of the
// machine. It changes nothing. Simulated disks have no problems.
func Preflight(ctx context.Context, plan *scenario.Plan, opts Options) (problems []Problem) {
	f := newFacts(plan, opts)
	var disks []scenario.Disk
	for _, disk := range plan.Disks {
		if !disk.Simulated() {
			f.inspect(disk)
			disks = append(disks, disk)
		}
	}
	if disks == nil {
		return nil
	}
	f.observeMachine(ctx)
	for _, disk := range append(disks, scenario.Disk{}) {
		f.forDisk(disk).runChecks(ctx, Plan, func(found trace.Check) {
			if found.Verdict != trace.Fail && found.Verdict != trace.Warn {
				return
			}
			text := found.Sentence()
			if disk.Name != "" {
				text = "disk " + disk.Name + ": " + text
			}
			problems = append(problems, Problem{found.Name, disk.Name, found.Verdict == trace.Fail,
				text})
		})
	}
	return problems
}

// due returns the checks that are made then, of a disk or of the machine.
func due(then When, ofDisk bool) (checks []Check) {
	for _, c := range Table() {
		if c.When&then != 0 && (c.When&Disk != 0) == ofDisk {
			checks = append(checks, c)
		}
	}
	return checks
}

// runChecks makes the checks that are due of the facts' disk, or of the machine if they name none.
func (f *facts) runChecks(ctx context.Context, then When, report func(trace.Check)) {
	unfit := false // unfit means unfit for test files.
	for _, c := range due(then, f.disk.Path != "") {
		must := c.When&Must != 0
		writes := c.When&Writes != 0
		if !must && slices.Contains(f.opts.Allow, c.Code) {
			continue
		}
		found, err := skip("not made, as one before it failed"), error(nil)
		if must || f.placeErr == nil && !(unfit && writes) {
			found, err = c.run(ctx, f)
		}
		if err != nil || found.Verdict == trace.Fail && !writes || f.folderErr != nil {
			unfit = true
		}
		found.Name = c.Code
		found.Finds = c.Finds
		found.Path = f.disk.Path
		report(found)
	}
}

// run finds out and judges. What can't be found out fails.
func (c Check) run(ctx context.Context, f *facts) (found answer, err error) {
	if c.probe != nil {
		err = c.probe(f, ctx)
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return skip("interrupted"), ctx.Err()
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("the checks of the disk took more than %s in all", diskTime)
	}
	if err != nil {
		return fail("error: "+err.Error(), "a run would probably fail in the same way", ""), err
	}
	return c.judge(f), nil
}

// answer is what a judge says.
type answer = trace.Check

func pass(measured string) answer { return answer{Verdict: trace.Pass, Measured: measured} }

// skip returns the answer of a check that can't be made here.
func skip(measured string) answer { return answer{Verdict: trace.Skip, Measured: measured} }

// notKnown returns the answer of a check for which the machine does not say what it takes.
func notKnown() answer { return skip("not known") }

func warn(measured, means, try string) answer {
	return answer{Verdict: trace.Warn, Measured: measured, Text: means, Advice: try}
}

func fail(measured, means, try string) answer {
	return answer{Verdict: trace.Fail, Measured: measured, Text: means, Advice: try}
}
