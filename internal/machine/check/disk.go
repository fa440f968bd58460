package check

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// noConsent reports whether macOS keeps programs of this terminal out of the folder. The operation
// is then not permitted, while permissions of the folder's own give another error.
func (f *facts) noConsent() bool {
	return f.system == "darwin" && errors.Is(f.placeErr, syscall.EPERM)
}

func judgeMissing(f *facts) answer {
	switch {
	case f.placeErr == nil || errors.Is(f.placeErr, device.ErrNotFolder) || f.noConsent():
		return pass("it is there")
	case errors.Is(f.placeErr, fs.ErrNotExist):
		return fail(f.disk.Path+" does not exist", "",
			"check the spelling, and that the disk is mounted")
	}
	return fail(f.placeErr.Error(), "",
		"check that the disk is mounted, and that you may read the folder")
}

func judgeNotFolder(f *facts) answer {
	if errors.Is(f.placeErr, device.ErrNotFolder) {
		return fail(f.disk.Path+" is a file", "", "give a folder on the disk")
	}
	return pass("it is no file")
}

func judgeClosed(f *facts) answer {
	why := f.place.Closed
	if f.noConsent() {
		why = f.placeErr
	}
	if why == nil {
		return pass("not closed")
	}
	measured := fmt.Sprintf("macOS keeps programs of this terminal out of %s (%v)", f.disk.Path,
		why)
	return fail(measured, "", "allow the terminal at removable volumes in System Settings > "+
		"Privacy & Security > Files and Folders")
}

func judgeUnwritable(f *facts) answer {
	if f.place.Writable == nil || f.place.Closed != nil {
		return pass("nothing forbids it")
	}
	return fail(fmt.Sprintf("cannot write to %s (%v)", f.disk.Path, f.place.Writable), "",
		"choose a folder that you may write to, on a volume that is not read-only")
}

// disksBefore returns the disks of the plan before the judged one that can be looked at.
func (f *facts) disksBefore() (disks []scenario.Disk) {
	for _, disk := range f.plan.Disks {
		if disk.Name == f.disk.Name {
			break
		}
		if _, reached := f.places[disk.Name]; reached {
			disks = append(disks, disk)
		}
	}
	return disks
}

func judgeSameFolder(f *facts) answer {
	for _, other := range f.disksBefore() {
		if f.place.SameFolder(f.places[other.Name]) {
			return fail(fmt.Sprintf("%s is the folder of disk %s too", f.disk.Path, other.Name), "",
				"give each disk its own")
		}
	}
	return pass("")
}

func judgeSameDisk(f *facts) answer {
	const means = "the two compete for one disk, not for the hub"
	const try = "give a folder on another disk, or --allow same_disk to measure just that"
	for _, other := range f.disksBefore() {
		place := f.places[other.Name]
		if f.place.SameFolder(place) {
			continue
		}
		if f.place.SameVolume(place) {
			return warn("is on the same file system as disk "+other.Name, means, try)
		}
		if both := f.sharedDisk(place); both != nil {
			return warn(fmt.Sprintf("is on the same physical disk as disk %s, %s",
				other.Name, described(both)), means, try)
		}
	}
	return pass("")
}

// described returns a disk as a person knows it: its name, and its model if known.
func described(d *hardware.Drive) string {
	if d.Model == "" {
		return d.Name
	}
	return d.Name + " (" + d.Model + ")"
}

func judgeFootprint(f *facts) answer {
	for _, p := range f.plan.Phases {
		job, _ := p.Job(f.disk.Name)
		var needs int64
		for _, size := range job.Needs() {
			needs += size
		}
		if job.IO.Footprint > 0 && needs > job.IO.Footprint {
			return fail(fmt.Sprintf("phase %s reads %s, more than its footprint allows at one time",
				p.Name, unit.FormatBytes(needs)), "",
				"read fewer or smaller files, or raise the footprint")
		}
	}
	return pass("")
}

// fatFileMax is the largest file, in bytes, on file systems whose sizes have 32 bits; exFAT's have
// 64.
const fatFileMax = 1<<32 - 1

func judgeFileLimit(f *facts) answer {
	switch strings.ToLower(f.place.Filesystem) {
	case "vfat", "msdos", "fat", "fat12", "fat16", "fat32":
	default:
		return pass("")
	}
	largest, phase := int64(fatFileMax), ""
	for _, p := range f.plan.Phases {
		job, _ := p.Job(f.disk.Name)
		for _, size := range job.Sizes {
			if size > largest {
				largest = size
				phase = p.Name
			}
		}
	}
	if phase == "" {
		return pass("")
	}
	return fail(fmt.Sprintf(
		"phase %s has a file of %s, and the file system of %s supports none above 4 GiB",
		phase, unit.FormatBytes(largest), f.disk.Path), "",
		"use smaller files, or format the disk as "+f.goodFormats())
}

// goodFormats are file systems that measure the disk and not themselves.
func (f *facts) goodFormats() string {
	if f.system == "darwin" {
		return "APFS" // Its driver for exFAT fills files with zeros, and has lost data.
	}
	return "exFAT, APFS, NTFS or ext4"
}

// Beside the test files themselves, a file system needs room for its own records, and one filled to
// the last byte is slower than the disk: this much must stay free.
const (
	marginPart  = 50 // A disk needs a fiftieth of what is written as margin.
	marginBytes = 64 << 20
)

// judgeSpace finds the phase that needs most on the file system. Disks that share one share its
// space, and the first of them says so.
func judgeSpace(f *facts) answer {
	var sharers []string
	// total is what their test files take up at one time.
	total := make([]int64, len(f.plan.Phases))
	for _, disk := range f.plan.Disks {
		place, reached := f.places[disk.Name]
		if !reached || disk.Name != f.disk.Name && !f.place.SameVolume(place) {
			continue
		}
		sharers = append(sharers, disk.Name)
		for i, stock := range f.plan.Stock(disk.Name) {
			total[i] += stock.Space
		}
	}
	if len(total) == 0 || sharers[0] != f.disk.Name {
		return pass("")
	}
	if f.place.Size == 0 { // A ramfs has none.
		return notKnown()
	}
	need := slices.Max(total)
	margin := need/marginPart + marginBytes
	free := unit.FormatBytes(f.place.Free)
	if need == 0 || need+margin <= f.place.Free {
		return pass(free + " free")
	}
	who := ""
	if len(sharers) > 1 {
		who = " for the disks " + unit.List(sharers)
	}
	what := "phase " + f.plan.Phases[slices.Index(total, need)].Name + " needs"
	try := "free some space, use fewer or smaller files, or set a footprint"
	if f.opts.Paths != nil { // Doctor's files have fixed sizes.
		what = "the checks need"
		try = "free some space"
	}
	return fail(fmt.Sprintf("%s %s%s plus a margin of %s, but only %s is free",
		what, unit.FormatBytes(need), who, unit.FormatBytes(margin), free), "", try)
}

// whereMounted are the folders in which systems and people mount disks: one that is left behind
// there looks like the disk.
var whereMounted = regexp.MustCompile(`^/(Volumes|media|run/media|mnt)/.`)

// onSystemDisk reports whether a physical disk beneath is the one that the system runs from.
func (f *facts) onSystemDisk() bool {
	for _, under := range f.under {
		if under.System {
			return true
		}
	}
	return f.place.System
}

func judgeSystemDisk(f *facts) answer {
	if !f.onSystemDisk() {
		return pass("")
	}
	const holds = " is on the disk that holds the operating system"
	measured, give, judge := f.disk.Path+holds, "give a folder on", fail
	switch {
	case f.place.System && whereMounted.MatchString(f.place.Path):
		measured, give = "no disk is mounted at "+f.disk.Path+", so the folder"+holds, "mount"
	case !f.place.System && f.own.System:
		measured += " (" + f.own.Name + "), on another volume of it"
	case !f.place.System:
		measured = f.disk.Path + " is on " + f.own.Name + ", which itself" + holds
		judge = warn // on purpose, most likely
	}
	return judge(measured, "", give+" the disk under test, or set `allow_system_disk: true` "+
		"or --allow system_disk to measure this one")
}

func judgeResults(f *facts) answer {
	if f.results.Path == "" || !f.place.SameVolume(f.results) && f.sharedDisk(f.results) == nil {
		return pass("")
	}
	judge := fail
	if f.onSystemDisk() { // They have nowhere else to go.
		judge = warn
	}
	return judge("the results would be written to this disk while it is measured", "",
		"choose a folder on another disk with --out")
}

func judgeNotDisk(f *facts) answer {
	kind, what := f.place.NotDisk(), f.place.Filesystem
	for _, under := range f.under {
		if under.Memory {
			kind = "RAM"
			what = described(under)
		}
	}
	if kind == "" {
		return pass(what)
	}
	return warn(fmt.Sprintf("%s is %s (%s), not a disk", f.disk.Path, kind, what), "",
		"give a folder on the disk under test")
}

// judgeNoDirect knows from the file system's kind what the worker finds out by trying, and records.
func judgeNoDirect(f *facts) answer {
	why, try := "", ""
	switch f.place.Filesystem {
	case "fuseblk":
		why = "it is served by a program (FUSE), and that reads and writes the disk through the " +
			"cache"
		try = "mount it with the system's own driver (ntfs3, exfat)"
	case "ecryptfs", "vboxsf", "aufs":
		why = "it knows no direct requests"
		try = "format the disk as " + f.goodFormats()
	}
	for _, p := range f.plan.Phases {
		job, works := p.Job(f.disk.Name)
		if works && job.IO.Mode == scenario.ModeDirect && why != "" {
			return warn(fmt.Sprintf("the file system of %s (%s) has no direct I/O",
				f.disk.Path, f.place.Filesystem),
				why+", so the cache is measured with the disk",
				try+", or set `io: app` to measure as programs see it")
		}
	}
	return pass(f.place.Filesystem)
}

// judgeExFAT warns of Apple's driver for FAT, which fills a file with zeros up to where it is
// written.
func judgeExFAT(f *facts) answer {
	kind := f.place.Filesystem
	if f.system != "darwin" || kind != "exfat" && kind != "msdos" {
		return pass(kind)
	}
	return warn(fmt.Sprintf("%s is on %s", f.disk.Path, kind),
		"macOS writes new files there with one request at a time, and its driver has lost data",
		"format the disk as "+f.goodFormats()+" to measure what it can do")
}

func judgeRAID(f *facts) answer {
	if f.own == nil {
		return notKnown()
	}
	if f.own.RAID == "" {
		return pass("on " + described(f.own))
	}
	return warn(fmt.Sprintf("%s is on a RAID set (%s) of %s",
		f.disk.Path, f.own.RAID, unit.List(f.own.Backing)),
		"its rates are those of all its disks together", "compare it only with such sets")
}

func judgeErrors(f *facts) answer {
	for _, under := range f.under {
		var counts []string
		if under.Errors > 0 {
			counts = append(counts, unit.Plural(int(under.Errors), "failed request"))
		}
		if under.Retries > 0 {
			counts = append(counts, unit.Plural(int(under.Retries), "repeated request"))
		}
		if counts != nil {
			return warn(fmt.Sprintf("%s since %s was plugged in", unit.List(counts),
				described(under)), "each takes time that looks like a slow disk",
				"check the cable, and try another port")
		}
	}
	if f.system != "darwin" || f.under == nil { // Other systems do not count them.
		return notKnown()
	}
	return pass("no failed request, and no repeated one")
}

func judgeCompressed(f *facts) answer {
	if f.volume == nil || f.volume.Compressed == nil {
		return notKnown()
	}
	if !*f.volume.Compressed {
		return pass("not compressed")
	}
	return warn(fmt.Sprintf("the volume of %s compresses what is written", f.disk.Path),
		"the processor works for each byte, and direct I/O may pass through the cache",
		"use a folder or volume without compression")
}

func judgeEncrypted(f *facts) answer {
	if f.volume == nil || f.volume.Encrypted == nil {
		return notKnown()
	}
	if !*f.volume.Encrypted {
		return pass("not encrypted")
	}
	return warn(fmt.Sprintf("the volume of %s is encrypted by the computer", f.disk.Path),
		"its rates include that work", "compare them only with those of encrypted volumes")
}

// nearlyFull is how much of a volume may be used before it is said. A fuller SSD has fewer free
// blocks for its cache and for collecting garbage, and its file system has fewer long stretches to
// give.
const nearlyFull = 0.9

func judgeNearlyFull(f *facts) answer {
	if f.place.Size <= 0 {
		return notKnown()
	}
	full := float64(f.place.Used) / float64(f.place.Size)
	measured := fmt.Sprintf("the volume of %s is %.0f%% full, %s of %s",
		f.disk.Path, 100*full, unit.FormatBytes(f.place.Used), unit.FormatBytes(f.place.Size))
	if full <= nearlyFull {
		return pass(measured)
	}
	return warn(measured, "a full SSD writes slower",
		"free some space, and let it trim, to measure the disk at its usual")
}

// An SSD folds what its fast cache took into slower cells when it is left alone, which takes
// minutes for the tens of gigabytes that such a cache holds. A run that comes too soon finds a
// smaller cache than the first.
const (
	muchWritten = 10e9             // bytes
	Lately      = 10 * time.Minute // Lately is how old a run may be to matter to the next one.
)

func judgeWrote(f *facts) answer {
	var last Written
	for _, w := range f.opts.Recent {
		much := w.Volume == f.place.ID && w.Volume != 0 && w.Bytes >= muchWritten && w.Ago <= Lately
		if much && (last.Run == "" || w.Ago < last.Ago) {
			last = w
		}
	}
	if last.Run == "" {
		return pass("")
	}
	lately := unit.FormatSeconds(Lately.Seconds())
	return warn(fmt.Sprintf("a run that ended %s ago (%s) wrote %s to it",
		unit.FormatSeconds(last.Ago.Round(time.Second).Seconds()), last.Run,
		unit.FormatBytes(last.Bytes)),
		"its write cache may still hold that",
		fmt.Sprintf("wait until %s have passed, or give the first phase `cooldown: {until: idle, "+
			"most: %s}`", lately, lately))
}

// judgeUnknown asks whether the machine has reported enough for the checks of hubs and physical
// disks.
func judgeUnknown(f *facts) answer {
	if f.own != nil {
		return pass(described(f.own))
	}
	if kind := f.place.NotDisk(); kind != "" {
		return pass(kind)
	}
	why := slices.Clone(f.machine.Warnings)
	if f.machineErr != nil {
		why = append(why, strings.ReplaceAll(f.machineErr.Error(), "\n", "; "))
	}
	reason := ""
	if len(why) > 0 {
		reason = " (" + strings.Join(why, "; ") + ")"
	}
	return warn(fmt.Sprintf("which disk holds %s is not known%s", f.disk.Path, reason),
		"it was not checked whether it is another one's, or on the hub",
		"make sure of that by hand")
}

// quietRate is what may move on an idle disk, in bytes per second: journals and access times, not a
// backup.
const quietRate = 1e6

func judgeBusy(f *facts) answer {
	rate, counted := f.traffic[f.disk.Name]
	if !counted {
		return notKnown()
	}
	if rate <= quietRate {
		return pass(unit.FormatRate(rate) + " moves on it")
	}
	return warn(fmt.Sprintf("something else moves %s on it now", unit.FormatRate(rate)), "",
		"find it and let it finish, or pause it, before measuring")
}
