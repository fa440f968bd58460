package linux

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hubbench/hubbench/internal/machine/device/devicetest"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// captures are the texts in testdata, by name.
func captures(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.capture"))
	if err != nil || len(files) < 12 {
		t.Fatalf("%d captures: %v", len(files), err)
	}
	out := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		check.Must(t, err)
		out[strings.TrimSuffix(filepath.Base(file), ".capture")] = string(data)
	}
	return out
}

func TestCaptures(t *testing.T) {
	for name, text := range captures(t) {
		t.Run(name, func(t *testing.T) {
			if !strings.HasPrefix(text, "# ") || !strings.Contains(text, "# Source: ") {
				t.Error("a capture says what it is of, and its source")
			}
			c := parseCapture(text)
			inv := Read(c.files, c.options())
			devicetest.Match(t, inv, filepath.Join("testdata", name+".json"), *update)
		})
	}
}

func TestSerialNumbersOnRequest(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"x5-xps9370": {"nvme0n1": "S3ZHNF0K100000"}, "usb": {"sdc": "191951815235"}, "tb3-egpu": {"sda": "1234E5678901"}, "rpi4-usb2": {"mmcblk0": "0x12345678"},
	} {
		c := parseCapture(captures(t)[name])
		inv := Read(c.files, Options{Serials: true})
		for disk, serial := range want {
			if d := inv.Find(disk); d == nil || d.Serial != serial {
				t.Errorf("%s: %s: %+v, want serial number %s", name, disk, d, serial)
			}
		}
	}
}

// Whatever a file system lies on, its disks are known, so that same_disk and system_disk hold.
func TestStacksReachTheirDisks(t *testing.T) {
	for _, tt := range []struct{ capture, path, disks string }{
		{"zfs-raidz", "/zPoolW/media/a", "sdb sdc sdd"},
		{"bcachefs-mirror", "/mnt/mirror/a", "sdb sdc"},
		{"bcachefs-root", "/home", "sda* sdb* sdc*"},
		{"bcachefs-board", "/srv/downloads", "nvme0n1"},
		{"bcachefs-multipath", "/mnt/bcachefs", "sda sdb sdc sdd sde sdf"},
		{"dasd-lvm", "/home", "dasda* dasdb* dasdc* dasdd* dasde* dasdf*"},
		{"vmware-lvm", "/data", "sdb sdc*"},
		{"luks-on-lvm", "/certs", "nvme0n1*"},
		{"bcache-shared", "/data/a", "sda nvme4n1"},
		{"multipath-raid", "/", "sda* sdb*"},
		{"zfs-left-over", "/home", "nvme0n1*"},
	} {
		c := parseCapture(captures(t)[tt.capture])
		inv := Read(c.files, c.options())
		var got []string
		for _, d := range inv.Physical(inv.Holding(tt.path)) {
			name := d.Name
			if d.System {
				name += "*"
			}
			got = append(got, name)
		}
		check.Same(t, "disks under "+tt.path+" of "+tt.capture+" (* of the system)", tt.disks, strings.Join(got, " "))
	}
}

// Of two pools of one name nobody knows which is mounted.
func TestPoolsOfOneName(t *testing.T) {
	text := captures(t)["zfs-raidz"]
	last := strings.LastIndex(text, "ID_FS_UUID=1877")
	two := text[:last] + "ID_FS_UUID=99" + text[last+len("ID_FS_UUID=1877"):]
	if disk, _ := Read(parseCapture(two).files, Options{}).Holding("/zPoolW"); disk != nil {
		t.Errorf("it lies on %s", disk.Name)
	}
}

// sound checks what holds of every inventory, and of those that Linux' files make.
func sound(t *testing.T, inv *hardware.Inventory) {
	t.Helper()
	devicetest.Sound(t, inv)
	for _, h := range inv.Hubs {
		if h.Name == "" {
			t.Errorf("hub %q has no name", h.ID)
		}
	}
	for _, d := range inv.Disks {
		if d.Serial != "" || d.SizeBytes <= 0 {
			t.Errorf("disk %s of %d bytes gives its serial number %q away", d.Name, d.SizeBytes, d.Serial)
		}
	}
}

func TestCapturesCutAnywhere(t *testing.T) {
	for name, text := range captures(t) {
		for cut := 0; cut < len(text); cut += 100 {
			c := parseCapture(text[:cut])
			sound(t, Read(c.files, c.options()))
			if t.Failed() {
				t.Fatalf("%s, cut at byte %d", name, cut)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range captures(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := parseCapture(text)
		sound(t, Read(c.files, c.options()))
	})
}

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
	check.Same(t, "mounts", want, strings.Join(got, ", "))
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

// The shapes are those of the kernel's documentation: Documentation/block/stat.rst, hwmon/drivetemp.rst and
// ABI/testing/sysfs-block, sysfs-bus-usb. A text that begins with "->" is a link.
func metered() fstest.MapFS {
	const (
		nvme = "devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0"
		usb  = "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.4"
		sda  = usb + "/2-1.4:1.0/host4/target4:0:0/4:0:0:0/block/sda"
		dm   = "devices/virtual/block/dm-"
	)
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"dev/block/259:0": "->../../" + nvme + "/nvme0n1", "dev/block/259:2": "->../../" + nvme + "/nvme0n1/nvme0n1p2",
		"dev/block/8:1": "->../../" + sda + "/sda1", "dev/block/253:0": "->../../" + dm + "0", "dev/block/253:1": "->../../" + dm + "1",
		"dev/block/253:2": "->../../" + dm + "2", "dev/block/7:0": "->../../devices/virtual/block/loop0",
		nvme + "/nvme0n1/stat":                "   11 0 1000 0 22 0 2000 0 0 0 0 5 0 300 0 1 1\n",
		nvme + "/nvme0n1/nvme0n1p2/partition": "2\n", nvme + "/nvme0n1/nvme0n1p2/stat": "1 0 1 0 1 0 1 0 0 0 0\n",
		nvme + "/nvme0n1/device": "->..", nvme + "/hwmon3/temp1_input": "41850\n",
		sda + "/stat": "1 0 7 0 1 0 9 0 0 0 0\n", sda + "/sda1/partition": "1\n", sda + "/device": "->../..",
		"devices/pci0000:00/0000:00:14.0/usb2/speed": "480\n", "devices/pci0000:00/0000:00:14.0/usb2/2-1/speed": "10000\n",
		usb + "/speed":       "5000\n",
		dm + "0/dm/uuid":     "CRYPT-LUKS2-0123-x\n",
		dm + "0/slaves/dm-1": "->../../dm-1", dm + "0/stat": "1 0 1 0 1 0 1 0 0 0 0\n",
		dm + "1/dm/uuid":          "LVM-abc\n",
		dm + "1/slaves/nvme0n1p2": "->../../../../../" + nvme + "/nvme0n1/nvme0n1p2",
		dm + "2/dm/uuid":          "LVM-striped\n", dm + "2/slaves/sda1": "->../../../../../" + sda + "/sda1",
		dm + "2/slaves/nvme0n1p2":          "->../../../../../" + nvme + "/nvme0n1/nvme0n1p2",
		"devices/virtual/block/loop0/stat": "1 0 x 0 0 0 0\n",
	} {
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
		"8:1":   {"sda", moved{7 * 512, 9 * 512, 0}, 0, 5e9},           // without a count of discards; the enclosure's link is the slowest
		"253:1": {"nvme0n1", moved{512000, 1024000, 153600}, 41.85, 0}, // a volume on a partition,
		"253:0": {"nvme0n1", moved{512000, 1024000, 153600}, 41.85, 0}, // and an encrypted one on that
		"253:2": {"dm-2", moved{}, 0, 0},                               // a volume on two disks counts for itself
		"7:0":   {"loop0", moved{}, 0, 0},                              // whose stat is broken
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

// A capture is a machine's files in one text, written from what people have published of theirs; its head says where.
//
//	# words                        a remark
//	[/sys/devices/...]             the folder that the names below stand in; names that begin with / stand where they say
//	name: one line                 a file
//	name:                          a file of several lines, each after a tab
//	name -> ../target              a symbolic link
//	< /sys/class/block             a link in that folder to the folder above, as sysfs has them
//	usage MOUNT: SIZE FREE         what the system answers when asked for the space of a file system

// captured is a machine that can be read.
type captured struct {
	files fstest.MapFS
	usage map[string][2]int64
}

func (c captured) options() Options {
	return Options{Arch: "amd64", Usage: func(mount string) (size, free int64) { return c.usage[mount][0], c.usage[mount][1] }}
}

// parseCapture reads a capture as far as it makes sense: tests cut and twist them.
func parseCapture(text string) captured {
	c := captured{fstest.MapFS{}, map[string][2]int64{}}
	folder, open := "", ""
	place := func(name string) (string, bool) {
		if !strings.HasPrefix(name, "/") {
			name = path.Join("/", folder, name)
		}
		name = strings.TrimPrefix(path.Clean(name), "/")
		return name, fs.ValidPath(name) && name != "."
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if more, ok := strings.CutPrefix(line, "\t"); ok && c.files[open] != nil {
			c.files[open].Data = append(c.files[open].Data, (more + "\n")...)
			continue
		}
		open = ""
		name, content, file := strings.Cut(line, ": ") // PCI addresses have colons too
		if !file {
			name, file = strings.CutSuffix(line, ":")
		}
		from, to, link := strings.Cut(line, " -> ")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			folder = strings.Trim(line, "[]")
		case strings.HasPrefix(line, "< "):
			in, ok := place(line[2:])
			at, valid := place("")
			if ok && valid {
				up := strings.Repeat("../", strings.Count(in, "/")+1)
				c.files[path.Join(in, path.Base(at))] = &fstest.MapFile{Data: []byte(up + at), Mode: fs.ModeSymlink}
			}
		case link:
			if at, ok := place(from); ok {
				c.files[at] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink}
			}
		case file && strings.HasPrefix(name, "usage "):
			var u [2]int64
			if n, _ := fmt.Sscan(content, &u[0], &u[1]); n == 2 {
				c.usage[name[len("usage "):]] = u
			}
		case file:
			if at, ok := place(name); ok {
				open = at
				c.files[at] = &fstest.MapFile{Data: []byte(content)}
				if content != "" {
					c.files[at].Data = append(c.files[at].Data, '\n')
				}
			}
		}
	}
	c.cutRings()
	return c
}

// cutRings removes links that lead nowhere but to links, as a system gives up on them: MapFS would follow them forever.
func (c captured) cutRings() {
	for name, file := range c.files {
		if file.Mode&fs.ModeSymlink == 0 {
			continue
		}
		at := name
		for hop := 0; ; hop++ {
			link := at
			for link != "." && (c.files[link] == nil || c.files[link].Mode&fs.ModeSymlink == 0) {
				link = path.Dir(link)
			}
			if link == "." || link == "/" {
				break
			}
			if hop == 40 || len(at) > 4096 { // as Linux does
				delete(c.files, name)
				break
			}
			at = path.Join(path.Dir(link), string(c.files[link].Data)) + at[len(link):]
		}
	}
}
