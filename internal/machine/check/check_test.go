package check

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// desk is a machine with two disks of two partitions on a dock that is connected to a hub, one on
// another port, and what is made of them. Disk A of the plan lies on sda1, disk B on sdb1.
func desk() *hardware.Inventory {
	on, yes, no := func(id string) *string { return &id }, true, false
	volume := func(device string) hardware.Volume {
		return hardware.Volume{Device: device, Mount: "/mnt/" + device}
	}
	return &hardware.Inventory{
		Hosts: []hardware.Host{{Power: hardware.Mains}},
		Hubs: []hardware.Hub{
			{ID: "hub", Name: "Hub"}, {ID: "dock", Name: "Dock", Upstream: "hub"},
			{ID: "box", Name: "Box"},
		},
		Disks: []hardware.Drive{
			{Name: "nvme0n1", System: true, External: &no,
				Volumes: []hardware.Volume{volume("nvme0n1p2")}},
			{Name: "sda", Model: "X5", External: &yes, Hub: on("dock"),
				Volumes: []hardware.Volume{volume("sda1"), volume("sda2")}},
			{Name: "sdb", External: &yes, Hub: on("hub"),
				Volumes: []hardware.Volume{volume("sdb1")}},
			{
				Name: "sdc", External: &yes,
				Path:    hardware.Path{Links: []hardware.Link{{Segment: hardware.HostPort}}},
				Volumes: []hardware.Volume{volume("sdc1")},
			},
			{Name: "sdd", External: &yes, Hub: on("box"),
				Volumes: []hardware.Volume{volume("sdd1")}},
			{Name: "sde", Volumes: []hardware.Volume{volume("sde1")}}, // of which nothing is known
			{Name: "disk9", Bus: hardware.Virtual, Backing: []string{"sdb"},
				Volumes: []hardware.Volume{volume("disk9s1"), volume("disk9s2")}},
			{Name: "loop0", Bus: hardware.Virtual, Backing: []string{"sda"},
				Volumes: []hardware.Volume{volume("loop0")}},
			{Name: "loop1", Bus: hardware.Virtual, Backing: []string{"nvme0n1"},
				Volumes: []hardware.Volume{volume("loop1")}},
		},
	}
}

// on puts a place on a device of the desk.
func on(slice string) func(*device.Place) {
	return func(p *device.Place) {
		p.Path, p.Source, p.Mount = "/mnt/"+slice+"/x", "/dev/"+slice, "/mnt/"+slice
	}
}

// all makes several changes.
func all(changes ...func(*facts)) func(*facts) {
	return func(f *facts) {
		for _, change := range changes {
			change(f)
		}
	}
}

func noResults(f *facts)   { f.results = device.Place{} }
func noProcesses(f *facts) { f.processes = nil }
func onMac(f *facts)       { f.system = "darwin" }

func connection(b string) func(*facts) {
	return func(f *facts) { f.plan.Disks[1].Connection = b }
}

// unreached has a disk's folder fail to be looked at.
func unreached(disk string, err error) func(*facts) {
	return func(f *facts) {
		f.placeErrs[disk] = err
		delete(f.places, disk)
	}
}

// at changes where a disk's folder lies.
func at(disk string, change ...func(*device.Place)) func(*facts) {
	return func(f *facts) {
		p := f.places[disk]
		for _, c := range change {
			c(&p)
		}
		f.places[disk] = p
	}
}

const s, ms = time.Second, time.Millisecond

func same(v float64) []float64 { return slices.Repeat([]float64{v}, 20) }

// desktop is the clean case: A and B on two disks of one hub, and the results on the system disk.
func desktop(t *testing.T) *facts {
	t.Helper()
	plan := twoDisks("/mnt/sda1/a", "/mnt/sdb1/b")
	for i := range plan.Disks {
		plan.Disks[i].Connection = "hub"
	}
	for i := range plan.Phases {
		for k := range plan.Phases[i].Jobs {
			plan.Phases[i].Jobs[k].IO.Mode = scenario.ModeDirect
		}
	}
	f := newFacts(plan, Options{})
	f.system, f.machine, f.results = "linux", desk(), place(t, 9, on("nvme0n1p2"), system)
	f.places["A"], f.places["B"] = place(t, 1, on("sda1")), place(t, 2, on("sdb1"))
	f.traffic["A"] = 2e5
	f.processes = []device.Process{
		{PID: 1, Name: "systemd"}, {PID: 2, Name: "mds_stores", Busy: 0.01},
		{PID: 3, Name: "MsMpEng.exe"},
		{PID: 4, Name: "rsync", Args: []string{"rsync", "/home", "/mnt/sdc1"}, Busy: 1},
		{PID: 5, Name: "btrfs", Args: []string{"btrfs", "filesystem", "df"}},
	}
	f.opts.Recent = []Written{
		{Run: "r", Volume: 1, Bytes: 9e9, Ago: time.Minute},
		{Run: "r", Volume: 2, Bytes: 90e9, Ago: 11 * time.Minute},
	}
	f.clocks = readings{-20e3, 30e3}
	lasts(10*s, 10*s)(f)
	f.lateNS, f.skewsNS = same(20e3), same(40e3)
	for _, job := range []scenario.Job{
		largeJob(trace.Write, 256e6), largeJob(trace.Read, 256e6), smallJob(trace.Write, 16e6),
		smallJob(trace.Read, 16e6),
	} {
		direct := diskio.Trial{
			Effective: trace.Effective{Cache: "direct", Depth: depth}, Bytes: job.Sizes[0],
		}
		f.files = append(f.files, moved{Trial: direct, job: job, counted: job.Sizes[0]})
	}
	rates(2e9, 2.5e9, 100e6, 150e6)(f)
	flushed(800e3, nil)(f)
	f.size, f.reserved = 256e6, 1e6
	f.depthOneRates, f.depthFourRates = same(1e9), same(2e9)
	return f
}

// lasts sets how much time passed by the clock of transfers and by the wall.
func lasts(clock, wall time.Duration) func(*facts) {
	return func(f *facts) {
		f.ended = instant{f.began.clockNS + int64(clock), f.began.wall.Add(wall)}
	}
}

// rates are those of a write and a read in large blocks, and of both in small ones.
func rates(perSecond ...float64) func(*facts) {
	return func(f *facts) {
		for i, rate := range perSecond {
			f.files[i].Seconds = float64(f.files[i].Bytes) / rate
		}
	}
}

func flushed(ns float64, change func(*facts)) func(*facts) {
	return func(f *facts) {
		f.flushes = flushes{fsync: same(ns), full: same(ns)}
		if change != nil {
			change(f)
		}
	}
}

// judge makes every check of the facts, and returns the codes of those that do not pass: with a !
// those that fail, with a ? those that can't be made. What only doctor checks of a disk it checks
// of A.
func judge(f *facts) (codes, texts []string) {
	for _, disk := range append(slices.Clone(f.plan.Disks), scenario.Disk{}) {
		d := f.forDisk(disk)
		for _, c := range Table() {
			if (c.When&Disk != 0) != (disk.Name != "") || c.When&Plan == 0 && disk.Name == "B" ||
				d.placeErr != nil && c.When&Must == 0 {
				continue
			}
			found := c.judge(d)
			text, code := found.Sentence(),
				map[trace.Verdict]string{trace.Fail: "! ", trace.Skip: "? "}[found.Verdict]+c.Code
			if disk.Name != "" {
				text, code = "disk "+disk.Name+": "+text, code+" ("+disk.Name+")"
			}
			if found.Verdict != trace.Pass && found != notKnown() {
				codes, texts = append(codes, code), append(texts, text)
			}
		}
	}
	return codes, texts
}

// Every check of the table finds something if the clean case is broken in one way.
func TestEveryCheckCanFail(t *testing.T) {
	yes := true
	noConsent := &fs.PathError{Op: "stat", Path: "/mnt/sda1/a", Err: syscall.EPERM}
	id := func(id uint64) func(*device.Place) { return func(p *device.Place) { p.ID = id } }
	runs := func(p ...device.Process) func(*facts) {
		return func(f *facts) { f.processes = append(f.processes, p...) }
	}
	canFail := map[string]bool{}
	for _, tt := range []struct {
		name   string
		change func(*facts)
		want   string // codes, "! " before those that fail, and the disk in brackets
		says   string
	}{
		{"nothing", func(*facts) {}, "", ""},
		{"macOS asks for consent",
			at("A", func(p *device.Place) { p.Closed = errors.New("operation not permitted") }),
			"! closed (A)", "Privacy & Security > Files and Folders"},
		{"two partitions of one disk", at("B", on("sda2")), "same_disk (B)", "sda (X5)"},
		{"an image on the other disk", at("B", on("loop0")), "same_disk (B)", "sda (X5)"},
		{"a bind mount", at("B", on("sda1"), id(1)), "same_disk (B)",
			"disk B: is on the same file system as disk A: the two compete for one disk, not " +
				"for the hub; give"},
		{"file systems without identity", all(at("A", id(0)), at("B", id(0))), "", ""},
		{"the same folder", func(f *facts) { f.places["B"] = f.places["A"] }, "! same_folder (B)",
			"disk B: /mnt/sdb1/b is the folder of disk A too; give each disk its own"},
		{"read-only",
			at("A", func(p *device.Place) { p.Writable = errors.New("read-only file system") }),
			"! unwritable (A)", "disk A: cannot write to /mnt/sda1/a (read-only file system); " +
				"choose a folder that you may write to, on a volume that is not read-only"},
		{"the system's disk", at("B", system, func(p *device.Place) { p.Path = "/home/b" }),
			"! system_disk (B), unknown_hardware (B)", "disk B: /mnt/sdb1/b is on the disk " +
				"that holds the operating system; give a folder on the disk under test, or set " +
				"`allow_system_disk: true` or --allow system_disk to measure this one"},
		{"a disk that is not mounted",
			at("B", system, func(p *device.Place) { p.Path = "/media/ann/B" }),
			"! system_disk (B), unknown_hardware (B)",
			"no disk is mounted at /mnt/sdb1/b, so the folder is on the disk that holds the"},
		{"results on a disk", func(f *facts) { f.results.ID = 2 }, "! results_on_disk (B)",
			"disk B: the results would be written to this disk while it is measured; choose a " +
				"folder on another disk with --out"},
		{"results on the system's disk, which is measured", func(f *facts) {
			f.results.ID = 2
			at("B", system)(f)
		}, "! system_disk (B), results_on_disk (B)", "choose a folder on another disk with --out"},
		{"the largest phase does not fit", at("A", free(5_160_000_000)), "! space (A)",
			"disk A: phase R needs 5 GB plus a margin of 167 MB, but only 5.16 GB is free; " +
				"free some space, use fewer or smaller files, or set a footprint"},
		{"no size", at("A", free(0), func(p *device.Place) { p.Size = 0 }), "", ""},
		{"the largest phase just fits", at("A", free(5_170_000_000)), "", ""},
		{"too little space for doctor", func(f *facts) {
			at("A", free(3e8))(f)
			f.plan, f.opts.Paths = doctorPlan([]string{"A"}), []string{"A"}
		}, "! space (A)", "the checks need 256 MB plus a margin of 72.2 MB, but only 300 MB"},
		{"shared space", all(at("A", free(7e9)), at("B", id(1), free(7e9))),
			"! space (A), same_disk (B)",
			"W needs 7 GB for the disks A and B plus a margin of 207 MB, but only 7 GB is free"},
		{"kept files add up", func(f *facts) {
			at("A", free(8e9))(f)
			f.plan.Phases[0].Jobs[0].IO.Keep = true
		}, "! space (A)", "phase R needs 8 GB plus a margin of 227 MB, but only 8 GB is free"},
		{"a footprint bounds writes", func(f *facts) {
			at("B", free(2e9))(f)
			f.plan.Phases[0].Jobs[1].Sizes = []int64{1e9, 1e9, 1e9, 1e9}
			f.plan.Phases[0].Jobs[1].IO.Footprint = 1_500_000_000
		}, "", ""},
		{"a footprint below the largest file", func(f *facts) {
			at("B", free(3e9))(f)
			f.plan.Phases[0].Jobs[1].IO.Footprint = 1_500_000_000
		}, "! space (B)", "phase W needs 4 GB plus a margin of 147 MB, but only 3 GB is free"},
		{"a footprint too small to read",
			func(f *facts) { f.plan.Phases[1].Jobs[0].IO.Footprint = 4e9 }, "! footprint (A)",
			"disk A: phase R reads 5 GB, more than its footprint allows at one time; read " +
				"fewer or smaller files, or raise the footprint"},
		{"FAT32", all(at("A", filesystem("vfat")), at("B", filesystem("vfat"))),
			"! file_limit (A)", "has a file of 5 GB, and the file system of /mnt/sda1/a supports " +
				"none above 4 GiB; use smaller files, or format the disk as exFAT, APFS, NTFS"},
		{"another volume of the system's disk",
			all(at("B", on("nvme0n1p2")), noResults, connection("")), "! system_disk (B)",
			"nvme0n1"},
		{"an image on the system's disk",
			all(at("B", on("loop1")), noResults, connection("direct")), "system_disk (B)",
			"loop1, which itself is on"},
		{"results on the disk beneath", func(f *facts) { f.results = place(t, 8, on("sda2")) },
			"! results_on_disk (A)", "--out"},
		{"results where the image's disk is the system's",
			all(at("B", on("loop1")), connection("direct")),
			"system_disk (B), results_on_disk (B)", ""},
		{"a disk on a port of its own", all(at("B", on("sdc1")), noProcesses), "not_on_hub (B)",
			"port of its own"},
		{"a disk in a case of its own", func(f *facts) {
			at("B", on("sdc1"))(f)
			f.processes = nil
			sdc := f.machine.Find("sdc")
			sdc.Bus, sdc.Hub = hardware.NVMe, new("case")
			f.machine.Hubs = append(f.machine.Hubs, hardware.Hub{
				ID: "case", Name: "X5",
				Devices: []hardware.Attached{{Kind: hardware.DiskKind, ID: "sdc"}},
			})
		}, "not_on_hub (B)", "port of its own"},
		{"a disk inside", all(at("B", on("loop1")), noResults), "system_disk (B), not_on_hub (B)",
			"inside the computer"},
		{"a disk on another hub", at("B", on("sdd1")), "different_hubs (B)",
			"is on Box, but disk A on Hub: they share no hub; plug"},
		{"a disk of unknown place", at("B", on("sde1")), "", ""},
		{"a display on the hub", func(f *facts) {
			f.machine.Hubs[0].Devices = []hardware.Attached{
				{Kind: hardware.DisplayKind, Name: "Studio Display"}, {Kind: hardware.NetworkKind},
			}
		}, "display", "Studio Display is on the hub of the disks (Hub)"},
		{"a display on the dock of one", func(f *facts) {
			f.machine.Hubs[1].Devices = []hardware.Attached{{Kind: hardware.DisplayKind}}
		}, "", ""},
		{"a disk that fell to USB 2", func(f *facts) {
			f.machine.Find("sdb").Path.Links = []hardware.Link{
				{Segment: hardware.Uplink, Hub: "hub", Kind: hardware.USBLink, RxBps: 10e9},
				{Kind: hardware.USBLink, RxBps: 480e6},
			}
		}, "slow_link (B)", "sdb negotiated USB 480 Mb/s; check the cable and the port"},
		{"a hub that fell to USB 2", func(f *facts) {
			f.machine.Find("sda").Path.Links = []hardware.Link{
				{Hub: "dock", Kind: hardware.USBLink, RxBps: 480e6},
				{Kind: hardware.USBLink, RxBps: 480e6},
			}
		}, "slow_link (A)", "sda (X5) is connected to Dock, which negotiated USB 480 Mb/s; " +
			"check the cable and the port"},
		{"a disk on USB 3", func(f *facts) {
			f.machine.Find("sdb").Path.Links = []hardware.Link{
				{Kind: hardware.USBLink, RxBps: 5e9}, {Kind: hardware.USBLink, Generation: "2.0"},
			}
		}, "", ""},
		{"tmpfs", at("B", filesystem("tmpfs")), "not_disk (B)", "is RAM (tmpfs), not a disk"},
		{"a disk in memory", func(f *facts) { f.machine.Find("sdb").Memory = true },
			"not_disk (B)", "is RAM (sdb), not a disk"},
		{"an image on a disk in memory", func(f *facts) {
			at("B", on("loop0"))(f)
			f.machine.Disks = append(f.machine.Disks, hardware.Drive{Name: "zram0", Memory: true})
			f.machine.Find("loop0").Backing = []string{"zram0"}
		}, "not_disk (B)", "is RAM (zram0), not a disk"},
		{"a share", at("B", filesystem("nfs4")), "not_disk (B)", "another machine"},
		{"ntfs-3g", at("B", filesystem("fuseblk")), "no_direct (B)",
			"FUSE), and that reads and writes the disk through the cache, so the cache is " +
				"measured with the disk; mount it with the system's own driver (ntfs3, exfat)"},
		{"eCryptfs", at("B", filesystem("ecryptfs")), "no_direct (B)", "format the disk as exFAT"},
		{"ntfs-3g as programs see it", func(f *facts) {
			at("B", filesystem("fuseblk"))(f)
			f.plan.Phases[0].Jobs[1].IO.Mode = scenario.ModeApp
		}, "", ""},
		{"compressed", func(f *facts) { f.machine.Find("sdb").Volumes[0].Compressed = &yes },
			"compressed (B)", ""},
		{"encrypted", func(f *facts) { f.machine.Find("sdb").Volumes[0].Encrypted = &yes },
			"encrypted (B)", ""},
		{"nearly full", at("B", func(p *device.Place) { p.Used = 181e9 }), "nearly_full (B)",
			"is 90% full, 181 GB of 200 GB: a full SSD writes slower; free"},
		{"just not", at("B", func(p *device.Place) { p.Used = 180e9 }), "", ""},
		{"wrote lately", func(f *facts) {
			f.opts.Recent[0] = Written{Run: "r", Volume: 1, Bytes: 53e9, Ago: 90 * time.Second}
		}, "wrote_lately (A)", "ended 1 min 30 s ago (r) wrote 53 GB"},
		{"wrote little since", func(f *facts) {
			f.opts.Recent = []Written{
				{Run: "much", Volume: 1, Bytes: 53e9, Ago: 5 * time.Minute},
				{Run: "r", Volume: 1, Bytes: 1e6, Ago: time.Minute},
			}
		}, "wrote_lately (A)", "wait until 10 min have passed, or give the first phase " +
			"`cooldown: {until: idle, most: 10 min}`"},
		{"a copy", func(f *facts) { f.traffic["B"] = 50e6 }, "busy (B)",
			"something else moves 50.0 MB/s"},
		{"Spotlight", runs(device.Process{Name: "mds_stores", Busy: 0.5},
			device.Process{Name: "mds_stores", Busy: 0.5}), "background", "Spotlight"},
		{"a scan for malware", runs(device.Process{Name: "MsMpEng.exe", Busy: 0.3}), "background",
			"malware"},
		{"Time Machine", runs(device.Process{Name: "backupd", Busy: 0.06}), "background",
			"tmutil stopbackup"},
		{"a trim", runs(device.Process{PID: 77, Name: "fstrim"}), "background",
			"fstrim (process 77) trims"},
		{"a scrub", runs(device.Process{
			Name: "btrfs", Args: []string{"btrfs", "scrub", "start", "-B", "/x"},
		}), "background", "scrubs"},
		{"a check of its volume", runs(device.Process{
			Name: "fsck.ext4", Args: []string{"fsck.ext4", "/dev/sdb1"}, Busy: 0.5,
		}), "background", "fsck.ext4"},
		{"a check of its disk", runs(device.Process{
			Name: "badblocks", Args: []string{"badblocks", "/dev/sda"}, Blocked: true,
		}), "background", ""},
		{"a copy to it", runs(device.Process{
			Name: "dd", Args: []string{"dd", "if=/dev/zero", "of=/mnt/sdb1/x"}, Busy: 0.01,
		}), "background", ""},
		{"a backup that has it open", runs(device.Process{
			Name: "restic", Places: []string{"/mnt/sdb1/photos/1.jpg"}, Busy: 0.2,
		}), "background", ""},
		{"a backup elsewhere",
			runs(device.Process{Name: "restic", Places: []string{"/mnt/sdb10/photos"}, Busy: 0.2}),
			"", ""},
		{"a copier that sleeps",
			runs(device.Process{Name: "rsync", Args: []string{"rsync", "--daemon", "/mnt/sdb1"}}),
			"", ""},
		{"battery", func(f *facts) { f.machine.Hosts[0].Power = hardware.Battery }, "battery", ""},
		{"powersave", func(f *facts) { f.powerSaving = "governor powersave" }, "powersave",
			"cpupower"},
		{"nothing to be asked", func(f *facts) {
			f.machineErr = errors.New("no\nsysfs")
			f.machine = &hardware.Inventory{}
		}, "unknown_hardware (A), unknown_hardware (B)", "(no; sysfs)"},
		{"a disk that is not told of", func(f *facts) {
			at("B", on("sdz1"))(f)
			f.machine.Warnings = []string{"what USB disks are"}
		}, "unknown_hardware (B)", "/mnt/sdb1/b is not known (what USB disks are)"},
		{"warnings of what is known",
			func(f *facts) { f.machine.Warnings = []string{"USB4 is not told"} }, "", ""},
		{"two volumes of one APFS container", all(at("A", on("disk9s1")), at("B", on("disk9s2"))),
			"same_disk (B)", "sdb"},
		{"a RAID that is checked", runs(device.Process{Name: "md0_resync"}), "background",
			"reads a RAID through"},
		{"macOS refuses", all(onMac, unreached("A", noConsent)), "! closed (A)",
			"macOS keeps programs of this terminal out of /mnt/sda1/a (stat"},
		{"Linux refuses", unreached("A", noConsent), "! missing (A)", "not permitted"},
		{"no folder", unreached("A", fs.ErrNotExist), "! missing (A)",
			"disk A: /mnt/sda1/a does not exist; check the spelling"},
		{"a file", unreached("B", device.ErrNotFolder), "! not_folder (B)",
			"disk B: /mnt/sdb1/b is a file; give"},

		{"another clock", func(f *facts) { f.clocks = readings{5e9, 5.02e9} }, "! clock",
			"two disks cannot be compared"},
		{"a clock behind", func(f *facts) { f.clocks = readings{-5.02e9, -5e9} }, "! clock",
			"two disks cannot be compared"},
		{"a clock a little ahead", func(f *facts) { f.clocks = readings{20e3, 60e3} }, "clock",
			"differ by 20 µs to 60 µs: starts and"},
		{"a stopwatch of its own", func(f *facts) { f.stopwatchErrorNS = 5e6 }, "! stopwatch",
			"5 ms apart from the clock"},
		{"a clock that jumps", func(f *facts) { f.clocks = readings{low: 50, high: -50} },
			"! clock", ""},
		{"a busy machine", func(f *facts) { f.clocks = readings{-4e6, 30e3} }, "clock",
			"within 4 ms: the machine is too busy"},
		{"slewed wall clock", lasts(10*s, 9996*ms), "", ""},
		{"fast clock", lasts(10100*ms, 10*s), "stopwatch", "+10000 ppm"},
		{"far too fast clock", lasts(11*s, 10*s), "! stopwatch",
			"this machine's seconds are wrong"},
		{"a clock set back", lasts(s, -time.Hour), "stopwatch", "set back"},
		{"dull timers", func(f *facts) { f.lateNS = same(2e6) }, "timers", "disks start late"},
		{"no timers", func(f *facts) { f.lateNS = same(15.6e6) }, "! timers",
			"cannot be started together"},
		{"one bad start", func(f *facts) { f.skewsNS[0] = 100e6 }, "", ""},
		{"ragged starts", func(f *facts) { f.skewsNS = same(3e6) }, "start",
			"a millisecond apart"},
		{"no common start", func(f *facts) { f.skewsNS = same(80e6) }, "! start",
			"fewer disks than it says"},
		{"asleep", func(f *facts) { f.awakeErr = errors.New("systemd-inhibit: not found") },
			"awake", "not found"},
		{"nice", func(f *facts) { f.niceness = 10 }, "priority", "without nice"},
		{"in the background", func(f *facts) { f.lowPriority = true }, "! priority",
			"holds this program back"},
		{"no disks", func(f *facts) { f.plan = &scenario.Plan{} }, "? disks",
			"hubbench doctor /Volumes/A"},

		{"Rosetta", func(f *facts) { f.machine.Hosts[0].Translated = true }, "translated",
			"arm64"},
		{"exFAT on a Mac", all(onMac, at("B", filesystem("exfat"))), "exfat (B)",
			"/mnt/sdb1/b is on exfat: macOS writes new files there with one request at a time"},
		{"exFAT elsewhere", at("B", filesystem("exfat")), "", ""},
		{"a RAID set", func(f *facts) {
			at("B", on("disk9s1"))(f)
			f.machine.Find("disk9").RAID = "Stripe set Data"
		}, "raid (B)", "is on a RAID set (Stripe set Data) of sdb: its rates"},
		{"a bad cable", func(f *facts) { f.machine.Find("sda").Retries = 3 }, "errors (A)",
			"3 repeated requests since sda (X5) was plugged in"},
		{"zeros in place of space", func(f *facts) { f.reserved = 250e6 }, "reserve (A)",
			"the disk wrote 250 MB to reserve 256 MB"},
		{"space that can't be reserved", func(f *facts) { f.reserveErr = syscall.ENOTSUP }, "",
			""},
		{"space that nothing counts", func(f *facts) { f.reserved = -1 }, "? reserve (A)",
			"nothing counts"},
		{"FAT32 on a Mac", all(onMac, at("A", filesystem("msdos"))), "! file_limit (A), exfat (A)",
			"or format the disk as APFS\n"},
		{"files that are written in order", func(f *facts) {
			f.files[0].Effective.Space, f.files[0].Effective.Depth = trace.SpaceNone, 1
			f.reserveErr, f.depthOneRates, f.depthFourRates = syscall.ENOTSUP, nil, nil
		}, "? reserve (A), ? lanes (A)", "see exfat"},
		{"no locks", func(f *facts) { f.folderErr = errors.New("a second process could take it") },
			"! folder (A)", "second process"},
		{"refused", func(f *facts) {
			f.files[1].Effective = trace.Effective{
				Cache: "buffered", Warnings: []string{"direct I/O is not available here"},
			}
		}, "! direct (A)", "not available here"},
		{"small blocks on macOS", func(f *facts) {
			f.files[2].Effective = trace.Effective{
				Cache: "cached writes", Warnings: []string{"those of 4096 bytes go through it"},
			}
		}, "small_direct (A)", "whole pages"},
		{"believed", func(f *facts) { f.files[1].Cached = 200e6 }, "! direct (A)",
			"78% of 256 MB stayed in memory at a direct read"},
		{"no residency, not counted",
			func(f *facts) { f.files[3].Cached, f.files[3].counted = -1, 1e6 }, "! direct_4k (A)",
			"the disk moved 6% of 16 MB at a direct read"},
		{"no residency, counted", func(f *facts) { f.files[1].Cached = -1 }, "", ""},
		{"a little believed", func(f *facts) { f.files[1].Cached = 8e6 }, "! direct (A)",
			"3% of 256 MB stayed in memory at a direct read"},
		{"counted late", func(f *facts) { f.files[3].Cached, f.files[3].counted = -1, 15e6 }, "",
			""},
		{"nothing known", func(f *facts) { f.files[3].Cached, f.files[3].counted = -1, -1 },
			"? direct_4k (A)", "neither"},
		{"not counted", func(f *facts) { f.files[1].counted = 1e6 }, "! counters (A)",
			"read of 256 MB, but the disk moved 1 MB"},
		{"a backup", func(f *facts) { f.files[1].counted = 400e6 }, "counters (A)",
			"another program uses the disk"},
		{"no counter", func(f *facts) { f.files[1].counted = -1 }, "? counters (A)",
			"nothing counts"},
		{"a control group's limit", func(f *facts) {
			f.limits = []string{"control group /x limits writing to 400 MB/s on sda"}
		}, "! limits (A)", "limits writing to 400 MB/s on sda: write 2.00 GB/s in large"},
		{"so many bytes a second", rates(2e9, 20e6, 100e6, 19e6), "! limits (A)",
			"small requests (read) move as many bytes as large ones"},
		{"so many requests a second", rates(2e9, 2.5e9, 400e3, 150e6), "! limits (A)",
			"a small write takes longer than on any SSD"},
		{"USB 2, and small writes that the cache takes", func(f *facts) {
			rates(40e6, 40e6, 3e9, 10e6)(f)
			f.files[2].Effective = trace.Effective{
				Cache: "cached writes", SmallWrites: "go through it",
			}
		}, "small_direct (A), limits (A)",
			"write 40.0 MB/s in large requests; read 40.0 MB/s in large requests: the disk"},
		{"USB 2", rates(40e6, 40e6, 10e6, 10e6), "limits (A)", "USB 2"},
		{"slow to write only", rates(40e6, 728e6, 10e6, 50e6), "", ""},
		{"memory", rates(3e9, 3e9, 3e9, 3e9), "", ""},
		{"ignored", flushed(2e3, nil), "! flush (A)", "ignores flushes"},
		{"ignored by a cache", flushed(2e3, func(f *facts) {
			f.cacheKnown, f.cacheVolatile, f.virtualDisk = true, true, true
		}), "! flush (A)", ""},
		{"quick, and nobody knows why", flushed(50e3, nil), "flush (A)",
			"unless the disk's memory survives"},
		{"quick, of a virtual disk", flushed(50e3, func(f *facts) { f.virtualDisk = true }), "",
			""},
		{"needless", flushed(2e3, func(f *facts) { f.cacheKnown = true }), "", ""},
		{"ignored, as a bridge denies its cache", flushed(2e3, func(f *facts) {
			f.cacheKnown, f.machine.Find("sda").WriteCache = true, new(false)
		}), "! flush (A)", "ignores flushes"},
		{"not ignored, without a cache", flushed(50e3, func(f *facts) {
			f.cacheKnown, f.machine.Find("sda").WriteCache = true, new(false)
		}), "", ""},
		{"no full", flushed(800e3, func(f *facts) {
			f.flushes.refused, f.flushes.full = syscall.ENOTTY, nil
		}), "flush (A)", "full not known here (inappropriate"},
		{"slow", flushed(400e6, nil), "flush (A)", "long wait"},
		{"zero filling", func(f *facts) { f.depthFourRates = same(0.3e9) }, "lanes (A)",
			"slows down several requests"},
	} {
		for code := range strings.SplitSeq(tt.want, ", ") {
			code, _, _ = strings.Cut(strings.TrimLeft(code, "!? "), " ")
			canFail[code] = true
		}
		t.Run(tt.name, func(t *testing.T) {
			if strings.HasPrefix(tt.want, "background") && !filepath.IsAbs("/mnt") {
				t.Skip("what a process has open is a path of another system")
			}
			f := desktop(t)
			tt.change(f)
			codes, texts := judge(f)
			if got := strings.Join(codes, ", "); got != tt.want {
				t.Errorf("found %q, want %q: %s", got, tt.want, texts)
			}
			if text := strings.Join(texts, "\n"); !strings.Contains(text, tt.says) {
				t.Errorf("said %q, want %q in it", text, tt.says)
			}
		})
	}
	for _, c := range Table() {
		if !canFail[c.Code] {
			t.Errorf("no case here makes %s find something", c.Code)
		}
	}
}

// What the machine does not say is not called right, and doctor says of all that passes what it
// found.
func TestNotKnown(t *testing.T) {
	blank := desktop(t)
	blank.machine, blank.traffic = &hardware.Inventory{}, map[string]float64{}
	mute := desktop(t)
	mute.machine.Find("sda").Path.Links = []hardware.Link{{Kind: hardware.USBLink}}
	mute.machine.Hosts[0].Power = ""
	for _, tt := range []struct {
		facts *facts
		codes []string
	}{
		{blank,
			[]string{"slow_link", "raid", "errors", "compressed", "encrypted", "busy", "battery"}},
		{mute, []string{"slow_link", "errors", "compressed", "encrypted", "battery"}},
	} {
		for _, c := range Table() {
			if c.When&Doctor == 0 || c.When&Writes != 0 || c.Code == "disks" {
				continue
			}
			found := c.judge(tt.facts.forDisk(tt.facts.plan.Disks[0]))
			if unknown := found == notKnown(); unknown != slices.Contains(tt.codes, c.Code) ||
				found.Measured == "" && c.probe == nil {
				t.Errorf("%s: %+v", c.Code, found)
			}
		}
	}
}

// nothing is plugged in, as far as is known, so nothing is known of the disks.
func nothing(context.Context) (*hardware.Inventory, error) { return nil, nil }

func TestAllow(t *testing.T) {
	dir := t.TempDir()
	plan := &scenario.Plan{Disks: []scenario.Disk{{Name: "A", Path: dir}, {Name: "B", Path: dir}}}
	opts := Options{Look: func(context.Context) (*hardware.Inventory, error) {
		return &hardware.Inventory{Hosts: []hardware.Host{{Power: hardware.Battery}}}, nil
	}}
	all := codes(Preflight(t.Context(), plan, opts))
	for _, want := range []string{"B same_folder", " battery"} {
		if !slices.Contains(all, want) {
			t.Fatalf("Preflight() = %q, want %q among it", all, want)
		}
	}
	for _, c := range Table() {
		if slices.Contains(opts.Allow, c.Code) || c.Finds == "" {
			t.Errorf("code %q: twice, or finds nothing", c.Code)
		}
		opts.Allow = append(opts.Allow, c.Code)
	}
	check.Same(t, "with all left out that can be", []string{"B same_folder"},
		codes(Preflight(t.Context(), plan, opts)))
}

// twoDisks is a plan whose phase W writes on A and B and whose phase R reads on A.
func twoDisks(a, b string) *scenario.Plan {
	return &scenario.Plan{
		Disks: []scenario.Disk{{Name: "A", Path: a}, {Name: "B", Path: b}},
		Phases: []scenario.Phase{
			{Name: "W", Jobs: []scenario.Job{
				{Disk: "A", Role: trace.Write, Sizes: []int64{1e9, 2e9}},
				{Disk: "B", Role: trace.Write, Sizes: []int64{4e9}},
			}},
			{Name: "R", Jobs: []scenario.Job{{Disk: "A", Role: trace.Read, Sizes: []int64{5e9}}}},
		},
	}
}

// place is a folder with 100 GB free on the file system id.
func place(t *testing.T, id uint64, change ...func(*device.Place)) device.Place {
	t.Helper()
	p, err := device.Inspect(t.TempDir())
	check.Must(t, err)
	p.ID, p.Free, p.Size, p.Used, p.Filesystem, p.System = id, 100e9, 200e9, 100e9, "ext4", false
	for _, c := range change {
		c(&p)
	}
	return p
}

func free(bytes int64) func(*device.Place) { return func(p *device.Place) { p.Free = bytes } }
func system(p *device.Place)               { p.System = true }

func filesystem(kind string) func(*device.Place) {
	return func(p *device.Place) { p.Filesystem = kind }
}

// codes are what Preflight finds, by disk.
func codes(problems []Problem) []string {
	var list []string
	for _, p := range problems {
		list = append(list, p.Disk+" "+p.Code)
	}
	return list
}

func TestPreflightLooks(t *testing.T) {
	dir := t.TempDir()
	a, file, link := filepath.Join(dir, "a"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	check.Must(t, os.Mkdir(a, 0o700))
	check.Must(t, os.WriteFile(file, nil, 0o600))
	check.Must(t, os.Symlink(a, link))
	for _, tt := range []struct {
		name string
		a, b string
		want []string
	}{
		{"missing", a, filepath.Join(dir, "absent"), []string{"B missing"}},
		{"a file", file, a, []string{"A not_folder"}},
		{"below a file", filepath.Join(file, "x"), a, []string{"A missing"}},
		{"one folder by two names", a, link, []string{"B same_folder"}},
		{"two folders of a disk", a, dir, []string{"B same_disk"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := twoDisks(tt.a, tt.b)
			plan.Phases = nil
			got := codes(Preflight(t.Context(), plan, Options{
				Look: nothing, Allow: []string{"system_disk", "unknown_hardware", "nearly_full"},
			}))
			check.Same(t, "Preflight()", tt.want, got)
		})
	}
}

func TestPreflightKnowsTheSystemDisk(t *testing.T) {
	root := "/"
	if runtime.GOOS == "windows" {
		root = os.Getenv("SystemDrive") + `\`
	}
	plan := &scenario.Plan{Disks: []scenario.Disk{{Name: "A", Path: root}}}
	got := codes(Preflight(t.Context(), plan,
		Options{Look: nothing, Results: filepath.Join(root, "not", "yet", "made")}))
	want := "A system_disk, A results_on_disk"
	if all := strings.Join(got, ", "); !strings.Contains(all, want) {
		t.Errorf("Preflight() = %s, want %s among it", all, want)
	}
}
