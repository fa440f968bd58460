package device

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

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// desk is a machine with two disks of two partitions on a dock that is connected to a hub, one on another port, and what is
// made of them. Disk A of the plan lies on sda1, disk B on sdb1.
func desk() *hardware.Inventory {
	on, yes, no := func(id string) *string { return &id }, true, false
	volume := func(device string) hardware.Volume {
		return hardware.Volume{Device: device, Mount: "/mnt/" + device}
	}
	return &hardware.Inventory{
		Hosts: []hardware.Host{{Power: hardware.Mains}},
		Hubs:  []hardware.Hub{{ID: "hub", Name: "Hub"}, {ID: "dock", Name: "Dock", Upstream: "hub"}, {ID: "box", Name: "Box"}},
		Disks: []hardware.Disk{
			{Name: "nvme0n1", System: true, External: &no, Volumes: []hardware.Volume{volume("nvme0n1p2")}},
			{Name: "sda", Model: "X5", External: &yes, Hub: on("dock"), Volumes: []hardware.Volume{volume("sda1"), volume("sda2")}},
			{Name: "sdb", External: &yes, Hub: on("hub"), Volumes: []hardware.Volume{volume("sdb1")}},
			{Name: "sdc", External: &yes, Path: hardware.Path{Links: []hardware.Link{{Segment: hardware.HostPort}}}, Volumes: []hardware.Volume{volume("sdc1")}},
			{Name: "sdd", External: &yes, Hub: on("box"), Volumes: []hardware.Volume{volume("sdd1")}},
			{Name: "sde", Volumes: []hardware.Volume{volume("sde1")}}, // of which nothing is known
			{Name: "disk9", Bus: hardware.Virtual, Backing: []string{"sdb"}, Volumes: []hardware.Volume{volume("disk9s1"), volume("disk9s2")}},
			{Name: "loop0", Bus: hardware.Virtual, Backing: []string{"sda"}, Volumes: []hardware.Volume{volume("loop0")}},
			{Name: "loop1", Bus: hardware.Virtual, Backing: []string{"nvme0n1"}, Volumes: []hardware.Volume{volume("loop1")}},
		},
	}
}

// on puts a place on a device of the desk.
func on(device string) func(*Place) {
	return func(p *Place) { p.Path, p.Source, p.Mount = "/mnt/"+device+"/x", "/dev/"+device, "/mnt/"+device }
}

// desktop is the clean case: A and B on two disks of one hub, and the results on the system disk.
func desktop(t *testing.T) *evidence {
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
	results := place(t, 9, on("nvme0n1p2"), system)
	return &evidence{
		plan: plan, machine: desk(), looked: true, results: &results,
		places:  map[string]Place{"A": place(t, 1, on("sda1")), "B": place(t, 2, on("sdb1"))},
		traffic: map[string]float64{"A": 2e5, "B": 0},
		processes: []Process{
			{PID: 1, Name: "systemd"}, {PID: 2, Name: "mds_stores", Busy: 0.01}, {PID: 3, Name: "MsMpEng.exe"},
			{PID: 4, Name: "rsync", Args: []string{"rsync", "/home", "/mnt/sdc1"}, Busy: 1}, {PID: 5, Name: "btrfs", Args: []string{"btrfs", "filesystem", "df"}},
		},
		wrote: map[string]Written{"A": {Run: "r", Bytes: 9e9, Ago: time.Minute}, "B": {Run: "r", Bytes: 90e9, Ago: 11 * time.Minute}},
	}
}

const lessSpace = "free some space, use fewer or smaller files, or set a footprint"

// TestEveryJudgement breaks the clean case in one way at a time.
func TestEveryJudgement(t *testing.T) {
	yes := true
	put := func(e *evidence, disk string, change ...func(*Place)) {
		p := e.places[disk]
		for _, c := range change {
			c(&p)
		}
		e.places[disk] = p
	}
	id := func(id uint64) func(*Place) { return func(p *Place) { p.ID = id } }
	runs := func(p ...Process) func(*evidence) {
		return func(e *evidence) { e.processes = append(e.processes, p...) }
	}
	for _, tt := range []struct {
		name   string
		change func(*evidence)
		want   string // codes, "! " before the fatal ones, and the disk in brackets
		says   string
	}{
		{"nothing", func(*evidence) {}, "", ""},
		{"macOS asks for consent", func(e *evidence) {
			put(e, "A", func(p *Place) { p.Closed = errors.New("operation not permitted") })
		}, "! closed (A)", "Privacy & Security > Files and Folders"},
		{"two partitions of one disk", func(e *evidence) { put(e, "B", on("sda2")) }, "same_disk (B)", "sda (X5)"},
		{"an image on the other disk", func(e *evidence) { put(e, "B", on("loop0")) }, "same_disk (B)", "sda (X5)"},
		{"a bind mount", func(e *evidence) { put(e, "B", on("sda1"), id(1)) }, "same_disk (B)",
			"disk B: is on the same file system as disk A; the two compete for one disk, not for the hub"},
		{"file systems without identity", func(e *evidence) { put(e, "A", id(0)); put(e, "B", id(0)) }, "", ""},
		{"the same folder", func(e *evidence) { e.places["B"] = e.places["A"] }, "! same_folder (B)",
			"disk B: /mnt/sdb1/b is the folder of disk A too; give each disk its own"},
		{"read-only", func(e *evidence) {
			put(e, "A", func(p *Place) { p.Writable = errors.New("read-only file system") })
		}, "! unwritable (A)", "disk A: cannot write to /mnt/sda1/a (read-only file system); choose a folder that you " +
			"may write to, on a volume that is not read-only"},
		{"the system's disk", func(e *evidence) {
			e.looked = false
			put(e, "B", system, func(p *Place) { p.Path = "/home/b" })
		}, "! system_disk (B)",
			"disk B: /mnt/sdb1/b is on the disk that holds the operating system; give a folder on the disk under test, " +
				"or set `allow_system_disk: true` or --allow system_disk to measure this one"},
		{"a disk that is not mounted", func(e *evidence) {
			e.looked = false
			put(e, "B", system, func(p *Place) { p.Path = "/media/ann/B" })
		}, "! system_disk (B)", "disk B: no disk is mounted at /mnt/sdb1/b: the folder is on the disk that holds the " +
			"operating system; mount the disk under test, or set `allow_system_disk: true` or --allow system_disk to measure this one"},
		{"results on a disk", func(e *evidence) { e.results.ID = 2 }, "! results_on_disk (B)",
			"disk B: the results would be written to this disk while it is measured; choose a folder on another disk " +
				"with --out"},
		{"results on the system's disk, which is measured", func(e *evidence) { e.results.ID = 2; put(e, "B", system) },
			"! system_disk (B), results_on_disk (B)", "choose a folder on another disk with --out"},
		{"the largest phase does not fit", func(e *evidence) { put(e, "A", free(5_160_000_000)) }, "! space (A)",
			"disk A: phase R needs 5 GB plus a margin of 167 MB, but only 5.16 GB is free; " + lessSpace},
		{"the largest phase just fits", func(e *evidence) { put(e, "A", free(5_170_000_000)) }, "", ""},
		{"shared space", func(e *evidence) { put(e, "A", free(7e9)); put(e, "B", id(1), free(7e9)) },
			"same_disk (B), ! space (A)",
			"disks A, B: phase W needs 7 GB plus a margin of 207 MB, but only 7 GB is free; " + lessSpace},
		{"kept files add up", func(e *evidence) { put(e, "A", free(8e9)); e.plan.Phases[0].Jobs[0].IO.Keep = true },
			"! space (A)", "disk A: phase R needs 8 GB plus a margin of 227 MB, but only 8 GB is free; " + lessSpace},
		{"a footprint bounds writes", func(e *evidence) {
			put(e, "B", free(2e9))
			e.plan.Phases[0].Jobs[1].Sizes = []int64{1e9, 1e9, 1e9, 1e9}
			e.plan.Phases[0].Jobs[1].IO.Footprint = 1_500_000_000
		}, "", ""},
		{"a footprint below the largest file", func(e *evidence) {
			put(e, "B", free(3e9))
			e.plan.Phases[0].Jobs[1].IO.Footprint = 1_500_000_000
		}, "! space (B)", "disk B: phase W needs 4 GB plus a margin of 147 MB, but only 3 GB is free; " + lessSpace},
		{"a footprint too small to read", func(e *evidence) { e.plan.Phases[1].Jobs[0].IO.Footprint = 4e9 },
			"! footprint (A)", "disk A: phase R reads 5 GB, more than its footprint allows at one time; " +
				"read fewer or smaller files, or raise the footprint"},
		{"FAT32", func(e *evidence) { put(e, "A", fat); put(e, "B", fat) }, "! file_limit (A)",
			"disk A: phase R has a file of 5 GB, and the file system of /mnt/sda1/a supports none above 4 GiB; " +
				"use smaller files, or format the disk as exFAT, APFS, NTFS or ext4"},
		{"another volume of the system's disk", func(e *evidence) {
			put(e, "B", on("nvme0n1p2"))
			e.results = nil
			e.plan.Disks[1].Connection = ""
		}, "! system_disk (B)", "nvme0n1"},
		{"an image on the system's disk", func(e *evidence) {
			put(e, "B", on("loop1"))
			e.results = nil
			e.plan.Disks[1].Connection = "direct"
		}, "system_disk (B)", "loop1, which itself lies"},
		{"results on the disk beneath", func(e *evidence) {
			r := place(t, 8, on("sda2"))
			e.results = &r
		}, "! results_on_disk (A)", "--out"},
		{"results where the image's disk is the system's", func(e *evidence) {
			put(e, "B", on("loop1"))
			e.plan.Disks[1].Connection = "direct"
		}, "system_disk (B), results_on_disk (B)", ""},
		{"a disk on a port of its own", func(e *evidence) { put(e, "B", on("sdc1")); e.processes = nil }, "not_on_hub (B)", "port of its own"},
		{"a disk in a case of its own", func(e *evidence) {
			put(e, "B", on("sdc1"))
			e.processes = nil
			sdc := e.machine.Find("sdc")
			sdc.Bus, sdc.Hub = hardware.NVMe, new("case")
			e.machine.Hubs = append(e.machine.Hubs, hardware.Hub{ID: "case", Name: "X5", Devices: []hardware.Attached{{Kind: hardware.DiskKind, ID: "sdc"}}})
		}, "not_on_hub (B)", "port of its own"},
		{"a disk inside", func(e *evidence) { put(e, "B", on("loop1")); e.results = nil }, "system_disk (B), not_on_hub (B)", "inside the computer"},
		{"a disk on another hub", func(e *evidence) { put(e, "B", on("sdd1")) }, "different_hubs (B)", "is on Box, but disk A on Hub, Dock"},
		{"a disk of unknown place", func(e *evidence) { put(e, "B", on("sde1")) }, "", ""},
		{"a display on the hub", func(e *evidence) {
			e.machine.Hubs[0].Devices = []hardware.Attached{{Kind: hardware.DisplayKind, Name: "Studio Display"}, {Kind: hardware.NetworkKind}}
		}, "display", "Studio Display is on the hub of the disks (Hub)"},
		{"a display on the dock of one", func(e *evidence) { e.machine.Hubs[1].Devices = []hardware.Attached{{Kind: hardware.DisplayKind}} }, "", ""},
		{"a disk that fell to USB 2", func(e *evidence) {
			e.machine.Find("sdb").Path.Links = []hardware.Link{{Segment: hardware.Uplink, Hub: "hub", Kind: hardware.USBLink, RxBps: 10e9}, {Kind: hardware.USBLink, RxBps: 480e6}}
		}, "slow_link (B)", "sdb negotiated USB 480 Mb/s: check the cable and the port"},
		{"a hub that fell to USB 2", func(e *evidence) {
			e.machine.Find("sda").Path.Links = []hardware.Link{{Hub: "dock", Kind: hardware.USBLink, RxBps: 480e6}, {Kind: hardware.USBLink, RxBps: 480e6}}
		}, "slow_link (A)", "sda (X5) is connected to Dock, which negotiated USB 480 Mb/s: check the cable and the port"},
		{"a disk on USB 3", func(e *evidence) {
			e.machine.Find("sdb").Path.Links = []hardware.Link{{Kind: hardware.USBLink, RxBps: 5e9}, {Kind: hardware.USBLink, Generation: "2.0"}}
		}, "", ""},
		{"tmpfs", func(e *evidence) { put(e, "B", func(p *Place) { p.Filesystem = "tmpfs" }) }, "not_disk (B)", "is RAM (tmpfs), not a disk"},
		{"a disk in memory", func(e *evidence) { e.machine.Find("sdb").Memory = true }, "not_disk (B)", "is RAM (sdb), not a disk"},
		{"an image on a disk in memory", func(e *evidence) {
			put(e, "B", on("loop0"))
			e.machine.Disks = append(e.machine.Disks, hardware.Disk{Name: "zram0", Memory: true})
			e.machine.Find("loop0").Backing = []string{"zram0"}
		}, "not_disk (B)", "is RAM (zram0), not a disk"},
		{"a share", func(e *evidence) { put(e, "B", func(p *Place) { p.Filesystem = "nfs4" }) }, "not_disk (B)", "another machine"},
		{"ntfs-3g", func(e *evidence) { put(e, "B", func(p *Place) { p.Filesystem = "fuseblk" }) }, "no_direct (B)", "FUSE), and that reads and writes the disk through the cache; the cache is measured with the disk. Mount it with the system's own driver (ntfs3, exfat)"},
		{"eCryptfs", func(e *evidence) { put(e, "B", func(p *Place) { p.Filesystem = "ecryptfs" }) }, "no_direct (B)", "Format the disk as APFS"},
		{"ntfs-3g as programs see it", func(e *evidence) {
			put(e, "B", func(p *Place) { p.Filesystem = "fuseblk" })
			e.plan.Phases[0].Jobs[1].IO.Mode = scenario.ModeApp
		}, "", ""},
		{"compressed", func(e *evidence) { e.machine.Find("sdb").Volumes[0].Compressed = &yes }, "compressed (B)", ""},
		{"encrypted", func(e *evidence) { e.machine.Find("sdb").Volumes[0].Encrypted = &yes }, "encrypted (B)", ""},
		{"nearly full", func(e *evidence) { put(e, "B", func(p *Place) { p.Used = 181e9 }) }, "nearly_full (B)", "90 % full, 181 GB of 200 GB"},
		{"just not", func(e *evidence) { put(e, "B", func(p *Place) { p.Used = 180e9 }) }, "", ""},
		{"wrote lately", func(e *evidence) { e.wrote["A"] = Written{Run: "r", Bytes: 53e9, Ago: 90 * time.Second} }, "wrote_lately (A)", "ended 1 min 30 s ago (r) wrote 53 GB"},
		{"a copy", func(e *evidence) { e.traffic["B"] = 50e6 }, "busy (B)", "something else moves 50.0 MB/s"},
		{"Spotlight", runs(Process{Name: "mds_stores", Busy: 0.5}, Process{Name: "mds_stores", Busy: 0.5}), "background", "Spotlight"},
		{"a scan for malware", runs(Process{Name: "MsMpEng.exe", Busy: 0.3}), "background", "malware"},
		{"Time Machine", runs(Process{Name: "backupd", Busy: 0.06}), "background", "tmutil stopbackup"},
		{"a trim", runs(Process{PID: 77, Name: "fstrim"}), "background", "fstrim (process 77) trims"},
		{"a scrub", runs(Process{Name: "btrfs", Args: []string{"btrfs", "scrub", "start", "-B", "/x"}}), "background", "scrubs"},
		{"a check of its volume", runs(Process{Name: "fsck.ext4", Args: []string{"fsck.ext4", "/dev/sdb1"}, Busy: 0.5}), "background (B)", "fsck.ext4"},
		{"a check of its disk", runs(Process{Name: "badblocks", Args: []string{"badblocks", "/dev/sda"}, Blocked: true}), "background (A)", ""},
		{"a copy to it", runs(Process{Name: "dd", Args: []string{"dd", "if=/dev/zero", "of=/mnt/sdb1/x"}, Busy: 0.01}), "background (B)", ""},
		{"a backup that has it open", runs(Process{Name: "restic", Places: []string{"/mnt/sdb1/photos/1.jpg"}, Busy: 0.2}), "background (B)", ""},
		{"a backup elsewhere", runs(Process{Name: "restic", Places: []string{"/mnt/sdb10/photos"}, Busy: 0.2}), "", ""},
		{"a copier that sleeps", runs(Process{Name: "rsync", Args: []string{"rsync", "--daemon", "/mnt/sdb1"}}), "", ""},
		{"battery", func(e *evidence) { e.machine.Hosts[0].Power = hardware.Battery }, "battery", ""},
		{"powersave", func(e *evidence) { e.saving = "governor powersave" }, "powersave", "cpupower"},
		{"nothing to be asked", func(e *evidence) { e.unlooked = errors.New("no\nsysfs"); e.machine = &hardware.Inventory{} }, "unknown_hardware (A), unknown_hardware (B)", "(no; sysfs)"},
		{"a disk that is not told of", func(e *evidence) {
			put(e, "B", on("sdz1"))
			e.machine.Warnings = []string{"what USB disks are"}
		}, "unknown_hardware (B)", "/mnt/sdb1/b is not known (what USB disks are)"},
		{"warnings of what is known", func(e *evidence) { e.machine.Warnings = []string{"USB4 is not told"} }, "", ""},
		{"two volumes of one APFS container", func(e *evidence) { put(e, "A", on("disk9s1")); put(e, "B", on("disk9s2")) }, "same_disk (B)", "sdb"},
		{"a RAID that is checked", runs(Process{Name: "md0_resync"}), "background", "reads a RAID through"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "background (B)" && !filepath.IsAbs("/mnt") {
				t.Skip("what a process has open is a path of another system")
			}
			e := desktop(t)
			tt.change(e)
			var got, said []string
			for _, p := range e.judge() {
				code := p.Code
				if !slices.ContainsFunc(Codes(), func(c Code) bool { return c.Name == code }) {
					t.Errorf("no check has the code %q, so --allow takes it not", code)
				}
				if p.Fatal {
					code = "! " + code
				}
				if p.Disk != "" {
					code += " (" + p.Disk + ")"
				}
				got, said = append(got, code), append(said, p.Text)
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("found %q, want %q: %s", got, tt.want, said)
			}
			if text := strings.Join(said, "\n"); !strings.Contains(text, tt.says) {
				t.Errorf("said %q, want %q in it", text, tt.says)
			}
		})
	}
}

func TestUnusableFolders(t *testing.T) {
	disk := scenario.Disk{Name: "A", Path: "/Volumes/A"}
	for _, tt := range []struct {
		err  error
		goos string
		want string
	}{
		{&fs.PathError{Op: "stat", Path: "/Volumes/A", Err: syscall.EPERM}, "darwin", "closed"},
		{&fs.PathError{Op: "stat", Path: "/Volumes/A", Err: syscall.EPERM}, "linux", "missing"},
		{&fs.PathError{Op: "stat", Path: "/Volumes/A", Err: syscall.EACCES}, "darwin", "missing"},
		{fs.ErrNotExist, "darwin", "missing"},
		{errNotFolder, "darwin", "not_folder"},
	} {
		f := evidence{disk: disk}
		f.unusable(tt.err, tt.goos)
		if found := f.found[0]; found.Code != tt.want || !found.Fatal || !strings.HasPrefix(found.Text, "disk A: ") {
			t.Errorf("%v on %s: %v, want %s", tt.err, tt.goos, found, tt.want)
		}
	}
}

func TestAllow(t *testing.T) {
	dir := t.TempDir()
	plan := &scenario.Plan{Disks: []scenario.Disk{{Name: "A", Path: dir}, {Name: "B", Path: dir}}}
	opts := Options{Look: func(context.Context) (*hardware.Inventory, error) {
		return &hardware.Inventory{Hosts: []hardware.Host{{Power: hardware.Battery}}}, nil
	}}
	all := codes(Check(t.Context(), plan, opts))
	for _, want := range []string{"B same_folder", " battery"} {
		if !slices.Contains(all, want) {
			t.Fatalf("Check() = %q, want %q among it", all, want)
		}
	}
	for _, c := range Codes() {
		if slices.Contains(opts.Allow, c.Name) || c.Finds == "" {
			t.Errorf("code %q: twice, or finds nothing", c.Name)
		}
		opts.Allow = append(opts.Allow, c.Name)
	}
	check.Same(t, "with all left out that can be", []string{"B same_folder"}, codes(Check(t.Context(), plan, opts)))
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
func place(t *testing.T, id uint64, change ...func(*Place)) Place {
	t.Helper()
	dir := t.TempDir()
	info, err := os.Stat(dir)
	check.Must(t, err)
	p := Place{Path: dir, ID: id, Free: 100e9, Size: 200e9, Used: 100e9, Filesystem: "ext4", info: info}
	for _, c := range change {
		c(&p)
	}
	return p
}

func free(bytes int64) func(*Place) { return func(p *Place) { p.Free = bytes } }
func system(p *Place)               { p.System = true }
func fat(p *Place)                  { p.Filesystem = "vfat" }

// codes are what Check finds, by disk.
func codes(problems []Problem) []string {
	var list []string
	for _, p := range problems {
		list = append(list, p.Disk+" "+p.Code)
	}
	return list
}

func TestCheckLooks(t *testing.T) {
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
			got := codes(Check(t.Context(), plan, Options{Allow: []string{"system_disk"}}))
			check.Same(t, "Check()", tt.want, got)
		})
	}
}

func TestCheckLeavesSimulatedDisksAlone(t *testing.T) {
	plan := &scenario.Plan{Disks: []scenario.Disk{{Name: "A", Profile: "A"}}}
	if got := Check(t.Context(), plan, Options{Results: "/"}); got != nil {
		t.Errorf("Check() = %v, want nothing", got)
	}
}

func TestCheckKnowsTheSystemDisk(t *testing.T) {
	root := "/"
	if runtime.GOOS == "windows" {
		root = os.Getenv("SystemDrive") + `\`
	}
	plan := &scenario.Plan{Disks: []scenario.Disk{{Name: "A", Path: root}}}
	got := codes(Check(t.Context(), plan, Options{Results: filepath.Join(root, "not", "yet", "made")}))
	want := "A system_disk, A results_on_disk"
	if all := strings.Join(got, ", "); !strings.Contains(all, want) {
		t.Errorf("Check() = %s, want %s among it", all, want)
	}
}
