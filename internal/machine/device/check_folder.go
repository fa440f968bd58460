package device

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"syscall"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// unusable says why a disk's folder could not be looked at. "Operation not permitted" is what macOS says if the person
// has not let this terminal at removable volumes; permissions of the folder's own give another error.
func (f *findings) unusable(disk scenario.Disk, err error, goos string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.refuse("missing", disk.Name, "%s does not exist; check the spelling, and that the disk is mounted", disk.Path)
	case errors.Is(err, errNotFolder):
		f.refuse("not_folder", disk.Name, "%s is a file; give a folder on the disk", disk.Path)
	case goos == "darwin" && errors.Is(err, syscall.EPERM):
		f.closed(disk, err)
	default:
		f.refuse("missing", disk.Name, "%v", err)
	}
}

func (f *findings) closed(disk scenario.Disk, err error) {
	f.refuse("closed", disk.Name, "macOS keeps programs of this terminal out of %s (%v); allow the terminal at removable volumes in System Settings > Privacy & Security > Files and Folders", disk.Path, err)
}

// judgeFolder asks whether the disk's folder can be used at all.
func judgeFolder(_ *evidence, disk scenario.Disk, place Place, found *findings) {
	if place.Closed != nil {
		found.closed(disk, place.Closed)
	} else if place.Writable != nil {
		found.refuse("unwritable", disk.Name, "cannot write to %s (%v); choose a folder that you may write to, on a volume that is not read-only", disk.Path, place.Writable)
	}
}

// whereMounted are the folders in which systems and people mount disks: one that is left behind there looks like the disk.
var whereMounted = regexp.MustCompile(`^/(Volumes|media|run/media|mnt)/.`)

// judgeSystem asks whether the test would load the disk that the system runs from, or the results the disk under test.
func judgeSystem(e *evidence, disk scenario.Disk, place Place, found *findings) {
	own, _ := e.at(place)
	under := slices.ContainsFunc(e.beneath(place), isSystem)
	switch {
	case place.System && whereMounted.MatchString(place.Path):
		found.refuse("system_disk", disk.Name, "no disk is mounted at %s: the folder is on the disk that holds the operating system; mount the disk under test, or set `allow_system_disk: true` to measure this one", disk.Path)
	case place.System:
		found.refuse("system_disk", disk.Name, "%s is on the disk that holds the operating system; give a folder on the disk under test, or set `allow_system_disk: true` to measure this one", disk.Path)
	case own != nil && own.System:
		found.refuse("system_disk", disk.Name, "%s is on another volume of the disk that holds the operating system (%s); give a folder on the disk under test, or set `allow_system_disk: true` to measure this one", disk.Path, own.Name)
	case under:
		found.warn("system_disk", disk.Name, "%s is on %s, which itself lies on the disk that holds the operating system: that is what is measured; give a folder on the disk under test, or set `allow_system_disk: true`", disk.Path, own.Name)
	}
	if e.results == nil {
		return
	}
	if e.results.sameVolume(place) || e.shared(*e.results, place) != nil {
		add := found.refuse
		if place.System || under {
			add = found.warn // where else should they go
		}
		add("results_on_disk", disk.Name, "the results would be written to this disk while it is measured; choose a folder on another disk with --out")
	}
}

// judgeFiles asks whether the file system takes the files.
func judgeFiles(e *evidence, disk scenario.Disk, place Place, found *findings) {
	if size, phase := largestFile(e.plan, disk.Name); fileMax(place.Filesystem) > 0 && size > fileMax(place.Filesystem) {
		found.refuse("file_limit", disk.Name, "phase %s has a file of %s, and the file system of %s supports none above 4 GiB; use smaller files, or format the disk as exFAT, APFS, NTFS or ext4", phase, unit.FormatBytes(size), disk.Path)
	}
	if need, phase := maxNeeded(e.plan, disk.Name); need > 0 {
		found.refuse("footprint", disk.Name, "phase %s reads %s, more than its footprint allows at one time; read fewer or smaller files, or raise the footprint", phase, unit.FormatBytes(need))
	}
}

// maxNeeded is the files that a job of the disk needs at one time though its footprint forbids it, and the
// phase; 0 if there is no such job.
func maxNeeded(plan *scenario.Plan, disk string) (bytes int64, phase string) {
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
func largestFile(plan *scenario.Plan, disk string) (largest int64, phase string) {
	for _, p := range plan.Phases {
		for _, job := range p.Jobs {
			for _, size := range job.Sizes {
				if job.Disk == disk && size > largest {
					largest, phase = size, p.Name
				}
			}
		}
	}
	return largest, phase
}
