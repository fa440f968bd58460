package linux

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/machine/device/devicetest"
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
		if err != nil {
			t.Fatal(err)
		}
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
			var outline []string
			for line := range strings.Lines(text) {
				if words, ok := strings.CutPrefix(line, "= "); ok {
					outline = append(outline, words)
				}
			}
			devicetest.Match(t, inv, strings.Join(outline, ""), filepath.Join("testdata", name+".json"), *update)
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
		if strings.Join(got, " ") != tt.disks {
			t.Errorf("%s of %s lies on %q, want %q (* of the system)", tt.path, tt.capture, got, tt.disks)
		}
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
