package device

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Problem is something about a plan that will not work, or will work but mean less than it seems.
type Problem struct {
	Code  string // missing, not_folder, unwritable, same_folder, same_disk, space, footprint, file_limit, system_disk, results_on_disk
	Disk  string // the disk's name
	Fatal bool   // the plan must not run; otherwise a warning
	Text  string // what is wrong and what to try; names the disk
}

// Options are what Check must know beside the plan.
type Options struct {
	AllowSystemDisk bool
	Results         string // the folder that will take the results, which may not exist yet; empty: none
}

// Check says what is wrong with running the plan on this machine: fatal problems and warnings, in the
// order of the disks. It changes nothing. Simulated disks have no problems.
func Check(plan *scenario.Plan, opts Options) []Problem {
	places := map[string]Place{}
	var problems []Problem
	for _, disk := range plan.Disks {
		if disk.Simulated() {
			continue
		}
		place, err := Inspect(disk.Path)
		if err != nil {
			problems = append(problems, unusable(disk, err))
			continue
		}
		places[disk.Name] = place
	}
	var results *Place
	if opts.Results != "" && len(places) > 0 {
		// A results folder that cannot be looked at fails when it is made, with a better message.
		if place, err := inspectAbove(opts.Results); err == nil {
			results = &place
		}
	}
	return append(problems, judge(plan, places, results, opts.AllowSystemDisk)...)
}

func unusable(disk scenario.Disk, err error) Problem {
	p := Problem{Disk: disk.Name, Fatal: true}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Code = "missing"
		p.Text = fmt.Sprintf("disk %s: %s does not exist; check the spelling, and that the disk is mounted", disk.Name, disk.Path)
	case errors.Is(err, errNotFolder):
		p.Code = "not_folder"
		p.Text = fmt.Sprintf("disk %s: %s is a file; give a folder on the disk", disk.Name, disk.Path)
	default:
		p.Code = "missing"
		p.Text = fmt.Sprintf("disk %s: %v", disk.Name, err)
	}
	return p
}

// judge is Check without the looking.
func judge(plan *scenario.Plan, places map[string]Place, results *Place, allowSystem bool) []Problem {
	var problems []Problem
	for i, disk := range plan.Disks {
		place, ok := places[disk.Name]
		if !ok {
			continue
		}
		add := func(code string, fatal bool, format string, args ...any) {
			text := fmt.Sprintf("disk %s: ", disk.Name) + fmt.Sprintf(format, args...)
			problems = append(problems, Problem{Code: code, Disk: disk.Name, Fatal: fatal, Text: text})
		}
		if place.Writable != nil {
			add("unwritable", true, "cannot write to %s (%v); choose a folder that you may write to, on a volume that is not read-only", disk.Path, place.Writable)
		}
		if place.System && !allowSystem {
			add("system_disk", true, "%s is on the disk that holds the operating system; give a folder on the disk under test, or set `allow_system_disk: true` to measure this one", disk.Path)
		}
		if results != nil && results.sameDisk(place) {
			add("results_on_disk", !place.System, "the results would be written to this disk while it is measured; choose a folder on another disk with --out")
		}
		if size, phase := largestFile(plan, disk.Name); place.FileMax > 0 && size > place.FileMax {
			add("file_limit", true, "phase %s has a file of %s, and the file system of %s supports none above 4 GiB; use smaller files, or format the disk as exFAT, APFS, NTFS or ext4", phase, unit.FormatBytes(size), disk.Path)
		}
		if need, phase := mostNeeded(plan, disk.Name); need > 0 {
			add("footprint", true, "phase %s reads %s, more than its footprint allows at one time; read fewer or smaller files, or raise the footprint", phase, unit.FormatBytes(need))
		}
		for _, other := range plan.Disks[:i] {
			if q, ok := places[other.Name]; !ok {
				continue
			} else if place.sameFolder(q) {
				add("same_folder", true, "%s is the folder of disk %s too; give each disk its own", disk.Path, other.Name)
			} else if place.sameDisk(q) {
				add("same_disk", false, "is on the same file system as disk %s; the two compete for one disk, not for the hub", other.Name)
				break
			}
		}
	}
	return append(problems, judgeSpace(plan, places)...)
}

// mostNeeded is the files that a job of the disk needs at one time though its footprint forbids it, and the
// phase; 0 where there is no such job.
func mostNeeded(plan *scenario.Plan, disk string) (bytes int64, phase string) {
	for _, p := range plan.Phases {
		for _, job := range p.Jobs {
			var need int64
			for _, size := range job.Needs() {
				need += size
			}
			if job.Disk == disk && job.IO.Footprint > 0 && need > job.IO.Footprint {
				return need, p.Name
			}
		}
	}
	return 0, ""
}

// largestFile is the disk's largest file and its phase.
func largestFile(plan *scenario.Plan, disk string) (most int64, phase string) {
	for _, p := range plan.Phases {
		for _, job := range p.Jobs {
			for _, size := range job.Sizes {
				if job.Disk == disk && size > most {
					most, phase = size, p.Name
				}
			}
		}
	}
	return most, phase
}
