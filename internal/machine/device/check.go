package device

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
)

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
		{"busy", "disks that move something though they should be idle", false},
		{"background", "backups, indexing and checks of file systems at work", false},
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
	Watch   time.Duration                                          // how long to look for other work on the disks; 0: not at all
	Moved   func(path string) (bytes int64, ok bool)               // what the disk behind a folder has moved since it was plugged in
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
	seen, problems := gather(ctx, plan, opts)
	problems = append(problems, judge(seen)...)
	return slices.DeleteFunc(problems, func(p Problem) bool { return !mustHold(p.Code) && slices.Contains(opts.Allow, p.Code) })
}

// mustHold reports whether a check cannot be left out.
func mustHold(code string) bool {
	return slices.ContainsFunc(Codes(), func(c Code) bool { return c.Name == code && c.Always })
}

// findings are the problems found so far.
type findings []Problem

// warn and refuse add a problem of a disk; its name goes before the text.
func (f *findings) warn(code, disk, format string, args ...any) {
	f.add(Problem{Code: code, Disk: disk}, format, args...)
}

func (f *findings) refuse(code, disk, format string, args ...any) {
	f.add(Problem{Code: code, Disk: disk, Fatal: true}, format, args...)
}

func (f *findings) add(p Problem, format string, args ...any) {
	p.Text = fmt.Sprintf(format, args...)
	if p.Disk != "" {
		p.Text = "disk " + p.Disk + ": " + p.Text
	}
	*f = append(*f, p)
}

// judge is Check without the looking.
func judge(e *evidence) []Problem {
	var found findings
	for i, disk := range e.plan.Disks {
		place, ok := e.places[disk.Name]
		if !ok {
			continue
		}
		judgeFolder(e, disk, place, &found)
		judgeSystem(e, disk, place, &found)
		judgeFiles(e, disk, place, &found)
		judgeShared(e, i, place, &found)
		judgeLinks(e, disk, place, &found)
		judgeVolume(e, disk, place, &found)
		judgeHistory(e, disk, &found)
		judgeKnowledge(e, disk, place, &found)
	}
	found = append(found, judgeSpace(e.plan, e.places)...)
	judgeHubs(e, &found)
	judgeTraffic(e, &found)
	judgePrograms(e, &found)
	judgeHost(e, &found)
	return found
}
