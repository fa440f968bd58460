package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// trial is what is measured of one disk.
type trial struct {
	ctx   context.Context
	opts  Options
	path  string
	alive func() // is called when something has moved
	size  int64
	done  map[string]moved // by what was moved
}

// diskChecks are the names of the checks that need test files, in their order.
var diskChecks = [...]string{"direct", "direct_4k", "counters", "limits", "flush", "lanes"}

// checkDisk makes every check of one disk, which all need a writable folder.
func (o Options) checkDisk(ctx context.Context, path string, alive func(), add func(name, path string, c trace.Check)) {
	skipRest := func() {
		for _, name := range diskChecks {
			add(name, path, skip("", "Not checked: nothing could be written.", ""))
		}
	}
	allowed := check(ctx, func() (device.Place, error) { return device.Inspect(path) }, judgePlace)
	add("permissions", path, allowed)
	if allowed.Verdict != trace.Pass {
		skipRest()
		return
	}
	folder := check(ctx, func() (error, error) { return diskio.TryFolder(path, o.RunID), nil }, judgeFolder)
	add("folder", path, folder)
	if folder.Verdict != trace.Pass {
		skipRest()
		return
	}
	limited, cancel := context.WithTimeout(ctx, diskTime)
	defer cancel()
	t := &trial{ctx: limited, opts: o, path: path, alive: alive, size: pilotSize, done: map[string]moved{}}
	err := t.moveAll()
	of := func(names ...string) func() ([]moved, error) {
		return func() ([]moved, error) {
			var all []moved
			for _, name := range names {
				m, ok := t.done[name]
				if !ok {
					return nil, err
				}
				all = append(all, m)
			}
			return all, nil
		}
	}
	add("direct", path, check(ctx, of("write", "read"), judgeDirect))
	add("direct_4k", path, check(ctx, of("small write", "small read"), judgeDirect))
	add("counters", path, check(ctx, of("write", "read"), judgeCounters))
	add("limits", path, check(ctx, func() (pace, error) {
		all, err := of("write", "read", "small write", "small read")()
		return paceOf(all, o.limits(path)), err
	}, judgeLimits))
	add("flush", path, check(ctx, t.flushes, judgeFlush))
	add("lanes", path, check(ctx, t.lanes, judgeLanes))
}

// moveAll writes and reads the large file and the small requests.
func (t *trial) moveAll() error {
	if _, err := t.move("pilot", trace.Write, job{size: pilotSize, block: 1 << 20}); err != nil {
		return err
	}
	room := int64(t.done["pilot"].rate()*pilotTime) / largeBlock * largeBlock
	t.size = min(max(room, 2*largeBlock), largest)
	small := min(max(t.size/4/smallBlock*smallBlock, 1<<20), smallSize)
	for _, step := range []struct {
		name string
		role trace.Role
		job  job
	}{
		{"write", trace.Write, job{size: t.size, block: largeBlock, stays: true}},
		{"read", trace.Read, job{size: t.size, block: largeBlock}},
		{"small write", trace.Write, job{size: small, block: smallBlock, random: true, stays: true}},
		{"small read", trace.Read, job{size: small, block: smallBlock, random: true}},
	} {
		if _, err := t.move(step.name, step.role, step.job); err != nil {
			return err
		}
	}
	return nil
}

// job is one file to move.
type job struct {
	size, block int64
	lanes       int // requests in flight; 0: the usual
	random      bool
	stays       bool // for the next to read
}

// move moves a file as a run does, and has the device count.
func (t *trial) move(name string, role trace.Role, j job) (moved, error) {
	if j.lanes == 0 {
		j.lanes = depth
	}
	io := scenario.IO{Mode: scenario.ModeDirect, Block: j.block, Depth: j.lanes, Flush: scenario.FlushFsync, Verify: scenario.VerifyOff, Preallocate: true}
	if j.random {
		io.Access, io.Cap = scenario.AccessRandom, smallTime
	}
	work := diskio.Job{
		Job:   scenario.Job{Disk: t.path, Role: role, Sizes: []int64{j.size}, Seed: 1, IO: io},
		RunID: t.opts.RunID, Phase: "doctor", Dir: t.path,
	}
	if j.stays {
		work.CarryOver = work.Sizes
	}
	before, countErr := t.count()
	did, err := diskio.Try(t.ctx, work, t.alive)
	m := moved{Tried: did, role: role, block: j.block, counted: -1}
	if after, err := t.count(); err == nil && countErr == nil {
		m.counted = after - before
	}
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("moving %s took more than %s in all", unit.FormatBytes(j.size), diskTime)
		}
		return m, err
	}
	t.done[name] = m
	return m, nil
}

var errNoCount = errors.New("nothing counts what the disk moves")

func (t *trial) count() (int64, error) {
	if t.opts.Count == nil {
		return 0, errNoCount
	}
	return t.opts.Count(t.ctx, t.path)
}

// hint is what to try after an error.
func hint(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "choose a folder that you may write to"
	case errors.Is(err, fs.ErrNotExist):
		return "check that the disk is mounted and that the folder exists"
	}
	return ""
}

// need is the maximum size of the checks' test files.
const need = largest + spareBytes

func judgePlace(p device.Place) trace.Check {
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
		return fail(unit.FormatBytes(p.Free)+" free", fmt.Sprintf("The checks need %s.", unit.FormatBytes(need)), "free some space")
	}
	return pass(fmt.Sprintf("writable, %s free", unit.FormatBytes(p.Free)), "Test files can be written.")
}

// judgeFolder takes what was wrong with a test folder; nil for nothing.
func judgeFolder(err error) trace.Check {
	if err != nil {
		return fail(err.Error(), "Test files might not be removed, or be removed while another run uses them.", "use a file system of the computer's own (APFS, exFAT, NTFS, ext4, XFS), not one on a network, and hubbench clean to remove what is left")
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

// judgeLanes checks whether a new file is written as fast in four lanes as in one: a file system that fills each gap with
// zeros, or allows one writer at a time, makes it slower.
func judgeLanes(r laneRates) trace.Check {
	one, four := slices.Max(r.one), slices.Max(r.four) // other programs can only make them slower
	measured := fmt.Sprintf("a new file with one request in flight %s, with four %s (best of %d)", unit.FormatRate(one), unit.FormatRate(four), len(r.one))
	if four < lanesLow*one {
		return warn(measured, "The file system slows down several requests to a new file: rates are its own, not the disk's.", "set `depth: 1`, or use another file system")
	}
	return pass(measured, "Several requests at a time cost nothing.")
}

// lanes alternates between new files, so that a change meanwhile affects both.
func (t *trial) lanes() (r laneRates, err error) {
	size := max(t.size/4/largeBlock*largeBlock, largeBlock)
	for range laneTries {
		for _, l := range [...]struct {
			lanes int
			rates *[]float64
		}{{1, &r.one}, {depth, &r.four}} {
			m, err := t.move("lanes", trace.Write, job{size: size, block: 1 << 20, lanes: l.lanes})
			if err != nil {
				return r, err
			}
			*l.rates = append(*l.rates, m.rate())
		}
	}
	return r, nil
}
