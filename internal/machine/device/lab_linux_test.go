package device

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// lab compares what Look says with what the system's tools say.
type lab struct{ testdisk.Lab }

// TestLookIsRight makes disks of every kind and compares what Look says of them with what lsblk and
// findmnt say.
func TestLookIsRight(t *testing.T) {
	testdisk.InLab(t, func(l testdisk.Lab) {
		lookIsRight(lab{l})
	}, "losetup", "parted", "mkfs.ext4", "mkfs.xfs", "lsblk", "findmnt")
}

func lookIsRight(l lab) {
	image := func(folder, name string, mib int64) (device, base string) {
		device = l.Loop(filepath.Join(folder, name), mib)
		return device, filepath.Base(device)
	}
	parts, partsName := image(l.Memory, "parts.img", 1024)
	l.Exec("parted", "--script", parts, "mklabel", "gpt", "mkpart", "a", "1MiB", "101MiB", "mkpart",
		"b", "101MiB", "601MiB", "mkpart", "c", "601MiB", "100%")
	if _, err := os.Stat(parts + "p3"); err != nil {
		l.Skipf("this system makes no devices for the partitions of a loop device: %v", err)
	}
	l.Exec("mkfs.ext4", "-q", "-L", "first", parts+"p1")
	l.Exec("mkfs.xfs", "-q", parts+"p2")
	first := l.Mount("first", "-o", "noatime,sync", parts+"p1")
	second := l.Mount("second", "-o", "ro", parts+"p2")
	whole, wholeName := image(l.Memory, "whole.img", 64)
	third := l.Format(whole, "a disk with spaces")
	check.Must(l, os.Mkdir(filepath.Join(first, "inner"), 0o700))
	bound := l.Mount("bound", "--bind", filepath.Join(first, "inner"))
	_, nested := image(first, "nested.img", 16) // a disk in a file on a disk in a file
	memory := l.Mount("memory", "-t", "tmpfs", "none")
	hidden := l.Mount("covered", whole)
	l.Exec("mount", "-t", "tmpfs", "none", hidden)

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
	if over, below := inv.Physical(inv.Find(nested), nil),
		inv.Physical(inv.Find(partsName), nil); !slices.Equal(over, below) {
		l.Errorf("a disk in a file lies on %v, want what the file's disk lies on, %v", over, below)
	}
	if disk, _ := inv.Holding("/"); disk != nil && !disk.System {
		l.Errorf("%s holds / and is not the system's disk", disk.Name)
	}
	if _, v := inv.Holding(second); v == nil || !v.ReadOnly {
		l.Errorf("%+v is not read-only", v)
	}
	if _, v := inv.Holding(first); v == nil || !slices.Contains(v.Options, "sync") ||
		!slices.Contains(v.Mounts, bound) {
		l.Errorf("%+v is not mounted with sync, and at %s too", v, bound)
	}
	l.Sub("mapped device", func(inner testdisk.Lab) {
		l := lab{inner}
		under, on := image(l.Memory, "mapped.img", 16)
		name := l.Exec("dmsetup", "info", "--columns", "--noheadings", "-o", "blkdevname",
			l.Mapped(under))
		if disk := l.compare().Find(name); disk == nil ||
			!slices.Equal(disk.Backing, []string{on}) {
			l.Errorf("%+v does not lie on %s", disk, on)
		}
	})
}

// compare looks, between two listings that agree, for others may be plugging and mounting
// meanwhile; and compares what it finds with them.
func (l lab) compare() *hardware.Inventory {
	l.Helper()
	for range 10 {
		devices, mounts := l.lsblk(), l.findmnt()
		inv, err := Look(l.Context(), false)
		check.Must(l, err)
		if cmp.Equal(devices, l.lsblk(), cmp.AllowUnexported(listed{})) &&
			len(mounts) == len(l.findmnt()) {
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
	check.Must(l, json.Unmarshal([]byte(l.Exec("lsblk", "--json", "--bytes", "--list",
		"--output-all")), &out))
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
	text := l.Exec("findmnt", "--json", "--bytes", "--list", "--output",
		"TARGET,MAJ:MIN,FSTYPE,SIZE,AVAIL,OPTIONS")
	check.Must(l, json.Unmarshal([]byte(text), &out))
	return out.Mounts
}

// compareDevices wants every disk that lsblk lists and no other, of the same size and on the same
// ones.
func (l lab) compareDevices(inv *hardware.Inventory, devices map[string]*listed) {
	l.Helper()
	volumes := map[string]hardware.Volume{}
	for _, disk := range inv.Disks {
		if devices[disk.Name] == nil {
			l.Errorf("%s is no disk that lsblk knows", disk.Name)
		}
		for _, v := range disk.Volumes {
			volumes[disk.Name+" "+v.Device] = v
		}
	}
	for name, d := range devices {
		if d.Type == "part" {
			v, ok := volumes[d.Parent+" "+name]
			if !ok || v.Mount == "" && v.SizeBytes != d.Size {
				l.Errorf("%s, %d bytes, is on %s the volume %+v", name, d.Size, d.Parent, v)
			}
			continue
		}
		disk := inv.Find(name)
		virtual := d.Type != "disk" || strings.HasPrefix(name, "zram")
		if disk == nil || disk.SizeBytes != d.Size || virtual != (disk.Bus == hardware.Virtual) {
			l.Errorf("%s is %+v, want %d bytes of a %s", name, disk, d.Size, d.Type)
			continue
		}
		for _, parent := range d.below {
			if devices[parent].Type == "part" {
				parent = devices[parent].Parent
			}
			if !slices.Contains(disk.Backing, parent) {
				l.Errorf("%s lies on %v, want %s", name, disk.Backing, parent)
			}
		}
	}
}

// compareMounts wants each mount on its device, with the file system and the space that findmnt
// tells.
func (l lab) compareMounts(inv *hardware.Inventory, mounts []found) {
	l.Helper()
	last := map[string]found{} // It has the last at each place, which covers those before it.
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
		here := strings.TrimSpace(string(number)) == m.Number || m.Filesystem == "btrfs"
		if err != nil || !here {
			l.Errorf("%s lies on %s, which is %s (%v), want %s", target, volume.Device, number,
				err, m.Number)
		}
		if target != volume.Mount {
			if !slices.Contains(volume.Mounts, target) {
				l.Errorf("%s is not among the mounts of %+v", target, volume)
			}
			continue
		}
		// The system's disk fills and empties meanwhile.
		near := m.Avail != nil &&
			max(volume.FreeBytes-*m.Avail, *m.Avail-volume.FreeBytes) <= 1<<30
		readOnly := slices.Contains(strings.Split(m.Options, ","), "ro")
		if m.Size == nil || volume.SizeBytes != *m.Size || !near ||
			volume.Filesystem != m.Filesystem || volume.ReadOnly != readOnly {
			l.Errorf("%s is %+v, want %+v", target, volume, m)
		}
	}
}
