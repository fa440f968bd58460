package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	largest    = 256e6 // bytes of the file that is written and read again
	pilotSize  = 8 << 20
	pilotTime  = 6    // seconds that the file may take: a slow disk gets a smaller one
	spareBytes = 64e6 // must stay free beside the test files
	largeBlock = 8 << 20
	smallBlock = 4096
	smallSize  = 16 << 20
	smallTime  = 4 * time.Second
	depth      = 4
	diskTime   = 50 * time.Second // for one disk, so that two are done in two minutes
)

// moved is a file that was moved, and the device's own count.
type moved struct {
	diskio.Tried
	role    trace.Role
	block   int64
	counted int64 // bytes; -1 if nothing counts them
}

func (m moved) rate() float64 { return float64(m.Bytes) / max(m.Seconds, 1e-9) }

// each is how long a small request takes, in nanoseconds.
func (m moved) each() float64 { return depth * smallBlock / m.rate() * 1e9 }

// trial is what is measured of one disk.
type trial struct {
	ctx   context.Context
	opts  Options
	path  string
	alive func() // is called when something has moved
	size  int64
	files []moved // written and read in large blocks, then in small ones
}

// facts are what the system reports of a disk.
type facts struct {
	limits          []string // that it sets to this process, in words
	volatile, known bool     // its cache loses what it holds without power, if that is known
	virtual         bool     // it is made by a program: a machine's host, or this system out of a file
}

// diskChecks are the checks of a disk in their order. The last six write test files.
var diskChecks = [...]string{"permissions", "folder", "direct", "direct_4k", "counters", "limits", "flush", "lanes"}

// checkDisk makes every check of one disk, which all need a writable folder.
func (o Options) checkDisk(ctx context.Context, path string, alive func(), add func(name string, c trace.Check)) {
	first := check(ctx, func() (device.Place, error) { return device.Inspect(path) }, judgePlace)
	add("permissions", first)
	if first.Verdict == trace.Pass {
		first = check(ctx, func() (error, error) { return diskio.TryFolder(path, o.RunID), nil }, judgeFolder)
		add("folder", first)
	}
	if first.Verdict != trace.Pass {
		for _, name := range diskChecks[2:] {
			add(name, skip("", "Not checked: nothing could be written.", ""))
		}
		return
	}
	limited, cancel := context.WithTimeout(ctx, diskTime)
	defer cancel()
	t := &trial{ctx: limited, opts: o, path: path, alive: alive, size: pilotSize}
	failed := t.moveAll()
	files := func(first, end int) func() ([]moved, error) {
		return func() ([]moved, error) {
			if len(t.files) < end {
				return nil, failed
			}
			return t.files[first:end], nil
		}
	}
	report := factsOf
	if o.facts != nil {
		report = o.facts
	}
	facts := report(path)
	add("direct", check(ctx, files(0, 2), judgeDirect))
	add("direct_4k", check(ctx, files(2, 4), judgeDirect))
	add("counters", check(ctx, files(0, 2), judgeCounters))
	add("limits", check(ctx, files(0, 4), func(all []moved) trace.Check {
		return judgeLimits(all, facts.limits)
	}))
	add("flush", check(ctx, func() (flushed, error) { return t.flushes(facts) }, judgeFlush))
	add("lanes", check(ctx, t.lanes, judgeLanes))
}

// moveAll writes and reads the large file and the small requests.
func (t *trial) moveAll() error {
	pilot, err := t.move(job{role: trace.Write, size: pilotSize, block: 1 << 20})
	if err != nil {
		return err
	}
	room := int64(pilot.rate()*pilotTime) / largeBlock * largeBlock
	t.size = min(max(room, 2*largeBlock), largest)
	small := min(max(t.size/4/smallBlock*smallBlock, 1<<20), smallSize)
	for _, j := range []job{
		{role: trace.Write, size: t.size, block: largeBlock, stays: true},
		{role: trace.Read, size: t.size, block: largeBlock},
		{role: trace.Write, size: small, block: smallBlock, random: true, stays: true},
		{role: trace.Read, size: small, block: smallBlock, random: true},
	} {
		m, err := t.move(j)
		if err != nil {
			return err
		}
		t.files = append(t.files, m)
	}
	return nil
}

// job is one file to move.
type job struct {
	role        trace.Role
	size, block int64
	lanes       int // requests in flight; 0: the usual
	random      bool
	stays       bool // for the next to read
}

// move moves a file as a run does, and has the device count.
func (t *trial) move(j job) (moved, error) {
	io := scenario.IO{
		Mode: scenario.ModeDirect, Block: j.block, Depth: cmp.Or(j.lanes, depth), Flush: scenario.FlushFsync,
		Verify: scenario.VerifyOff, Preallocate: true,
	}
	if j.random {
		io.Access, io.Cap = scenario.AccessRandom, smallTime
	}
	work := diskio.Job{
		Job:   scenario.Job{Disk: t.path, Role: j.role, Sizes: []int64{j.size}, Seed: 1, IO: io},
		RunID: t.opts.RunID, Phase: "doctor", Dir: t.path,
	}
	if j.stays {
		work.CarryOver = work.Sizes
	}
	before, countErr := t.opts.Count(t.ctx, t.path)
	did, err := diskio.Try(t.ctx, work, t.alive)
	m := moved{Tried: did, role: j.role, block: j.block, counted: -1}
	if after, err := t.opts.Count(t.ctx, t.path); err == nil && countErr == nil {
		m.counted = after - before
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("moving %s took more than %s in all", unit.FormatBytes(j.size), diskTime)
	}
	return m, err
}

func judgePlace(p device.Place) trace.Check {
	const need = largest + spareBytes
	switch {
	case p.Writable != nil:
		advice := "choose a folder that you may write to"
		if runtime.GOOS == "darwin" {
			advice += "; for a removable disk, allow your terminal in System Settings > Privacy & Security > Files and Folders"
		}
		return fail("not writable: "+p.Writable.Error(), "Nothing can be measured in this folder.", advice)
	case p.Size == 0:
		return pass("writable, free space not known", "Test files can be written, if there is room.")
	case p.Free < need:
		return fail(unit.FormatBytes(p.Free)+" free", "The checks need "+unit.FormatBytes(need)+".", "free some space")
	}
	return pass(fmt.Sprintf("writable, %s free", unit.FormatBytes(p.Free)), "Test files can be written.")
}

// judgeFolder takes what was wrong with a test folder; nil for nothing.
func judgeFolder(err error) trace.Check {
	if err != nil {
		return fail(err.Error(), "Test files might not be removed, or be removed while another run uses them.",
			"use a file system of the computer's own (APFS, exFAT, NTFS, ext4, XFS), not one on a network, "+
				"and hubbench clean to remove what is left")
	}
	return pass("created, locked and removed", "Test files are safe from other runs, and are removed.")
}

const (
	laneTries = 5
	// lanesLow: four requests in flight are not much slower than one unless the file system makes them so: one that fills
	// each gap with zeros writes twice.
	lanesLow = 0.6
)

// laneRates are the rates of new files, with one request in flight and with four, in bytes per second.
type laneRates struct{ one, four []float64 }

// judgeLanes checks whether a new file is written as fast in four lanes as in one: a file system that fills each gap
// with zeros, or allows one writer at a time, makes it slower.
func judgeLanes(r laneRates) trace.Check {
	one, four := slices.Max(r.one), slices.Max(r.four) // other programs can only make them slower
	measured := fmt.Sprintf("a new file with one request in flight %s, with four %s (best of %d)",
		unit.FormatRate(one), unit.FormatRate(four), len(r.one))
	if four < lanesLow*one {
		return warn(measured, "The file system slows down several requests to a new file: "+
			"rates are its own, not the disk's.", "set `depth: 1`, or use another file system")
	}
	return pass(measured, "Several requests at a time cost nothing.")
}

// lanes alternates between new files, so that a change meanwhile affects both.
func (t *trial) lanes() (r laneRates, err error) {
	size := max(t.size/4/largeBlock*largeBlock, largeBlock)
	for range laneTries {
		one, err := t.move(job{role: trace.Write, size: size, block: 1 << 20, lanes: 1})
		if err != nil {
			return r, err
		}
		four, err := t.move(job{role: trace.Write, size: size, block: 1 << 20})
		if err != nil {
			return r, err
		}
		r.one, r.four = append(r.one, one.rate()), append(r.four, four.rate())
	}
	return r, nil
}

const (
	// sayAfter is how long nothing may move on a disk before a notice.
	sayAfter = 8 * time.Second
	// hangTimeout is how long nothing may move before the disk is given up.
	hangTimeout = 20 * time.Second
	// endTime is how long the checks of a disk may take to end when they are interrupted.
	endTime  = time.Second
	lookEach = 100 * time.Millisecond
)

// watchDisk makes every check of one disk, in a goroutine that a disk that hangs may block forever. Such a disk
// fails, and the checks of others go on. It reports whether the goroutine ended.
func (o Options) watchDisk(ctx context.Context, path string, add func(name string, c trace.Check)) bool {
	type made struct {
		name  string
		check trace.Check
	}
	left := diskChecks[:]
	checks, moves := make(chan made, len(left)), make(chan struct{}, 1)
	alive := func() {
		select {
		case moves <- struct{}{}:
		default:
		}
	}
	go func() {
		defer close(checks)
		o.checkDisk(ctx, path, alive, func(name string, c trace.Check) { checks <- made{name, c} })
	}()
	stall, interrupted := cmp.Or(o.Stall, hangTimeout), ctx.Done()
	notice := min(sayAfter, stall/2)
	var over <-chan time.Time // soon after an interrupt
	look := time.NewTicker(lookEach)
	defer look.Stop()
	for silent := time.Duration(0); silent < stall && len(left) > 0; {
		select {
		case c, more := <-checks:
			if !more {
				return true
			}
			add(c.name, c.check)
			left, silent = left[1:], 0
		case <-moves:
			silent = 0
		case <-look.C:
			if silent += lookEach; silent-lookEach < notice && silent >= notice {
				o.OnHang(fmt.Sprintf("%s: nothing has moved for %s: the disk hangs, or is very slow; it is given up after %s",
					path, silent, stall))
			}
		case <-interrupted:
			interrupted, over = nil, time.After(endTime)
		case <-over:
			silent = stall
		}
	}
	if len(left) == 0 {
		return true
	}
	measured := fmt.Sprintf("nothing moved for %s", stall)
	add(left[0], fail(measured, "The disk hangs.", "check that it is connected, and try again"))
	for _, name := range left[1:] {
		add(name, skip("", "It is not known, as the disk hangs.", ""))
	}
	return false
}
