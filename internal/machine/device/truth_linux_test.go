package device

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// bench is real block devices made for a test, all of which are gone when it ends.
type bench struct {
	t    *testing.T
	dir  string
	loop map[string]string // kernel names of loop devices, by the file's
}

func (b *bench) run(name string, args ...string) string {
	b.t.Helper()
	out, err := exec.CommandContext(b.t.Context(), name, args...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// after undoes something when the test has ended, however it ended: t.Context is over by then.
func (b *bench) after(name string, args ...string) {
	b.t.Cleanup(func() {
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			b.t.Errorf("clean up: %s %s: %v: %s", name, strings.Join(args, " "), err, out)
		}
	})
}

// disk makes a loop device of a sparse file in a folder.
func (b *bench) disk(folder, name string, size int64) string {
	b.t.Helper()
	device := (&lab{}).loop(b.t, filepath.Join(folder, name), size>>20)
	b.loop[name] = filepath.Base(device)
	return device
}

// mount mounts something on a new folder.
func (b *bench) mount(name string, args ...string) string {
	b.t.Helper()
	at := filepath.Join(b.dir, name)
	if err := os.Mkdir(at, 0o700); err != nil {
		b.t.Fatal(err)
	}
	b.run("mount", append(args, at)...)
	b.after("umount", at)
	return at
}

func newBench(t *testing.T) *bench {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root makes block devices")
	}
	for _, tool := range []string{"losetup", "parted", "mkfs.ext4", "mkfs.xfs", "lsblk", "findmnt"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here", tool)
		}
	}
	if out, err := exec.Command("losetup", "--find").CombinedOutput(); err != nil {
		t.Skipf("no loop devices here: %s", out)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, dir: dir, loop: map[string]string{}}
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
func (b *bench) lsblk() map[string]*listed {
	b.t.Helper()
	var out struct {
		Devices []listed `json:"blockdevices"`
	}
	if err := json.Unmarshal([]byte(b.run("lsblk", "--json", "--bytes", "--list", "--output-all")), &out); err != nil {
		b.t.Fatal(err)
	}
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

func (b *bench) findmnt() []found {
	b.t.Helper()
	var out struct {
		Mounts []found `json:"filesystems"`
	}
	text := b.run("findmnt", "--json", "--bytes", "--list", "--output", "TARGET,MAJ:MIN,FSTYPE,SIZE,AVAIL,OPTIONS")
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		b.t.Fatal(err)
	}
	return out.Mounts
}

// TestLookIsRight makes disks of every kind and compares what Look says of them with what lsblk and findmnt say.
func TestLookIsRight(t *testing.T) {
	if os.Getenv(inLab) == "" {
		enterLab(t)
		return
	}
	b := newBench(t)
	parts := b.disk(b.dir, "parts.img", 1<<30)
	b.run("parted", "--script", parts, "mklabel", "gpt", "mkpart", "a", "1MiB", "101MiB", "mkpart", "b", "101MiB", "601MiB", "mkpart", "c", "601MiB", "100%")
	if _, err := os.Stat(parts + "p3"); err != nil {
		t.Skipf("this system makes no devices for the partitions of a loop device: %v", err)
	}
	b.run("mkfs.ext4", "-q", "-L", "first", parts+"p1")
	b.run("mkfs.xfs", "-q", parts+"p2")
	first := b.mount("first", "-o", "noatime,sync", parts+"p1")
	second := b.mount("second", "-o", "ro", parts+"p2")
	whole := b.disk(b.dir, "whole.img", 64<<20)
	b.run("mkfs.ext4", "-q", whole)
	third := b.mount("a disk with spaces", whole)
	if err := os.Mkdir(filepath.Join(first, "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	bound := b.mount("bound", "--bind", filepath.Join(first, "inner"))
	b.disk(first, "nested.img", 16<<20) // a disk in a file on a disk in a file
	memory := b.mount("memory", "-t", "tmpfs", "none")
	hidden := b.mount("covered", whole)
	b.run("mount", "-t", "tmpfs", "none", hidden)
	b.after("umount", hidden)
	mapped, on := b.mapper()

	inv, devices, mounts := b.look()
	b.compareDevices(inv, devices)
	b.compareMounts(inv, mounts)

	loop := b.loop
	for _, tt := range []struct{ path, disk, device string }{
		{first, loop["parts.img"], loop["parts.img"] + "p1"},
		{filepath.Join(first, "inner"), loop["parts.img"], loop["parts.img"] + "p1"},
		{filepath.Join(bound, "deep"), loop["parts.img"], loop["parts.img"] + "p1"},
		{second, loop["parts.img"], loop["parts.img"] + "p2"},
		{third, loop["whole.img"], loop["whole.img"]},
		{memory, "", ""},
		{hidden, "", ""},
	} {
		disk, volume := inv.Holding(tt.path)
		switch {
		case tt.disk == "" && disk != nil:
			t.Errorf("%s lies on %s, want no disk", tt.path, disk.Name)
		case tt.disk != "" && (disk == nil || disk.Name != tt.disk || volume.Device != tt.device):
			t.Errorf("%s lies on %+v, want %s of %s", tt.path, volume, tt.device, tt.disk)
		}
	}
	under := func(disk string) string {
		var names []string
		for _, d := range inv.Physical(inv.Find(disk), nil) {
			names = append(names, d.Name)
		}
		return strings.Join(names, " ")
	}
	if over, below := under(loop["nested.img"]), under(loop["parts.img"]); over != below {
		t.Errorf("a disk in a file lies on %q, want what the file's disk lies on, %q", over, below)
	}
	t.Run("mapped device", func(t *testing.T) {
		if mapped == "" {
			t.Skip("this kernel has no device mapper")
		}
		if disk := inv.Find(mapped); disk == nil || !slices.Equal(disk.Backing, []string{on}) {
			t.Errorf("%+v does not lie on %s", disk, on)
		}
	})
	if disk, _ := inv.Holding("/"); disk != nil && !disk.System {
		t.Errorf("%s holds / and is not the system's disk", disk.Name)
	}
	if v := volumeOf(inv, loop["parts.img"]+"p2"); v == nil || !v.ReadOnly {
		t.Errorf("%+v is not read-only", v)
	}
	if v := volumeOf(inv, loop["parts.img"]+"p1"); v == nil || !slices.Contains(v.Options, "sync") || !slices.Contains(v.Mounts, bound) {
		t.Errorf("%+v is not mounted with sync, and at %s too", v, bound)
	}
}

// mapper makes a mapped device on half of another; empty if the kernel has no such thing.
func (b *bench) mapper() (name, on string) {
	if exec.Command("dmsetup", "version").Run() != nil {
		return "", ""
	}
	device := b.disk(b.dir, "mapped.img", 16<<20)
	label := fmt.Sprintf("hubbench-test-%d", os.Getpid())
	b.run("dmsetup", "create", label, "--table", fmt.Sprintf("0 %d linear %s 0", 8<<20/512, device))
	b.after("dmsetup", "remove", "--retry", label)
	return b.run("dmsetup", "info", "--columns", "--noheadings", "-o", "blkdevname", label), filepath.Base(device)
}

// look looks, between two listings that agree: others may be plugging and mounting meanwhile.
func (b *bench) look() (*hardware.Inventory, map[string]*listed, []found) {
	b.t.Helper()
	for range 10 {
		devices, mounts := b.lsblk(), b.findmnt()
		inv, err := Look(b.t.Context(), LookOptions{})
		if err != nil {
			b.t.Fatal(err)
		}
		if cmp.Equal(devices, b.lsblk(), cmp.AllowUnexported(listed{})) && len(mounts) == len(b.findmnt()) {
			return inv, devices, mounts
		}
	}
	b.t.Skip("others change disks or mounts all the time")
	return nil, nil, nil
}

func volumeOf(inv *hardware.Inventory, device string) *hardware.Volume {
	for i := range inv.Disks {
		for j := range inv.Disks[i].Volumes {
			if inv.Disks[i].Volumes[j].Device == device {
				return &inv.Disks[i].Volumes[j]
			}
		}
	}
	return nil
}

// compareDevices wants every disk that lsblk lists and no other, of the same size and on the same ones.
func (b *bench) compareDevices(inv *hardware.Inventory, devices map[string]*listed) {
	b.t.Helper()
	for name, d := range devices {
		if d.Type == "part" {
			disk := inv.Find(d.Parent)
			if disk == nil || !slices.ContainsFunc(disk.Volumes, func(v hardware.Volume) bool { return v.Device == name && (v.Mount != "" || v.SizeBytes == d.Size) }) {
				b.t.Errorf("%s, %d bytes, is no volume of %s: %+v", name, d.Size, d.Parent, disk)
			}
			continue
		}
		disk := inv.Find(name)
		if disk == nil {
			b.t.Errorf("%s is not there", name)
			continue
		}
		if disk.SizeBytes != d.Size {
			b.t.Errorf("%s has %d bytes, want %d", name, disk.SizeBytes, d.Size)
		}
		for _, parent := range d.below {
			if devices[parent].Type == "part" {
				parent = devices[parent].Parent
			}
			if !slices.Contains(disk.Backing, parent) {
				b.t.Errorf("%s lies on %v, want %s", name, disk.Backing, parent)
			}
		}
		if virtual := d.Type != "disk" || strings.HasPrefix(name, "zram"); virtual != (disk.Bus == hardware.Virtual) {
			b.t.Errorf("%s, a %s, is on bus %q", name, d.Type, disk.Bus)
		}
	}
	for _, d := range inv.Disks {
		if devices[d.Name] == nil && d.Bus != hardware.Simulated {
			b.t.Errorf("%s is no disk that lsblk knows", d.Name)
		}
	}
}

// compareMounts wants each mount on its device, with the file system and the space that findmnt tells.
func (b *bench) compareMounts(inv *hardware.Inventory, mounts []found) {
	b.t.Helper()
	last := map[string]found{} // at a place: it covers those before it
	for _, m := range mounts {
		last[m.Target] = m
	}
	for target, m := range last {
		disk, volume := inv.Holding(target)
		if strings.HasPrefix(m.Number, "0:") && m.Filesystem != "btrfs" {
			if disk != nil && disk.Bus != hardware.Simulated {
				b.t.Errorf("%s, %s, lies on %s", target, m.Filesystem, disk.Name)
			}
			continue
		}
		if volume == nil {
			b.t.Errorf("%s, %s, lies on no disk", target, m.Filesystem)
			continue
		}
		number, err := os.ReadFile(filepath.Join("/sys/class/block", volume.Device, "dev"))
		if got := strings.TrimSpace(string(number)); err != nil || got != m.Number && m.Filesystem != "btrfs" {
			b.t.Errorf("%s lies on %s, which is %s (%v), want %s", target, volume.Device, got, err, m.Number)
		}
		if target != volume.Mount && !slices.Contains(volume.Mounts, target) {
			b.t.Errorf("%s is not among the mounts of %s: %s, %v", target, volume.Device, volume.Mount, volume.Mounts)
		}
		if target != volume.Mount {
			continue
		}
		if m.Size == nil || volume.SizeBytes != *m.Size {
			b.t.Errorf("%s has %d bytes, want %v", target, volume.SizeBytes, m.Size)
		}
		// The system's disk fills and empties meanwhile.
		if m.Avail == nil || max(volume.FreeBytes-*m.Avail, *m.Avail-volume.FreeBytes) > 1<<30 {
			b.t.Errorf("%s has %d bytes free, want %v", target, volume.FreeBytes, m.Avail)
		}
		if volume.Filesystem != m.Filesystem || volume.ReadOnly != slices.Contains(strings.Split(m.Options, ","), "ro") {
			b.t.Errorf("%s is %s, read-only %t, want %s, %s", target, volume.Filesystem, volume.ReadOnly, m.Filesystem, m.Options)
		}
	}
}
