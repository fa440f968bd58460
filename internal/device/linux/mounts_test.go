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
