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

func (e *evidence) warn(code, format string, args ...any) { e.add(false, code, format, args...) }

func (e *evidence) refuse(code, format string, args ...any) { e.add(true, code, format, args...) }

func (e *evidence) add(fatal bool, code, format string, args ...any) {
	p := Problem{Code: code, Disk: e.disk.Name, Fatal: fatal, Text: fmt.Sprintf(format, args...)}
	if p.Disk != "" {
		p.Text = "disk " + p.Disk + ": " + p.Text
	}
	e.found = append(e.found, p)
}

// unusable says why the disk's folder could not be looked at. "Operation not permitted" is what macOS says if the
// person has not let this terminal at removable volumes; permissions of the folder's own give another error.
func (e *evidence) unusable(err error, goos string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.refuse("missing", "%s does not exist; check the spelling, and that the disk is mounted", e.disk.Path)
	case errors.Is(err, errNotFolder):
		e.refuse("not_folder", "%s is a file; give a folder on the disk", e.disk.Path)
	case goos == "darwin" && errors.Is(err, syscall.EPERM):
		e.closed(err)
	default:
		e.refuse("missing", "%v", err)
	}
}

func (e *evidence) closed(err error) {
	e.refuse("closed", "macOS keeps programs of this terminal out of %s (%v); allow the terminal at removable volumes "+
		"in System Settings > Privacy & Security > Files and Folders", e.disk.Path, err)
}

// judge says what is wrong with the plan by the evidence: first of each disk, then of the machine.
func (e *evidence) judge() []Problem {
	for i, disk := range e.plan.Disks {
		place, ok := e.places[disk.Name]
		if !ok {
			continue
		}
		e.disk, e.place, e.under = disk, place, e.beneath(place)
		e.own, e.volume = e.machine.Holding(place.Path)
		e.judgeFolder()
		e.judgeFiles()
		e.judgeShared(e.plan.Disks[:i])
		e.judgeLinks()
		e.judgeVolume()
		e.judgeKnowledge()
	}
	e.judgeSpace()
	e.judgeHubs()
	for _, e.disk = range e.plan.Disks {
		if rate := e.traffic[e.disk.Name]; rate > quietRate {
			e.warn("busy", "something else moves %s on it now; find it and let it finish, or pause it, before measuring",
				unit.FormatRate(rate))
		}
	}
	e.judgePrograms()
	e.disk = scenario.Disk{}
	if slices.ContainsFunc(e.machine.Hosts, func(h hardware.Host) bool { return h.Power == hardware.Battery }) {
		e.warn("battery", "the computer runs on battery, which may slow its processor and ports down; plug it in")
	}
	if e.saving != "" {
		e.warn("powersave", "the processor is held back to save power (%s); %s", e.saving, howToWake(e.saving))
	}
	return e.found
}

// quietRate is what may move on an idle disk, in bytes per second: journals and access times, not a backup.
const quietRate = 1e6

// whereMounted are the folders in which systems and people mount disks: one that is left behind there looks like the
// disk.
var whereMounted = regexp.MustCompile(`^/(Volumes|media|run/media|mnt)/.`)

// judgeFolder asks whether the disk's folder can be used, and whether the test would load the disk that the system runs
// from, or the results the disk under test.
func (e *evidence) judgeFolder() {
	if e.place.Closed != nil {
		e.closed(e.place.Closed)
	} else if e.place.Writable != nil {
		e.refuse("unwritable", "cannot write to %s (%v); choose a folder that you may write to, on a volume that is "+
			"not read-only", e.disk.Path, e.place.Writable)
	}
	const instead = "or set `allow_system_disk: true` or --allow system_disk to measure this one"
	under := slices.ContainsFunc(e.under, func(d *hardware.Disk) bool { return d.System })
	switch {
	case e.place.System && whereMounted.MatchString(e.place.Path):
		e.refuse("system_disk", "no disk is mounted at %s: the folder is on the disk that holds the operating system; "+
			"mount the disk under test, %s", e.disk.Path, instead)
	case e.place.System:
		e.refuse("system_disk", "%s is on the disk that holds the operating system; give a folder on the disk under test, %s",
			e.disk.Path, instead)
	case e.own != nil && e.own.System:
		e.refuse("system_disk", "%s is on another volume of the disk that holds the operating system (%s); "+
			"give a folder on the disk under test, %s", e.disk.Path, e.own.Name, instead)
	case under:
		e.warn("system_disk", "%s is on %s, which itself lies on the disk that holds the operating system: that is what is "+
			"measured; give a folder on the disk under test, or set `allow_system_disk: true`", e.disk.Path, e.own.Name)
	}
	if e.results != nil && (e.results.sameVolume(e.place) || e.shared(*e.results, e.place) != nil) {
		fatal := !e.place.System && !under // else where should they go
		e.add(fatal, "results_on_disk", "the results would be written to this disk while it is measured; "+
			"choose a folder on another disk with --out")
	}
}

// judgeFiles asks whether the file system takes the plan's files: each of them, and those that a job with a footprint
// needs at one time.
func (e *evidence) judgeFiles() {
	var largest, need int64
	var ofLargest, ofNeed string // their phases
	for _, p := range e.plan.Phases {
		for _, job := range p.Jobs {
			if job.Disk != e.disk.Name {
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
	if slices.Contains(fatKinds[:], strings.ToLower(e.place.Filesystem)) && largest > fatFileMax {
		e.refuse("file_limit", "phase %s has a file of %s, and the file system of %s supports none above 4 GiB; "+
			"use smaller files, or format the disk as exFAT, APFS, NTFS or ext4",
			ofLargest, unit.FormatBytes(largest), e.disk.Path)
	}
	if need > 0 {
		e.refuse("footprint", "phase %s reads %s, more than its footprint allows at one time; "+
			"read fewer or smaller files, or raise the footprint", ofNeed, unit.FormatBytes(need))
	}
}

// fatKinds are the file systems whose sizes have 32 bits; exFAT's have 64.
var fatKinds = [...]string{"vfat", "msdos", "fat", "fat12", "fat16", "fat32"}

// fatFileMax is the largest file on FAT, in bytes.
const fatFileMax = 1<<32 - 1

// judgeShared asks whether an earlier disk of the plan is the same one.
func (e *evidence) judgeShared(earlier []scenario.Disk) {
	for _, other := range earlier {
		q, ok := e.places[other.Name]
		if !ok {
			continue
		}
		if os.SameFile(e.place.info, q.info) {
			e.refuse("same_folder", "%s is the folder of disk %s too; give each disk its own", e.disk.Path, other.Name)
			continue
		}
		if e.place.sameVolume(q) {
			e.warn("same_disk", "is on the same file system as disk %s; the two compete for one disk, not for the hub",
				other.Name)
			return
		}
		if both := e.shared(e.place, q); both != nil {
			e.warn("same_disk", "is on the same physical disk as disk %s, %s; the two compete for one disk, "+
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
func (e *evidence) judgeLinks() {
	for _, under := range e.under {
		for i := range under.Path.Links {
			link := &under.Path.Links[i]
			if link.Kind != hardware.USBLink || link.RxBps <= 0 || link.RxBps > 480e6 {
				continue
			}
			who := described(under)
			if hub := e.machine.FindHub(link.Hub); hub != nil {
				who += " is connected to " + hub.Product() + ", which"
			}
			e.warn("slow_link", "%s negotiated %s: check the cable and the port, as a USB 2 cable fits both", who, link)
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
func (e *evidence) judgeVolume() {
	const noDisk = "%s is %s (%s), not a disk; give a folder on the disk under test"
	if kind := notDisk(e.place.Filesystem); kind != "" {
		e.warn("not_disk", noDisk, e.disk.Path, kind, e.place.Filesystem)
	}
	for _, under := range e.under {
		if under.Memory {
			e.warn("not_disk", noDisk, e.disk.Path, "RAM", described(under))
		}
	}
	direct := slices.ContainsFunc(e.plan.Phases, func(p scenario.Phase) bool {
		return slices.ContainsFunc(p.Jobs, func(j scenario.Job) bool {
			return j.Disk == e.disk.Name && j.IO.Mode == scenario.ModeDirect
		})
	})
	why, try := "", ""
	switch e.place.Filesystem { // the worker tries it and records what it got; this is to know it before
	case "fuseblk":
		why = "it is served by a program (FUSE), and that reads and writes the disk through the cache"
		try = "Mount it with the system's own driver (ntfs3, exfat)"
	case "ecryptfs", "vboxsf", "aufs":
		why, try = "it knows no direct requests", "Format the disk as APFS, NTFS, exFAT or ext4"
	}
	if why != "" && direct {
		e.warn("no_direct", "the file system of %s (%s) has no direct I/O: %s; the cache is measured with the disk. "+
			"%s, or set `io: app` to measure as programs see it", e.disk.Path, e.place.Filesystem, why, try)
	}
	if full := float64(e.place.Used) / float64(e.place.Size); e.place.Size > 0 && full > nearlyFull {
		e.warn("nearly_full", "the volume of %s is %.0f %% full, %s of %s: a full SSD writes slower; free some space, "+
			"and let it trim, to measure the disk at its usual",
			e.disk.Path, 100*full, unit.FormatBytes(e.place.Used), unit.FormatBytes(e.place.Size))
	}
	if v := e.volume; v != nil && v.Compressed != nil && *v.Compressed {
		e.warn("compressed", "the volume of %s compresses what is written: the processor works for each byte, and direct "+
			"I/O may pass through the cache; use a folder or volume without compression", e.disk.Path)
	}
	if v := e.volume; v != nil && v.Encrypted != nil && *v.Encrypted {
		e.warn("encrypted", "the volume of %s is encrypted by the computer: its rates include that work, "+
			"so compare them only with those of encrypted volumes", e.disk.Path)
	}
	if w, ok := e.wrote[e.disk.Name]; ok && w.Bytes >= muchWritten && w.Ago <= Lately {
		e.warn("wrote_lately", "a run that ended %s ago (%s) wrote %s to it, which its write cache may still hold; "+
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

// notDisk says what a kind of file system is that is not on a disk of this machine; empty for the others.
func notDisk(kind string) string {
	switch kind {
	case "tmpfs", "ramfs", "devtmpfs", memoryDrive:
		return "RAM"
	case "nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "9p", "virtiofs", "ceph", "glusterfs", "lustre",
		"fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "vboxsf", "fuse.vmhgfs-fuse", "prl_fs", networkDrive:
		return "on another machine, or on the host of this one"
	case "overlay", "aufs", "fuse.mergerfs", "fuse.overlayfs", "unionfs":
		return "a union of folders"
	}
	return ""
}

// RAM reports whether what is written to the folder stays in memory.
func (p Place) RAM() bool { return notDisk(p.Filesystem) == "RAM" }

// OneDisk is the disk that two folders are both on, as far as is known; empty if they are not.
func OneDisk(inv *hardware.Inventory, p, q Place) string {
	if both := (&evidence{machine: inv}).shared(p, q); both != nil {
		return described(both)
	}
	if p.sameVolume(q) {
		return p.Mount
	}
	return ""
}

// judgeKnowledge asks whether the machine has reported enough for the checks of hubs and physical disks.
func (e *evidence) judgeKnowledge() {
	if !e.looked || e.own != nil || notDisk(e.place.Filesystem) != "" {
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
	e.warn("unknown_hardware", "which disk holds %s is not known%s, so it was not checked whether it is another one's, "+
		"or on the hub; make sure of that by hand", e.disk.Path, reason)
}

// Beside the test files themselves, a file system needs room for its own records, and one filled to the
// last byte is slower than the disk: this much must stay free.
const (
	marginPart  = 50 // a fiftieth of what is written, and
	marginBytes = 64 << 20
)

// judgeSpace finds the phase that needs most on each file system. Disks that share one share its space.
func (e *evidence) judgeSpace() {
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
		e.found = append(e.found, Problem{Code: "space", Disk: disk.Name, Fatal: true, Text: text})
	}
}

// judgeHubs asks whether the disks that the scenario says to be on the hub are on one, and who else is.
func (e *evidence) judgeHubs() {
	var first scenario.Disk // on a hub
	var common []*hardware.Hub
	for _, e.disk = range e.plan.Disks {
		place, real := e.places[e.disk.Name]
		if !real || e.disk.Connection != trace.OnHub {
			continue
		}
		for _, under := range e.beneath(place) {
			if where := e.elsewhere(under); where != "" {
				e.warn("not_on_hub", "should be on the hub (connection: hub), but %s %s; plug it into the hub, "+
					"or correct `connection`", described(under), where)
				continue
			}
			chain := e.machine.Above(under)
			if len(chain) > 0 && first.Name == "" {
				first, common = e.disk, chain
			}
			other := func(h *hardware.Hub) bool { return !slices.Contains(chain, h) }
			both := slices.DeleteFunc(slices.Clone(common), other)
			switch {
			case len(chain) == 0: // not known
			case len(both) == 0:
				e.warn("different_hubs", "is on %s, but disk %s on %s: they share no hub; plug both into one, "+
					"or correct `connection`", hubName(chain), first.Name, hubName(common))
			default:
				common = both
			}
		}
	}
	e.disk = scenario.Disk{}
	for _, hub := range common {
		for _, device := range hub.Devices {
			if device.Kind == hardware.DisplayKind {
				e.warn("display", "%s is on the hub of the disks (%s), and a display's picture goes before their data; "+
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
