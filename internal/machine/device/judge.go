package device

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// findings are the problems found so far, and the disk that the next ones are of: none if they are of the machine.
type findings struct {
	list []Problem
	disk scenario.Disk
}

func (f *findings) warn(code, format string, args ...any) { f.add(false, code, format, args...) }

func (f *findings) refuse(code, format string, args ...any) { f.add(true, code, format, args...) }

func (f *findings) add(fatal bool, code, format string, args ...any) {
	p := Problem{Code: code, Disk: f.disk.Name, Fatal: fatal, Text: fmt.Sprintf(format, args...)}
	if p.Disk != "" {
		p.Text = "disk " + p.Disk + ": " + p.Text
	}
	f.list = append(f.list, p)
}

// unusable says why the disk's folder could not be looked at. "Operation not permitted" is what macOS says if the
// person has not let this terminal at removable volumes; permissions of the folder's own give another error.
func (f *findings) unusable(err error, goos string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.refuse("missing", "%s does not exist; check the spelling, and that the disk is mounted", f.disk.Path)
	case errors.Is(err, errNotFolder):
		f.refuse("not_folder", "%s is a file; give a folder on the disk", f.disk.Path)
	case goos == "darwin" && errors.Is(err, syscall.EPERM):
		f.closed(err)
	default:
		f.refuse("missing", "%v", err)
	}
}

func (f *findings) closed(err error) {
	f.refuse("closed", "macOS keeps programs of this terminal out of %s (%v); allow the terminal at removable volumes "+
		"in System Settings > Privacy & Security > Files and Folders", f.disk.Path, err)
}

// judge says what is wrong with the plan by the evidence: first of each disk, then of the machine.
func judge(e *evidence) []Problem {
	var f findings
	for i, disk := range e.plan.Disks {
		place, ok := e.places[disk.Name]
		if !ok {
			continue
		}
		f.disk = disk
		e.judgeFolder(&f, place)
		e.judgeFiles(&f, place)
		e.judgeShared(&f, i, place)
		e.judgeLinks(&f, place)
		e.judgeVolume(&f, place)
		e.judgeKnowledge(&f, place)
	}
	e.judgeSpace(&f)
	e.judgeHubs(&f)
	for _, f.disk = range e.plan.Disks {
		if rate := e.traffic[f.disk.Name]; rate > quietRate {
			f.warn("busy", "something else moves %s on it now; find it and let it finish, or pause it, before measuring",
				unit.FormatRate(rate))
		}
	}
	e.judgePrograms(&f)
	f.disk = scenario.Disk{}
	if slices.ContainsFunc(e.machine.Hosts, func(h hardware.Host) bool { return h.Power == hardware.Battery }) {
		f.warn("battery", "the computer runs on battery, which may slow its processor and ports down; plug it in")
	}
	if e.saving != "" {
		f.warn("powersave", "the processor is held back to save power (%s); %s", e.saving, howToWake(e.saving))
	}
	return f.list
}

// quietRate is what may move on an idle disk, in bytes per second: journals and access times, not a backup.
const quietRate = 1e6

// whereMounted are the folders in which systems and people mount disks: one that is left behind there looks like the
// disk.
var whereMounted = regexp.MustCompile(`^/(Volumes|media|run/media|mnt)/.`)

// judgeFolder asks whether the disk's folder can be used, and whether the test would load the disk that the system runs
// from, or the results the disk under test.
func (e *evidence) judgeFolder(f *findings, place Place) {
	if place.Closed != nil {
		f.closed(place.Closed)
	} else if place.Writable != nil {
		f.refuse("unwritable", "cannot write to %s (%v); choose a folder that you may write to, on a volume that is "+
			"not read-only", f.disk.Path, place.Writable)
	}
	const instead = "or set `allow_system_disk: true` to measure this one"
	own, _ := e.at(place)
	under := slices.ContainsFunc(e.beneath(place), func(d *hardware.Disk) bool { return d.System })
	switch {
	case place.System && whereMounted.MatchString(place.Path):
		f.refuse("system_disk", "no disk is mounted at %s: the folder is on the disk that holds the operating system; "+
			"mount the disk under test, %s", f.disk.Path, instead)
	case place.System:
		f.refuse("system_disk", "%s is on the disk that holds the operating system; give a folder on the disk under test, %s",
			f.disk.Path, instead)
	case own != nil && own.System:
		f.refuse("system_disk", "%s is on another volume of the disk that holds the operating system (%s); "+
			"give a folder on the disk under test, %s", f.disk.Path, own.Name, instead)
	case under:
		f.warn("system_disk", "%s is on %s, which itself lies on the disk that holds the operating system: that is what is "+
			"measured; give a folder on the disk under test, or set `allow_system_disk: true`", f.disk.Path, own.Name)
	}
	if e.results != nil && (e.results.sameVolume(place) || e.shared(*e.results, place) != nil) {
		fatal := !place.System && !under // else where should they go
		f.add(fatal, "results_on_disk", "the results would be written to this disk while it is measured; "+
			"choose a folder on another disk with --out")
	}
}

// judgeFiles asks whether the file system takes the plan's files: each of them, and those that a job with a footprint
// needs at one time.
func (e *evidence) judgeFiles(f *findings, place Place) {
	var largest, need int64
	var ofLargest, ofNeed string // their phases
	for _, p := range e.plan.Phases {
		for _, job := range p.Jobs {
			if job.Disk != f.disk.Name {
				continue
			}
			if len(job.Sizes) > 0 && slices.Max(job.Sizes) > largest {
				largest, ofLargest = slices.Max(job.Sizes), p.Name
			}
			var needs int64
			for _, size := range job.Needs() {
				needs += size
			}
			if need == 0 && job.IO.Footprint > 0 && needs > job.IO.Footprint {
				need, ofNeed = needs, p.Name
			}
		}
	}
	if slices.Contains(fatKinds[:], strings.ToLower(place.Filesystem)) && largest > fatFileMax {
		f.refuse("file_limit", "phase %s has a file of %s, and the file system of %s supports none above 4 GiB; "+
			"use smaller files, or format the disk as exFAT, APFS, NTFS or ext4",
			ofLargest, unit.FormatBytes(largest), f.disk.Path)
	}
	if need > 0 {
		f.refuse("footprint", "phase %s reads %s, more than its footprint allows at one time; "+
			"read fewer or smaller files, or raise the footprint", ofNeed, unit.FormatBytes(need))
	}
}

// fatKinds are the file systems whose sizes have 32 bits; exFAT's have 64.
var fatKinds = [...]string{"vfat", "msdos", "fat", "fat12", "fat16", "fat32"}

// fatFileMax is the largest file on FAT, in bytes.
const fatFileMax = 1<<32 - 1

// judgeShared asks whether an earlier disk of the plan is the same one.
func (e *evidence) judgeShared(f *findings, index int, place Place) {
	for _, other := range e.plan.Disks[:index] {
		q, ok := e.places[other.Name]
		if !ok {
			continue
		}
		if os.SameFile(place.info, q.info) {
			f.refuse("same_folder", "%s is the folder of disk %s too; give each disk its own", f.disk.Path, other.Name)
			continue
		}
		if place.sameVolume(q) {
			f.warn("same_disk", "is on the same file system as disk %s; the two compete for one disk, not for the hub",
				other.Name)
			return
		}
		if both := e.shared(place, q); both != nil {
			f.warn("same_disk", "is on the same physical disk as disk %s, %s; the two compete for one disk, "+
				"not for the hub: give a folder on another disk", other.Name, described(both))
			return
		}
	}
}

// described is a disk as a person knows it: its name, and its model if known.
func described(d *hardware.Disk) string {
	if d.Model == "" {
		return d.Name
	}
	return d.Name + " (" + d.Model + ")"
}

// judgeLinks asks whether a disk, or a hub on its way, has fallen back to USB 2, which every SSD outruns.
func (e *evidence) judgeLinks(f *findings, place Place) {
	for _, under := range e.beneath(place) {
		for i := range under.Path.Links {
			link := &under.Path.Links[i]
			if link.Kind != hardware.USBLink || link.RxBps <= 0 || link.RxBps > 480e6 {
				continue
			}
			who := described(under)
			if hub := e.machine.FindHub(link.Hub); hub != nil {
				who += " is connected to " + hub.Product() + ", which"
			}
			f.warn("slow_link", "%s negotiated %s: check the cable and the port, as a USB 2 cable fits both", who, link)
			break
		}
	}
}

// An SSD folds what its fast cache took into slower cells when it is left alone, which takes minutes for the tens of
// gigabytes that such a cache holds. A run that comes too soon finds less of it than the first.
const (
	muchWritten = 10e9             // bytes
	Lately      = 10 * time.Minute // how old a run may be to matter to the next one
)

// nearlyFull is how much of a volume may be used before it is said. A fuller SSD has fewer free blocks for its
// cache and for collecting garbage, and its file system has fewer long stretches to give.
const nearlyFull = 0.9

// judgeVolume asks whether something between the files and the disk changes what is measured, and whether an earlier
// run has left the disk its write cache to empty.
func (e *evidence) judgeVolume(f *findings, place Place) {
	const noDisk = "%s is no folder on a disk: what lies there %s; give a folder on the disk under test"
	if where := notDisk(place.Filesystem); where != "" {
		f.warn("not_disk", noDisk, f.disk.Path, "("+place.Filesystem+") lies "+where)
	}
	for _, under := range e.beneath(place) {
		if under.Memory {
			f.warn("not_disk", noDisk, f.disk.Path, "lies in memory ("+described(under)+")")
		}
	}
	direct := slices.ContainsFunc(e.plan.Phases, func(p scenario.Phase) bool {
		return slices.ContainsFunc(p.Jobs, func(j scenario.Job) bool {
			return j.Disk == f.disk.Name && j.IO.Mode == scenario.ModeDirect
		})
	})
	if why, try := noDirect(place.Filesystem); why != "" && direct {
		f.warn("no_direct", "the file system of %s (%s) has no direct I/O: %s; the cache is measured with the disk. "+
			"%s, or set `io: app` to measure as programs see it", f.disk.Path, place.Filesystem, why, try)
	}
	if full := float64(place.Used) / float64(place.Size); place.Size > 0 && full > nearlyFull {
		f.warn("nearly_full", "the volume of %s is %.0f %% full, %s of %s: a full SSD writes slower; free some space, "+
			"and let it trim, to measure the disk at its usual",
			f.disk.Path, 100*full, unit.FormatBytes(place.Used), unit.FormatBytes(place.Size))
	}
	if _, volume := e.at(place); volume != nil {
		if volume.Compressed != nil && *volume.Compressed {
			f.warn("compressed", "the volume of %s compresses what is written: the processor works for each byte, and direct "+
				"I/O may pass through the cache; use a folder or volume without compression", f.disk.Path)
		}
		if volume.Encrypted != nil && *volume.Encrypted {
			f.warn("encrypted", "the volume of %s is encrypted by the computer: its rates include that work, "+
				"so compare them only with those of encrypted volumes", f.disk.Path)
		}
	}
	if w, ok := e.wrote[f.disk.Name]; ok && w.Bytes >= muchWritten && w.Ago <= Lately {
		f.warn("wrote_lately", "a run that ended %s ago (%s) wrote %s to it, which its write cache may still hold; "+
			"wait until %s have passed, or give the first phase `cooldown: {until: idle, most: 10 min}`",
			unit.FormatSeconds(w.Ago.Round(time.Second).Seconds()), w.Run, unit.FormatBytes(w.Bytes),
			unit.FormatSeconds(Lately.Seconds()))
	}
}

// What Windows says of a drive that is none of this machine's disks; it has no file system of that name.
const (
	networkDrive = "network drive"
	memoryDrive  = "memory drive"
)

// notDisk says where the files of a kind of file system lie, if not on a disk of this machine; empty for the others.
func notDisk(kind string) string {
	switch kind {
	case "tmpfs", "ramfs", "devtmpfs", memoryDrive:
		return "in memory"
	case "nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "9p", "virtiofs", "ceph", "glusterfs", "lustre",
		"fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "vboxsf", "fuse.vmhgfs-fuse", "prl_fs", networkDrive:
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
		return "it is served by a program (FUSE), and that reads and writes the disk through the cache",
			"Mount it with the system's own driver (ntfs3, exfat)"
	case "ecryptfs", "vboxsf", "aufs":
		return "it knows no direct requests", "Format the disk as APFS, NTFS, exFAT or ext4"
	}
	return "", ""
}

// judgeKnowledge asks whether the machine has reported enough for the checks of hubs and physical disks.
func (e *evidence) judgeKnowledge(f *findings, place Place) {
	if own, _ := e.at(place); !e.looked || own != nil || notDisk(place.Filesystem) != "" {
		return
	}
	why := slices.Clone(e.machine.Warnings)
	if e.unlooked != nil {
		why = append(why, strings.ReplaceAll(e.unlooked.Error(), "\n", "; "))
	}
	reason := ""
	if len(why) > 0 {
		reason = " (" + strings.Join(why, "; ") + ")"
	}
	f.warn("unknown_hardware", "which disk holds %s is not known%s, so it was not checked whether it is another one's, "+
		"or on the hub; make sure of that by hand", f.disk.Path, reason)
}

// Beside the test files themselves, a file system needs room for its own records, and one filled to the
// last byte is slower than the disk: this much must stay free.
const (
	marginPart  = 50 // a fiftieth of what is written, and
	marginBytes = 64 << 20
)

// judgeSpace finds the phase that needs most on each file system. Disks that share one share its space.
func (e *evidence) judgeSpace(f *findings) {
	var judged []string
	for _, disk := range e.plan.Disks {
		place, ok := e.places[disk.Name]
		if !ok || slices.Contains(judged, disk.Name) {
			continue
		}
		var sharers []string
		total := make([]int64, len(e.plan.Phases)) // what their test files take up at one time
		for _, other := range e.plan.Disks {
			if q, ok := e.places[other.Name]; !ok || other.Name != disk.Name && !place.sameVolume(q) {
				continue
			}
			sharers = append(sharers, other.Name)
			for i, stock := range e.plan.Stock(other.Name) {
				total[i] += stock.Space
			}
		}
		judged = append(judged, sharers...)
		if len(total) == 0 {
			continue
		}
		need := slices.Max(total)
		margin := need/marginPart + marginBytes
		if need == 0 || need+margin <= place.Free {
			continue
		}
		who := "disk " + disk.Name
		if len(sharers) > 1 {
			who = "disks " + strings.Join(sharers, ", ")
		}
		phase := e.plan.Phases[slices.Index(total, need)].Name
		text := fmt.Sprintf("%s: phase %s needs %s plus a margin of %s, but only %s is free; free some space, use fewer "+
			"or smaller files, or set a footprint",
			who, phase, unit.FormatBytes(need), unit.FormatBytes(margin), unit.FormatBytes(place.Free))
		f.list = append(f.list, Problem{Code: "space", Disk: disk.Name, Fatal: true, Text: text})
	}
}

// judgeHubs asks whether the disks that the scenario says to be on the hub are on one, and who else is.
func (e *evidence) judgeHubs(f *findings) {
	var first scenario.Disk // on a hub
	var common []*hardware.Hub
	for _, f.disk = range e.plan.Disks {
		place, real := e.places[f.disk.Name]
		if !real || f.disk.Connection != trace.OnHub {
			continue
		}
		for _, under := range e.beneath(place) {
			if where := e.elsewhere(under); where != "" {
				f.warn("not_on_hub", "should be on the hub (connection: hub), but %s %s; plug it into the hub, "+
					"or correct `connection`", described(under), where)
				continue
			}
			chain := e.machine.Above(under)
			if len(chain) > 0 && first.Name == "" {
				first, common = f.disk, chain
			}
			other := func(h *hardware.Hub) bool { return !slices.Contains(chain, h) }
			both := slices.DeleteFunc(slices.Clone(common), other)
			switch {
			case len(chain) == 0: // not known
			case len(both) == 0:
				f.warn("different_hubs", "is on %s, but disk %s on %s: they share no hub; plug both into one, "+
					"or correct `connection`", hubName(chain), first.Name, hubName(common))
			default:
				common = both
			}
		}
	}
	f.disk = scenario.Disk{}
	for _, hub := range common {
		for _, device := range hub.Devices {
			if device.Kind == hardware.DisplayKind {
				f.warn("display", "%s is on the hub of the disks (%s), and a display's picture goes before their data; "+
					"unplug it, or plug it in elsewhere", cmp.Or(device.Name, "a display"), hub.Name)
			}
		}
	}
}

// elsewhere says what a disk that is surely on no hub is connected to; empty if it is on one, or if that is not known.
func (e *evidence) elsewhere(d *hardware.Disk) string {
	_, hubs := e.machine.Way(d)
	uplink := func(l hardware.Link) bool { return l.Segment == hardware.Uplink }
	switch {
	case len(hubs) > 0 || d.External == nil:
		return ""
	case !*d.External:
		return "is inside the computer"
	case len(d.Path.Links) > 0 && !slices.ContainsFunc(d.Path.Links, uplink):
		return "is on a port of its own"
	}
	return ""
}

// hubName names a chain of hubs, the nearest to the host first.
func hubName(chain []*hardware.Hub) string {
	var names []string
	for _, h := range slices.Backward(chain) {
		names = append(names, cmp.Or(h.Name, h.ID))
	}
	return strings.Join(names, ", ")
}
