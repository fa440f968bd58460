package capture_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hubbench/hubbench/internal/machine/device/linux"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// captures are the texts in testdata, by name.
func linuxCaptures(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../linux/testdata", "*.capture"))
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

func TestLinux(t *testing.T) {
	for name, text := range linuxCaptures(t) {
		t.Run(name, func(t *testing.T) {
			if !strings.HasPrefix(text, "# ") || !strings.Contains(text, "# Source: ") {
				t.Error("a capture says what it is of, and its source")
			}
			c := parseCapture(text)
			inv := linux.Read(c.files, c.options())
			match(t, inv, filepath.Join("../linux/testdata", name+".json"))
		})
	}
}

func TestLinuxSerials(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"x5-xps9370": {"nvme0n1": "S3ZHNF0K100000"}, "usb": {"sdc": "191951815235"},
		"tb3-egpu": {"sda": "1234E5678901"}, "rpi4-usb2": {"mmcblk0": "0x12345678"},
	} {
		c := parseCapture(linuxCaptures(t)[name])
		inv := linux.Read(c.files, linux.Options{Serials: true})
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
		c := parseCapture(linuxCaptures(t)[tt.capture])
		inv := linux.Read(c.files, c.options())
		var got []string
		for _, d := range inv.Physical(inv.Holding(tt.path)) {
			name := d.Name
			if d.System {
				name += "*"
			}
			got = append(got, name)
		}
		check.Same(t, "disks under "+tt.path+" of "+tt.capture+" (* of the system)", tt.disks,
			strings.Join(got, " "))
	}
}

// Of two pools of one name nobody knows which is mounted.
func TestPoolsOfOneName(t *testing.T) {
	text := linuxCaptures(t)["zfs-raidz"]
	last := strings.LastIndex(text, "ID_FS_UUID=1877")
	two := text[:last] + "ID_FS_UUID=99" + text[last+len("ID_FS_UUID=1877"):]
	if disk, _ := linux.Read(parseCapture(two).files, linux.Options{}).Holding("/zPoolW"); disk !=
		nil {
		t.Errorf("it lies on %s", disk.Name)
	}
}

// sound checks what holds of every inventory, and of those that Linux' files make.
func soundLinux(t *testing.T, inv *hardware.Inventory) {
	t.Helper()
	sound(t, inv)
	for _, h := range inv.Hubs {
		if h.Name == "" {
			t.Errorf("hub %q has no name", h.ID)
		}
	}
	for _, d := range inv.Disks {
		if d.Serial != "" || d.SizeBytes <= 0 {
			t.Errorf("disk %s of %d bytes gives its serial number %q away", d.Name, d.SizeBytes,
				d.Serial)
		}
	}
}

func TestLinuxCutAnywhere(t *testing.T) {
	for name, text := range linuxCaptures(t) {
		for cut := 0; cut < len(text); cut += 100 {
			c := parseCapture(text[:cut])
			soundLinux(t, linux.Read(c.files, c.options()))
			if t.Failed() {
				t.Fatalf("%s, cut at byte %d", name, cut)
			}
		}
	}
}

func FuzzLinux(f *testing.F) {
	for _, text := range linuxCaptures(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := parseCapture(text)
		soundLinux(t, linux.Read(c.files, c.options()))
	})
}

// A capture is a machine's files in one text, written from what people have published of theirs;
// its head says where.
//
//	# words                        a remark
//	[/sys/devices/...]             the folder of the names below that do not begin with /
//	name: one line                 a file
//	name:                          a file of several lines, each after a tab
//	name -> ../target              a symbolic link
//	< /sys/class/block             a link in that folder to the folder above, as sysfs has them
//	usage MOUNT: SIZE FREE         the space of a file system, in bytes

// captured is a machine that can be read.
type captured struct {
	files fstest.MapFS
	usage map[string][2]int64
}

func (c captured) options() linux.Options {
	return linux.Options{Arch: "amd64", Usage: func(mount string) (size, free int64) {
		return c.usage[mount][0], c.usage[mount][1]
	}}
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
				c.files[path.Join(in, path.Base(at))] = &fstest.MapFile{
					Data: []byte(up + at), Mode: fs.ModeSymlink,
				}
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

// cutRings removes links that lead nowhere but to links, as a system gives up on them: MapFS would
// follow them forever.
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
