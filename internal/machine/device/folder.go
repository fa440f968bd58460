package device

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

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

// What Windows says of a drive that is none of this machine's disks; it has no file system of that name.
const (
	networkDrive = "network drive"
	memoryDrive  = "memory drive"
)

// fatFileMax is the largest file on FAT, in bytes: its sizes have 32 bits. exFAT's have 64.
const fatFileMax = 1<<32 - 1

// fileMax is the largest file that a kind of file system takes; 0: no limit worth a word.
func fileMax(kind string) int64 {
	switch strings.ToLower(kind) {
	case "vfat", "msdos", "fat", "fat12", "fat16", "fat32":
		return fatFileMax
	}
	return 0
}

// notDisk says where the files of a kind of file system lie, if not on a disk of this machine; empty for the others.
func notDisk(kind string) string {
	switch kind {
	case "tmpfs", "ramfs", "devtmpfs", memoryDrive:
		return "in memory"
	case "nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "9p", "virtiofs", "ceph", "glusterfs", "lustre", "fuse.sshfs", "fuse.rclone",
		"fuse.glusterfs", "vboxsf", "fuse.vmhgfs-fuse", "prl_fs", networkDrive:
		return "on another machine, or the host of this one"
	case "overlay", "aufs", "fuse.mergerfs", "fuse.overlayfs", "unionfs":
		return "on whatever lies beneath, which need not be one disk"
	}
	return ""
}

// noDirect says why a kind of file system on a disk does not pass requests by the operating system's cache, and what to
// try; empty if it does, or may. The worker tries it and records what it got; this is to know it before.
func noDirect(kind string) (why, try string) {
	switch kind {
	case "fuseblk":
		return "it is served by a program (FUSE), and that reads and writes the disk through the cache", "Mount it with the system's own driver (ntfs3, exfat)"
	case "ecryptfs", "vboxsf", "aufs":
		return "it knows no direct requests", "Format the disk as APFS, NTFS, exFAT or ext4"
	}
	return "", ""
}

// Beside the test files themselves, a file system needs room for its own records, and one filled to the
// last byte is slower than the disk: this much must stay free.
const (
	marginPart  = 50 // a fiftieth of what is written, and
	marginBytes = 64 << 20
)

// judgeSpace finds the phase that needs most on each file system. Disks that share one share its space.
func judgeSpace(plan *scenario.Plan, places map[string]Place) []Problem {
	var problems []Problem
	var judged []string
	for _, disk := range plan.Disks {
		place, ok := places[disk.Name]
		if !ok || slices.Contains(judged, disk.Name) {
			continue
		}
		var sharers []string
		for _, other := range plan.Disks {
			if q, ok := places[other.Name]; ok && (other.Name == disk.Name || place.sameVolume(q)) {
				sharers = append(sharers, other.Name)
			}
		}
		judged = append(judged, sharers...)
		need, phase := maxSpace(plan, sharers)
		margin := need/marginPart + marginBytes
		if need == 0 || need+margin <= place.Free {
			continue
		}
		who := "disk " + disk.Name
		if len(sharers) > 1 {
			who = "disks " + strings.Join(sharers, ", ")
		}
		problems = append(problems, Problem{Code: "space", Disk: disk.Name, Fatal: true, Text: fmt.Sprintf(
			"%s: phase %s needs %s plus a margin of %s, but only %s is free; free some space, use fewer or smaller files, or set a footprint",
			who, phase, unit.FormatBytes(need), unit.FormatBytes(margin), unit.FormatBytes(place.Free))})
	}
	return problems
}

// maxSpace is the most that the disks' test files take up at one time, and the phase that does it.
func maxSpace(plan *scenario.Plan, disks []string) (largest int64, phase string) {
	total := make([]int64, len(plan.Phases))
	for _, disk := range disks {
		for i, stock := range plan.Stock(disk) {
			total[i] += stock.Space
		}
	}
	for i, p := range plan.Phases {
		if total[i] > largest {
			largest, phase = total[i], p.Name
		}
	}
	return largest, phase
}

// nearlyFull is how much of a volume may be used before it is said. A fuller SSD has fewer free blocks for its
// cache and for collecting garbage, and its file system has fewer long stretches to give.
const nearlyFull = 0.9

// judgeVolume asks whether something between the files and the disk changes what is measured.
func judgeVolume(e *evidence, disk scenario.Disk, place Place, found *findings) {
	if where := notDisk(place.Filesystem); where != "" {
		found.warn("not_disk", disk.Name, "%s is no folder on a disk: what lies there (%s) lies %s; give a folder on the disk under test", disk.Path, place.Filesystem, where)
	}
	for _, under := range e.beneath(place) {
		if under.Memory {
			found.warn("not_disk", disk.Name, "%s is no folder on a disk: what lies there lies in memory (%s); give a folder on the disk under test", disk.Path, described(under))
		}
	}
	if why, try := noDirect(place.Filesystem); why != "" && asksDirect(e.plan, disk.Name) {
		found.warn("no_direct", disk.Name, "the file system of %s (%s) has no direct I/O: %s; the cache is measured with the disk. %s, or set `io: app` to measure as programs see it", disk.Path, place.Filesystem, why, try)
	}
	if place.Size > 0 && float64(place.Used)/float64(place.Size) > nearlyFull {
		found.warn("nearly_full", disk.Name, "the volume of %s is %.0f %% full, %s of %s: a full SSD writes slower; free some space, and let it trim, to measure the disk at its usual", disk.Path,
			100*float64(place.Used)/float64(place.Size), unit.FormatBytes(place.Used), unit.FormatBytes(place.Size))
	}
	_, volume := e.at(place)
	if volume == nil {
		return
	}
	if volume.Compressed != nil && *volume.Compressed {
		found.warn("compressed", disk.Name, "the volume of %s compresses what is written: the processor works for each byte, and direct I/O may pass through the cache; use a folder or volume without compression", disk.Path)
	}
	if volume.Encrypted != nil && *volume.Encrypted {
		found.warn("encrypted", disk.Name, "the volume of %s is encrypted by the computer: its rates include that work, so compare them only with those of encrypted volumes", disk.Path)
	}
}

func asksDirect(plan *scenario.Plan, disk string) bool {
	return slices.ContainsFunc(plan.Phases, func(p scenario.Phase) bool {
		return slices.ContainsFunc(p.Jobs, func(j scenario.Job) bool { return j.Disk == disk && j.IO.Mode == scenario.ModeDirect })
	})
}

// An SSD folds what its fast cache took into slower cells when it is left alone, which takes minutes for the tens of
// gigabytes that such a cache holds. A run that comes too soon finds less of it than the first.
const (
	muchWritten = 10e9 // bytes
	lately      = 10 * time.Minute
)

// Lately is how old a run may be to matter to the next one.
const Lately = lately

// judgeHistory asks whether an earlier run has left its write cache to empty.
func judgeHistory(e *evidence, disk scenario.Disk, found *findings) {
	w, ok := e.wrote[disk.Name]
	if !ok || w.Bytes < muchWritten || w.Ago > lately {
		return
	}
	found.warn("wrote_lately", disk.Name, "a run that ended %s ago (%s) wrote %s to it, which its write cache may still hold; wait until %s have passed, or give the first phase `cooldown: {until: idle, most: 10 min}`",
		unit.FormatSeconds(w.Ago.Round(time.Second).Seconds()), w.Run, unit.FormatBytes(w.Bytes), unit.FormatSeconds(lately.Seconds()))
}
