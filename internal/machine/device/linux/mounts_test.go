package linux

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestMountsThatCanBeReached(t *testing.T) {
	m := &machine{tree: tree{fstest.MapFS{"proc/self/mountinfo": {Data: []byte(strings.Join([]string{
		"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
		"30 27 8:1 / /mnt/My\\040Disk rw shared:1 master:2 - xfs /dev/sda1 rw",
		"31 27 8:2 / /mnt/over rw - ext4 /dev/sda2 rw",
		"32 31 8:3 / /mnt/over rw - ext4 /dev/sda3 rw",      // covers it
		"33 31 8:4 / /mnt/over/gone rw - ext4 /dev/sda4 rw", // in what is covered
		"34 27 8:5 / /data/inner rw - ext4 /dev/sda5 rw",
		"35 34 8:6 / /data/inner/deep rw - ext4 /dev/sda6 rw",
		"36 27 0:50 / /data rw - tmpfs none rw", // hides both
		"37 27 8:7 / /torn",
	}, "\n"))}}}}
	m.readMounts()
	var got []string
	for _, one := range m.mounts {
		got = append(got, one.number+" "+one.point)
	}
	want := "254:0 /, 8:1 /mnt/My Disk, 8:3 /mnt/over, 0:50 /data"
	if all := strings.Join(got, ", "); all != want {
		t.Errorf("got %s\nwant %s", all, want)
	}
}

func TestFindMount(t *testing.T) {
	info := []byte("22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n" +
		"40 22 0:39 / /mnt/my\\040disk rw - tmpfs tm\\134p rw\n" +
		"torn\n41 22 0:39 / /x rw shared:5 master:6 - xfs\n")
	if m, ok := FindMount(info, 40); !ok || m != (Mount{"/mnt/my disk", "tmpfs", `tm\p`}) {
		t.Errorf("FindMount(40) = %q, %v", m, ok)
	}
	for _, id := range []uint64{41, 4, 0} {
		if m, ok := FindMount(info, id); ok {
			t.Errorf("FindMount(%d) = %q, want none", id, m)
		}
	}
}

// The folders of `hubbench mount` are disks on a hub, one for each folder that holds them, and no mounts without a disk.
func TestSimulatedHubs(t *testing.T) {
	inv := Read(fstest.MapFS{"proc/self/mountinfo": {Data: []byte(strings.Join([]string{
		"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
		"41 27 0:39 / /tmp/my\\040hub/A rw - fuse.hubbench goshen-ridge rw",
		"42 27 0:40 / /tmp/my\\040hub/X5 rw - fuse.hubbench goshen-ridge rw",
		"43 27 0:41 / /tmp/other/A rw - fuse.hubbench usb-10g rw",
		"44 27 0:42 / /tmp/sshfs rw - fuse.sshfs host: rw",
	}, "\n"))}}, Options{Usage: func(mount string) (size, free int64) { return int64(len(mount)), 1 }})
	var got []string
	for _, h := range inv.Hubs {
		for _, d := range h.Devices {
			disk, volume := inv.Holding(d.ID + "/folder")
			if disk == nil || disk.Hub == nil || *disk.Hub != h.ID || volume.FreeBytes != 1 {
				t.Errorf("%s: in %v", d.ID, disk)
				continue
			}
			got = append(got, strings.Join([]string{h.Name, disk.Model, string(disk.Bus)}, ", "))
		}
	}
	want := "goshen-ridge, simulated disk A, simulated; goshen-ridge, simulated disk X5, simulated; usb-10g, simulated disk A, simulated"
	if all := strings.Join(got, "; "); all != want {
		t.Errorf("got %s\nwant %s", all, want)
	}
	for _, m := range inv.Diskless {
		if strings.HasSuffix(m.Path, "/A") {
			t.Errorf("%s is on a disk", m.Path)
		}
	}
}
