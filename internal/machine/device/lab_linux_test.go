package device

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// lab makes real block devices: loop devices over files in memory, their partitions, and what can be mounted on them.
type lab struct {
	*testing.T
	memory  string // a tmpfs, on which the images lie and everything is mounted
	results string // of check
	recent  []Written
}

// inLab runs a test in a child with mounts of its own. When that ends, however it ends, its mounts go with it, and
// with them the loop devices, which nothing else keeps.
func inLab(t *testing.T, test func(l lab), tools ...string) {
	const child = "HUBBENCH_LAB"
	if os.Getenv(child) != "" {
		l := lab{T: t, memory: t.TempDir()}
		if err := unix.Mount("lab", l.memory, "tmpfs", 0, "size=4g"); err != nil {
			t.Fatalf("mount memory: %v", err)
		}
		t.Cleanup(func() { _ = unix.Unmount(l.memory, unix.MNT_DETACH) })
		test(l)
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("making block devices takes root")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s here", tool)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), child+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("no mounts of one's own here: %v", err)
	}
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("in the lab: %v", err)
	}
}

// sub is a subtest; what it changes of the lab is its own.
func (l lab) sub(name string, test func(l lab)) {
	l.Run(name, func(t *testing.T) {
		l.T = t
		test(l)
	})
}

func (l lab) run(name string, args ...string) string {
	l.Helper()
	return testdisk.Run(l, name, args...)
}

// loop makes a loop device of so many MiB over a file, and holds it open until the test ends.
func (l lab) loop(image string, mib int64) string {
	l.Helper()
	device, err := testdisk.Attach(image, mib<<20)
	if err != nil {
		l.Fatalf("make a loop device over %s: %v", image, err)
	}
	l.Cleanup(func() { _ = device.Close() })
	return device.Name()
}

// mount mounts something on a new folder until the test ends.
func (l lab) mount(name string, args ...string) string {
	l.Helper()
	dir := filepath.Join(l.memory, "at-"+name)
	check.Must(l, os.Mkdir(dir, 0o755))
	l.run("mount", append(args, dir)...)
	l.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// format makes an ext4 that is at rest from the start, and mounts it.
func (l lab) format(device, name string) string {
	l.Helper()
	l.run("mkfs.ext4", "-q", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
	return l.mount(name, device)
}

// disk is an ext4 of 1 GiB on a loop device of its own.
func (l lab) disk(name string) string {
	dir := l.format(l.loop(filepath.Join(l.memory, name), 1024), name)
	for _, inside := range []string{"in", "in2"} {
		check.Must(l, os.Mkdir(filepath.Join(dir, inside), 0o755))
	}
	return dir
}

// mapped makes a mapped device on a part of another, if the kernel has such a thing.
func (l lab) mapped(device string) string {
	misc, err := os.ReadFile("/proc/misc")
	if _, missing := exec.LookPath("dmsetup"); err != nil || missing != nil || !strings.Contains(string(misc), "device-mapper") {
		l.Skip("no device mapper in this kernel")
	}
	name := fmt.Sprintf("hubbench-lab-%d", os.Getpid())
	l.run("dmsetup", "create", name, "--table", fmt.Sprintf("0 %d linear %s 0", 8<<20/512, device))
	l.Cleanup(func() { _ = exec.Command("dmsetup", "remove", "--deferred", name).Run() })
	return name
}

// kernelKnows skips the test without a file system and the tool that makes it.
func (l lab) kernelKnows(kind string) {
	known, err := os.ReadFile("/proc/filesystems")
	if _, missing := exec.LookPath("mkfs." + kind); err != nil || missing != nil || !slices.Contains(strings.Fields(string(known)), kind) {
		l.Skipf("no mkfs.%s, or no %[1]s in this kernel", kind)
	}
}

// check runs the whole of Check with A and B in two folders, and wants just these codes; one with ? at its end may be
// missing.
func (l lab) check(a, b string, size int64, want ...string) {
	l.Helper()
	plan := twoDisks(a, b)
	direct := scenario.IO{Mode: scenario.ModeDirect}
	plan.Phases = []scenario.Phase{{Name: "WW", Jobs: []scenario.Job{
		{Disk: "A", Role: trace.Write, Sizes: []int64{1e6}, IO: direct}, {Disk: "B", Role: trace.Write, Sizes: []int64{size}, IO: direct},
	}}}
	problems := Check(l.Context(), plan, Options{
		Results: l.results, Recent: l.recent, Watch: 250 * time.Millisecond, Running: Processes,
		Moved: func(path string) (int64, bool) {
			count, err := gauge.Count(l.Context(), path)
			return count.Sum(), err == nil
		},
		Look: func(ctx context.Context) (*hardware.Inventory, error) { return Look(ctx, false) },
	})
	var got []string
	for _, p := range problems {
		code := p.Code + " " + p.Disk
		if image := p.Code == "not_disk" && strings.Contains(p.Text, "(loop"); image || slices.Contains(want, code+"?") { // all of this lab lie in memory
			continue
		}
		if p.Fatal {
			code = "! " + code
		}
		got = append(got, code)
	}
	want = slices.DeleteFunc(slices.Clone(want), func(s string) bool { return strings.HasSuffix(s, "?") })
	if !slices.Equal(got, want) {
		l.Errorf("found %q, want %q: %v", got, want, problems)
	}
}

// write keeps a disk busy until it is told to stop.
func (l lab) write(path string) (stop func()) {
	file, err := os.Create(path)
	check.Must(l, err)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for err := error(nil); err == nil; {
			select {
			case <-quit:
				return
			default:
				_, err = file.WriteAt(make([]byte, 4<<20), 0)
				err = errors.Join(err, file.Sync())
			}
		}
	}()
	return func() { close(quit); <-gone; _, _ = file.Close(), os.Remove(path) }
}

// program runs something of that name in a folder, which does nothing but be there.
func (l lab) program(is, name, dir string, meanwhile func()) {
	l.Helper()
	file, err := exec.LookPath(is)
	if err != nil {
		l.Skipf("no %s to be renamed", is)
	}
	path := filepath.Join(l.TempDir(), name)
	l.run("cp", "--dereference", file, path)
	cmd := exec.Command(path, "300")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	check.Must(l, cmd.Start())
	meanwhile()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// TestBlockDevices provokes the checks.
func TestBlockDevices(t *testing.T) {
	inLab(t, blockDevices, "mkfs.ext4", "addpart")
}

func blockDevices(l lab) {
	const small = 1e6
	a, b := l.disk("a"), l.disk("b")
	l.sub("two disks are clean, 5 times of 5", func(l lab) {
		for range 5 {
			l.check(a, b, small)
		}
	})
	l.sub("three partitions", func(l lab) { // are told to the kernel, which need not know any table of them
		device := l.loop(filepath.Join(l.memory, "parts"), 3*128)
		const sectors = 128 << 20 / 512
		var dirs []string
		for i := range 3 {
			n := fmt.Sprint(i + 1)
			l.run("addpart", device, n, fmt.Sprint(i*sectors), fmt.Sprint(sectors))
			dirs = append(dirs, l.format(device+"p"+n, "part"+n))
		}
		for i := range dirs {
			l.check(dirs[i], dirs[(i+1)%3], small, "same_disk B")
		}
	})
	l.sub("bind mount", func(l lab) {
		dir := l.mount("bind", "--bind", a)
		l.check(a, dir, small, "! same_folder B")
		l.check(filepath.Join(a, "in"), filepath.Join(dir, "in2"), small, "same_disk B")
	})
	l.sub("loop device on a disk under test", func(l lab) {
		inner := l.format(l.loop(filepath.Join(a, "image"), 128), "inner")
		l.check(a, inner, small, "same_disk B")
		l.check(b, inner, small)
	})
	l.sub("loop device on the system's disk", func(l lab) {
		file, err := os.CreateTemp("/var/tmp", "hubbench-lab-")
		if err != nil {
			l.Skipf("no folder on the system's disk: %v", err)
		}
		defer os.Remove(file.Name())
		if p, err := Inspect("/var/tmp"); err != nil || !p.System {
			l.Skipf("/var/tmp is not on the system's disk (%v)", err)
		}
		if inv, err := Look(l.Context(), false); err != nil || !slices.ContainsFunc(inv.Disks, func(d hardware.Disk) bool { return d.System }) {
			l.Skipf("the system runs from no disk that can be seen (%v)", err)
		}
		l.check(a, l.format(l.loop(file.Name(), 128), "onroot"), small, "system_disk B")
	})
	l.sub("the system's disk", func(l lab) {
		l.check(a, "/var/tmp", small, "! system_disk B", "busy B?", "nearly_full B?", "not_disk B?")
	})
	l.sub("memory", func(l lab) {
		l.check(a, l.memory, small, "not_disk B")
		inv, err := Look(l.Context(), false)
		check.Must(l, err)
		if disk, _ := inv.Holding(a); disk == nil || !disk.Memory {
			l.Errorf("%+v is an image in memory", disk)
		}
	})
	l.sub("results on a disk under test", func(l lab) {
		l.results = filepath.Join(b, "results", "run")
		l.check(a, b, small, "! results_on_disk B")
	})
	l.sub("read-only", func(l lab) {
		dir := l.mount("ro", "--bind", b)
		l.run("mount", "-o", "remount,bind,ro", dir)
		l.check(a, dir, small, "! unwritable B")
	})
	l.sub("space", func(l lab) { l.check(a, b, 1e9, "! space B") })
	l.sub("nearly full", func(l lab) {
		full := filepath.Join(b, "full")
		defer os.Remove(full)
		l.run("fallocate", "--length", "885MiB", full)
		l.check(a, b, small, "nearly_full B")
	})
	l.sub("an earlier run", func(l lab) {
		l.recent = []Written{{Run: "r", Path: b, Bytes: 20e9, Ago: time.Minute}}
		l.check(a, b, small, "wrote_lately B")
	})
	l.sub("traffic", func(l lab) {
		defer l.write(filepath.Join(b, "noise"))()
		l.check(a, b, small, "busy B")
	})
	l.sub("programs", func(l lab) {
		l.program("yes", "rsync", b, func() { l.check(a, b, small, "background B") })
		l.program("yes", "rsync", l.memory, func() { l.check(a, b, small) })
		l.program("yes", "fsck.ext4", a, func() { l.check(a, b, small, "background A") })
		l.program("sleep", "rsync", b, func() { l.check(a, b, small) })
		l.program("sleep", "fstrim", "/", func() { l.check(a, b, small, "background ") })
	})
	l.sub("device mapper", func(l lab) {
		device := "/dev/mapper/" + l.mapped(l.loop(filepath.Join(a, "mapped"), 16))
		l.check(a, l.format(device, "mapped"), small, "same_disk B")
	})
	l.sub("FAT", func(l lab) {
		l.kernelKnows("vfat")
		device := l.loop(filepath.Join(l.memory, "fat"), 128)
		l.run("mkfs.vfat", device)
		l.check(a, l.mount("fat", device), 5e9, "! file_limit B", "! space B")
	})
	l.sub("compression", func(l lab) {
		l.kernelKnows("btrfs")
		device := l.loop(filepath.Join(l.memory, "btrfs"), 256)
		l.run("mkfs.btrfs", "-q", device)
		l.check(a, l.mount("btrfs", "-o", "compress=zstd", device), small, "compressed B")
	})
}

// TestLookIsRight makes disks of every kind and compares what Look says of them with what lsblk and findmnt say.
func TestLookIsRight(t *testing.T) {
	inLab(t, lookIsRight, "losetup", "parted", "mkfs.ext4", "mkfs.xfs", "lsblk", "findmnt")
}

func lookIsRight(l lab) {
	image := func(folder, name string, mib int64) (device, base string) {
		device = l.loop(filepath.Join(folder, name), mib)
		return device, filepath.Base(device)
	}
	parts, partsName := image(l.memory, "parts.img", 1024)
	l.run("parted", "--script", parts, "mklabel", "gpt", "mkpart", "a", "1MiB", "101MiB", "mkpart", "b", "101MiB", "601MiB", "mkpart", "c", "601MiB", "100%")
	if _, err := os.Stat(parts + "p3"); err != nil {
		l.Skipf("this system makes no devices for the partitions of a loop device: %v", err)
	}
	l.run("mkfs.ext4", "-q", "-L", "first", parts+"p1")
	l.run("mkfs.xfs", "-q", parts+"p2")
	first := l.mount("first", "-o", "noatime,sync", parts+"p1")
	second := l.mount("second", "-o", "ro", parts+"p2")
	whole, wholeName := image(l.memory, "whole.img", 64)
	third := l.format(whole, "a disk with spaces")
	check.Must(l, os.Mkdir(filepath.Join(first, "inner"), 0o700))
	bound := l.mount("bound", "--bind", filepath.Join(first, "inner"))
	_, nested := image(first, "nested.img", 16) // a disk in a file on a disk in a file
	memory := l.mount("memory", "-t", "tmpfs", "none")
	hidden := l.mount("covered", whole)
	l.run("mount", "-t", "tmpfs", "none", hidden)

	inv := l.compare()
	for _, tt := range []struct{ path, disk, device string }{
		{first, partsName, partsName + "p1"},
		{filepath.Join(first, "inner"), partsName, partsName + "p1"},
		{filepath.Join(bound, "deep"), partsName, partsName + "p1"},
		{second, partsName, partsName + "p2"},
		{third, wholeName, wholeName},
		{memory, "", ""},
		{hidden, "", ""},
	} {
		disk, volume := inv.Holding(tt.path)
		switch {
		case tt.disk == "" && disk != nil:
			l.Errorf("%s lies on %s, want no disk", tt.path, disk.Name)
		case tt.disk != "" && (disk == nil || disk.Name != tt.disk || volume.Device != tt.device):
			l.Errorf("%s lies on %+v, want %s of %s", tt.path, volume, tt.device, tt.disk)
		}
	}
	if over, below := inv.Physical(inv.Find(nested), nil), inv.Physical(inv.Find(partsName), nil); !slices.Equal(over, below) {
		l.Errorf("a disk in a file lies on %v, want what the file's disk lies on, %v", over, below)
	}
	if disk, _ := inv.Holding("/"); disk != nil && !disk.System {
		l.Errorf("%s holds / and is not the system's disk", disk.Name)
	}
	if _, v := inv.Holding(second); v == nil || !v.ReadOnly {
		l.Errorf("%+v is not read-only", v)
	}
	if _, v := inv.Holding(first); v == nil || !slices.Contains(v.Options, "sync") || !slices.Contains(v.Mounts, bound) {
		l.Errorf("%+v is not mounted with sync, and at %s too", v, bound)
	}
	l.sub("mapped device", func(l lab) {
		under, on := image(l.memory, "mapped.img", 16)
		name := l.run("dmsetup", "info", "--columns", "--noheadings", "-o", "blkdevname", l.mapped(under))
		if disk := l.compare().Find(name); disk == nil || !slices.Equal(disk.Backing, []string{on}) {
			l.Errorf("%+v does not lie on %s", disk, on)
		}
	})
}

// compare looks, between two listings that agree, for others may be plugging and mounting meanwhile; and compares what
// it finds with them.
func (l lab) compare() *hardware.Inventory {
	l.Helper()
	for range 10 {
		devices, mounts := l.lsblk(), l.findmnt()
		inv, err := Look(l.Context(), false)
		check.Must(l, err)
		if cmp.Equal(devices, l.lsblk(), cmp.AllowUnexported(listed{})) && len(mounts) == len(l.findmnt()) {
			l.compareDevices(inv, devices)
			l.compareMounts(inv, mounts)
			return inv
		}
	}
	l.Skip("others change disks or mounts all the time")
	return nil
}

// listed is a block device as lsblk lists it.
type listed struct {
	Name   string `json:"kname"`
	Parent string `json:"pkname"`
	Size   int64  `json:"size"`
	Type   string `json:"type"`
	below  []string
}

// lsblk lists all block devices with a size, by name.
func (l lab) lsblk() map[string]*listed {
	l.Helper()
	var out struct {
		Devices []listed `json:"blockdevices"`
	}
	check.Must(l, json.Unmarshal([]byte(l.run("lsblk", "--json", "--bytes", "--list", "--output-all")), &out))
	all := map[string]*listed{}
	for _, d := range out.Devices { // a device on two others is listed twice
		if d.Size == 0 || d.Type == "rom" {
			continue
		}
		if all[d.Name] == nil {
			all[d.Name] = &d
		}
		if d.Parent != "" {
			all[d.Name].below = append(all[d.Name].below, d.Parent)
		}
	}
	return all
}

// found is a mount as findmnt lists it.
type found struct {
	Target     string `json:"target"`
	Number     string `json:"maj:min"`
	Filesystem string `json:"fstype"`
	Size       *int64 `json:"size"`
	Avail      *int64 `json:"avail"`
	Options    string `json:"options"`
}

func (l lab) findmnt() []found {
	l.Helper()
	var out struct {
		Mounts []found `json:"filesystems"`
	}
	text := l.run("findmnt", "--json", "--bytes", "--list", "--output", "TARGET,MAJ:MIN,FSTYPE,SIZE,AVAIL,OPTIONS")
	check.Must(l, json.Unmarshal([]byte(text), &out))
	return out.Mounts
}

// compareDevices wants every disk that lsblk lists and no other, of the same size and on the same ones.
func (l lab) compareDevices(inv *hardware.Inventory, devices map[string]*listed) {
	l.Helper()
	for name, d := range devices {
		if d.Type == "part" {
			disk := inv.Find(d.Parent)
			if disk == nil || !slices.ContainsFunc(disk.Volumes, func(v hardware.Volume) bool { return v.Device == name && (v.Mount != "" || v.SizeBytes == d.Size) }) {
				l.Errorf("%s, %d bytes, is no volume of %s: %+v", name, d.Size, d.Parent, disk)
			}
			continue
		}
		disk := inv.Find(name)
		if disk == nil {
			l.Errorf("%s is not there", name)
			continue
		}
		if disk.SizeBytes != d.Size {
			l.Errorf("%s has %d bytes, want %d", name, disk.SizeBytes, d.Size)
		}
		for _, parent := range d.below {
			if devices[parent].Type == "part" {
				parent = devices[parent].Parent
			}
			if !slices.Contains(disk.Backing, parent) {
				l.Errorf("%s lies on %v, want %s", name, disk.Backing, parent)
			}
		}
		if virtual := d.Type != "disk" || strings.HasPrefix(name, "zram"); virtual != (disk.Bus == hardware.Virtual) {
			l.Errorf("%s, a %s, is on bus %q", name, d.Type, disk.Bus)
		}
	}
	for _, d := range inv.Disks {
		if devices[d.Name] == nil {
			l.Errorf("%s is no disk that lsblk knows", d.Name)
		}
	}
}

// compareMounts wants each mount on its device, with the file system and the space that findmnt tells.
func (l lab) compareMounts(inv *hardware.Inventory, mounts []found) {
	l.Helper()
	last := map[string]found{} // at a place: it covers those before it
	for _, m := range mounts {
		last[m.Target] = m
	}
	for target, m := range last {
		disk, volume := inv.Holding(target)
		if strings.HasPrefix(m.Number, "0:") && m.Filesystem != "btrfs" {
			if disk != nil {
				l.Errorf("%s, %s, lies on %s", target, m.Filesystem, disk.Name)
			}
			continue
		}
		if volume == nil {
			l.Errorf("%s, %s, lies on no disk", target, m.Filesystem)
			continue
		}
		number, err := os.ReadFile(filepath.Join("/sys/class/block", volume.Device, "dev"))
		if got := strings.TrimSpace(string(number)); err != nil || got != m.Number && m.Filesystem != "btrfs" {
			l.Errorf("%s lies on %s, which is %s (%v), want %s", target, volume.Device, got, err, m.Number)
		}
		if target != volume.Mount && !slices.Contains(volume.Mounts, target) {
			l.Errorf("%s is not among the mounts of %s: %s, %v", target, volume.Device, volume.Mount, volume.Mounts)
		}
		if target != volume.Mount {
			continue
		}
		if m.Size == nil || volume.SizeBytes != *m.Size {
			l.Errorf("%s has %d bytes, want %v", target, volume.SizeBytes, m.Size)
		}
		// The system's disk fills and empties meanwhile.
		if m.Avail == nil || max(volume.FreeBytes-*m.Avail, *m.Avail-volume.FreeBytes) > 1<<30 {
			l.Errorf("%s has %d bytes free, want %v", target, volume.FreeBytes, m.Avail)
		}
		if volume.Filesystem != m.Filesystem || volume.ReadOnly != slices.Contains(strings.Split(m.Options, ","), "ro") {
			l.Errorf("%s is %s, read-only %t, want %s, %s", target, volume.Filesystem, volume.ReadOnly, m.Filesystem, m.Options)
		}
	}
}
