package linux

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestMountsThatCanBeReached(t *testing.T) {
	m := &machine{tree: tree{fstest.MapFS{"proc/self/mountinfo": {Data: []byte(
		strings.Join([]string{
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
		got = append(got, one.number+" "+one.Point)
	}
	want := "254:0 /, 0:50 /data, 8:3 /mnt/over, 8:1 /mnt/My Disk"
	check.Same(t, "mounts", want, strings.Join(got, ", "))
}

func TestFindMount(t *testing.T) {
	root := fstest.MapFS{"proc/self/mountinfo": {Data: []byte(
		"22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n" +
			"40 22 0:39 / /mnt/my\\040disk rw - tmpfs tm\\134p rw\n" +
			"torn\n41 22 0:39 / /x rw shared:5 master:6 - xfs\n" +
			"42 22 0:40 / /over rw - xfs /dev/vdb rw\n" +
			"43 42 0:41 / /over rw - btrfs /dev/vdc rw\n")}}
	for file, want := range map[string][3]string{
		"/mnt/my disk/a": {"/mnt/my disk", "tmpfs", `tm\p`},
		"/mnt/my disks":  {"/", "ext4", "/dev/vda"},
		"/x/y":           {"/", "ext4", "/dev/vda"},
		"/over":          {"/over", "btrfs", "/dev/vdc"},
	} {
		m := FindMount(root, file)
		check.Same(t, "mount of "+file, want, [3]string{m.Point, m.Filesystem, m.Source})
	}
	check.Same(t, "mount where nothing is known", "", FindMount(fstest.MapFS{}, "/x").Point)
}

// The shapes are those of the kernel's documentation: Documentation/block/stat.rst,
// hwmon/drivetemp.rst and ABI/testing/sysfs-block, sysfs-bus-usb. A text that begins with "->" is a
// link.
func metered() fstest.MapFS {
	const (
		nvme = "devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0"
		usb  = "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.4"
		sda  = usb + "/2-1.4:1.0/host4/target4:0:0/4:0:0:0/block/sda"
		dm   = "devices/virtual/block/dm-"
	)
	files := fstest.MapFS{}
	texts := map[string]string{
		nvme + "/nvme0n1/stat":                "   11 0 1000 0 22 0 2000 0 0 0 0 5 0 300 0 1 1\n",
		nvme + "/nvme0n1/nvme0n1p2/partition": "2\n",
		nvme + "/nvme0n1/nvme0n1p2/stat":      "1 0 1 0 1 0 1 0 0 0 0\n",
		nvme + "/nvme0n1/device":              "->..", nvme + "/hwmon3/temp1_input": "41850\n",
		sda + "/stat": "1 0 7 0 1 0 9 0 0 0 0\n", sda + "/sda1/partition": "1\n",
		sda + "/device": "->../..",
		"devices/pci0000:00/0000:00:14.0/usb2/speed":     "480\n",
		"devices/pci0000:00/0000:00:14.0/usb2/2-1/speed": "10000\n",
		usb + "/speed":       "5000\n",
		dm + "0/dm/uuid":     "CRYPT-LUKS2-0123-x\n",
		dm + "0/slaves/dm-1": "->../../dm-1", dm + "0/stat": "1 0 1 0 1 0 1 0 0 0 0\n",
		dm + "1/dm/uuid":                   "LVM-abc\n",
		dm + "1/slaves/nvme0n1p2":          "->../../../../../" + nvme + "/nvme0n1/nvme0n1p2",
		dm + "2/dm/uuid":                   "LVM-striped\n",
		dm + "2/slaves/sda1":               "->../../../../../" + sda + "/sda1",
		dm + "2/slaves/nvme0n1p2":          "->../../../../../" + nvme + "/nvme0n1/nvme0n1p2",
		"devices/virtual/block/loop0/stat": "1 0 x 0 0 0 0\n",
	}
	for number, dir := range map[string]string{
		"259:0": nvme + "/nvme0n1", "259:2": nvme + "/nvme0n1/nvme0n1p2", "8:0": sda,
		"8:1":   sda + "/sda1",
		"253:0": dm + "0", "253:1": dm + "1", "253:2": dm + "2",
		"7:0": "devices/virtual/block/loop0",
	} {
		texts["class/block/"+path.Base(dir)], texts[dir+"/dev"], texts[dir+"/size"] = "->../../"+
			dir, number, "1000"
	}
	for name, text := range texts {
		file := &fstest.MapFile{Data: []byte(text)}
		if to, isLink := strings.CutPrefix(text, "->"); isLink {
			file = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
		}
		files["sys/"+name] = file
	}
	return files
}

func TestMeter(t *testing.T) {
	type moved struct{ read, written, discarded int64 }
	for number, want := range map[string]struct {
		disk    string
		moved   moved
		celsius float64
		bps     float64
	}{
		"259:0": {"nvme0n1", moved{512000, 1024000, 153600}, 41.85, 0},
		"259:2": {"nvme0n1", moved{512000, 1024000, 153600}, 41.85, 0},
		// without a count of discards; the enclosure's link is the slowest
		"8:1":   {"sda", moved{7 * 512, 9 * 512, 0}, 0, 5e9},
		"253:1": {"nvme0n1", moved{512000, 1024000, 153600}, 41.85, 0}, // a volume on a partition,
		// and an encrypted one on that
		"253:0": {"nvme0n1", moved{512000, 1024000, 153600}, 41.85, 0},
		"253:2": {"dm-2", moved{}, 0, 0},  // a volume on two disks counts for itself
		"7:0":   {"loop0", moved{}, 0, 0}, // whose stat is broken
	} {
		m, err := FindMeter(metered(), number)
		if err != nil || path.Base(m.Dir) != want.disk {
			t.Fatalf("%s: got %+v, %v, want %s", number, m, err, want.disk)
		}
		var got moved
		got.read, got.written, got.discarded, err = m.Moved()
		if got != want.moved && err == nil || (err == nil) != (want.moved != moved{}) {
			t.Errorf("%s: moved %+v, %v, want %+v", number, got, err, want.moved)
		}
		for _, value := range []struct {
			from string
			read func() (float64, error)
			want float64
		}{{m.Thermometer, m.Celsius, want.celsius}, {m.Port, m.LinkRate, want.bps}} {
			if got, err := value.read(); got != value.want || (err == nil) != (value.from != "") {
				t.Errorf("%s: %q says %v, %v, want %v", number, value.from, got, err, value.want)
			}
		}
	}
	if m, err := FindMeter(metered(), "0:42"); err == nil {
		t.Errorf("a device without a block device has %+v", m)
	}
}
