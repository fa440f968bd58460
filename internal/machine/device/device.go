// Package device knows what lies behind the folders under test: the volume, its free space and limits, and
// whether a plan can run there at all. It does no I/O on test files (see diskio) and changes nothing.
// Start at Check, which judges a plan before anything is touched; Inspect is what it knows of one folder.
package device

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// Place is what is known of a folder.
type Place struct {
	Path       string // absolute, without symbolic links
	ID         uint64 // the same for all folders of one file system; 0 if the system does not say
	Free       int64  // bytes that this user may still write
	Size       int64  // bytes of the file system
	Used       int64  // of them, by whomever
	Mount      string // where the file system is mounted
	Source     string // what is mounted there: /dev/sda1, a share; empty if the system does not say
	Filesystem string // its kind, as the system calls it: ext4, apfs, NTFS
	System     bool   // holds the operating system
	Writable   error  // why nothing can be written; nil when it can
	Closed     error  // why the system keeps this program out of a folder that exists; nil if it does not
	info       fs.FileInfo
}

// errNotFolder marks a path that is something else.
var errNotFolder = errors.New("it is not a folder")

// Inspect finds out about the folder path.
func Inspect(path string) (Place, error) {
	resolved, err := filepath.Abs(path)
	if err == nil {
		resolved, err = filepath.EvalSymlinks(resolved)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(resolved)
	}
	if err != nil {
		return Place{}, err
	}
	if !info.IsDir() {
		return Place{}, fmt.Errorf("%s: %w", path, errNotFolder)
	}
	v, err := filesystem.Volume(resolved)
	if err != nil {
		return Place{}, err
	}
	p := Place{Path: resolved, Free: v.Free, Size: v.Size, Used: v.Used, info: info}
	if err := p.query(); err != nil {
		return Place{}, fmt.Errorf("query the file system of %s: %w", path, err)
	}
	return p, nil
}

// sameVolume reports whether both share a file system, as far as the system says.
func (p Place) sameVolume(q Place) bool { return p.ID != 0 && p.ID == q.ID }

// inspectAbove is Inspect for a folder that may not exist yet: the nearest one above it that does.
func inspectAbove(path string) (Place, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Place{}, err
	}
	for {
		p, err := Inspect(path)
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
			return p, err
		}
		path = filepath.Dir(path)
	}
}

// Look finds out what is plugged in where: the machine, hubs, disks and their volumes. It reads what the system offers
// and writes nothing. What the system does not report is left out, with a warning if that may surprise; so are serial
// numbers, which identify a person's disk, unless they are asked for.
func Look(ctx context.Context, serials bool) (*hardware.Inventory, error) {
	inv, err := look(ctx, serials)
	if err != nil {
		return nil, err
	}
	inv.Listed()
	return inv, nil
}

// Capture returns the raw answers that Look reads, without what identifies a device or a person: the form in which the
// tests of the packages linux, macos and windows keep theirs. The title is its first line.
func Capture(ctx context.Context, title string) ([]byte, error) {
	answers, err := captureAnswers(ctx)
	if err != nil {
		return nil, err
	}
	return []byte("# " + title + "\n# Source: hubbench devices --capture\n" + capture.Redact(answers)), nil
}

// ask runs one of the system's tools and returns what it prints. It waits no longer than the timeout.
func ask(ctx context.Context, timeout time.Duration, argv []string) ([]byte, error) {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return nil, err // no process is needed to find that out
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second // a child of the tool may hold its pipe
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(bytes.TrimSpace(exit.Stderr)) > 0 {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer in %v", timeout)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// slowAfter is how long a disk may take to answer before a person is told what is waited for. A hard disk that starts
// up takes longer.
const slowAfter = 2 * time.Second

// NotifyIfSlow does what may wait for a disk, and tells a person what is waited for if that takes long.
func NotifyIfSlow(notify func(text string), what string, do func() error) error {
	late := time.AfterFunc(slowAfter, func() { notify(Waiting(what)) })
	defer late.Stop()
	return do()
}

// Waiting says what is waited for, and why it may take so long.
func Waiting(what string) string {
	return "waiting for " + what + ": its disk is starting up or hangs, or the system asks in a " +
		"window of its own whether this terminal may use it"
}

// Problem is something about a plan that will not work, or will work but mean less than it seems.
type Problem struct {
	Code  string // which check found it: one of Codes
	Disk  string // the disk's name; empty if it is of the machine
	Fatal bool   // the plan must not run; otherwise a warning
	Text  string // what is wrong and what to try; names the disk
}

// Code is a check's name and what it is for.
type Code struct {
	Name   string
	Finds  string
	Always bool // it cannot be left out: the run would fail, or touch what it must not
}

// Codes returns every check, in the order of their findings.
func Codes() []Code {
	return []Code{
		{"missing", "a folder that does not exist", true},
		{"not_folder", "a file in place of a folder", true},
		{"closed", "a folder that macOS keeps hubbench out of", true},
		{"unwritable", "a folder that may not be written to", true},
		{"same_folder", "two disks with one folder", true},
		{"footprint", "a footprint too small to read from", true},
		{"file_limit", "a file larger than the file system takes", true},
		{"system_disk", "the disk that the system runs from", false},
		{"results_on_disk", "results that would go to a disk under test", false},
		{"same_disk", "two names for one physical disk", false},
		{"not_on_hub", "a disk that should be on the hub and is not", false},
		{"slow_link", "a disk that has negotiated USB 2 or less", false},
		{"different_hubs", "disks on hubs that share nothing", false},
		{"not_disk", "a folder in memory, or on a network", false},
		{"no_direct", "a file system without direct I/O", false},
		{"compressed", "a volume that compresses what is written", false},
		{"encrypted", "a volume that the computer encrypts", false},
		{"nearly_full", "a volume over 90 % full", false},
		{"wrote_lately", "a disk that an earlier run has just written much to", false},
		{"space", "too little free space", false},
		{"busy", "disks that move something though they should be idle: asked of plans over 256 MB", false},
		{"background", "backups, indexing and checks of file systems at work: asked of plans over 256 MB, as busy is", false},
		{"display", "a display on the disks' hub", false},
		{"battery", "a computer that runs on battery", false},
		{"powersave", "a processor held back to save power", false},
		{"unknown_hardware", "a disk that the machine does not list", false},
	}
}

// Options are what Check must know beside the plan.
type Options struct {
	Allow   []string // the codes of checks to leave out
	Results string   // the folder that will take the results, which may not exist yet; empty: none
	Recent  []Written
	Watch   time.Duration                                          // for other work on the disks; 0: not at all
	Moved   func(path string) (bytes int64, ok bool)               // that the disk behind a folder has moved in all
	Look    func(context.Context) (*hardware.Inventory, error)     // what is plugged in; nil: not known
	Running func(context.Context) (processes []Process, err error) // what the machine does; nil: not known
}

// Written is what an earlier run wrote to a disk.
type Written struct {
	Run   string // its folder
	Path  string // the disk's folder
	Bytes int64
	Ago   time.Duration // since the run ended
}

// Check says what is wrong with running the plan on this machine: fatal problems and warnings, in the
// order of the disks, then those of the machine. It changes nothing. Simulated disks have no problems.
func Check(ctx context.Context, plan *scenario.Plan, opts Options) []Problem {
	if !slices.ContainsFunc(plan.Disks, func(d scenario.Disk) bool { return !d.Simulated() }) {
		return nil
	}
	leftOut := map[string]bool{}
	for _, c := range Codes() {
		leftOut[c.Name] = !c.Always && slices.Contains(opts.Allow, c.Name)
	}
	problems := gather(ctx, plan, opts).judge()
	return slices.DeleteFunc(problems, func(p Problem) bool { return leftOut[p.Code] })
}

// evidence is what was looked at before a plan is judged. What could not be had is empty.
type evidence struct {
	plan      *scenario.Plan
	places    map[string]Place // of the real disks, by name
	results   *Place
	machine   *hardware.Inventory // never nil
	traffic   map[string]float64  // what moves on a disk that should be idle, in bytes per second
	processes []Process           // with what they did meanwhile
	saving    string              // how the processor is held back to save power; empty if it is not
	wrote     map[string]Written  // by earlier runs, by disk
	looked    bool                // at what is plugged in
	unlooked  error               // why that is not known

	found  []Problem
	disk   scenario.Disk // that the next problem is of; none if it is of the machine
	place  Place         // its folder, with the disk and the volume that hold it, and the physical disks beneath
	own    *hardware.Disk
	volume *hardware.Volume
	under  []*hardware.Disk
}

// gather looks, and says what is wrong with folders that cannot be looked at.
func gather(ctx context.Context, plan *scenario.Plan, opts Options) *evidence {
	e := &evidence{plan: plan, places: map[string]Place{}, machine: &hardware.Inventory{}, wrote: map[string]Written{}}
	for _, disk := range plan.Disks {
		if disk.Simulated() {
			continue
		}
		place, err := Inspect(disk.Path)
		if err != nil {
			e.disk = disk
			e.unusable(err, runtime.GOOS)
			continue
		}
		e.places[disk.Name] = place
	}
	if len(e.places) == 0 {
		return e
	}
	if opts.Results != "" {
		// A results folder that cannot be looked at fails when it is made, with a better message.
		if place, err := inspectAbove(opts.Results); err == nil {
			e.results = &place
		}
	}
	for _, w := range opts.Recent {
		then, err := Inspect(w.Path)
		if err != nil {
			continue
		}
		for name, place := range e.places {
			if last, ok := e.wrote[name]; place.sameVolume(then) && (!ok || w.Ago < last.Ago) {
				e.wrote[name] = w
			}
		}
	}
	if opts.Look != nil {
		machine, err := opts.Look(ctx)
		e.machine, e.looked, e.unlooked = cmp.Or(machine, e.machine), true, err
	}
	e.saving = SavingPower(ctx)
	e.watch(ctx, opts)
	return e
}

// watch looks at the disks' counters and the machine's processes twice, and keeps what happened between.
func (e *evidence) watch(ctx context.Context, opts Options) {
	earlier, before, began := opts.running(ctx), e.counts(opts), time.Now()
	e.processes = earlier
	if opts.Watch <= 0 {
		return
	}
	select {
	case <-time.After(opts.Watch):
	case <-ctx.Done():
		e.processes = nil
		return
	}
	took := time.Since(began).Seconds()
	e.traffic = map[string]float64{}
	for name, after := range e.counts(opts) {
		if first, ok := before[name]; ok {
			e.traffic[name] = float64(after-first) / took
		}
	}
	e.processes = between(earlier, opts.running(ctx), time.Since(began))
}

// counts is what the disks have moved in all.
func (e *evidence) counts(opts Options) map[string]int64 {
	counts := map[string]int64{}
	for name, place := range e.places {
		if opts.Moved == nil {
			break
		}
		if bytes, ok := opts.Moved(place.Path); ok {
			counts[name] = bytes
		}
	}
	return counts
}

// running are the machine's processes; those that cannot be listed are none to warn of.
func (o Options) running(ctx context.Context) (list []Process) {
	if o.Running != nil {
		list, _ = o.Running(ctx)
	}
	return list
}

// beneath are the physical disks under a place; none if the machine does not say.
func (e *evidence) beneath(place Place) []*hardware.Disk {
	return e.machine.Physical(e.machine.Holding(place.Path))
}

// shared is a physical disk that both places lie on; nil if none is known.
func (e *evidence) shared(p, q Place) *hardware.Disk {
	others := e.beneath(q)
	for _, disk := range e.beneath(p) {
		if slices.Contains(others, disk) {
			return disk
		}
	}
	return nil
}
